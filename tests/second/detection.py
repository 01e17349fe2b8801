"""Cascades and detection: docs/cascade-format.md and docs/detection.md, kinds `pixels` and `scaled-pixels`."""
import numpy as np

import ktx2

ONE = 1 << 32


class Cascade:
    def __init__(self, data):
        """Of a file's bytes."""
        self.metadata, words = ktx2.read(data)
        self.kind = self.metadata["kind"]
        signed = words.view("<i4").astype(np.int64)
        stages, trees = int(words[0, 0]), int(words[0, 1])
        sides, bits, self.base, _ = (int(word) for word in words[1])
        self.base = int(signed[1, 2])
        self.width, self.height = sides & 0xffff, sides >> 16
        self.restarts = bool(bits >> 8 & 1)
        self.stages = []
        for first, count, threshold, _ in signed[2:2 + stages].tolist():
            roots = words[2 + stages + first:2 + stages + first + count].tolist()
            self.stages.append((threshold, [Tree(words[root:root + nodes], signed[root:root + nodes], self.kind)
                                            for root, nodes, _, _ in roots]))
        assert sum(len(stage) for _, stage in self.stages) == trees


class Tree:
    def __init__(self, words, signed, kind):
        points = words[:, 0].astype(np.int64)
        points = np.stack([points >> shift & 0xff for shift in (0, 8, 16, 24)], 1)
        self.points = np.where(points > 127, points - 256, points) if kind == "scaled-pixels" else points
        self.thresholds, self.left, self.values = signed[:, 1], words[:, 2].astype(np.int64), signed[:, 3]
        self.is_split = self.left != np.arange(len(words))

    def values_of(self, respond, count):
        """Of `count` windows; respond(points of each) gives their responses."""
        nodes = np.zeros(count, np.int64)
        while self.is_split[nodes].any():
            right = respond(self.points[nodes]) > self.thresholds[nodes]
            nodes = np.where(self.is_split[nodes], self.left[nodes] + right, nodes)
        return self.values[nodes]


def run_stages(cascade, respond, count):
    """respond(windows, points of each). Returns the windows that pass, and their scores."""
    left, scores = np.arange(count), np.zeros(count, np.int64)
    for threshold, trees in cascade.stages:
        if cascade.restarts:
            scores = np.zeros(len(left), np.int64)
        for tree in trees:
            scores = scores + tree.values_of(lambda points: respond(left, points), len(left))
        passed = scores >= threshold
        left, scores = left[passed], scores[passed]
    return left, scores - cascade.base


def blurred(values):
    """The sums of [1 2 1] in both directions."""
    for axis in (0, 1):
        padded = np.pad(values, [(1, 1) if a == axis else (0, 0) for a in (0, 1)], "edge")
        first, middle, last = (np.take(padded, range(k, k + values.shape[axis]), axis) for k in range(3))
        values = first + 2 * middle + last
    return values


