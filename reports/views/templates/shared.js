"use strict";
// What the report of a run and the site share. Everything that comes from results is set as text only.

let DATA, NAMES, COLUMNS, COUNT;

/** The value that compressed JSON in base64 holds; rejects with what a reader is told where that is not possible. */
async function inflate(base64) {
  if (typeof DecompressionStream === "undefined") {
    throw new Error("This browser cannot decompress the cases that the page carries (it has no "
      + "DecompressionStream). Chromium 80, Firefox 113, Safari 16.4 and later can.");
  }
  const packed = atob(base64);
  const bytes = new Uint8Array(packed.length);
  for (let k = 0; k < packed.length; k++) bytes[k] = packed.charCodeAt(k);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
}

/** Make cases the ones that are shown. */
function adopt(data) {
  DATA = data;
  ({ names: NAMES, columns: COLUMNS } = DATA);
  COUNT = COLUMNS.case.length;
  for (const field of ["fraction", "seconds"]) {
    // JSON has no infinity: it is encoded as text.
    COLUMNS[field] = COLUMNS[field].map((value) => (value === null ? null : Number(value)));
  }
}

/** The value of a field of a case that has few distinct values. */
const nameOf = (field, n) => NAMES[field][COLUMNS[field][n]];

/** Whether the gate did not know a departure. */
const isRed = (gate) => DATA.red.includes(gate);

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
    /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
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

function heading(scope, text) {
  const th = make("th", "", text);
  th.scope = scope;
  return th;
}

function button(className, text, action) {
  const element = make("button", className, text);
  element.type = "button";
  element.addEventListener("click", action);
  return element;
}

/** A share as text: "" for none, and never 0% or 100% for what is not. */
function percent(share) {
  if (share === 0) return "";
  if (share < 0.01) return "<1%";
  return `${Math.min(Math.round(share * 100), share < 1 ? 99 : 100)}%`;
}

const outcomeLabel = (name) => (name === "COMPILED" ? "compiled, values not checked" : name);
const outcomeClass = (name) => "o-" + name.toLowerCase().replaceAll("_", "-");
