// The site: its index, the parts of its data, its addresses, and what its pages share.

let SITE; // the index: see reports/views/site/index.py
let CAUSES, COLUMN_OF, CAUSE_OF, OPERATION_OF;
const element = (id) => document.getElementById(id);

const PAGES = {
  matrix: ["Matrix", drawMatrixPage],
  compare: ["Changes", drawComparePage],
  support: ["What runs where", drawSupportPage],
  causes: ["Causes", drawCausesPage],
  trend: ["Trend", drawTrendPage],
  devices: ["Devices", drawDevicesPage],
};
// Pages of one thing each, and the page in whose place they stand.
const OTHERS = {
  operation: ["matrix", drawOperationPage],
  cause: ["causes", drawCausePage],
  search: ["", drawSearchPage],
};

/** A cause as the index has it. */
function causeFrom([id, title, kind, component, since, fixed, devices, fix], index) {
  return { id, title, kind, component, since, fixed, devices: devices || [], fix, index };
}

// --- parts ------------------------------------------------------------------------------------

const parts = new Map(); // promises by name
const arriving = new Map(); // what to call when a part's script runs

/** Called by the script of a part. */
function part(name, packed) {
  arriving.get(name)?.(packed);
}

/** The data of a part; rejects if its file cannot be loaded. A page from a folder may load scripts alone. */
function load(name) {
  if (!parts.has(name)) {
    parts.set(name, new Promise((resolve, reject) => {
      const script = document.createElement("script");
      arriving.set(name, resolve);
      script.src = `${name}.js`;
      script.onload = () => script.remove();
      script.onerror = () => {
        parts.delete(name);
        reject(new Error(`${name}.js is not there. The site may have been built again: load this page again.`));
      };
      document.head.append(script);
    }).then(inflate));
  }
  return parts.get(name);
}

/** Parts of several columns, in their order. */
const loadAll = (columns, name) => Promise.all(columns.map((one) => load(`${one.folder}/${name}`)));

// --- addresses --------------------------------------------------------------------------------

let at = {}; // the address as an object of texts

/** The fragment of the URL of a page. */
function to(page, parameters = {}) {
  const found = new URLSearchParams({ page });
  for (const [key, value] of Object.entries(parameters)) {
    if (value !== "" && value !== undefined && value !== null) found.set(key, value);
  }
  return `#${found}`;
}

/** Change the address of the page that is shown, without a step in the history, and draw again. */
function change(changes) {
  const { page, ...rest } = { ...at, ...changes };
  history.replaceState(null, "", to(page, rest));
  draw(true);
}

function link(className, href, ...children) {
  const found = make("a", className, ...children);
  found.href = href;
  return found;
}

// The address of a case, as drawCase needs it.
function addressOf(n) {
  return to("operation", { name: nameOf("operation", n), column: at.column, case: COLUMNS.case[n] });
}

// --- what pages share -------------------------------------------------------------------------

const standingClass = (name) => `s-${name.replaceAll(" ", "-")}`;
const departing = (standing) => standing > 2; // pass, compiled and no verdict are none

/** The worst standing of counts: the first departure that occurs, else what there is. */
function worstOf(counts) {
  for (let k = 3; k < counts.length; k++) if (counts[k]) return k;
  return counts[1] ? 1 : counts[0] ? 0 : 2;
}

const sumOf = (numbers) => numbers.reduce((a, b) => a + b, 0);
const departuresOf = (counts) => sumOf(counts.slice(3));

/**
 * What a tile says of counts: the worst with its share, the share of all departures, and a bar of all. `cause` explains
 * it to a pointer. `others` are departures that are not looked for; `unexpected` is how many the gate did not know.
 */
function fillTile(tile, counts, cause, isPlausible = true, others = 0, unexpected = 0) {
  const total = sumOf(counts) + others;
  const worst = worstOf(counts);
  const name = others && !departing(worst) ? "others" : SITE.standings[worst];
  tile.classList.add("tile", standingClass(name));
  if (departing(worst) && !isPlausible) tile.classList.add("unusual");
  const bar = make("span", "shares");
  bar.setAttribute("aria-hidden", "true");
  counts.forEach((count, k) => {
    if (!count) return;
    const share = make("i", `fill ${standingClass(SITE.standings[k])}`);
    share.style.flexGrow = count;
    bar.append(share);
  });
  if (others) {
    const rest = make("i", "others");
    rest.style.flexGrow = others;
    bar.append(rest);
  }
  const share = percent(departuresOf(counts) / total);
  const own = departing(worst) && counts[worst] < total ? percent(counts[worst] / total) : "";
  const what = make("span", "what", own ? `${name} ${own}` : name);
  if (unexpected) what.prepend(make("b", "unexpected", `${number(unexpected)} unexpected`), " ");
  tile.append(what, own && share !== own ? make("span", "share", share, make("span", "aside", " depart")) : "", bar);
  const told = SITE.standings.flatMap((each, k) => (counts[k] ? [`${number(counts[k])} ${each}`] : []));
  if (others) told.push(`${number(others)} departures of other kinds`);
  if (unexpected) told.unshift(`${number(unexpected)} UNEXPECTED`);
  const unusual = departing(worst) && !isPlausible ? `\nthe worst is ${SITE.unusual}` : "";
  tile.title = `${number(total)} case${total === 1 ? "" : "s"}: ${told.join(", ")}${cause ? `\n${line(cause)}` : ""}${unusual}`;
  return tile;
}

