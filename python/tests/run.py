"""Runs the tests of the Python module, as the test `python` does, or those that the arguments of pytest name: run.py [ARGUMENT...]

Where a package that they need is missing, it says which one and ends with 77, which means skipped; with SHW_NO_SKIP=1
it fails.
"""

import importlib.util
import os
import pathlib
import sys

PACKAGES = {"numpy": "python3-numpy", "pytest": "python3-pytest"}
FOR_SOME = {"sklearn": "python3-sklearn", "xgboost": "python3-xgboost", "onnx": "python3-onnx"}


def missing(packages):
    return [debian for name, debian in packages.items() if importlib.util.find_spec(name) is None]


def main():
    strict = os.environ.get("SHW_NO_SKIP") == "1"
    lacking = missing(PACKAGES) + (missing(FOR_SOME) if strict else [])
    if lacking:
        print(f"# skipped: there is no {' '.join(lacking)}")
        return 1 if strict else 77
    import pytest

    sys.dont_write_bytecode = True
    what = sys.argv[1:] or [str(pathlib.Path(__file__).resolve().parent)]
    return pytest.main(["-q", "-p", "no:cacheprovider", "--no-header", "--tb=short", "-rs", *what])


if __name__ == "__main__":
    sys.exit(main())
