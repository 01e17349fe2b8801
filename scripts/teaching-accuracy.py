#!/usr/bin/env python3
"""How well forests label pictures of which a few strokes are painted. Strokes are drawn by a rule from the pictures' true labels,
as a project of each picture alone; `shadewood train` trains on it and `shadewood label` labels the picture.

usage: teaching-accuracy.py [OPTION...] SHADEWOOD DATA

  --pictures msrc     twenty of MSRC-21 (DATA/msrc21), spread evenly over a split: two strokes of every class
  --pictures objects  those of a split with a flower, sheep, cow, aeroplane, bird or sign, at most ten of each: that class against
                      the rest, two strokes of it and three of the rest
  --pictures horses   twenty of DATA/weizmann_horses, likewise
  --split NAME        Train, Val or Test of MSRC-21; horses: the first or, for Test, the second half (Test)
  --strokes N         of each class, or of both together (2, or 5)
  --seeds N           sets of strokes of each picture (1)
  --train 'OPTIONS'   of shadewood train; may be repeated: each is a row of the table. Likewise members of the project's "training",
                      as '{"trees": 4} --single 50'
  --smooth R          measure also with label --smooth R, besides as the project says; may be repeated; 0: no smoothing
  --list              also print each picture's row
  --keep FOLDER       write the projects here

The rule: a class is painted if it has at least 2 % of the picture, and measured if it is painted. A stroke is a line, 7 pixels wide
(radius 3) and up to 60 long, that keeps two more pixels away from other classes. It begins at the place, of 16 drawn ones, that is
farthest from the class's earlier strokes, and goes both ways in that of 16 directions in which it becomes longest. Without
such a place, a class is not painted. A picture counts if two classes are painted.

Printed are the right pixels of all measured ones and the mean over pictures of the classes' mean IoU or, of one class against
the rest, of that class's IoU. Needs nothing but Python."""

import argparse
import concurrent.futures
import json
import math
import pathlib
import random
import shlex
import statistics
import struct
import subprocess
import tempfile
import zlib

RADIUS = 3
LENGTH = 60
PLACES = 16
DIRECTIONS = 16
SHARE = 0.02
VOID = 255
PROJECT = "project"
OBJECTS = ("flower", "sheep", "cow", "aeroplane", "bird", "sign")


def read_png(path):
    """Width, height and the bytes of an image with one sample of 8 bits for each pixel."""
    data = path.read_bytes()
    at, packed = 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IHDR":
            width, height, bits, colour, _, _, interlaced = struct.unpack(">IIBBBBB", data[at + 8:at + 21])
        elif kind == b"IDAT":
            packed += data[at + 8:at + 8 + size]
        at += size + 12
    if bits != 8 or colour not in (0, 3) or interlaced:
        raise SystemExit(f"{path}: not 8 bits of grey or palette")
    raw = zlib.decompress(packed)
    above, pixels = bytearray(width), bytearray()
    for y in range(height):
        begin = y * (width + 1)
        how, row, left, corner = raw[begin], bytearray(raw[begin + 1:begin + 1 + width]), 0, 0
        for x in range(width if how else 0):
            up = above[x]
            if how == 1:
                add = left
            elif how == 2:
                add = up
            elif how == 3:
                add = (left + up) // 2
            else:
                guess = left + up - corner
                near = (abs(guess - left), abs(guess - up), abs(guess - corner))
                add = (left, up, corner)[near.index(min(near))]
            row[x] = left = row[x] + add & 255
            corner = up
        pixels += row
        above = row
    return width, height, pixels


def read_size(path):
    """Width and height of a PNG or JPEG file."""
    data = path.read_bytes()
    if data[:8] == b"\x89PNG\r\n\x1a\n":
        return struct.unpack(">II", data[16:24])
    at = 2
    while data[:2] == b"\xff\xd8" and at + 9 <= len(data):
        marker, size = struct.unpack(">HH", data[at:at + 4])
        if 0xffc0 <= marker <= 0xffcf and marker not in (0xffc4, 0xffc8, 0xffcc):
            height, width = struct.unpack(">HH", data[at + 5:at + 9])
            return width, height
        at += 2 + size
    raise SystemExit(f"{path}: neither PNG nor JPEG")


def measure_depth(width, height, labels, number):
    """How far each pixel is inside its class: 0 outside, 1 at its border or the picture's."""
    depth = [0] * (width * height)
    for y in range(height):
        for x in range(width):
            at = y * width + x
            if labels[at] != number:
                continue
            if 0 < x < width - 1 and y > 0:
                depth[at] = 1 + min(depth[at - 1], depth[at - width - 1], depth[at - width], depth[at - width + 1])
            else:
                depth[at] = 1
    for y in reversed(range(height)):
        for x in reversed(range(width)):
            at = y * width + x
            if depth[at] == 0:
                continue
            if 0 < x < width - 1 and y < height - 1:
                depth[at] = min(depth[at],
                                1 + min(depth[at + 1], depth[at + width - 1], depth[at + width], depth[at + width + 1]))
            else:
                depth[at] = 1
    return depth


