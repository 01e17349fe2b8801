#!/usr/bin/env python3
"""Compares shadewood's technique cpu with the usual pixel classifier in Python (pixel_classifier.py, with scikit-image and
scikit-learn): both label the same images of a data set in turns, with the same number of threads. Prints a table and
writes a JSON document, both as `shadewood bench` does; docs/bench.md describes what is measured."""

import argparse
import datetime
import json
import os
import pathlib
import platform
import shlex
import statistics
import subprocess
import sys
import tempfile

THREADS = 2
SEED = 0
PEER_PIXELS = 500  # per image, to learn from
TRAINING = ("--channels wide --trees 5 --depth 16 --candidates 300 --score gini --offset 95 --size 60 --single 30 "
            "--pixels 300 --min-samples 6 --weights inverse-root --mirror").split()
PACKAGES = "Python with the Debian packages python3-skimage and python3-sklearn"


class Failure(Exception):
    """Ends the program with one line."""


def say(text):
    print(f"peers: {text}", file=sys.stderr, flush=True)


class Program:
    """The program shadewood."""

    def __init__(self, path):
        self.path = path

    def run(self, *arguments):
        try:
            done = subprocess.run([self.path, *map(str, arguments)], capture_output=True, text=True, check=False)
        except OSError as error:
            raise Failure(f"cannot run {self.path}: {error.strerror}") from error
        if done.returncode != 0:
            raise Failure(f"shadewood {arguments[0]} failed: {done.stderr.strip()}")
        return done.stdout

    def run_json(self, *arguments):
        return json.loads(self.run(*arguments, "--json"))


class Peer:
    """The process of the other classifier: a request and an answer are a line of JSON each."""

    def __init__(self, command):
        try:
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        except OSError as error:
            raise Failure(f"cannot run {command[0]}: {error.strerror}") from error
        self.versions = self.read_answer()

    def read_answer(self):
        line = self.process.stdout.readline()
        try:
            return json.loads(line)
        except ValueError as error:
            raise Failure("the other classifier ended or gave no answer in JSON") from error

    def ask(self, **request):
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
        except OSError as error:
            raise Failure("the other classifier ended") from error
        return self.read_answer()

    def stop(self):
        self.process.terminate()
        self.process.communicate()


def start_peer(command):
    """The command, or our classifier by the first Python that has its packages: the one that runs this, or Debian's."""
    if command is not None:
        return Peer(shlex.split(command))
    script = pathlib.Path(__file__).resolve().parent / "pixel_classifier.py"
    for python in dict.fromkeys([sys.executable, "/usr/bin/python3"]):
        if not os.access(python, os.X_OK):
            continue
        peer = Peer([python, str(script), str(THREADS), str(SEED)])
        if "missing" not in peer.versions:
            return peer
        peer.stop()
    raise Failure(f"needs {PACKAGES}: {peer.versions['missing']}")