const severityName = (index) => make("span", `severity-name ${standingClass(SITE.standings[index])}`, SITE.standings[index]);

const kindName = (kind) => make("span", `kind c-${kind || "unexpected"}`, kind || "no known cause");

/** A release, or releases by device, in words. */
function releases(value, devices) {
  if (!value) return "";
  if (typeof value === "string") return value;
  const pairs = Object.entries(value).filter(([device]) => !devices || devices.includes(device));
  return pairs.map(([device, release]) => `${release} (${device})`).join(", ");
}

/** The family of a device's name: GPU of GPU.0, and what is below AUTO or BATCH. */
const familyOf = (device) => (device.includes(":") ? device.split(":")[1] : device).split(/[.(,]/)[0];

/** A release of a cause, on the device of a column. */
function releaseOn(value, column) {
  if (!value || typeof value === "string") return value || "";
  return value[familyOf(column.device)] ?? "";
}

/** A table with a header. Cells are nodes or texts; `classes` are those of the columns; the first cell names the row. */
function table(className, names, rows, classes = []) {
  const head = make("tr", "");
  names.forEach((name, k) => {
    const th = heading("col", name);
    if (classes[k]) th.className = classes[k];
    head.append(th);
  });
  const body = make("tbody", "");
  for (const row of rows) {
    const tr = make("tr", "");
    row.forEach((value, k) => {
      const cell = k === 0 ? heading("row", value) : make("td", "", value);
      if (classes[k]) cell.className = classes[k];
      if (k && names[k]) cell.dataset.label = names[k].textContent ?? names[k];
      tr.append(cell);
    });
    body.append(tr);
  }
  return make("table", className, make("thead", "", head), body);
}

/** A table that scrolls, with a button that saves it as CSV. */
function framed(found, label, isTall = false) {
  const frame = make("div", isTall ? "scroll tall" : "scroll", found);
  frame.setAttribute("role", "region");
  frame.setAttribute("aria-label", label);
  frame.tabIndex = 0;
  const save = button("copy", "CSV", () => saveAs(`${label}.csv`, csvOf(found)));
  save.setAttribute("aria-label", `Save as CSV: ${label}`);
  return make("div", "", frame, make("div", "table-tools", save));
}

/** A table as CSV. What a spreadsheet would take for a formula has an apostrophe before it. */
function csvOf(found) {
  const quoted = (text) => {
    const safe = /^[=+@-]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
    return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  return [...found.rows].map((row) => [...row.cells].map((cell) => {
    const said = cell.querySelector("[title]")?.title.split("\n")[0] ?? cell.innerText;
    return quoted(said.replace(/\s+/g, " ").trim());
  }).join(",")).join("\n");
}

function saveAs(name, text) {
  const saved = make("a", "");
  saved.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  saved.download = name.replace(/[^\w.-]+/g, "-");
  saved.click();
  setTimeout(() => URL.revokeObjectURL(saved.href), 1000);
}

/**
 * A choice of one value, kept in the address under `key`. Options are texts, or [value, text]; `also` gives what else a
 * value changes in the address.
 */
function chooser(label, key, options, all = "all", also = () => ({})) {
  const select = make("select", at[key] ? "active" : "");
  if (all !== null) select.append(new Option(all, ""));
  for (const option of options) {
    const [value, text] = Array.isArray(option) ? option : [option, option];
    select.append(new Option(short(line(text)), value));
  }
  select.value = at[key] ?? "";
  if (select.selectedIndex < 0) select.selectedIndex = 0;
  select.dataset.key = key;
  select.addEventListener("change", () => change({ [key]: select.value, ...also(select.value) }));
  const isWide = [...select.options].some((option) => option.text.length > WIDE_OPTION);
  return make("label", isWide ? "wide" : "", make("span", "", label), select);
}

/** A text that filters, kept in the address under `key`. */
function typed(label, key, placeholder) {
  const input = make("input", "");
  input.type = "search";
  input.placeholder = placeholder;
  input.value = at[key] ?? "";
  input.dataset.key = key;
  input.spellcheck = false;
  let typing = 0;
  input.addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(() => change({ [key]: input.value }), 150);
  });
  return make("label", "wide", make("span", "", label), input);
}

function filtersOf(label, ...fields) {
  const form = make("form", "filters", ...fields.filter(Boolean));
  form.setAttribute("aria-label", label);
  form.addEventListener("submit", (event) => event.preventDefault());
  const keys = [...form.querySelectorAll("[data-key]")].map((field) => field.dataset.key);
  const clear = button("", "Clear", () => change(Object.fromEntries(keys.map((key) => [key, ""]))));
  form.append(clear);
  return form;
}

