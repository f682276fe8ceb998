"""A worker that cannot read what the first process of a run wrote lists the cases itself."""

from pathlib import Path

from tests.conformance.listing import Listing
from tests.conformance.plugin import _shared_listing

CASE = "Abs-1/plain/f32[2,3,5,4]"


def test_a_listing_that_is_there_is_read(tmp_path: Path) -> None:
    Listing({"CPU": [[CASE]]}).write(tmp_path / "cases")
    found = _shared_listing(tmp_path / "cases")
    assert found is not None
    assert found.packs == {"CPU": [[CASE]]}


def test_one_on_another_machine_is_none(tmp_path: Path) -> None:
    assert _shared_listing(tmp_path / "elsewhere" / "cases") is None
