#!/usr/bin/env python3
"""Compares the technique cpu of record forests with the predictors that the models come from: a RandomForestClassifier
of scikit-learn and an XGBClassifier, trained here on generated records, imported, and evaluated on the same records in
the same process, round by round in turns. All sides use all processors and arrays in memory: theirs their Python
functions, ours the shared library. Leaves and classes are compared first. docs/bench.md describes what is measured."""

import argparse
import ctypes
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from record_draws import PACKAGES, Failure, generate, import_packages

CPU = 2  # SHW_RECORD_CPU
ROUND_SECONDS = 0.02  # a side repeats its call until it has taken as long


class Log(ctypes.Structure):
    _fields_ = [("function", ctypes.c_void_p), ("user", ctypes.c_void_p), ("level", ctypes.c_int)]


class Params(ctypes.Structure):
    """struct shw_record_evaluator_params"""
    _fields_ = [("forest", ctypes.c_void_p), ("device", ctypes.c_void_p), ("technique", ctypes.c_int),
                ("tuning", ctypes.c_uint32 * 4), ("memory", ctypes.c_uint64), ("slots", ctypes.c_uint32),
                ("threads", ctypes.c_uint32), ("timing", ctypes.c_bool), ("log", Log)]


class Records(ctypes.Structure):
    """struct shw_records"""
    _fields_ = [("values", ctypes.c_void_p), ("count", ctypes.c_uint64), ("attribute_count", ctypes.c_uint32),
                ("record_stride", ctypes.c_size_t), ("attribute_stride", ctypes.c_size_t),
                ("has_missing", ctypes.c_bool), ("missing", ctypes.c_float)]


class Results(ctypes.Structure):
    """struct shw_record_results"""
    _fields_ = [(name, ctypes.c_void_p) for name in ("classes", "sums", "leaves", "predictions")]


class Info(ctypes.Structure):
    """struct shw_record_forest_info"""
    _fields_ = [("task", ctypes.c_int), ("link", ctypes.c_int), ("link_scale", ctypes.c_double),
                ("mean", ctypes.c_bool), ("attribute_count", ctypes.c_uint32), ("output_count", ctypes.c_uint32),
                ("class_count", ctypes.c_uint32), ("attribute_names", ctypes.c_void_p),
                ("class_names", ctypes.c_void_p), ("output_names", ctypes.c_void_p),
                ("fraction_bits", ctypes.c_int32), ("values_per_leaf", ctypes.c_uint32), ("base", ctypes.c_void_p),
                ("cut", ctypes.c_int64), ("tree_count", ctypes.c_uint32), ("node_count", ctypes.c_uint32),
                ("leaf_count", ctypes.c_uint32), ("trees", ctypes.c_void_p), ("nodes", ctypes.c_void_p),
                ("leaf_values", ctypes.c_void_p), ("training", ctypes.c_char_p),
                ("set_word_count", ctypes.c_uint32), ("sets", ctypes.c_void_p)]


NODE = [("is_split", "?"), ("missing_right", "?"), ("zero_missing", "?"), ("is_set", "?"), ("left", "u4"),
        ("attribute", "u4"), ("threshold", "i4"), ("leaf", "u4"), ("source", "u4")]
TREE = [(name, "u4") for name in ("first_node", "node_count", "first_leaf", "leaf_count", "depth", "output")]


def load_library(path):
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise Failure(f"{error} (build with -DBUILD_SHARED_LIBS=ON)") from error
    library.shw_record_forest_get_info.restype = ctypes.POINTER(Info)
    return library


def read_abi():
    """SHW_ABI of the headers that the structs above are of; a library that was built of others refuses it."""
    header = pathlib.Path(__file__).resolve().parent.parent / "src/include/shadewood/version.h"
    return ctypes.c_uint32(int(re.search(r"#define SHW_ABI (0x[0-9a-f]+)u", header.read_text()).group(1), 16))


