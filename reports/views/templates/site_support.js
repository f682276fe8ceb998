// What runs where: operation × type × device, and the layers of a model file, by the cells of docs/support.md.

const TYPE_ROW = "type ";
const BETWEEN = "|";
let MODEL = null; // the file that was dropped: its name and layers, or what is wrong with it; and where it is shown

const stateClass = (state) => `st-${state.replaceAll(" ", "-")}`;
const rankOf = (state) => SITE.states.indexOf(state);
const isGood = (state) => state === "conforms" || state === "compiles";
const GOOD = "each cell conforms"; // of cells that need not have been asked together

/** The support of a column, each row and value apart; read once. */
const unpackedSupport = new WeakMap();

function supportOf(part) {
  if (!unpackedSupport.has(part)) {
    const operations = new Map(Object.entries(part.operations).map(([name, one]) => {
      const rows = new Map();
      for (const [keys, states] of Object.entries(one.cells)) {
        for (const row of keys.split(BETWEEN)) {
          const values = rows.get(row) ?? new Map();
          for (const [state, cells] of Object.entries(states)) {
            for (const [names, cell] of Object.entries(cells)) {
              for (const value of names.split(BETWEEN)) values.set(value, { state, asked: cell[0] ?? 0, departing: cell[1] ?? 0, causes: cell[2] ?? [], besides: cell[3] ?? [], worst: cell[4] });
            }
          }
          rows.set(row, values);
        }
      }
      for (const [keys, names] of Object.entries(one.not_asked ?? {})) {
        for (const row of keys.split(BETWEEN)) {
          const values = rows.get(row) ?? new Map();
          for (const value of names) values.set(value, { state: "not asked", asked: 0, departing: 0, causes: [] });
          rows.set(row, values);
        }
      }
      const crossings = one.crossings.map(([cells, state, cases, causes]) => ({
        cells: cells.map((cell) => [cell.slice(0, cell.indexOf("=")), cell.slice(cell.indexOf("=") + 1).split(BETWEEN)]),
        state, cases, causes: causes ?? [],
      }));
      return [name, { rows, crossings }];
    }));
    unpackedSupport.set(part, { operations, causes: part.causes });
  }
  return unpackedSupport.get(part);
}

/** What support says of some cells together: the worst of them and of their crossings, and which cells say so. */
function stateTogether(operation, cells) {
  const own = new Map(cells);
  const parts = cells.map(([row, value]) => ({
    name: `${row}=${value}`, ...(operation.rows.get(row)?.get(value) ?? { state: "not asked", asked: 0, departing: 0, causes: [] }),
  }));
  for (const crossing of operation.crossings) {
    if (crossing.cells.every(([row, values]) => values.includes(own.get(row)))) {
      const name = crossing.cells.map(([row]) => `${row}=${own.get(row)}`).join(" with ");
      parts.push({ name, state: crossing.state, asked: crossing.cases, departing: crossing.cases, causes: crossing.causes });
    }
  }
  const departs = parts.filter((part) => !isGood(part.state) && part.state !== "not asked");
  const unasked = parts.filter((part) => part.state === "not asked");
  const deciding = departs.length ? departs : unasked.length ? unasked : parts;
  const worst = deciding.reduce((a, b) => (rankOf(b.state) > rankOf(a.state) ? b : a), deciding[0] ?? { state: "not asked" });
  return { state: worst.state, of: deciding.filter((part) => part.state === worst.state) };
}

/** What the departing cases of a mixed cell have besides it: no case has the cell alone. */
const withBesides = (part) => (part.besides?.length ? `; ${part.worst} with ${part.besides.join(", ")}` : "");

/** Floating-point types first, then integers, each by its bits. */
function byType(a, b) {
  const order = (type) => {
    const [, kind, bits] = /^(bf|f|i|u)(\d+)$/.exec(type) ?? [];
    return kind ? ["f", "bf", "i", "u"].indexOf(kind) * 100 + Number(bits) : 900;
  };
  return order(a) - order(b) || (a < b ? -1 : 1);
}

/** The values of the rows of types of an operation, those of the first row first. */
function typesOf(operation) {
  const rows = [...operation.rows.keys()].filter((row) => row.startsWith(TYPE_ROW));
  return rows.map((row) => [row, [...operation.rows.get(row).keys()].sort(byType)]);
}

