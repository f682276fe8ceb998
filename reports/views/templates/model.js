"use strict";
const { layers, ranked } = JSON.parse(document.getElementById("data").textContent);
const $ = (id) => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 140, HEIGHT = 24, ACROSS = 160, DOWN = 46;
const picture = $("picture");
let chosen = -1, view = null, boxes = new Map(), rows = new Map();

function element(name, attributes, parent, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  if (parent) parent.append(made);
  return made;
}
const html = (name, text, parent, kind) => {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (kind) made.className = kind;
  if (parent) parent.append(made);
  return made;
};
const spot = (layer) => [layer.at[0] * ACROSS, layer.at[1] * DOWN];
const number = (value) => (value >= 1e300 ? "must be exact" : value >= 100 || value < 0.01 ? value.toPrecision(3) : value.toFixed(2));

function draw() {
  const all = document.createDocumentFragment();
  const edges = [];
  layers.forEach((layer) => {
    if (!layer.at) return;
    const [x, y] = spot(layer);
    for (const source of layer.i) {
      if (!layers[source].at) continue;
      const [a, b] = spot(layers[source]);
      const from = b + HEIGHT, middle = (from + y) / 2;
      edges.push(`M${a} ${from}C${a} ${middle} ${x} ${middle} ${x} ${y}`);
    }
  });
  element("path", { d: edges.join("") }, all);
  layers.forEach((layer, place) => {
    if (!layer.at) return;
    const [x, y] = spot(layer);
    const box = element("g", { class: layer.v, transform: `translate(${x - WIDTH / 2} ${y})` }, all);
    element("rect", { width: WIDTH, height: HEIGHT, rx: 5 }, box);
    element("text", { x: 8, y: 16 }, box, layer.o.length > 22 ? layer.o.slice(0, 21) + "…" : layer.o);
    box.dataset.place = place;
    boxes.set(place, box);
  });
  picture.append(all);
}

function show() { picture.setAttribute("viewBox", view.join(" ")); }
function whole() {
  const spots = layers.filter((l) => l.at).map(spot);
  if (!spots.length) { view = [0, 0, 100, 100]; return show(); }
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [x, y] of spots) { left = Math.min(left, x); right = Math.max(right, x); top = Math.min(top, y); bottom = Math.max(bottom, y); }
  view = [left - WIDTH, top - DOWN, right - left + 2 * WIDTH, bottom - top + 2 * DOWN];
  show();
}
function near(place) {
  if (!layers[place].at) return;
  const [x, y] = spot(layers[place]);
  const { width, height } = picture.getBoundingClientRect();
  view = [x - width / 2, y - height / 2, width, height];
  show();
}
function zoom(factor, x, y) {
  const box = picture.getBoundingClientRect();
  const scale = Math.max(view[2] / box.width, view[3] / box.height);
  const at = x === undefined ? [view[0] + view[2] / 2, view[1] + view[3] / 2]
    : [view[0] + view[2] / 2 + (x - box.left - box.width / 2) * scale, view[1] + view[3] / 2 + (y - box.top - box.height / 2) * scale];
  view = [at[0] + (view[0] - at[0]) * factor, at[1] + (view[1] - at[1]) * factor, view[2] * factor, view[3] * factor];
  show();
}

function verdict(one) {
  if (!one) return "";
  const parts = [one.o];
  if (one.d) parts.push(one.d);
  if (one.f !== undefined && one.f > 0) parts.push(one.f >= 1e300 ? "no error is allowed" : `${number(one.f)} of the bound`);
  if (one.k) parts.push(`kernel ${one.k}${one.p ? " in " + one.p : ""}`);
  return parts.join("; ");
}
function choose(place, move) {
  if (boxes.has(chosen)) boxes.get(chosen).classList.remove("chosen");
  if (rows.has(chosen)) rows.get(chosen).classList.remove("chosen");
  chosen = place;
  const layer = layers[place], box = $("layer");
  if (boxes.has(place)) boxes.get(place).classList.add("chosen");
  if (rows.has(place)) rows.get(place).classList.add("chosen");
  box.replaceChildren();
  html("h3", `${layer.o}: ${layer.t}`, box);
  const list = html("dl", undefined, box);
  const facts = [
    ["in place", verdict(layer.p)], ["alone", verdict(layer.l)],
    ["group", layer.m ? layer.m.map((each) => `${layers[each].o} ${layers[each].t}`).join(", ") : ""],
    ["effect", layer.e === undefined ? "" : `moves the results by ${number(layer.e)} of their largest value${layer.x ? "; another element is the largest" : ""}`],
    ["cause", layer.c ? `${layer.c}: ${layer.ct}` : ""], ["known as", layer.w], ["not judged", layer.u], ["note", layer.n], ["like", layer.k],
    ["inputs", layer.s], ["attributes", Object.entries(layer.a).map((each) => each.join("=")).join(", ")],
    ["folder", layer.f ? `python ${layer.f}/reproduce.py` : ""],
  ];
  for (const [name, text] of facts) if (text) { html("dt", name, list); html("dd", text, list); }
  const counts = (layer.p || {}).h || (layer.l || {}).h;
  if (counts) {
    html("p", "Elements by their errors as fractions of the bound", box, "caption");
    bars(element("svg", { class: "bars", role: "img", "aria-label": "Elements by error" }, box), counts);
  }
  if (move) near(place);
}

