"""The HTML report in a real browser, Debian's Chromium: what a reader sees and does."""

import json
import time
from functools import cache
from pathlib import Path

import pytest

from reports.results.files.reading import load
from reports.results.records import WorstElement
from reports.views.report import html_report
from tests.unit.reports.synthetic_results import HOSTILE, TARGETS, realistic, record, save

webdriver = pytest.importorskip("selenium.webdriver", reason="pip install 'selenium>=4.10'")

from selenium.webdriver.common.by import By  # noqa: E402 - only where there is selenium
from selenium.webdriver.common.keys import Keys  # noqa: E402
from selenium.webdriver.support.ui import Select, WebDriverWait  # noqa: E402


@cache
def page_of(results):
    return html_report(load(results), results.parent)


@pytest.fixture
def visit(browser):
    """Open a page of results; when the test ends, the console and the network must be silent."""

    def visit(results, *, width=1360, height=1000, dark=False, wait=True):
        path = results.with_suffix(".html")
        path.write_text(page_of(results), encoding="utf-8")
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
        browser.get("about:blank")
        browser.get_log("performance")
        browser.get(path.as_uri())
        if wait:
            ready(browser)
        return browser

    yield visit
    assert browser.get_log("browser") == []
    messages = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    requests = {
        message["params"]["request"]["url"].split("#")[0]
        for message in messages
        if message["method"] == "Network.requestWillBeSent"
    }
    (only,) = {url for url in requests if not url.startswith("data:")}
    assert only.startswith("file:")
    assert only.endswith(".html")


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return realistic(tmp_path_factory.mktemp("page"), 2000)


def ready(browser):
    """Wait until the page has read its data and drawn itself."""
    WebDriverWait(browser, 60).until(lambda _: browser.find_element(By.ID, "count").text)


def counted(browser):
    """Number of cases that the page says it lists."""
    return int(browser.find_element(By.ID, "count").text.split()[0].replace(",", ""))


def cases(browser):
    return browser.find_elements(By.CSS_SELECTOR, "#list details")


def unfold(browser):
    """Open the first case, and wait for its details: the page makes them after the click."""
    browser.find_element(By.CSS_SELECTOR, "#list summary").click()
    return WebDriverWait(browser, 10).until(
        lambda _: browser.find_elements(By.CSS_SELECTOR, "#list .facts")
    )[0]


def gate(browser, name):
    browser.find_element(By.CSS_SELECTOR, f"[data-gate={name}]").click()


def choose(browser, field, value):
    Select(browser.find_element(By.ID, field)).select_by_value(value)


def look_for(browser, text, count):
    """Type into the text filter, and wait until the page has as many cases as there should be."""
    field = browser.find_element(By.ID, "text")
    field.send_keys(Keys.CONTROL + "a" + Keys.NULL + Keys.BACKSPACE + text)
    # The page waits for the next key before it filters: the count alone may be that of the text before.
    WebDriverWait(browser, 10).until(
        lambda _: browser.execute_script("return selection.text") == text
    )
    WebDriverWait(browser, 10).until(lambda _: counted(browser) == count)


def test_it_opens_on_the_departures_and_tells_the_same_as_the_results(visit, results):
    browser = visit(results)
    records = load(results).records
    departures = [one for one in records if one.gate == "new"]
    assert browser.find_element(By.TAG_NAME, "h1").text == (
        f"{len(departures)} unexpected departures ({len(departures)} new) in {len(records):,} cases"
    )
    assert counted(browser) == len(departures)
    gate(browser, "all")
    assert counted(browser) == len(records)
    rows = browser.find_elements(By.CSS_SELECTOR, "#matrix tbody tr")
    assert len(rows) == len({one.operation for one in records})


def test_the_matrix_counts_outcomes_and_leads_to_their_cases(visit, results):
    browser = visit(results)
    cell = browser.find_element(By.XPATH, "//th[button='MatMul-1']/following-sibling::td/button")
    mine = [
        one
        for one in load(results).records
        if (one.operation, one.device, one.profile) == ("MatMul-1", *TARGETS[0])
    ]
    fails = [one for one in mine if one.outcome == "FAIL"]
    assert f"{len(fails)} FAIL" in cell.text
    departed = sum(one.gate in ("new", "known") for one in mine)
    nearest = max(one.fraction for one in mine if one.gate == "pass" and one.fraction is not None)
    shares = cell.find_elements(By.CSS_SELECTOR, ".worst")
    assert shares[0].text == f"{round(100 * departed / len(mine))}%"
    assert float(shares[1].text.rstrip("×")) == pytest.approx(nearest, rel=0.05)
    cell.click()
    gate(browser, "all")
    assert counted(browser) == len(mine)
    assert Select(browser.find_element(By.ID, "operation")).first_selected_option.text.startswith(
        "MatMul-1"
    )


