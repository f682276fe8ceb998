// Operation: what works, by type and way of asking; the causes of what does not; each case that departs.

const CASES_SHOWN = 25;

async function drawOperationPage(address) {
  const n = OPERATION_OF.get(address.name);
  if (n === undefined) return [make("h1", "", line(address.name ?? "")), problem("No results have an operation of this name.")];
  const [name, category, opset, page] = SITE.operations[n];
  const columns = SITE.columns.filter((column) => column.cellOf.has(n));
  const chosen = columns.find((column) => column.id === address.column) ?? worstColumn(columns, n);
  at.column = chosen.id;
  const { part: place } = chosen.cellOf.get(n);
  const [data, readings] = await Promise.all([load(`${chosen.folder}/operation-${place}`), load("data/readings")]);
  // A part is kept: its numbers are read once.
  if (DATA !== data) adopt(data);
  const title = make("h1", "", make("strong", "", line(name)));
  const outside = link("", page, "its page of the specification");
  outside.rel = "noreferrer";
  const facts = about(`${line(category)}, ${line(opset)} · `, outside);
  const choice = columnChoice(
    columns, chosen,
    (column) => to("operation", { ...address, column: column.id, way: "", first: "", why: "", case: "", from: "" }),
    (column) => {
      const cell = column.cellOf.get(n);
      return fillTile(make("span", ""), cell.counts, CAUSES[cell.cause]?.title, cell.plausible, 0, cell.unexpected);
    },
  );
  const ranks = distinct(DATA.grid.rank.map((k) => NAMES.rank[k])).sort((a, b) => a - b);
  const types = distinct(NAMES.type.flatMap((each) => each.split(" "))).sort();
  const filters = filtersOf(
    "Filter the cases",
    chooser("Type", "type", types),
    chooser("Rank", "rank", ranks),
    chooser("Shapes", "shapes", ["static", "dynamic"]),
  );
  const found = [
    title, facts, make("h2", "", "Where"), choice, filters,
    make("h2", "", "What works, by type of the first input and way of running"), drawGrid(address),
    ...drawOperationCauses(address, chosen), ...drawReadings(readings, name), ...await drawNamed(address, chosen), ...drawDepartures(address),
  ];
  return found;
}

/** The column that shows the most of an operation: the worst, of these the one with most departures. */
function worstColumn(columns, n) {
  const order = (column) => {
    const { counts } = column.cellOf.get(n);
    return [worstOf(counts) > 2 ? worstOf(counts) : 99, -departuresOf(counts)];
  };
  return [...columns].sort((a, b) => order(a)[0] - order(b)[0] || order(a)[1] - order(b)[1])[0];
}

/** Whether the filters of type, rank and shapes leave a row of the grid or a departure. */
function admits(address, types, rank, way) {
  return (!address.type || types.split(" ").includes(address.type))
    && (!address.rank || rank === address.rank)
    && (!address.shapes || way.includes("shape=") === (address.shapes === "dynamic"));
}

const firstOf = (types) => types.split(" ")[0];

function drawGrid(address) {
  const rows = DATA.grid;
  const found = new Map(); // counts by way and type of the first data input
  for (let k = 0; k < rows.count.length; k++) {
    const [types, way, rank] = [NAMES.type[rows.type[k]], NAMES.way[rows.way[k]], NAMES.rank[rows.rank[k]]];
    if (!admits(address, types, rank, way)) continue;
    const type = firstOf(types);
    const key = JSON.stringify([way, type]);
    if (!found.has(key)) found.set(key, { way, type, counts: SITE.standings.map(() => 0) });
    found.get(key).counts[rows.standing[k]] += rows.count[k];
  }
  const cells = [...found.values()];
  if (!cells.length) return make("p", "note", "No case matches.");
  const size = new Map();
  for (const { type, counts } of cells) size.set(type, (size.get(type) ?? 0) + sumOf(counts));
  // Types that depart stand first.
  const departs = new Set(cells.filter(({ counts }) => departuresOf(counts)).map(({ type }) => type));
  const shownTypes = [...size.keys()].sort((a, b) => departs.has(b) - departs.has(a) || size.get(b) - size.get(a));
  const ways = distinct(cells.map((cell) => cell.way))
    .sort((a, b) => (b === "usual") - (a === "usual") || a.split(", ").length - b.split(", ").length || (a < b ? -1 : 1));
  const head = make("tr", "", heading("col", "How it is run"));
  for (const type of shownTypes) head.append(heading("col", line(type) || "no data"));
  const body = make("tbody", "");
  for (const way of ways) {
    const tr = make("tr", "", heading("row", line(way)));
    for (const type of shownTypes) {
      const cell = found.get(JSON.stringify([way, type]));
      if (!cell) {
        tr.append(make("td", "", make("span", "none", "·")));
        continue;
      }
      const isChosen = address.way === way && address.first === type;
      const tile = button("", "", () => change({ way: isChosen ? "" : way, first: isChosen ? "" : type, from: "", case: "" }));
      if (isChosen) tile.classList.add("chosen");
      tile.setAttribute("aria-pressed", String(isChosen));
      tr.append(make("td", "", fillTile(tile, cell.counts, "")));
    }
    body.append(tr);
  }
  return framed(make("table", "matrix tiles grid", make("thead", "", head), body), "types and ways of running", true);
}

