#!/usr/bin/env python3
"""The usual pixel classifier, as scikit-image's guide to trainable segmentation builds it: multiscale features of each
colour channel and a random forest of scikit-learn over them. peers.py runs it and talks to it over standard input and
output, a line of JSON each:

                                                                  -> {"skimage": VERSION, "sklearn": VERSION}
  {"do": "palette", "file": PALETTE}                              -> {"classes": N}
  {"do": "learn", "image": FILE, "labels": FILE, "pixels": N}     -> {}; N labelled pixels are kept
  {"do": "fit"}                                                   -> {"trees", "samples", "features", "depth", "leaves"}
  {"do": "label", "image": FILE, "labels": FILE}                  -> {"ms": ..., "confusion": [[...], ...]}
  {"do": "count", "found": FILE, "labels": FILE}                  -> {"confusion": [[...], ...]}

"confusion" counts pixels: a row for each labelled class, a column for each class found. "found" is a label image of
shadewood, whose numbers are classes. The time is from decoded pixels to labels. Where a package is missing, the first
line is {"missing": WHY}. An error ends the program.

usage: pixel_classifier.py THREADS SEED"""

import json
import sys
import time

try:
    import numpy
    import PIL.Image
    import skimage
    import sklearn
    from skimage.feature import multiscale_basic_features
    from sklearn.ensemble import RandomForestClassifier
except ImportError as error:
    print(json.dumps({"missing": str(error)}), flush=True)
    sys.exit(1)

TREES = 50
VOID = 65535


class Palette:
    """The classes of numbers and colours in label images (docs/datasets.md); void entries are no classes."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            entries = json.load(file)["classes"]
        self.by_number = numpy.full(65536, VOID, numpy.uint16)
        self.by_colour = {}
        self.count = 0
        for number, entry in enumerate(entries):
            red, green, blue = entry["colour"]
            is_void = entry.get("void", False)
            self.by_number[number] = self.by_colour[red << 16 | green << 8 | blue] = VOID if is_void else self.count
            self.count += not is_void

    def read(self, path):
        with PIL.Image.open(path) as image:
            if image.mode not in ("RGB", "RGBA"):
                return self.by_number[numpy.asarray(image).astype(numpy.uint16)]
            colours = numpy.asarray(image.convert("RGB")).astype(numpy.uint32) @ numpy.uint32([1 << 16, 1 << 8, 1])
        found, places = numpy.unique(colours, return_inverse=True)
        return numpy.uint16([self.by_colour[colour] for colour in found.tolist()])[places].reshape(colours.shape)


class Classifier:
    def __init__(self, threads, seed):
        self.threads = threads
        self.random = numpy.random.default_rng(seed)
        self.forest = RandomForestClassifier(n_estimators=TREES, n_jobs=threads, random_state=seed, max_depth=20)
        self.samples, self.classes = [], []

    def compute_features(self, image):
        """Intensity, edges and texture (two eigenvalues of the Hessian) at sigma 1, 2, 4, 8 and 16: 20 per colour."""
        features = multiscale_basic_features(image, intensity=True, edges=True, texture=True, sigma_min=1, sigma_max=16,
                                             num_workers=self.threads, channel_axis=-1)
        return features.reshape(-1, features.shape[-1])

    def learn(self, image, labels, pixels):
        labels = labels.reshape(-1)
        places = numpy.flatnonzero(labels != VOID)
        places = self.random.choice(places, min(pixels, len(places)), replace=False)
        self.samples.append(self.compute_features(image)[places])
        self.classes.append(labels[places])

    def fit(self):
        self.forest.fit(numpy.concatenate(self.samples), numpy.concatenate(self.classes))
        trees = self.forest.estimators_
        return {"trees": len(trees), "samples": sum(map(len, self.classes)), "features": self.forest.n_features_in_,
                "depth": max(tree.get_depth() for tree in trees),
                "leaves": sum(int(tree.get_n_leaves()) for tree in trees)}

    def label(self, image):
        return self.forest.predict(self.compute_features(image)).astype(numpy.uint16)


def read_image(path):
    with PIL.Image.open(path) as image:
        return numpy.asarray(image.convert("RGB"))


def count(labels, found, classes):
    """Pixels by labelled and found class; void pixels do not count."""
    labels, found = labels.reshape(-1).astype(numpy.int64), found.reshape(-1)
    counted = labels != VOID
    pairs = numpy.bincount(labels[counted] * classes + found[counted], minlength=classes * classes)
    return pairs.reshape(classes, classes).tolist()


def main():
    classifier = Classifier(int(sys.argv[1]), int(sys.argv[2]))
    palette = None
    print(json.dumps({"skimage": skimage.__version__, "sklearn": sklearn.__version__}), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        answer = {}
        if request["do"] == "palette":
            palette = Palette(request["file"])
            answer = {"classes": palette.count}
        elif request["do"] == "learn":
            classifier.learn(read_image(request["image"]), palette.read(request["labels"]), request["pixels"])
        elif request["do"] == "fit":
            answer = classifier.fit()
        elif request["do"] == "label":
            image = read_image(request["image"])
            start = time.perf_counter()
            found = classifier.label(image)
            answer["ms"] = 1000 * (time.perf_counter() - start)
            answer["confusion"] = count(palette.read(request["labels"]), found, palette.count)
        elif request["do"] == "count":
            with PIL.Image.open(request["found"]) as found:
                answer["confusion"] = count(palette.read(request["labels"]), numpy.asarray(found), palette.count)
        print(json.dumps(answer), flush=True)


main()
