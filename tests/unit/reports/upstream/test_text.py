"""The text of an issue: what a reader needs to run it, place it and believe it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ir_models.asking.id_parts import is_of_graph
from reports.gate import causes
from reports.gate.causes import OLDEST_TRIED
from reports.gate.severity import Severity
from reports.results.files.reading import load
from reports.results.records import Header, Target
from reports.upstream.releases import Tried
from reports.upstream.running import ScriptRun
from reports.upstream.text import PAGES, Shown, page_of, text_of
from tests.unit.reports.small_results import header, record, write

NAME = "proposal-fewer-than-8-boxes-dies"


def issue(
    tmp_path: Path,
    departed: list[str],
    conforming: list[str],
    run: ScriptRun,
    tried: tuple[Tried, ...],
    about: Header | None = None,
) -> str:
    """The text of a cause of the suite, with these cases."""
    cases = [
        record(
            case,
            "CRASH",
            "known",
            cause=NAME,
            cause_class="defect",
            detail="SIGSEGV in infer",
            category="graphs" if is_of_graph(case) else "movement",
        )
        for case in departed
    ]
    cases += [record(case) for case in conforming]
    results = load(write(tmp_path / "run.jsonl", about or header(), *cases))
    own = [one for one in results.records if one.cause]
    cause = causes.load().by_id[NAME]
    shown = Shown(own[0], "import openvino\n", run, tried=tried)
    return text_of(cause, Severity("crash", True, only_on=cause.only_on), own, shown, results)


def test_types_and_ranks_are_told_by_input(tmp_path: Path) -> None:
    text = issue(
        tmp_path,
        ["Gather-8/type/bf16[3,4],i64[2],i32[]/-"],
        ["Gather-8/type/f32[3,4],i64[2],i32[]/-", "Gather-8/type/i64[3,4,5],i32[2],i32[]/-"],
        ScriptRun(-11, ""),
        (),
    )
    rows = [line for line in text.splitlines() if line.startswith("- element types")]
    conform = "; that conform with the same attributes: "
    assert rows == [
        f"- element types of input 0 of Gather-8 that fail: bf16{conform}f32, i64",
        f"- element types of input 1 of Gather-8 that fail: i64{conform}i32",
    ]
    assert f"- ranks of input 0 of Gather-8 that fail: 2{conform}3" in text


def test_a_type_that_was_not_asked_with_what_shows_the_cause_is_no_evidence(tmp_path: Path) -> None:
    text = issue(
        tmp_path,
        ["Gather-8/plain/f32[3,4],i64[2],i32[]/axis=i4:1"],
        [
            "Gather-8/type/f16[3,4],i64[2],i32[]/axis=1",
            "Gather-8/dim-0/f64[0,4],i64[2],i32[]/axis=i4:1",
        ],
        ScriptRun(1, ""),
        (),
    )
    row = next(line for line in text.splitlines() if line.startswith("- element types of input 0"))
    assert row.endswith("that fail: f32; no other was tested with the same attributes")


def test_a_script_that_dies_has_no_empty_block(tmp_path: Path) -> None:
    case = ["Proposal-4/x/f16[2,2,2,2]/-"]
    text = issue(tmp_path, case, [], ScriptRun(-11, ""), ())
    assert "The script prints nothing: the process dies of SIGSEGV." in text
    assert "```\n\n```" not in text
    text = issue(tmp_path, case, [], ScriptRun(-6, "computed"), ())
    assert "The script prints (the process dies of SIGABRT):\n\n```\ncomputed\n```" in text


def test_what_the_suite_knows_of_releases_stands_beside_what_the_script_shows(
    tmp_path: Path,
) -> None:
    """The script is run on the releases that are given; the first bad one may lie between them."""
    case = ["Proposal-4/x/f16[2,2,2,2]/-"]
    tried = (Tried("2025.4.1", "passes"), Tried("2026.4.1", "died"))
    suite = "by runs of the suite: first bad 2026.3, last good 2026.2"
    text = issue(tmp_path, case, [], ScriptRun(-11, ""), tried)
    assert f"- Releases, by the script: first bad 2026.4.1, last good 2025.4.1; {suite}\n" in text
    assert f"- Releases, {suite}\n" in issue(tmp_path, case, [], ScriptRun(-11, ""), ())


def test_what_was_not_tried_is_said(tmp_path: Path, shipped: Path) -> None:
    """A cause without a good release may be older than the oldest one that shows it."""
    case = ["Proposal-4/x/f16[2,2,2,2]/-"]
    for since, told in (
        ("2025.4", "bad in 2025.4; no older one that was tried did it right"),
        (OLDEST_TRIED["CPU"][0], "bad in 2024.0; no older one was tried"),
    ):
        text = (
            f'title = "t"\nclass = "open"\ndevices = ["CPU"]\nsince = "{since}"\nhint = "a < b"\n'
        )
        (shipped / f"{NAME}.toml").write_text(text)
        said = issue(tmp_path, case, [], ScriptRun(-11, ""), ())
        assert f"- Releases, by runs of the suite: {told}\n" in said
        assert "- A guess at the change, which nobody tried: a < b\n" in said


@pytest.mark.parametrize(
    ("about", "place", "other"),
    [
        ({"isa": "avx2"}, "node Eltwise (jit_avx512_i32)", "avx512"),
        ({"isa": "sse42"}, "node Eltwise (jit_avx2_i32)", "avx2"),
        ({"isa": "neon+fp16", "machine": "aarch64"}, "node Eltwise (jit_avx512_i32)", "avx512"),
        ({"machine": "aarch64"}, "frame f (libopenvino_intel_cpu_plugin.so+0x1)", "x86_64"),
        ({"isa": "avx512+vnni"}, "node Eltwise (jit_avx2_i32)", ""),
        ({"isa": "avx2"}, "node Proposal (ref_any_f32)", ""),
        ({"isa": "avx2"}, "frame f (libopenvino_intel_cpu_plugin.so+0x1)", ""),
    ],
)
def test_a_place_of_another_processor_is_marked(
    tmp_path: Path, shipped: Path, about: dict[str, str], place: str, other: str
) -> None:
    """The run's processor has no such kernels: the header of the issue does not fit the place."""
    text = f'title = "t"\nclass = "open"\ndevices = ["CPU"]\nplace = {{ CPU = "{place}" }}\n'
    (shipped / f"{NAME}.toml").write_text(text)
    target = Target(device="CPU", profile="accuracy", **about)
    case = ["Proposal-4/x/f16[2,2,2,2]/-"]
    said = issue(tmp_path, case, [], ScriptRun(-11, ""), (), header(targets=[target]))
    row = next(line for line in said.splitlines() if line.startswith("- Place: "))
    told = f"; measured on a processor with {other}, not on this one"
    assert row.endswith(told) if other else "measured on" not in row