const LONGEST_OPTION = 90; // characters
const WIDE_OPTION = 20;
const short = (text) => (text.length > LONGEST_OPTION ? `${text.slice(0, LONGEST_OPTION - 2)} …` : text);
const distinct = (values) => [...new Set(values)].filter((value) => value !== "");
const about = (...children) => make("p", "about", ...children);

/** Whether a text has every word, whatever the case. */
function hasWords(text, words) {
  const lower = text.toLowerCase();
  return words.toLowerCase().split(/\s+/).filter(Boolean).every((word) => lower.includes(word));
}

/** The name of a column, which leads to what is known of the device. */
const columnLink = (column) => link("", to("devices", { column: column.id }), line(column.label));

/** Columns to choose from for one thing, each with a tile of what it says of it. */
function columnChoice(columns, chosen, href, tileOf) {
  const list = make("ul", "columns");
  for (const column of columns) {
    const entry = link("", href(column), line(column.label), tileOf(column));
    if (column === chosen) entry.setAttribute("aria-current", "true");
    list.append(make("li", "", entry));
  }
  return list;
}

/** Say what is wrong in the place of a page. */
function problem(...text) {
  const found = make("p", "note bad", ...text);
  found.setAttribute("role", "alert");
  return found;
}

/** Say which page and columns of an address this site does not have: others are shown in their place. */
function unknownIn(address, page) {
  const columns = [address.column, address.base, ...(address.columns ?? "").split(",")];
  const unknown = distinct(columns.filter((id) => id !== undefined && !COLUMN_OF.has(id)));
  const missing = (what, name, end) => problem(`This site has no ${what} of the name `, line(short(name)), ", which the address has", end);
  const found = unknown.map((id) => missing("column", id, "."));
  if (address.page && address.page !== page) {
    found.unshift(missing("page", address.page, ": this is the matrix."));
  }
  return found;
}

// --- drawing ----------------------------------------------------------------------------------

let drawing = 0;

/** Draw the page of the address. What arrives for a page that was left is dropped. */
async function draw(keepsFocus = false) {
  const own = ++drawing;
  const address = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  const page = [PAGES, OTHERS].some((pages) => Object.hasOwn(pages, address.page ?? "")) ? address.page : "matrix";
  at = { ...address, page };
  const [place, drawPage] = Object.hasOwn(PAGES, page) ? [page, PAGES[page][1]] : OTHERS[page];
  for (const entry of element("pages").children) {
    if (entry.dataset.page === place) entry.setAttribute("aria-current", "page");
    else entry.removeAttribute("aria-current");
  }
  const focused = document.activeElement?.dataset?.key;
  let found;
  try {
    found = await drawPage(at);
  } catch (error) {
    found = [problem(error.message)];
  }
  if (own !== drawing) return;
  const main = element("main");
  main.replaceChildren(...unknownIn(address, page), ...found);
  const title = main.querySelector("h1")?.textContent ?? "";
  document.title = `${title} · OpenVINO layer conformance`;
  document.dispatchEvent(new CustomEvent("drawn"));
  if (!keepsFocus) {
    scrollTo(0, 0);
    return;
  }
  const field = focused && main.querySelector(`[data-key="${focused}"]`);
  if (field) {
    field.focus();
    if (field.tagName === "INPUT") field.setSelectionRange(field.value.length, field.value.length);
  }
}

/** Read the index, then draw. */
async function startSite() {
  try {
    SITE = await inflate(element("data").textContent);
  } catch (error) {
    element("main").replaceChildren(problem(error.message));
    return;
  }
  CAUSES = SITE.causes.map(causeFrom);
  CAUSE_OF = new Map(CAUSES.map((cause) => [cause.id, cause]));
  COLUMN_OF = new Map(SITE.columns.map((column) => [column.id, column]));
  OPERATION_OF = new Map(SITE.operations.map(([name], n) => [name, n]));
  for (const column of SITE.columns) {
    column.cellOf = new Map(column.cells.map((cell, n) => [cell[0], { ...cellFrom(cell), part: n }]));
    column.seenOf = new Map(column.seen.map(([cause, cases, severity, plausible]) => (
      [cause, { cases, severity, plausible }])));
  }
  for (const [page, [name]] of Object.entries(PAGES)) {
    const entry = link("", to(page), name);
    entry.dataset.page = page;
    element("pages").append(entry);
  }
  const look = () => { location.hash = to("search", { text: element("text").value }); };
  element("search").addEventListener("submit", (event) => {
    event.preventDefault();
    look();
  });
  let typing = 0;
  element("text").addEventListener("input", () => {
    clearTimeout(typing);
    // On the page of the search each letter is no step of the history.
    typing = setTimeout(() => (at.page === "search" ? change({ text: element("text").value }) : look()), 250);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("input, select, textarea")) return;
    event.preventDefault();
    element("text").focus();
  });
  addEventListener("hashchange", () => { forgetModel(); draw(); });
  document.querySelector(".skip").addEventListener("click", (event) => {
    event.preventDefault();
    element("main").focus();
  });
  draw();
}

const cellFrom = ([, counts, unexpected, cause, plausible]) => ({ counts, unexpected, cause, plausible });

addEventListener("DOMContentLoaded", startSite);
