#!/usr/bin/env python3
"""Compares the time of shadewood's technique cpu with that of OpenCV's Haar cascade for frontal faces: both search the
same images, with one thread each and the same sizes, round by round in turns. Prints medians and the machine's load;
docs/bench.md describes what is measured."""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

HAAR = "/usr/share/opencv4/haarcascades/haarcascade_frontalface_default.xml"
PACKAGE = "Python with OpenCV, Debian's packages python3-opencv and opencv-data"
SUFFIXES = {".png", ".jpg", ".jpeg", ".bmp", ".pgm", ".ppm", ".tif", ".tiff", ".webp"}


class Failure(Exception):
    """Ends the program with one line."""


def import_opencv():
    """With the Python that runs this, or else with Debian's."""
    try:
        import cv2
    except ImportError as error:
        debian = "/usr/bin/python3"
        if os.access(debian, os.X_OK) and os.path.realpath(sys.executable) != os.path.realpath(debian):
            os.execv(debian, [debian, *sys.argv])
        raise Failure(f"needs {PACKAGE}: {error}") from error
    return cv2


def list_images(paths, most):
    found = []
    for path in map(pathlib.Path, paths):
        found += sorted(p for p in path.iterdir() if p.suffix.lower() in SUFFIXES) if path.is_dir() else [path]
    if not found:
        raise Failure("there are no images")
    return [found[i * len(found) // min(most, len(found))] for i in range(min(most, len(found)))]


def scale_images(cv2, paths, size, folder):
    """Writes the images, scaled, in grey; returns their pixels."""
    images = []
    for number, path in enumerate(paths):
        image = cv2.imread(str(path), cv2.IMREAD_GRAYSCALE)
        if image is None:
            raise Failure(f"{path}: OpenCV cannot read it")
        images.append(cv2.resize(image, size, interpolation=cv2.INTER_AREA))
        cv2.imwrite(str(folder / f"{number:04}.png"), images[-1])
    return images


class Ours:
    """The program with a cascade. Its first image does not count: that is when memory is allocated."""

    def __init__(self, program, cascade, options, folder):
        self.name = pathlib.Path(cascade).name
        self.command = [program, "detect", "--quiet", "--json", "--no-pictures", "--overwrite", "--technique", "cpu",
                        "--threads", "1", "--min-size", str(options.min_size), "--output", str(folder / "found")]
        if options.max_size > 0:
            self.command += ["--max-size", str(options.max_size)]
        self.command += [cascade, str(folder / "first.png"), *map(str, sorted(folder.glob("[0-9]*.png")))]
        self.ms, self.found = [], 0

    def search(self):
        try:
            done = subprocess.run(self.command, capture_output=True, text=True, check=False)
        except OSError as error:
            raise Failure(f"cannot run {self.command[0]}: {error.strerror}") from error
        if done.returncode != 0:
            raise Failure(f"shadewood detect failed: {done.stderr.strip()}")
        images = json.loads(done.stdout)["images"][1:]
        self.ms += [1000 * image["seconds"] for image in images]
        self.found = sum(image["detections"] for image in images)


class Theirs:
    """OpenCV with its default parameters."""

    def __init__(self, cv2, images, options):
        self.name = f"OpenCV {cv2.__version__}, {pathlib.Path(options.haar).name}"
        self.classifier = cv2.CascadeClassifier(options.haar)
        if self.classifier.empty():
            raise Failure(f"{options.haar}: no cascade that OpenCV can read")
        self.images, self.ms, self.found = images, [], 0
        self.sizes = {"minSize": (options.min_size, options.min_size)}
        if options.max_size > 0:
            self.sizes["maxSize"] = (options.max_size, options.max_size)
        cv2.setNumThreads(1)
        self.classifier.detectMultiScale(images[0], **self.sizes)

    def search(self):
        self.found = 0
        for image in self.images:
            start = time.perf_counter()
            found = self.classifier.detectMultiScale(image, **self.sizes)
            self.ms.append(1000 * (time.perf_counter() - start))
            self.found += len(found)


def measure(options, folder):
    cv2 = import_opencv()
    images = scale_images(cv2, list_images(options.images, options.most), options.size, folder)
    cv2.imwrite(str(folder / "first.png"), images[0])
    sides = [Theirs(cv2, images, options),
             *(Ours(options.shadewood, cascade, options, folder) for cascade in options.cascade)]
    for number in range(options.rounds):
        for side in sides if number % 2 == 0 else reversed(sides):
            side.search()
    return {"size": list(options.size), "min_size": options.min_size, "images": len(images),
            "rounds": options.rounds, "load": os.getloadavg()[0], "processors": os.cpu_count(),
            "rows": [{"name": side.name, "median_ms": statistics.median(side.ms), "min_ms": min(side.ms),
                      "detections": side.found, "part": statistics.median(side.ms) / statistics.median(sides[0].ms)}
                     for side in sides]}


def print_table(result):
    print(f"{result['images']} images of {result['size'][0]}x{result['size'][1]}, sizes from {result['min_size']}, "
          f"{result['rounds']} rounds, one thread, load {result['load']:.1f} on {result['processors']} processors\n")
    print(f"{'':50} {'median ms':>10} {'min ms':>8} {'part':>6} {'found':>6}")
    for row in result["rows"]:
        print(f"{row['name'][:50]:50} {row['median_ms']:10.2f} {row['min_ms']:8.2f} {row['part']:6.2f} "
              f"{row['detections']:6}")


def read_size(text):
    width, _, height = text.partition("x")
    return int(width), int(height)


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, epilog=f"Needs {PACKAGE}.")
    parser.add_argument("images", nargs="+", metavar="IMAGE|FOLDER", help="what to search, scaled to --size")
    parser.add_argument("--cascade", metavar="FILE", action="append", required=True,
                        help="a cascade of ours; may be repeated")
    parser.add_argument("--shadewood", metavar="FILE", default="shadewood", help="the program (%(default)s)")
    parser.add_argument("--haar", metavar="FILE", default=HAAR, help="OpenCV's cascade (%(default)s)")
    parser.add_argument("--size", metavar="WxH", type=read_size, default=(640, 480), help="of the images (640x480)")
    parser.add_argument("--min-size", metavar="N", type=int, default=100, help="smallest windows (%(default)s)")
    parser.add_argument("--max-size", metavar="N", type=int, default=0, help="largest windows (the image)")
    parser.add_argument("--most", metavar="N", type=int, default=16, help="images at most (%(default)s)")
    parser.add_argument("--rounds", metavar="N", type=int, default=9, help="times that all are searched (%(default)s)")
    parser.add_argument("--json", metavar="FILE", help="write the figures")
    options = parser.parse_args()
    if min(options.most, options.rounds, options.min_size, *options.size) < 1:
        parser.error("sizes, --most and --rounds: at least 1")
    return options


def main():
    options = parse_options()
    try:
        with tempfile.TemporaryDirectory() as folder:
            result = measure(options, pathlib.Path(folder))
        print_table(result)
        if options.json is not None:
            pathlib.Path(options.json).write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    except (Failure, OSError) as error:
        print(f"detect-peers: {error}", file=sys.stderr)
        return 1
    return 0


sys.exit(main())
