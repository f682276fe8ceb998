"""A document as one HTML page that needs nothing else, runs no script and loads nothing."""

from __future__ import annotations

import html

from reports.results.shared.text import printable, trim
from reports.views.documents.blocks import (
    LONGEST_DETAIL,
    Block,
    Heading,
    Item,
    Items,
    Link,
    Paragraph,
    Remark,
    ReportDocument,
    Table,
)


def as_html(document: ReportDocument, title: str) -> str:
    """Return the page; `title` is also its heading if the document has none of level 1."""
    blocks = list(document.blocks)
    if not (blocks and isinstance(blocks[0], Heading) and blocks[0].level == 1):
        blocks.insert(0, Heading(title, 1))
    body = "\n".join(map(_block, blocks))
    return _PAGE.format(title=_escape(title), body=body)


def _block(block: Block) -> str:
    match block:
        case Heading(text, level):
            return f"<h{level}>{_escape(text)}</h{level}>"
        case Paragraph(text):
            return f"<p>{_escape(text)}</p>"
        case Link(text, url):
            return f'<p><a href="{_escape(url)}" rel="noreferrer">{_escape(text)}</a></p>'
        case Table(header, rows, names):
            head = "".join(
                f'<th scope="col"{" class=name" if column < names else ""}>{_escape(cell)}</th>'
                for column, cell in enumerate(header)
            )
            lines = (
                "<tr>"
                + "".join(
                    f'<th scope="row">{_escape(cell)}</th>'
                    if column < names
                    else f"<td>{_escape(cell)}</td>"
                    for column, cell in enumerate(row)
                )
                + "</tr>"
                for row in rows
            )
            return (
                f'<div class="table"><table><thead><tr>{head}</tr></thead>'
                f"<tbody>{''.join(lines)}</tbody></table></div>"
            )
        case Items(lines):
            return f"<ul>{''.join(map(_item, lines))}</ul>"


def _item(line: Item | Remark) -> str:
    if isinstance(line, Remark):
        return f"<li>{_escape(line.text)}</li>"
    detail = trim(line.detail, LONGEST_DETAIL)
    detail_html = f"<span>{_escape(detail)}</span>" if detail else ""
    return f"<li><b>{_escape(line.label)}</b> <code>{_escape(line.case)}</code> {detail_html}</li>"


def _escape(text: str) -> str:
    return html.escape(printable(text))


_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="generator" content="openvino-layer-conformance">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 15px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; }}
body {{ padding: 0 1rem; }}
h1 {{ font-size: 1.5rem; }}
h2 {{ font-size: 1.15rem; margin-top: 2rem; }}
h3 {{ font-size: 1rem; }}
.table {{ overflow-x: auto; }}
table {{ border-collapse: collapse; font-variant-numeric: tabular-nums; }}
table {{ margin: 1rem 0; white-space: nowrap; }}
th, td {{ padding: .2rem 1.2rem .2rem 0; border-bottom: 1px solid #8884; text-align: right; vertical-align: top; }}
th[scope=row], th.name {{ text-align: left; }}
th[scope=row] {{ font-weight: normal; }}
tbody th[scope=row] + th[scope=row] {{ white-space: normal; overflow-wrap: anywhere; min-width: 6rem; }}
ul {{ list-style: none; padding: 0; }}
li {{ padding: .3rem 0; border-bottom: 1px solid #8882; overflow-wrap: anywhere; }}
li b {{ display: inline-block; min-width: 4rem; font-size: .8em; }}
li span {{ display: block; font-size: .9em; opacity: .8; }}
code {{ font: 13px/1.4 ui-monospace, monospace; }}
</style>
</head>
<body>
{body}
</body>
</html>
"""
