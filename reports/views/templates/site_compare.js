// Releases: what was fixed and what broke between two columns, by cause.

const HASH = 6; // bytes of a case's hash
const SHOWN_KINDS = 200; // rows of a table at most

/** The hashes of cases as numbers, which hold 48 bits exactly. */
function hashesOf(base64) {
  const bytes = atob(base64);
  const found = new Array(bytes.length / HASH);
  for (let k = 0; k < found.length; k++) {
    let value = 0;
    for (let b = 0; b < HASH; b++) value = value * 256 + bytes.charCodeAt(k * HASH + b);
    found[k] = value;
  }
  return found;
}

const versionOf = (column) => column.openvino.split(".").map(Number);

function isBefore(a, b) {
  const [left, right] = [versionOf(a), versionOf(b)];
  for (let k = 0; k < Math.max(left.length, right.length); k++) {
    if ((left[k] ?? 0) !== (right[k] ?? 0)) return (left[k] ?? 0) < (right[k] ?? 0);
  }
  return false;
}

/** The column of the release before, on the same device with the same profile; of the same machine and depth first. */
function beforeOf(column) {
  const alike = (one) => (one.machine === column.machine) * 2 + (one.depth === column.depth);
  const earlier = SITE.columns.filter((one) => one.device === column.device && one.profile === column.profile && isBefore(one, column));
  earlier.sort((a, b) => (isBefore(a, b) ? 1 : isBefore(b, a) ? -1 : alike(b) - alike(a)));
  return earlier[0];
}

/** Another column of the same device: of the same profile and machine first, of these the one that stands before it. */
function likestOf(column) {
  const alike = (one) => (one.profile === column.profile) * 2 + (one.machine === column.machine);
  const others = SITE.columns.filter((one) => one !== column && one.device === column.device);
  return others.reverse().sort((a, b) => alike(b) - alike(a))[0];
}

/** The run before that of a column: of the same device, profile, machine and depth. */
function runBefore(column) {
  const same = SITE.columns.filter((one) => one.started < column.started
    && ["device", "profile", "machine", "depth", "part"].every((key) => one[key] === column[key]));
  return same.sort((a, b) => (a.started < b.started ? 1 : -1))[0];
}

/** Whether a case has a type among its inputs, and unknown dimensions or none, as an address asks. */
function isOf(id, address) {
  const data = id.split("/")[2] ?? "";
  return (!address.type || new RegExp(`(^|,)${address.type}\\[`).test(data))
    && (!address.shapes || /(^|[/,])shape=/.test(id.split("/").slice(3).join("/")) === (address.shapes === "dynamic"));
}

async function drawComparePage(address) {
  const newest = [...SITE.columns].sort((a, b) => (a.started < b.started ? 1 : -1));
  // What asked all cases first.
  newest.sort((a, b) => Boolean(a.part) - Boolean(b.part));
  const chosen = COLUMN_OF.get(address.column) ?? newest.find(runBefore) ?? newest.find(beforeOf) ?? newest.find(likestOf) ?? newest[0];
  const base = COLUMN_OF.get(address.base) ?? runBefore(chosen) ?? beforeOf(chosen) ?? likestOf(chosen) ?? SITE.columns.find((one) => one !== chosen) ?? chosen;
  const options = SITE.columns.map((column) => [column.id, column.label]);
  [at.column, at.base] = [chosen.id, base.id];
  // A column of another device is compared with one of its own.
  const ofBase = (id) => (id !== base.id && COLUMN_OF.get(id).device === base.device ? {} : { base: "" });
  const filters = filtersOf("Choose two columns", chooser("Column", "column", options, null, ofBase), chooser("Compared with", "base", options, null),
    chooser("Type", "type", SITE.types), chooser("Shapes", "shapes", ["static", "dynamic"]),
    chooser("Severity", "severity", Object.keys(SITE.severities)));
  const title = make("h1", "", line(chosen.label), " compared with ", line(base.label));
  if (chosen === base) return [title, filters, make("p", "note", "Choose two columns.")];
  const [before, after] = await loadAll([base, chosen], "cases");
  const found = compare(before, after);
  const severity = SITE.standings.indexOf(address.severity ?? "");
  const narrow = (cases, data) => cases.filter((n) => isOf(data.case[n], address) && (severity < 0 || data.standing[n] === severity));
  const sections = [
    ["Broke", "broke", "cases that conformed before, and depart now", narrow(found.broken, after), after, chosen],
    ["Fixed", "fixed", "cases that departed before, and conform now", narrow(found.fixed, before), before, base],
    ["Departs in another way", "depart in another way", "cases that departed before for another cause, or in a worse way", narrow(found.changed, after), after, chosen],
  ];
  const summary = about(`${number(found.common)} cases ran in both: ${sections.map(([, verb, , cases]) => (
    `${number(cases.length)} ${verb}`)).join(", ")}. ${number(found.unasked)} departures are of cases that the other did not run.`);
  return [title, filters, summary, ...sections.flatMap(([name, , means, cases, data, column]) => (
    byCause(name, means, cases, data, column)))];
}

