"""A site of static files: what it holds, what it writes again, and what a browser shows of it, hostile texts too."""

from __future__ import annotations

import base64
import csv
import errno
import gzip
import json
import re
import shutil
import time
import xml.etree.ElementTree as ET
from functools import partial
from urllib.parse import urlencode

import jsonschema
import pytest
from msgspec import to_builtins

from reports.__main__ import main
from reports.gate.known_groups import by_cause
from reports.results.facts_of_departures import Facts
from reports.results.files.locking import locked
from reports.results.files.reading import load
from reports.views.site import build
from tests.planted.small_model import SmallModel
from tests.unit.command_lines import refusal
from tests.unit.reports.small_results import header, record, write
from tests.unit.reports.synthetic_results import HOSTILE, realistic

A, B, C = (f"Gather-8/type/{kind}[5,4]/axis=0" for kind in ("f32", "f16", "i8"))


def run(path, *outcomes, openvino="2026.4.1-1", **about):
    """A results file of one run: the outcome of cases A, B, C ..., None for one that was not asked."""
    records = [
        record(case, outcome, cause="" if outcome == "PASS" else "some-cause",
               reason="" if outcome == "PASS" else "Gather - some cause",
               gate="pass" if outcome == "PASS" else "known")
        for case, outcome in zip((A, B, C), outcomes, strict=False) if outcome
    ]  # fmt: skip
    return write(path, header(openvino, **about), *records)


def data_of(page):
    """What the index carries."""
    packed = re.search(r'id="data">([^<]*)<', (page / "index.html").read_text())[1]
    return json.loads(gzip.decompress(base64.b64decode(packed)))


def part(site, name):
    text = (site / f"{name}.js").read_text()
    told, packed = re.fullmatch(r'part\("([^"]+)","([A-Za-z0-9+/=]*)"\);\n', text).groups()
    assert told == name
    return json.loads(gzip.decompress(base64.b64decode(packed)))


def state(site):
    return {path: path.stat().st_mtime_ns for path in (site / "data").rglob("operation-*.js")}


def test_a_cell_says_how_cases_stand_and_a_part_which_depart(tmp_path):
    path = run(tmp_path / "cpu.jsonl", "PASS", "CRASH", "FAIL")
    build([path], tmp_path / "site")
    index = data_of(tmp_path / "site")
    (column,) = index["columns"]
    ((operation, counts, unexpected, cause, _),) = column["cells"]
    assert index["operations"][operation][0] == "Gather-8"
    stands = dict(zip(index["standings"], counts, strict=True))
    assert {name: n for name, n in stands.items() if n} == {"pass": 1, "crash": 1, "silent": 1}
    assert unexpected == 0
    assert index["causes"][cause][:2] == ["some-cause", "Gather - some cause"]
    shown = part(tmp_path / "site", f"{column['folder']}/operation-0")
    assert shown["columns"]["case"] == [B, C], "the worst first, and nothing that conforms"
    grid = shown["grid"]
    types = [shown["names"]["type"][n] for n in grid["type"]]
    standings = {
        name: index["standings"][n] for name, n in zip(types, grid["standing"], strict=True)
    }
    assert standings == {"f32": "pass", "f16": "crash", "i8": "silent"}
    compared = part(tmp_path / "site", f"{column['folder']}/cases")
    assert compared["case"] == [B, C]
    assert len(base64.b64decode(compared["right"])) == 6


def test_a_run_is_read_once_and_its_parts_go_with_it(tmp_path):
    site = tmp_path / "site"
    one, two = (
        run(tmp_path / "1.jsonl", "PASS"),
        run(tmp_path / "2.jsonl", "FAIL", openvino="2025.4.0-1"),
    )
    build([one], site)
    before = state(site)
    assert build([one, two], site)[1:3] == (1, 1)
    after = state(site)
    assert before.items() <= after.items()
    assert [c["label"] for c in data_of(site)["columns"]] == [
        "CPU · 2025.4 · accuracy", "CPU · 2026.4 · accuracy"
    ]  # fmt: skip
    run(two, "PASS", openvino="2025.4.0-1")
    assert build([one, two], site)[1:3] == (1, 1), "another content is another run"
    assert build([two], site)[1:3] == (0, 1)
    assert not before.keys() & state(site).keys()
    assert len([path for path in (site / "data").iterdir() if path.is_dir()]) == 1


