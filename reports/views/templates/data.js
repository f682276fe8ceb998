// The data of the report of a run, and the selection.

const FILTERS = ["category", "operation", "type", "opset", "purpose", "how", "outcome", "counted", "severity", "cause", "target"];

/** The filters; they are in the URL too, so that a link shows the same cases. */
const selection = { text: "", gate: "", page: 0, order: "departures" };
for (const field of FILTERS) selection[field] = "";

// The text filter searches all that the report shows of a case, in lower case; built when first needed.
const SEARCHED = [
  "detail", "layer", "reason", "cause_class", "since", "explained_by", "layer_xml", "outcome",
  "target", "how", "severity", "cause", "kernel", "precision", "worst",
];
let searched = null;

/** Lower-case texts of the distinct values of the fields, and of each case by itself. */
function searchedTexts() {
  const texts = {
    // As results have it and as the badge has it.
    outcome: (name) => `${name}\n${name.replaceAll("_", " ")}`,
    worst: (worst) => (worst === null ? "" : Object.values(worst).join("\n")),
  };
  const names = {};
  for (const field of SEARCHED) {
    names[field] = NAMES[field].map((name) => (texts[field]?.(name) ?? name).toLowerCase());
  }
  return {
    names,
    cases: COLUMNS.case.map((id) => id.toLowerCase()),
    fractions: COLUMNS.fraction.map(times),
  };
}

/** A condition on a case: that a word without spaces, in lower case, is in one of its texts. */
function hasWord(word) {
  searched ??= searchedTexts();
  const { names, cases, fractions } = searched;
  // Each distinct value is searched once, however many cases have it.
  const fields = [];
  for (const field of SEARCHED) {
    const found = names[field].map((text) => text.includes(word));
    if (found.includes(true)) fields.push([COLUMNS[field], found]);
  }
  return (n) => cases[n].includes(word) || fractions[n].includes(word)
    || fields.some(([column, found]) => found[column[n]]);
}

/** Numbers of the cases that pass the filters, with any gate. */
function filtered() {
  const conditions = [];
  for (const field of FILTERS) {
    if (selection[field] === "") continue;
    const column = COLUMNS[field];
    // Inputs may be of several types.
    const admitted = NAMES[field].map((name) => (
      field === "type" ? name.split(" ").includes(selection.type) : name === selection[field]));
    conditions.push((n) => admitted[column[n]]);
  }
  for (const word of selection.text.toLowerCase().split(/\s+/).filter(Boolean)) {
    conditions.push(hasWord(word));
  }
  const found = [];
  for (let n = 0; n < COUNT; n++) {
    if (conditions.every((condition) => condition(n))) found.push(n);
  }
  return found;
}

/** The fragment of the URL (after #) for a selection. */
function address(selected) {
  const parameters = new URLSearchParams();
  for (const [key, value] of Object.entries(selected)) {
    if (value !== "" && value !== 0 && value !== "departures") parameters.set(key, value);
    else if (key === "gate" && value === "departures") parameters.set(key, value);
  }
  return "#" + parameters.toString();
}

/** Set the selection from the URL. */
function readAddress() {
  const parameters = new URLSearchParams(location.hash.slice(1));
  for (const key of Object.keys(selection)) {
    const value = parameters.get(key);
    if (key === "page") selection.page = Math.max(0, Number.parseInt(value ?? "0", 10) || 0);
    else if (key === "order") selection.order = value ?? "departures";
    else selection[key] = value ?? "";
  }
}

/** The address of a case. */
const addressOf = (n) => address({
  text: COLUMNS.case[n],
  target: nameOf("target", n),
  gate: nameOf("gate", n),
});
