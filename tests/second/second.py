#!/usr/bin/env python3
"""Compares the library with this implementation of docs/channels.md, docs/training.md, docs/forest-format.md,
docs/smoothing.md, docs/stacking.md (not its training) and docs/calibration.md.

usage: second.py PROGRAM [DUMP [SEED [CASES]]]

PROGRAM is shadewood, which trains on a data set of its own; DUMP writes random trainings step by step (dump.c). Without
SEED the usual cases are compared. TAP on the output; of a case that differs, the first step that does.
"""
import collections
import os
import subprocess
import sys
import tempfile

USUAL_SEED, USUAL_CASES = 1, 30

sys.dont_write_bytecode = True

import with_numpy  # noqa: F401
import numpy as np

import forest as forests
from calibration import best_power, calibrated
from channels import channels, integrals
from depth_features import UNDEFINED
from features import Planes
from images import read_set
from records import read_records
from smoothing import smooth
from training import Trainer, Value, draw_samples

compared = collections.Counter()


class Differs(Exception):
    pass


def same(kind, place, expected, got):
    """Both are arrays; `expected` is the library's."""
    expected, got = np.asarray(expected), np.asarray(got)
    if expected.shape != got.shape:
        raise Differs(f"{kind} {place}: {expected.shape} numbers, here {got.shape}")
    wrong = np.argwhere(expected != got)
    if len(wrong) > 0:
        at = tuple(wrong[0])
        raise Differs(f"{kind} {place}: at {tuple(int(i) for i in at)} {expected[at]}, here {got[at]}; "
                      f"{len(wrong)} of {expected.size} numbers differ")
    compared[kind] += expected.size


def settings_of(forest):
    metadata = forest.metadata
    settings = dict(metadata["training"], channels=metadata["channels"], feature=metadata["feature"],
                    classes=len(metadata["classes"]))
    if settings["generator"] != 2:
        raise Differs(f"generator {settings['generator']}")
    return settings


class Watch:
    """Compares the rounds of a case as they come."""

    def __init__(self, records):
        self.records, self.round = records, 0

    def pieces(self, kind, node):
        prefix = f"{kind}/{self.round}/{node}/"
        names = sorted((name for name in self.records if name.startswith(prefix)),
                       key=lambda name: int(name[len(prefix):]))
        return np.concatenate([self.records[name] for name in names])

    def __call__(self, tree, number, opened, weights):
        place = f"of tree {tree}, round {number}"
        counted = f"round/{self.round}" in self.records  # ferns are trained without the splitter that records this
        if counted:
            same("open nodes", place, self.records[f"round/{self.round}"], [node.number for node in opened])
            present = np.unique(opened[0].samples[:, 3])
            same("weights", place, self.records[f"weights/{self.round}"], weights[present])
        best = self.records[f"best/{self.round}"]
        for n, node in enumerate(opened):
            where = f"{place}, node {node.number}"
            if counted:
                self.compare_histograms(n, node, where)
            same("splits", where, best[n, 0], node.best is not None)
            if node.best is not None:
                value, *choice = node.best
                same("splits", where, best[n, 1:4].view("<i4"), choice)
                whole, numerator, denominator = (int(part) for part in best[n, 4:].view("<u8"))
                whole -= (whole >> 63) << 64
                if not Value(whole * denominator + numerator, denominator) == value:
                    raise Differs(f"scores {where}: {whole} + {numerator} / {denominator}, here {value.numerator} / "
                                  f"{value.denominator}")
                compared["scores"] += 1
        self.round += 1

    def compare_histograms(self, n, node, where):
        same("candidates", where, self.pieces("features", n), node.words)
        same("usable", where, self.pieces("usable", n) != 0, node.usable)
        usable = node.usable[:, None]
        same("thresholds", where, self.pieces("thresholds", n), np.where(usable, node.thresholds, 0))
        same("histograms", where, self.pieces("histogram", n), np.where(usable[:, None], node.histogram, 0))