def draw_stroke(chance, width, depth, inside, earlier):
    """The two ends of a stroke, at whose places the depth is enough."""
    enough = RADIUS + 3
    places = [chance.choice(inside) for _ in range(PLACES)]

    def distance(place):
        x, y = place % width, place // width
        return min((math.hypot(x - (a[0] + (b[0] - a[0]) * t), y - (a[1] + (b[1] - a[1]) * t))
                    for a, b in earlier for t in (0, 0.5, 1)), default=0)

    x, y = (lambda place: (place % width, place // width))(max(places, key=distance))
    first = chance.random() * math.pi
    best = None
    for i in range(DIRECTIONS):
        angle = first + i * math.pi / DIRECTIONS
        ends = []
        for sign in (-1, 1):
            end = (x, y)
            for step in range(1, LENGTH // 2 + 1):
                next_x = round(x + sign * step * math.cos(angle))
                next_y = round(y + sign * step * math.sin(angle))
                if not (0 <= next_x < width and 0 <= next_y < len(depth) // width) or \
                        depth[next_y * width + next_x] < enough:
                    break
                end = (next_x, next_y)
            ends.append(end)
        length = math.dist(*ends)
        if best is None or length > best[0]:
            best = (length, ends)
    return best[1]


class Picture:
    """A picture's labels (numbers from 0, VOID) and strokes, as (class, ends)."""

    def __init__(self, image, width, height, labels, names):
        self.image, self.width, self.height, self.labels, self.names = image, width, height, labels, names
        self.strokes = []

    def paint(self, counts, seed):
        """counts: strokes of each class."""
        painted = []
        for number, count in enumerate(counts):
            chance = random.Random(f"{self.image.stem} {seed} {number}")
            if self.labels.count(number) < SHARE * self.width * self.height:
                continue
            depth = measure_depth(self.width, self.height, self.labels, number)
            inside = [i for i, d in enumerate(depth) if d >= RADIUS + 3]
            if not inside:
                continue
            strokes = []
            for _ in range(count):
                strokes.append(draw_stroke(chance, self.width, depth, inside, strokes))
            self.strokes += [(len(painted), ends) for ends in strokes]
            painted.append(number)
        mapping = [painted.index(v) if v in painted else VOID for v in range(256)]
        self.labels = bytes(mapping[v] for v in self.labels)
        self.names = [self.names[number] for number in painted]
        return len(painted) >= 2

    def write(self, path, training):
        classes = [{"name": name, "colour": [60 * (i % 4), 60 * (i // 4 % 4), 60]} for i, name in enumerate(self.names)]
        strokes = [{"class": number, "radius": RADIUS, "points": [c for end in ends for c in end]}
                   for number, ends in self.strokes]
        pictures = [{"name": str(self.image.resolve()), "width": self.width, "height": self.height, "strokes": strokes}]
        path.write_text(json.dumps({"format": "shadewood-project", "version": 1, "classes": classes,
                                    "training": training, "pictures": pictures}), encoding="utf-8")


def read_msrc(data, split, targets):
    """With targets, at most ten pictures of each; the first target in a picture counts."""
    palette = json.loads((data / "msrc21/palette.json").read_text(encoding="utf-8"))["classes"]
    known = [entry["name"] for entry in palette if not entry["void"]]
    for name in (data / f"msrc21/splits/{split}.txt").read_text(encoding="utf-8").split():
        width, height, values = read_png(data / f"msrc21/labels/{name}.png")
        image = data / f"msrc21/images/{name}.png"
        if targets is None:
            numbers = [VOID if entry["void"] else known.index(entry["name"]) for entry in palette]
            yield Picture(image, width, height, bytes(numbers[v] for v in values), known)
        else:
            found = {palette[v]["name"] for v in set(values)}
            target = next((name for name in targets if name in found), None)
            if target is not None:
                numbers = [VOID if entry["name"] == "void" else int(entry["name"] == target) for entry in palette]
                yield Picture(image, width, height, bytes(numbers[v] for v in values), ["rest", target])


def read_horses(data, split):
    masks = sorted((data / "weizmann_horses/mask").iterdir())
    half = len(masks) // 2
    for mask in masks[half:] if split == "Test" else masks[:half]:
        images = [data / "weizmann_horses/horse" / (mask.stem + end) for end in (".jpg", ".png")]
        image = next((image for image in images if image.exists()), None)
        width, height, values = read_png(mask)
        if image is not None and read_size(image) == (width, height):
            yield Picture(image, width, height, bytes(values), ["rest", "horse"])


def choose(arguments, seed):
    """The pictures with their strokes."""
    alone = arguments.pictures != "msrc"
    strokes = arguments.strokes or (5 if alone else 2)
    counts = [strokes - strokes // 2, strokes // 2] if alone else [strokes] * 64
    if arguments.pictures == "horses":
        pictures = list(read_horses(arguments.data, arguments.split))
    else:
        pictures = list(read_msrc(arguments.data, arguments.split, OBJECTS if alone else None))
    if arguments.pictures == "objects":
        painted = [picture for picture in pictures if picture.paint(counts, seed)]
        return [p for name in OBJECTS for p in [p for p in painted if p.names[1] == name][:10]]
    chosen = []
    for i in range(20):
        for picture in pictures[i * len(pictures) // 20:(i + 1) * len(pictures) // 20]:
            if picture.paint(counts, seed):
                chosen.append(picture)
                break
    return chosen


def run(*command):
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if result.returncode != 0:
        raise SystemExit(f"{shlex.join(map(str, command))}: {result.stderr}")


def count(picture, path):
    _, _, found = read_png(path)
    classes = len(picture.names)
    counts = [[0] * classes for _ in range(classes)]
    for true, label in zip(picture.labels, found):
        if true != VOID and label < classes:
            counts[true][label] += 1
    return counts


def measure(task):
    """For each smoothing, of which the first is the project's, the counts of pixels by true and found class."""
    arguments, picture, name, setting, folder = task
    training, options = {}, setting
    if setting.lstrip().startswith("{"):
        training, end = json.JSONDecoder().raw_decode(setting.lstrip())
        options = setting.lstrip()[end:]
    project, forest = folder / f"{name}.json", folder / f"{name}.ktx2"
    picture.write(project, training)
    run(arguments.shadewood, "train", project, "-o", forest, "--threads", 1, "--technique", "cpu", "--overwrite", *shlex.split(options))
    counts = {}
    for smooth in [PROJECT] + arguments.smooth:
        chosen = [] if smooth == PROJECT else ["--smooth", smooth]
        run(arguments.shadewood, "label", forest, picture.image, "--no-overlay", "--technique", "cpu", "--threads", 1,
            *chosen, "--overwrite", "-o", folder / f"{name}-{smooth}")
        counts[smooth] = count(picture, folder / f"{name}-{smooth}" / f"{picture.image.stem}_labels.png")
    return counts


def iou(counts, c):
    either = sum(counts[c]) + sum(row[c] for row in counts) - counts[c][c]
    return counts[c][c] / either if either else 0


def summarise(arguments, all_counts):
    right = sum(counts[c][c] for counts in all_counts for c in range(len(counts)))
    pixels = sum(map(sum, (row for counts in all_counts for row in counts)))
    if arguments.pictures == "msrc":
        values = [statistics.mean(iou(counts, c) for c in range(len(counts))) for counts in all_counts]
    else:
        values = [iou(counts, 1) for counts in all_counts]
    return 100 * right / pixels, statistics.mean(values), min(values)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.replace("%", "%%"))
    parser.add_argument("--pictures", choices=("msrc", "objects", "horses"), default="msrc")
    parser.add_argument("--split", default="Test")
    parser.add_argument("--strokes", type=int)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--train", action="append", default=[])
    parser.add_argument("--smooth", type=int, action="append", default=[])
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("shadewood", type=pathlib.Path)
    parser.add_argument("data", type=pathlib.Path)
    arguments = parser.parse_args()
    pictures = [(seed, picture) for seed in range(arguments.seeds) for picture in choose(arguments, seed)]
    print(f"{len(pictures)} pictures, {sum(len(p.strokes) for _, p in pictures)} strokes")
    with tempfile.TemporaryDirectory() as temporary, concurrent.futures.ProcessPoolExecutor(2) as pool:
        folder = arguments.keep or pathlib.Path(temporary)
        folder.mkdir(exist_ok=True)
        for setting in arguments.train or [""]:
            tasks = [(arguments, p, f"{p.image.stem}-{seed}", setting, folder) for seed, p in pictures]
            results = list(pool.map(measure, tasks))
            for smooth in [PROJECT] + arguments.smooth:
                pixels, mean, least = summarise(arguments, [result[smooth] for result in results])
                print(f"{setting or 'default':40} smooth {smooth:>7}: pixels {pixels:.1f} %, IoU {mean:.3f} (least {least:.3f})",
                      flush=True)
            for (seed, picture), result in zip(pictures, results) if arguments.list else ():
                print(f"  {picture.image.stem} {seed}", *(f"{summarise(arguments, [result[s]])[0]:.1f} %" for s in result),
                      *(f"{summarise(arguments, [result[s]])[1]:.3f}" for s in result))


if __name__ == "__main__":
    main()