async function drawSupportPage(address) {
  const columns = chosenColumns(address).filter((column) => column.support);
  if (!columns.length) {
    return [make("h1", "", "What runs where"), make("p", "note", "No column has support: it is measured where the "
      + "declarations of operations are installed (pip install '.[run]') when the site is built.")];
  }
  const [ports, ...found] = await Promise.all([load("data/ports"), ...columns.map((one) => load(`${one.folder}/support`))]);
  const supports = found.map(supportOf);
  const values = (start) => distinct(supports.flatMap((one) => [...one.operations.values()].flatMap(
    (operation) => [...operation.rows].filter(([row]) => row.startsWith(start)).flatMap(([, cells]) => [...cells.keys()]))));
  const title = make("h1", "", "What runs where");
  if (MODEL) {
    MODEL.address = location.hash;
    return [title, dropPlace(), filtersOf("Choose columns", ...facetFields()), stateKey(), ...drawDropped(columns, supports, ports)];
  }
  const filters = filtersOf(
    "Choose columns and cells",
    typed("Operations", "operations", "Gather, Conv …"),
    ...facetFields(),
    chooser("Category", "category", distinct(SITE.operations.map(([, category]) => category)).sort()),
    chooser("Type", "type", values(TYPE_ROW).sort(byType)),
    chooser("Rank", "rank", values("rank").sort((a, b) => a - b)),
    chooser("Dimensions", "dimensions", values("dimensions")),
    chooser("Outcome", "outcome", [...SITE.states, EVERYWHERE]),
  );
  const head = [title, dropPlace(), filters];
  const rows = supportRows(columns, supports, address);
  if (!rows.length) return [...head, make("p", "note", "No operation matches.")];
  const explained = about("The state of a type is that of the plain layer with this type. Mixed: only layers with other "
    + "factors have the type, and some of them depart, while others or the plain layer do not. With a rank or dimensions chosen, the state is the worst of the type, of these, and of "
    + "their combination. Not asked: no case tested it. A type links to its cases.");
  return [...head, stateKey(), supportTable(columns, rows, address), explained];
}

/** An outcome of all columns: each conforms or compiles. */
const EVERYWHERE = "runs in each column";

/** Operations that the filters leave, each with the types of each column by their states. */
function supportRows(columns, supports, address) {
  const others = [["rank", address.rank], ["dimensions", address.dimensions]].filter(([, value]) => value);
  const rows = [];
  for (const [name, category] of SITE.operations) {
    if (address.category && category !== address.category) continue;
    if (address.operations && !hasWords(name, address.operations)) continue;
    const runs = (row, type) => supports.every(({ operations }) => operations.has(name)
      && isGood(stateTogether(operations.get(name), [[row, type], ...others]).state));
    const cells = supports.map((support) => {
      const operation = support.operations.get(name);
      if (!operation) return null;
      const states = new Map();
      for (const [row, types] of typesOf(operation)) {
        for (const type of types) {
          if (address.type && type !== address.type) continue;
          const together = stateTogether(operation, [[row, type], ...others]);
          if (address.outcome === EVERYWHERE ? !runs(row, type) : address.outcome && together.state !== address.outcome) continue;
          const rest = row === typesOf(operation)[0][0] ? "" : row.slice(TYPE_ROW.length);
          const key = JSON.stringify([rest, together.state]);
          states.set(key, [...(states.get(key) ?? []), { type, causes: together.of.flatMap((part) => part.causes.map((n) => support.causes[n])), together }]);
        }
      }
      return states;
    });
    if (cells.some((states) => states?.size)) rows.push({ name, category, cells });
  }
  return rows;
}

/** A table whose columns are of one width. */
function supportFrame(columns, head, body, label) {
  const found = make("table", "matrix tiles support", make("thead", "", head), body);
  found.style.setProperty("--columns", columns.length);
  return framed(found, label, true);
}

function supportTable(columns, rows, address) {
  const head = make("tr", "", heading("col", "Operation"));
  for (const column of columns) head.append(columnHead(column));
  const body = make("tbody", "");
  const own = drawing;
  const add = (from) => {
    body.append(...rows.slice(from, from + ROWS_AT_ONCE).map((row) => supportRow(columns, row, address)));
    if (from + ROWS_AT_ONCE < rows.length) setTimeout(() => { if (own === drawing) add(from + ROWS_AT_ONCE); }, 16);
  };
  add(0);
  return supportFrame(columns, head, body, "what runs where");
}

