// Matrix: operations by columns of one's choice; a cell is the worst that departs there, with its share.

const FACETS = [["device", "Device"], ["release", "Release"], ["profile", "Profile"], ["machine", "Machine"], ["depth", "Depth"]];
const NEEDS_CUBE = ["type", "rank", "shapes", "severity", "class"];
const isNarrowed = (address) => NEEDS_CUBE.some((key) => address[key]); // cells then have no numbers of unexpected cases

/** The columns that the address chooses; all without a choice. */
function chosenColumns(address) {
  return SITE.columns.filter((column) => FACETS.every(([key]) => !address[key] || column[key] === address[key])
    && (!address.columns || address.columns.split(",").includes(column.id)));
}

/** The choices of columns: only of what differs. */
const facetFields = () => FACETS.map(([key, label]) => {
  const values = distinct(SITE.columns.map((column) => column[key]));
  return values.length > 1 ? chooser(label, key, values) : null;
});

async function drawMatrixPage(address) {
  const columns = chosenColumns(address);
  const categories = distinct(SITE.operations.map(([, category]) => category)).sort();
  const opsets = distinct(SITE.operations.map(([, , opset]) => opset))
    .sort((a, b) => Number(a.slice(5)) - Number(b.slice(5)));
  const filters = filtersOf(
    "Choose columns and cases",
    typed("Operations", "operations", "Gather, Conv …"),
    ...facetFields(),
    chooser("Category", "category", categories),
    chooser("Opset", "opset", opsets),
    chooser("Type", "type", SITE.types),
    chooser("Rank", "rank", SITE.ranks),
    chooser("Shapes", "shapes", ["static", "dynamic"]),
    chooser("Severity", "severity", Object.keys(SITE.severities)),
    chooser("Class", "class", Object.keys(SITE.classes)),
    chooser("Order", "order", [["", "the worst first"], ["name", "by name"], ["share", "largest share first"]], null),
  );
  let cellOf = (column, operation) => column.cellOf.get(operation);
  if (isNarrowed(address)) {
    const cubes = await loadAll(columns, "cube");
    const found = new Map(columns.map((column, k) => [column, cut(column, cubes[k], address)]));
    cellOf = (column, operation) => found.get(column).get(operation);
  }
  const isNarrow = address.severity || address.class;
  const rows = [];
  SITE.operations.forEach(([name, category, opset], n) => {
    if (address.category && category !== address.category) return;
    if (address.opset && opset !== address.opset) return;
    if (address.operations && !hasWords(name, address.operations)) return;
    const cells = columns.map((column) => cellOf(column, n));
    if (!cells.some(Boolean)) return;
    if (isNarrow && !cells.some((cell) => cell && departuresOf(cell.counts))) return;
    rows.push({ name, category, cells });
  });
  sortRows(rows, address.order ?? "");
  const cases = sumOf(rows.flatMap((row) => row.cells.map((cell) => (cell ? sumOf(cell.counts) + (cell.others ?? 0) : 0))));
  const title = make("h1", "", make("strong", "", number(rows.length)), ` operation${rows.length === 1 ? "" : "s"} on `,
    make("strong", "", number(columns.length)), ` column${columns.length === 1 ? "" : "s"}`);
  const explained = about(
    `${number(cases)} cases. A cell has the worst severity with the share of its cases, and the share of all departures, known ones `
    + "included. Italic: only layers that models rarely have show it. ",
    make("b", "unexpected", "3 unexpected"), ": departures that neither the baseline nor a known cause excuses.",
  );
  if (!rows.length) return [title, filters, make("p", "note", "No case matches.")];
  return [title, filters, ...drawChanged(columns), matrixTable(columns, rows, address), severityKey(), explained];
}

/** The cells of one column that the filters leave, by the number of the operation. */
function cut(column, cube, address) {
  const { rows } = cube;
  const admitsType = cube.types.map((name) => !address.type || name.split(" ").includes(address.type));
  const admitsRank = cube.ranks.map((name) => !address.rank || name === address.rank);
  const dynamic = address.shapes ? Number(address.shapes === "dynamic") : null;
  const severity = address.severity ? SITE.standings.indexOf(address.severity) : null;
  const ofClass = cube.causes.map((id) => !address.class || CAUSE_OF.get(id)?.kind === address.class);
  const found = new Map();
  for (let k = 0; k < rows.count.length; k++) {
    if (!admitsType[rows.type[k]] || !admitsRank[rows.rank[k]]) continue;
    if (dynamic !== null && rows.dynamic[k] !== dynamic) continue;
    const operation = column.cells[rows.operation[k]][0];
    let cell = found.get(operation);
    if (!cell) {
      cell = { counts: SITE.standings.map(() => 0), unexpected: 0, causes: new Map(), plausible: 1, others: 0 };
      found.set(operation, cell);
    }
    const standing = rows.standing[k];
    if (departing(standing) && ((severity !== null && standing !== severity) || !ofClass[rows.cause[k]])) {
      cell.others += rows.count[k];
      continue;
    }
    cell.counts[standing] += rows.count[k];
    if (departing(standing)) {
      const key = `${standing} ${rows.cause[k]}`;
      cell.causes.set(key, (cell.causes.get(key) ?? 0) + rows.count[k]);
    }
  }
  for (const cell of found.values()) {
    const worst = `${worstOf(cell.counts)} `;
    const own = [...cell.causes].filter(([key]) => key.startsWith(worst)).sort((a, b) => b[1] - a[1]);
    cell.cause = own.length ? CAUSE_OF.get(cube.causes[Number(own[0][0].split(" ")[1])])?.index ?? -1 : -1;
  }
  return found;
}