def halved(values):
    height, width = (side // 2 for side in values.shape)
    values = values[:2 * height, :2 * width].reshape(height, 2, width, 2).sum((1, 3))
    return values + 2 >> 2


def samples(size, full):
    """For each of `size` pixels the one at or before it, and the weight of the next one in 1/256, halves to even."""
    position = (2 * np.arange(size) + 1) * full - size
    at, rest = np.divmod(position, 2 * size)
    weight, rest = np.divmod(512 * rest, 2 * size)
    weight, odd = weight >> 1, (weight & 1) == 1
    return at, weight + (odd & ((rest > 0) | (weight % 2 == 1)))


def resampled(values, width, height):
    def next_of(at, size):
        return np.minimum(at + 1, size - 1)

    x, right = samples(width, values.shape[1])
    y, lower = samples(height, values.shape[0])
    rows = values[:, x] * (256 - right) + values[:, next_of(x, values.shape[1])] * right
    both = rows[y] * (256 - lower)[:, None] + rows[next_of(y, values.shape[0])] * lower[:, None]
    return both + 32768 >> 16


def shrunk(values, shrink):
    height, width = (side // shrink for side in values.shape)
    sums = values[:height * shrink, :width * shrink].reshape(height, shrink, width, shrink).sum((1, 3))
    return (16 * sums + shrink * shrink // 2) // (shrink * shrink)


def level_sizes(width, height, per_octave, octaves):
    """The image is divided by 2^(k/N)."""
    root = round(2 ** (-1 / per_octave) * ONE)
    for octave in range(32):
        ratio = ONE
        for _ in range(per_octave):
            shift = ratio >> octave
            sides = [(side * shift + ONE // 2) // ONE for side in (width, height)]
            if octaves:
                sides = [min(side, full >> octave) for side, full in zip(sides, (width, height))]
            yield octave, *sides
            ratio = (ratio * root + ONE // 2) // ONE


def to_image(pixels, full, scaled):
    """Pixels of a line of `scaled` as those of a line of `full`, rounded, halves up."""
    return (2 * pixels * full + scaled) // (2 * scaled)


def turns(angle):
    """256 cos and 256 sin, towards zero."""
    turn = 2 * np.pi * angle / 32
    return int(256 * np.cos(turn) + np.copysign(1e-9, np.cos(turn))), int(256 * np.sin(turn) +
                                                                         np.copysign(1e-9, np.sin(turn)))


def turned_points(x, y, angle, side):
    q, p = turns(angle)
    x, y = 2 * x - (side - 1), 2 * y - (side - 1)
    return 256 * (side - 1) + q * x + p * y + 256 >> 9, 256 * (side - 1) + q * y - p * x + 256 >> 9


def levels_of(cascade, grey, per_octave):
    """Values of each level, and the size before it was shrunk."""
    planes = cascade.metadata["planes"]
    height, width = grey.shape
    sources = [blurred(grey) if planes["blur_before"] else grey * 16]
    for octave, w, h in level_sizes(width, height, per_octave, planes["octaves"]):
        shrink = planes["shrink"]
        if w // shrink < cascade.width or h // shrink < cascade.height:
            return
        if planes["octaves"] and octave == len(sources):
            sources.append(halved(sources[-1]))
        level = shrunk(resampled(sources[-1], w, h), shrink)
        yield (blurred(level) + 8 >> 4 if planes["blur_after"] else level), w, h


def found_in_level(cascade, values, angle, rows, columns):
    """Rows, columns and scores of windows that pass."""
    y, x = (places.reshape(-1) for places in np.meshgrid(rows, columns, indexing="ij"))

    def respond(windows, points):
        x1, y1, x2, y2 = points.T
        if angle != 0:
            (x1, y1), (x2, y2) = (turned_points(*point, angle, cascade.width) for point in ((x1, y1), (x2, y2)))
        return values[y[windows] + y1, x[windows] + x1] - values[y[windows] + y2, x[windows] + x2]

    left, scores = run_stages(cascade, respond, len(x))
    return x[left], y[left], scores


def detect_pixels(cascade, grey, scan, angle):
    height, width = grey.shape
    shrink, step = cascade.metadata["planes"]["shrink"], scan["step"]
    margin = (106 * (cascade.width - 1) + 256) // 512 if angle != 0 else 0
    for number, (values, w, h) in enumerate(levels_of(cascade, grey, scan["levels_per_octave"])):
        out_width, out_height = (to_image(side * shrink, full, scaled) for side, full, scaled in
                                 ((cascade.width, width, w), (cascade.height, height, h)))
        if not scan["min_size"] <= min(out_width, out_height) <= scan["max_size"]:
            continue
        rows, columns = (np.arange(0, side - window + 1, step) for side, window in
                         zip(values.shape, (cascade.height, cascade.width)))
        rows, columns = (at[(at >= margin) & (at <= side - window - margin)] for at, side, window in
                         zip((rows, columns), values.shape, (cascade.height, cascade.width)))
        for x, y, score in zip(*found_in_level(cascade, values, angle, rows, columns)):
            yield (min(to_image(int(x) * shrink, width, w), width - out_width),
                   min(to_image(int(y) * shrink, height, h), height - out_height), out_width, out_height, score, number,
                   angle, 1)


def centres(size, stride, length):
    """All in single precision."""
    single, places = np.float32, []
    step = max(single(stride) * size, single(1))
    at, last = size / single(2) + single(1), single(length) - size / single(2) - single(1)
    while at <= last:
        places.append(int(at))
        at = single(at + step)
    return np.array(places, np.int64)


def found_at_size(cascade, grey, size, angle, rows, columns):
    r, c = (places.reshape(-1) for places in np.meshgrid(rows, columns, indexing="ij"))
    q, p = turns(angle)

    def pixel(windows, x, y):
        if angle == 0:
            return grey[256 * r[windows] + y * size >> 8, 256 * c[windows] + x * size >> 8]
        across = c[windows] + (q * size * x + p * size * y >> 16)
        down = r[windows] + (q * size * y - p * size * x >> 16)
        return grey[np.where(down == -1, 0, down), np.where(across == -1, 0, across)]

    def respond(windows, points):
        x1, y1, x2, y2 = points.T
        return pixel(windows, x1, y1) - pixel(windows, x2, y2)

    left, scores = run_stages(cascade, respond, len(r))
    return r[left], c[left], scores


def inside_turned(places, size, length):
    reach = 46341 * size
    return places[(65536 * places - reach > -65536) & (65536 * places + reach < 65536 * length)]


def detect_scaled(cascade, grey, scan, angle):
    height, width = grey.shape
    single, number = np.float32, 0
    size = single(scan["min_size"])
    while size <= single(min(scan["max_size"], width, height)):
        rows, columns = centres(size, scan["stride"], height), centres(size, scan["stride"], width)
        side = int(size)
        if angle != 0:
            rows, columns = inside_turned(rows, side, height), inside_turned(columns, side, width)
        for r, c, score in zip(*found_at_size(cascade, grey, side, angle, rows, columns)):
            yield int(c) - side // 2, int(r) - side // 2, side, side, score, number, angle, 1
        size = single(size * single(scan["scale_factor"]))
        number += 1


def detect(cascade, grey, scan):
    """Rows as struct shw_detection."""
    kind = {"pixels": detect_pixels, "scaled-pixels": detect_scaled}[cascade.kind]
    found = [row for angle in sorted(scan["angles"]) for row in kind(cascade, grey.astype(np.int64), scan, angle)]
    return np.array(found, np.int64).reshape(-1, 8)
