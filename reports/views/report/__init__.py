"""One self-contained HTML report of any number of results, with every case.

The report carries its data as compressed columns of JSON and draws itself from them, so that it opens
and filters quickly with hundreds of thousands of cases. It loads nothing: its
Content-Security-Policy admits its own script and style, by their hashes, and nothing else. All
text from results stays text: jinja2 escapes it, the JSON is in base64, and the script only ever
sets text.
"""

from reports.views.report.render import html_report

__all__ = ["html_report"]
