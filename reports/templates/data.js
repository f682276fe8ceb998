"use strict";
// The page's data and the selection. Everything that comes from results is set as text only.

const DATA = JSON.parse(document.getElementById("data").textContent);
const { names: NAMES, columns: COLUMNS } = DATA;
const COUNT = COLUMNS.case.length;
const FILTERS = ["category", "operation", "opset", "purpose", "how", "outcome", "cause", "target"];

for (const field of ["fraction", "seconds"]) {
  // JSON has no infinity: it is encoded as text.
  COLUMNS[field] = COLUMNS[field].map((value) => (value === null ? null : Number(value)));
}

/** The value of a field of a case, as text. */
const nameOf = (field, n) => NAMES[field][COLUMNS[field][n]];

/** The filters; they are in the URL too, so that a link shows the same cases. */
const selection = { text: "", gate: "", page: 0, order: "departures" };
for (const field of FILTERS) selection[field] = "";

const searched = new Array(COUNT);

/** Lower-case text of all that the page shows of a case, which the text filter searches; built when first needed. */
function searchedText(n) {
  const worst = COLUMNS.worst[n];
  searched[n] ??= [
    COLUMNS.case[n],
    COLUMNS.detail[n],
    COLUMNS.layer[n],
    COLUMNS.reason[n],
    COLUMNS.cause_class[n],
    COLUMNS.since[n],
    COLUMNS.explained_by[n],
    COLUMNS.layer_xml[n],
    nameOf("outcome", n),
    // As the badge has it.
    nameOf("outcome", n).replaceAll("_", " "),
    nameOf("target", n),
    nameOf("how", n),
    nameOf("cause", n),
    nameOf("kernel", n),
    nameOf("precision", n),
    times(COLUMNS.fraction[n]),
    ...(worst === null ? [] : Object.values(worst)),
  ].join("\n").toLowerCase();
  return searched[n];
}

/** Numbers of the cases that pass the filters, with any gate. */
function filtered() {
  const conditions = [];
  for (const field of FILTERS) {
    if (selection[field] === "") continue;
    conditions.push([COLUMNS[field], NAMES[field].indexOf(selection[field])]);
  }
  const words = selection.text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = [];
  for (let n = 0; n < COUNT; n++) {
    if (conditions.every(([column, index]) => column[n] === index)) {
      if (words.length === 0 || words.every((word) => searchedText(n).includes(word))) found.push(n);
    }
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

/** An element with text or children. */
function make(tag, className, ...children) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...children.filter((child) => child !== null && child !== ""));
  return element;
}

/** One line of text: control characters and bidirectional marks are escaped. */
function line(text) {
  return text.replace(
    /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"),
  );
}

/** Text of several lines, each escaped like `line` does. */
const lines = (text) => text.split("\n").map(line).join("\n");

const grouped = new Intl.NumberFormat("en-US");
const number = (value) => grouped.format(value);

/** An error as a multiple of its bound. */
function times(fraction) {
  if (fraction === null) return "";
  if (fraction === 0) return "0×";
  // Results files have the largest double for infinity.
  if (!(fraction < 1e300)) return "∞";
  if (fraction >= 1e5 || (fraction > 0 && fraction < 1e-3)) return fraction.toExponential(0) + "×";
  if (fraction >= 100) return fraction.toFixed(0) + "×";
  // Near the bound one digit more shows the side.
  return fraction.toPrecision(Math.abs(fraction - 1) < 0.06 ? 3 : 2) + "×";
}
