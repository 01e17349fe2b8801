#!/usr/bin/env python3
"""Chooses the colours of classes: the tables of src/base/class.c and viewer/label/classes.c.

    scripts/class-colours.py            # prints both tables and the least distances in them; takes half a minute

Distances are CIEDE2000 (Sharma, Wu and Dalal, 2005). Colour blindness is simulated with the matrices of Machado,
Oliveira and Fernandes (2009) for the severity 1.0, applied to linear sRGB. Candidates have levels in steps of 17. The
first colours of a table are chosen together: from random beginnings, the colour with the least distance is exchanged
for the best one as long as that helps. The others follow one by one, each as far as possible from all before it.
Black and white count as taken, so that colours differ from them, too. Requires NumPy."""
import numpy as np

OKABE_ITO = [(230, 159, 0), (86, 180, 233), (0, 158, 115), (240, 228, 66), (0, 114, 178), (213, 94, 0),
             (204, 121, 167), (153, 153, 153)]
EXTREMES = [(0, 0, 0), (255, 255, 255)]
NORMAL = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
PROTANOPIA = [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
DEUTERANOPIA = [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
TRITANOPIA = [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
SRGB_TO_XYZ = np.array([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750],
                        [0.0193339, 0.1191920, 0.9503041]])
WHITE = np.array([0.95047, 1.0, 1.08883])
FAR = 1e9


def lab(colours, vision):
    parts = np.asarray(colours, float) / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    xyz = np.clip(linear @ np.transpose(vision), 0, 1) @ SRGB_TO_XYZ.T / WHITE
    x, y, z = np.moveaxis(np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116), -1, 0)
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], -1)


def ciede2000(one, other):
    (l1, a1, b1), (l2, a2, b2) = np.moveaxis(one, -1, 0), np.moveaxis(other, -1, 0)
    chroma = (np.hypot(a1, b1) + np.hypot(a2, b2)) / 2
    stretch = 1.5 - 0.5 * np.sqrt(chroma ** 7 / (chroma ** 7 + 25.0 ** 7))
    c1, c2 = np.hypot(stretch * a1, b1), np.hypot(stretch * a2, b2)
    h1, h2 = np.degrees(np.arctan2(b1, stretch * a1)) % 360, np.degrees(np.arctan2(b2, stretch * a2)) % 360
    grey = c1 * c2 == 0
    turn = np.where(grey, 0, (h2 - h1 + 180) % 360 - 180)
    hue = np.where(grey, h1 + h2, h1 + turn / 2)
    l, c = (l1 + l2) / 2, (c1 + c2) / 2
    t = (1 - 0.17 * np.cos(np.radians(hue - 30)) + 0.24 * np.cos(np.radians(2 * hue)) +
         0.32 * np.cos(np.radians(3 * hue + 6)) - 0.20 * np.cos(np.radians(4 * hue - 63)))
    rotation = -np.sin(np.radians(60 * np.exp(-(((hue % 360 - 275) / 25) ** 2)))) * 2 * np.sqrt(c ** 7 /
                                                                                             (c ** 7 + 25.0 ** 7))
    dl = (l2 - l1) / (1 + 0.015 * (l - 50) ** 2 / np.sqrt(20 + (l - 50) ** 2))
    dc = (c2 - c1) / (1 + 0.045 * c)
    dh = 2 * np.sqrt(c1 * c2) * np.sin(np.radians(turn / 2)) / (1 + 0.015 * c * t)
    return np.sqrt(dl ** 2 + dc ** 2 + dh ** 2 + rotation * dc * dh)


class Chooser:
    """Candidates, and their distances from each other and from what is taken: the least for any of the visions."""

    def __init__(self, visions, fixed, chroma):
        levels = np.arange(0, 256, 17)
        grid = np.stack(np.meshgrid(levels, levels, levels), -1).reshape(-1, 3)
        light, a, b = np.moveaxis(lab(grid, NORMAL), -1, 0)
        derived = (grid[:, 0] % 4 == 0) & (grid[:, 1] % 8 == 0) & (grid[:, 2] % 8 == 0)  # what follows the table
        self.colours = grid[(light > 28) & (light < 93) & (np.hypot(a, b) >= chroma) & ~derived]
        self.visions = visions
        self.apart = np.full((len(self.colours), len(self.colours)), FAR, np.float32)
        self.free = np.full(len(self.colours), FAR)
        for vision in visions:
            points = lab(self.colours, vision)
            for i, point in enumerate(points):
                self.apart[i] = np.minimum(self.apart[i], ciede2000(point[None], points))
            for point in lab(list(fixed) + EXTREMES, vision):
                self.free = np.minimum(self.free, ciede2000(point[None], points))

    def away(self, chosen):
        distance = np.minimum(self.free, self.apart[chosen].min(0)) if chosen else self.free.copy()
        distance[chosen] = -1
        return distance

    def least(self, chosen):
        own = self.apart[np.ix_(chosen, chosen)].copy()
        np.fill_diagonal(own, FAR)
        return np.minimum(own.min(1), self.free[chosen])

    def exchange(self, chosen):
        while True:
            least = self.least(chosen)
            for worst in np.argsort(least)[:5]:
                rest = chosen[:worst] + chosen[worst + 1:]
                other = rest + [int(self.away(rest).argmax())]
                new = self.least(other)
                if new.min() > least.min() + 1e-6 or (new.min() > least.min() - 1e-6 and
                                                      new.sum() > least.sum() + 1e-3):
                    chosen = other
                    break
            else:
                return chosen

    def choose_together(self, count, beginnings):
        random = np.random.default_rng(1)
        best = None
        for _ in range(beginnings):
            chosen = []
            while len(chosen) < count:
                order = np.argsort(self.away(chosen))
                chosen.append(int(random.choice(order[-20:])) if len(chosen) < count // 2 else int(order[-1]))
            chosen = self.exchange(chosen)
            if best is None or self.least(chosen).min() > self.least(best).min():
                best = chosen
        return best

    def in_order(self, chosen):
        """Each as far as possible from those before it."""
        ordered = []
        while len(ordered) < len(chosen):
            away = self.away(ordered)
            ordered.append(max((c for c in chosen if c not in ordered), key=lambda c: away[c]))
        return ordered

    def follow(self, chosen, count):
        while len(chosen) < count:
            chosen = chosen + [int(self.away(chosen).argmax())]
        return chosen


def report(name, table, visions, counts):
    print(f"/* {name} */")
    print(",\n".join("{%d, %d, %d}" % tuple(colour) for colour in table))
    for count in counts:
        least = FAR
        for vision in visions:
            points = lab(table[:count] + EXTREMES, vision)
            apart = ciede2000(points[:, None], points[None])
            np.fill_diagonal(apart, FAR)
            least = min(least, apart.min())
        print(f"the first {count}: least distance {least:.2f}")


def main():
    chooser = Chooser([NORMAL], OKABE_ITO, 0)
    chosen = chooser.follow(chooser.in_order(chooser.choose_together(16, 40)), 56)
    report("default colours", OKABE_ITO + chooser.colours[chosen].tolist(), [NORMAL], (8, 24, 64))
    visions = [NORMAL, PROTANOPIA, DEUTERANOPIA, TRITANOPIA]
    chooser = Chooser(visions, [], 35)  # greys would be hard to see on photographs
    chosen = chooser.follow(chooser.in_order(chooser.choose_together(12, 60)), 24)
    report("for colour-blind people", chooser.colours[chosen].tolist(), visions, (8, 12, 24))


if __name__ == "__main__":
    main()
