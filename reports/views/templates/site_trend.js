// Trend: causes by severity over time, for each device; and the history of one case.

const CHART = { widest: 720, height: 150, left: 40, right: 40, top: 8, bottom: 22 }; // pixels
const SHIFT = 64n;
const WORD = (1n << SHIFT) - 1n;
const IV = [
  0x6a09e667f3bcc908n, 0xbb67ae8584caa73bn, 0x3c6ef372fe94f82bn, 0xa54ff53a5f1d36f1n,
  0x510e527fade682d1n, 0x9b05688c2b3e6c1fn, 0x1f83d9abfb41bd6bn, 0x5be0cd19137e2179n,
];
const SIGMA = [
  "0123456789abcdef", "ea489fd61c02b753", "b8c052fdae367194", "7931dcbe265a40f8", "905724afe1bc683d",
  "2c6a0b834d75fe19", "c51fed4a0763928b", "db7ec13950f4862a", "6fe9b308c2d714a5", "a2847615fb9e3cd0",
];

/** The hash by which `cases` of a column has a case: blake2b of 6 bytes, as a number. See `case_hash` of run_column.py. */
function caseHash(id) {
  const bytes = new TextEncoder().encode(id);
  const h = [...IV];
  h[0] ^= 0x01010000n ^ BigInt(HASH);
  const blocks = Math.max(1, Math.ceil(bytes.length / 128));
  for (let k = 0; k < blocks; k++) {
    const block = new Uint8Array(128);
    block.set(bytes.subarray(128 * k, 128 * (k + 1)));
    const view = new DataView(block.buffer);
    const m = Array.from({ length: 16 }, (_, n) => view.getBigUint64(8 * n, true));
    const v = [...h, ...IV];
    v[12] ^= BigInt(Math.min(bytes.length, 128 * (k + 1)));
    if (k === blocks - 1) v[14] ^= WORD;
    const turn = (x, n) => (x >> n) | ((x << (SHIFT - n)) & WORD);
    const mix = (a, b, c, d, x, y) => {
      v[a] = (v[a] + v[b] + x) & WORD; v[d] = turn(v[d] ^ v[a], 32n);
      v[c] = (v[c] + v[d]) & WORD; v[b] = turn(v[b] ^ v[c], 24n);
      v[a] = (v[a] + v[b] + y) & WORD; v[d] = turn(v[d] ^ v[a], 16n);
      v[c] = (v[c] + v[d]) & WORD; v[b] = turn(v[b] ^ v[c], 63n);
    };
    for (let round = 0; round < 12; round++) {
      const s = [...SIGMA[round % 10]].map((one) => m[Number.parseInt(one, 16)]);
      for (let n = 0; n < 4; n++) mix(n, n + 4, n + 8, n + 12, s[2 * n], s[2 * n + 1]);
      for (let n = 0; n < 4; n++) mix(n, 4 + ((n + 1) % 4), 8 + ((n + 2) % 4), 12 + ((n + 3) % 4), s[8 + 2 * n], s[9 + 2 * n]);
    }
    for (let n = 0; n < 8; n++) h[n] ^= v[n] ^ v[n + 8];
  }
  let value = 0;
  for (let b = 0n; b < HASH; b++) value = value * 256 + Number((h[0] >> (8n * b)) & 255n);
  return value;
}

const byDay = (a, b) => (a.started < b.started ? -1 : 1);
const dayOf = (column) => line(column.started.slice(0, 10));

