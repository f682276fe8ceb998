// The pictures in the table of causes: the slice of an example that has the most wrong elements.

const THUMBNAIL = [132, 66]; // pixels, at most

/** Draw the pictures of the examples that have one. */
function drawExamples() {
  for (const cell of document.querySelectorAll("[data-example]")) {
    const n = Number(cell.dataset.example);
    const picture = (DATA.evidence[n]?.pictures ?? []).find((one) => one.map !== undefined);
    if (picture !== undefined) cell.append(thumbnail(n, picture));
  }
}

/** A small picture of an output that leads to its case. */
function thumbnail(n, picture) {
  const { map } = picture;
  const slice = map.slices.reduce((most, one) => (one.wrong > most.wrong ? one : most));
  const levels = Uint8Array.from(atob(slice.cells), (c) => c.charCodeAt(0));
  const wide = Math.max(1, Math.ceil(map.columns / map.step[1]));
  const high = Math.max(1, Math.ceil(levels.length / wide));
  const side = Math.max(1, Math.min(9, Math.floor(THUMBNAIL[0] / wide), Math.floor(THUMBNAIL[1] / high)));
  const canvas = make("canvas", "");
  canvas.width = wide * side;
  canvas.height = high * side;
  canvas.setAttribute("aria-hidden", "true");
  paint(canvas, levels, wide, side);
  const link = make("a", "", canvas, make("small", "", `${number(picture.wrong)} of ${number(picture.of)}`));
  link.href = addressOf(n);
  link.setAttribute("aria-label", `${number(picture.wrong)} of ${number(picture.of)} elements are wrong: to the case`);
  return link;
}

const CAUSES_SHOWN = 20;

/** Show the worst causes, and a button for the others. */
function shortenCauses() {
  const rows = [...document.querySelectorAll("#causes tbody tr")];
  if (rows.length <= CAUSES_SHOWN + 5) return;
  const rest = rows.slice(CAUSES_SHOWN);
  for (const row of rest) row.hidden = true;
  const more = button("copy", `Show all ${number(rows.length)}`, () => {
    for (const row of rest) row.hidden = false;
    more.remove();
  });
  document.querySelector("#causes .scroll").after(more);
}

/** Buttons that copy the issue of a cause, with its script. */
function offerIssues() {
  for (const place of document.querySelectorAll("[data-issue]")) {
    const text = DATA.issues[place.dataset.issue];
    if (text !== undefined) place.append(copyButton("Copy issue", text, null));
  }
}
