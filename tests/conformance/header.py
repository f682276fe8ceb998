"""The header of a results file: the suite, OpenVINO, the machine, the targets and what was selected."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from devices.process.own_build import OPENVINO
from reports.results import records
from reports.results.records import SCHEMA, Header
from reports.results.shared import toml
from tests.conformance.selection import SuiteSelection, SuiteTarget

_PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"


def header(selection: SuiteSelection, facts: Mapping[str, Any]) -> Header:
    """The header. ``facts`` are what each target's device reports, by the target's name."""
    versions = {f.get("openvino", "") for f in facts.values()} - {""}
    return Header(
        schema=SCHEMA,
        suite=_version(),
        openvino=", ".join(sorted(versions)) or "unknown",
        own_openvino=os.environ.get(OPENVINO, ""),
        python=platform.python_version(),
        platform=platform.platform(),
        processor=_processor(),
        started=now(),
        ended=records.NOT_ENDED,
        process=f"{os.getpid()} on {platform.node() or 'this machine'}",
        seed=selection.seed,
        random=selection.random,
        selection=records.Selection(
            operations=list(selection.names),
            purposes=list(selection.purposes),
            shard="{}/{}".format(*selection.shard),
            depth=selection.depth,
            filters=list(selection.filters),
        ),
        targets=[_target_record(t, facts.get(t.name, {})) for t in selection.targets],
    )


def now() -> str:
    """The time, ISO 8601 in seconds."""
    return datetime.now(timezone.utc).isoformat(timespec="seconds")


def _target_record(target: SuiteTarget, facts: Mapping[str, Any]) -> records.Target:
    settings = {**target.profile.settings, **facts.get("settings", {})}
    return records.Target(
        device=target.device,
        profile=target.profile.name,
        full_name=facts.get("full_name", ""),
        driver=facts.get("driver", ""),
        isa=facts.get("isa", ""),
        machine=facts.get("machine", ""),
        compile_only=bool(facts.get("compile_only")),
        capabilities=facts.get("capabilities", []),
        settings={name: str(value) for name, value in settings.items()},
    )


def _version() -> str:
    # The project runs from its checkout, so there may be no installed metadata.
    return str(toml.loads(_PYPROJECT.read_text("utf-8"))["project"]["version"])


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass  # not a Linux machine
    return platform.processor() or platform.machine()
