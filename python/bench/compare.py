#!/usr/bin/env python3
"""Compares the time of the Python module with that of the C library: labels of a 12-megapixel image, and the classes of
10^6 records. Both run in turns, in two processes that wait for each other, by the technique cpu with all processors.

usage: compare.py [ROUNDS], with the build folder in SHADEWOOD_BUILD and its folder `python` in PYTHONPATH:

    ninja -C build/release shadewood_python python_bench
    PYTHONPATH=build/release/python SHADEWOOD_BUILD=build/release python/bench/compare.py
"""

import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

import shadewood


def compare(name, folder, model, raw, sizes, run, rounds):
    raw.tofile(folder / "raw")
    model.save(folder / "model.ktx2")
    program = pathlib.Path(os.environ.get("SHADEWOOD_BUILD", "build/release")) / "python/python_bench"
    other = subprocess.Popen([str(program), name, str(folder / "model.ktx2"), str(folder / "raw"), *map(str, sizes)],
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    rows = []
    for i in range(rounds + 1):
        other.stdin.write("\n")
        other.stdin.flush()
        c = [float(part) for part in other.stdout.readline().split()]
        begin = time.perf_counter(), time.process_time()
        run()
        if i > 0:  # the first ones warm up
            rows.append([*c, time.perf_counter() - begin[0], time.process_time() - begin[1]])
    other.stdin.close()
    other.wait()
    for what, c, python in (("elapsed", 0, 2), ("of processors", 1, 3)):
        c, python = ([row[column] for row in rows] for column in (c, python))
        print(f"{name}, ms {what}: C {1e3 * statistics.median(c):.1f}, Python {1e3 * statistics.median(python):.1f} (medians of "
              f"{rounds}); {1e3 * min(c):.1f} and {1e3 * min(python):.1f} (least); median of the ratios "
              f"{statistics.median(b / a for a, b in zip(c, python)):.3f}")


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    generator = np.random.default_rng(1)
    small = generator.integers(0, 256, (120, 160, 3), dtype=np.uint8)
    forest = shadewood.PixelForestClassifier(trees=4, depth=10, technique="cpu").fit(
        small, (small.sum(axis=2) // 200).astype(np.uint16))
    image = np.tile(small, (25, 25, 1))
    X = generator.normal(size=(1000000, 20)).astype(np.float32)
    records = shadewood.RecordForestClassifier(trees=50, depth=10, technique="cpu").fit(
        X[:5000], (X[:5000, 0] + X[:5000, 1] > 0).astype(int))
    with tempfile.TemporaryDirectory() as folder:
        compare("pixels", pathlib.Path(folder), forest, image, (image.shape[1], image.shape[0]),
                lambda: forest.predict(image), rounds)
        compare("records", pathlib.Path(folder), records, X, X.shape, lambda: records.predict(X), rounds)


if __name__ == "__main__":
    main()
