#!/usr/bin/env python3
"""How far from the true head the one is that a forest finds, in frames of `shadewood synth --scene heads`.

Reads what `shadewood label` has written for frames, LABELS/NAME_colors_labels.png, and SCENES/NAME_ground_truth.png
and SCENES/palette.json. The head is found where a square of --side pixels holds most of the pixels that are labelled
head: at the centroid of those in it. The true place is the centroid of all pixels of the head. Prints, of the frames
that show a head: the median and the mean of the distance between the two in pixels; the share of frames in which it is
less than the radius of the head, that of a disc of as many pixels; and in how many frames no pixel is labelled head.
They have no distance, and count as missed in the share.

--picture FILE NAME... draws a row for each frame: the frame, the true labels, the labels in each LABELS with a cross
where the head was found.

usage: track_heads.py SCENES LABELS... [--side PIXELS] [--picture FILE NAME...]"""

import argparse
import itertools
import json
import math
import pathlib
import statistics
import struct
import sys
import zlib


def read_png(path):
    """The width, the height and the colours, three bytes per pixel, of an 8-bit RGB or palette file."""
    data, chunks, at = path.read_bytes(), {}, 8
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        chunks[kind] = chunks.get(kind, b"") + data[at + 8:at + 8 + length]
        at += 12 + length
    width, height, bits, colour, _, _, interlaced = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    if bits != 8 or interlaced or colour not in (2, 3):
        sys.exit(f"{path}: only 8-bit RGB and palette images are read")
    step = 3 if colour == 2 else 1
    size, rows = width * step, []
    packed, before = zlib.decompress(chunks[b"IDAT"]), bytes(width * step)
    for y in range(height):
        method, row = packed[y * (size + 1)], bytearray(packed[y * (size + 1) + 1:(y + 1) * (size + 1)])
        for x in range(size if method != 0 else 0):
            left, up = (row[x - step] if x >= step else 0), before[x]
            corner = before[x - step] if x >= step else 0
            paeth = min((left, up, corner), key=lambda sample, guess=left + up - corner: abs(guess - sample))
            row[x] = (row[x] + (0, left, up, (left + up) // 2, paeth)[method]) & 255
        rows.append(bytes(row))
        before = row
    samples = b"".join(rows)
    if step == 1:
        samples = b"".join(chunks[b"PLTE"][3 * value:3 * value + 3] for value in samples)
    return width, height, samples


def write_png(path, width, height, colours):
    rows = b"".join(b"\0" + colours[3 * width * y:3 * width * (y + 1)] for y in range(height))
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n")
        for kind, body in ((b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)),
                           (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b"")):
            file.write(struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)))


def find(image, colour, side):
    """The place (x, y) of the head and the number of all its pixels; None if there are none."""
    width, height, colours = image
    mask = [colours[at:at + 3] == colour for at in range(0, len(colours), 3)]
    if not any(mask):
        return None
    sums = [[0] * (width + 1)]  # of the rectangle from the corner of the image
    for y in range(height):
        row = itertools.accumulate(mask[y * width:(y + 1) * width], initial=0)
        sums.append([above + here for above, here in zip(sums[-1], row)])
    count, left, top = 0, 0, 0
    for y in range(max(1, height - side + 1)):
        high, low = sums[y], sums[min(height, y + side)]
        for x in range(max(1, width - side + 1)):
            right = min(width, x + side)
            inside = low[right] - low[x] - high[right] + high[x]
            if inside > count:
                count, left, top = inside, x, y
    within = [(x, y) for y in range(top, min(height, top + side)) for x in range(left, min(width, left + side))
              if mask[y * width + x]]
    return sum(x for x, _ in within) / count, sum(y for _, y in within) / count, sum(mask)


def measure(scenes, labels, colour, side, truth):
    distances, hits, missed = [], 0, 0
    for path in sorted(labels.glob("*_colors_labels.png")):
        name = path.name.removesuffix("_colors_labels.png")
        if name not in truth:
            image = read_png(scenes / f"{name}_ground_truth.png")
            truth[name] = find(image, colour, max(image[:2]))
        if truth[name] is None:
            continue
        found = find(read_png(path), colour, side)
        if found is None:
            missed += 1
            continue
        distances.append(math.dist(found[:2], truth[name][:2]))
        hits += distances[-1] < math.sqrt(truth[name][2] / math.pi)
    frames = len(distances) + missed
    if not distances:
        sys.exit(f"{labels}: no head is found in {frames} frames")
    print(f"{labels}: {frames} frames, median {statistics.median(distances):.1f} and mean "
          f"{statistics.mean(distances):.1f} pixels, {100 * hits / frames:.1f} % within the head, {missed} without one")


def draw(scenes, labels, colour, side, path, names):
    gap, rows, height = 4, [], 0
    for name in names:
        columns = [read_png(scenes / f"{name}_colors.png"), read_png(scenes / f"{name}_ground_truth.png")]
        for folder in labels:
            width, height, colours = image = read_png(folder / f"{name}_colors_labels.png")
            marked, place = bytearray(colours), find(image, colour, side)
            for i in range(-6, 7) if place is not None else ():
                for x, y in ((round(place[0]) + i, round(place[1])), (round(place[0]), round(place[1]) + i)):
                    if 0 <= x < width and 0 <= y < height:
                        marked[3 * (y * width + x):3 * (y * width + x) + 3] = b"\xff\xff\xff"
            columns.append((width, height, bytes(marked)))
        for y in range(height):
            rows.append(bytes(3 * gap).join(c[3 * w * y:3 * w * (y + 1)] for w, _, c in columns))
        rows += [bytes(len(rows[0]))] * gap
    write_png(path, len(rows[0]) // 3, len(rows) - gap, b"".join(rows[:-gap]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenes", type=pathlib.Path)
    parser.add_argument("labels", type=pathlib.Path, nargs="+")
    parser.add_argument("--side", type=int, default=24)
    parser.add_argument("--picture", nargs="+")
    arguments = parser.parse_args()
    classes = json.loads((arguments.scenes / "palette.json").read_text(encoding="utf-8"))["classes"]
    colour, truth = bytes(next(entry["colour"] for entry in classes if entry["name"] == "head")), {}
    for labels in arguments.labels:
        measure(arguments.scenes, labels, colour, arguments.side, truth)
    if arguments.picture:
        draw(arguments.scenes, arguments.labels, colour, arguments.side, arguments.picture[0], arguments.picture[1:])


main()
