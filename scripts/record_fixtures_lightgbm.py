#!/usr/bin/env python3
"""Works out what LightGBM would say of records by the models tests/formats/models/lightgbm-*.txt, and writes it
beside them.

No LightGBM made these models: they were written by hand after the documentation of its text format and after what its
source code says of decisions, and this is a plain reading of the same rules, which shares no code with the importer.
Run it again after a change to a model."""
import math

import numpy

import record_answers


def read_model(path):
    header, trees = {}, []
    section = header
    for line in open(path, encoding="utf-8"):
        line = line.rstrip("\n")
        if line.startswith("Tree="):
            section = {}
            trees.append(section)
        elif line == "end of trees" or line.startswith("feature importances"):
            break
        elif line:
            key, _, value = line.partition("=")
            section[key] = value
    return header, trees


def numbers(tree, key, kind):
    return [kind(text) for text in tree.get(key, "").split()]


def find_leaf(tree, record):
    if int(tree["num_leaves"]) == 1:
        return 0
    features, thresholds = numbers(tree, "split_feature", int), numbers(tree, "threshold", float)
    decisions = numbers(tree, "decision_type", int)
    left, right = numbers(tree, "left_child", int), numbers(tree, "right_child", int)
    boundaries, words = numbers(tree, "cat_boundaries", int), numbers(tree, "cat_threshold", int)
    tiny = float(record_answers.TINY)
    node = 0
    while node >= 0:
        value = float(record[features[node]])
        if abs(value) <= tiny:  # what LightGBM copies of a record leaves them out
            value = 0.0
        if decisions[node] & 1:
            goes_left = False
            if not math.isnan(value) and not math.isinf(value) and int(value) >= 0:
                category, which = int(value), int(thresholds[node])
                bits = words[boundaries[which]:boundaries[which + 1]]
                goes_left = category // 32 < len(bits) and (bits[category // 32] >> (category % 32)) & 1 == 1
        else:
            missing, default_left = (decisions[node] >> 2) & 3, (decisions[node] & 2) != 0
            if math.isnan(value) and missing != 2:
                value = 0.0
            if (missing == 1 and abs(value) <= tiny) or (missing == 2 and math.isnan(value)):
                goes_left = default_left
            else:
                goes_left = value <= thresholds[node]
        node = left[node] if goes_left else right[node]
    return ~node


def convert(objective, raw):
    """Predictions and, of classifiers, the class."""
    name, *parameters = objective.split()
    values = dict(p.split(":") for p in parameters if ":" in p)
    sigmoid = float(values.get("sigmoid", 1))
    if name == "binary":
        p = 1 / (1 + math.exp(-sigmoid * raw[0]))
        return [1 - p, p], int(p > 0.5)
    if name == "multiclassova":
        scores = [1 / (1 + math.exp(-sigmoid * x)) for x in raw]
        return scores, int(numpy.argmax(raw))
    if name == "multiclass":
        powers = [math.exp(x - max(raw)) for x in raw]
        return [x / sum(powers) for x in powers], int(numpy.argmax(raw))
    assert name == "regression"
    return [math.copysign(x * x, x) if "sqrt" in parameters else x for x in raw], None


def evaluate(header, trees, records):
    outputs = int(header["num_tree_per_iteration"])
    leaves, predictions, classes = [], [], []
    for record in records:
        found = [find_leaf(tree, record) for tree in trees]
        raw = [0.0] * outputs
        for t, leaf in enumerate(found):
            raw[t % outputs] += numbers(trees[t], "leaf_value", float)[leaf]
        if "average_output" in header:
            raw = [x / (len(trees) // outputs) for x in raw]
        prediction, label = convert(header["objective"], raw)
        leaves.append(found)
        predictions.append(prediction)
        classes.append(label)
    return leaves, predictions, classes if classes[0] is not None else None


def edges(header, trees):
    found = [[] for _ in range(int(header["max_feature_idx"]) + 1)]
    for tree in trees:
        for feature, threshold, decision in zip(numbers(tree, "split_feature", int), numbers(tree, "threshold", float),
                                                numbers(tree, "decision_type", int)):
            found[feature] += [c + x for c in list(range(10)) + [31, 32, 33, 34, 40, 41, 95, 96] for x in (0, 0.9)] \
                if decision & 1 else [threshold]
    return found


def main():
    for path in sorted(record_answers.MODELS.glob("lightgbm-*.txt")):
        header, trees = read_model(path)
        records = record_answers.edge_records(edges(header, trees), 96, seed=len(trees))
        record_answers.write(path.stem, records, *evaluate(header, trees, records))


if __name__ == "__main__":
    main()
