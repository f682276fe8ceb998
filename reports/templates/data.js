"use strict";
// The page's data and the selection. Everything that comes from results is set as text only.

let DATA, NAMES, COLUMNS, COUNT;
const FILTERS = ["category", "operation", "type", "opset", "purpose", "how", "outcome", "severity", "cause", "target"];

/** Read the page's data; rejects with what a reader is told where that is not possible. */
async function unpack() {
  if (typeof DecompressionStream === "undefined") {
    throw new Error("This browser cannot decompress the cases that the page carries (it has no "
      + "DecompressionStream). Chromium 80, Firefox 113, Safari 16.4 and later can.");
  }
  const packed = atob(document.getElementById("data").textContent);
  const bytes = new Uint8Array(packed.length);
  for (let k = 0; k < packed.length; k++) bytes[k] = packed.charCodeAt(k);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  DATA = await new Response(stream).json();
  ({ names: NAMES, columns: COLUMNS } = DATA);
  COUNT = COLUMNS.case.length;
  for (const field of ["fraction", "seconds"]) {
    // JSON has no infinity: it is encoded as text.
    COLUMNS[field] = COLUMNS[field].map((value) => (value === null ? null : Number(value)));
  }
}

/** The value of a field of a case that has few distinct values. */
const nameOf = (field, n) => NAMES[field][COLUMNS[field][n]];

/** The filters; they are in the URL too, so that a link shows the same cases. */
const selection = { text: "", gate: "", page: 0, order: "departures" };
for (const field of FILTERS) selection[field] = "";

// The text filter searches all that the page shows of a case, in lower case; built when first needed.
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