def test_each_filter_leaves_what_it_says(visit, results):
    browser = visit(results)
    records = load(results).records
    left, wanted = {}, {}
    for field in ("category", "operation", "opset", "purpose", "outcome"):
        value = next(getattr(one, field) for one in records if one.gate == "new")
        choose(browser, field, value)
        gate(browser, "all")
        filtered = counted(browser)
        browser.find_element(By.CSS_SELECTOR, "#filters button").click()
        gate(browser, "all")
        left[field] = (filtered, counted(browser))
        wanted[field] = (sum(getattr(one, field) == value for one in records), len(records))
    assert left == wanted


def test_a_cause_leads_to_its_cases(visit, results):
    browser = visit(results)
    records = [one for one in load(results).records if one.cause == "f64"]
    assert len(records) > 1
    # Behind the worst twenty.
    browser.find_element(
        By.XPATH, "//section[@id='causes']//button[starts-with(., 'Show all')]"
    ).click()
    browser.find_element(By.LINK_TEXT, "f64 is computed in f32").click()
    WebDriverWait(browser, 10).until(lambda _: counted(browser) == len(records))
    assert {one.text for one in browser.find_elements(By.CSS_SELECTOR, ".badge")} == {"REFUSED"}
    chosen = Select(browser.find_element(By.ID, "cause")).first_selected_option
    assert chosen.text == f"f64 ({len(records)})"
    group = chosen.find_element(By.XPATH, "parent::optgroup")
    assert group.get_attribute("label") == "Known"
    assert "f64 is computed in f32 defect, since 2025.1" in unfold(browser).text


def test_the_example_of_a_cause_is_pictured_and_leads_to_its_case(visit, results):
    browser = visit(results)
    picture = browser.find_element(By.CSS_SELECTOR, "#causes .picture a")
    canvas = picture.find_element(By.TAG_NAME, "canvas")
    colours = browser.execute_script(
        "const c = arguments[0]; return new Set(new Uint32Array("
        "c.getContext('2d').getImageData(0, 0, c.width, c.height).data.buffer)).size",
        canvas,
    )
    assert colours > 1
    row = picture.find_element(By.XPATH, "ancestor::tr")
    case = row.find_element(By.CSS_SELECTOR, ".example .id").text
    picture.click()
    WebDriverWait(browser, 10).until(lambda _: counted(browser) == 1)
    assert cases(browser)[0].find_element(By.CSS_SELECTOR, ".id").text == case


def test_the_text_filter_finds_ids_and_details_whatever_their_case(visit, results):
    browser = visit(results)
    records = load(results).records
    gate(browser, "all")
    look_for(browser, "sigsegv", sum("SIGSEGV" in one.detail for one in records))
    look_for(browser, "spacetodepth-1/EXAMPLE 2,5,12,9", 1)
    assert cases(browser)[0].get_attribute("open") is not None


def test_a_selection_can_be_sent_to_somebody(visit, results):
    browser = visit(results)
    choose(browser, "outcome", "FAIL")
    choose(browser, "category", "matrix")
    count = counted(browser)
    address = browser.current_url
    browser.get("about:blank")
    browser.get(address)
    ready(browser)
    assert counted(browser) == count
    assert all("FAIL" in one.text for one in cases(browser))


def test_a_departure_unfolds_into_all_that_is_known(visit, results):
    browser = visit(results)
    look_for(browser, "MatMul-1/random/f32[96,512]", 1)
    body = browser.find_element(By.CSS_SELECTOR, ".body")
    for text in ("Layer", "Result", "9.3×", "jit_avx512_FP32", "606 of 7,680 wrong", "[89, 75]"):
        assert text in body.text
    assert "allowed" in body.find_element(By.CSS_SELECTOR, "table.elements").text
    assert 'type="MatMul"' in body.find_element(By.CSS_SELECTOR, ".xml mark").text
    commands = [one.text for one in body.find_elements(By.CSS_SELECTOR, ".command pre")]
    assert commands[0].endswith("&& python reproduce.py")
    assert commands[1] == (
        "pytest --device CPU --profile accuracy --results results/one-case.jsonl "
        "'tests/conformance/test_layers.py::CPU::"
        "MatMul-1/random/f32[96,512],f32[512,80]/transpose_b=true'"
    )
    painted = browser.execute_script(
        "const c = document.querySelector('.slices canvas');"
        "return new Set(new Uint32Array("
        "c.getContext('2d').getImageData(0, 0, c.width, c.height).data.buffer)).size"
    )
    assert painted > 20