const MOST = 300;
function fill() {
  const text = $("search").value.toLowerCase(), kind = $("kind").value, body = $("rows");
  const first = new Set(ranked);
  const order = [...ranked, ...layers.keys()].filter((each, at) => at < ranked.length || !first.has(each));
  const found = order.filter((each) => {
    const layer = layers[each];
    return (!kind || layer.v === kind) && (!text || `${layer.t} ${layer.o}`.toLowerCase().includes(text));
  });
  const all = document.createDocumentFragment();
  rows = new Map();
  for (const place of found.slice(0, MOST)) {
    const layer = layers[place], row = html("tr", undefined, all), worst = layer.p || layer.l || {};
    row.tabIndex = 0;
    row.dataset.place = place;
    html("td", layer.t, row);
    html("td", layer.o, row);
    html("td", layer.p ? layer.p.o : layer.v === "inside" ? "in a group" : "", row, layer.v);
    html("td", layer.l ? layer.l.o : layer.k ? "alike" : "", row);
    html("td", worst.w ? `${worst.w.toLocaleString("en")} of ${worst.n.toLocaleString("en")}` : "", row);
    html("td", worst.f === undefined ? "" : number(worst.f), row);
    html("td", worst.k ? `${worst.k}${worst.p ? " " + worst.p : ""}` : "", row);
    html("td", layer.c || "", row);
    rows.set(place, row);
  }
  body.replaceChildren(all);
  $("count").textContent = found.length > MOST ? `${MOST} of ${found.length} layers; search for others` : `${found.length} layers`;
}

const LEAST = -8, MOST_DECADE = 3;
function bars(chart, counts) {
  const highest = Math.max(1, ...counts), width = 40;
  chart.setAttribute("viewBox", `0 0 ${counts.length * width} 130`);
  counts.forEach((count, at) => {
    const bin = at + LEAST, high = (90 * count) / highest, x = at * width;
    element("rect", { x: x + 3, y: 105 - high, width: width - 6, height: high, class: bin >= 0 ? "over" : "" }, chart);
    if (count) element("text", { x: x + width / 2, y: 100 - high, "text-anchor": "middle" }, chart, count.toLocaleString("en"));
    const name = bin === LEAST ? "0" : bin === LEAST + 1 ? "<1e-6" : bin === MOST_DECADE ? `≥1e${bin}` : `1e${bin}`;
    element("text", { x: x + width / 2, y: 120, "text-anchor": "middle" }, chart, name);
  });
}
function histogram() {
  const counts = new Array(MOST_DECADE - LEAST + 1).fill(0);
  for (const layer of layers) {
    const fraction = (layer.p || layer.l || {}).f;
    if (fraction === undefined) continue;
    counts[fraction === 0 ? 0 : Math.max(1, Math.min(counts.length - 1, Math.floor(Math.log10(fraction)) - LEAST))]++;
  }
  bars($("histogram"), counts);
}

draw(); whole(); fill(); histogram();
let turn = 0;
if (ranked.length) choose(ranked[0], true); else if (layers.length) choose(layers.findIndex((l) => l.at) < 0 ? 0 : layers.findIndex((l) => l.at), false);
$("first").onclick = () => { turn = 0; if (ranked.length) choose(ranked[0], true); };
$("next").onclick = () => { if (ranked.length) choose(ranked[(turn = (turn + 1) % ranked.length)], true); };
$("first").disabled = $("next").disabled = !ranked.length;
$("whole").onclick = whole;
$("in").onclick = () => zoom(0.7);
$("out").onclick = () => zoom(1.4);
$("search").oninput = $("kind").onchange = fill;
$("rows").onclick = (event) => { const row = event.target.closest("tr"); if (row) choose(+row.dataset.place, true); };
$("rows").onkeydown = (event) => { if (event.key === "Enter") choose(+event.target.dataset.place, true); };
picture.addEventListener("wheel", (event) => { event.preventDefault(); zoom(event.deltaY > 0 ? 1.15 : 0.87, event.clientX, event.clientY); }, { passive: false });
const pointers = new Map();
let dragged = 0, apart = 0;
picture.onpointerdown = (event) => { pointers.set(event.pointerId, [event.clientX, event.clientY]); dragged = 0; };
picture.onpointermove = (event) => {
  if (!pointers.has(event.pointerId)) return;
  const before = pointers.get(event.pointerId), now = [event.clientX, event.clientY];
  pointers.set(event.pointerId, now);
  dragged += Math.abs(now[0] - before[0]) + Math.abs(now[1] - before[1]);
  if (pointers.size === 1) {
    const box = picture.getBoundingClientRect(), scale = Math.max(view[2] / box.width, view[3] / box.height);
    view[0] -= (now[0] - before[0]) * scale; view[1] -= (now[1] - before[1]) * scale;
    show();
  } else {
    const [one, two] = [...pointers.values()], distance = Math.hypot(one[0] - two[0], one[1] - two[1]);
    if (apart) zoom(apart / distance, (one[0] + two[0]) / 2, (one[1] + two[1]) / 2);
    apart = distance;
  }
};
picture.onpointerup = picture.onpointercancel = picture.onpointerleave = (event) => {
  pointers.delete(event.pointerId);
  apart = 0;
  const box = event.type === "pointerup" && dragged < 6 ? event.target.closest("g") : null;
  if (box) choose(+box.dataset.place, false);
};
