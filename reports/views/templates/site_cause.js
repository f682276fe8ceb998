// Causes: all of them, and one with the devices and releases that have it and the text that one would file.

async function drawCausesPage(address) {
  const columns = chosenColumns(address);
  const rows = [];
  for (const cause of CAUSES) {
    const seen = columns.flatMap((column) => column.seenOf.get(cause.index) ?? []);
    if (!seen.length && address.seen !== "all") continue;
    const severity = Math.min(...seen.map((one) => one.severity), 99);
    if (address.class && cause.kind !== address.class) continue;
    if (address.severity && severity !== SITE.standings.indexOf(address.severity)) continue;
    if (address.words && !hasWords(`${cause.title} ${cause.id} ${cause.component}`, address.words)) continue;
    const places = columns.filter((column) => column.seenOf.has(cause.index));
    rows.push([
      link("", to("cause", { id: cause.id }), line(cause.title)),
      severity < 99 ? severityName(severity) : "not seen", kindName(cause.kind), line(cause.component),
      line(releases(cause.since)), line(releases(cause.fixed)),
      line(distinct(places.map((column) => `${column.device} ${column.release}`)).join(", ")),
      number(Math.max(0, ...seen.map((one) => one.cases))),
    ]);
  }
  const filters = filtersOf(
    "Choose causes",
    typed("Words", "words", "title, component …"),
    ...facetFields(),
    chooser("Severity", "severity", Object.keys(SITE.severities)),
    chooser("Class", "class", Object.keys(SITE.classes)),
    chooser("Which", "seen", [["", "seen here"], ["all", "all known"]], null),
  );
  const title = make("h1", "", make("strong", "", number(rows.length)), ` cause${rows.length === 1 ? "" : "s"}`);
  if (!rows.length) return [title, filters, make("p", "note", "No cause matches.")];
  return [title, filters, framed(table("plain",
    ["Cause", "Severity", "Class", "Component", "Since", "Fixed in", "Seen on", "Cases"], rows,
    ["", "fit", "fit", "", "", "", "", "number"]), "causes"),
  about(Object.entries(SITE.classes).map(([kind, meaning]) => `${kind}: ${meaning}`).join("; "))];
}

async function drawCausePage(address) {
  const cause = CAUSE_OF.get(address.id);
  if (cause === undefined) return [make("h1", "", line(address.id ?? "")), problem("There is no cause of this name.")];
  const columns = SITE.columns.filter((column) => column.seenOf.has(cause.index));
  const chosen = columns.find((column) => column.id === address.column) ?? columns[columns.length - 1];
  const told = (await load("data/causes"))[cause.id] ?? {};
  const found = [make("h1", "", line(cause.title)), about(kindName(cause.kind), " ", cause.kind ? SITE.classes[cause.kind] : "")];
  const list = make("dl", "facts");
  const add = (name, value) => { if (value) list.append(make("div", "", make("dt", "", name), make("dd", "", value))); };
  add("Component", line(cause.component && `${cause.component}: ${SITE.components[cause.component]}`));
  add("Since", line(releases(cause.since)));
  add("Last good", line(releases(told.last_good)));
  add("Fixed in", line(releases(cause.fixed)));
  add("Known on", line(cause.devices.join(", ")));
  add("One fix for", line(cause.fix || ""));
  add("The specification says", told.page ? make("span", "text", lines(told.page)) : "");
  add("Smallest case", told.smallest ? caseLink(told.smallest) : "");
  add("Not deterministic", line(told.nondeterministic || ""));
  if (told.link) add("Issue", link("", told.link, line(told.link)));
  add("Notes", told.notes ? make("span", "text", lines(told.notes.trim())) : "");
  found.push(list, make("h2", "", "Where it is seen"));
  if (!chosen) {
    found.push(make("p", "note", "No results of this site show it."));
    return found;
  }
  const own = (await load(`${chosen.folder}/causes`)).find((one) => one.cause === cause.id);
  found.push(framed(whereSeen(cause, Object.keys(own?.operations ?? {})), "where it is seen"));
  if (own) {
    found.push(make("h2", "", `On ${line(chosen.label)}`));
    found.push(about("For example ", link("", to("operation", { name: own.operation, column: chosen.id, case: own.example }),
      make("code", "id", ...breakable(own.example)))));
    if (own.detail) found.push(make("p", "about text-block", lines(own.detail)));
    const rows = Object.entries(own.operations).sort((a, b) => b[1] - a[1]).map(([name, cases]) => [
      link("", to("operation", { name, column: chosen.id, why: cause.id }), line(name)), number(cases)]);
    found.push(framed(table("plain", ["Operation", "Cases"], rows, ["", "number"]), "operations of the cause", rows.length > 12));
  }
  const issue = (await load(`${chosen.folder}/issues`))[cause.id];
  if (issue !== undefined) {
    const shown = make("pre", "issue", lines(issue));
    shown.tabIndex = 0;
    found.push(make("h2", "", "Issue text for OpenVINO"), copyButton("Copy", issue, shown), shown);
  }
  return found;
}

/** A case of an operation, which leads there. */
function caseLink(id) {
  const operation = id.split("/")[0];
  const code = make("code", "id", ...breakable(id));
  return OPERATION_OF.has(operation) ? link("", to("operation", { name: operation, case: id }), code) : code;
}

/** Every column: how many cases show the cause, that none does, or that it asked none of the operations. */
function whereSeen(cause, operations) {
  const numbers = operations.map((name) => OPERATION_OF.get(name));
  const isAsked = (column) => !numbers.length || numbers.some((n) => column.cellOf.has(n));
  const rows = SITE.columns.map((column) => {
    const seen = column.seenOf.get(cause.index);
    const name = columnLink(column);
    return [
      column.part ? make("span", "", name, make("small", "", " part of the cases")) : name,
      seen ? severityName(seen.severity) : isAsked(column) ? "not seen" : "not asked",
      seen ? number(seen.cases) : isAsked(column) ? "0" : "",
      seen ? link("", to("cause", { id: cause.id, column: column.id }), "its cases and text") : "",
    ];
  });
  return table("plain", ["Column", "Severity", "Cases", "More"], rows, ["", "fit", "number fit", ""]);
}
