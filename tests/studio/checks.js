/* What axe and its like look for: names, contrast of 4.5, sizes, ids, headings, language; nothing over the edge; no labels that
   collide. Evaluated in a page; gives a list of what is wrong. */
() => {
  const nameOf = (e) => (
    e.getAttribute('aria-label')
    || (e.getAttribute('aria-labelledby')
    || '').split(' ').map((id) => document.getElementById(id)?.textContent
    || '').join(' ').trim()
    || [...(e.labels
    || [])].map((l) => l.textContent).join(' ').trim()
    || (e.matches('select, input, textarea') ? '' : e.textContent.trim())
    || e.alt
    || e.title
    || '').trim();
  const seen = (e) => e.getClientRects().length > 0 && getComputedStyle(e).visibility !== 'hidden';
  const parts = (c) => c.match(/[\d.]+/g).map(Number);
  const over = ([r, g, b, a = 1], under) => [r, g, b].map((v, i) => a * v + (1 - a) * under[i]);
  const ground = (e) => (e ? over(parts(getComputedStyle(e).backgroundColor), ground(e.parentElement)) : [255, 255, 255]);
  const linear = (v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  const light = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  const contrast = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
  const colour = (e) => parts(e instanceof SVGElement ? getComputedStyle(e).fill : getComputedStyle(e).color);
  const wrong = [];
  for (const e of document.querySelectorAll('a, button, input:not([type=hidden]), select, textarea, summary, [role=img], [role=region], img'))
    if (!nameOf(e)) wrong.push('no name: ' + e.outerHTML.slice(0, 120));
  for (const e of document.querySelectorAll('body *')) {
    const words = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!words || !seen(e) || e.closest('[disabled], title, script, noscript, .hidden, .skip') || e.matches('.share.strong')) continue;
    const ratio = contrast(over(colour(e), ground(e)), ground(e));
    if (ratio < 4.5) wrong.push(`contrast ${ratio.toFixed(2)}: ${e.tagName}.${e.getAttribute('class')} ${e.textContent.trim().slice(0, 40)}`);
    if (parseFloat(getComputedStyle(e).fontSize) < 10.5) wrong.push('too small: ' + e.textContent.slice(0, 40));
  }
  const ids = [...document.querySelectorAll('[id]')].map((e) => e.id);
  for (const id of new Set(ids)) if (ids.filter((one) => one === id).length > 1) wrong.push('id twice: ' + id);
  for (const e of document.querySelectorAll('[aria-labelledby], [aria-describedby], label[for]'))
    for (const id of [e.getAttribute('aria-labelledby'), e.getAttribute('aria-describedby'), e.getAttribute('for')].filter(Boolean).flatMap((v) => v.split(' ')))
      if (!ids.includes(id)) wrong.push('leads nowhere: ' + id);
  const levels = [...document.querySelectorAll('h1, h2, h3')].filter(seen).map((h) => Number(h.tagName[1]));
  if (levels.filter((l) => l === 1).length !== 1) wrong.push('headings of the first level: ' + levels.filter((l) => l === 1).length);
  levels.forEach((l, i) => { if (i && l > levels[i - 1] + 1) wrong.push('a level of headings is skipped'); });
  if (document.documentElement.lang !== 'en' || !document.querySelector('main')) wrong.push('no language or no main');
  if (document.documentElement.scrollWidth > innerWidth) wrong.push('wider than the screen: ' + document.documentElement.scrollWidth);
  for (const svg of document.querySelectorAll('svg.heatmap, svg.columns, svg.chart')) {
    const boxes = [...svg.querySelectorAll('text:not([transform]):not(.share)')].map((t) => t.getBoundingClientRect());
    boxes.forEach((a, i) => boxes.slice(i + 1).forEach((b) => {
      if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 3 && b.top < a.bottom - 3) wrong.push('labels collide in ' + svg.getAttribute('class'));
    }));
  }
  for (const svg of document.querySelectorAll('svg.heatmap, svg.columns, svg.chart, svg.graph')) {
    const frame = svg.getBoundingClientRect();
    for (const t of svg.querySelectorAll('text')) {
      const box = t.getBoundingClientRect();
      if (box.left < frame.left - 2 || box.right > frame.right + 2 || box.top < frame.top - 2 || box.bottom > frame.bottom + 2) wrong.push(`cut off in ${svg.getAttribute('class')}: ${t.textContent}`);
    }
  }
  return wrong;
}
