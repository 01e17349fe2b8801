"""Smoothing: docs/smoothing.md."""
import numpy as np

from channels import base_values


def divide(a, b):
    """Rounded to the nearest, halves away from zero."""
    return np.sign(a) * ((abs(a) + b // 2) // b)


def times(a, b, bits):
    """a b / 2^bits, likewise."""
    return np.sign(a) * np.sign(b) * ((abs(a) * abs(b) + (1 << (bits - 1))) >> bits)


def ratio(a, b, bits):
    """a over b > 0 with fraction bits, by a reciprocal."""
    shift = 32 - np.frexp(b.astype(np.float64))[1].astype(np.int64)
    scaled = b << shift
    first = 0xffffffff // ((scaled >> 16) + 1) << 14
    error = (1 << 31) - (np.uint64(2) * first.astype(np.uint64) * scaled.astype(np.uint64) >> np.uint64(32)).astype(
        np.int64)
    reciprocal = first + (2 * error * first >> 32)
    return np.sign(a) * (abs(a) * reciprocal >> (62 - shift - bits))


class Windows:
    """Sums over the windows of a plane of cells."""

    def __init__(self, rows, columns, reach):
        self.edges = [(np.maximum(np.arange(n) - reach, 0), np.minimum(np.arange(n) + reach + 1, n))
                      for n in (rows, columns)]
        self.count = self.sum(np.ones((rows, columns), np.int64))

    def sum(self, plane):
        for axis, (first, end) in enumerate(self.edges):
            before = np.cumsum(np.insert(plane, 0, 0, axis), axis)
            plane = before.take(end, axis) - before.take(first, axis)
        return plane


class Solver:
    """What the guide contributes to the models of all classes."""

    def __init__(self, guide, windows, least):
        self.guide, self.windows, n = guide, windows, windows.count
        sums = [windows.sum(plane) for plane in guide]
        self.mean = [divide(total, n) for total in sums]
        self.rest = [total - n * mean for total, mean in zip(sums, self.mean)]

        def covariance(x, y):
            total = windows.sum(guide[x] * guide[y]) - self.mean[x] * sums[y] - self.mean[y] * self.rest[x]
            return divide(total - divide(self.rest[x] * self.rest[y], n), n)

        rr, rg, rb = (covariance(0, i) for i in range(3))
        gg, gb, bb = covariance(1, 1), covariance(1, 2), covariance(2, 2)
        pivots = [np.maximum(rr, 0) + least]
        self.gr, self.br = ratio(rg, pivots[0], 20), ratio(rb, pivots[0], 20)
        pivots.append(np.maximum(gg - times(self.gr, rg, 20), 0) + least)
        gb = gb - times(self.br, rg, 20)
        self.bg = ratio(gb, pivots[1], 20)
        pivots.append(np.maximum(bb - times(self.br, rb, 20) - times(self.bg, gb, 20), 0) + least)
        self.pivots = pivots

    def model(self, share):
        """The slopes and the level of a class, of all windows."""
        n, total = self.windows.count, self.windows.sum(share)
        mean = divide(total, n)
        r, g, b = (divide(self.windows.sum(plane * share) - m * total - rest * mean, n)
                   for plane, m, rest in zip(self.guide, self.mean, self.rest))
        g = g - times(self.gr, r, 20)
        b = b - times(self.br, r, 20) - times(self.bg, g, 20)
        r, g, b = (ratio(value, pivot, 14) for value, pivot in zip((r, g, b), self.pivots))
        g = g - times(self.bg, b, 20)
        r = r - times(self.gr, g, 20) - times(self.br, b, 20)
        slopes = [np.clip(divide(value, 16), -163840, 163840) for value in (r, g, b)]
        middle = sum(slope * m for slope, m in zip(slopes, self.mean))
        middle += divide(sum(slope * rest for slope, rest in zip(slopes, self.rest)), n)
        return slopes + [divide(4 * total, n) - divide(middle, 256)]


def between(planes, side, height, width):
    """Models of cells, at pixels."""
    for axis, length in ((1, height), (2, width)):
        place = np.maximum(2 * np.arange(length) + 1 - side, 0)
        first, weight = place // (2 * side), place % (2 * side)
        following = np.minimum(first + 1, planes.shape[axis] - 1)
        weight = weight.reshape((-1, 1) if axis == 1 else -1)
        planes = (2 * side - weight) * planes.take(first, axis) + weight * planes.take(following, axis)
    return (planes + 2 * side * side) // (4 * side * side)


def smooth(image, distribution, radius, epsilon):
    """Classes x rows x columns, of an image, and the labels, 0xffff for void."""
    height, width = image.shape[:2]
    bits = next((b for b in range(3) if radius >> b < 8), 3)
    side = 1 << bits
    reach = min((radius + side // 2) // side, 15)

    def add_up(plane):
        rows = np.add.reduceat(plane, np.arange(0, height, side), 0)
        return np.add.reduceat(rows, np.arange(0, width, side), 1)

    pixels = add_up(np.ones((height, width), np.int64))
    base = base_values(image)[:3]
    guide = [(add_up(plane) + 2 * pixels) // (4 * pixels) - 510 for plane in base]
    windows = Windows(*pixels.shape, reach)
    solver = Solver(guide, windows, max(16 * epsilon, 41))
    near = Windows(height, width, 2)
    fine = [(near.sum(plane) + 2 * near.count) // (4 * near.count) - 510 for plane in base]
    values = []
    for plane in distribution.astype(np.int64):
        model = solver.model(np.minimum((add_up(plane) + 8 * pixels) // (16 * pixels), 4095))
        mean = np.stack([divide(windows.sum(part), windows.count) for part in model])
        *slopes, level = between(mean, side, height, width)
        value = sum(slope * colour for slope, colour in zip(slopes, fine)) + 256 * level
        values.append((np.clip(value, 0, 65535 << 6) + 32) >> 6)
    values = np.stack(values)
    total, labels = values.sum(0), values.argmax(0)
    result = values * 65535 // np.maximum(total, 1)
    rest = 65535 - result.sum(0)
    np.put_along_axis(result, labels[None], np.take_along_axis(result, labels[None], 0) + rest, 0)
    void = distribution.sum(0) == 0
    stays = (total == 0) | void
    result = np.where(stays, distribution, result)
    return result, np.where(void, 0xffff, np.where(stays, distribution.argmax(0), labels))