class Ours:
    """A record forest and its evaluator."""

    def __init__(self, numpy, library, model, options, folder):
        path = folder / "model.ktx2"
        try:
            done = subprocess.run([options.shadewood, "import", "--quiet", "--overwrite", str(model), "-o", str(path)],
                                  capture_output=True, text=True, check=False)
        except OSError as error:
            raise Failure(f"cannot run {options.shadewood}: {error.strerror}") from error
        if done.returncode != 0:
            raise Failure(f"shadewood import failed: {done.stderr.strip()}")
        self.numpy, self.library = numpy, library
        self.forest, self.evaluator = ctypes.c_void_p(), ctypes.c_void_p()
        abi = read_abi()
        self.check(library.shw_record_forest_load_abi(abi, os.fsencode(path), None, ctypes.byref(self.forest)))
        params = Params(forest=self.forest, technique=CPU, threads=options.threads)
        self.check(library.shw_record_evaluator_create_abi(abi, ctypes.byref(params), ctypes.byref(self.evaluator)))
        self.info = library.shw_record_forest_get_info(self.forest).contents
        self.outputs = library.shw_record_forest_get_prediction_count(self.forest)

    @staticmethod
    def check(code):
        if code != 0:
            raise Failure(f"the library returned the error {code}")

    def run(self, records, **results):
        given = Records(values=records.ctypes.data, count=records.shape[0], attribute_count=records.shape[1])
        wanted = Results(**{name: array.ctypes.data for name, array in results.items()})
        self.check(self.library.shw_record_evaluator_run(self.evaluator, ctypes.byref(given), ctypes.byref(wanted)))

    def classes(self, records):
        classes = self.numpy.empty(len(records), self.numpy.uint32)
        self.run(records, classes=classes)
        return classes

    def predictions(self, records):
        predictions = self.numpy.empty((len(records), self.outputs), self.numpy.float32)
        self.run(records, predictions=predictions)
        return predictions

    def array(self, address, count, kind):
        size = count * self.numpy.dtype(kind).itemsize
        return self.numpy.frombuffer(ctypes.string_at(address, size), kind)

    def original_leaves(self, records):
        """The originals' numbers of the leaves, for each record and tree."""
        leaves = self.numpy.empty((len(records), self.info.tree_count), self.numpy.uint32)
        self.run(records, leaves=leaves)
        nodes = self.array(self.info.nodes, self.info.node_count, NODE)
        trees = self.array(self.info.trees, self.info.tree_count, TREE)
        sources = nodes["source"][~nodes["is_split"]]
        return sources[leaves + trees["first_leaf"]]


