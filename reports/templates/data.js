"use strict";
// The page's data and what is selected of it. Everything that results brought is set as text only.

const DATA = JSON.parse(document.getElementById("data").textContent);
const { names: NAMES, columns: COLUMNS } = DATA;
const COUNT = COLUMNS.case.length;
const FILTERS = ["category", "operation", "opset", "purpose", "outcome", "target"];

for (const field of ["fraction", "seconds"]) {
  // JSON has no infinity: it comes as text.
  COLUMNS[field] = COLUMNS[field].map((value) => (value === null ? null : Number(value)));
}

/** Text that a field of a case stands for. */
const nameOf = (field, n) => NAMES[field][COLUMNS[field][n]];

/** What is selected; the address carries it, so that a selection can be sent to somebody. */
const selection = { text: "", gate: "", page: 0, order: "departures" };
for (const field of FILTERS) selection[field] = "";

const searched = new Array(COUNT);

/** Lower-case text of a case that the text filter looks into; made when first needed. */
function searchedText(n) {
  searched[n] ??= [
    COLUMNS.case[n],
    COLUMNS.detail[n],
    COLUMNS.asked[n],
    COLUMNS.reason[n],
    nameOf("kernel", n),
  ].join("\n").toLowerCase();
  return searched[n];
}

/** Places of the cases that the filters admit, whatever the gate makes of them. */
function filtered() {
  const wanted = [];
  for (const field of FILTERS) {
    if (selection[field] === "") continue;
    wanted.push([COLUMNS[field], NAMES[field].indexOf(selection[field])]);
  }
  const words = selection.text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = [];
  for (let n = 0; n < COUNT; n++) {
    if (wanted.every(([column, place]) => column[n] === place)) {
      if (words.length === 0 || words.every((word) => searchedText(n).includes(word))) found.push(n);
    }
  }
  return found;
}

/** The address's part after #, for a selection. */
function address(selected) {
  const parameters = new URLSearchParams();
  for (const [key, value] of Object.entries(selected)) {
    if (value !== "" && value !== 0 && value !== "departures") parameters.set(key, value);
    else if (key === "gate" && value === "departures") parameters.set(key, value);
  }
  return "#" + parameters.toString();
}

/** Take the selection from the address. */
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

/** One line of text: control characters and those that turn the direction of text spelled out. */
function line(text) {
  return text.replace(
    /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"),
  );
}

/** Text in lines, otherwise as `line` has it. */
const lines = (text) => text.split("\n").map(line).join("\n");

const grouped = new Intl.NumberFormat("en-US");
const number = (value) => grouped.format(value);

/** An error as a multiple of its bound. */
function times(fraction) {
  if (fraction === null) return "";
  // Results files have the largest number for an infinite one.
  if (!(fraction < 1e300)) return "∞";
  if (fraction >= 1e5 || (fraction > 0 && fraction < 1e-3)) return fraction.toExponential(0) + "×";
  if (fraction >= 100) return fraction.toFixed(0) + "×";
  // Close to the bound a digit more tells on which side.
  return fraction.toPrecision(Math.abs(fraction - 1) < 0.06 ? 3 : 2) + "×";
}
