"""Features of depth and their responses: docs/training.md, Features scaled by depth; docs/exchange.md, CURFIL's trees;
docs/forest-format.md, Texture."""
import numpy as np

from channels import DEPTH, HEIGHT, PLAIN, contents

SECOND, COUNTED, AHEAD = 1 << 25, 1 << 26, 1 << 28
UNDEFINED = (1 << 31) - 1  # which no response is
FARTHEST = 32767
SIDE_MAX, HALF_MAX = 181, 127

TYPES = ("depth-mean-difference", "depth-pixel-difference", "kinect-difference", "curfil-difference")


def may_be_undefined(feature):
    return feature in TYPES and feature != "kinect-difference"


def reads_channels(feature):
    return feature in ("depth-pixel-difference", "kinect-difference")


def find_void(feature, depth):
    """Whether pixels have no class, of channel 0."""
    return (depth == 0) & (feature in TYPES and feature != "curfil-difference")


def draw(feature, text, next_below, sides, offset, single_percent):
    """Five words of each candidate, as in a forest's node. `offset` draws a reach and a position within it."""
    of_all = contents(text)

    def channel(content, number):
        listed = np.array([c for c, of in enumerate(of_all) if of == content] or [0])
        return listed[np.minimum(number, len(listed) - 1)]

    def size(change=lambda length: length):
        width, height = sides()
        return change(width) | change(height) << 16

    plain, depths, heights = (of_all.count(content) for content in (PLAIN, DEPTH, HEIGHT))
    if feature == "curfil-difference":
        is_plain = (next_below(2) == 1) | (depths == 0) if plain else (next_below(2) < 0)
        numbers = next_below(max(plain, 1)), next_below(max(plain, 1))
        words = [step(*arguments) for _ in range(2)
                 for step, arguments in ((offset, ()), (size, (lambda length: np.minimum((length + 1) // 2, HALF_MAX),)))]
        first, second = (np.where(is_plain, channel(PLAIN, number), channel(DEPTH, 0)) for number in numbers)
        return np.stack([first | second << 12 | SECOND | np.where(is_plain, 0, 3 * COUNTED), *words], 1)
    single = next_below(100) < single_percent
    if reads_channels(feature):
        first, second = offset(), offset()
        none = np.zeros_like(first)
        return np.stack([none + SECOND, first, none, np.where(single, 0, second), none], 1)
    eighth, half = next_below(8), next_below(2)
    is_height = (eighth == 0) | (plain + depths == 0) if heights else eighth < 0
    is_plain = ~is_height & ((half == 1) | (depths == 0)) if plain else eighth < 0
    count = np.where(is_height, heights, np.where(is_plain, plain, depths))
    number0, offset0, size0 = next_below(count), offset(), size()
    number1, offset1, size1 = next_below(count), offset(), size()
    first = np.where(is_height, channel(HEIGHT, number0), np.where(is_plain, channel(PLAIN, number0),
                                                                   channel(DEPTH, number0)))
    second = np.where(is_plain, channel(PLAIN, number1), first)
    head = first | second << 12 | np.where(single | is_height, 0, SECOND) | np.where(is_plain, 0, 3 * COUNTED)
    return np.stack([head, offset0, size0, offset1, size1], 1)


def coordinates(word):
    """The two signed numbers in a word."""
    return tuple((((word >> shift) & 0xffff) ^ 0x8000) - 0x8000 for shift in (0, 16))


def towards_zero(value, depth):
    return np.sign(value) * np.minimum(1000 * abs(value) // depth, 32767)


def downwards(value, depth):
    return np.clip(1000 * value // depth, -32767, 32767)


def quotient(value, number):
    """Rounded towards zero."""
    return np.sign(value) * (abs(value) // np.maximum(number, 1))


class Responder:
    """Responses of one type. `planes` has first(image, x, y), the values of channel 0, total(channel, image, left, top,
    right, bottom), and the widths and heights of the images."""

    def __init__(self, feature, planes):
        self.planes = planes
        self.one = {"depth-mean-difference": self.mean, "depth-pixel-difference": self.pixel,
                    "kinect-difference": self.kinect, "curfil-difference": self.curfil}[feature]

    def respond(self, words, image, px, py):
        words = np.moveaxis(words, -1, 0)
        head = words[0]
        sides = [self.one(head, side, (head >> 12 * side) & 0xfff, words[1 + 2 * side], words[2 + 2 * side], image, px,
                          py) for side in range(2)]
        (first, undefined), (second, other) = sides
        has_second = (head & SECOND) != 0
        return np.where(undefined | other & has_second, UNDEFINED, first - np.where(has_second, second, 0))

    def depth(self, image, px, py):
        return self.planes.first(image, px, py)

    def position(self, word, image, px, py, scale):
        depth = np.maximum(self.depth(image, px, py), 1)
        dx, dy = coordinates(word)
        return px + scale(dx, depth), py + scale(dy, depth)

    def pixel(self, _head, _side, _channel, word, _size, image, px, py):
        x, y = self.position(word, image, px, py, towards_zero)
        width, height = self.planes.widths[image], self.planes.heights[image]
        outside = (x < 0) | (y < 0) | (x >= width) | (y >= height)
        value = self.depth(image, np.clip(x, 0, width - 1), np.clip(y, 0, height - 1))
        return value, outside | (value == 0)

    def kinect(self, _head, _side, _channel, word, _size, image, px, py):
        x, y = self.position(word, image, px, py, downwards)
        value = self.depth(image, np.clip(x, 0, self.planes.widths[image] - 1),
                           np.clip(y, 0, self.planes.heights[image] - 1))
        return np.where(value == 0, FARTHEST, value), False

    def count(self, counted, channel, image, *region):
        """Of pixels that have a value."""
        left, top, right, bottom = region
        return np.where(counted, self.planes.total(channel + counted, image, *region),
                        (right - left) * (bottom - top))

    def mean(self, head, side, channel, word, size, image, px, py):
        depth = np.maximum(self.depth(image, px, py), 1)
        begins = self.position(word, image, px, py, towards_zero)
        limits = self.planes.widths[image], self.planes.heights[image]
        low, high = [], []
        for begin, length, limit in zip(begins, coordinates(size), limits):
            scaled = np.clip(1000 * length // depth, 1, SIDE_MAX)
            low.append(np.clip(begin - scaled // 2, 0, limit))
            high.append(np.clip(begin - scaled // 2 + scaled, 0, limit))
        counted = ((head >> 26 + side) & 1).astype(bool)
        number = self.count(counted, channel, image, *low, *high)
        return quotient(self.planes.total(channel, image, *low, *high), number), number == 0

    def curfil(self, head, side, channel, word, size, image, px, py):
        limits = self.planes.widths[image], self.planes.heights[image]
        ahead = (head & AHEAD) != 0
        x, y = px + ahead, py + ahead
        inside = (x < limits[0]) & (y < limits[1])
        depth = np.where(inside, self.depth(image, np.minimum(x, limits[0] - 1), np.minimum(y, limits[1] - 1)), 0)
        low, high, outside = [], [], False
        for at, move, length, limit in zip((px, py), coordinates(word), coordinates(size), limits):
            centre = at + np.where(depth > 0, towards_zero(move, np.maximum(depth, 1)), 0)
            half = np.where(depth > 0, np.clip(1000 * length // np.maximum(depth, 1), 1, HALF_MAX), 1)
            begin, end = centre - half, centre + half
            outside = outside | (begin < 0) | (end >= limit)
            low.append(np.clip(begin + 1, 0, limit))
            high.append(np.clip(end + 1, 0, limit))
        total = self.planes.total(channel, image, *low, *high)
        counted = ((head >> 26 + side) & 1).astype(bool)
        number = self.count(counted, channel, image, *low, *high)
        value = np.where(counted, 16 * total // np.maximum(number, 1), total)
        return value, outside | counted & (number == 0) | (depth == 0) & ~ahead