def test_the_heat_map_is_wrong_where_the_tensor_is(visit, results):
    browser = visit(results)
    look_for(browser, "SpaceToDepth-1/example/f32[2,5,12,9]", 1)
    labels = [
        canvas.get_attribute("aria-label")
        for canvas in browser.find_elements(By.CSS_SELECTOR, ".slices canvas")
    ]
    assert len(labels) == 10
    assert labels[7] == "Slice [1, 2, …]: 36 wrong"
    canvas = browser.find_elements(By.CSS_SELECTOR, ".slices canvas")[7]
    webdriver.ActionChains(browser).scroll_to_element(canvas).move_to_element_with_offset(
        canvas, canvas.size["width"] // 2 - 3, 3
    ).perform()
    readout = browser.find_element(By.CSS_SELECTOR, ".readout").text
    assert readout == "[1, 2, 6, 8]: differs; must be equal bit for bit"


def test_it_is_used_with_the_keyboard_alone(visit, results):
    browser = visit(results)
    body = browser.find_element(By.TAG_NAME, "body")
    body.send_keys("/")
    assert browser.switch_to.active_element.get_attribute("id") == "text"
    browser.switch_to.active_element.send_keys("SIGSEGV")
    count = sum("SIGSEGV" in one.detail for one in load(results).records)
    WebDriverWait(browser, 10).until(lambda _: counted(browser) == count)
    browser.execute_script("document.querySelector('#list summary').focus()")
    browser.switch_to.active_element.send_keys(Keys.ENTER)
    WebDriverWait(browser, 10).until(lambda _: cases(browser)[0].find_elements(By.TAG_NAME, "dl"))
    gate(browser, "all")
    assert browser.switch_to.active_element.get_attribute("data-gate") == "all"


def test_what_a_screen_reader_needs_has_names(visit, results):
    browser = visit(results)
    look_for(browser, "MatMul-1/random/f32[96,512]", 1)
    nameless = browser.execute_script(
        "const named = (e) => e.getAttribute('aria-label') || e.labels?.length"
        "  || e.textContent.trim() || e.getAttribute('aria-labelledby');"
        "return [...document.querySelectorAll("
        "  'button, input, select, a, summary, section, [role=region], .slices canvas')]"
        "  .filter((e) => !named(e)).map((e) => e.outerHTML)"
    )
    assert nameless == []
    assert browser.find_element(By.ID, "count").get_attribute("aria-live") == "polite"
    assert browser.find_element(By.TAG_NAME, "html").get_attribute("lang") == "en"


@pytest.mark.parametrize("width", [360, 390, 768, 1360, 2400])
def test_nothing_is_wider_than_the_window(visit, results, width):
    browser = visit(results, width=width, height=844)
    look_for(browser, "MatMul-1/random/f32[96,512]", 1)
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width


@pytest.fixture
def long_causes(tmp_path):
    """Results with causes of long titles, whose examples have long names and details."""
    names = ("ExperimentalDetectronPriorGridGenerator-6", "DeformableConvolution-8", "Add-1")
    shapes = "f32[2,6,8,7],f32[2,40,4,5],f32[4,6,2,5]"
    long = {
        "detail": "at read: Check 'TRShape::broadcast_merge_into' While validating " * 3,
        "reason": "shapes that do not fit are refused, others that happen to fit are added " * 3,
        "cause_class": "defect",
        "since": "2025.1",
    }
    records = [
        record(
            f"{name}/variant.groups/{shapes}/strides=2,1;auto_pad=explicit/{n}",
            operation=name,
            outcome="FAIL",
            gate="known",
            cause=f"cause {n}",
            **long,
        )
        for n, name in enumerate(names)
    ]
    return save(tmp_path / "run.jsonl", records)


