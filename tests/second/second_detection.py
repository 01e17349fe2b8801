#!/usr/bin/env python3
"""Compares the library with this implementation of docs/detection.md and docs/cascade-format.md.

usage: second_detection.py DUMP [SEED [CASES]]

DUMP runs random cascades over random images (detect_dump.c). TAP on the output.
"""
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

import with_numpy  # noqa: F401
import numpy as np

from detection import Cascade, detect
from records import read_records

MEMBERS = "x", "y", "width", "height", "score", "level", "angle", "neighbours"


def compare(path):
    """What differs, or None; and how many detections there are."""
    records = read_records(path)
    sizes, ratios = records["sizes"][0].tolist(), records["ratios"][0].tolist()
    scan = {"min_size": sizes[0], "max_size": sizes[1] or 1 << 32, "levels_per_octave": sizes[2], "step": sizes[3],
            "scale_factor": ratios[0], "stride": ratios[1], "angles": records["angles"][0].tolist()}
    cascade = Cascade(records["cascade"].tobytes())
    expected, got = records["found"].astype(np.int64), detect(cascade, records["image"], scan)
    what = f"{cascade.kind}, window {cascade.width} x {cascade.height}, {cascade.metadata.get('planes')}, {scan}"
    if len(expected) != len(got):
        return f"{len(expected)} detections, here {len(got)}: {what}", 0
    wrong = np.argwhere(expected != got)
    if len(wrong) > 0:
        row, member = wrong[0]
        return (f"detection {row}: {MEMBERS[member]} {expected[row, member]}, here {got[row, member]}; "
                f"{len(np.unique(wrong[:, 0]))} of {len(got)} differ: {what}"), 0
    return None, len(got)


def main():
    dump, seed, cases = sys.argv[1], *(int(text) for text in [*sys.argv[2:], *("1", "60")[len(sys.argv) - 2:]])
    failed, found = 0, {0: 0, 1: 0}
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([dump, folder, str(seed), str(cases)], check=True)
        for case in range(cases):
            differs, count = compare(os.path.join(folder, str(case)))
            found[case % 2] += count
            failed += differs is not None
            print(f"not ok {case + 1} - {differs}" if differs else f"ok {case + 1}")
    enough = min(found.values()) > 20 * cases
    print(f"{'ok' if enough else 'not ok'} {cases + 1} - {found[0]} and {found[1]} detections were compared")
    print(f"1..{cases + 1}")
    sys.exit(failed > 0 or not enough)


main()
