"""PNG files and data sets on disk: docs/datasets.md."""
import json
import pathlib
import struct
import zlib

import numpy as np


def read_png(path):
    """Rows x columns x samples. Not interlaced, 8 or 16 bits, without palette."""
    data = pathlib.Path(path).read_bytes()
    at, compressed = 8, b""
    while at < len(data):
        length, kind = struct.unpack_from(">I4s", data, at)
        body = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height, bits, colour, _, _, interlaced = struct.unpack(">IIBBBBB", body)
        elif kind == b"IDAT":
            compressed += body
        at += 12 + length
    if bits < 8 or colour == 3 or interlaced:
        raise ValueError(f"{path}: a PNG file of a kind that this reader does not know")
    samples = {0: 1, 2: 3, 4: 2, 6: 4}[colour]
    step = samples * bits // 8
    rows = np.frombuffer(zlib.decompress(compressed), np.uint8).reshape(height, 1 + width * step)
    pixels = np.zeros((height + 1, (width + 1) * step), np.int64)  # a row and a pixel of zeros before the first
    for y, (kind, *row) in enumerate(rows.tolist()):
        above, here = pixels[y].tolist(), pixels[y + 1].tolist()
        for i, value in enumerate(row, step):
            a, b, c = here[i - step], above[i], above[i - step]
            if kind == 1:
                value += a
            elif kind == 2:
                value += b
            elif kind == 3:
                value += (a + b) // 2
            elif kind == 4:
                distances = abs(b - c), abs(a - c), abs(a + b - 2 * c)
                value += (a, b, c)[distances.index(min(distances))]
            here[i] = value & 255
        pixels[y + 1] = here
    packed = pixels[1:, step:].astype(np.uint8).reshape(height, width, -1)
    return packed if bits == 8 else packed.reshape(height, width, samples, 2).view(">u2")[..., 0].astype(np.uint16)


def read_set(folder):
    """Images, depth and labels of a data set in CURFIL's layout with a palette."""
    folder = pathlib.Path(folder)
    palette = json.loads((folder / "palette.json").read_text())["classes"]
    numbers, classes = {}, 0
    for entry in palette:
        numbers[tuple(entry["colour"])] = 0xffff if entry.get("void") else classes
        classes += not entry.get("void")
    examples = []
    for path in sorted(folder.glob("*_colors.png"), key=lambda path: path.name.encode()):
        colours = read_png(str(path).replace("_colors", "_ground_truth"))
        labels = [[numbers[tuple(colour[:3])] for colour in row] for row in colours.tolist()]
        depth = {"depth": read_png(str(path).replace("_colors", "_depth"))}
        examples.append((read_png(path), depth, np.array(labels, np.int64)))
    return examples, classes
