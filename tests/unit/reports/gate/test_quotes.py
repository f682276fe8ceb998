"""Whether causes quote pages in the pages' words."""

from __future__ import annotations

from pathlib import Path

import pytest

from reports.__main__ import main

PAGE = """\
* **1**: ``data`` - A tensor of type *T*. The range of elements is ``[-r, r-1]``, where ``r`` is
  the rank of :doc:`data <../data>`. It doesn't end there.
"""


@pytest.mark.parametrize(
    "page, missing",
    [
        ("axes: 'the range of elements is [-r, r-1], where r is the rank of data'", []),
        ("'A tensor of type T' and 'It doesn't end there'", []),
        ("'A tensor ... the rank of'", []),
        ("'axes: The range of elements'", ["axes: The range of elements"]),
        ("'A tensor ... of another rank'", ["of another rank"]),
        ("no quote", []),
    ],
)
def test_quotes_that_no_page_has(
    page: str, missing: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], shipped: Path
) -> None:
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "a-1.rst").write_text(PAGE)
    text = f'title = "t"\nclass = "defect"\ndevices = ["CPU"]\npage = "{page}"\n'
    (shipped / "own.toml").write_text(text)
    assert main(["causes", "--pages", str(tmp_path / "pages")]) == bool(missing)
    assert capsys.readouterr().out == "".join(f"own: no page has {one!r}\n" for one in missing)


def test_a_folder_without_pages(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], shipped: Path
) -> None:
    assert main(["causes", "--pages", str(tmp_path)]) == 2
    assert "there is no page" in capsys.readouterr().err
