"""Writes the evidence of a verdict as a failure folder."""

from __future__ import annotations

from pathlib import Path

from devices import Evidence, Verdict
from devices.engine import case_files
from reports.results.failures import folders
from reports.results.failures.folder_plan import FolderPlan
from reports.results.records import CaseRecord
from tests.conformance.selection import SuiteTarget


def write_folder(
    root: Path,
    record: CaseRecord,
    verdict: Verdict,
    evidence: Evidence,
    target: SuiteTarget,
    plan: FolderPlan,
    seed: int,
    *,
    openvino: str,
    compile_only: bool,
) -> str:
    """Write the failure folder of a case, if the plan has one for it. Returns its path below ``root``, or ""."""
    # What a folder holds takes long to prepare, and few departures have one.
    if plan.passes_over(record) or plan.refuses(record, evidence.size):
        return ""
    content = case_files.of_verdict(
        verdict,
        evidence,
        target.device,
        target.profile,
        seed,
        openvino=openvino,
        compile_only=compile_only,
    )
    return folders.write(root, record, content, plan)