def test_the_last_nights_are_kept_without_their_results_and_the_newest_of_each_release(tmp_path):
    site, path = tmp_path / "site", tmp_path / "cpu.jsonl"

    def night(day, openvino="2026.4.0-1", **about):
        run(path, "PASS", openvino=openvino, started=f"2026-01-{day:02}T02:00:00", **about)
        built = build([path], site, keep=2)
        days = sorted(one.column.started[8:10] for one in built.columns)
        return days, built.earlier, built.left_out

    assert night(1, "2026.2.0-1") == (["01"], 0, 0)
    assert night(2) == (["01", "02"], 1, 0)
    assert night(3) == (["01", "02", "03"], 2, 0), "the last of an earlier release stays"
    assert night(4) == (["01", "03", "04"], 2, 1)
    assert night(5, processor="Another") == (["01", "03", "04", "05"], 3, 0), "of each machine"
    assert night(1) == (["01", "03", "04", "05"], 4, 1), "what is older than those is no part of it"
    assert len(list((site / "data").glob("*/columns.json"))) == 4
    assert main(["site", str(path), "--out", str(site), "--keep", "1"]) == 0
    days = {column["started"][8:10] for column in data_of(site)["columns"]}
    assert days == {"01", "04", "05"}
    old = next((site / "data").glob("*/columns.json"))
    old.write_text(old.read_text().replace('"format":', '"format":9'))
    assert len(build([path], site, keep=9).columns) == 3, (
        "what another version wrote is read again or gone"
    )


def test_causes_stand_in_one_order_here_and_elsewhere(tmp_path):
    """A regression comes first, except that an invalid layer is no longer refused."""
    cases = [
        ("crash", "Gather-8/type/f32[5,4]/axis=0", "CRASH", ""),
        ("new", "Gather-8/type/f16[5,4]/axis=0", "REFUSED", "2026.3"),
        ("older", "Gather-8/type/i8[5,4]/axis=0", "REFUSED", "2025.4"),
        ("unchecked", "Gather-8/invalid/f32[5,4]/axis=7", "ACCEPTED_INVALID", "2026.3"),
    ]
    path = write(
        tmp_path / "cpu.jsonl",
        header(),
        *(
            record(case, outcome, cause=name, cause_class="defect", last_good=good, gate="known")
            for name, case, outcome, good in cases
        ),
    )
    build([path], tmp_path / "site")
    index = data_of(tmp_path / "site")
    seen = [index["causes"][one[0]][0] for one in index["columns"][0]["seen"]]
    assert seen == [name for name, *_ in index["causes"][:4]]
    assert seen == [group.id for group in by_cause(load([path]).records, {})]
    assert seen == ["new", "older", "crash", "unchecked"]


def test_a_departure_without_a_cause_is_named_by_one_that_was_written_since(tmp_path):
    path = write(tmp_path / "1.jsonl", header(), record(A, "FAIL", gate="new"))
    causes = tmp_path / "causes"
    causes.mkdir()
    (causes / "0-written-since.toml").write_text(
        'title = "Gather - wrong"\nclass = "defect"\ncomponent = "core"\npage = ""\nsince = "2024.0"\n'
        f'smallest = "{A}"\ndevices = ["CPU"]\nnotes = """\nx\n"""\n\n[[select]]\n'
        'operation = ["Gather-8"]\ntype = ["f32"]\npurpose = ["type"]\noutcome = ["FAIL"]\n'
        'category = ["*"]\nrank = ["*"]\n'
    )
    build([path], tmp_path / "before")
    build([path], tmp_path / "after", [causes])
    worst = []
    for folder in ("before", "after"):
        index = data_of(tmp_path / folder)
        ((_, _, _, cause, _),) = index["columns"][0]["cells"]
        worst.append(index["causes"][cause][0])
    assert worst[1] == "0-written-since"
    assert worst[0] != worst[1]


