// One case: its line in the list, and all its details, built when it is opened.

/** The line of a case and, once opened, its details. */
function drawCase(n) {
  const outcome = nameOf("outcome", n);
  const fraction = COLUMNS.fraction[n];
  const [operation, ...rest] = COLUMNS.case[n].split("/");
  const summary = make(
    "summary",
    "",
    make("span", "badge " + outcomeClass(outcome), outcome.replaceAll("_", " ")),
    make("span", "id", make("b", "", line(operation)), ...breakable(["", ...rest].join("/"))),
    make("span", "on", line(nameOf("target", n))),
    make("span", fraction > 1 ? "worst bad" : "worst", howWrong(n)),
    make("span", "detail", line(nameOf("detail", n))),
  );
  const details = make("details", "case", summary);
  details.dataset.n = n;
  details.addEventListener("toggle", () => unfold(details, n));
  return make("li", "", details);
}

/** The worst error as a multiple of its bound; where none is allowed, how many elements are wrong. */
function howWrong(n) {
  const text = times(COLUMNS.fraction[n]);
  const [wrong, elements] = [COLUMNS.wrong[n], COLUMNS.elements[n]];
  return text === "∞" && wrong && elements ? `${number(wrong)} of ${number(elements)}` : text;
}

/** A case id's text with line breaks allowed after its separators. */
function breakable(text) {
  return line(text).split(/(?<=[/,;])/).flatMap((part) => [part, make("wbr", "")]);
}

/** Fill an opened case, once. */
function unfold(details, n) {
  if (!details.open || details.querySelector(".body")) return;
  const evidence = DATA.evidence[n] ?? {};
  const body = make("div", "body", facts(n, evidence));
  for (const picture of evidence.pictures ?? []) body.append(drawPicture(picture));
  body.append(drawModel(n, evidence), commands(n, evidence));
  details.append(body);
}

/** The layer, the expected and the actual result. */
function facts(n, evidence) {
  const list = make("dl", "facts");
  const add = (name, ...values) => {
    if (values.some((value) => value !== "" && value !== null)) {
      list.append(make("div", "", make("dt", "", name), make("dd", "", ...values)));
    }
  };
  const code = (text) => (text === "" ? "" : make("code", "", line(text)));
  const worst = nameOf("worst", n);
  add("Layer", code(nameOf("layer", n)));
  add("How", nameOf("how", n) === "usual" ? "" : code(nameOf("how", n)));
  add("Result", nameOf("detail", n) === "" ? "" : make("span", "text", lines(nameOf("detail", n))));
  if (worst !== null) {
    add(
      "Worst element",
      code(`output ${worst.output} at ${worst.index}`),
      ": actual ", code(worst.actual),
      ", expected ", code(worst.expected),
      worst.low === worst.high ? ", bit for bit" : ", allowed ",
      worst.low === worst.high ? "" : code(`${worst.low} … ${worst.high}`),
    );
  }
  const wrong = [];
  const fraction = COLUMNS.fraction[n];
  if (COLUMNS.wrong[n] !== null) {
    wrong.push(`${number(COLUMNS.wrong[n])} of ${number(COLUMNS.elements[n] ?? 0)} elements wrong`);
  }
  if (fraction !== null) {
    const infinite = times(fraction) === "∞";
    wrong.push(infinite ? "an error where none is allowed, or an infinite error"
      : `the worst error is ${times(fraction)} the bound`);
  }
  const open = COLUMNS.open[n];
  if (open) wrong.push(`${number(open)} ${open === 1 ? "element differs" : "elements differ"} where the page is silent`);
  add("Error", wrong.join("; "));
  const pack = COLUMNS.pack_size[n];
  const kernel = code(nameOf("kernel", n));
  const precision = code(nameOf("precision", n));
  add("Kernel", kernel, kernel && precision ? " in " : "", precision);
  const ran = [];
  if (pack === 1) ran.push("compiled alone");
  if (pack > 1) ran.push(`compiled with ${number(pack - 1)} other${pack === 2 ? "" : "s"}`);
  if (COLUMNS.seconds[n]) ran.push(`${(COLUMNS.seconds[n] * 1000).toPrecision(3)} ms`);
  add("Run", ran.join(", "));
  const [kind, since] = [nameOf("cause_class", n), nameOf("since", n)];
  add(
    "Cause",
    nameOf("reason", n) === "" ? "" : make("span", "text", lines(nameOf("reason", n))),
    kind === "" ? "" : make("small", "", ` ${line(kind)}${since === "" ? "" : `, since ${line(since)}`}`),
  );
  add("Explained by", code(nameOf("explained_by", n)));
  for (const other of DATA.conflicts[n] ?? []) {
    add("Conflict", `${other.outcome} in another file: `, line(other.detail));
  }
  add("Pictures", evidence.problem ?? "");
  return list;
}