function supportRow(columns, row, address) {
  const title = heading("row", link("", to("operation", { name: row.name }), line(row.name)));
  title.append(make("small", "", line(row.category)));
  const tr = make("tr", "", title);
  const shapes = address.dimensions ? (address.dimensions === "known" ? "static" : "dynamic") : "";
  columns.forEach((column, k) => {
    const states = row.cells[k];
    const td = make("td", "");
    if (!states) td.append(make("span", "none", "not asked"));
    else if (!states.size) td.append(make("span", "none", "·"));
    const ordered = [...(states ?? [])].map(([key, types]) => [...JSON.parse(key), types])
      .sort((a, b) => (a[0] > b[0]) - (a[0] < b[0]) || rankOf(a[1]) - rankOf(b[1]));
    for (const [variable, state, types] of ordered) {
      const names = types.map(({ type, causes, together }) => {
        const entry = link("", to("operation", { name: row.name, column: column.id, type, rank: address.rank, shapes }), line(type));
        const told = distinct(causes).map((id) => CAUSE_OF.get(id)?.title ?? id);
        const cases = together.of.map((part) => `${part.name}: ${number(part.asked - part.departing)} of ${number(part.asked)} conform${withBesides(part)}`);
        entry.title = [state, ...cases, ...told].map(line).join("\n");
        return entry;
      });
      const label = make("span", "state", state, variable ? make("small", "", ` ${line(variable)}`) : "");
      td.append(make("div", `states ${stateClass(state)}`, label, ...names.flatMap((each) => [" ", each])));
    }
    tr.append(td);
  });
  return tr;
}

/** What the states are called. */
function stateKey() {
  const key = make("ul", "legend key");
  key.setAttribute("aria-label", "States, from good to bad");
  for (const state of SITE.states) key.append(make("li", "", make("span", `states ${stateClass(state)}`, make("span", "state", state))));
  return key;
}

// --- a model ----------------------------------------------------------------------------------

/** Another address of this page shows operations; "back" to that of the model shows the model again. */
function forgetModel() {
  const isHere = new URLSearchParams(location.hash.slice(1)).get("page") === "support";
  if (MODEL && isHere && location.hash !== MODEL.address) MODEL = null;
}

/** Where a model file is dropped or chosen. It is read here: nothing is sent. */
function dropPlace() {
  const input = make("input", "");
  input.type = "file";
  input.accept = ".xml";
  input.id = "model";
  const read = async (file) => {
    if (!file) return;
    try {
      MODEL = { name: file.name, layers: layersOf(await file.text()) };
    } catch (error) {
      MODEL = { name: file.name, error: error.message };
    }
    draw(true);
  };
  input.addEventListener("change", () => read(input.files[0]));
  const place = make("div", "drop", make("label", "", make("span", "", "Which layers of a model run? Drop its IR (.xml) here, or choose it: "), input),
    make("small", "", "It is read in this page; nothing is sent."));
  if (MODEL) place.append(" ", button("copy", "Back to operations", () => { MODEL = null; draw(true); }));
  place.addEventListener("dragover", (event) => { event.preventDefault(); place.classList.add("over"); });
  place.addEventListener("dragleave", () => place.classList.remove("over"));
  place.addEventListener("drop", (event) => {
    event.preventDefault();
    read(event.dataTransfer.files[0]);
  });
  return place;
}

const typeOf = (precision) => (precision ?? "").toLowerCase().replace(/^fp/, "f").replace(/^bool$/, "boolean");
const MOST_LAYERS = 100000;

const tensorOf = (port) => ({
  type: typeOf(port.getAttribute("precision")), dims: [...port.querySelectorAll(":scope > dim")].map((dim) => dim.textContent.trim()),
});