def test_what_one_stack_alone_shows_is_said(tmp_path: Path, shipped: Path) -> None:
    text = 'title = "t"\nclass = "defect"\ndevices = ["CPU"]\nonly_on = "PoCL"\n'
    (shipped / f"{NAME}.toml").write_text(text)
    said = issue(tmp_path, ["Proposal-4/x/f16[2,2,2,2]/-"], [], ScriptRun(-11, ""), ())
    alone = "seen on the OpenCL of PoCL alone, where another one gives the right result"
    assert f"or memory is damaged; {alone}\n" in said


@pytest.mark.parametrize(
    ("operation", "page"),
    [
        ("SpaceToBatch-2", "movement/space-to-batch-2"),
        ("ROIAlignRotated-15", "movement/roi-align-rotated-15"),
        ("MatMul-1", "movement/matmul-1"),
        ("SoftMax-8", "movement/softmax-8"),
        ("LogSoftmax-5", "movement/log-soft-max-5"),
        ("NonMaxSuppression-5", "movement/no-max-suppression-5"),
        ("NonMaxSuppression-9", "movement/non-max-suppression-9"),
        ("ScaledDotProductAttention-13", "movement/scaled-dot-product-attention"),
    ],
)
def test_the_address_of_a_page(operation: str, page: str) -> None:
    assert page_of(operation, "movement") == f"{PAGES}/{page}.html"


def test_what_a_script_raises_is_told_without_the_frames_of_python(tmp_path: Path) -> None:
    trace = 'Traceback (most recent call last):\n  File "/srv/me/a.py", line 1, in <module>\n    x()\n    ^^^\n'
    output = f"before\n{trace}RuntimeError: Check 'a' failed at src/a.cpp:1:\nno kernel"
    text = issue(tmp_path, ["Proposal-4/x/f16[2,2,2,2]/-"], [], ScriptRun(1, output), ())
    said = "```\nbefore\nRuntimeError: Check 'a' failed at src/a.cpp:1:\nno kernel\n```"
    assert said in text
    assert "/srv/me" not in text


def test_of_an_invalid_layer_an_exception_is_expected(tmp_path: Path) -> None:
    told = "The layer is not valid: an exception must refuse it.\n"
    invalid = ["Proposal-4/invalid/f16[2,2,2,2]/-"]
    assert told in issue(tmp_path, invalid, [], ScriptRun(1, ""), ())
    assert told not in issue(tmp_path, ["Proposal-4/x/f16[2,2,2,2]/-"], [], ScriptRun(1, ""), ())


def test_a_graph_has_no_page(tmp_path: Path) -> None:
    case = "RMS/graphs/f32[2,3,4],f32[]"
    text = issue(tmp_path, [case], [], ScriptRun(1, ""), ())
    assert PAGES not in text
    # Other types of a graph are other graphs.
    assert "element types of input" not in text
    assert PAGES in issue(tmp_path, ["Gather-8/x/f32[2]/-"], [], ScriptRun(1, ""), ())
