"""To be imported before numpy: without it, starts Debian's Python instead, or ends; TAP on the output."""
import os
import sys

DEBIAN_PYTHON = "/usr/bin/python3"

try:
    import numpy  # noqa: F401
except ImportError:
    if sys.executable != DEBIAN_PYTHON and os.access(DEBIAN_PYTHON, os.X_OK):
        os.execv(DEBIAN_PYTHON, [DEBIAN_PYTHON, *sys.argv])
    if os.environ.get("SHW_NO_SKIP") == "1":
        print("not ok 1 - numpy is not installed (Debian: python3-numpy)\n1..1")
        sys.exit(1)
    name = os.path.splitext(os.path.basename(sys.argv[0]))[0]
    print(f"# skipped: numpy is not installed (Debian: python3-numpy)\nnot ok 1 # SKIP {name}\n1..1")
    sys.exit(0)