/** The layers of an IR file that compute something of more than constants. */
function layersOf(text) {
  const document = new DOMParser().parseFromString(text, "text/xml");
  if (document.querySelector("parsererror")) throw new Error("it is no XML");
  const net = document.documentElement;
  if (net.nodeName !== "net") throw new Error("it is no IR: its first element is not <net>");
  const nodes = [...net.children].find((child) => child.nodeName === "layers")?.children ?? [];
  if (nodes.length > MOST_LAYERS) throw new Error("it has too many layers");
  const sources = new Map();
  for (const edge of net.querySelectorAll(":scope > edges > edge")) {
    sources.set(`${edge.getAttribute("to-layer")}:${edge.getAttribute("to-port")}`, [edge.getAttribute("from-layer"), edge.getAttribute("from-port")]);
  }
  const hasShapes = net.querySelector("layer:not([type=Const]):not([type=Parameter]) > output > port > dim") !== null;
  const tensors = new Map(); // what outputs are, by layer and port
  const kinds = new Map();
  const folded = new Set();
  const found = [];
  for (const node of nodes) {
    const [id, type] = [node.getAttribute("id"), node.getAttribute("type")];
    kinds.set(id, type);
    const attributes = new Map([...(node.querySelector(":scope > data")?.attributes ?? [])].map((each) => [each.name, each.value]));
    const inputs = [...node.querySelectorAll(":scope > input > port")].map((port) => {
      const [source, from] = sources.get(`${id}:${port.getAttribute("id")}`) ?? [];
      const tensor = tensors.get(`${source}:${from}`) ?? tensorOf(port);
      return { ...tensor, constant: folded.has(source), computed: kinds.get(source) !== "Parameter" };
    });
    const outputs = [...node.querySelectorAll(":scope > output > port")].map((port) => {
      const tensor = tensorOf(port);
      // A file without shapes has those of constants and parameters as attributes.
      if (!tensor.dims.length && attributes.get("shape")) tensor.dims = attributes.get("shape").split(",").map((dim) => (dim.includes("?") || dim.includes("..") ? "-1" : dim.trim()));
      tensors.set(`${id}:${port.getAttribute("id")}`, tensor);
      return tensor.type;
    });
    // What follows from constants and known shapes alone is no layer of the compiled model.
    const isKnown = type === "ShapeOf" && inputs.every(({ dims }) => dims.length && !dims.includes("-1"));
    if (type === "Const" || isKnown || (inputs.length && inputs.every((input) => input.constant))) folded.add(id);
    else if (type !== "Parameter" && type !== "Result") {
      found.push({
        name: node.getAttribute("name") ?? id, kind: type, version: node.getAttribute("version"),
        inputs, outputs, attributes, hasShapes,
        body: [...node.children].some((child) => child.nodeName.endsWith("body")),
      });
    }
  }
  if (!found.length) throw new Error("no layer of it computes anything");
  return found;
}

/** The operation of a layer as its page is named: the newest that the operation set has; "" for none. */
function operationOf(kind, version, names) {
  const set = Number.parseInt((version ?? "").replace("opset", ""), 10);
  let best = "";
  for (const name of names) {
    const cut = name.lastIndexOf("-");
    const since = Number(name.slice(cut + 1));
    if (name.slice(0, cut).toLowerCase() !== (kind ?? "").toLowerCase() || !(since <= set)) continue;
    if (!best || since > Number(best.slice(best.lastIndexOf("-") + 1))) best = name;
  }
  return best;
}

/** The cells of a layer, as [row, value]: those rows that support has of the operation. */
function cellsOf(layer, operation, ports) {
  const cells = new Map();
  const data = [];
  const given = [...layer.inputs];
  const names = new Map();
  ports.forEach(([name, variable, isIndex, isMany], n) => {
    const rest = ports.length - n - 1;
    const own = given.splice(0, isMany ? Math.max(given.length - rest, 1) : 1);
    names.set(name, own.length > 0);
    for (const input of own) {
      cells.set(TYPE_ROW + variable, input.type);
      if (isIndex) {
        const how = input.constant ? "constant" : input.computed ? "computed" : "parameters";
        if ((cells.get("index") ?? "constant") === "constant") cells.set("index", how);
      } else data.push(input);
    }
  });
  if (data.length) {
    if (layer.hasShapes) cells.set("rank", String(data[0].dims.length));
    const unknown = data.map((input) => input.dims.filter((dim) => dim === "-1").length);
    const atRunTime = data.filter((input) => !input.constant);
    const isWhole = atRunTime.length && atRunTime.every((input) => input.dims.length && input.dims.every((dim) => dim === "-1"));
    if (layer.hasShapes) cells.set("dimensions", unknown.every((count) => !count) ? "known" : isWhole ? "unknown" : "some unknown");
    const constants = data.map((input) => input.constant);
    cells.set("constants", !constants.includes(true) ? "none" : !constants.includes(false) ? "all"
      : !constants[0] && constants.slice(1).every(Boolean) ? "all but first" : "others");
  }
  for (const [row, values] of operation.rows) {
    if (cells.has(row)) continue;
    if (names.has(row)) cells.set(row, names.get(row) ? "given" : "left out");
    else if (layer.attributes.has(row)) {
      const text = layer.attributes.get(row);
      if (values.has(text)) cells.set(row, text);
      else if (values.has(typeOf(text))) cells.set(row, typeOf(text));
      else if (values.has("given")) cells.set(row, "given");
    } else if (values.has("left out")) cells.set(row, "left out");
  }
  // A type variable of outputs alone is told by the first output.
  for (const row of operation.rows.keys()) {
    if (row.startsWith(TYPE_ROW) && !cells.has(row) && !ports.some(([, variable]) => TYPE_ROW + variable === row) && layer.outputs[0]) cells.set(row, layer.outputs[0]);
  }
  return [...cells].filter(([row]) => operation.rows.has(row));
}

