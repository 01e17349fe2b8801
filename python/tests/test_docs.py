"""The examples in docstrings and in the README."""

import doctest
import importlib
import importlib.util
import os
import pathlib
import pkgutil
import subprocess
import sys

import pytest

import shadewood

PYTHON = pathlib.Path(__file__).resolve().parent.parent
NAMES = ["shadewood"] + [f"shadewood.{each.name}" for each in pkgutil.iter_modules(shadewood.__path__)
                         if not each.name.startswith(("_native", "napari"))]


@pytest.mark.parametrize("name", NAMES)
def test_docstrings(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_types(tmp_path):
    """Debian's mypy, with the settings of pyproject.toml."""
    if importlib.util.find_spec("mypy") is None:
        assert os.environ.get("SHW_NO_SKIP") != "1", "there is no mypy"
        pytest.skip("there is no mypy")
    done = subprocess.run([sys.executable, "-m", "mypy", f"--cache-dir={tmp_path}"], cwd=PYTHON, stdout=subprocess.PIPE,
                          text=True)
    assert done.returncode == 0, done.stdout


def test_every_public_thing_is_described():
    for name in shadewood.__all__:
        thing = getattr(shadewood, name)
        assert thing.__doc__ or name == "DETECTION", name
        if isinstance(thing, type):
            for member, value in vars(thing).items():
                if callable(value) and not member.startswith("_") and member not in ("count", "index"):
                    assert value.__doc__, f"{name}.{member}"


@pytest.mark.parametrize("path", [PYTHON / "README.md", PYTHON.parent / "docs/python.md"])
def test_documents(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert doctest.testfile(str(path), module_relative=False).failed == 0
