#!/usr/bin/env python3
"""Compares what shadewood and scikit-learn say of records by models of each type that export_sklearn.py exports, trained
here on generated records, and prints a table in Markdown.

usage: sklearn-parity.py --shadewood PROGRAM [--models N] [--seed S]

Trained are N models of each type (3) with settings by chance. Attributes of the records that are compared lie at thresholds
and beside them; some are missing where scikit-learn allows it. The program fails if a class differs that rounding does not
decide, or a prediction by more than 2^-22 of the largest. It ends with 77 if a package is missing."""

import argparse
import pathlib
import sys
import tempfile

try:
    import numpy
    import sklearn.ensemble
    import sklearn.tree

    import record_parity
    from export_sklearn import describe, export
except ImportError as error:
    print(f"sklearn-parity: skipped: {error}", file=sys.stderr)
    sys.exit(77)

ATTRIBUTES = 6
TRAINING, RECORDS = 500, 2000
NAMES = ["DecisionTree", "ExtraTree", "RandomForest", "ExtraTrees", "GradientBoosting", "HistGradientBoosting"]


def draw_records(random, count, missing):
    records = numpy.round(random.randn(count, ATTRIBUTES) * [1, 10, 1e-3, 1e4, 3, 1], 3).astype(numpy.float32)
    records[random.rand(*records.shape) < missing] = numpy.nan
    return records


def draw_targets(random, records, classes):
    scaled = numpy.nan_to_num(records) / numpy.float32([1, 10, 1e-3, 1e4, 3, 1])
    values = scaled[:, 0] + scaled[:, 1] * scaled[:, 2] - abs(scaled[:, 3]) + 0.3 * random.randn(len(records))
    return values if classes == 0 else numpy.searchsorted(numpy.quantile(values, numpy.arange(1, classes) / classes), values)


def make_model(random, name, classes):
    type_name = name + ("Classifier" if classes > 0 else "Regressor")
    module = sklearn.tree if hasattr(sklearn.tree, type_name) else sklearn.ensemble
    settings = {"max_depth": int(random.randint(2, 12)), "random_state": int(random.randint(1 << 30))}
    if name == "HistGradientBoosting":
        settings |= {"max_iter": 12, "min_samples_leaf": 5}
    elif name not in ("DecisionTree", "ExtraTree"):
        settings |= {"n_estimators": int(random.randint(5, 40))}
    if classes == 2 and name == "GradientBoosting" and random.rand() < 0.5:
        settings["loss"] = "exponential"
    return getattr(module, type_name)(**settings)


def allows_missing(model):
    """scikit-learn 1.3 and later say so of more types than HistGradientBoosting."""
    try:
        return bool(model.__sklearn_tags__().input_tags.allow_nan)
    except AttributeError:
        return "HistGradientBoosting" in type(model).__name__


def put_at_thresholds(random, records, description):
    """Half of the records get an attribute that is a threshold, or the float32 above or below. Splits that only tell
    whether an attribute is missing have an infinite threshold."""
    tests = [(tree["feature"][n], tree["threshold"][n]) for tree in description["trees"]
             for n, child in enumerate(tree["children_left"]) if child >= 0 and numpy.isfinite(tree["threshold"][n])]
    for record in records[::2] if tests else []:
        attribute, limit = tests[random.randint(len(tests))]
        limit = numpy.float32(limit)
        record[attribute] = (limit, *(numpy.nextafter(limit, numpy.float32(end))
                                      for end in (-numpy.inf, numpy.inf)))[random.randint(3)]


def compare(random, name, classes, tally, program, folder):
    model = make_model(random, name, classes)
    missing = 0.1 if allows_missing(model) else 0
    records = draw_records(random, TRAINING, missing)
    model.fit(records, draw_targets(random, records, classes))
    records = draw_records(random, RECORDS, missing)
    put_at_thresholds(random, records, describe(model))
    path = pathlib.Path(folder) / "model.json"
    export(model, path)
    ours, our_classes = record_parity.evaluate(program, path, records, classes > 0, folder)
    theirs = model.predict_proba(records) if classes > 0 else model.predict(records)
    tolerance = 2.0 ** -22 * max(1.0, abs(theirs).max())
    others = 0
    if classes > 0:
        ordered = numpy.sort(theirs, axis=1)
        is_clear = ordered[:, -1] - ordered[:, -2] > 2 * tolerance
        others = int(numpy.count_nonzero((model.predict(records) != our_classes) & is_clear))
    tally.add(theirs, ours, tolerance, others)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shadewood", required=True, metavar="PROGRAM")
    parser.add_argument("--models", type=int, default=3, metavar="N")
    parser.add_argument("--seed", type=int, default=0, metavar="S")
    arguments = parser.parse_args()
    random = numpy.random.RandomState(arguments.seed)
    tallies = {}
    print(f"scikit-learn {sklearn.__version__}\n")
    with tempfile.TemporaryDirectory() as folder:
        for name in NAMES:
            for classes in (0, 2, 5):
                tally = tallies.setdefault(f"`{name}`, " + (f"{classes} classes" if classes > 0 else "values"),
                                           record_parity.Tally())
                for _ in range(arguments.models):
                    compare(random, name, classes, tally, arguments.shadewood, folder)
    sys.exit(record_parity.report(tallies))


if __name__ == "__main__":
    main()