const tensorText = (input) => `${input.type}[${input.dims.join(",")}]`;

/** What a column says of a layer. */
function answerFor(layer, support, ports) {
  const operation = layer.operation && support.operations.get(layer.operation);
  if (!operation) return { state: "not asked", why: layer.operation ? "no case of the operation" : "the specification has no page for the operation" };
  const cells = cellsOf(layer, operation, ports[layer.operation] ?? []);
  const together = stateTogether(operation, cells);
  const why = together.of.map((part) => `${part.name}${withBesides(part)}`);
  if (isGood(together.state)) {
    if (!layer.hasShapes) return { state: "not asked", why: "the file states no shape", cells };
    return layer.body ? { state: "not asked", why: "its body was not looked at", cells } : { state: together.state, why: GOOD, cells };
  }
  const causes = distinct(together.of.flatMap((part) => part.causes.map((n) => support.causes[n])));
  return { state: together.state, why: why.length < cells.length ? why.join(", ") : "every cell", causes, cells };
}

function drawDropped(columns, supports, ports) {
  if (MODEL.error) return [problem(`${line(short(MODEL.name))}: ${line(MODEL.error)}`)];
  const groups = new Map();
  for (const layer of MODEL.layers) {
    layer.operation = operationOf(layer.kind, layer.version, Object.keys(ports));
    const key = JSON.stringify([layer.kind, layer.version, layer.inputs.map(tensorText), [...layer.attributes], layer.inputs.map((input) => [input.constant, input.computed])]);
    groups.set(key, [...(groups.get(key) ?? []), layer]);
  }
  const rows = [...groups.values()].map((layers) => ({ layers, answers: supports.map((support) => answerFor(layers[0], support, ports)) }));
  const worst = (row) => Math.max(...row.answers.map((answer) => (answer.state === "not asked" ? 2.5 : rankOf(answer.state))));
  rows.sort((a, b) => worst(b) - worst(a) || b.layers.length - a.layers.length);
  const head = make("tr", "", heading("col", "Layers"));
  columns.forEach((column, k) => {
    const th = columnHead(column);
    const good = sumOf(rows.map((row) => (isGood(row.answers[k].state) ? row.layers.length : 0)));
    th.append(make("small", "", `${number(good)} of ${number(MODEL.layers.length)} layers`));
    head.append(th);
  });
  const body = make("tbody", "", ...rows.map(({ layers, answers }) => {
    const [layer] = layers;
    const name = OPERATION_OF.has(layer.operation) ? link("", to("operation", { name: layer.operation }), line(layer.operation))
      : layer.operation || line(short(`${layer.kind} of ${layer.version}`));
    const title = heading("row", name);
    const more = layers.length > 1 ? ` and ${number(layers.length - 1)} more` : "";
    title.append(make("small", "", line(short(layer.inputs.map(tensorText).join(", ")))), make("small", "", `${line(short(layer.name))}${more}`));
    const cells = answers.find((answer) => answer.cells)?.cells;
    if (cells) title.append(make("details", "", make("summary", "", "cells"), make("small", "", line(cells.map(([row, value]) => `${row}=${value}`).join(", ")))));
    return make("tr", "", title, ...answers.map((answer) => {
      const told = (answer.causes ?? []).map((id) => make("small", "", link("", to("cause", { id }), line(CAUSE_OF.get(id)?.title ?? id))));
      return make("td", "", make("div", `states ${stateClass(answer.state)}`, make("span", "state", answer.state), ` ${line(answer.why)}`, ...told));
    }));
  }));
  return [
    make("h2", "", line(short(MODEL.name)), `: ${number(MODEL.layers.length)} layer${MODEL.layers.length === 1 ? "" : "s"}`),
    about("Each layer by the cells that it falls into, the worst first. Nothing was run: a layer whose cells conform each may still "
      + "differ in its sizes, its numbers, or what a plugin fuses it with. python -m devices model runs it."),
    supportFrame(columns, head, body, "layers of the model"),
  ];
}
