"""An OpenVINO and plugins that are named on the command line."""

import os
import sys

import pytest

from devices.process import own_build


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    for name in (own_build.OPENVINO, own_build.PLUGINS, "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"):
        monkeypatch.setenv(name, "")


def package(folder):
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("__version__ = 'mine'\n")
    return folder


@pytest.mark.parametrize(
    "below",
    ["openvino", "python/openvino", "lib/python3.11/site-packages/openvino"],
)
def test_the_package_is_found_in_each_kind_of_folder(tmp_path, monkeypatch, below):
    found = package(tmp_path / below)
    monkeypatch.delitem(sys.modules, "openvino", raising=False)
    own_build.use(str(tmp_path), [])
    assert os.environ[own_build.OPENVINO] == str(tmp_path)
    own_build.load()
    assert sys.modules["openvino"].__file__ == str(found / "__init__.py")
    monkeypatch.delitem(sys.modules, "openvino")


def test_libraries_of_an_installation_are_on_the_path(tmp_path):
    package(tmp_path / "python" / "openvino")
    libraries = tmp_path / "runtime" / "lib" / "intel64"
    libraries.mkdir(parents=True)
    (libraries / "libopenvino.so").touch()
    own_build.use(str(tmp_path), [])
    name = "DYLD_LIBRARY_PATH" if sys.platform == "darwin" else "LD_LIBRARY_PATH"
    assert os.environ[name] == str(libraries)


def test_the_named_package_is_the_one_that_loads(tmp_path, monkeypatch):
    package(tmp_path / "openvino")
    monkeypatch.delitem(sys.modules, "openvino", raising=False)
    own_build.use(str(tmp_path), [])
    before = list(sys.path)
    own_build.load()
    try:
        assert sys.modules["openvino"].__version__ == "mine"
        assert sys.path == before
    finally:
        del sys.modules["openvino"]


def test_a_package_that_does_not_load_is_told(tmp_path, monkeypatch):
    package(tmp_path / "openvino").joinpath("__init__.py").write_text("import no_such_library\n")
    monkeypatch.delitem(sys.modules, "openvino", raising=False)
    own_build.use(str(tmp_path), [])
    with pytest.raises(ImportError, match=r"does not load with this Python: .*no_such_library"):
        own_build.load()
    assert "openvino" not in sys.modules


def test_plugins_are_handed_on(tmp_path):
    library = tmp_path / "libmine=1.so"
    library.touch()
    own_build.use(None, [f"MYCPU={library}"])
    assert own_build.plugins() == [("MYCPU", str(library))]


@pytest.mark.parametrize(
    "openvino, plugins, told",
    [
        ("nowhere", [], "--openvino .*nowhere: no OpenVINO there"),
        ("", [], "--openvino takes a path, got ''"),
        (None, [""], "--plugin is NAME=LIBRARY, got ''"),
        (None, ["NAME"], "--plugin is NAME=LIBRARY, got 'NAME'"),
        (None, ["=x"], "--plugin is NAME=LIBRARY"),
        (None, ["NAME=nowhere.so"], "--plugin NAME: there is no file .*nowhere.so"),
    ],
)
def test_what_is_not_there_is_told_in_one_line(openvino, plugins, told):
    with pytest.raises(own_build.OwnBuildError, match=told) as caught:
        own_build.use(openvino, plugins)
    assert "\n" not in str(caught.value)
