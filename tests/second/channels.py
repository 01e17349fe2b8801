"""Channels and integral images: docs/channels.md."""
import functools

import numpy as np

NAMED = {"winn16": "gauss:1,gauss:2,gauss:4,log:1,log:2,log:4,dx:2,dy:2,dx:4,dy:4"}
NAMED["winn17"] = NAMED["winn16"] + ",log:8"
NAMED["wide"] = NAMED["winn17"] + (",abs-log:1,abs-log:2,abs-log:4,abs-dx:2,abs-dy:2,abs-dx:4,abs-dy:4,abs-log:8,"
                                   "position")

# Weights from -3 sigma to 0.
KERNELS = {
    ("G", 1): [73, 885, 3966, 6536],
    ("G", 2): [36, 144, 443, 1062, 1984, 2887, 3272],
    ("G", 4): [18, 37, 72, 130, 222, 354, 531, 749, 993, 1236, 1445, 1587, 1636],
    ("G", 8): [9, 13, 19, 26, 36, 49, 65, 86, 111, 141, 177, 219, 266, 318, 375, 435, 497, 558, 618, 674, 723, 763,
               794, 812, 816],
    ("H", 1): [581, 2658, 16, -6510],
    ("H", 2): [291, 756, 1334, 1341, 24, -2130, -3232],
    ("H", 4): [146, 246, 379, 531, 669, 737, 674, 435, 18, -518, -1057, -1458, -1604],
    ("H", 8): [73, 96, 123, 154, 190, 228, 266, 303, 335, 358, 369, 364, 338, 290, 219, 125, 11, -118, -257, -395,
               -526, -639, -726, -782, -798],
    ("D", 1): [-600, -4870, -10914, 0],
    ("D", 2): [-280, -924, -2276, -4095, -5099, -3710, 0],
    ("D", 4): [-138, -260, -456, -743, -1123, -1570, -2020, -2374, -2516, -2349, -1830, -1005, 0],
    ("D", 8): [-69, -95, -130, -173, -227, -293, -370, -460, -560, -669, -783, -898, -1008, -1106, -1184, -1237,
               -1257, -1235, -1172, -1064, -913, -723, -501, -257, 0],
}
LAPLACIANS = {1: 2857, 2: 2951, 4: 2922, 8: 2898}


def round_shift(value, shift):
    return (value + (1 << (shift - 1))) >> shift


DISTANCE, DEPTH, HEIGHT, COUNT, PLAIN = "constant-depth", "depth", "height", "count", "plain"


def contents(text):
    """What each channel has."""
    of_all = []
    for kind, sigma in entries_of(text):
        pair = kind in (DISTANCE, DEPTH, HEIGHT)
        of_all += [kind, COUNT] if pair else [PLAIN] * len(magnitudes(f"{kind}:{sigma}" if sigma else kind))
    return of_all


def entries_of(text):
    """Pairs of kind and parameter."""
    pairs = (entry.partition(":") for entry in NAMED.get(text, text).split(","))
    return [(kind, int(parameter or 0)) for kind, _, parameter in pairs]


def magnitudes(text):
    """The greatest magnitude of each channel."""
    greatest = []
    for kind, sigma in entries_of(text):
        if kind == "gauss" or kind == "rgb":
            greatest += [4080] * 3
        elif kind in ("log", "abs-log"):
            greatest += [LAPLACIANS[sigma]]
        elif kind in ("lab", "lab-linear"):
            greatest += [3200, 4095, 4095]
        elif kind == "dt-gradient":
            greatest += [8160] * 2
        elif kind in ("hessian", "tensor", "orient"):
            greatest += [2020] * 2 if kind == "hessian" else [4410] * (2 if kind == "tensor" else 6)
        elif kind == "deviation":
            greatest += [2040]
        elif kind in ("position", "dt", "opponent"):
            greatest += [4080] * 2
        elif kind in (DISTANCE, DEPTH, HEIGHT):
            greatest += [32767, 1]
        else:
            greatest += [4080]
    return np.array(greatest, np.int64)


def base_values(image):
    """R, G, B and luma of an image, rows x columns x samples."""
    samples = image.astype(np.int64)
    base = 16 * samples if image.dtype == np.uint8 else (16 * samples + 128) // 257
    red, green, blue = (base[:, :, c if image.shape[2] >= 3 else 0] for c in range(3))
    return red, green, blue, (77 * red + 150 * green + 29 * blue + 128) >> 8