/** What causes there are by severity, over time, of each device. */
async function drawTrendPage(address) {
  const columns = [...chosenColumns(address)].sort(byDay);
  const operations = SITE.operations.map(([name]) => name);
  const filters = filtersOf("Choose", chooser("Operation", "operation", operations), ...facetFields(),
    typed("History of a case", "case", "its id"));
  if (address.case?.includes("/")) return [make("h1", "", "History of a case"), filters, ...await drawHistory(columns, address.case)];
  let seenOf = (column) => column.seen.map(([cause, , severity]) => ({ cause, severity }));
  if (address.operation) {
    const own = new Map((await loadAll(columns, "causes")).map((list, k) => [columns[k], new Set(
      list.filter((one) => address.operation in one.operations).map((one) => CAUSE_OF.get(one.cause).index))]));
    const all = seenOf;
    seenOf = (column) => all(column).filter(({ cause }) => own.get(column).has(cause));
  }
  const severities = SITE.standings.map((_, k) => k).filter(departing);
  const countsOf = (column) => severities.map((k) => seenOf(column).filter(({ severity }) => severity === k).length);
  const series = new Map(); // runs that can be compared
  for (const column of columns) {
    const key = [column.device, column.profile, column.machine, column.depth, column.part].filter(Boolean).join(" · ");
    series.set(key, [...(series.get(key) ?? []), column]);
  }
  const found = [];
  for (const [name, runs] of series) {
    found.push(make("h2", "", line(name)));
    if (runs.length > 1) found.push(chart(runs, runs.map(countsOf), severities));
    const rows = runs.map((column) => {
      const counts = countsOf(column);
      return [columnLink(column), dayOf(column), number(sumOf(counts)), ...counts.map((count) => (count ? number(count) : "·"))];
    });
    found.push(framed(table("plain trend", ["Run", "Day", "Causes", ...severities.map(severityName)], rows,
      ["", "fit", "number", ...severities.map(() => "number")]), `causes by severity, ${name}`));
  }
  const title = make("h1", "", "Causes by severity", address.operation ? ` of ${line(address.operation)}` : "");
  return [title, filters, ...found,
    about("Only runs of one device, profile, machine and depth stand in one table. Cases that broke or were fixed are under Changes.")];
}

/** Runs along a time axis: a bar each, as high as the number of causes, by severity. */
function chart(runs, counts, severities) {
  const svg = (name, attributes, ...children) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  };
  const { widest, height, left, right, top, bottom } = CHART;
  const width = Math.min(widest, document.querySelector("main").clientWidth); // so that texts keep their size
  const times = runs.map((column) => Date.parse(column.started.slice(0, 19)));
  const [first, last] = [Math.min(...times), Math.max(...times)];
  const most = Math.max(1, ...counts.map(sumOf));
  const x = (time) => left + 8 + ((width - left - right - 16) * (time - first)) / (last - first || 1);
  const y = (value) => height - bottom - ((height - top - bottom) * value) / most;
  const bars = runs.flatMap((column, k) => {
    let below = 0;
    return severities.flatMap((severity, s) => {
      const count = counts[k][s];
      if (!count) return [];
      const bar = svg("rect", { class: `bar ${standingClass(SITE.standings[severity])}`, x: x(times[k]) - 4, width: 8,
        y: y(below + count), height: y(below) - y(below + count) },
      svg("title", {}, `${dayOf(column)}, ${line(column.label)}: ${count} ${SITE.standings[severity]}`));
      below += count;
      return [bar];
    });
  });
  const days = new Map(runs.map((column, k) => [dayOf(column), x(times[k])]));
  const step = Math.ceil((days.size * 70) / (width - left)); // so that days do not overlap
  const labels = [...days].filter((_, k) => k % step === 0).map(([day, place]) => svg("text", { x: place, y: height - 6, "text-anchor": "middle" }, day));
  const axis = svg("path", { class: "axis", d: `M${left} ${top}V${height - bottom}H${width - right}` });
  const scale = [0, most].map((value) => svg("text", { x: left - 6, y: y(value) + 4, "text-anchor": "end" }, number(value)));
  const drawn = svg("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Causes over time; the table has the numbers" },
    axis, ...scale, ...labels, ...bars);
  return drawn;
}

/** How one case stood in each run. */
async function drawHistory(columns, id) {
  const hash = caseHash(id);
  const all = await loadAll(columns, "cases");
  const operation = id.split("/")[0];
  const rows = columns.map((column, k) => {
    const data = all[k];
    const n = hashesOf(data.hashes).indexOf(hash);
    if (n < 0) return [columnLink(column), dayOf(column), hashesOf(data.right).includes(hash) ? "passed" : "not asked", ""];
    const cause = data.causes[data.cause[n]];
    return [columnLink(column), dayOf(column), severityName(data.standing[n]),
      link("", to("operation", { name: operation, column: column.id, case: id }), line(CAUSE_OF.get(cause)?.title ?? "no known cause"))];
  });
  return [about(make("code", "id", ...breakable(id))),
    framed(table("plain", ["Run", "Day", "Result", "Cause"], rows, ["", "fit", "fit", ""]), "history of a case")];
}