def test_a_site_that_keeps_runs_loses_none_by_a_build_that_does_not_say_so(tmp_path, capsys):
    site, path = tmp_path / "site", tmp_path / "cpu.jsonl"
    for day in (1, 2):
        run(path, "PASS", started=f"2026-01-0{day}T02:00:00")
        build([path], site, keep=7)
    before = state(site)
    run(path, "PASS", started="2026-01-03T02:00:00")
    assert main(["site", str(path), "--out", str(site)]) == 2
    error = capsys.readouterr().err
    assert "would remove 2 earlier runs" in error
    assert "--keep N (the last build had 7)" in error
    assert state(site) == before


def test_one_build_at_a_time_writes_into_a_folder(tmp_path, capsys):
    pytest.importorskip("fcntl")
    one, site = run(tmp_path / "1.jsonl", "PASS"), tmp_path / "site"
    build([one], site)
    with locked(site):
        refused = refusal(capsys, main, "python -m reports site", "site", one, "--out", site)
    assert "another process writes it" in refused
    assert main(["site", str(one), "--out", str(site)]) == 0


def test_a_comment_links_to_the_comparison_on_the_site(tmp_path, capsys):
    site = tmp_path / "pull" / "7"
    base, change = (
        run(tmp_path / "base.jsonl", "PASS", "PASS"),
        run(tmp_path / "change.jsonl", "PASS", "FAIL"),
    )
    command = [
        "compare",
        str(base),
        str(change),
        "--site",
        str(site),
        "--url",
        "https://host/a(b)/7",
        "--markdown",
    ]
    assert main(command) == 2
    assert "the site does not have" in capsys.readouterr().err
    columns = {one.column.file: one.id for one in build([base, change], site).columns}
    assert main(command) == 1
    told = capsys.readouterr().out.split("\n\n")[1]
    address = urlencode(
        {"page": "compare", "column": columns["change.jsonl"], "base": columns["base.jsonl"]}
    )
    assert told == f"[This comparison case by case](<https://host/a(b)/7/#{address}>)"
    refused = partial(refusal, capsys, main, "python -m reports compare", "compare", base, change)
    assert "--site DIR and --url" in refused("--url", "https://host")
    assert "an address" in refused("--site", site, "--url", "javascript:alert(1)")


def test_what_devices_said_is_found_by_its_words_once_for_an_operation(tmp_path):
    said = "at compile: no kernel for 'layer{}' of type f16"
    path = write(tmp_path / "a.jsonl", header(), *(
        record(case, "REFUSED", detail=said.format(n), gate="known", cause="some")
        for n, case in enumerate((A, B, C))
    ), record("Relu-1/plain/f32[2]", "FAIL", detail="output: [0] is wrong", facts=Facts(kind="value")))  # fmt: skip
    build([path], tmp_path / "site")
    folder = data_of(tmp_path / "site")["columns"][0]["folder"]
    assert part(tmp_path / "site", f"{folder}/messages") == [
        [said.format(0), "Gather-8", "some", 3]
    ]


def test_columns_that_are_alike_are_told_apart_by_what_differs(tmp_path):
    machines = [run(tmp_path / f"{n}.jsonl", "PASS", processor=f"Processor {n}") for n in (1, 2)]
    again = run(
        tmp_path / "again.jsonl", "FAIL", processor="Processor 1", started="2026-02-03T00:00:00"
    )
    odd = write(
        tmp_path / "odd.jsonl",
        header(devices=["日本"], profiles=["価"]),
        record(A, device="日本", profile="価"),
    )
    columns = build([*machines, again, odd], tmp_path / "site").columns
    assert len({one.id for one in columns}) == 4
    assert all(one.id for one in columns)
    assert [one.label for one in columns] == [
        "CPU · 2026.4 · accuracy · Processor 1 · 2026-01-02",
        "CPU · 2026.4 · accuracy · Processor 1 · 2026-02-03",
        "CPU · 2026.4 · accuracy · Processor 2",
        "日本 · 2026.4 · 価",
    ]