def compare_labels(records, forest, planes, images):
    for i, image in enumerate(images):
        height, width = image.shape[:2]
        leaves, distribution, argmax = forests.label(forest.trees, planes, i, width, height,
                                                     forest.metadata.get("combine") == "vote")
        same("leaves", f"of image {i}", records[f"leaves/{i}"], leaves)
        same("probabilities", f"of image {i}", records[f"distribution/{i}"], distribution)
        same("labels", f"of image {i}", records[f"argmax/{i}"], argmax)
        x, y, tree, node, response = records[f"responses/{i}"].astype(np.int64).T
        words = [forest.trees[t].nodes[n, 1:6] for t, n in zip(tree, node)]
        if words:
            here = planes.respond(np.array(words), i, x, y)
            same("responses", f"of image {i}", response, np.where(here == UNDEFINED, 0, here))


def compare_case(records):
    forest = forests.Forest(records["forest"].tobytes())
    settings = settings_of(forest)
    count = sum(name.startswith("image/") for name in records)
    examples = [(records[f"image/{i}"], {name: records[f"{name}/{i}"] for name in ("previous", "depth", "height")
                                         if f"{name}/{i}" in records}, records[f"labels/{i}"].astype(np.int64))
                for i in range(count)]
    for i, (image, inputs, _) in enumerate(examples):
        planes = channels(settings["channels"], image, inputs)
        same("channels", f"{settings['channels']} of image {i}", records[f"channels/{i}"], planes)
        same("integral images", f"of image {i}", records[f"integrals/{i}"], integrals(planes))
    trainer = Trainer(settings, examples, records.get("given/0"))
    same("labelled pixels", "of the set", settings["class_pixels"], trainer.class_pixels)
    watch = Watch(records)
    trees = []
    for tree in range(settings["trees"]):
        same("samples", f"of tree {tree}", records[f"samples/{tree}"],
             draw_samples(trainer.settings, trainer.labels, tree))
        trees.append(trainer.train(tree, watch))
    same("forest", "texels", forest.words, forests.texels(trees, settings["classes"]))
    compare_labels(records, forest, trainer.planes, [image for image, _, _ in examples])
    return settings


