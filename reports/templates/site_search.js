// Search: operations, causes, columns, and cases that depart, by a part of their id.

const MOST_FOUND = 100;

async function drawSearchPage(address) {
  const words = (address.text ?? "").trim();
  element("text").value = words;
  const title = make("h1", "", "Search: ", make("strong", "", line(words)));
  if (!words) return [title, make("p", "note", "Type a part of an operation's name, of a cause's title, or a case id.")];
  const found = [title];
  const list = (name, entries) => {
    if (!entries.length) return;
    found.push(make("h2", "", `${name} (${number(entries.length)})`),
      make("ul", "", ...entries.slice(0, MOST_FOUND).map((entry) => make("li", "", entry))));
  };
  const operation = words.split("/")[0];
  if (words.includes("/") && OPERATION_OF.has(operation)) list("Cases", [caseLink(words)]);
  list("Operations", SITE.operations.filter(([name, category]) => hasWords(`${name} ${category}`, words))
    .map(([name]) => link("", to("operation", { name }), line(name))));
  list("Causes", CAUSES.filter((cause) => hasWords(`${cause.title} ${cause.id} ${cause.component}`, words))
    .map((cause) => link("", to("cause", { id: cause.id }), line(cause.title))));
  list("Columns", SITE.columns.filter((column) => hasWords(`${column.label} ${column.machine} ${column.openvino} ${column.file}`, words))
    .map(columnLink));
  if (found.length === 1) found.push(make("p", "note", "Nothing has these words."));
  return found;
}
