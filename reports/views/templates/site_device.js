// Devices: each column, and one with what it said of itself, its kernels, the slowest cases and the largest errors.

async function drawDevicesPage(address) {
  const column = COLUMN_OF.get(address.column);
  return column === undefined ? drawAllDevices() : drawDevice(column);
}

const totals = (column) => SITE.standings.map((_, k) => sumOf(column.cells.map(([, counts]) => counts[k])));

function drawAllDevices() {
  const rows = SITE.columns.map((column) => {
    const counts = totals(column);
    return [
      columnLink(column), fillTile(make("span", ""), counts, ""), number(sumOf(counts)), number(departuresOf(counts)),
      number(sumOf(column.cells.map(([, , unexpected]) => unexpected))), number(column.seen.length),
      line(column.openvino), line(column.machine), line(column.started.slice(0, 10)), line(column.part),
    ];
  });
  return [make("h1", "", make("strong", "", number(rows.length)), ` column${rows.length === 1 ? "" : "s"}`), framed(table("plain",
    ["Column", "Worst", "Cases", "Departures", "Unexpected", "Causes", "OpenVINO", "Machine", "Day", "Part"], rows,
    ["", "", "number", "number", "number", "number", "", "", "fit", ""]), "columns")];
}

async function drawDevice(column) {
  const data = await load(`${column.folder}/device`);
  const counts = totals(column);
  const list = make("dl", "facts");
  const add = (name, value) => list.append(make("div", "", make("dt", "", name), make("dd", "", value)));
  for (const [name, value] of data.facts) add(name, line(value));
  if (column.part) add("Part", line(column.part));
  add("Results", line(column.file));
  for (const [name, value] of Object.entries(data.settings)) {
    list.append(make("div", "", make("dt", "", make("code", "", line(name))), make("dd", "", make("code", "", line(value)))));
  }
  const links = about(
    link("", to("matrix", { columns: column.id }), "its column of the matrix"), " · ",
    link("", to("causes", { device: column.device, release: column.release, profile: column.profile }), "its causes"), " · ",
    link("", to("compare", { column: column.id }), "what changed"), " · ",
    link("", `badges/${column.id}.svg`, "badge"),
  );
  const kernels = data.kernels.map(([name, cases, operations]) => [
    make("code", "", line(name)), number(cases), line(operations.join(", "))]);
  const cases = (rows, shown) => rows.map(([id, name, value]) => [
    make("code", "id", ...breakable(id)), shown(value),
    link("", to("operation", { name, column: column.id }), line(name))]);
  const without = data.without_kernel ? `${number(data.without_kernel)} cases have no name of the kernel that executed them.` : "";
  return [
    make("h1", "", line(column.label)), links, fillTile(make("p", ""), counts, ""), make("h2", "", "Properties that the device reports"), list,
    make("h2", "", `${number(kernels.length)} kernels executed cases`), about(without),
    framed(table("plain", ["Kernel", "Cases", "Operations"], kernels, ["", "number fit", ""]), "kernels", kernels.length > 12),
    make("h2", "", "The slowest cases"),
    framed(table("plain", ["Case", "Seconds", "Operation"], cases(data.slowest, (s) => s.toPrecision(3)), ["", "number fit", ""]), "slowest cases", true),
    make("h2", "", "The largest errors of cases that conform"),
    framed(table("plain", ["Case", "Of its bound", "Operation"], cases(data.errors, times), ["", "number fit", ""]), "largest errors", true),
  ];
}
