"""Random numbers: docs/training.md, Random numbers."""
import numpy as np

IMAGES, PIXELS, CANDIDATES, PROBES, CLASSES, PHASES = 1, 2, 3, 4, 5, 6
WORD = np.uint64(0xffffffff)
SHIFT = np.uint64(32)


def random(key, x, y):
    """Numbers by their addresses; the arguments are numbers or arrays."""
    key, x, y = (np.asarray(value, np.uint64) for value in (key, x, y))
    for _ in range(10):
        product = np.uint64(0xd256d193) * x
        x, y = (product >> SHIFT) ^ key ^ y, product & WORD
        key = (key + np.uint64(0x9e3779b9)) & WORD
    return x


def below(number, bound):
    return ((number * np.asarray(bound, np.uint64)) >> SHIFT).astype(np.int64)


def key_of(seed, tree, purpose):
    return random(random(seed & 0xffffffff, seed >> 32, tree), purpose, 0)


def choose(entries, count, numbers):
    """Choosing `count` entries of a list; numbers[i] is the random number of draw i."""
    entries = list(entries)
    for i, j in enumerate(below(numbers, len(entries) - np.arange(count))):
        j += i
        entries[i], entries[j] = entries[j], entries[i]
    return entries[:count]
