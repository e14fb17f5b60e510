"use strict";
/* An icicle of the grams: levels are rows, a box is as wide as its count. Choosing a box makes it as wide as the picture.
   Boxes that would be too narrow to read are one box together ("others"), which can be chosen like any other. */
(() => {
  const nodes = JSON.parse(document.getElementById("grams").textContent).map(([parent, label, count, low, high], id) => ({ id, parent, label, count, low, high, children: [] }));
  for (const node of nodes.slice(1)) nodes[node.parent].children.push(node);
  for (const node of nodes) node.children.sort((a, b) => b.count - a.count);
  /* Neighbours differ in hue: every branch below the chosen box has its own, and what grows on it keeps it. */
  const hue = (branch) => Math.round((branch * 137.5 + 215) % 360);
  const icicle = document.getElementById("icicle"), crumbs = document.getElementById("crumbs"), said = document.getElementById("said");
  const ROW = 40, NARROW = 78, OTHERS = 96, PAGE = 12, number = new Intl.NumberFormat("en");
  const above = (node) => node.of || nodes[node.parent];
  const path = (node) => { const way = []; for (let at = node; at.id; at = above(at)) way.unshift(at); return way; };
  const { root, end } = icicle.dataset;
  /* Where there can be no elements, isolates (U+2068, U+2069) keep a label's direction to itself. */
  const words = (node) => path(node).map((n) => "\u2068" + n.label + "\u2069").join(" ") || root;
  const counted = (node) => ": " + number.format(node.count) + (node.low === null ? "" : " (95 %: " + number.format(node.low) + " to " + number.format(node.high) + ")");
  const caption = (node) => words(node) + counted(node);
  /* A label that stands alone needs no quotes; in a row with others it has them, as in a query. */
  const bare = (label) => (/^".*"$/s.test(label) ? label.slice(1, -1).replace(/\\(["\\])/g, "$1") : label);
  const isolated = (text) => { const b = document.createElement("bdi"); b.textContent = text; return b; };
  const tell = (node) => {
    const labels = path(node).map((n) => n.label);
    said.replaceChildren(...(labels.length ? labels.flatMap((text, i) => [i ? " " : "", isolated(text)]) : [root]), counted(node));
  };
  const sum = (list) => list.reduce((whole, one) => whole + one.count, 0);
  const others = (node, children) => ({ id: -1, of: node, label: number.format(children.length) + " others", count: sum(children), low: null, high: null, children });
  /* The children of a node with their widths in per cent of the picture: as many as can be read, then the others. Those of the chosen
     box are widened until they can be read. Children of a consistent tree sum to at most their parent; rounding must not push one out. */
  const laid = (node, width, chosen) => {
    const whole = Math.max(node.of ? 0 : node.count, sum(node.children), 1), pixel = 100 / icicle.clientWidth, boxes = [];
    let room = width;
    for (const child of node.children.slice(0, chosen ? PAGE : undefined)) {
      const last = child === node.children.at(-1), wide = Math.max((width * child.count) / whole, chosen ? NARROW * pixel : 0);
      if (wide < NARROW * pixel || wide > room - (chosen && !last ? OTHERS * pixel : -0.01)) break;
      boxes.push([child, wide]); room -= wide;
    }
    const left = boxes.length || chosen ? node.children.slice(boxes.length) : [];
    if (left.length) boxes.push([left.length > 1 ? others(node, left) : left[0], Math.min(room, Math.max((width * sum(left)) / whole, chosen ? OTHERS * pixel : 0))]);
    return boxes;
  };
  const box = (node, level, left, width, focus, h) => {
    const b = document.createElement("button");
    b.type = "button"; b.style.left = left + "%"; b.style.width = width + "%"; b.style.top = level * ROW + "px"; b.style.height = ROW + "px";
    b.style.setProperty("--h", h);
    if (node.label === end || node === focus || node.of) b.classList.add("end");
    b.setAttribute("aria-label", caption(node)); b.title = caption(node);
    const label = node.id ? bare(node.label) : root, count = number.format(node.count), room = (width * icicle.clientWidth) / 100 / 8;
    if (room > Math.min(label.length, 6) + 1) b.append(isolated(label));
    if (room > label.length + count.length + 3) { const s = document.createElement("small"); s.textContent = count; b.append(s); }
    b.addEventListener("click", () => show(node.id && node === focus ? above(node) : node));
    for (const event of ["mouseenter", "focus"]) b.addEventListener(event, () => tell(node));
    icicle.append(b);
  };
  const draw = (node, level, left, width, focus, h) => {
    if (width < 0.4) return level;
    box(node, level, left, width, focus, h);
    if (node !== focus && (node.of || (width * icicle.clientWidth) / 100 < NARROW)) return level + 1;
    let at = left, deepest = level + 1;
    laid(node, width, node === focus).forEach(([child, w], i) => { deepest = Math.max(deepest, draw(child, level + 1, at, w, focus, level ? h : hue(i))); at += w; });
    return deepest;
  };
  function show(node) {
    icicle.replaceChildren(); crumbs.replaceChildren();
    icicle.style.height = draw(node, 0, 0, 100, node, 215) * ROW + "px";
    for (const step of [nodes[0], ...path(node)]) {
      const b = document.createElement("button");
      b.type = "button"; b.append(isolated(step.id ? bare(step.label) : root));
      if (step === node) b.setAttribute("aria-current", "location");
      b.addEventListener("click", () => show(step)); crumbs.append(b);
    }
    tell(node);
  }
  show(nodes[0]);
})();
