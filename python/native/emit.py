"""Writes the C source of the extension shadewood._native: emit.py OUTPUT COMPILER INCLUDE-FOLDER..."""

import pathlib
import sys

import cffi

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from declarations import SOURCE, declare  # noqa: E402


def main(output, compiler, *folders):
    builder = cffi.FFI()
    builder.cdef(declare(compiler, folders))
    builder.set_source("shadewood._native", SOURCE)
    builder.emit_c_code(output)


if __name__ == "__main__":
    main(*sys.argv[1:])