@pytest.mark.parametrize("width", [390, 800, 1000, 1400, 2400])
def test_the_example_of_a_cause_is_readable_without_scrolling(visit, long_causes, width):
    browser = visit(long_causes, width=width)
    table = browser.find_element(By.CSS_SELECTOR, "#causes .scroll")
    assert table.get_property("scrollWidth") == table.get_property("clientWidth")
    rows = browser.find_elements(By.CSS_SELECTOR, "#causes tbody tr")
    assert len(rows) == 3
    for row in rows:
        title, example = (
            row.find_element(By.CSS_SELECTOR, f"{cell} a") for cell in ("th", ".example")
        )
        for link in (title, example):
            assert min(link.size["width"], link.size["height"]) > 0
            cell = link.find_element(By.XPATH, "..")
            assert cell.size["width"] >= 200
            # Nothing sticks out of its cell.
            assert browser.execute_script(
                "const [a, b] = [arguments[0], arguments[1]].map((e) => e.getBoundingClientRect());"
                "return a.left >= b.left - 1 && a.right <= b.right + 1",
                link,
                cell,
            )
        assert row.size["height"] < 400


def test_a_browser_that_cannot_decompress_is_told(visit, browser, results):
    script = {"source": "delete window.DecompressionStream"}
    command = "Page.addScriptToEvaluateOnNewDocument"
    added = browser.execute_cdp_cmd(command, script)["identifier"]
    try:
        visit(results, wait=False)
        problem = browser.find_element(By.CSS_SELECTOR, "header [role=alert]")
        assert "Chromium 80, Firefox 113, Safari 16.4 and later can" in problem.text
        # What needs no data is there, and no empty controls.
        assert browser.find_element(By.CSS_SELECTOR, "#causes tbody tr").is_displayed()
        for name in ("filters", "overview", "cases"):
            assert not browser.find_element(By.ID, name).is_displayed()
    finally:
        browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", {"identifier": added})


def test_data_that_is_damaged_is_told(visit, browser, results):
    path = visit(results).current_url.removeprefix("file://")
    text = Path(path).read_text(encoding="utf-8")
    start = text.index('id="data">') + 2000
    Path(path).write_text(text[:start] + "AAAA" * 8 + text[start + 32 :], encoding="utf-8")
    browser.get(f"file://{path}")
    find = (By.CSS_SELECTOR, "header [role=alert]")
    problem = WebDriverWait(browser, 10).until(lambda _: browser.find_element(*find))
    assert problem.text.startswith("The cases cannot be shown. ")


CONTRAST = """
const channel = (c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
const light = (rgb) => { const [r, g, b] = rgb.match(/[\\d.]+/g).map(Number).map(channel);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
const ground = (e) => { for (; e; e = e.parentElement) {
  const c = getComputedStyle(e).backgroundColor; if (!/, 0\\)$/.test(c)) return c; } };
return [...document.querySelectorAll('h1, h2, th, td, dt, dd, label span, .detail, .on, .id, .badge'
  + ', .worst, .tally, small, kbd, .legend, .count, figcaption, .key, .none, .tab span'
  + ', .tab, mark, .xml code, button:enabled, .readout')].map((e) => {
  const a = light(getComputedStyle(e).color), b = light(ground(e));
  return [(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), e.className || e.tagName]; })
  .filter(([ratio]) => ratio < arguments[0]);
"""


def test_the_text_filter_finds_what_the_page_shows_of_a_case(visit, tmp_path):
    shown = record(
        "A-1/x/f32[2]",
        outcome="ACCEPTED_INVALID",
        gate="new",
        device="GPU",
        precision="bf16",
        kernel="ocl_ref",
        fraction=7.25,
        worst=WorstElement(index=(4, 2), expected="1.125", actual="3.875", low="1", high="1.25"),
    )
    others = [record(f"B-1/{n}/f32[2]", gate="new", outcome="FAIL") for n in range(5)]
    browser = visit(save(tmp_path / "run.jsonl", [shown, *others]))
    for text in (
        "accepted invalid",
        "ACCEPTED_INVALID",
        "gpu",
        "bf16",
        "ocl_ref",
        "3.875",
        "[4, 2]",
    ):
        look_for(browser, text, 1)
        assert "A-1" in cases(browser)[0].text


@pytest.mark.parametrize("dark", [False, True])
def test_text_stands_out_from_its_ground(visit, results, dark):
    browser = visit(results, dark=dark)
    departures = counted(browser)
    look_for(browser, "MatMul-1/random/f32[96,512]", 1)
    # 4.5 is what WCAG 2 asks for.
    assert browser.execute_script(CONTRAST, 4.5) == []
    look_for(browser, "", departures)
    unfold(browser)
    assert browser.execute_script(CONTRAST, 4.5) == []