def check_that_differences_are_found(records):
    """Changes one number of each kind of record."""
    kinds = {}
    for name, numbers in records.items():
        if numbers.size > 0:
            kinds.setdefault(name.split("/")[0], []).append(name)
    for kind, names in sorted(kinds.items()):
        if kind in ("depth", "feature", "given", "height", "image", "previous", "usable"):
            continue  # inputs; and flags that the thresholds follow from
        changed = dict(records)
        name = names[len(names) // 2]
        numbers = changed[name].copy()
        numbers.flat[{"best": 0, "forest": -5, "responses": -1}.get(kind, numbers.size // 2)] ^= 1
        changed[name] = numbers
        try:
            compare_case(changed)
        except (Differs, IndexError, ValueError):  # a void label becomes one that no class has
            continue
        raise Differs(f"a change of {name} was not found")


def run(*arguments):
    subprocess.run(arguments, check=True, stdout=subprocess.DEVNULL)


TRAININGS = (
    "--channels gauss:1,log:2,lab,position --trees 3 --depth 5 --candidates 30 --pixels 120 --sampling balanced "
    "--mirror --images-percent 70 --weights inverse-root --score normalised-gain --single 25 --offset 14 "
    "--min-samples 3 --seed 9223372036854775807",
    "--feature pixel-difference --channels wide --trees 2 --depth 6 --pixels all --thresholds random --bins 5 "
    "--score gini --pool round --candidates 50 --offset 9 --leaves 11",
    "--feature sum-difference --trees 4 --depth 4 --offset-min 1 --candidates 25 --images-percent 80 --replacement "
    "--weights inverse --size 40 --score misclassification --seed 5",
    "--channels lab --trees 3 --depth 6 --candidates 20 --pixels 150 --sampling class-uniform --prior data --bias 15 "
    "--same-samples --combine vote --images-percent 80 --mirror --min-samples 4 --offset 11 --seed 77",
    "--channels dx:2,position,gauss:1,abs-dx:1 --trees 2 --depth 6 --candidates 30 --pixels 140 --sampling balanced "
    "--flip paired --images-percent 70 --replacement --offset 13 --seed 6",
    "--ferns --channels rgb --trees 2 --depth 7 --candidates 20 --pixels 90 --weights inverse-root --min-samples 5 "
    "--offset 12",
    "--feature depth-mean-difference --channels depth,lab --trees 2 --depth 5 --candidates 40 --pixels 200 --offset 40 "
    "--size 40 --mirror --min-samples 4",
    "--feature depth-pixel-difference --channels depth --trees 2 --depth 5 --candidates 40 --pixels 200 --offset 60 "
    "--single 30 --sampling balanced --thresholds random --bins 5 --combine vote",
    "--feature kinect-difference --channels depth --trees 2 --depth 5 --candidates 40 --pixels 200 --offset 60",
    "--feature curfil-difference --channels depth,lab-linear --trees 2 --depth 5 --candidates 40 --pixels 200 "
    "--offset 40 --size 30 --sampling class-uniform --offset-min 3")


def compare_program(program, folder):
    """A data set on disk, the program's forests of it and what they say about an image."""
    data = os.path.join(folder, "scenes")
    run(program, "synth", "--quiet", "--output", data, "--count", "5", "--size", "36x28", "--holes")
    examples, classes = read_set(data)
    for number, options in enumerate(TRAININGS):
        labelled = os.path.join(folder, str(number))
        path = labelled + ".ktx2"
        run(program, "train", "--quiet", "--data", data, "--output", path, "--technique", "cpu", *options.split())
        run(program, "label", "--quiet", "--output", labelled, "--probabilities", "npy", "--leaves", "--no-overlay",
            "--technique", "cpu", path, os.path.join(data, "00003_colors.png"),
            *(["--input", f"depth={data}/00003_depth.png"] if "--channels depth" in options else []))
        with open(path, "rb") as file:
            forest = forests.Forest(file.read())
        settings = settings_of(forest)
        same("classes", options, settings["classes"], classes)
        trainer = Trainer(settings, examples)
        trees = [trainer.train(tree) for tree in range(settings["trees"])]
        same("forest", options, forest.words, forests.texels(trees, classes))
        height, width = examples[3][0].shape[:2]
        leaves, distribution, _ = forests.label(trees, trainer.planes, 3, width, height,
                                                forest.metadata.get("combine") == "vote")
        same("leaves", options, np.load(os.path.join(labelled, "00003_colors_leaves.npy")), leaves)
        same("probabilities", options, np.load(os.path.join(labelled, "00003_colors_probabilities.npy")), distribution)


def evaluate(forest, image):
    """The distribution of an image, not smoothed, and as the level above sees it."""
    inputs = {"below": evaluate(forest.below, image)[1]} if forest.below is not None else {}
    planes = Planes({"channels": forest.metadata["channels"], "feature": forest.metadata["feature"], "mirror": False},
                    [(image, inputs)])
    height, width = image.shape[:2]
    _, plain, _ = forests.label(forest.trees, planes, 0, width, height, forest.metadata.get("combine") == "vote")
    smoothing = forest.metadata.get("smooth")
    return plain, smooth(image, plain, smoothing["radius"], smoothing["epsilon"])[0] if smoothing else plain


SMOOTHINGS = ((1, 7), (6, 1), (15, 40), (16, 7), (29, 3), (45, 4096), (120, 7))  # radius, epsilon


def label_by_program(program, folder, path, *options):
    run(program, "label", "--quiet", "--output", folder, "--probabilities", "npy", "--no-overlay", "--overwrite",
        "--technique", "cpu", *options, path, os.path.join(folder, "scenes", "00003_colors.png"))
    return np.load(os.path.join(folder, "00003_colors_probabilities.npy"))


def read_forest(path):
    with open(path, "rb") as file:
        return forests.Forest(file.read())


def compare_smoothing(program, folder):
    """A forest's labels with several radii."""
    data, path = os.path.join(folder, "scenes"), os.path.join(folder, "smooth.ktx2")
    run(program, "synth", "--quiet", "--output", data, "--count", "6", "--size", "61x43")
    examples, _ = read_set(data)
    run(program, "train", "--quiet", "--data", data, "--output", path, "--technique", "cpu", "--trees", "3", "--depth",
        "6", "--candidates", "30", "--pixels", "200", "--offset", "12", "--smooth", "9")
    image, forest = examples[3][0], read_forest(path)
    plain, smoothed = evaluate(forest, image)
    same("probabilities", "smoothed as the file says", label_by_program(program, folder, path), smoothed)
    same("probabilities", "not smoothed", label_by_program(program, folder, path, "--smooth", "0"), plain)
    for radius, epsilon in SMOOTHINGS:
        got = label_by_program(program, folder, path, "--smooth", str(radius), "--smooth-epsilon", str(epsilon))
        same("smoothed probabilities", f"with radius {radius}, epsilon {epsilon}", got,
             smooth(image, plain, radius, epsilon)[0])


def compare_levels(program, folder):
    """What the upper of two levels says."""
    path = os.path.join(folder, "levels.ktx2")
    run(program, "train", "--quiet", "--data", os.path.join(folder, "scenes"), "--output", path, "--technique", "cpu",
        "--channels", "rgb,deviation:2", "--trees", "4", "--depth", "5", "--candidates", "30", "--pixels", "200",
        "--offset", "12", "--levels", "2", "--folds", "2", "--smooth", "4")
    image, forest = read_set(os.path.join(folder, "scenes"))[0][3][0], read_forest(path)
    same("probabilities", "of two levels", label_by_program(program, folder, path), evaluate(forest, image)[1])


def compare_calibration(program, folder):
    """The power that is found, and the probabilities that it makes."""
    data, path = os.path.join(folder, "scenes"), os.path.join(folder, "calibrated.ktx2")
    first = os.path.join(folder, "plain.ktx2")
    run(program, "train", "--quiet", "--data", data, "--output", first, "--technique", "cpu", "--trees", "5", "--depth",
        "4", "--candidates", "10", "--pixels", "60", "--offset", "12")
    run(program, "calibrate", "--quiet", first, "--data", data, "--output", path)
    examples, classes = read_set(data)
    forest = read_forest(path)
    found = forest.metadata["training"]["calibration"]
    pairs = [(evaluate(forest, image)[0], labels) for image, _, labels in examples]
    power, pixels = best_power(pairs, classes)
    same("powers", "of the calibration", [found["power"], found["images"], found["pixels"]],
         [power, len(examples), pixels])
    same("probabilities", "calibrated", label_by_program(program, folder, path, "--calibrated"),
         calibrated(pairs[3][0], power))


class Tap:
    def __init__(self):
        self.count = self.failed = 0

    def case(self, name, function, *arguments):
        self.count += 1
        try:
            function(*arguments)
            print(f"ok {self.count} - {name}")
        except Differs as difference:
            self.failed += 1
            print(f"# {difference}\nnot ok {self.count} - {name}")


def compare_cases(paths, seen):
    differences = []
    for path in paths:
        try:
            settings = compare_case(read_records(path))
            for key in ("channels", "feature", "score", "thresholds", "pool", "sampling", "weighting", "replacement"):
                seen[key].add(settings[key])
            for key in ("mirror", "prior", "same_samples", "combine", "ferns"):
                seen[key].add(str(settings.get(key, "the default")))
        except Differs as difference:
            differences.append(f"case {os.path.basename(path)}: {difference}")
    if differences:
        raise Differs("\n# ".join(differences))


def main():
    program, *rest = sys.argv[1:]
    seed = int(rest[1]) if len(rest) > 1 else USUAL_SEED
    count = int(rest[2]) if len(rest) > 2 else 1 if len(rest) > 1 else USUAL_CASES
    seen, tap = collections.defaultdict(set), Tap()
    with tempfile.TemporaryDirectory() as folder:
        tap.case("a data set on disk, its forests and their labels", compare_program, program, folder)
    with tempfile.TemporaryDirectory() as folder:
        tap.case("smoothed labels", compare_smoothing, program, folder)
        tap.case("two levels", compare_levels, program, folder)
        tap.case("calibrated probabilities", compare_calibration, program, folder)
    with tempfile.TemporaryDirectory() as folder:
        if rest:
            run(rest[0], folder, str(seed), str(count))
            paths = sorted((os.path.join(folder, name) for name in os.listdir(folder)), key=os.path.getsize)
            tap.case(f"{count} random trainings, step by step", compare_cases, paths, seen)
            some = next((records for records in map(read_records, paths)
                         if "round/0" in records and len(records["best/0"]) > 0 and records["best/0"][0, 0] == 1), None)
            if some is not None:
                tap.case("one changed number of any kind is found", check_that_differences_are_found, some)
    print("# numbers compared: " + ", ".join(f"{n} {kind}" for kind, n in compared.items()))
    for key, values in seen.items():
        print(f"# {key}: " + ", ".join(str(value) for value in sorted(values)))
    print(f"1..{tap.count}")
    return tap.failed > 0


sys.exit(main())