def kernel(name, sigma):
    half = np.array(KERNELS[name, sigma], np.int64)
    return np.concatenate([half, (-half if name == "D" else half)[-2::-1]])


def correlate(plane, weights, axis):
    """Along rows (axis 1) or columns (0)."""
    size, radius = plane.shape[axis], len(weights) // 2
    nearest = np.clip(np.arange(-radius, size + radius), 0, size - 1)
    padded = np.moveaxis(plane, axis, 0)[nearest]
    return np.moveaxis(sum(weight * padded[i:i + size] for i, weight in enumerate(weights)), 0, axis)


class Filters:
    """The filter bank on the base values of one image."""

    def __init__(self, base):
        self.base = base
        self.rows = functools.lru_cache(None)(self._rows)
        self.laplacian = functools.lru_cache(None)(self._laplacian)

    def _rows(self, plane, name, sigma):
        return round_shift(correlate(self.base[plane], kernel(name, sigma), 1), 11)

    def columns(self, plane, rows, columns, sigma):
        return correlate(self.rows(plane, rows, sigma), kernel(columns, sigma), 0)

    def gauss(self, plane, sigma):
        return round_shift(self.columns(plane, "G", "G", sigma), 17)

    def _laplacian(self, sigma):
        return round_shift(self.columns(3, "H", "G", sigma) + self.columns(3, "G", "H", sigma), 17)

    def get(self, kind, sigma):
        if kind == "log":
            return self.laplacian(sigma)
        rows, columns = {"dx": ("D", "G"), "dy": ("G", "D")}[kind]
        return round_shift(self.columns(3, rows, columns, sigma), 17)


def root(value):
    """Rounded down."""
    found = np.floor(np.sqrt(value.astype(np.float64))).astype(np.int64)
    found -= found * found > value
    return found + ((found + 1) * (found + 1) <= value)


def hessian(filters, sigma):
    xx, yy, xy = (round_shift(filters.columns(3, rows, columns, sigma), 17)
                  for rows, columns in (("H", "G"), ("G", "H"), ("D", "D")))
    xy = round_shift({1: 8453, 2: 9425, 4: 9525, 8: 9483}[sigma] * xy, 16)
    width = root(4 * (xx - yy) ** 2 + 16 * xy ** 2)
    return [round_shift(2 * (xx + yy) + width, 2), round_shift(2 * (xx + yy) - width, 2)]