/** Which elements of an output are wrong, and by how much. */
function drawPicture(picture) {
  const title = make("h3", "", `${picture.where} `, make("code", "", line(picture.name)), " ",
    make("code", "", `${picture.type}[${picture.shape}]`));
  if (picture.instead !== undefined) {
    return make("section", "output", title, make("p", "", `The actual output is ${picture.instead}.`));
  }
  title.append(make("span", "share", `${number(picture.wrong)} of ${number(picture.of)} wrong`));
  return make("section", "output", title,
    make("div", "pictures", drawMap(picture),
      make("div", "numbers", drawHistogram(picture), drawWorst(picture))));
}

// Width and height in pixels that a slice may take, up to a number of slices.
const ROOM = [[512, 320, 1], [200, 180, 4], [120, 120, 12], [64, 64, Infinity]];

/** The heat map of an output, a canvas per slice, and a line about the cell under the pointer. */
function drawMap(picture) {
  const { map } = picture;
  const [rowStep, columnStep] = map.step;
  const high = Math.ceil(map.rows / rowStep);
  const wide = Math.ceil(map.columns / columnStep);
  const [width, height] = ROOM.find(([, , slices]) => map.slices.length <= slices);
  const side = Math.max(2, Math.min(18, Math.floor(width / wide), Math.floor(height / high)));
  const readout = make("p", "readout", describeMap(picture));
  const slices = make("div", map.slices.length > 12 ? "slices many" : "slices");
  for (const slice of map.slices) {
    const levels = Uint8Array.from(atob(slice.cells), (c) => c.charCodeAt(0));
    const canvas = make("canvas", "");
    canvas.width = Math.max(1, wide) * side;
    canvas.height = Math.max(1, high) * side;
    canvas.setAttribute("role", "img");
    const where = slice.index.length ? `[${slice.index.join(", ")}, …]` : "";
    canvas.setAttribute("aria-label", `Slice ${where || "of the whole output"}: ${slice.wrong} wrong`);
    paint(canvas, levels, wide, side);
    canvas.addEventListener("pointermove", (event) => {
      const row = Math.floor((event.offsetY / canvas.clientHeight) * high);
      const column = Math.floor((event.offsetX / canvas.clientWidth) * wide);
      const level = levels[row * wide + column];
      if (level === undefined) return;
      readout.textContent = `${cellName(map, slice, row, column)}: ${meaning(level, picture.exact)}`;
    });
    canvas.addEventListener("pointerleave", () => { readout.textContent = describeMap(picture); });
    slices.append(make("figure", "", canvas, where ? make("figcaption", "", where) : null));
  }
  return make("div", "map", make("h4", "", "Wrong elements"), colourKey(picture), slices, readout);
}

const SILENT = 1;
const WITHIN = 127;

