#!/usr/bin/env python3
"""What ranks send when they train a tree together, by what they divide, and how long that takes beside counting
(docs/ranks.md). A model: nodes split evenly, until they have fewer than two samples of the tree, and all classes are in
each. Prints a table; bytes are what one rank sends to all others. Reading is once per training, the rest per tree."""
import argparse
import math

BLOCK_WORDS = (64 << 20) // 4
WAYS = ("candidates", "images", "trees")


def rounds(options):
    """The open nodes of each round of a tree."""
    samples = options.images * options.samples
    for depth in range(options.depth):
        nodes = 2 ** depth
        if samples / nodes < 2 * options.samples_min:
            return
        yield nodes


def ceil(a, b):
    return -(-a // b)


def blocks(options, nodes):
    """How many candidates of the blocks of a round each rank scores, and how many candidates they have."""
    left, words = options.candidates, options.bins * options.classes * nodes
    while left > 0:
        share = min(max(BLOCK_WORDS // (words * options.ranks), 1), ceil(left, options.ranks))
        count = min(left, share * options.ranks)
        yield share, count
        left -= count


def round_bytes(options, way, nodes):
    """To each other rank, and how often ranks meet."""
    if way == "trees":
        return 0, 0
    if way == "candidates":
        return 56 + 40 * nodes, 2
    total, meetings = 56 + 40 * nodes + 16 + 8 * nodes * options.classes, 4
    for share, count in blocks(options, nodes):
        values = ceil(nodes * 2 * count, options.ranks)
        total += 48 + 8 * values + 4 * share * options.bins * options.classes * nodes
        meetings += 6
    return total, meetings


def tree_of(options, way):
    """Bytes to each other rank, meetings, and the responses that a rank computes for a tree, on the average."""
    total = meetings = responses = 0
    for nodes in rounds(options):
        sent, met = round_bytes(options, way, nodes)
        total, meetings = total + sent, meetings + met
        responses += options.images * options.samples * options.candidates / options.ranks
    if way == "images":
        total, meetings = total + 16 + 4 * options.classes, meetings + 2
    if way == "trees":
        leaves = 2 ** len(list(rounds(options)))
        total = leaves * (2 * options.classes + 64) / options.ranks
    return total, meetings, responses


def part_of(options, way, count):
    return ceil(count, options.ranks) if way == "images" else count


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name, value, what in (("images", 1000, "of the training set"), ("samples", 2000, "per image"),
                              ("ranks", 4, "processes"), ("candidates", 2000, "per node"), ("classes", 20, "of pixels"),
                              ("bins", 32, "per candidate"), ("depth", 20, "rounds of a tree, at most"),
                              ("samples-min", 20, "a node is not split to fewer")):
        parser.add_argument(f"--{name}", type=int, default=value, help=f"{what} ({value})")
    parser.add_argument("--speed", type=float, default=1e9, help="responses per second of a rank (1e9)")
    parser.add_argument("--reading", type=float, default=1000, help="images per second that a rank reads (1000)")
    parser.add_argument("--network", type=float, default=1.25e9, help="bytes per second of a rank (1.25e9, 10 Gbit/s)")
    parser.add_argument("--latency", type=float, default=50e-6, help="seconds of a message (50e-6)")
    options = parser.parse_args()
    print("| divided | images of a rank | samples of a rank | reading, s | counting, s | sending, s | sent | meetings |")
    print("|---|---|---|---|---|---|---|---|")
    for way in WAYS:
        sent, meetings, responses = tree_of(options, way)
        others = options.ranks - 1
        sending = sent * others / options.network + meetings * options.latency * math.ceil(math.log2(options.ranks))
        images = part_of(options, way, options.images)
        print(f"| {way} | {images:.3g} | {part_of(options, way, options.images * options.samples):.3g} | "
              f"{images / options.reading:.3g} | {responses / options.speed:.3g} | {sending:.3g} | "
              f"{sent * others / 1e9:.3g} GB | {meetings} |")


if __name__ == "__main__":
    main()
