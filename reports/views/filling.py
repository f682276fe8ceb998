"""Fills a template of a page with its script, style and data."""

from __future__ import annotations

import base64
import hashlib
import importlib.resources
import re
from collections.abc import Callable, Mapping, Sequence

import jinja2
from markupsafe import Markup

from reports.views.packed import packed


def filled(
    template: str,
    scripts: Sequence[str],
    styles: Sequence[str],
    data: object,
    filters: Mapping[str, Callable[..., object]] | None = None,
    **values: object,
) -> str:
    """Return a page: a template with ``scripts``, ``styles``, ``data`` for the script, and other ``values``."""
    folder = importlib.resources.files("reports.views").joinpath("templates")
    script, style = (
        "\n".join(lean(folder.joinpath(name).read_text(encoding="utf-8")) for name in names)
        for names in (scripts, styles)
    )
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("reports.views"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(filters or {})
    return environment.get_template(template).render(
        values,
        script=Markup(script),
        style=Markup(style),
        script_hash=_content_hash(script),
        style_hash=_content_hash(style),
        data=Markup(packed(data)),
    )


def lean(code: str) -> str:
    """Return a script or a style without indentation, and without lines that are only a comment.

    No text in the templates spans lines.
    """
    lines = (line.strip() for line in code.splitlines())
    return "\n".join(line for line in lines if not re.fullmatch(r"(//.*|/\*((?!\*/).)*\*/)?", line))


def _content_hash(text: str) -> str:
    """Return a source of a Content-Security-Policy."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
