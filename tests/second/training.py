"""Training: docs/training.md."""
import math

import numpy as np

from channels import DEPTH, entries_of
from depth_features import TYPES, UNDEFINED, may_be_undefined
from draws import CLASSES, IMAGES, PHASES, PIXELS, PROBES, below, choose, key_of, random
from features import Planes, draw
from forest import Tree, goes_right

VOID = 0xffff
LOWEST, HIGHEST = -1 << 31, (1 << 31) - 1


def even_counts(sizes, wanted, key, occurrence):
    """How many of classes of these sizes are drawn, as evenly as possible."""
    sizes = np.asarray(sizes, np.int64)
    level = next(n for n in range(wanted, -1, -1) if np.minimum(sizes, n).sum() <= wanted)
    counts = np.minimum(sizes, level)
    rest = wanted - counts.sum()
    counts[choose(np.flatnonzero(sizes > level), rest, random(key, np.arange(rest), occurrence))] += 1
    return counts


def chosen_pixels(labels, settings, tree, occurrence, counts=None):
    """The numbers of the pixels drawn of an image, ascending; `labels` are those of the image or mirror image, `counts`
    how many are drawn of each class if that is settled."""
    labels = labels.ravel()
    pixels = np.flatnonzero(labels != VOID)
    wanted = settings["pixels_per_image"] if counts is None else counts.sum()
    if wanted == "all" or wanted >= len(pixels):
        return pixels
    key = key_of(settings["seed"], tree, PIXELS)
    if settings["sampling"] == "uniform":
        return np.sort(choose(pixels, wanted, random(key, np.arange(wanted), occurrence)))
    lists = [pixels[labels[pixels] == c] for c in range(settings["classes"])]
    sizes = np.array([len(entries) for entries in lists])
    if counts is None:
        counts = even_counts(sizes, wanted, key_of(settings["seed"], tree, CLASSES), occurrence)
    begins = np.cumsum(sizes) - sizes
    return np.sort(np.concatenate([choose(entries, count, random(key, begin + np.arange(count), occurrence))
                                   for entries, count, begin in zip(lists, counts, begins)])).astype(np.int64)


def uniform_counts(settings, images, tree):
    """Of each image, how many pixels of each class are drawn by class-uniform sampling."""
    sizes = np.array([np.bincount(labels[labels != VOID], minlength=settings["classes"]) for labels in images])
    wanted = settings["pixels_per_image"]
    wanted = int(sizes.sum() if wanted == "all" else np.minimum(sizes.sum(1), wanted).sum())
    counts = even_counts(sizes.sum(0), wanted, key_of(settings["seed"], tree, CLASSES), 0)
    phases = random(key_of(settings["seed"], tree, PHASES), np.arange(settings["classes"]), 0)
    reached = np.zeros((len(images) + 1, settings["classes"]), np.int64)
    for i, before in enumerate(sizes.cumsum(0).tolist()):
        for c, (count, size, phase) in enumerate(zip(counts.tolist(), sizes.sum(0).tolist(), phases.tolist())):
            if size > 0:
                reached[i + 1, c] = ((before[c] * count << 32) + phase * size) // (size << 32)
    return reached[1:] - reached[:-1]


