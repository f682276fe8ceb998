// The matrix operation × device and profile, of the cases that pass the filters.

/** Sums over the cases of one cell. */
class Cell {
  constructor() {
    this.total = 0;
    this.unexpected = 0;
    this.kinds = new Array(NAMES.counted.length).fill(0); // by what they are counted as
    this.nearest = null; // the largest error of a pass, as a fraction of its bound
    this.outcomes = new Array(NAMES.outcome.length).fill(0);
  }

  add(n) {
    this.total++;
    this.outcomes[COLUMNS.outcome[n]]++;
    const gate = nameOf("gate", n);
    if (isRed(gate)) this.unexpected++;
    this.kinds[COLUMNS.counted[n]]++;
    const fraction = COLUMNS.fraction[n];
    if (gate === "pass" && fraction !== null && fraction <= 1) {
      this.nearest = Math.max(this.nearest ?? 0, fraction);
    }
  }

  /** Departures of the kinds that occur, as pairs of a kind and a number. */
  get departures() {
    return this.kinds.map((count, kind) => [NAMES.counted[kind], count])
      .filter(([kind, count]) => count && !DATA.conforming.includes(kind));
  }

  /** The number of cases that depart, unexpectedly or not. */
  get departed() {
    return this.departures.reduce((sum, [, count]) => sum + count, 0);
  }

  get share() {
    return this.departed / this.total;
  }
}

/** Rows of the matrix: the operation's number, its cells by target, and their sum. */
function sumUp(cases) {
  const rows = new Map();
  for (const n of cases) {
    if (nameOf("gate", n) === "added") continue;
    const operation = COLUMNS.operation[n];
    let row = rows.get(operation);
    if (row === undefined) {
      row = { operation, category: nameOf("category", n), all: new Cell(), cells: new Map() };
      rows.set(operation, row);
    }
    const target = COLUMNS.target[n];
    if (!row.cells.has(target)) row.cells.set(target, new Cell());
    row.cells.get(target).add(n);
    row.all.add(n);
  }
  return [...rows.values()];
}

const ORDERS = {
  departures: (a, b) => b.all.unexpected - a.all.unexpected || b.all.departed - a.all.departed
    || a.operation - b.operation,
  share: (a, b) => b.all.share - a.all.share || a.operation - b.operation,
  error: (a, b) => (b.all.nearest ?? -1) - (a.all.nearest ?? -1) || a.operation - b.operation,
  name: (a, b) => a.operation - b.operation,
};

let asked = null;

/** Whether the results have a case of an operation on a target, whatever the filters are. */
function isAsked(operation, target) {
  asked ??= new Set(COLUMNS.operation.map((one, n) => `${one} ${COLUMNS.target[n]}`));
  return asked.has(`${operation} ${target}`);
}

/** Draw the matrix; `choose(changes)` is called with the changes to the selection. */
function drawMatrix(cases, choose) {
  const matrix = document.getElementById("matrix");
  const rows = sumUp(cases).sort(ORDERS[selection.order] ?? ORDERS.departures);
  const targets = NAMES.target.map((_, t) => t).filter((t) => rows.some((row) => row.cells.has(t)));
  if (rows.length === 0) {
    matrix.replaceChildren(make("p", "note", "No case matches."));
    return;
  }
  const head = make("tr", "", heading("col", "Operation"));
  for (const t of targets) {
    const th = heading("col", line(NAMES.target[t]));
    if (targets.length === 1) {
      th.append(make("small", "", "cases by outcome · share that departs · largest error of a pass, of its bound"));
    }
    th.style.width = `${90 / targets.length}%`;
    head.append(th);
  }
  const body = make("tbody", "");
  for (const row of rows) {
    const name = NAMES.operation[row.operation];
    const title = heading("row", "");
    title.append(button("name", line(name), () => choose({ operation: name })));
    title.append(make("small", "", line(row.category)));
    const tr = make("tr", row.all.unexpected ? "departs" : "", title);
    for (const t of targets) {
      const cell = row.cells.get(t);
      const td = make("td", "");
      if (cell === undefined) td.append(make("span", "none", isAsked(row.operation, t) ? "none match" : "not asked"));
      else td.append(drawCell(cell, name, NAMES.target[t], choose));
      tr.append(td);
    }
    body.append(tr);
  }
  const table = make("table", "matrix", make("thead", "", head), body);
  matrix.replaceChildren(table);
}

/** One cell: a bar of the outcomes' shares, their counts, the worst error. */
function drawCell(cell, operation, target, choose) {
  const bar = make("span", "shares");
  bar.setAttribute("aria-hidden", "true");
  const counts = make("span", "counts");
  cell.outcomes.forEach((count, outcome) => {
    if (count === 0) return;
    const name = NAMES.outcome[outcome];
    const share = make("i", "fill " + outcomeClass(name));
    share.style.flexGrow = count;
    bar.append(share);
    counts.append(make("span", "tally " + outcomeClass(name), `${number(count)} ${outcomeLabel(name)}`), " ");
  });
  const share = make("span", cell.unexpected ? "worst bad" : "worst", percent(cell.share));
  const departures = cell.departures.map(([kind, count]) => `${number(count)} ${kind}`);
  share.title = `${departures.join(", ") || "0 departures"} of ${number(cell.total)} cases`;
  const nearest = make("span", "worst", times(cell.nearest));
  if (cell.nearest !== null) nearest.title = "largest error of a case that passes, as a multiple of its bound";
  const element = button("cell", "", () => choose({ operation, target }));
  element.append(counts, share, nearest, bar);
  return element;
}

/** The meaning of colours and numbers. */
function drawLegend() {
  const legend = document.getElementById("legend");
  const used = new Set(COLUMNS.outcome);
  NAMES.outcome.forEach((name, n) => {
    if (used.has(n)) legend.append(make("span", "tally " + outcomeClass(name), outcomeLabel(name)), " ");
  });
  legend.append("Right of the counts: the share of the cases that depart, known departures included, and the largest error of a pass as a multiple of its bound.");
}
