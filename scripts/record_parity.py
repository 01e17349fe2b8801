"""What onnx-parity.py and sklearn-parity.py have in common: what shadewood says of records by a model, and how far that is
from what the program says that the model is from."""
import pathlib
import subprocess
import sys

import numpy


def evaluate(program, model, records, is_classifier, folder):
    """Predictions (records by outputs), and classes (numbers; None of values). Ends this program if shadewood refuses."""
    table, result = (pathlib.Path(folder) / name for name in ("records.npy", "result.npy"))
    numpy.save(table, numpy.ascontiguousarray(records, numpy.float32))
    kinds = ("probabilities", "classes") if is_classifier else ("values",)
    run = subprocess.run([program, "records", model, table, "--technique", "cpu", "--by-position", "--quiet",
                          "--class-column", "none", "-o", result, "--overwrite", "--write", ",".join(kinds)],
                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    if run.returncode != 0:
        sys.exit(run.stderr.strip())
    written = [result.with_name(f"result_{kind}.npy") for kind in kinds] if len(kinds) > 1 else [result]
    found = [numpy.load(path) for path in written]
    return found[0].reshape(len(records), -1), found[1] if is_classifier else None


def distances(theirs, ours):
    """Of predictions; equal ones have none, even if they are infinite or NaN, and NaN is infinitely far from a number."""
    theirs, ours = numpy.asarray(theirs, float).reshape(ours.shape), ours.astype(float)
    with numpy.errstate(invalid="ignore"):
        distance = numpy.nan_to_num(abs(theirs - ours), nan=numpy.inf)
    return numpy.where((theirs == ours) | (numpy.isnan(theirs) & numpy.isnan(ours)), 0.0, distance)


class Tally:
    """Models of one kind, and how far predictions are apart."""

    def __init__(self):
        self.models = self.records = self.other_classes = self.differing = 0
        self.farthest = 0.0

    def add(self, theirs, ours, tolerance, other_classes=0):
        """`tolerance`: of predictions, one number or one for each. `other_classes`: how many records have. Returns whether
        the model says the same."""
        distance = distances(theirs, ours)
        same = other_classes == 0 and bool((distance <= tolerance).all())
        self.models += 1
        self.records += len(ours)
        self.other_classes += other_classes
        self.differing += not same
        self.farthest = max(self.farthest, float(distance.max(initial=0.0)))
        return same


def report(tallies):
    """Prints a table in Markdown. Returns the exit status: 1 if a model differs."""
    print("| models | how many | records | other classes | farthest prediction | models that differ |")
    print("|---|---|---|---|---|---|")
    for name, tally in tallies.items():
        print(f"| {name} | {tally.models} | {tally.records} | {tally.other_classes} | {tally.farthest:.2g} "
              f"| {tally.differing} |")
    return int(any(tally.differing for tally in tallies.values()))
