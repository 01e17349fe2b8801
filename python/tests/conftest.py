"""What several tests use: the program, pictures in files, and files as the program writes them."""

import os
import pathlib
import struct
import subprocess
import zlib

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


@pytest.fixture(scope="session")
def program():
    """Runs `shadewood` with arguments, and returns what it prints."""
    path = os.environ.get("SHADEWOOD_PROGRAM", str(ROOT / "build/release/shadewood"))
    if not os.access(path, os.X_OK):
        if os.environ.get("SHW_NO_SKIP") == "1":
            pytest.fail(f"there is no program {path}")
        pytest.skip(f"there is no program {path}: set SHADEWOOD_PROGRAM")

    def run(*arguments, fails=False):
        done = subprocess.run([path, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert (done.returncode != 0) == fails, done.stderr
        return done.stderr if fails else done.stdout

    return run


def write_pnm(path, array):
    """An image of 8 or 16 bits as PGM or PPM."""
    kind = b"P5" if array.ndim == 2 else b"P6"
    size = f"{array.shape[1]} {array.shape[0]} {np.iinfo(array.dtype).max}".encode()
    pathlib.Path(path).write_bytes(kind + b"\n" + size + b"\n" + array.astype(array.dtype.newbyteorder(">")).tobytes())


def read_png(path):
    """The bytes of an 8-bit PNG of one sample a pixel, written out after the specification."""
    data, at, parts, size = pathlib.Path(path).read_bytes(), 8, b"", None
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            size = struct.unpack(">IIBB", body[:10])
        elif kind == b"IDAT":
            parts += body
        at += 12 + length
    width, height, depth, colour = size
    assert depth == 8 and colour in (0, 3)
    rows, raw = np.zeros((height + 1, width + 1), np.int64), zlib.decompress(parts)
    for y in range(height):
        line = raw[y * (width + 1):(y + 1) * (width + 1)]
        for x in range(width):
            a, b, c = rows[y + 1, x], rows[y, x + 1], rows[y, x]
            p = [abs(b - c), abs(a - c), abs(a + b - 2 * c)]
            paeth = a if p[0] <= p[1] and p[0] <= p[2] else b if p[1] <= p[2] else c
            rows[y + 1, x + 1] = (line[x + 1] + [0, a, b, (a + b) // 2, paeth][line[0]]) % 256
    return rows[1:, 1:].astype(np.uint8)


def make_picture(generator, height, width, classes=3):
    """A picture of blobs, and which class each pixel has: colours overlap, so that forests have something to do."""
    y, x = np.mgrid[:height, :width]
    labels = np.zeros((height, width), np.uint16)
    for _ in range(6):
        cy, cx, r = generator.integers(height), generator.integers(width), generator.integers(4, 12)
        labels[(y - cy) ** 2 + (x - cx) ** 2 < r * r] = generator.integers(classes)
    colours = np.array([[60, 90, 60], [140, 80, 70], [90, 90, 160], [160, 160, 90]])[:classes]
    image = colours[labels] + generator.integers(-40, 41, (height, width, 3))
    return np.clip(image, 0, 255).astype(np.uint8), labels


@pytest.fixture(scope="session")
def pictures():
    """Three pictures of different sizes, with labels some of which are void."""
    generator = np.random.default_rng(11)
    made = [make_picture(generator, height, width) for height, width in ((40, 56), (48, 40), (33, 47))]
    for _, labels in made:
        labels[:3, :5] = 65535
    return [image for image, _ in made], [labels for _, labels in made]
