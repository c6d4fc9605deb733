// What a page must keep, each rule a function that gives what breaks it, in words. Runs inside the page; nothing here uses
// the page's own script.
globalThis.rules = (() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const short = (text) => text.replace(/\s+/g, " ").trim().slice(0, 60);
  const name = (e) => `<${e.tagName.toLowerCase()}${e.id ? "#" + e.id : ""}> "${short(e.textContent)}"`;
  const unique = (list) => [...new Set(list)];
  const longTables = () => all("main table").filter((table) => table.tBodies[0].rows.length >= 12);

  // Name that a screen reader says of a control (a part of https://www.w3.org/TR/accname-1.2/).
  function accessibleName(e) {
    const by = (e.getAttribute("aria-labelledby") || "").split(/\s+/).filter(Boolean);
    const labelled = by.map((id) => document.getElementById(id)?.textContent || "").join(" ");
    const label = e.labels && e.labels.length > 0 ? e.labels[0].textContent : "";
    const own = e.matches("a, button, summary, [role=button]") ? e.textContent : "";
    const title = e.querySelector?.(":scope > title")?.textContent || e.getAttribute("title") || "";
    return (labelled || e.getAttribute("aria-label") || e.getAttribute("alt") || label || own || title).trim();
  }

  // Contrast by WCAG 2.1: https://www.w3.org/TR/WCAG21/#dfn-contrast-ratio
  function rgba(text) {
    const parts = (/^rgba?\(([^)]*)\)$/.exec(text) || [, ""])[1].split(/[\s,/]+/).map(Number);
    if (parts.length < 3 || parts.some(Number.isNaN)) throw new Error(`a colour that is not understood: ${text}`);
    return parts.length === 3 ? [...parts, 1] : parts;
  }
  const over = (top, under) => [0, 1, 2].map((i) => top[i] * top[3] + under[i] * (1 - top[3])).concat(1);
  function luminance(color) {
    const linear = (c) => (c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * linear(color[0]) + 0.7152 * linear(color[1]) + 0.0722 * linear(color[2]);
  }
  function contrastOf(a, b) {
    const [x, y] = [luminance(a), luminance(b)];
    return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
  }
  function background(e) {
    const layers = [];
    for (let at = e; at; at = at.parentElement) layers.push(rgba(getComputedStyle(at).backgroundColor));
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    return layers.reverse().reduce((under, top) => over(top, under), dark ? [18, 18, 18, 1] : [255, 255, 255, 1]);
  }
  function weakText(text) {
    const e = text.parentElement, style = getComputedStyle(e);
    const box = e.getBoundingClientRect();
    if (!short(text.data) || !e.checkVisibility({visibilityProperty: true}) || box.width <= 1) return null;
    if (e.closest("script, style, title, defs")) return null;
    const under = background(e), ink = over(rgba(e.closest("svg") ? style.fill : style.color), under);
    const size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
    const ratio = contrastOf(ink, under);
    return ratio >= (large ? 3 : 4.5) ? null : `${ratio.toFixed(2)} of ${name(e)}`;
  }

  function order(table, head, direction) {
    const keys = [...table.tBodies[0].rows].map((row) => row.cells[head.cellIndex]).map((cell) =>
      cell.dataset.sort === undefined ? cell.textContent : Number(cell.dataset.sort));
    const numbers = keys.filter((key) => typeof key === "number"), words = keys.filter((key) => typeof key === "string");
    if (numbers.length && keys.slice(0, numbers.length).some((key) => typeof key === "string")) return "words before numbers";
    const right = (difference) => (direction === "ascending" ? difference <= 0 : difference >= 0);
    const collator = new Intl.Collator("en", {numeric: true});
    const sorted = (list, compare) => list.every((x, i) => i === 0 || right(compare(list[i - 1], x)));
    return sorted(numbers, (a, b) => a - b) && sorted(words, collator.compare) ? "" : `not ${direction}`;
  }
  function sortingOf(table) {
    const rows = table.tBodies[0].rows.length, problems = [];
    if (rows < 3) return problems;
    for (const head of table.tHead.rows[0].cells) {
      const button = head.querySelector("button"), what = `${short(table.caption.textContent)}, ${short(head.textContent)}`;
      if (!button && head.textContent.trim()) problems.push(`no button: ${what}`);
      const seen = new Set();
      for (let click = 0; button && click < 2; ++click) {
        button.click();
        const direction = head.getAttribute("aria-sort");
        const wrong = direction ? order(table, head, direction) : "no aria-sort";
        seen.add(direction);
        if (wrong || table.tBodies[0].rows.length !== rows) problems.push(`${wrong || "rows are lost"}: ${what}`);
      }
      if (button && seen.size !== 2) problems.push(`a second click does not turn the order: ${what}`);
    }
    return problems;
  }

  function type(field, text) {
    field.value = text;
    field.dispatchEvent(new Event("input", {bubbles: true}));
  }
  function filteringOf(table) {
    const box = table.parentElement.previousElementSibling, field = box?.querySelector("input");
    const what = short(table.caption.textContent), rows = [...table.tBodies[0].rows], problems = [];
    if (!field || !accessibleName(field)) return [`no box with a name: ${what}`];
    const plain = (text) => text.replace(/\s+/g, " ").trim().toLowerCase();
    const word = plain(rows[rows.length >> 1].cells[0].textContent);
    for (const text of ["", word, word.toUpperCase(), "<b>no such text</b>", ""]) {
      type(field, text);
      const holds = (row) => [...row.cells].some((cell) => plain(cell.textContent).includes(plain(text)));
      const shown = rows.filter((row) => row.getClientRects().length > 0);
      if (shown.some((row) => !holds(row)) || rows.some((row) => holds(row) && !shown.includes(row)))
        problems.push(`"${text}" shows the wrong rows: ${what}`);
      const count = text ? `${shown.length} of ${rows.length} rows` : `${rows.length} rows`;
      if (plain(box.querySelector("output").textContent) !== count) problems.push(`"${text}" is miscounted: ${what}`);
    }
    return problems;
  }

  return {
    unfold() {
      for (const fold of all("details")) fold.open = true;
    },
    language: () => (/^[a-z]{2}\b/.test(document.documentElement.lang) ? [] : ["the page has no language"]),
    title: () => (document.title.trim() ? [] : ["the page has no title"]),
    ids() {
      const ids = all("[id]").map((e) => e.id);
      return unique(ids.filter((id, i) => ids.indexOf(id) !== i)).map((id) => `id twice: ${id}`);
    },
    headings() {
      const levels = all("h1, h2, h3, h4, h5, h6"), problems = [];
      levels.forEach((e, i) => {
        const from = i === 0 ? 0 : Number(levels[i - 1].tagName[1]);
        if (Number(e.tagName[1]) > from + 1) problems.push(`${name(e)} follows level ${from}`);
        if (!e.textContent.trim()) problems.push(`an empty ${e.tagName}`);
      });
      const first = all("h1").length;
      return first === 1 ? problems : [...problems, `${first} headings of level 1`];
    },
    pictures() {
      const problems = all("figure").filter((f) => !f.querySelector("svg, .missing")).map((f) => `no picture: ${name(f)}`);
      if (!document.querySelector("figure svg")) problems.push("no picture at all");
      for (const svg of all("figure svg")) {
        const box = svg.getBoundingClientRect(), ink = svg.querySelector("path, use, rect, circle, text");
        if (box.width < 100 || box.height < 50 || !ink) problems.push(`an empty picture: ${accessibleName(svg)}`);
      }
      for (const img of all("img")) if (!img.complete || !img.naturalWidth) problems.push(`not loaded: ${img.src}`);
      return problems;
    },
    names() {
      const pictures = all("svg, img").filter((e) => e.getAttribute("role") !== "img" && e.tagName !== "IMG");
      const controls = all("svg, img, a[href], button, input, select, textarea, summary, [tabindex], nav");
      return [...pictures.map((e) => `not said to be a picture: ${name(e)}`),
              ...controls.filter((e) => !accessibleName(e)).map((e) => `without a name: ${name(e)}`)];
    },
    links() {
      const inside = all("a[href^='#']").filter((a) => !document.getElementById(a.getAttribute("href").slice(1)));
      return inside.map((a) => `leads nowhere: ${a.getAttribute("href")}`);
    },
    files: () => unique(all("[href], [src]").map((e) => e.getAttribute("href") || e.getAttribute("src"))
      .filter((target) => target && !/^(#|data:)/.test(target))),
    overflow() {
      const width = document.documentElement.clientWidth;
      if (document.documentElement.scrollWidth <= width) return [];
      const wide = all("body *").filter((e) => e.getBoundingClientRect().right > width + 1 && !e.closest(".scroll *, .picture *"));
      return [`${document.documentElement.scrollWidth} px in a window of ${width}`, ...wide.slice(0, 3).map(name)];
    },
    contrast() {
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), problems = [];
      for (let text = walker.nextNode(); text; text = walker.nextNode()) problems.push(weakText(text));
      return unique(problems.filter(Boolean));
    },
    sorting: () => all("main table").flatMap(sortingOf),
    filtering: () => longTables().flatMap(filteringOf),
    unscripted: () => all("main input, main button, [hidden]").map((e) => `a dead control: ${name(e)}`),
    // For the checks that press keys and move the pointer.
    focused() {
      const e = document.activeElement, style = getComputedStyle(e), box = e.getBoundingClientRect();
      const seen = (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0) || e === document.body;
      return {what: name(e), seen: seen && (e === document.body || box.width > 0)};
    },
    pictureOfMarks(i) {
      const pictures = all(".picture").filter((picture) => picture.querySelector(".mark"));
      if (i >= pictures.length) return 0;
      pictures[i].scrollIntoView({block: "center", behavior: "instant"});
      pictures[i].focus();
      return all(".mark", pictures[i]).length;
    },
    firstMark(i) {
      const mark = all(".picture").filter((picture) => picture.querySelector(".mark"))[i].querySelector(".mark");
      mark.scrollIntoView({block: "center", behavior: "instant"});
      const box = mark.getBoundingClientRect();
      return {x: box.x + box.width / 2, y: box.y + box.height / 2};
    },
    reading() {
      const shown = all(".reading").filter((e) => e.checkVisibility());
      const inside = shown.map((e) => e.getBoundingClientRect()).every((box) =>
        box.left >= 0 && box.right <= innerWidth && box.top >= 0 && box.bottom <= innerHeight);
      return {texts: shown.map((e) => e.textContent), inside};
    },
  };
})();