def tensor(dx, dy, sigma):
    weights = np.zeros(4 * max(sigma // 2, 1) + 1, np.int64)
    weights[::max(sigma // 2, 1)] = 3, 16, 26, 16, 3

    def window(product):
        rows = round_shift(correlate(round_shift(product, 4), weights, 1), 3)
        return round_shift(correlate(rows, weights, 0), 5)

    xx, yy, xy = window(dx * dx), window(dy * dy), window(dx * dy)
    width = root((xx - yy) ** 2 + 4 * xy ** 2)
    return [root((xx + yy + width) >> 1), root(np.maximum(xx + yy - width, 0) >> 1)]


def orient(dx, dy):
    cosines = (32768, 28378, 16384, 0, -16384, -28378, -32768, -28378, -16384, 0, 16384, 28378)
    planes = []
    for bin in range(6):
        before = cosines[bin - 1] * dy - cosines[bin - 4] * dx
        after = cosines[bin - 2] * dx - cosines[bin + 1] * dy
        share = np.maximum(np.minimum(before, after), np.minimum(-before, -after))
        planes.append(round_shift(np.maximum(share, 0), 14))
    return planes


def deviation(luma, radius):
    ones, count = np.ones(2 * radius + 1, np.int64), (2 * radius + 1) ** 2
    sums, squares = (correlate(correlate(plane, ones, 1), ones, 0) for plane in (luma, luma * luma))
    mean, rest = sums // count, sums % count
    return root((squares - 2 * mean * sums + count * mean * mean - (rest * rest + count - 1) // count) // count)


def newton(value, power):
    root = 1.0
    for _ in range(16):
        product = root
        for _ in range(power - 2):
            product = product * root
        root = ((power - 1.0) * root + value / product) / power
    return root


@functools.lru_cache(None)
def lab_tables():
    def linear(stored):
        if stored <= 0.04045:
            return stored / 12.92
        base = (stored + 0.055) / 1.055
        return base * base * newton(base * base, 5)

    def curve(value):
        if value > 216.0 / 24389.0:
            return newton(value, 3)
        return value * 841.0 / 108.0 + 4.0 / 29.0

    return (np.array([int(131072.0 * linear(v / 4080.0) + 0.5) for v in range(4081)], np.int64),
            np.array([int(131072.0 * curve(min(i, 4096) / 4096.0) + 0.5) for i in range(4098)], np.int64))


def lab(r, g, b):
    """Of linear light."""
    curve = lab_tables()[1]

    def component(x, y, z):
        q = round_shift(x * r + y * g + z * b, 11)
        low, high = curve[q >> 8], curve[(q >> 8) + 1]
        return low + round_shift((high - low) * (q & 255), 8)

    x, y, z = component(7110, 6164, 3110), component(3484, 11717, 1183), component(291, 1794, 14299)
    return [round_shift(3712 * y - 512 * 131072, 17), round_shift(16000 * (x - y), 17),
            round_shift(6400 * (y - z), 17)]


def sobel(change, axis):
    return round_shift(correlate(correlate(change, (1, 2, 1), 1 - axis), (-1, 0, 1), axis), 2)


def channels(text, image, inputs):
    """All channels of a list: channels x rows x columns. `inputs`: the others by their names."""
    base = base_values(image)
    filters = Filters(base)
    change = base[3] - base_values(inputs.get("previous", image))[3]
    height, width = image.shape[:2]
    planes = []
    for kind, sigma in entries_of(text):
        if kind == "gauss":
            planes += [filters.gauss(plane, sigma) for plane in range(3)]
        elif kind == "rgb":
            planes += base[:3]
        elif kind == "lab":
            planes += lab(*(lab_tables()[0][plane] for plane in base[:3]))
        elif kind == "lab-linear":
            planes += lab(*((131072 * plane + 2040) // 4080 for plane in base[:3]))
        elif kind in (DEPTH, HEIGHT):
            stored = np.minimum(inputs[kind][:, :, 0].astype(np.int64), 32767)
            planes += [stored, (stored > 0).astype(np.int64)]
        elif kind == DISTANCE:
            planes += [np.full((height, width), sigma), np.ones((height, width), np.int64)]
        elif kind == "position":
            row, column = np.mgrid[:height, :width]
            planes += [(2 * column + 1) * 2040 // width, (2 * row + 1) * 2040 // height]
        elif kind == "dt":
            planes += [change, abs(change)]
        elif kind == "dt-gradient":
            planes += [sobel(change, 1), sobel(change, 0)]
        elif kind == "hessian":
            planes += hessian(filters, sigma)
        elif kind == "tensor":
            planes += tensor(filters.get("dx", sigma), filters.get("dy", sigma), sigma)
        elif kind == "orient":
            planes += orient(filters.get("dx", sigma), filters.get("dy", sigma))
        elif kind == "opponent":
            red, green, blue = (filters.gauss(plane, sigma) for plane in range(3))
            planes += [red - green, round_shift(red + green - 2 * blue, 1)]
        elif kind == "posterior":
            below = inputs["below"]
            planes += [16 * ((255 * below[c] + 32767) // 65535) if c < len(below) else np.zeros((height, width), np.int64)
                       for c in range(3 * sigma, 3 * sigma + 3)]
        elif kind == "deviation":
            planes += [deviation(base[3], sigma)]
        elif kind.startswith("abs-"):
            planes += [abs(filters.get(kind[4:], sigma))]
        else:
            planes += [filters.get(kind, sigma)]
    return np.stack(planes)


def turned(text, planes):
    """The channels of the mirror image, as paired flipping takes them from those of the image."""
    kinds = []
    for kind, parameter in entries_of(text):
        of_kind = {"position": ["x", "y"], "dt-gradient": ["dx", "dy"]}
        kinds += of_kind.get(kind, [kind] * len(magnitudes(f"{kind}:{parameter}")))
    return np.stack([plane if kind == "x" else -plane[:, ::-1] if kind == "dx" else plane[:, ::-1]
                     for kind, plane in zip(kinds, planes)])


def integrals(planes):
    """Channels x (rows + 1) x (columns + 1), modulo 2^32."""
    sums = np.zeros((planes.shape[0], planes.shape[1] + 1, planes.shape[2] + 1), np.int64)
    sums[:, 1:, 1:] = planes.cumsum(1).cumsum(2)
    return sums & 0xffffffff