/** Colours for light and dark backgrounds: grey equal, blue within the bound, red outside. */
function paint(canvas, levels, wide, side) {
  const pen = canvas.getContext("2d");
  const gap = side > 5 ? 1 : 0;
  levels.forEach((level, k) => {
    pen.fillStyle = colour(level);
    pen.fillRect((k % wide) * side, Math.floor(k / wide) * side, side - gap, side - gap);
  });
}

/** The legend of a heat map. */
function colourKey(picture) {
  const key = make("p", "key");
  const levels = picture.exact
    ? [["equal", 0], ["differs", 255]]
    : [["equal", 0], ["within the bound", 80], ["outside", 128], ["64× or not finite", 255]];
  if (picture.open) levels.push(["the page is silent", SILENT]);
  for (const [text, level] of levels) {
    const swatch = make("canvas", "");
    swatch.width = swatch.height = 10;
    paint(swatch, [level], 1, 10);
    key.append(make("span", "", swatch, text));
  }
  return key;
}

function colour(level) {
  if (level === 0) return "rgba(128, 132, 140, 0.18)";
  if (level === SILENT) return "rgba(150, 110, 190, 0.55)";
  if (level <= WITHIN) return `rgba(58, 120, 200, ${0.25 + (0.5 * level) / WITHIN})`;
  const heat = Math.min(1, (level - WITHIN - 1) / 48);
  return `hsl(${38 - 38 * heat}, 92%, ${56 - 12 * heat}%)`;
}

/** Index, or range of indices, of a cell. */
function cellName(map, slice, row, column) {
  const [rowStep, columnStep] = map.step;
  const span = (start, step, end) => {
    const last = Math.min(start + step, end) - 1;
    return last > start ? `${start}…${last}` : `${start}`;
  };
  const columns = span(column * columnStep, columnStep, map.columns);
  const rows = span(row * rowStep, rowStep, map.rows);
  if (map.folded) return `row ${rows} of ${map.columns}, column ${columns}`;
  return `[${[...slice.index, ...(map.flat ? [] : [rows]), columns].join(", ")}]`;
}

function meaning(level, exact) {
  if (level === 0) return "equal";
  if (level === SILENT) return "differs where the specification is silent";
  if (exact) return "differs; must be equal bit for bit";
  if (level <= WITHIN) return `within the bound, up to ${(level / WITHIN).toFixed(2)} of it`;
  if (level === 255) return "far outside the bound, or not finite";
  return `outside the bound, about ${times(2 ** ((level - WITHIN - 1) / 8))}`;
}

function describeMap({ map }) {
  const parts = [];
  const [rowStep, columnStep] = map.step;
  if (rowStep * columnStep > 1) parts.push(`a cell is the worst of ${rowStep} × ${columnStep} elements`);
  if (map.folded) parts.push(`one dimension, in rows of ${map.columns}`);
  if (map.slices.length < map.of) parts.push(`${map.slices.length} of ${number(map.of)} slices`);
  if (map.others > 0) parts.push(`${number(map.others)} more slices have wrong elements`);
  return parts.length ? parts.join("; ") + "." : "Point at a cell to see its index.";
}

/** Counts of elements by error, on a log scale, as a table for screen readers too. */
function drawHistogram(picture) {
  const most = Math.max(...picture.histogram.map((bin) => bin.count), 1);
  const body = make("tbody", "");
  for (const bin of picture.histogram) {
    const bar = make("i", bin.wrong ? "beyond" : "inside");
    bar.style.width = bin.count ? `${4 + (96 * Math.log1p(bin.count)) / Math.log1p(most)}%` : "0";
    const tr = make("tr", bin.wrong ? "wrong" : "", heading("row", bin.label),
      make("td", "track", bar), make("td", "number", bin.count ? number(bin.count) : "·"));
    body.append(tr);
  }
  const title = picture.exact ? "Errors, by size" : "Errors against the bound";
  return make("div", "", make("h4", "", title), make("table", "histogram", body));
}

