"""The ids of a long listing are in a cache between runs, for the sources and options that they follow from."""

import os
from pathlib import Path

import pytest

from tests.conformance import listing_cache

IDS = ["Abs-1/plain/f32[2,3,5,4]", "Abs-1/type/i8[2,3,5,4]"]


class Listing:
    """Finds cases, and counts how often."""

    def __init__(self, found: list[str]) -> None:
        self.found, self.calls = found, 0

    def __call__(self) -> list[str]:
        self.calls += 1
        return list(self.found)


@pytest.mark.parametrize("found", [IDS, []])
def test_what_was_listed_is_read(tmp_path: Path, found: list[str]) -> None:
    listing = Listing(found)
    for _ in range(2):
        assert listing_cache.ids(["single"], listing, tmp_path / "cache") == found
    assert listing.calls == 1
    assert listing_cache.ids(["pairs"], listing, tmp_path / "cache") == found
    assert listing.calls == 2


def test_other_sources_list_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sources = tmp_path / "sources"
    page = sources / "ir_models" / "operations" / "abs.py"
    page.parent.mkdir(parents=True)
    page.write_text("types = [f32]", encoding="utf-8")
    monkeypatch.setattr(listing_cache, "ROOT", sources)
    listing = Listing(IDS)
    for text in ("types = [f32]", "types = [f32, i8]", "types = [f32]"):
        page.write_text(text, encoding="utf-8")
        listing_cache.ids(["single"], listing, tmp_path / "cache")
    assert listing.calls == 2
    (sources / "reference").mkdir()
    (sources / "reference" / "abs.py").write_text("", encoding="utf-8")
    listing_cache.ids(["single"], listing, tmp_path / "cache")
    assert listing.calls == 3


def test_a_damaged_file_is_not_believed(tmp_path: Path) -> None:
    listing = Listing(IDS)
    listing_cache.ids(["single"], listing, tmp_path)
    (file,) = tmp_path.glob("*.ids")
    whole = file.read_bytes()
    for damaged in (whole[:-4], b"", bytes(32) + whole[32:]):
        file.write_bytes(damaged)
        assert listing_cache.ids(["single"], listing, tmp_path) == IDS
        assert file.read_bytes() == whole
    assert listing.calls == 4


def test_a_place_that_cannot_be_written_costs_the_listing_alone(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    listing = Listing(IDS)
    for _ in range(2):
        assert listing_cache.ids(["single"], listing, tmp_path / "file" / "cache") == IDS
    assert listing.calls == 2


def test_old_files_are_removed(tmp_path: Path) -> None:
    listing = Listing(IDS)
    for number in range(12):
        before = {each.name for each in tmp_path.glob("*.ids")}
        listing_cache.ids([str(number)], listing, tmp_path)
        for new in tmp_path.glob("*.ids"):
            if new.name not in before:
                os.utime(new, (number, number))
    assert len([*tmp_path.iterdir()]) == 8
    listing_cache.ids(["11"], listing, tmp_path)
    assert listing.calls == 12
    listing_cache.ids(["0"], listing, tmp_path)
    assert listing.calls == 13


def test_the_folder_is_below_the_users_cache() -> None:
    assert listing_cache.folder({"XDG_CACHE_HOME": "/c"}) == Path(
        "/c/openvino-layer-conformance/listings"
    )
