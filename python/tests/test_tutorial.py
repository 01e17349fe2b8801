"""The notebook runs, cell by cell, in one namespace, as a kernel would run it; it is also valid by nbformat, if that is
installed."""

import ast
import json
import pathlib

import pytest

NOTEBOOK = pathlib.Path(__file__).resolve().parent.parent / "tutorial.ipynb"


def run_cell(source, namespace):
    """As a notebook does: the value of a last line that is an expression is shown."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, str(NOTEBOOK), "exec"), namespace)
    return repr(eval(compile(ast.Expression(last.value), str(NOTEBOOK), "eval"), namespace)) if last else ""


def test_every_cell(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    namespace, shown = {"__name__": "__main__"}, []
    for cell in json.loads(NOTEBOOK.read_text())["cells"]:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [] and cell["execution_count"] is None
            shown.append(run_cell("".join(cell["source"]), namespace))
    assert any("PixelForestClassifier" in each for each in shown)
    assert list(tmp_path.iterdir()) == []


def test_its_format():
    nbformat = pytest.importorskip("nbformat")
    nbformat.validate(nbformat.read(str(NOTEBOOK), as_version=4))