function sortRows(rows, order) {
  const all = (row) => row.cells.filter(Boolean);
  const share = (cell) => departuresOf(cell.counts) / (sumOf(cell.counts) + (cell.others ?? 0) || 1);
  for (const row of rows) {
    row.rank = Math.min(...all(row).map((cell) => {
      const worst = worstOf(cell.counts);
      if (cell.unexpected) return worst - 10;
      return departing(worst) ? worst + (cell.plausible ? 0 : 0.5) : 99;
    }));
    row.share = Math.max(...all(row).map(share));
  }
  const byName = (a, b) => (a.name < b.name ? -1 : 1);
  if (order === "name") rows.sort(byName);
  else if (order === "share") rows.sort((a, b) => b.share - a.share || byName(a, b));
  else rows.sort((a, b) => a.rank - b.rank || b.share - a.share || byName(a, b));
}

const ROWS_AT_ONCE = 30; // so that the first of them are seen while the others are drawn

function matrixTable(columns, rows, address) {
  const head = make("tr", "", heading("col", "Operation"));
  for (const column of columns) head.append(columnHead(column));
  const sums = make("tr", "sum", heading("row", "all"));
  columns.forEach((column, k) => {
    const counts = SITE.standings.map((_, s) => sumOf(rows.map((row) => row.cells[k]?.counts[s] ?? 0)));
    const others = sumOf(rows.map((row) => row.cells[k]?.others ?? 0));
    const unexpected = isNarrowed(address) ? 0 : sumOf(rows.map((row) => row.cells[k]?.unexpected ?? 0));
    sums.append(make("td", "", sumOf(counts) + others ? fillTile(make("span", ""), counts, "", true, others, unexpected) : noCase(column.cellOf.size)));
  });
  const body = make("tbody", "", sums);
  const own = drawing;
  const add = (from) => {
    body.append(...rows.slice(from, from + ROWS_AT_ONCE).map((row) => matrixRow(columns, row, address)));
    const next = from + ROWS_AT_ONCE;
    if (next < rows.length) setTimeout(() => { if (own === drawing) add(next); }, 16);
  };
  add(0);
  return framed(make("table", "matrix tiles", make("thead", "", head), body), "matrix", true);
}

/** What a cell without a case says: the filters leave none, or there is none. */
const noCase = (isAsked) => make("span", "none", isAsked ? "none match" : "not asked");

function columnHead(column) {
  const th = heading("col", link("", to("devices", { column: column.id }), line(`${column.device} ${column.release}`)));
  th.append(make("small", "", line(column.label.split(" · ").slice(2).join(" · "))));
  if (column.part) {
    th.append(make("small", "", "part of the cases"));
    th.title = line(column.part);
  }
  return th;
}

/** The filters that an operation's page has too. */
const kept = (address) => ({ type: address.type, rank: address.rank, shapes: address.shapes });

function matrixRow(columns, row, address) {
  // Where columns are filtered the page begins with one of them, not with the worst of all.
  const shown = columns.length < SITE.columns.length ? columns.find((column, k) => row.cells[k]) : undefined;
  const which = shown ? { column: shown.id } : {};
  const title = heading("row", link("", to("operation", { name: row.name, ...which, ...kept(address) }), line(row.name)));
  title.append(make("small", "", line(row.category)));
  const tr = make("tr", "", title);
  columns.forEach((column, k) => {
    const cell = row.cells[k];
    if (!cell) {
      tr.append(make("td", "", noCase(column.cellOf.has(OPERATION_OF.get(row.name)))));
      return;
    }
    const href = to("operation", { name: row.name, column: column.id, ...kept(address) });
    tr.append(make("td", "", fillTile(link("", href), cell.counts, CAUSES[cell.cause]?.title, cell.plausible, cell.others, isNarrowed(address) ? 0 : cell.unexpected)));
  });
  return tr;
}

/** Links to what changed since the run before, of each column that has one. */
function drawChanged(columns) {
  const pairs = columns.map((column) => [column, runBefore(column)]).filter(([, before]) => before);
  const latest = pairs.filter(([column]) => !pairs.some(([, before]) => before === column));
  if (!latest.length) return [];
  const links = latest.flatMap(([column, before], k) => [k ? " · " : "",
    link("", to("compare", { column: column.id, base: before.id }), line(column.label))]);
  return [about("What changed since the previous run: ", ...links)];
}

const NO_DEPARTURES = {
  pass: "as specified", compiled: "compiled, values not checked", "no verdict": "skipped, or a fault of the suite",
};

/** What the words of a tile mean. */
function severityKey() {
  const key = make("ol", "legend key");
  key.setAttribute("aria-label", "Severities, the worst first");
  for (const [name, means] of [...Object.entries(SITE.severities), ...Object.entries(NO_DEPARTURES)]) {
    key.append(make("li", "", make("span", `tally ${standingClass(name)}`, name), ` ${means}`));
  }
  return key;
}
