#!/usr/bin/env python3
"""Compares the program with this implementation of docs/record-format.md.

usage: second_records.py SHADEWOOD [SEED [CASES]]

Random trees, with tests of thresholds and of sets of categories, are imported, and evaluated on random records. TAP on
the output.
"""
import json
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

import with_numpy  # noqa: F401
import numpy as np

from record_forest import RecordForest

ATTRIBUTES, RECORDS = 5, 60
SPECIAL = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-35, -1e-35, 1.1e-35, 1e-40, -0.5, -1.0, -1.5, 16777215.0, 16777216.0,
           3e38]


def random_set(random):
    begin = int(random.choice([0, 0, 0, 32, 40, 1000, (1 << 24) - 80]))
    members = begin + np.flatnonzero(random.random(int(random.choice([3, 40, 70]))) < random.choice([0.2, 0.5, 0.9]))
    ranges = [[int(members[0]), int(members[0])]] if len(members) > 0 else [[begin, begin]]
    for member in members[1:]:
        if member == ranges[-1][1] + 1:
            ranges[-1][1] = int(member)
        else:
            ranges.append([int(member), int(member)])
    made = {"members": [first if first == last else [first, last] for first, last in ranges],
            "members_go_right": bool(random.random() < 0.5)}
    kind = random.integers(3)
    if kind > 0:
        made["whole" if kind == 1 else "from_below"] = True
    return made


def random_tree(random, outputs, per_leaf, sets):
    """A node for each of the arrays' elements; the children of a split are the next two that are free."""
    tree = {name: [] for name in ("children_left", "children_right", "feature", "threshold", "set", "value",
                                  "missing_go_to_left", "zero_is_missing")}
    free, depth = 1, [0]
    while len(tree["feature"]) < free:
        n = len(tree["feature"])
        is_split = depth[n] < 2 or (depth[n] < 7 and random.random() < 0.6)
        by_set = is_split and random.random() < sets
        tree["children_left"].append(free if is_split else -1)
        tree["children_right"].append(free + 1 if is_split else -1)
        tree["feature"].append(int(random.integers(ATTRIBUTES)))
        tree["threshold"].append(None if by_set else float(random.choice([random.normal() * 8, random.integers(40)])))
        tree["set"].append(random_set(random) if by_set else None)
        values = [float(value) for value in random.integers(-900, 900, per_leaf) / 8]
        tree["value"].append(values if per_leaf > 1 else values[0])
        tree["missing_go_to_left"].append(bool(random.random() < 0.5))
        tree["zero_is_missing"].append(not by_set and bool(random.random() < 0.2))
        if is_split:
            free += 2
            depth += [depth[n] + 1] * 2
    if not any(tree["set"]):
        del tree["set"]
    if per_leaf == 1:
        tree["output"] = int(random.integers(outputs))
    return tree


def random_records(random, trees):
    """Numbers about the thresholds and the categories that are tested, and special ones."""
    numbers = [limit for tree in trees for limit in tree["threshold"] if limit is not None] + [0.0]
    numbers += [float(np.ravel(made["members"][-1])[-1] + more) for tree in trees for made in tree.get("set", [])
                if made is not None for more in (0, 1, 0.5)]
    choices = np.array(numbers + SPECIAL + list(range(0, 80, 3)), np.float32)
    records = random.choice(choices, (RECORDS, ATTRIBUTES))
    ordinary = random.random(records.shape) < 0.3
    return np.where(ordinary, random.integers(-4, 160, records.shape) / 2, records).astype(np.float32)


def compare(program, folder, seed):
    """What differs, or None."""
    random = np.random.default_rng(seed)
    outputs = int(random.integers(1, 4))
    per_leaf = outputs if random.random() < 0.5 else 1
    trees = [random_tree(random, outputs, per_leaf, random.choice([0, 0.5, 1]))
             for _ in range(int(random.integers(1, 6)))]
    model, forest, table, out = (os.path.join(folder, name) for name in ("m.json", "m.ktx2", "t.npy", "o.npy"))
    with open(model, "w") as file:
        json.dump({"format": "record-trees", "version": 2, "task": "values", "attributes": ATTRIBUTES,
                   "outputs": outputs, "trees": trees}, file)
    records = random_records(random, trees)
    np.save(table, records)
    subprocess.run([program, "import", model, "-o", forest, "--overwrite", "-q"], check=True)
    with open(forest, "rb") as file:
        own = RecordForest(file.read())
    reached = [own.leaves(record) for record in records]
    expected = [[source for _, source in leaves] for leaves in reached]
    sums = [own.sums(leaves) for leaves in reached]
    for technique in "serial", "cpu":
        subprocess.run([program, "records", forest, table, "-t", technique, "-o", out, "-w", "leaves,sums", "--overwrite",
                        "-q"], check=True)
        found = np.load(out.replace(".npy", "_leaves.npy")).reshape(RECORDS, -1)
        wrong = np.argwhere(found != np.array(expected))
        if len(wrong) > 0:
            r, t = wrong[0]
            return f"{technique}: record {r}, tree {t}: leaf {found[r, t]}, here {expected[r][t]}: {records[r]}"
        if not np.array_equal(np.load(out.replace(".npy", "_sums.npy")).reshape(RECORDS, -1), np.array(sums)):
            return f"{technique}: other sums"
    return None


def main():
    program, seed, cases = sys.argv[1], *(int(text) for text in [*sys.argv[2:], *("1", "25")[len(sys.argv) - 2:]])
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for case in range(cases):
            differs = compare(program, folder, seed + case)
            failed += differs is not None
            print(f"not ok {case + 1} - seed {seed + case}: {differs}" if differs else f"ok {case + 1}")
    print(f"1..{cases}")
    sys.exit(failed > 0)


main()