/** The worst elements. */
function drawWorst(picture) {
  const head = make("tr", "");
  for (const name of ["index", "actual", "expected", picture.exact ? "" : "allowed", ""]) {
    if (name !== "" || !picture.exact) head.append(heading("col", name));
  }
  const body = make("tbody", "");
  for (const one of picture.worst) {
    const tr = make("tr", "", make("td", "", `[${one.index.join(", ")}]`),
      make("td", "bad", line(one.actual)), make("td", "", line(one.expected)));
    if (!picture.exact) {
      tr.append(make("td", "", `${one.low} … ${one.high}`), make("td", "", times(one.times ?? Infinity)));
    }
    body.append(tr);
  }
  const table = make("table", "elements", make("thead", "", head), body);
  const scroll = make("div", "scroll", table);
  return make("div", "elements", make("h4", "", "Worst elements"), scroll);
}

/** The IR, the layer under test highlighted. */
function drawModel(n, evidence) {
  const { lines, first, end } = evidence.model
    ?? { lines: nameOf("layer_xml", n).split("\n"), first: 0, end: 0 };
  if (lines.join("") === "") return "";
  const code = make("code", "");
  let marked = null;
  lines.forEach((text, k) => {
    if (k === first && end > first) marked = make("mark", "");
    (marked ?? code).append(...coloured(text), "\n");
    if (marked && k === end - 1) {
      code.append(marked);
      marked = null;
    }
  });
  if (marked) code.append(marked);
  const pre = make("pre", "xml", code);
  pre.tabIndex = 0;
  const title = evidence.model ? "Model, layer highlighted" : "Layer";
  const section = make("section", "model", make("h3", "", title), pre);
  // Scroll to the layer after the text is laid out.
  requestAnimationFrame(() => {
    const mark = pre.querySelector("mark");
    if (mark) pre.scrollTop = mark.offsetTop - pre.offsetTop - 24;
  });
  return section;
}

/** Spans of an XML line: names of elements and attributes, values. */
function coloured(text) {
  const parts = [];
  for (const [piece] of text.matchAll(/<\/?[\w:]+|[\w:-]+(?==["'])|"[^"]*"|'[^']*'|[^<"'\w]+|[\s\S]/g)) {
    if (piece.startsWith("<") && piece.length > 1) parts.push(make("span", "x-tag", piece));
    else if (/^["']./.test(piece)) parts.push(make("span", "x-value", piece));
    else parts.push(piece);
  }
  return parts;
}

/** A button that copies a text. Without access to the clipboard the element that shows the text is selected. */
function copyButton(label, text, shown) {
  const copy = button("copy", label, () => {
    if (shown === null) {
      // Nothing shows it yet: below the button, for those who cannot copy.
      shown = make("pre", "issue", lines(text));
      copy.after(shown);
    }
    getSelection().selectAllChildren(shown);
    const told = navigator.clipboard?.writeText(text) ?? Promise.reject();
    told.then(
      () => { copy.textContent = "Copied"; },
      () => { copy.textContent = "Selected"; },
    );
  });
  return copy;
}

/** How to reproduce it. */
function commands(n, evidence) {
  const { command, node } = DATA.commands[COLUMNS.target[n]];
  const section = make("section", "commands", make("h3", "", "Reproduce"));
  const add = (what, text) => {
    const code = make("code", "", text);
    const copy = copyButton("Copy", text, code);
    const shown = make("pre", "", code);
    shown.tabIndex = 0; // long commands scroll
    section.append(make("div", "command", make("span", "", what), shown, copy));
  };
  if (evidence.command) add("with openvino and numpy only", evidence.command);
  const quoted = (node + COLUMNS.case[n]).replaceAll("'", "'\\''");
  add("with the suite, in its checkout", `${command} '${quoted}'`);
  const link = make("a", "", "Link to this case");
  link.href = addressOf(n);
  section.append(make("p", "", link));
  return section;
}
