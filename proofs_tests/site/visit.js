// Opens each page in a frame as narrow as a phone, and says what is wrong with it; the answers go to the server.
const frame = document.querySelector("iframe");
const NOT_PROSE = "pre, code, script, style, mjx-container, textarea, svg, .mathjax_ignore";
const RAW = /\\(frac|sum|max|min|lvert|le|ge|in|begin|text|mathrm|cdot)\b|\\[([]|\$\$|\$[^$\s][^$]*\$/;

const rgb = (text) => {
  const [r, g, b, a = 1] = text.match(/[\d.]+/g).map(Number);
  return text.startsWith("color(srgb") ? [r * 255, g * 255, b * 255, a] : [r, g, b, a];
};
const over = ([r, g, b, a], [x, y, z]) => [r * a + x * (1 - a), g * a + y * (1 - a), b * a + z * (1 - a), 1];
const luminance = (colour) => {
  const [r, g, b] = colour.slice(0, 3).map((c) => ((c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const ratio = (a, b) => {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
};

function texts(doc) {
  const walker = (doc.ownerDocument || doc).createTreeWalker(doc.body || doc, NodeFilter.SHOW_TEXT), found = [];
  while (walker.nextNode()) if (walker.currentNode.nodeValue.trim()) found.push(walker.currentNode);
  return found;
}

function background(element, win) {
  const layers = [];
  for (let at = element; at; at = at.parentElement) {
    const colour = rgb(win.getComputedStyle(at).backgroundColor);
    if (colour[3] > 0) layers.push(colour);
    if (colour[3] === 1) break;
  }
  return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255, 1]);
}

function faint(doc, win) {
  const faults = new Set(), seen = new Set();
  for (const element of new Set(texts(doc).map((text) => text.parentElement))) {
    if (!element.getClientRects().length || element.closest("script, style, svg, mjx-container, .visually-hidden")) continue;
    const style = win.getComputedStyle(element);
    if (style.visibility === "hidden") continue;
    const size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
    const below = background(element, win), key = [style.color, below, large].join();
    if (seen.has(key)) continue;
    seen.add(key);
    const found = ratio(over(rgb(style.color), below), below);
    if (found < (large ? 3 : 4.5))
      faults.add(`${found.toFixed(2)} ${style.color} on ${below.slice(0, 3).map(Math.round)}: <${element.localName} class="${element.className}"> ${element.textContent.trim().slice(0, 40)}`);
  }
  return [...faults];
}

function unreachable(doc) {
  const shown = [...doc.querySelectorAll("a[href], button, summary, input")].filter(
    (e) => e.checkVisibility({ visibilityProperty: true }) && !e.disabled && e.type !== "hidden" && !e.closest("[hidden], dialog:not([open])"));
  return shown.filter((e) => {
    e.focus({ preventScroll: true });
    return doc.activeElement !== e || (e.tabIndex < 0 && !e.matches(".headerlink"));
  }).map((e) => e.outerHTML.slice(0, 120));
}

function names(doc) {
  const faults = [], of = (e) => (e.getAttribute("aria-label") || e.textContent || e.title || "").trim();
  for (const image of doc.querySelectorAll("img:not(.sphx-glr-thumbcontainer img)"))  // whose titles stand beside them
    if (!(image.getAttribute("alt") || "").trim()) faults.push(`no alt: ${image.src}`);
  for (const link of doc.querySelectorAll("a[href], button"))
    if (!of(link) && !link.querySelector("img[alt], svg[aria-label]")) faults.push(`no name: ${link.outerHTML.slice(0, 100)}`);
  if (!doc.documentElement.lang) faults.push("the page names no language");
  if (!doc.title.trim()) faults.push("the page has no title");
  if (!doc.querySelector("h1")) faults.push("the page has no heading");
  const skip = doc.querySelector("a[href^='#']");
  if (!skip || !/skip/i.test(skip.textContent) || !doc.querySelector(skip.getAttribute("href"))) faults.push("the first link leads past the navigation: no");
  return faults;
}

function wide(doc, win) {
  const limit = win.innerWidth + 0.5, found = [];
  if (doc.documentElement.scrollWidth > limit) found.push(`${doc.documentElement.scrollWidth} px`);
  for (const text of texts(doc.querySelector("main") || doc)) {
    const element = text.parentElement, range = doc.createRange();
    if (!element.checkVisibility({ visibilityProperty: true }) || element.closest(".visually-hidden, mjx-container, .headerlink")) continue;
    range.selectNodeContents(text);
    if (range.getBoundingClientRect().right <= limit) continue;
    let at = element;
    while (at && !/auto|scroll/.test(win.getComputedStyle(at).overflowX)) at = at.parentElement;
    if (!at || at === doc.body || at === doc.documentElement) found.push(`cut off: ${text.nodeValue.trim().slice(0, 60)}`);
  }
  return found.slice(0, 4);
}

async function visit(page) {
  frame.style.width = "390px";
  await new Promise((done) => { frame.onload = done; frame.src = page; });
  const win = frame.contentWindow, doc = frame.contentDocument;
  if (win.MathJax) await win.MathJax.startup.promise;
  const prose = texts(doc).filter((text) => !text.parentElement.closest(NOT_PROSE)).map((text) => text.nodeValue);
  const found = {
    raw: prose.filter((text) => RAW.test(text)).map((text) => text.trim().slice(0, 80)),
    wrong: [...doc.querySelectorAll("mjx-merror, [data-mjx-error]")].map((e) => e.textContent.slice(0, 80)),
    formulas: doc.querySelectorAll("mjx-container > svg").length,  // a tall bar in one has an svg of its own
    wide: wide(doc, win),
    broken: [...doc.images].filter((image) => image.complete && !image.naturalWidth).map((image) => image.src),
    names: names(doc),
    light: [], dark: [], unreachable: [],
  };
  if (!page.includes("/repository/") || page.endsWith("/index.html")) {
    for (const theme of ["light", "dark"]) {
      doc.documentElement.dataset.theme = theme;
      found[theme] = faint(doc, win);
    }
    for (const width of ["390px", "1280px"]) {
      frame.style.width = width;
      found.unreachable.push(...unreachable(doc));
    }
  }
  return found;
}

(async () => {
  const answers = {};
  for (const page of await (await fetch("/-pages")).json()) {
    try { answers[page] = await visit(page); } catch (error) { answers[page] = { failed: String(error) }; }
  }
  await fetch("/-answers", { method: "POST", body: JSON.stringify(answers) });
})();
