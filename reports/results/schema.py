"""The JSON Schema of results files, generated from the types in `reports.results.records`."""

from __future__ import annotations

import ast
import inspect
import json
from pathlib import Path
from typing import Any

import msgspec

from reports.results import records

SCHEMA_FILE = Path(__file__).with_name("results.schema.json")


def as_text() -> str:
    """Return the content of `SCHEMA_FILE`."""
    return _text(json_schema())


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of a line, and of the document of ``export``."""
    types = (records.Header, records.CaseRecord, records.Document)
    references, components = msgspec.json.schema_components(types, ref_template="#/$defs/{name}")
    for name, descriptions in _field_descriptions().items():
        for field, description in descriptions.items():
            properties = components.get(name, {}).get("properties", {})
            if field in properties:
                properties[field]["description"] = description
    return {
        "title": f"Results of the OpenVINO layer conformance suite, schema {records.SCHEMA}",
        "description": (
            "One line of a results file (a run's header or a case), or the document that "
            "`python -m reports export --format json` writes."
        ),
        "anyOf": list(references),
        "$defs": components,
    }


def of_document(document: type, title: str, description: str) -> str:
    """Return the text of the JSON Schema of a document, which is generated from its type."""
    (reference,), components = msgspec.json.schema_components(
        [document], ref_template="#/$defs/{name}"
    )
    return _text({"title": title, "description": description, **reference, "$defs": components})


def _text(schema: dict[str, Any]) -> str:
    whole = {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
    return json.dumps(_same_in_each_msgspec(whole), indent=2) + "\n"


def _same_in_each_msgspec(schema: Any) -> Any:
    """Return the schema as every release of msgspec writes it.

    Releases differ in the place of null among alternatives, and from 0.23 on they say
    ``propertyNames`` of a mapping whose keys are an enumeration.
    """
    if isinstance(schema, dict):
        kept = {key: value for key, value in schema.items() if key != "propertyNames"}
        return {key: _same_in_each_msgspec(value) for key, value in kept.items()}
    if isinstance(schema, list):
        return sorted(map(_same_in_each_msgspec, schema), key=lambda one: one == {"type": "null"})
    return schema


def _field_descriptions() -> dict[str, dict[str, str]]:
    """Return the text below each field of each class: Python itself does not keep it."""
    found: dict[str, dict[str, str]] = {}
    for node in ast.parse(inspect.getsource(records)).body:
        if not isinstance(node, ast.ClassDef):
            continue
        fields = found.setdefault(node.name, {})
        for field, below in zip(node.body, node.body[1:], strict=False):
            if (
                isinstance(field, ast.AnnAssign)
                and isinstance(field.target, ast.Name)
                and isinstance(below, ast.Expr)
                and isinstance(below.value, ast.Constant)
            ):
                fields[field.target.id] = " ".join(str(below.value.value).split())
    return found
