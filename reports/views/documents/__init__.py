"""A report as blocks, written as plain text, Markdown or one HTML page.

The commands decide what a report says; these modules decide what it looks like.
"""

from reports.views.documents.blocks import (
    Heading,
    Item,
    Link,
    Paragraph,
    Remark,
    ReportDocument,
    Table,
)
from reports.views.documents.html import as_html
from reports.views.documents.markdown import as_markdown
from reports.views.documents.output import add_format_arguments, add_out_arguments, put, show
from reports.views.documents.plain import as_text

__all__ = [
    "Heading",
    "Item",
    "Link",
    "Paragraph",
    "Remark",
    "ReportDocument",
    "Table",
    "add_format_arguments",
    "add_out_arguments",
    "as_html",
    "as_markdown",
    "as_text",
    "put",
    "show",
]