def test_other_programs_get_a_matrix_with_a_schema_csv_and_badges(tmp_path):
    hostile = record(A, "FAIL", operation="Gather-8", reason=HOSTILE, cause="=1+1", gate="known")
    path = write(tmp_path / "a.jsonl", header(devices=["CPU", '<"&GPU']), hostile,
                 record(B, "PASS", device='<"&GPU'))  # fmt: skip
    site = tmp_path / "site"
    build([path], site)
    document = json.loads((site / "matrix.json").read_text())
    jsonschema.validate(document, json.loads((site / "matrix.schema.json").read_text()))
    worst = {c["device"]: c["operations"][0]["worst"] for c in document["columns"]}
    assert worst == {"CPU": "silent", '<"&GPU': ""}
    rows = list(csv.DictReader((site / "matrix.csv").open()))
    assert [(row["device"], row["silent"], row["cause"]) for row in rows] == [
        ('<"&GPU', "0", ""), ("CPU", "1", "'=1+1"),
    ]  # fmt: skip
    badges = {
        path.stem: ET.parse(path).getroot().get("aria-label") for path in site.glob("badges/*")
    }
    assert sorted(badges.values()) == [
        'OpenVINO <"&GPU · 2026.4 · accuracy: 100.0% conform',
        "OpenVINO CPU · 2026.4 · accuracy: 0.0% conform, worst: silent",
    ]  # fmt: skip


def test_what_cannot_be_done_is_said_in_one_line_and_leaves_the_site_alone(tmp_path, capsys):
    one, site = run(tmp_path / "1.jsonl", "PASS"), tmp_path / "site"
    build([one], site)
    before = {path: path.read_bytes() for path in site.rglob("*") if path.is_file()}
    broken = write(tmp_path / "broken.jsonl", header(), {"kind": "case"})
    assert main(["site", str(one), str(broken), "--out", str(site)]) == 2
    assert "broken.jsonl:2: " in capsys.readouterr().err.splitlines()[-1]
    assert {path: path.read_bytes() for path in site.rglob("*") if path.is_file()} == before
    other = tmp_path / "other"
    other.mkdir()
    (other / "mine.txt").write_text("")
    refused = partial(refusal, capsys, main, "python -m reports site", "site")
    assert "--force" in refused(one, "--out", other)
    assert "cannot be read" in refused(tmp_path / "no.jsonl", "--out", site)
    assert main(["site", str(one), "--out", str(other), "--force"]) == 0
    assert (other / "mine.txt").is_file()
    capsys.readouterr()
    mine = tmp_path / "elsewhere" / "data" / "0123456789abcdef" / "mine.txt"
    mine.parent.mkdir(parents=True)
    mine.write_text("")
    assert "--force" in refused(one, "--out", tmp_path / "elsewhere")
    assert mine.is_file(), "another project may have a folder of this name"
    ended = tmp_path / "ended"
    shutil.copytree(site / "data", ended / "data")
    (ended / "data" / ".0123456789abcdef.cut").mkdir()
    assert main(["site", str(one), "--out", str(ended)]) == 0, "a build that was ended goes on"


def test_a_full_disk_is_said_with_the_folder(tmp_path, capsys, monkeypatch):
    one, site = run(tmp_path / "1.jsonl", "PASS"), tmp_path / "site"

    def full(*arguments):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("reports.views.site.run_column.write_part", full)
    assert main(["site", str(one), "--out", str(site)]) == 2
    said = capsys.readouterr().err.splitlines()[-1]
    assert said == f"python -m reports site: {site}: No space left on device"