/** Numbers of the departures that one column has and the other has not, or has otherwise. */
function compare(before, after) {
  const [old, now] = [before, after].map((data) => ({
    hashes: hashesOf(data.hashes), right: new Set(hashesOf(data.right)), data,
  }));
  const departedBefore = new Map(old.hashes.map((hash, n) => [hash, n]));
  const departsNow = new Set(now.hashes);
  const [broken, changed, fixed] = [[], [], []];
  let unasked = 0;
  let common = 0;
  now.hashes.forEach((hash, n) => {
    if (old.right.has(hash)) broken.push(n);
    else if (departedBefore.has(hash)) {
      common++;
      const m = departedBefore.get(hash);
      const isOther = before.causes[before.cause[m]] !== after.causes[after.cause[n]];
      if (isOther || after.standing[n] < before.standing[m]) changed.push(n);
    } else unasked++;
  });
  old.hashes.forEach((hash, n) => {
    if (now.right.has(hash)) fixed.push(n);
    else if (!departsNow.has(hash)) unasked++;
  });
  for (const hash of now.right) common += old.right.has(hash);
  return { broken, changed, fixed, unasked, common: common + broken.length + fixed.length };
}

/** A table of some departures of a column by cause, the worst first. */
function byCause(name, means, cases, data, column) {
  const found = new Map();
  for (const n of cases) {
    const id = data.causes[data.cause[n]];
    if (!found.has(id)) found.set(id, { id, cases: [], worst: 99, operations: new Set() });
    const own = found.get(id);
    own.cases.push(n);
    own.worst = Math.min(own.worst, data.standing[n]);
    own.operations.add(data.operation.texts[data.operation.numbers[n]]);
  }
  const ordered = [...found.values()].sort((a, b) => a.worst - b.worst || b.cases.length - a.cases.length);
  const title = make("h2", "", `${name} `, make("small", "", means));
  if (!ordered.length) return [title, make("p", "note", "None.")];
  const rows = ordered.slice(0, SHOWN_KINDS).map((own) => {
    const cause = CAUSE_OF.get(own.id);
    const shortest = own.cases.reduce((best, n) => (data.case[n].length < data.case[best].length ? n : best));
    const id = data.case[shortest];
    const operations = [...own.operations];
    return [
      make("span", "", link("", to("cause", { id: own.id, column: column.id }), line(cause?.title ?? own.id))),
      severityName(own.worst), kindName(cause?.kind), number(own.cases.length),
      line(operations.slice(0, 3).join(", ") + (operations.length > 3 ? ` and ${operations.length - 3} more` : "")),
      link("", to("operation", { name: data.operation.texts[data.operation.numbers[shortest]], column: column.id, case: id }),
        make("code", "id", ...breakable(id))),
    ];
  });
  return [title, framed(table("plain", ["Cause", "Severity", "Class", "Cases", "Operations", "For example"], rows,
    ["", "fit", "fit", "number fit", "", ""]), name, rows.length > 12)];
}
