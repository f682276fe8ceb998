// Search: operations, causes, columns, a case by its id; and what devices said of departures.

const MOST_FOUND = 100;
const LEAST_LETTERS = 3; // of what is looked for in messages

async function drawSearchPage(address) {
  const words = (address.text ?? "").trim();
  if (document.activeElement !== element("text")) element("text").value = words;
  const title = make("h1", "", "Search: ", make("strong", "", line(words)));
  if (!words) return [title, make("p", "note", "Type words: of an operation's name, of a cause, of a device's message; or a case id.")];
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
  const isNamed = (cause) => hasWords(`${cause.title} ${cause.id} ${cause.component}`, words);
  const toCause = (cause) => link("", to("cause", { id: cause.id }), line(cause.title));
  list("Causes", CAUSES.filter(isNamed).map(toCause));
  list("Columns", SITE.columns.filter((column) => hasWords(`${column.label} ${column.machine} ${column.openvino} ${column.file}`, words))
    .map(columnLink));
  if (words.length >= LEAST_LETTERS) {
    list("Messages", await messagesWith(words));
    const told = await load("data/causes");
    list("Causes that say so", CAUSES.filter((cause) => Object.hasOwn(told, cause.id) && !isNamed(cause)
      && hasPhrase(`${told[cause.id].page} ${told[cause.id].notes}`, words)).map(toCause));
  }
  if (found.length === 1) found.push(make("p", "note", "Nothing has these words."));
  return found;
}

/** Whether a text has the words one behind the other: in longer texts single words say little. */
function hasPhrase(text, words) {
  const plain = (one) => one.toLowerCase().split(/\s+/).join(" ");
  return plain(text).includes(plain(words));
}

/** What devices said with these words, once for an operation and a cause: where there are most cases. */
async function messagesWith(words) {
  const found = new Map();
  const all = await loadAll(SITE.columns, "messages");
  all.forEach((messages, k) => {
    for (const [text, operation, cause, cases] of messages) {
      if (!hasWords(text, words)) continue;
      const key = JSON.stringify([operation, cause]);
      const own = found.get(key) ?? { text, operation, cause, columns: [] };
      own.columns.push({ column: SITE.columns[k], cases });
      found.set(key, own);
    }
  });
  const most = (own) => Math.max(...own.columns.map(({ cases }) => cases));
  return [...found.values()].sort((a, b) => most(b) - most(a)).map(({ text, operation, cause, columns }) => {
    const { column, cases } = columns.reduce((best, one) => (one.cases > best.cases ? one : best));
    const others = new Set(columns.map((one) => one.column)).size - 1;
    return make("span", "", link("", to("operation", { name: operation, column: column.id, why: cause }), line(operation)), " ",
      make("q", "", line(text)), ` ${number(cases)} case${cases === 1 ? "" : "s"} on ${line(column.label)}`,
      others ? ` and in ${number(others)} other column${others === 1 ? "" : "s"}` : "");
  });
}
