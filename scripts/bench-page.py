#!/usr/bin/env python3
"""Makes a self-contained HTML page with charts of a run of the bench, or of the comparison of two runs.

Reports are the files that `shadewood bench --json FILE` writes. The page has its style, its charts (inline SVG) and a small script
that sorts tables; it needs no network and is complete without the script."""

import argparse
import fcntl
import os
import pathlib
import re
import sys

MODULES = "."  # the folder of bench_page, from this file; its installed copy has another

sys.dont_write_bytecode = True  # beside the modules
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / MODULES))

from bench_page.comparison import comparison_page
from bench_page.document import Failure, load
from bench_page.page import MARK
from bench_page.run import run_page
from bench_page.text import printable


def is_at(path, descriptor):
    try:
        return os.path.samestat(os.stat(path), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def create_temporary(path):
    """Creates the temporary file of a path and locks it; one that a program which is gone has left is taken over."""
    folder, name = os.path.split(path)
    temporary = os.path.join(folder, "." + os.fsdecode(os.fsencode(name)[:200]) + ".shadewood")
    while True:
        descriptor = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o666)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)  # waits for another writer of the same page
            if is_at(temporary, descriptor):  # and was not renamed by that writer
                os.ftruncate(descriptor, 0)
                return descriptor, temporary
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def write_beside(path, data):
    """Writes a temporary file beside the path and renames it: the path has the whole page or what it had."""
    descriptor, temporary = create_temporary(path)
    with open(descriptor, "wb") as file:
        try:
            file.write(data)
            file.flush()
            os.fsync(descriptor)
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise


def write(path, page):
    data = page.encode("utf-8")
    try:
        target = os.path.realpath(path) if path is not None else None
        if target is None:
            with open(1, "wb", closefd=False) as file:
                file.write(data)
        elif os.path.exists(target) and not os.path.isfile(target):  # a pipe or a device
            pathlib.Path(target).write_bytes(data)
        else:
            write_beside(target, data)
    except (OSError, ValueError) as error:
        name = printable(path) if path is not None else "the standard output"
        raise Failure(f"cannot write {name}: {getattr(error, 'strerror', None) or error}") from None


def check_output(path, reports, overwrite):
    """The page must not take the place of a report, nor of a file that is not a page."""
    if path is None or not os.path.isfile(path):
        return
    for report in reports:
        if os.path.exists(report) and os.path.samefile(path, report):
            raise Failure(f"{printable(path)} would be overwritten, which is the report {printable(report)}")
    try:
        head = pathlib.Path(path).open("rb").read(1024)
    except OSError as error:
        raise Failure(f"cannot read {printable(path)}: {error.strerror}") from None
    if head and MARK.encode() not in head and not overwrite:
        raise Failure(f"{printable(path)} exists, and is not a page of this program: choose another name, or replace it "
                      "with --overwrite")


def percent(text):
    if not re.fullmatch("[0-9]{1,4}", text) or int(text) > 1000:
        raise argparse.ArgumentTypeError(f"a number from 0 to 1000 is needed, not {text!r}")
    return int(text) / 100


def main():
    head, rest = __doc__.split("\n\n", 1)
    parser = argparse.ArgumentParser(description=head, epilog=rest, allow_abbrev=False)
    parser.add_argument("reports", nargs="+", metavar="REPORT.json", help="a run, or two runs A and B to compare")
    parser.add_argument("-o", "--output", metavar="PAGE.html", help="the page (the standard output)")
    parser.add_argument("--overwrite", action="store_true", help="replace an existing file that is not a page")
    parser.add_argument("--threshold", metavar="PERCENT", type=percent, default=0.1,
                        help="of a comparison: the slowdown that counts as a regression (10)")
    options = parser.parse_args()
    if len(options.reports) > 2:
        parser.error("at most two reports are compared")
    try:
        check_output(options.output, options.reports, options.overwrite)
        documents = [load(path) for path in options.reports]
        write(options.output, run_page(documents[0]) if len(documents) == 1 else
              comparison_page(*documents, options.reports, options.threshold))
    except Failure as failure:
        print(f"{parser.prog}: {failure}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