def train(modules, options, folder):
    """Both models with our forests of them."""
    numpy, sklearn, xgboost = modules
    records, classes = generate(numpy, options.attributes, options.classes, options.train, 1)
    forest = sklearn.ensemble.RandomForestClassifier(options.trees, max_depth=options.depth, n_jobs=-1, random_state=1)
    forest.fit(records, classes)
    rounds = options.trees if options.classes == 2 else max(1, options.trees // options.classes)
    boosted = xgboost.XGBClassifier(n_estimators=rounds, max_depth=options.depth, tree_method="hist", random_state=1)
    boosted.fit(records, classes)
    from export_sklearn import export
    export(forest, str(folder / "forest.json"))
    boosted.save_model(str(folder / "boosted.json"))
    library = load_library(options.library)
    return {"forest": forest, "our_forest": Ours(numpy, library, folder / "forest.json", options, folder),
            "boosted": boosted, "our_boosted": Ours(numpy, library, folder / "boosted.json", options, folder)}


def compare(modules, models, records):
    """Refuses to go on if a leaf differs. Returns the parts of classes that are the same."""
    numpy, _, xgboost = modules
    booster = models["boosted"].get_booster()
    pairs = {"RandomForestClassifier": (models["forest"].apply(records), models["our_forest"].original_leaves(records)),
             "XGBoost": (booster.predict(xgboost.DMatrix(records), pred_leaf=True),
                         models["our_boosted"].original_leaves(records))}
    for name, (theirs, ours) in pairs.items():
        if not numpy.array_equal(theirs.reshape(len(records), -1).astype(numpy.uint32), ours):
            raise Failure(f"leaves differ from those of {name}")
    return {"RandomForestClassifier": float((models["forest"].predict(records) ==
                                             models["our_forest"].classes(records)).mean()),
            "XGBoost": float((models["boosted"].predict(records) == models["our_boosted"].classes(records)).mean())}


def ways(modules, models, records):
    """What is timed, by name: (model, whether it is ours, what is made before and not timed, function of that)."""
    _, _, xgboost = modules
    forest, booster = models["forest"], models["boosted"].get_booster()

    def predict(jobs):
        forest.n_jobs = jobs
        return forest.predict(records)

    def nothing():
        return None

    # A Booster remembers what it has predicted of a DMatrix, so each call has a new one.
    return {"RandomForestClassifier.predict, one job": ("forest", False, nothing, lambda _: predict(1)),
            "RandomForestClassifier.predict, all jobs": ("forest", False, nothing, lambda _: predict(-1)),
            "shadewood, classes": ("forest", True, nothing, lambda _: models["our_forest"].classes(records)),
            "XGBoost inplace_predict": ("boosted", False, nothing, lambda _: booster.inplace_predict(records)),
            "XGBoost predict, without making a DMatrix": ("boosted", False, lambda: xgboost.DMatrix(records),
                                                          booster.predict),
            "shadewood, predictions": ("boosted", True, nothing,
                                       lambda _: models["our_boosted"].predictions(records))}


def time_calls(prepare, function):
    """Mean seconds of as many calls as take ROUND_SECONDS."""
    calls, seconds = 0, 0.0
    while seconds < ROUND_SECONDS:
        prepared = prepare()
        begin = time.perf_counter()
        function(prepared)
        seconds += time.perf_counter() - begin
        calls += 1
    return seconds / calls


def measure(modules, models, options):
    rows = []
    for count in options.records:
        records, _ = generate(modules[0], options.attributes, options.classes, count, 2)
        sides = ways(modules, models, records)
        seconds = {name: [] for name in sides}
        for number in range(options.rounds):
            for name in sides if number % 2 == 0 else reversed(sides):
                seconds[name].append(time_calls(*sides[name][2:]))
        best = {name: min(times) for name, times in seconds.items()}
        for model in ("forest", "boosted"):
            of_model = {name: best[name] for name in sides if sides[name][0] == model}
            ours = next(name for name in of_model if sides[name][1])
            theirs = min((name for name in of_model if name != ours), key=best.get)
            rows.append({"records": count, "model": model, "their_way": theirs, "their_seconds": best[theirs],
                         "our_seconds": best[ours], "times_faster": best[theirs] / best[ours],
                         "our_records_per_second": count / best[ours], "seconds": of_model})
    return rows


def print_table(result):
    print(f"{result['trees']} trees of depth {result['depth']}, {result['attributes']} attributes, "
          f"{result['classes']} classes, the least of {result['rounds']} rounds, load {result['load']:.1f} on "
          f"{result['processors']} processors; leaves are equal\n")
    print(f"{'records':>9}  {'their fastest way':42} {'their ms':>10} {'our ms':>10} {'faster':>8} {'records/s':>12}")
    for row in result["rows"]:
        print(f"{row['records']:9}  {row['their_way']:42} {1e3 * row['their_seconds']:10.4f} "
              f"{1e3 * row['our_seconds']:10.4f} {row['times_faster']:8.1f} {row['our_records_per_second']:12.3g}")


def read_counts(text):
    return [int(float(part)) for part in text.split(",")]


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, epilog=f"Needs {PACKAGES}.")
    parser.add_argument("--shadewood", metavar="FILE", default="shadewood", help="the program (%(default)s)")
    parser.add_argument("--library", metavar="FILE", default="libshadewood.so", help="the library (%(default)s)")
    parser.add_argument("--trees", metavar="N", type=int, default=100, help="of each model (%(default)s)")
    parser.add_argument("--depth", metavar="N", type=int, default=8, help="of trees, at most (%(default)s)")
    parser.add_argument("--attributes", metavar="N", type=int, default=32, help="of records (%(default)s)")
    parser.add_argument("--classes", metavar="N", type=int, default=2, help="(%(default)s)")
    parser.add_argument("--train", metavar="N", type=int, default=20000, help="records to train with (%(default)s)")
    parser.add_argument("--records", metavar="N,...", type=read_counts, default=[1, 100, 1000000],
                        help="evaluated at once (1,100,1e6)")
    parser.add_argument("--rounds", metavar="N", type=int, default=5, help="(%(default)s)")
    parser.add_argument("--threads", metavar="N", type=int, default=0, help="of ours (all processors)")
    parser.add_argument("--json", metavar="FILE", help="write the figures")
    options = parser.parse_args()
    if min(options.trees, options.depth, options.attributes, options.classes - 1, options.train, options.rounds,
           *options.records) < 1:
        parser.error("numbers must be at least 1, --classes 2")
    return options


def main():
    options = parse_options()
    try:
        modules = import_packages()
        with tempfile.TemporaryDirectory() as folder:
            models = train(modules, options, pathlib.Path(folder))
            same = compare(modules, models, generate(modules[0], options.attributes, options.classes, 2000, 3)[0])
            rows = measure(modules, models, options)
        result = {"trees": options.trees, "depth": options.depth, "attributes": options.attributes,
                  "classes": options.classes, "rounds": options.rounds, "load": os.getloadavg()[0],
                  "processors": os.cpu_count(), "classes_equal": same, "rows": rows}
        print_table(result)
        if options.json is not None:
            pathlib.Path(options.json).write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    except (Failure, OSError) as error:
        print(f"record-peers: {error}", file=sys.stderr)
        return 1
    return 0


sys.exit(main())
