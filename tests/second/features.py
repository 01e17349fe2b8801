"""Features and their responses: docs/training.md, Candidates and Feature types."""
import numpy as np

import depth_features
from channels import channels, integrals, magnitudes, turned
from draws import CANDIDATES, below, key_of, random

SECOND = 1 << 25


def pack(first, second):
    """Two coordinates in a word."""
    return (first & 0xffff) | (second & 0xffff) << 16


def draw(settings, tree, pool, numbers):
    """The candidates of these numbers: rows of five words, as in a forest's node."""
    greatest = magnitudes(settings["channels"])
    largest = 1 if settings["feature"] == "pixel-difference" else settings["size_max"]
    farthest, reaches = settings["offset_max"], 4
    key = key_of(settings["seed"], tree, CANDIDATES)
    numbers = np.asarray(numbers, np.int64)

    def next_below(bound):
        nonlocal count
        count += 1
        return below(random(key, pool, 32 * numbers + (count - 1)), bound)

    def side():
        low = 1 << next_below(np.frexp(np.asarray(largest, np.float64))[1])
        high = np.minimum(2 * low - 1, largest)
        return low + next_below(high - low + 1)

    def square():
        place = (2 * next_below(shapes) + 1) * int(largest).bit_length() * 128 // shapes
        low = 1 << place // 256
        return np.minimum(low + low * (place % 256) // 256, largest)

    def sides():
        if shapes == 0:
            return side(), side()
        length = square()
        return length, length

    def rectangle():
        channel = next_below(len(greatest))
        width, height = sides()
        while True:
            large = width * height * greatest[channel] > (1 << 30) - 1
            if not large.any():
                break
            wide = large & (width > height)
            high = large & ~(width > height)
            width = np.where(wide, (width + 1) // 2, width)
            height = np.where(high, (height + 1) // 2, height)
        reach = np.maximum(farthest >> next_below(reaches), np.maximum(width, height) // 2)
        x = next_below(2 * reach + 2 - width) - reach
        y = next_below(2 * reach + 2 - height) - reach
        return channel, pack(x, y), pack(x + width, y + height)

    def offset():
        reach = farthest >> next_below(reaches)
        x = next_below(2 * reach + 1) - reach
        return pack(x, next_below(2 * reach + 1) - reach)

    least, shapes = settings.get("offset_min", 0), settings.get("shapes", 0)
    if settings["feature"] == "pixel-difference":
        shapes = 0
    if least > 0:
        powers = (farthest // least).bit_length()
        count = 30
        low = least << (numbers * powers + next_below(powers)) // settings["candidates"]
        farthest, reaches = low + next_below(np.minimum(2 * low - 1, farthest) - low + 1), 1
        largest = largest if shapes > 0 else np.minimum(largest, 2 * farthest + 1)
    count = 0
    if settings["feature"] in depth_features.TYPES:
        return depth_features.draw(settings["feature"], settings["channels"], next_below, sides, offset,
                                   settings["single_percent"])
    single = next_below(100) < settings["single_percent"]
    channel0, low0, high0 = rectangle()
    channel1, low1, high1 = rectangle()
    return np.stack([channel0 | channel1 << 12 | np.where(single, 0, SECOND), low0, high0, low1, high1], 1)


class Planes:
    """What the features of a type read of several images, one after the other."""

    def __init__(self, settings, images):
        """`images`: pairs of an image and its other inputs by name."""
        self.feature = settings["feature"]
        self.parts, self.widths, self.heights, depths = [], [], [], []
        pixels = self.feature == "pixel-difference" or depth_features.reads_channels(self.feature)
        planes_of = [channels(settings["channels"], image, inputs) for image, inputs in images]
        if settings["mirror"] == "paired":
            images = images * 2
            planes_of += [turned(settings["channels"], planes) for planes in planes_of]
        for (image, _), planes in zip(images, planes_of):
            self.parts.append(planes if pixels else integrals(planes))
            self.widths.append(image.shape[1])
            self.heights.append(image.shape[0])
            depths.append(planes[0].ravel())
        self.words = np.concatenate([part.ravel() for part in self.parts])
        self.begins = np.cumsum([0] + [part.size for part in self.parts])[:-1]
        self.widths, self.heights = np.array(self.widths), np.array(self.heights)
        self.strides = np.array([part.shape[2] for part in self.parts])
        self.pitches = np.array([part.shape[1] * part.shape[2] for part in self.parts])
        self.firsts, self.first_begins = np.concatenate(depths), np.cumsum([0] + [part.size for part in depths])[:-1]
        if self.feature in depth_features.TYPES:
            self.responder = depth_features.Responder(self.feature, self)

    def first(self, image, x, y):
        """Values of channel 0."""
        return self.firsts[self.first_begins[image] + y * self.widths[image] + x]

    def is_void(self, image, x, y):
        return depth_features.find_void(self.feature, self.first(image, x, y))

    def total(self, channel, image, left, top, right, bottom):
        """The sums over rectangles."""
        begin, stride = self.begins[image] + channel * self.pitches[image], self.strides[image]
        upper, lower = begin + top * stride, begin + bottom * stride
        sums = self.words[lower + right] - self.words[lower + left] - self.words[upper + right] + self.words[upper +
                                                                                                             left]
        return ((sums & 0xffffffff) ^ 0x80000000) - 0x80000000

    def value(self, channel, low, high, image, px, py):
        """The values of rectangles, given by their words, at pixels; arrays that can be broadcast."""
        def signed(words, shift):
            return (((words >> shift) & 0xffff) ^ 0x8000) - 0x8000

        def clamp(value, least, most):
            return np.minimum(np.maximum(value, least), most)

        left = clamp(px + signed(low, 0), 0, self.widths[image] - 1)
        top = clamp(py + signed(low, 16), 0, self.heights[image] - 1)
        if self.feature == "pixel-difference":
            return self.words[self.begins[image] + channel * self.pitches[image] + top * self.strides[image] + left]
        right = clamp(px + signed(high, 0), left + 1, self.widths[image])
        bottom = clamp(py + signed(high, 16), top + 1, self.heights[image])
        sums = self.total(channel, image, left, top, right, bottom)
        if self.feature == "sum-difference":
            return sums
        return np.sign(sums) * (abs(sums) // ((right - left) * (bottom - top)))

    def respond(self, words, image, px, py):
        """Responses of features, rows of five words, at pixels."""
        if self.feature in depth_features.TYPES:
            return self.responder.respond(words, image, px, py)
        words = np.moveaxis(words, -1, 0)
        first = self.value(words[0] & 0xfff, words[1], words[2], image, px, py)
        second = self.value((words[0] >> 12) & 0xfff, words[3], words[4], image, px, py)
        return first - np.where(words[0] & SECOND, second, 0)
