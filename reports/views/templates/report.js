// Filters, list and paging: ties the parts together.

const PAGE = 50;
const titleOf = (gate) =>
  gate === "compiled" ? "Compiled, values not checked" : gate[0].toUpperCase() + gate.slice(1);
const element = (id) => document.getElementById(id);

/** Fill the filter of element types: a case with inputs of several types counts for each. */
function fillTypes() {
  const counts = new Map();
  for (const index of COLUMNS.type) {
    for (const name of NAMES.type[index].split(" ")) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const names = [...counts.keys()].filter(Boolean).sort();
  const options = names.map((name) => new Option(`${name} (${number(counts.get(name))})`, name));
  element("type").replaceChildren(new Option("all", ""), ...options);
}

/** Fill a filter with the values that occur, each with its count. */
function fillFilter(field) {
  const counts = new Array(NAMES[field].length).fill(0);
  for (const index of COLUMNS[field]) counts[index]++;
  const options = [new Option("all", "")];
  const groups = field === "cause" ? causeGroups() : null;
  NAMES[field].forEach((name, index) => {
    // An empty cause or severity is that of every case that has none.
    if (!counts[index] || ((field === "cause" || field === "severity") && name === "")) return;
    const option = new Option(`${short(line(name)) || "(none)"} (${number(counts[index])})`, name);
    if (groups === null) options.push(option);
    else groups.of(index).append(option);
  });
  if (groups !== null) options.push(...groups.all.filter((group) => group.children.length));
  element(field).replaceChildren(...options);
}

const LONGEST_OPTION = 90; // characters
const short = (text) => (text.length > LONGEST_OPTION ? text.slice(0, LONGEST_OPTION - 2) + " …" : text);

/** Groups of the options of causes: kinds of unexpected departures, and known causes. */
function causeGroups() {
  const [unexpected, known] = ["Unexpected", "Known"].map((label) => {
    const group = make("optgroup", "");
    group.label = label;
    return group;
  });
  const kinds = new Set();
  COLUMNS.cause.forEach((cause, n) => { if (isRed(nameOf("gate", n))) kinds.add(cause); });
  return { all: [unexpected, known], of: (cause) => (kinds.has(cause) ? unexpected : known) };
}

/** Change the selection, also in the URL, and draw again. */
function choose(changes) {
  Object.assign(selection, { page: 0 }, changes);
  history.replaceState(null, "", address(selection));
  draw();
  if ("operation" in changes || "page" in changes) element("cases").scrollIntoView();
}

let drawn = { filters: null };

/** Draw all that depends on the selection. */
function draw() {
  for (const field of FILTERS) {
    element(field).value = selection[field];
    element(field).classList.toggle("active", selection[field] !== "");
  }
  if (element("text").value !== selection.text) element("text").value = selection.text;
  element("order").value = selection.order;
  const filters = JSON.stringify([selection.order, selection.text, ...FILTERS.map((f) => selection[f])]);
  if (drawn.filters !== filters) {
    drawn = { filters, cases: filtered() };
    drawMatrix(drawn.cases, choose);
  }
  drawList(drawn.cases);
}

/** The gate shown: the one chosen, or the first that has cases. */
function shownGate(counts) {
  if (selection.gate !== "") return selection.gate;
  return NAMES.gate.find((_, index) => counts[index] > 0) ?? "all";
}

function drawList(cases) {
  const counts = new Array(NAMES.gate.length).fill(0);
  for (const n of cases) counts[COLUMNS.gate[n]]++;
  const gate = shownGate(counts);
  drawGates(counts, gate, cases.length);
  const index = NAMES.gate.indexOf(gate);
  const shown = index < 0 ? cases : cases.filter((n) => COLUMNS.gate[n] === index);
  const pages = Math.max(1, Math.ceil(shown.length / PAGE));
  const page = Math.min(selection.page, pages - 1);
  const here = shown.slice(page * PAGE, (page + 1) * PAGE);
  element("list").replaceChildren(...here.map(drawCase));
  element("list").start = page * PAGE + 1;
  if (here.length === 1) element("list").querySelector("details").open = true;
  element("count").textContent = shown.length === 1
    ? "1 case" : `${number(shown.length)} cases`;
  element("where").textContent = `page ${number(page + 1)} of ${number(pages)}`;
  element("before").disabled = page === 0;
  element("after").disabled = page === pages - 1;
  element("before").onclick = () => choose({ page: page - 1 });
  element("after").onclick = () => choose({ page: page + 1 });
}

function drawGates(counts, gate, total) {
  const tabs = NAMES.gate.map((name, index) => [name, titleOf(name), counts[index]]);
  tabs.push(["all", "All", total]);
  const had = document.activeElement?.dataset?.gate;
  element("gates").replaceChildren(...tabs.filter(([name, , count]) => count || name === gate).map(
    ([name, label, count]) => {
      const tab = button("tab g-" + name, label, () => choose({ gate: name }));
      tab.append(make("span", "", number(count)));
      tab.dataset.gate = name;
      tab.setAttribute("aria-pressed", String(name === gate));
      return tab;
    },
  ));
  if (had) element("gates").querySelector(`[data-gate="${had}"]`)?.focus();
}

/** Let the reader choose. */
function listen() {
  for (const field of FILTERS) {
    element(field).addEventListener("change", (event) => choose({ [field]: event.target.value }));
  }
  element("order").addEventListener("change", (event) => choose({ order: event.target.value }));
  let typing = 0;
  element("text").addEventListener("input", (event) => {
    clearTimeout(typing);
    typing = setTimeout(() => choose({ text: event.target.value }), 120);
  });
  element("filters").addEventListener("submit", (event) => event.preventDefault());
  element("filters").addEventListener("reset", (event) => {
    event.preventDefault();
    choose({ text: "", gate: "", ...Object.fromEntries(FILTERS.map((field) => [field, ""])) });
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("input, select, textarea")) return;
    event.preventDefault();
    element("text").focus();
  });
  // Nothing can be opened on paper: print the cases of the page shown with their details.
  addEventListener("beforeprint", () => {
    for (const details of document.querySelectorAll("#list details")) {
      details.open = true;
      unfold(details, Number(details.dataset.n));
    }
  });
  addEventListener("hashchange", () => {
    readAddress();
    draw();
    if (selection.cause !== "" || selection.text !== "") element("cases").scrollIntoView();
  });
}

/** Draw the page when its data is read, or say why it cannot be. */
async function start() {
  element("matrix").replaceChildren(make("p", "note", "Reading the cases …"));
  try {
    adopt(await inflate(element("data").textContent));
  } catch (error) {
    for (const id of ["filters", "overview", "cases"]) element(id).hidden = true;
    const problem = make("p", "note bad", `The cases cannot be shown. ${error.message}`);
    problem.setAttribute("role", "alert");
    document.querySelector("header").append(problem);
    return;
  }
  for (const field of FILTERS) (field === "type" ? fillTypes : fillFilter)(field);
  drawLegend();
  drawExamples();
  offerIssues();
  shortenCauses();
  readAddress();
  draw();
  listen();
}

start();