/** Numbers of the departures that the address leaves, whatever their cause. */
function departuresLeft(address) {
  const left = [];
  for (let n = 0; n < COUNT; n++) {
    const way = nameOf("way", n);
    if (!admits(address, nameOf("type", n), nameOf("rank", n), way)) continue;
    if (address.way && (way !== address.way || firstOf(nameOf("type", n)) !== address.first)) continue;
    if (address.case && !hasWords(COLUMNS.case[n], address.case)) continue;
    left.push(n);
  }
  return left;
}

function drawOperationCauses(address, column) {
  const cases = new Map();
  for (const n of departuresLeft(address)) {
    const why = nameOf("why", n);
    cases.set(why, [...(cases.get(why) ?? []), n]);
  }
  if (!cases.size) return [];
  const rows = [...cases].map(([id, own]) => {
    const cause = CAUSE_OF.get(id);
    const severity = Math.min(...own.map((n) => SITE.standings.indexOf(nameOf("severity", n))).filter((k) => k > 2), 99);
    const only = button("copy", address.why === id ? "Show all" : "Show only these",
      () => change({ why: address.why === id ? "" : id, from: "" }));
    return { severity, cells: [
      make("span", "", link("", to("cause", { id, column: column.id }), line(cause?.title ?? id))),
      kindName(cause?.kind), severity < 99 ? severityName(severity) : "",
      releaseOn(cause?.since, column), releaseOn(cause?.fixed, column), number(own.length), only,
    ] };
  });
  rows.sort((a, b) => a.severity - b.severity || 0);
  return [
    make("h2", "", "Why"),
    framed(table("plain", ["Cause", "Class", "Severity", "Since", "Fixed in", "Cases", "Show"], rows.map((row) => row.cells),
      ["", "fit", "fit", "fit", "fit", "number fit", "fit"]), "causes of the operation"),
  ];
}

/** What the operation's page leaves open or prints wrong, and what every page does. */
function drawReadings(readings, name) {
  const own = readings[name] ?? [];
  const entry = ([kind, words, choice, why, admits]) => {
    const found = make("li", "", make("em", "", kind), ": ", line(words), ". ", make("strong", "", line(choice)));
    if (why) found.append(" ", line(why));
    if (admits) found.append(" Also admitted, as a cause of class open: ", line(admits));
    return found;
  };
  const section = (title, entries) => make("details", "readings", make("summary", "", title), make("ul", "", ...entries.map(entry)));
  const found = [make("h2", "", "How the suite reads the specification")];
  if (own.length) found.push(section(`${number(own.length)} place${own.length === 1 ? "" : "s"} where the specification is silent, unclear or wrong`, own));
  found.push(section("For all operations", readings[""]));
  return found;
}

/** Of a case that is named: whether it passed, or was not asked; nothing of one that departs. */
async function drawNamed(address, column) {
  if (!address.case?.includes("/") || departuresLeft(address).some((n) => COLUMNS.case[n] === address.case)) return [];
  const { right } = await load(`${column.folder}/cases`);
  const passed = new Set(hashesOf(right)).has(caseHash(address.case));
  return [make("p", passed ? "note good" : "note", make("code", "id", ...breakable(address.case)),
    passed ? " passed." : ` was not asked, or has no verdict, on ${line(column.label)}.`)];
}

function drawDepartures(address) {
  const left = departuresLeft(address).filter((n) => !address.why || nameOf("why", n) === address.why);
  left.sort((a, b) => isRed(nameOf("gate", b)) - isRed(nameOf("gate", a)) || a - b);
  const red = left.filter((n) => isRed(nameOf("gate", n))).length;
  const from = Math.min(Math.max(0, Number.parseInt(address.from ?? "0", 10) || 0), Math.max(0, left.length - 1));
  const here = left.slice(from, from + CASES_SHOWN);
  const title = make("h2", "", `${number(left.length)} case${left.length === 1 ? "" : "s"} that depart`);
  if (red) title.append(" ", make("b", "unexpected", `${number(red)} unexpected`), make("small", "", " these stand first"));
  const narrowed = address.way ? about(`run as ${line(address.way)}, of ${line(address.first ?? "")}`) : "";
  const form = filtersOf("Find a case", typed("Case", "case", "part of its id"));
  const list = make("ol", "list", ...here.map(drawCase));
  list.start = from + 1;
  if (here.length === 1) list.querySelector("details").open = true;
  const found = [title, narrowed, form, list].filter(Boolean);
  if (left.length > CASES_SHOWN) {
    const before = button("", "← Previous", () => change({ from: String(Math.max(0, from - CASES_SHOWN)) }));
    const after = button("", "Next →", () => change({ from: String(from + CASES_SHOWN) }));
    before.disabled = from === 0;
    after.disabled = from + CASES_SHOWN >= left.length;
    const pages = make("nav", "pages", before, make("span", "", `${number(from + 1)} to ${number(from + here.length)}`), after);
    pages.setAttribute("aria-label", "Pages of cases");
    found.push(pages);
  }
  return found;
}