def test_an_interrupted_build_is_said_in_one_line_and_leaves_nothing(tmp_path, capsys, monkeypatch):
    one, site = run(tmp_path / "1.jsonl", "PASS"), tmp_path / "site"

    def interrupt(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr("reports.views.site.run_column.write_part", interrupt)
    assert main(["site", str(one), "--out", str(site)]) == 130
    assert capsys.readouterr().err.splitlines()[-1] == "python -m reports site: interrupted"
    assert not list((site / "data").iterdir())


def test_a_name_that_utf_8_cannot_write_is_written_otherwise(tmp_path):
    about = {"processor": "\ud800 CPU", "started": "\udfff", "openvino": "2026.4.1\ud800-1"}
    path = write(
        tmp_path / "1.jsonl", header(**about), record(A, "FAIL", cause="\ud800", gate="known")
    )
    build([path], tmp_path / "site")
    (column,) = data_of(tmp_path / "site")["columns"]
    assert column["machine"] == "? CPU"
    assert json.loads((tmp_path / "site" / "matrix.json").read_text())


# --- in a browser -------------------------------------------------------------------------------------------------


def hostile_results(folder):
    """Results with pictures, and records whose texts are all hostile, one of them of ten million characters."""
    path = realistic(folder, 400)
    bad = HOSTILE.replace("/", "\\")
    texts = {
        "detail": HOSTILE,
        "reason": HOSTILE,
        "kernel": HOSTILE,
        "layer_xml": f"<layer>{HOSTILE}</layer>",
    }
    long = "\u202e<script>alert(2)</script>" * 400_000
    records = [
        record(f"{bad}-1/type/f32[2]/a={bad}", "FAIL", category=bad, gate="known", cause=bad, **texts),
        record("Relu-1/type/f16[2]", "REFUSED", **{**texts, "detail": long, "cause": bad}),
    ]  # fmt: skip
    with path.open("a") as file:
        file.writelines(json.dumps(to_builtins(one)) + "\n" for one in records)
    return path


def shown(browser, page, fragment):
    """The text of a page of the site, when it is drawn; nothing may have run, failed or left the folder."""
    before = browser.current_url
    browser.get(f"{(page / 'index.html').as_uri()}{fragment}")
    if before.partition("#")[0] == browser.current_url.partition("#")[0]:
        browser.refresh()
    end = time.monotonic() + 30
    while not browser.execute_script("return document.querySelector('main h1') !== null"):
        assert time.monotonic() < end, browser.get_log("browser")
        time.sleep(0.05)
    assert browser.get_log("browser") == []
    for entry in browser.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            assert message["params"]["request"]["url"].startswith(
                (page.as_uri(), "data:", "about:")
            )
    assert (
        browser.execute_script("return document.querySelectorAll('main script, main img').length")
        == 0
    )
    return browser.execute_script("return document.querySelector('main').innerText")


def test_every_page_opens_from_a_folder_and_hostile_texts_stay_text(browser, tmp_path):
    site = tmp_path / "site"
    earlier = run(tmp_path / "earlier.jsonl", "PASS", "FAIL", openvino="2025.4.0-1")
    later = run(tmp_path / "later.jsonl", "CRASH", "PASS", "PASS")
    build([hostile_results(tmp_path), earlier, later], site)
    assert (site / "index.html").stat().st_size < 300_000
    index = data_of(site)
    assert "MatMul-1" in shown(browser, site, "")
    marks = [each.text for each in browser.find_elements("css selector", ".tile .unexpected")]
    assert marks
    assert all(each.endswith(" unexpected") for each in marks)
    worst = shown(browser, site, "#page=matrix&severity=crash&shapes=static")
    assert "Gather-8" in worst
    assert "SpaceToDepth-1" not in worst
    told = shown(browser, site, "#page=operation&name=Relu-1")
    assert "\\u202e<script>alert(2)</script>" in told
    assert len(told) < 200_000
    told = shown(browser, site, "#page=operation&name=SpaceToBatch-2")
    assert "where the specification is silent, unclear or wrong" in told
    told = shown(browser, site, "#page=search&text=unsupported+precision")
    assert "compiling: Unsupported precision i4 of input 0" in told
    for name, *_ in index["operations"]:
        if "<script" in name:
            assert "alert(1)" in shown(
                browser, site, "#" + urlencode({"page": "operation", "name": name})
            )
    for cause in index["causes"]:
        if "<script" in cause[0]:
            assert "alert(1)" in shown(
                browser, site, "#" + urlencode({"page": "cause", "id": cause[0]})
            )
    columns = {c["file"]: c["id"] for c in index["columns"]}
    told = shown(browser, site, "#" + urlencode({
        "page": "compare", "column": columns["later.jsonl"],
        "base": columns["earlier.jsonl"],
    }))  # fmt: skip
    assert "2 cases ran in both: 1 broke, 1 fixed, 0 depart in another way." in told
    assert A in told.replace("\n", "")
    # A column of another device is compared with one of its own.
    column = browser.find_element("css selector", "[data-key=column]")
    other = next(c["id"] for c in index["columns"] if c["device"] != "CPU")
    browser.execute_script(
        "arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('change'))",
        column,
        other,
    )
    end = time.monotonic() + 30
    while columns["earlier.jsonl"] in browser.current_url or other not in browser.current_url:
        assert time.monotonic() < end, browser.current_url
        time.sleep(0.05)
    for page in (
        "causes",
        "trend",
        "devices",
        f"devices&column={index['columns'][0]['id']}",
        "search&text=gather",
    ):
        assert shown(browser, site, f"#page={page}")


CLIPPED = """return [...document.querySelectorAll(arguments[0])].filter(one =>
    one.offsetParent && one.scrollWidth > one.clientWidth).map(one => one.innerText)"""
HEIGHT_OF_TEXTS = """return [...document.querySelectorAll(".chart text")].map(one =>
    one.getBoundingClientRect().height)"""


def test_words_are_whole_on_a_telephone(browser, tmp_path):
    site = tmp_path / "site"
    paths = [
        write(
            tmp_path / f"{release}.jsonl",
            header(release),
            *(
                record(f"Gather-8/rank/{kind}[{shape}]/axis=0", outcome, gate=gate)
                for kind in ("f32", "f16", "bf16", "i8", "u8", "i32", "i64", "u16")
                for shape, outcome, gate in (
                    ("5", "PASS", "pass"),
                    ("5,4", "CRASH", "known"),
                    ("5,4,3", "ACCEPTED_INVALID", "known"),
                )
            ),
        )
        for release in ("2025.4.0-1", "2026.4.0-1")
    ]
    build(paths, site)
    size = {"width": 390, "height": 900, "deviceScaleFactor": 1, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        shown(browser, site, "#page=operation&name=Gather-8")
        assert browser.find_elements("css selector", ".grid .share")
        assert browser.execute_script(CLIPPED, ".grid .tile .what") == []
        shown(browser, site, "#page=trend")
        heights = browser.execute_script(HEIGHT_OF_TEXTS)
        assert heights
        assert min(heights) > 10
        colours = browser.find_elements("css selector", ".trend thead .severity-name")
        assert "crash" in [each.text for each in colours]
        shown(browser, site, "#page=compare")
        widths = [
            browser.find_element("css selector", f"[data-key={key}]").size["width"]
            for key in ("column", "type")
        ]
        assert widths[0] > widths[1]
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_an_address_of_what_the_site_does_not_have_says_so(browser, tmp_path):
    site = tmp_path / "site"
    build([run(tmp_path / "run.jsonl", "FAIL")], site)
    column = data_of(site)["columns"][0]["id"]
    told = shown(browser, site, "#page=nowhere&column=left-last-night")
    assert "no page of the name nowhere, which the address has: this is the matrix" in told
    assert "no column of the name left-last-night" in told
    for page in ("operation&name=Gather-8", "compare", "devices"):
        told = shown(browser, site, f"#page={page}&column=left-last-night")
        assert told.count("no column of the name left-last-night") == 1
        assert "no page" not in told
    told = shown(browser, site, f"#page=matrix&columns={column},left-last-night")
    assert "no column of the name left-last-night" in told
    assert "This site has no" not in shown(browser, site, f"#page=compare&column={column}")


def test_a_case_has_its_pictures_its_model_and_how_to_reproduce_it(browser, tmp_path):
    site = tmp_path / "site"
    build([realistic(tmp_path, 50)], site)
    told = shown(browser, site, "#page=operation&name=SpaceToDepth-1&case=depth_first")
    assert "Worst elements" in told
    assert "python reproduce.py" in told
    assert browser.execute_script("return document.querySelectorAll('main canvas').length") > 1


def test_what_runs_where_by_type_and_shape_and_of_a_model_that_is_dropped(browser, tmp_path):
    site = tmp_path / "site"
    plain = "Gather-8/plain/f32[3,2,6,5],i64[3,4]/axis=2,batch_dims=1"
    f16 = plain.replace("plain/f32", "type/f16")
    cpu = write(
        tmp_path / "cpu.jsonl", header(), record(plain), record(f16, "FAIL", cause="some-cause"),
        record(f"{plain}/shape=dims", "CRASH"), record("ReLU-1/plain/f32[2,3,5,4]/-"),
        record("<b>/type/f32[2]/-"), record("Gather-8/invalid/f32[2],i64[]/axis=9", "CRASH"),
    )  # fmt: skip
    gpu = write(
        tmp_path / "gpu.jsonl", header(devices=["GPU"]), record(plain, "REFUSED", device="GPU")
    )
    assert main(["site", str(cpu), str(gpu), "--out", str(site)]) == 0

    def rows():
        found = browser.execute_script(
            "return [...document.querySelectorAll('.support tbody tr')].map("
            "(row) => [...row.cells].map((cell) => cell.innerText.replace(/\\s+/g, ' ').trim()))"
        )
        return {name.partition(" ")[0]: cells for name, *cells in found}

    shown(browser, site, "#page=support&type=f32")
    assert rows() == {
        "Gather-8": ["conforms f32", "refused f32"],
        "ReLU-1": ["conforms f32", "not asked"],
    }
    shown(browser, site, "#page=support&type=f16")
    assert rows()["Gather-8"] == ["wrong f16", "not asked f16"]
    shown(browser, site, "#page=support&type=f16&dimensions=unknown")
    assert rows()["Gather-8"][0] == "unsafe f16", "the worse of both cells"
    shown(browser, site, "#page=support&type=f32&outcome=refused")
    assert rows() == {"Gather-8": ["·", "refused f32"]}
    shown(browser, site, "#page=support&type=f32&outcome=runs+in+each+column")
    assert rows() == {}, "the GPU refuses Gather and was not asked ReLU"
    shown(browser, site, "#page=support&type=f32&device=CPU&outcome=runs+in+each+column")
    assert rows() == {"Gather-8": ["conforms f32"], "ReLU-1": ["conforms f32"]}
    shown(browser, site, "#page=support&type=f16&device=CPU")
    browser.find_element("css selector", ".support td a").click()
    end = time.monotonic() + 30
    while f16 not in browser.execute_script("return document.body.innerText").replace("\n", ""):
        assert time.monotonic() < end, "a cell opens its cases"
        time.sleep(0.05)

    shown(browser, site, "#page=support")
    net = SmallModel()
    relu = net.layer("ReLU", net.parameter("x", "1,3,5,4"), name=HOSTILE_NAME)
    net.state_shape(relu, 1, 3, 5, 4)
    net.result(net.layer("Tanh", relu))
    model = net.write(tmp_path, "model")

    def drop(path):
        browser.find_element("id", "model").send_keys(str(path))
        end = time.monotonic() + 30
        while path.name not in browser.execute_script(
            "return document.querySelector('main').innerText"
        ):
            assert time.monotonic() < end
            time.sleep(0.05)
        return browser.execute_script("return document.querySelector('main').innerText")

    told = drop(model)
    assert HOSTILE_NAME in told
    assert "1 of 2 layers" in told
    assert rows()["ReLU-1"][0] == "conforms each cell conforms"
    assert rows()["Tanh-1"][0] == "not asked no case of the operation"
    (tmp_path / "bad.xml").write_text("<html/>")
    assert "it is no IR: its first element is not <net>" in drop(tmp_path / "bad.xml")
    drop(model)

    def until(name):
        end = time.monotonic() + 30
        while name not in rows():
            assert time.monotonic() < end, (name, rows())
            time.sleep(0.05)

    browser.execute_script("location.hash = '#page=operation&name=ReLU-1'")
    browser.back()
    until("Tanh-1")  # as it was
    browser.execute_script("location.hash = '#page=support&type=f16'")
    until("Gather-8")  # an address of its own shows no model
    assert browser.get_log("browser") == []


def test_without_declarations_the_site_has_no_support_and_says_so(tmp_path):
    site = tmp_path / "site"
    build([run(tmp_path / "1.jsonl", "PASS")], site)
    assert not data_of(site)["columns"][0]["support"]
    assert not list(site.rglob("support.js"))


HOSTILE_NAME = "<img src=x onerror=alert(3)>"
