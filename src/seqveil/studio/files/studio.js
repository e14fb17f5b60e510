"use strict";
/* What the pages need beyond HTML: looking again while something runs, the slider, live answers, copying. Everything works without it. */
(() => {
  const $ = (id) => document.getElementById(id);
  const asked = async (url) => { const answer = await fetch(url, { credentials: "same-origin", headers: { accept: "application/json" } }); if (!answer.ok) throw new Error(); return answer.json(); };
  const later = (work, wait) => setTimeout(work, wait);

  /* A part that follows something at work, such as a run: it is drawn anew when something has changed; nothing moves under the pointer otherwise. */
  for (const progress of document.querySelectorAll('[data-poll][data-state="running"], [data-poll][data-state="waiting"]')) {
    let last = "";
    const look = async () => {
      try {
        const { html, state } = await asked(progress.dataset.poll);
        if (html !== last) { const inside = progress.contains(document.activeElement); progress.innerHTML = html; last = html; if (inside) progress.querySelector("button, a")?.focus(); }
        if (state !== "running" && state !== "waiting") { if (progress.id === "progress") document.title = document.title.replace(/^[^–]+/, state[0].toUpperCase() + state.slice(1) + " "); return; }
      } catch { /* the studio has ended, or is busy: look again */ }
      later(look, 600);
    };
    later(look, 300);
  }

  /* Long work on a page of its own: when it is done the page is loaded again. */
  const task = document.querySelector("section[data-task]");
  if (task) {
    const look = async () => { try { if ((await asked(task.dataset.task)).state !== "running") return location.reload(); } catch { /* look again */ } later(look, 500); };
    later(look, 300);
  }

  /* Pictures of a large release come after its words: the page is fetched again until it has them, and only they are put in. */
  const drawing = document.querySelector("section[data-drawing]");
  if (drawing) {
    const look = async () => {
      try {
        const answer = await fetch(drawing.dataset.drawing, { credentials: "same-origin" });
        if (!answer.ok) return location.reload();
        const whole = new DOMParser().parseFromString(await answer.text(), "text/html");
        if (!whole.querySelector("section[data-drawing]")) {
          for (const part of document.querySelectorAll("[data-late]")) part.replaceWith(document.adoptNode(whole.getElementById(part.id)));
          for (const parsed of document.querySelectorAll("#pictures script[src]")) { const script = document.createElement("script"); script.src = parsed.src; parsed.replaceWith(script); }
          return;
        }
      } catch { /* the studio has ended, or is busy: look again */ }
      later(look, 150);
    };
    look();
  }

  /* The slider of ε: a number field that the slider moves, and a forecast that follows both. */
  const budget = $("spending");
  if (budget) {
    const slide = $("slide"), epsilon = $("epsilon"), size = $("size"), shown = $("forecast");
    const stops = slide.dataset.stops.split(",");
    let waiting = 0, turn = 0, last = "";
    const look = async () => {
      const mine = ++turn;
      try {
        const answer = await asked(budget.dataset.forecast + "?" + new URLSearchParams({ epsilon: epsilon.value, size: size.value }));
        if (mine !== turn) return;
        if (answer.problem) { const p = document.createElement("p"); p.className = "warning"; p.textContent = answer.problem; shown.replaceChildren(p); last = ""; return; }
        if (answer.html !== last) shown.innerHTML = last = answer.html;
        if (answer.running) waiting = later(look, 700);
      } catch { /* the next change asks again */ }
    };
    const soon = (wait) => { clearTimeout(waiting); waiting = later(look, wait); };
    const nearest = () => stops.reduce((best, stop, at) => Math.abs(stop - epsilon.value) < Math.abs(stops[best] - epsilon.value) ? at : best, 0);
    slide.addEventListener("input", () => { epsilon.value = stops[slide.value]; slide.setAttribute("aria-valuetext", "ε = " + epsilon.value); soon(250); });
    epsilon.addEventListener("input", () => { slide.value = nearest(); soon(400); });
    size.addEventListener("input", () => soon(600));
    if (shown.querySelector('[data-state="running"]')) soon(500);
  }

  /* Answers while somebody types. */
  const query = $("query");
  if (query) {
    const box = $("q"), how = $("how"), answers = $("answers");
    let waiting = 0, turn = 0;
    const look = async () => {
      const mine = ++turn;
      if (!box.value.trim()) { answers.replaceChildren(); return; }
      try { const { html } = await asked(query.dataset.query + "?" + new URLSearchParams({ q: box.value, how: how.value })); if (mine === turn) answers.innerHTML = html; } catch { /* the next key asks again */ }
    };
    box.addEventListener("input", () => { clearTimeout(waiting); waiting = later(look, 150); });
    how.addEventListener("change", () => { box.placeholder = how.selectedOptions[0].dataset.example; look(); });
    query.addEventListener("submit", (event) => { event.preventDefault(); look(); });
  }

  for (const button of document.querySelectorAll("[data-copy]")) {
    button.addEventListener("click", async () => {
      const text = $(button.dataset.copy), before = button.textContent;
      try { await navigator.clipboard.writeText(text.textContent); button.textContent = "Copied"; }
      catch { getSelection().selectAllChildren(text); button.textContent = "Selected: press Ctrl+C"; }
      later(() => { button.textContent = before; }, 2000);
    });
  }

  /* A file that is chosen by its list belongs to the way "a file". The button that spends is pressed once. */
  for (const form of document.querySelectorAll("form[data-once]")) {
    form.addEventListener("submit", () => later(() => { for (const button of form.querySelectorAll("button.main")) button.disabled = true; }, 0));
  }
  /* A page that answers a form has no address of its own: going back or loading it again would ask to send the form again. */
  const address = document.querySelector("[data-address]")?.dataset.address;
  if (address && (location.pathname !== address || $("problems"))) history.replaceState(null, "", address);
  $("problems")?.focus();
})();
