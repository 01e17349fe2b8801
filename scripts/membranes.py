#!/usr/bin/env python3
"""Renders images like electron micrographs of tissue, with labels: cells of irregular shape with thin dark membranes between them,
blurred and noisy, whose interiors have vesicles as dark as membranes, mitochondria and clouds of brightness.

usage: membranes.py [--count N] [--size N] [--seed N] FOLDER

Writes images/NAME.png (grey), labels/NAME.png and palette.json with the classes membrane and interior, for

    shadewood train --data FOLDER --images 'images/{}.png' --labels 'labels/{}.png' -o membranes.ktx2

Needs NumPy."""

import argparse
import json
import os
import struct
import zlib

import numpy


def write_png(path, image):
    rows = b"".join(b"\0" + row.tobytes() for row in image)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n")
        for kind, data in ((b"IHDR", struct.pack(">IIBBBBB", image.shape[1], image.shape[0], 8, 0, 0, 0, 0)),
                           (b"IDAT", zlib.compress(rows)), (b"IEND", b"")):
            file.write(struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)))


def blur(image, sigma):
    radius = int(3 * sigma) + 1
    kernel = numpy.exp(-0.5 * (numpy.arange(-radius, radius + 1) / sigma) ** 2)
    kernel /= kernel.sum()
    for axis in (0, 1):
        padded = numpy.pad(image, [(radius, radius) if a == axis else (0, 0) for a in (0, 1)], "reflect")
        image = numpy.apply_along_axis(lambda line: numpy.convolve(line, kernel, "valid"), axis, padded)
    return image


def clouds(random, size, sigma):
    field = blur(random.normal(size=(size, size)), sigma)
    return field / field.std()


def distances(random, size):
    """To the nearest and the second nearest of the cells' centres, of coordinates that are bent."""
    count = max(size * size // 1100, 4)
    centres = random.uniform(-20, size + 20, (count, 2))
    y, x = numpy.mgrid[0:size, 0:size].astype(float)
    y += 4 * clouds(random, size, 8)
    x += 4 * clouds(random, size, 8)
    squared = numpy.sort((y[..., None] - centres[:, 0]) ** 2 + (x[..., None] - centres[:, 1]) ** 2, axis=-1)
    return numpy.sqrt(squared[..., 0]), numpy.sqrt(squared[..., 1])


def discs(random, size, count, low, high):
    """Whether a pixel is in a disc, and whether it is at the rim of one."""
    y, x = numpy.mgrid[0:size, 0:size]
    inside, rim = numpy.zeros((size, size), bool), numpy.zeros((size, size), bool)
    for _ in range(count):
        radius = random.uniform(low, high)
        across = numpy.hypot((y - random.uniform(0, size)) * random.uniform(0.6, 1.6), x - random.uniform(0, size))
        inside |= across < radius
        rim |= numpy.abs(across - radius) < 1
    return inside, rim


def render(random, size):
    nearest, second = distances(random, size)
    thickness = 2.2 + 0.8 * clouds(random, size, 12)
    membrane = second - nearest < numpy.maximum(thickness, 1.2) * 2
    vesicles, _ = discs(random, size, size * size // 900, 1.5, 4)
    mitochondria, rims = discs(random, size, size * size // 9000, 6, 12)
    grey = 165 + 9 * clouds(random, size, 20) + 6 * clouds(random, size, 2)
    grey = numpy.where(mitochondria & ~membrane, grey - 35, grey)
    grey = numpy.where((vesicles | rims) & ~membrane, 95, grey)
    grey = numpy.where(membrane, 100 + 18 * clouds(random, size, 6), grey)
    grey = blur(grey, 1.6) + 24 * random.normal(size=(size, size))
    return numpy.clip(grey, 0, 255).astype(numpy.uint8), numpy.where(membrane, 1, 2).astype(numpy.uint8)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--size", type=int, default=256)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("folder")
    options = parser.parse_args()
    for name in ("images", "labels"):
        os.makedirs(os.path.join(options.folder, name), exist_ok=True)
    for number in range(options.count):
        image, labels = render(numpy.random.RandomState(options.seed + number), options.size)
        write_png(os.path.join(options.folder, "images", f"{number:04}.png"), image)
        write_png(os.path.join(options.folder, "labels", f"{number:04}.png"), labels)
    classes = [{"name": "void", "colour": [0, 0, 0], "void": True}, {"name": "membrane", "colour": [255, 80, 0], "void": False},
               {"name": "interior", "colour": [0, 90, 160], "void": False}]
    with open(os.path.join(options.folder, "palette.json"), "w", encoding="utf-8") as file:
        json.dump({"classes": classes}, file, indent=1)


if __name__ == "__main__":
    main()