class Data:
    """A data set as docs/accuracy.md lays out MSRC-21."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.palette = self.folder / "palette.json"
        if not self.palette.is_file():
            raise Failure(f"{folder}: no data set: palette.json is missing")

    def split_file(self, split):
        return self.folder / "splits" / f"{split}.txt"

    def names(self, *splits):
        names = []
        for split in splits:
            try:
                lines = self.split_file(split).read_text(encoding="utf-8").splitlines()
            except OSError as error:
                raise Failure(f"{error.filename}: {error.strerror}") from error
            names += [line.strip() for line in lines if line.strip() and not line.startswith("#")]
        return names

    def image(self, name):
        return str(self.folder / "images" / f"{name}.png")

    def labels(self, name):
        return str(self.folder / "labels" / f"{name}.png")


class Side:
    """One of the two classifiers: a time for each image, and the pixels by labelled and found class."""

    def __init__(self, classes):
        self.ms = []
        self.confusion = [[0] * classes for _ in range(classes)]

    def add(self, ms, confusion):
        self.ms.append(ms)
        for total, row in zip(self.confusion, confusion):
            for found, pixels in enumerate(row):
                total[found] += pixels

    def pixel_accuracy(self):
        right = sum(row[number] for number, row in enumerate(self.confusion))
        return 100 * right / max(1, sum(map(sum, self.confusion)))

    def class_accuracy(self):
        """The mean over classes that occur."""
        return 100 * statistics.fmean([row[number] / sum(row) for number, row in enumerate(self.confusion) if sum(row)]
                                      or [0])


def train_forest(program, data, folder):
    path = folder / "peers.ktx2"
    splits = [argument for split in ("Train", "Val") for argument in ("--split", data.split_file(split))]
    say("training a forest")
    program.run("train", "--quiet", "--data", data.folder, "--images", "images/{}.png", "--labels", "labels/{}.png",
                "--palette", data.palette, *splits, *TRAINING, "--output", path)
    return path


def teach_peer(peer, data):
    names = data.names("Train", "Val")
    for number, name in enumerate(names):
        if number % 50 == 0:
            say(f"the peer learns from image {number + 1} of {len(names)}")
        peer.ask(do="learn", image=data.image(name), labels=data.labels(name), pixels=PEER_PIXELS)
    say("the peer grows its trees")
    return peer.ask(do="fit")


def label_ours(program, peer, forest, data, name, folder):
    """A run of the program labels the image twice, first under another name; the second time counts."""
    first = folder / "first-run.png"
    first.unlink(missing_ok=True)
    first.symlink_to(pathlib.Path(data.image(name)).resolve())
    done = program.run_json("label", "--quiet", "--technique", "cpu", "--threads", THREADS, "--no-overlay", "--output",
                            folder, forest, first, data.image(name))
    found = folder / f"{pathlib.Path(name).name}_labels.png"
    counted = peer.ask(do="count", found=str(found), labels=data.labels(name))
    found.unlink()
    return 1000 * done["images"][1]["seconds"], counted["confusion"]


def label_theirs(peer, data, name):
    answer = peer.ask(do="label", image=data.image(name), labels=data.labels(name))
    return answer["ms"], answer["confusion"]


def label_images(program, peer, forest, data, runs, folder, classes):
    """Both label each image in turns; who begins changes. Images are evenly spread over the split, and one goes before
    that does not count."""
    names = data.names("Test")
    count = min(runs, len(names))
    ours, theirs = Side(classes), Side(classes)

    label_theirs(peer, data, names[0])
    for number in range(count):
        name = names[number * len(names) // count]
        if number % 20 == 0:
            say(f"image {number + 1} of {count}")
        for turn in range(2):
            if (turn + number) % 2 == 0:
                ours.add(*label_ours(program, peer, forest, data, name, folder))
            else:
                theirs.add(*label_theirs(peer, data, name))
    return ours, theirs


def summarise(ms):
    quartiles = statistics.quantiles(ms, n=4, method="inclusive") if len(ms) > 1 else [ms[0]] * 3
    return {"median": quartiles[1], "min": min(ms), "max": max(ms), "q1": quartiles[0], "q3": quartiles[2],
            "runs": len(ms)}


def make_row(technique, title, side, setting, samples):
    times = summarise(side.ms)
    setting.update(images=len(side.ms), threads=THREADS, pixel_accuracy_percent=side.pixel_accuracy(),
                   class_accuracy_percent=side.class_accuracy())
    row = {"id": f"peers/whole/msrc21/{technique}", "suite": "peers", "stage": "whole", "technique": technique,
           "custom": False, "title": title, "setting": setting, "device_ms": None,
           "wall_ms": dict(times, samples=side.ms) if samples else times,
           "throughput": {"per_second": 1000 / times["median"], "unit": "images", "in_flight": 1, "device_ms": None},
           "work": None, "bound": None, "equals_cpu": None}
    if technique != "cpu":
        row["unchecked"] = "another classifier"
    return row


def measure(program, peer, data, options, folder):
    """The rows of the document."""
    classes = peer.ask(do="palette", file=str(data.palette))["classes"]
    forest = options.forest if options.forest is not None else train_forest(program, data, folder)
    info = program.run_json("inspect", forest)
    if len(info["classes"]) != classes:
        raise Failure(f"{forest} has {len(info['classes'])} classes, and the data {classes}")
    learned = teach_peer(peer, data)
    ours, theirs = label_images(program, peer, forest, data, options.runs, folder, classes)
    faster = statistics.median(b / a for a, b in zip(ours.ms, theirs.ms))
    say(f"cpu is {faster:.1f} times faster (median over images); pixel accuracy {ours.pixel_accuracy():.1f} % and "
        f"{theirs.pixel_accuracy():.1f} %, class accuracy {ours.class_accuracy():.1f} % and "
        f"{theirs.class_accuracy():.1f} %")
    return [make_row("cpu", "a forest of ours", ours,
                     {"trees": info["trees"], "depth": info["depth_max"], "all_leaves": info["leaves"],
                      "classes": classes, "channel_set": info["channel_set"], "times_faster": faster},
                     options.samples),
            make_row("sklearn", "multiscale_basic_features and RandomForestClassifier", theirs,
                     {"trees": learned["trees"], "depth": learned["depth"], "all_leaves": learned["leaves"],
                      "features": learned["features"], "classes": classes, "scikit_image": peer.versions["skimage"],
                      "scikit_learn": peer.versions["sklearn"]}, options.samples)]


def describe_host():
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.split(": ", 1)[1] for line in lines if line.startswith("model name") and ": " in line]
    return {"processor": names[0] if names else platform.machine(), "processors": len(os.sched_getaffinity(0)),
            "system": f"{platform.system()} {platform.release()} {platform.machine()}"}


def make_document(program, rows):
    now = datetime.datetime.now(datetime.timezone.utc)
    return {"format": "shadewood-bench", "version": 1, "shadewood": program.run("--version").split()[-1],
            "date": now.strftime("%Y-%m-%dT%H:%M:%SZ"), "command": shlex.join(sys.argv), "host": describe_host(),
            "device": None, "limits": [], "rows": rows}


def format_number(value):
    digits = 0 if value >= 1000 else 1 if value >= 100 else 2 if value >= 10 else 3 if value >= 0.1 else 4
    return f"{value:.{digits}f}"


def print_table(document):
    """With the columns of `shadewood bench`."""
    columns = "{:<50} {:<9} {:>9} {:>6} {:>8} {:>8} {:>7} {:>4}  {}"
    host = document["host"]
    print(f"{host['processor']}, {host['processors']} processors\n")
    print(columns.format("peers: whole", "technique", "device ms", "spread", "wall ms", "a second", "x limit", "cpu?",
                         "published"))
    for row in document["rows"]:
        times = row["wall_ms"]
        spread = f"{50 * (times['q3'] - times['q1']) / times['median']:.0f} %" if times["runs"] > 1 else "-"
        print(columns.format("msrc21", row["technique"], "-", spread, format_number(times["median"]),
                             format_number(row["throughput"]["per_second"]), "-", "-", "").rstrip())


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, epilog=f"Needs {PACKAGES}.")
    parser.add_argument("--data", metavar="DIR", required=True,
                        help="the folder of MSRC-21 as docs/accuracy.md describes it: images/, labels/, "
                             "splits/{Train,Val,Test}.txt and palette.json")
    parser.add_argument("--shadewood", metavar="FILE", default="shadewood", help="the program (%(default)s)")
    parser.add_argument("--forest", metavar="FILE", help="the forest (one is trained)")
    parser.add_argument("--runs", metavar="N", type=int, default=51, help="images to label at most (%(default)s)")
    parser.add_argument("--json", metavar="FILE", help="write the document that `shadewood bench compare` reads")
    parser.add_argument("--samples", action="store_true", help="keep every single time in it")
    parser.add_argument("--peer", metavar="COMMAND", help="another classifier with the protocol of pixel_classifier.py")
    options = parser.parse_args()
    if options.runs < 1:
        parser.error("--runs: at least 1")
    return options


def main():
    options = parse_options()
    program = Program(options.shadewood)
    peer = None
    try:
        data = Data(options.data)
        peer = start_peer(options.peer)
        with tempfile.TemporaryDirectory() as folder:
            document = make_document(program, measure(program, peer, data, options, pathlib.Path(folder)))
        print_table(document)
        if options.json is not None:
            pathlib.Path(options.json).write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    except (Failure, OSError) as error:
        print(f"peers: {error}", file=sys.stderr)
        return 1
    finally:
        if peer is not None:
            peer.stop()
    return 0


sys.exit(main())