def draw_samples(settings, labels, tree):
    """The samples of a tree: rows of image, x, y, class. Mirror images follow the images in number."""
    tree = 0 if settings.get("same_samples") else tree
    total = len(labels)
    count = -(-total * settings["images_percent"] // 100)
    numbers = random(key_of(settings["seed"], tree, IMAGES), np.arange(count), 0)
    images = below(numbers, total) if settings["replacement"] else choose(range(total), count, numbers)
    places = [(image + mirrored * total, labels[image][:, ::-1] if mirrored else labels[image])
              for image in sorted(images) for mirrored in range(1 + (settings["mirror"] is True))]
    counts = [None] * len(places)
    if settings["sampling"] == "class-uniform":
        counts = uniform_counts(settings, [here for _, here in places], tree)
    samples = []
    for occurrence, (number, here) in enumerate(places):
        pixels = chosen_pixels(here, settings, tree, occurrence, counts[occurrence])
        y, x = np.divmod(pixels, here.shape[1])
        samples.append(np.column_stack([np.full(len(x), number), x, y, here[y, x]]))
        if settings["mirror"] == "paired":
            x = here.shape[1] - 1 - x
            order = np.lexsort((x, y))
            samples.append(np.column_stack([np.full(len(x), number + total), x, y, samples[-1][:, 3]])[order])
    return np.concatenate(samples).astype(np.int64)


def class_weights(settings, class_pixels, counts, given):
    """The weights of classes of which a tree has these numbers of samples."""
    if settings["weighting"] == "none":
        return np.ones(len(counts), np.int64)
    if settings["weighting"] == "given":
        relative = [float(value) for value in given]
    else:
        frequencies = [float(max(n, 1)) for n in class_pixels]
        relative = [1 / (n if settings["weighting"] == "inverse" else math.sqrt(n)) for n in frequencies]
    least = min(value for value, n in zip(relative, class_pixels) if n > 0)
    relative = [value / least if n > 0 else 1.0 for value, n in zip(relative, class_pixels)]
    unit = 256.0
    while True:
        weights = [min(max(math.floor(value * unit + 0.5), 1), (1 << 32) - 1) for value in relative]
        if sum(int(n) * weight for n, weight in zip(counts, weights)) < 1 << 31:
            return np.array(weights, np.int64)
        unit /= 2


def log2(n):
    """L(n), with 24 fraction bits, of an array."""
    n = np.asarray(n, np.uint64)
    exponent = np.frexp(np.maximum(n, 1).astype(np.float64))[1].astype(np.uint64) - np.uint64(1)
    mantissa = np.maximum(n, np.uint64(1)) << (np.uint64(31) - exponent)
    logarithm = exponent
    for _ in range(24):
        square = mantissa * mantissa
        bit = square >> np.uint64(63)
        mantissa = square >> (np.uint64(31) + bit)
        logarithm = logarithm << np.uint64(1) | bit
    return logarithm


def times_log2(n):
    """f(n), of an array."""
    n = np.asarray(n, np.uint64)
    return (n * log2(n)).astype(np.int64)


class Value:
    """An exact fraction of integers."""

    def __init__(self, numerator, denominator=1):
        self.numerator, self.denominator = int(numerator), int(denominator)

    def __gt__(self, other):
        return self.numerator * other.denominator > other.numerator * self.denominator

    def __eq__(self, other):
        return self.numerator * other.denominator == other.numerator * self.denominator


class Scores:
    """The values of tests of a node, whose weighted counts are arrays of tests x classes."""

    def __init__(self, score, node):
        self.score, self.node = score, node

    def best(self, left, right):
        """The first of the highest values, and its place; None if none is higher than that of the unsplit node."""
        if self.score in ("information-gain", "misclassification"):
            values = self._whole(left) + self._whole(right)
            place = int(values.argmax())
            unsplit = self._whole(self.node[None])[0]
            return (Value(values[place]), place) if values[place] > unsplit else None
        if self.score == "gini":
            near, exact = self._gini(left, right)
            unsplit = self._gini(self.node[None], 0 * self.node[None])[1](0)
        else:
            near, exact = self._quotient(left, right)
            unsplit = Value(0)
        best = None
        for place in np.flatnonzero(near >= near.max() - 1e-12 * max(abs(near.max()), 1)):
            value = exact(place)
            if value > (best[0] if best else unsplit):
                best = value, int(place)
        return best

    def gains(self, left, right, valid):
        """What the node gains by each test, times its mass, in units of 2^-24; nothing by tests that are not valid."""
        mass = int(self.node.sum())
        unit = 2 ** 24 * (mass if self.score in ("normalised-gain", "gain-ratio") else 1)
        gains = np.zeros(valid.shape, object)
        left, right = left[valid], right[valid]
        if len(left) == 0:
            return gains
        if self.score in ("information-gain", "misclassification"):
            scale = 1 if self.score == "information-gain" else 2 ** 24
            unsplit = self._whole(self.node[None])[0]
            gains[valid] = (self._whole(left) + self._whole(right) - unsplit) * scale
            return gains
        if self.score == "gini":
            exact = self._gini(left, right)[1]
            unsplit = self._gini(self.node[None], 0 * self.node[None])[1](0)
        else:
            exact, unsplit = self._quotient(left, right)[1], Value(0)
        gains[valid] = [self._floor(exact(place), unit) - self._floor(unsplit, unit) for place in range(len(left))]
        return gains

    @staticmethod
    def _floor(value, unit):
        return value.numerator * unit // value.denominator

    def _whole(self, side):
        if self.score == "misclassification":
            return side.max(1)
        return times_log2(side).sum(1) - times_log2(side.sum(1))

    @staticmethod
    def _gini(left, right):
        masses = left.sum(1), right.sum(1)
        squares = (left * left).sum(1), (right * right).sum(1)

        def exact(place):
            value = Value(0)
            for square, mass in zip(squares, masses):
                if mass[place] > 0:
                    value = Value(value.numerator * int(mass[place]) + int(square[place]) * value.denominator,
                                  value.denominator * int(mass[place]))
            return value

        return sum(square / np.maximum(mass, 1) for square, mass in zip(squares, masses)), exact

    def _quotient(self, left, right):
        node = int(self.node.sum())
        classes = int(times_log2(node)) - int(times_log2(self.node).sum())
        split = int(times_log2(node)) - times_log2(left.sum(1)) - times_log2(right.sum(1))
        gain = self._sum(left) + self._sum(right) + classes
        normalised = self.score == "normalised-gain"
        numerator = 2 * gain if normalised else gain
        denominator = split + classes if normalised else split
        zero, one = gain <= 2 * node, numerator > denominator

        def exact(place):
            return Value(0) if zero[place] else Value(1) if one[place] else Value(numerator[place], denominator[place])

        return np.where(zero, 0, np.where(one, 1, numerator / np.where(zero, 1, np.maximum(denominator, 1)))), exact

    @staticmethod
    def _sum(side):
        return times_log2(side).sum(1) - times_log2(side.sum(1))


class Node:
    """An open node, and what was found out about it."""

    def __init__(self, number, samples):
        self.number, self.samples = number, samples
        self.words = self.usable = self.thresholds = self.histogram = self.best = None


class Trainer:
    """Trains the trees of a forest; `settings` are the provenance, with channels, feature and classes."""

    def __init__(self, settings, examples, given=None):
        """`examples`: image, other inputs by name, labels."""
        self.settings = dict(settings, seed=int(settings["seed"]))
        self.labels = [labels for _, _, labels in examples]
        if settings["feature"] in TYPES and entries_of(settings["channels"])[0][0] == DEPTH:
            self.labels = [np.where(inputs[DEPTH][:, :, 0] == 0, VOID, labels) for _, inputs, labels in examples]
        images = [(image, inputs) for image, inputs, _ in examples]
        if settings["mirror"] is True:
            images += [(image[:, ::-1], {name: plane[:, ::-1] for name, plane in inputs.items()})
                       for image, inputs in images]
        self.planes = Planes(settings, images)
        self.class_pixels = (1 + bool(settings["mirror"])) * sum(
            np.bincount(labels[labels != VOID], minlength=settings["classes"]) for labels in self.labels)
        self.given = given

    def train(self, tree, watch=lambda *_: None):
        """Grows a tree. watch(tree, round, open nodes, weights) is called when the tests of a round are known."""
        settings = self.settings
        samples = draw_samples(settings, self.labels, tree)
        counts = np.bincount(samples[:, 3], minlength=settings["classes"])
        self.weights = class_weights(settings, self.class_pixels, counts, self.given)
        self.leaf_weights = self.weights.tolist()
        if settings.get("prior") == "data":
            self.leaf_weights = [int(pixels) * 2 ** 32 // int(n) if n > 0 else 0
                                 for pixels, n in zip(self.class_pixels, counts)]
        nodes, distributions, leaves = [], [], 1
        self.add(nodes, distributions, samples)
        opened = [Node(0, samples)]
        for number in range(settings["depth"]):
            if not opened:
                break
            if settings.get("ferns"):
                self.find_common_test(tree, number, opened)
            else:
                for node in opened:
                    self.find_test(tree, number, node)
            watch(tree, number, opened, self.weights)
            following = []
            for node in opened:
                if node.best is None or settings["leaf_max"] > 0 and leaves >= settings["leaf_max"]:
                    continue
                leaves += 1
                _, candidate, t0, t1 = node.best
                nodes[node.number] = [len(nodes), *node.words[candidate], t0, t1, 1]
                responses = self.respond(node.words[candidate], node.samples)
                right = goes_right(t0, t1, responses)
                for side in node.samples[~right], node.samples[right]:
                    if len(side) >= 2 * settings["samples_min"] and (side[:, 3] != side[0, 3]).any():
                        following.append(Node(len(nodes), side))
                    few = settings.get("ferns") and len(side) < settings["samples_min"]
                    self.add(nodes, distributions, node.samples if few else side)
            opened = following
        return Tree(nodes, [distribution for node, distribution in zip(nodes, distributions) if node[8] == 0])

    def respond(self, words, samples):
        return self.planes.respond(words, samples[:, 0], samples[:, 1], samples[:, 2])

    def add(self, nodes, distributions, samples):
        nodes.append([len(nodes), 0, 0, 0, 0, 0, 0, 0, 0])
        counts = np.bincount(samples[:, 3], minlength=self.settings["classes"]).tolist()
        bias = self.settings.get("bias_percent", 0) * sum(counts)
        biased = [max(100 * n - bias, 0) for n in counts]
        masses = [n * weight for n, weight in zip(biased if any(biased) else counts, self.leaf_weights)]
        shares, remainders = (list(row) for row in zip(*[divmod(65535 * mass, sum(masses)) for mass in masses]))
        order = sorted(range(len(masses)), key=lambda c: -remainders[c])
        for c in order[:65535 - sum(shares)]:
            shares[c] += 1
        distributions.append(np.array(shares))

    def probes(self, tree, number, samples):
        size, best = len(samples), self.settings["thresholds"] == "best"
        if best and size <= 64:
            return samples
        numbers = random(key_of(self.settings["seed"], tree, PROBES), number,
                         np.arange(64 if best else self.settings["bins"] - 1))
        return samples[below(numbers, size)]

    def find_test(self, tree, number, node):
        self.make_thresholds(tree, number, node, self.probes(tree, node.number, node.samples))
        self.choose_test(node, self.count(node))

    def find_common_test(self, tree, number, opened):
        """Ferns: the test by which all nodes gain most."""
        probes = self.probes(tree, number, np.concatenate([node.samples for node in opened]))
        gains = 0
        for node in opened:
            self.make_thresholds(tree, number, node, probes)
            weights = self.weights[self.count(node)]
            (left, right), valid, t0, t1 = self.sides(node)
            scores = Scores(self.settings["score"], node.histogram[0].sum(0) * weights)
            gains = gains + scores.gains(left * weights, right * weights, valid)
        candidate, test = np.unravel_index(gains.argmax(), gains.shape)
        if gains[candidate, test] > 0:
            for node in opened:
                node.best = (Value(gains[candidate, test]), int(candidate), int(t0[candidate, test]),
                             int(t1[candidate, test]))

    def make_thresholds(self, tree, number, node, probes):
        settings = self.settings
        bins, is_best = settings["bins"], settings["thresholds"] == "best"
        node.words = draw(settings, tree, node.number if settings["pool"] == "node" else number,
                          range(settings["candidates"]))
        responses = self.respond(node.words[:, None], probes)
        undefined = responses == UNDEFINED
        high = np.where(undefined, LOWEST, responses).max(1)
        if is_best:
            low = responses.min(1)
            node.usable = low < high
            node.thresholds = low[:, None] - -(high - low)[:, None] * np.arange(1, bins) // bins
        else:
            node.usable = ~undefined.all(1)
            node.thresholds = np.sort(np.where(undefined, high[:, None], responses), 1)

    def count(self, node):
        """The classes of a node; fills in its histogram."""
        bins = self.settings["bins"]
        classes, of_samples = np.unique(node.samples[:, 3], return_inverse=True)
        responses = self.respond(node.words[:, None], node.samples)
        all_bins = bins + may_be_undefined(self.settings["feature"])
        node.histogram = np.zeros((len(node.words), all_bins, len(classes)), np.int64)
        for candidate, thresholds in enumerate(node.thresholds):
            of_bins = np.searchsorted(thresholds, responses[candidate], "right")
            of_bins[responses[candidate] == UNDEFINED] = bins
            node.histogram[candidate] = np.bincount(of_bins * len(classes) + of_samples,
                                                    minlength=all_bins * len(classes)).reshape(all_bins, len(classes))
        return classes

    def sides(self, node):
        """Of the tests of all candidates in their order, as ranges of bins: the counts of both sides, whether the test may
        be chosen, and its bounds."""
        bins, is_best = self.settings["bins"], self.settings["thresholds"] == "best"
        if is_best:
            first, last = np.arange(1, bins), np.full(bins - 1, bins)
        else:
            first, last = (np.array(ends) for ends in zip(*[(a, b) for a in range(bins) for b in range(a + 1, bins + 1)
                                                            if b - a < bins]))
        sums = np.pad(node.histogram.cumsum(1), ((0, 0), (1, 0), (0, 0)))
        right = sums[:, last] - sums[:, first] + sums[:, -1:] - sums[:, bins:bins + 1]
        left = sums[:, -1:] - right
        bounds = np.pad(node.thresholds, ((0, 0), (1, 1)), constant_values=((0, 0), (LOWEST, HIGHEST)))
        t0, t1 = bounds[:, first], bounds[:, last]
        valid = (node.usable[:, None] & (t0 < t1) & (left.sum(2) >= self.settings["samples_min"]) &
                 (right.sum(2) >= self.settings["samples_min"]))
        return (left, right), valid, t0, t1

    def choose_test(self, node, classes):
        (left, right), valid, t0, t1 = self.sides(node)
        places = np.argwhere(valid)
        if len(places) == 0:
            return
        weights = self.weights[classes]
        scores = Scores(self.settings["score"], node.histogram[0].sum(0) * weights)
        best = scores.best(left[valid] * weights, right[valid] * weights)
        if best is not None:
            value, place = best
            candidate, test = places[place]
            node.best = value, int(candidate), int(t0[candidate, test]), int(t1[candidate, test])
