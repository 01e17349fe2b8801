#!/usr/bin/env python3
"""Compares the detections of shadewood's technique cpu with those of OpenCV's CascadeClassifier (Debian's python3-opencv), with
the same cascades on the same grey images, and prints a table in Markdown.

usage: opencv-parity.py [OPTION...] CASCADE.xml... {IMAGE | FOLDER | LIST.txt}...

A list has a path a line, or with --folder names of PNG files there.

Raw windows (minNeighbors 0) are the same if all four numbers of their rectangles are; grouped detections (minNeighbors 3) if
these are up to one step of the scan. Detections that the other program lacks are listed, with --all as many as there are. With
--least, the program fails if less than PERCENT of the grouped detections of either program are the other's. It ends with 77 if
OpenCV or a file is missing."""

import argparse
import collections
import csv
import pathlib
import subprocess
import sys
import tempfile

try:
    import cv2
    import numpy
except ImportError as error:
    print(f"opencv-parity: skipped: {error}", file=sys.stderr)
    sys.exit(77)

SCALE_FACTOR = 1.1
NEIGHBOURS = 3
LISTED = 5


def read_grey(path):
    """As docs/detection.md defines it."""
    image = cv2.imread(str(path))
    if image is None:
        sys.exit(f"opencv-parity: cannot read {path}")
    blue, green, red = (image[:, :, c].astype(numpy.int64) for c in range(3))
    return ((19595 * red + 38470 * green + 7471 * blue + 32768) >> 16).astype(numpy.uint8)


def list_images(paths, folder):
    for path in paths:
        if path.is_dir():
            yield from sorted(p for p in path.iterdir() if p.suffix.lower() in (".png", ".jpg", ".jpeg", ".bmp"))
        elif path.suffix == ".txt":
            for line in path.read_text(encoding="utf-8").split():
                yield folder / f"{line}.png" if folder else path.parent / line
        else:
            yield path


def read_table(path):
    """The rectangles of each image, by its name."""
    rectangles = collections.defaultdict(list)
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            rectangles[pathlib.Path(row["image"]).name].append(tuple(int(row[k]) for k in ("x", "y", "width", "height")))
    return rectangles


def detect_here(arguments, cascade, folder, images):
    """Grouped detections and raw windows, by the name of the image."""
    program, out = arguments.shadewood, folder / f"out-{cascade.stem}"
    model = folder / f"{cascade.stem}.ktx2"
    subprocess.run([program, "import", "--from", "opencv", cascade, "-o", model, "-q"], check=True)
    subprocess.run([program, "detect", model, *images, "--raw", "--no-pictures", "-q", "-t", arguments.technique, "--group", "mean",
                    "--min-neighbours", str(NEIGHBOURS + 1), "--scale-factor", str(SCALE_FACTOR), "-o", out], check=True)
    return read_table(out / "detections.csv"), read_table(out / "windows.csv")


def detect_there(classifier, grey, neighbours):
    return [tuple(int(v) for v in r) for r in classifier.detectMultiScale(grey, SCALE_FACTOR, neighbours)]


def clip(rectangle, grey):
    """OpenCV cuts off what rounding pushes out of the image; here such windows are moved back."""
    x, y, width, height = rectangle
    return x, y, min(width, grey.shape[1] - x), min(height, grey.shape[0] - y)


def is_one_step(a, b, window):
    scale = max(a[2] / window[0], b[2] / window[0])
    step = (2 if scale < 2 else 1) * scale
    return all(abs(p - q) <= step for p, q in zip(a, b))


def pair(ours, theirs, same):
    """Those of ours and of theirs that have no counterpart."""
    left, only = list(theirs), []
    for a in ours:
        found = next((b for b in left if same(a, b)), None)
        if found is None:
            only.append(a)
        else:
            left.remove(found)
    return only, left


def compare(arguments, cascade, folder, paths, greys):
    classifier = cv2.CascadeClassifier(str(cascade))
    if classifier.empty():
        sys.exit(f"opencv-parity: OpenCV cannot read {cascade}")
    window = classifier.getOriginalWindowSize()
    grouped, raw = detect_here(arguments, cascade, folder, paths)
    counts, missing = collections.Counter(), []
    for path, grey in zip(paths, greys):
        tables = (("raw", raw[path.name], detect_there(classifier, grey, 0), is_same(grey)),
                  ("grouped", grouped[path.name], detect_there(classifier, grey, NEIGHBOURS),
                   lambda a, b: is_one_step(a, b, window)))
        for name, ours, theirs, same in tables:
            only_ours, only_theirs = pair(ours, theirs, same)
            counts.update({(name, "ours"): len(ours), (name, "theirs"): len(theirs),
                           (name, "ours missing"): len(only_ours), (name, "theirs missing"): len(only_theirs)})
            missing += [f"{cascade.stem}, {path.stem}, {name}: {r} is not OpenCV's" for r in only_ours]
            missing += [f"{cascade.stem}, {path.stem}, {name}: {r} is only OpenCV's" for r in only_theirs]
    return counts, missing


def is_same(grey):
    """Moving back keeps the lower right corner at the image's border, cutting off keeps the upper left one."""
    def same(a, b):
        x, y = b[0] - (a[2] - b[2]), b[1] - (a[3] - b[3])
        return a == b or ((x, y) == a[:2] and b == clip((b[0], b[1], a[2], a[3]), grey))
    return same


def percent(counts, name, whose):
    total = counts[name, whose]
    return 100 * (total - counts[name, f"{whose} missing"]) / total if total else 100


def main():
    parser = argparse.ArgumentParser(description="compares detections with OpenCV's")
    parser.add_argument("--shadewood", default="build/release/shadewood")
    parser.add_argument("--technique", default="cpu")
    parser.add_argument("--folder", type=pathlib.Path)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--least", type=float, default=0)
    parser.add_argument("paths", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    for path in arguments.paths:
        if not path.exists():
            print(f"opencv-parity: skipped: there is no {path}", file=sys.stderr)
            return 77
    cascades = [p for p in arguments.paths if p.suffix == ".xml"]
    images = list(list_images([p for p in arguments.paths if p.suffix != ".xml"], arguments.folder))
    failed = not cascades or not images

    if failed:
        parser.error("cascades (.xml) and images are needed")
    cv2.setNumThreads(1)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        greys, paths = [read_grey(p) for p in images], []
        for number, grey in enumerate(greys):
            paths.append(folder / f"{number:04}-{images[number].stem}.png")
            cv2.imwrite(str(paths[-1]), grey)
        print("| cascade | raw windows here | in OpenCV | the same | grouped here | in OpenCV | in OpenCV too | here too |")
        print("|---|---|---|---|---|---|---|---|")
        notes = []
        for cascade in cascades:
            counts, missing = compare(arguments, cascade, folder, paths, greys)
            ours, theirs = (percent(counts, "grouped", whose) for whose in ("ours", "theirs"))
            failed = failed or min(ours, theirs) < arguments.least
            print(f"| `{cascade.stem}` | {counts['raw', 'ours']} | {counts['raw', 'theirs']} "
                  f"| {counts['raw', 'ours'] - counts['raw', 'ours missing']} | {counts['grouped', 'ours']} "
                  f"| {counts['grouped', 'theirs']} | {ours:.1f} % | {theirs:.1f} % |", flush=True)
            notes += missing if arguments.all else missing[:LISTED]
        print("", *notes, sep="\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
