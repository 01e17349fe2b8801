"""Data and measuring of scripts/face-cascade.sh.

split DATA: faces-train.npy and faces-held.npy (every fifth), mine.txt and measure.txt (every fifth) of the pictures
without people.
measure SHADEWOOD CASCADE: which share of the held-out faces is found at some rates of false positives per window.
"""
import csv
import os
import subprocess
import sys
import tempfile

import numpy as np
from PIL import Image

FACE, BODY = 11, 22  # of palette.json
WINDOW = 26  # pixels of the cascade's window
PAD = 8  # pixels that are put around a patch, so that the window, with its border, fits around the face


def split(data):
    faces = np.load(os.path.join(data, "faces19", "train_faces.npy"))
    held = np.arange(len(faces)) % 5 == 0
    np.save("faces-train.npy", faces[~held])
    np.save("faces-held.npy", faces[held])
    msrc = os.path.join(data, "msrc21")
    names = sorted(os.listdir(os.path.join(msrc, "labels")))
    free = [n for n in names if not np.isin(np.array(Image.open(os.path.join(msrc, "labels", n))), [FACE, BODY]).any()]
    for path, chosen in (("mine.txt", lambda i: i % 5 != 0), ("measure.txt", lambda i: i % 5 == 0)):
        with open(path, "w") as file:
            file.writelines(os.path.join(msrc, "images", n) + "\n" for i, n in enumerate(free) if chosen(i))


def window_count(width, height, size, per_octave):
    """The windows of a scan, as docs/detection.md defines its levels."""
    count, level = 0, 0
    while True:
        across = int(width / 2 ** (level / per_octave) + 0.5)
        down = int(height / 2 ** (level / per_octave) + 0.5)
        if min(across, down) < size:
            return count
        count += (across - size + 1) * (down - size + 1)
        level += 1


def scores(shadewood, cascade, images):
    """The best score of each image, and all scores, of windows that are not grouped."""
    best, every = {}, []
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([shadewood, "detect", cascade, *images, "-o", folder, "--group", "none", "--min-score", "any", "--quiet"], check=True)
        with open(os.path.join(folder, "detections.csv"), newline="") as file:
            for row in csv.DictReader(file):
                score = float(row["score"])
                best[row["image"]] = max(score, best.get(row["image"], score))
                every.append(score)
    return best, np.sort(every)[::-1]


def measure(shadewood, cascade):
    faces = np.load("faces-held.npy")
    with tempfile.TemporaryDirectory() as folder:
        for i, face in enumerate(faces):
            Image.fromarray(np.pad(face, PAD, mode="edge")).save(os.path.join(folder, f"{i:05}.png"))
        found, _ = scores(shadewood, cascade, [folder])
    found = np.array(list(found.values()))
    images = open("measure.txt").read().split()
    windows = sum(window_count(*Image.open(i).size, WINDOW, 8) for i in images)
    _, false = scores(shadewood, cascade, images)
    print(f"{len(found)} of {len(faces)} faces and {len(false)} of {windows} windows without faces pass")
    for rate in (1e-4, 1e-5, 1e-6, 1e-7):
        allowed = int(rate * windows)
        least = false[allowed] if allowed < len(false) else -np.inf
        print(f"false positives {rate:g} a window: {100 * np.sum(found > least) / len(faces):.1f} % of the faces")


if __name__ == "__main__":
    {"split": split, "measure": measure}[sys.argv[1]](*sys.argv[2:])
