// The matrix operation × device and profile, of the cases that pass the filters.

/** Sums over the cases of one cell. */
class Cell {
  constructor() {
    this.total = 0;
    this.departures = 0;
    this.worst = null;
    this.outcomes = new Array(NAMES.outcome.length).fill(0);
  }

  add(n) {
    this.total++;
    this.outcomes[COLUMNS.outcome[n]]++;
    if (nameOf("gate", n) === "departure") this.departures++;
    const fraction = COLUMNS.fraction[n];
    if (fraction !== null && !(fraction <= this.worst && this.worst !== null)) this.worst = fraction;
  }
}

/** Rows of the matrix: the operation's number, its cells by target, and their sum. */
function sumUp(cases) {
  const rows = new Map();
  for (const n of cases) {
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
  departures: (a, b) => b.all.departures - a.all.departures || a.operation - b.operation,
  error: (a, b) => (b.all.worst ?? -1) - (a.all.worst ?? -1) || a.operation - b.operation,
  name: (a, b) => a.operation - b.operation,
};

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
    th.style.width = `${90 / targets.length}%`;
    head.append(th);
  }
  const body = make("tbody", "");
  for (const row of rows) {
    const name = NAMES.operation[row.operation];
    const title = heading("row", "");
    title.append(button("name", line(name), () => choose({ operation: name })));
    title.append(make("small", "", line(row.category)));
    const tr = make("tr", row.all.departures ? "departs" : "", title);
    for (const t of targets) {
      const cell = row.cells.get(t);
      const td = make("td", "");
      if (cell === undefined) td.append(make("span", "none", "not run"));
      else td.append(drawCell(cell, name, NAMES.target[t], choose));
      tr.append(td);
    }
    body.append(tr);
  }
  const table = make("table", "matrix", make("thead", "", head), body);
  matrix.replaceChildren(table);
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
    counts.append(make("span", "tally " + outcomeClass(name), `${number(count)} ${name}`), " ");
  });
  const worst = make("span", cell.worst > 1 ? "worst bad" : "worst", times(cell.worst));
  if (cell.worst !== null) worst.title = "worst error as a multiple of its bound";
  const element = button("cell", "", () => choose({ operation, target }));
  element.append(counts, worst, bar);
  return element;
}

const outcomeClass = (name) => "o-" + name.toLowerCase().replaceAll("_", "-");

/** The meaning of colours and numbers. */
function drawLegend() {
  const legend = document.getElementById("legend");
  const used = new Set(COLUMNS.outcome);
  NAMES.outcome.forEach((name, n) => {
    if (used.has(n)) legend.append(make("span", "tally " + outcomeClass(name), name), " ");
  });
  legend.append("2.4× is the worst error as a multiple of its bound; above 1× is outside.");
}
