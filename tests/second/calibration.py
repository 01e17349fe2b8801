"""Powers of probabilities: docs/calibration.md."""
import math

import numpy as np

from training import log2

ROOTS = [math.isqrt(1 << 63)]
for _ in range(23):
    ROOTS.append(math.isqrt(ROOTS[-1] << 32))


def table_of(power):
    """F of all probabilities; the power in 16ths."""
    probabilities = np.arange(65536)
    x = (int(log2(65535)) - log2(np.maximum(probabilities, 1)).astype(np.int64)) * power // 16
    values = np.full(65536, 1 << 31, np.uint64)
    for i, root in enumerate(ROOTS, 1):
        smaller = values * np.uint64(root) >> np.uint64(32)
        values = np.where(x >> (24 - i) & 1, smaller, values)
    whole = x >> 24
    values = np.where(whole > 31, 0, values.astype(np.int64) >> np.minimum(whole, 31))
    return np.where(probabilities == 0, 0, values)


def calibrated(distribution, power):
    """Probabilities, classes first, raised to a power in 16ths."""
    raised = table_of(power)[distribution]
    total = raised.sum(0)
    return np.where(total == 0, 0, (2 * 65535 * raised + total) // np.maximum(2 * total, 1))


def grid_of(labels, images, classes, limit):
    """The rows and columns of an image's grid, as a pair for indexing."""
    height, width = labels.shape
    most = max(min(min(131072, limit // classes) // images, 400), 16)
    step = next(s for s in range(1, height + width) if (width // s) * (height // s) <= most)
    return np.ix_(np.arange(step // 2, height, step), np.arange(step // 2, width, step))


def best_power(pairs, classes):
    """Of pairs of a distribution and labels: the power with the lowest Brier score, and the pixels that it is of."""
    given, truth = [], []
    for distribution, labels in pairs:
        rows, columns = grid_of(labels, len(pairs), classes, 1 << 27)
        here = labels[rows, columns].ravel()
        some = distribution[:, rows, columns].reshape(classes, -1)
        known = (here != 0xffff) & (some.sum(0) > 0)
        given.append(some[:, known])
        truth.append(here[known])
    given, truth = np.concatenate(given, 1), np.concatenate(truth)
    wanted = 65535 * (np.arange(classes)[:, None] == truth)
    scores = [int(((calibrated(given, power) - wanted) ** 2).sum()) for power in range(4, 65)]
    return 4 + scores.index(min(scores)), len(truth)