def test_print_shows_the_cases_unfolded_and_no_controls(visit, results):
    browser = visit(results)
    choose(browser, "outcome", "FAIL")
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    browser.execute_script("dispatchEvent(new Event('beforeprint'))")
    assert all(one.find_elements(By.CSS_SELECTOR, "dl") for one in cases(browser))
    assert not browser.find_element(By.ID, "filters").is_displayed()
    assert browser.find_element(By.CSS_SELECTOR, ".command").is_displayed()


@pytest.mark.parametrize("width", [390, 1360])
def test_hostile_text_stays_text(visit, tmp_path, width):
    operation = HOSTILE.replace("/", "")  # what stands before the first slash of a case
    fields = ("category", "opset", "purpose", "detail", "kernel", "precision")
    hostile = dict.fromkeys((*fields, "reason", "layer_xml"), HOSTILE)
    worst = dict.fromkeys(("expected", "actual", "low", "high"), HOSTILE)
    targets = [(HOSTILE, HOSTILE)]
    one = record(
        f"{operation}/{HOSTILE}",
        **hostile,
        operation=operation,
        how={HOSTILE: HOSTILE},
        inputs=[HOSTILE],
        parameters={HOSTILE: HOSTILE},
        device=HOSTILE,
        profile=HOSTILE,
        outcome="FAIL",
        gate="new",
        worst=WorstElement(index=(0,), **worst),
    )
    browser = visit(
        save(tmp_path / "run.jsonl", [one, record()], [*targets, TARGETS[0]]), width=width
    )
    names = browser.find_element(By.ID, "operation")
    browser.execute_script(
        "arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('change'))",
        names,
        operation,
    )
    assert len(cases(browser)) == 1
    body = browser.find_element(By.CSS_SELECTOR, ".body")
    assert "<script>alert(1)</script>" in body.text
    assert browser.execute_script("return document.scripts.length") == 2
    assert browser.execute_script("return document.images.length") == 0
    # A name on one line shows line breaks, escapes and turned directions as what they are.
    name = browser.find_element(By.CSS_SELECTOR, "#list .id").text
    assert "\\u000a" in name
    assert "\\u001b" in name
    assert "\\u202e" in name
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width


def test_a_script_that_came_in_all_the_same_would_not_run(visit, results, browser):
    visit(results)
    ran = browser.execute_script(
        "const s = document.createElement('div');"
        's.innerHTML = \'<img src="data:," onerror="window.ran = 1">\';'
        "document.body.append(s);"
        "const t = document.createElement('script'); t.textContent = 'window.ran = 1';"
        "document.body.append(t); return window.ran ?? 0"
    )
    assert ran == 0
    refusals = browser.get_log("browser")  # read here: they are what this test wants
    assert all("Content Security Policy" in one["message"] for one in refusals)
    assert refusals


def test_fifty_thousand_cases_open_and_filter(visit, tmp_path):
    results = realistic(tmp_path, 50_000)
    started = time.perf_counter()
    browser = visit(results)
    total = len(load(results).records)
    opened = browser.execute_script("return performance.now()")  # since it was asked for
    assert browser.find_element(By.TAG_NAME, "h1").text.endswith(f"in {total:,} cases")
    gate(browser, "all")
    assert counted(browser) == total
    assert len(cases(browser)) == 50  # a page of them, not all
    took = browser.execute_script(
        "const times = [];"
        "for (const changes of [{ text: 'sigsegv' }, { text: 'f16[3', gate: 'all' },"
        "    { text: '', operation: 'MatMul-1' }, { operation: '', outcome: 'FAIL' },"
        "    { outcome: '' }]) {"
        "  const start = performance.now(); choose(changes); document.body.offsetHeight;"
        "  times.push(Math.round(performance.now() - start)); }"
        "return times"
    )
    print(
        f"{total:,} cases: made and opened in {time.perf_counter() - started:.1f} s, "
        f"of it the browser {opened:.0f} ms; filters took {took} ms"
    )
    assert counted(browser) == total
    browser.find_element(By.ID, "after").click()
    assert browser.find_element(By.ID, "where").text.startswith("page 2 of ")
    assert opened < 30_000
    assert max(took) < 10_000
