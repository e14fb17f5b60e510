"use strict";
/* An icicle of the grams: levels are rows, a box is as wide as its count. Choosing a box makes it as wide as the picture. */
(() => {
  const nodes = JSON.parse(document.getElementById("grams").textContent).map(([parent, label, count, low, high], id) => ({ id, parent, label, count, low, high, children: [] }));
  for (const node of nodes.slice(1)) nodes[node.parent].children.push(node);
  for (const node of nodes) node.children.sort((a, b) => b.count - a.count);
  /* Neighbours differ in hue: every branch below the chosen box has its own, and what grows on it keeps it. */
  const hue = (branch) => Math.round((branch * 137.5 + 215) % 360);
  const icicle = document.getElementById("icicle"), crumbs = document.getElementById("crumbs"), said = document.getElementById("said");
  const ROW = 40, number = new Intl.NumberFormat("en");
  const path = (node) => { const way = []; for (let at = node; at.id; at = nodes[at.parent]) way.unshift(at); return way; };
  const { root, end } = icicle.dataset;
  /* Where there can be no elements, isolates (U+2068, U+2069) keep a label's direction to itself. */
  const words = (node) => path(node).map((n) => "\u2068" + n.label + "\u2069").join(" ") || root;
  const counted = (node) => ": " + number.format(node.count) + (node.low === null ? "" : " (95 %: " + number.format(node.low) + " to " + number.format(node.high) + ")");
  const caption = (node) => words(node) + counted(node);
  const isolated = (text) => { const b = document.createElement("bdi"); b.textContent = text; return b; };
  const tell = (node) => {
    const labels = path(node).map((n) => n.label);
    said.replaceChildren(...(labels.length ? labels.flatMap((text, i) => [i ? " " : "", isolated(text)]) : [root]), counted(node));
  };
  const depth = (node) => node.children.reduce((most, child) => Math.max(most, depth(child)), 0) + 1;
  const box = (node, level, left, width, focus, h) => {
    const b = document.createElement("button");
    b.type = "button"; b.style.left = left + "%"; b.style.width = width + "%"; b.style.top = level * ROW + "px"; b.style.height = ROW + "px";
    b.style.setProperty("--h", h);
    if (node.label === end || node === focus) b.classList.add("end");
    b.setAttribute("aria-label", caption(node)); b.title = caption(node);
    const label = node.id ? node.label : root, count = number.format(node.count), room = (width * icicle.clientWidth) / 100 / 8;
    if (room > Math.min(label.length, 6) + 1) b.append(isolated(label));
    if (room > label.length + count.length + 3) { const s = document.createElement("small"); s.textContent = count; b.append(s); }
    b.addEventListener("click", () => show(node.id && node === focus ? nodes[node.parent] : node));
    for (const event of ["mouseenter", "focus"]) b.addEventListener(event, () => tell(node));
    icicle.append(b);
  };
  const draw = (node, level, left, width, focus, h) => {
    if (width < 0.12) return;
    box(node, level, left, width, focus, h);
    /* Children of a consistent tree sum to at most their parent; rounding must not push a box out of its row. */
    const whole = Math.max(node.count, node.children.reduce((sum, child) => sum + child.count, 0), 1);
    let at = left;
    node.children.forEach((child, i) => { const w = (width * child.count) / whole; draw(child, level + 1, at, w, focus, level ? h : hue(i)); at += w; });
  };
  function show(node) {
    icicle.replaceChildren(); crumbs.replaceChildren();
    icicle.style.height = depth(node) * ROW + "px";
    draw(node, 0, 0, 100, node, 215);
    for (const step of [nodes[0], ...path(node)]) {
      const b = document.createElement("button");
      b.type = "button"; b.append(isolated(step.id ? step.label : root));
      if (step === node) b.setAttribute("aria-current", "location");
      b.addEventListener("click", () => show(step)); crumbs.append(b);
    }
    tell(node);
  }
  show(nodes[0]);
})();
