#!/usr/bin/env python3
"""Makes the models tests/formats/models/onnx-*.onnx with the package onnx (1.12), works out what they must say of
records by a plain reading of the operators' specification, which shares no code with the importer, and writes that
beside them. Where the specification is silent, of a sum for one of two classes, the rule is written out in
binary_scores(). onnx-parity.py compares with onnxruntime."""
import math
from statistics import NormalDist

import numpy
from onnx import TensorProto, helper

import record_answers

LABELS = {"classlabels_int64s": [3, -1, 7]}
COMPARE = {"BRANCH_LEQ": lambda x, v: x <= v, "BRANCH_LT": lambda x, v: x < v, "BRANCH_GTE": lambda x, v: x >= v,
           "BRANCH_GT": lambda x, v: x > v, "BRANCH_EQ": lambda x, v: x == v, "BRANCH_NEQ": lambda x, v: x != v}
MODES = list(COMPARE) + ["BRANCH_MEMBER"]  # by TreeEnsemble's numbers


def split(attribute, mode, value, if_true, if_false, nan_true=0):
    return (attribute, mode, value, if_true, if_false, nan_true)


def lists(trees, votes):
    """Attributes of the older operators. trees: lists of nodes, of which a leaf is a list of pairs (output, weight)."""
    names = ["treeids", "nodeids", "featureids", "modes", "values", "truenodeids", "falsenodeids",
             "missing_value_tracks_true"]
    columns = {f"nodes_{name}": [] for name in names}
    columns |= {f"{votes}_{name}": [] for name in ("treeids", "nodeids", "ids", "weights")}
    for t, tree in enumerate(trees):
        for n, node in enumerate(tree):
            is_leaf = isinstance(node, list)
            attribute, mode, value, if_true, if_false, nan_true = (0, "LEAF", 0.0, 0, 0, 0) if is_leaf else node
            for name, x in zip(names, (t, n, attribute, mode, value, if_true, if_false, nan_true)):
                columns[f"nodes_{name}"].append(x)
            for output, weight in node if is_leaf else []:
                for name, x in zip(("treeids", "nodeids", "ids", "weights"), (t, n, output, weight)):
                    columns[f"{votes}_{name}"].append(x)
    return columns


def find_leaf(tree, record, members=None):
    n = 0
    while not isinstance(tree[n], list):
        attribute, mode, value, if_true, if_false, nan_true = tree[n]
        x = float(record[attribute])
        holds = x in value if mode == "BRANCH_MEMBER" else COMPARE[mode](x, value)
        n = if_true if holds or (math.isnan(x) and nan_true) else if_false
    return n


def logistic(x):
    return 1 / (1 + math.exp(-x)) if x > -700 else 0.0


def softmax(scores, skips_zero=False):
    powers = [0.0 if skips_zero and x == 0 else math.exp(x - max(scores)) for x in scores]
    return [p / sum(powers) if sum(powers) > 0 else 0.0 for p in powers]


def transform(scores, name):
    if name == "PROBIT":
        return [NormalDist().inv_cdf(x) for x in scores]
    return {"NONE": lambda: scores, "LOGISTIC": lambda: [logistic(x) for x in scores], "SOFTMAX": lambda: softmax(scores),
            "SOFTMAX_ZERO": lambda: softmax(scores, True)}[name]()


def binary_scores(score, is_positive, post_transform):
    """Scores and class of a sum for one of two classes: by LOGISTIC the second one's probability is made of it; if no
    weight is below 0, the sum is that probability; otherwise its sign decides."""
    if post_transform == "LOGISTIC":
        return [logistic(-score), logistic(score)], int(score > 0)
    return ([1 - score, score], int(score > 0.5)) if is_positive else ([-score, score], int(score > 0))


def evaluate(trees, records, outputs, base, post_transform="NONE", average=False, labels=0):
    """The plain reading; leaves are numbers of nodes."""
    all_votes = [vote for tree in trees for node in tree if isinstance(node, list) for vote in node]
    is_binary = labels == 2 and len({output for output, _ in all_votes}) == 1
    leaves, predictions, classes = [], [], []
    for record in records:
        found = [find_leaf(tree, record) for tree in trees]
        scores = [0.0] * outputs
        for tree, leaf in zip(trees, found):
            for output, weight in tree[leaf]:
                scores[0 if is_binary else output] += weight
        scores = [s / (len(trees) if average else 1) + b for s, b in zip(scores, base)]
        if is_binary:
            scores, label = binary_scores(scores[0], min(w for _, w in all_votes) >= 0, post_transform)
        else:
            label = int(numpy.argmax(scores))
            scores = transform(scores, post_transform)
        leaves.append(found)
        predictions.append(scores)
        classes.append(label)
    return leaves, predictions, classes if labels else None


def edges_of(trees, attributes):
    found = [[] for _ in range(attributes)]
    for node in (node for tree in trees for node in tree if not isinstance(node, list)):
        found[node[0]] += node[2] if isinstance(node[2], list) else [node[2]]
    return found


def save(name, nodes, attributes, element=TensorProto.FLOAT, version=3):
    graph = helper.make_graph(nodes, name, [helper.make_tensor_value_info("X", element, ["N", attributes])], [])
    model = helper.make_model(graph, producer_name="record_fixtures_onnx.py",
                              opset_imports=[helper.make_opsetid("ai.onnx.ml", version), helper.make_opsetid("", 17)])
    (record_answers.MODELS / f"onnx-{name}.onnx").write_bytes(model.SerializeToString())


def answer(name, trees, attributes, records=None, **rules):
    if records is None:
        records = record_answers.edge_records(edges_of(trees, attributes), 64, seed=len(name))
    record_answers.write(f"onnx-{name}", records, *evaluate(trees, records, **rules))


def classifier(name, trees, attributes, base, labels, post_transform="NONE", before=(), after=(), **more):
    columns = lists(trees, "class")
    if len(base) > 0 and any(base):
        more["base_values"] = base
    node = helper.make_node("TreeEnsembleClassifier", ["T" if before else "X"], ["label", "scores"],
                            domain="ai.onnx.ml", post_transform=post_transform, **columns, **labels, **more)
    save(name, [*before, node, *after], attributes)
    count = len(next(iter(labels.values())))
    answer(name, trees, attributes, outputs=len(base), base=base, post_transform=post_transform, labels=count)


def tensor(name, values):
    return helper.make_tensor(name, TensorProto.DOUBLE, [len(values)], values)


def make_classifiers():
    modes = [split(0, "BRANCH_LEQ", 0.5, 1, 2), split(1, "BRANCH_LT", -0.25, 3, 4, 1),
             split(2, "BRANCH_GTE", 1.0, 5, 6), [(0, -1.5)], [(0, 0.25)], split(0, "BRANCH_GT", 2.0, 7, 8, 1),
             [(0, 0.75)], [(0, 3.0)], [(0, -0.125)]]
    other = [[(0, 0.1)]], [split(2, "BRANCH_GT", 0.0, 2, 1), [(0, -0.3)], split(2, "BRANCH_LT", 0.0, 3, 4), [], [(0, 0.7)]]
    trees = [modes, *[[[(o, float(numpy.float32(w))) for o, w in node] if isinstance(node, list) else node
                       for node in tree] for tree in other]]
    names = {"classlabels_strings": ["ash", "größe"]}
    classifier("binary", trees, 3, [float(numpy.float32(0.2))], names, "LOGISTIC")
    classifier("binary-raw", trees, 4, [0.0], names)
    positive = [[[(1, abs(w)) for _, w in node] if isinstance(node, list) else node for node in tree]
                for tree in trees]
    positive = [[[(o, w / 8) for o, w in node] if isinstance(node, list) else node for node in tree]
                for tree in positive]
    classifier("binary-positive", positive, 3, [0.0], {"classlabels_int64s": [0, 1]})
    classifier("binary-logistic", positive, 3, [-0.25], {"classlabels_int64s": [0, 1]}, "LOGISTIC")

    equal = [[split(0, "BRANCH_EQ", 1.0, 2, 1), split(0, "BRANCH_NEQ", 0.0, 3, 4, 1), [(0, 1.0), (2, -0.5)],
              [(1, 0.5)], split(1, "BRANCH_EQ", -0.5, 5, 6, 1), [(2, 2.0)], [(0, 0.25), (1, 0.25), (0, 0.25)]],
             [split(1, "BRANCH_NEQ", 2.5, 1, 2), [(2, 0.75)], [(1, -0.75), (2, 0.125)]]]
    classifier("classes", equal, 2, [0.5, -0.25, 0.0], LABELS, "SOFTMAX",
               after=[helper.make_node("Cast", ["label"], ["text"], to=TensorProto.STRING),
                      helper.make_node("Normalizer", ["scores"], ["sums"], domain="ai.onnx.ml", norm="L1"),
                      helper.make_node("ZipMap", ["sums"], ["map"], domain="ai.onnx.ml", **LABELS)])
    classifier("each-class", equal, 2, [0.0, 0.0, 0.0], LABELS, "LOGISTIC",
               before=[helper.make_node("Cast", ["X"], ["T"], to=TensorProto.FLOAT)],
               after=[helper.make_node("Identity", ["scores"], ["probabilities"])])
    turns = [[split(a, "BRANCH_LT", v, 1, 2), [(o, w)], [(o, -w)]] for a, v, o, w in
             [(0, 0.5, 0, 1.0), (1, -1.0, 1, 0.5), (0, 1.0, 2, 0.25), (1, 0.5, 0, 0.125), (0, -0.5, 1, 2.0),
              (1, 2.5, 2, 0.75)]]
    classifier("turns", turns, 2, [0.0, 0.0, 0.5], LABELS, "SOFTMAX")
    zero = [[split(0, "BRANCH_LEQ", 0.5, 1, 2), [(0, 1.0)], split(1, "BRANCH_GT", -1.0, 3, 4, 1), [(1, 2.0)],
             [(0, 0.5), (1, 1.5)]]]
    classifier("zero", zero, 2, [0.0, 0.0], {"classlabels_int64s": [10, 20]}, "SOFTMAX_ZERO")


def make_regressors():
    trees = [[split(0, "BRANCH_LEQ", 0.5, 1, 2, 1), [(0, 1.0), (1, -2.0)], split(1, "BRANCH_GT", 1.0, 3, 4),
              [(1, 0.5)], [(0, 0.25)]], [[(0, 0.125), (1, 0.75)]],
             [split(1, "BRANCH_GTE", -0.5, 2, 1, 1), [(0, -1.0)], [(1, 4.0)]]]
    columns, base = lists(trees, "target"), [0.5, -1.0]
    shuffled = numpy.random.RandomState(3).permutation(len(columns["nodes_treeids"]))
    for name in [name for name in columns if name.startswith("nodes_")]:
        columns[name] = [columns[name][i] for i in shuffled]
    save("targets", [helper.make_node("TreeEnsembleRegressor", ["X"], ["Y"], domain="ai.onnx.ml", n_targets=2,
                                      aggregate_function="AVERAGE", base_values=base, **columns)], 2)
    answer("targets", trees, 2, outputs=2, base=base, average=True)

    trees = [[split(0, "BRANCH_LEQ", 0.1, 1, 2), split(0, "BRANCH_LT", -0.1, 3, 4), split(1, "BRANCH_GTE", 0.3, 5, 6),
              [(0, 0.1)], [(0, 1e-3)], [(0, -1 / 3)], split(1, "BRANCH_EQ", 0.1, 7, 8), [(0, 5.0)], [(0, 7.0)]]]
    columns = lists(trees, "target")
    for name in ("nodes_values", "target_weights"):
        columns[f"{name}_as_tensor"] = tensor(name, columns.pop(name))
    save("double", [helper.make_node("Identity", ["X"], ["C"]),
                    helper.make_node("Cast", ["C"], ["T"], to=TensorProto.DOUBLE),
                    helper.make_node("TreeEnsembleRegressor", ["T"], ["Y"], domain="ai.onnx.ml", n_targets=1,
                                     base_values_as_tensor=tensor("base", [1e-9]), **columns)], 2, TensorProto.DOUBLE)
    answer("double", trees, 2, outputs=1, base=[1e-9])

    trees = [[split(0, "BRANCH_LT", 0.5, 1, 2), [(0, 0.125)], [(0, 0.75)]]]
    columns = lists(trees, "target")
    del columns["nodes_missing_value_tracks_true"]
    save("probit", [helper.make_node("TreeEnsembleRegressor", ["X"], ["Y"], domain="ai.onnx.ml", n_targets=1,
                                     post_transform="PROBIT", **columns)], 1, version=1)
    answer("probit", trees, 1, outputs=1, base=[0.0], post_transform="PROBIT")


def make_ensemble():
    """TreeEnsemble, whose leaves have numbers of their own: what the plain reading calls a node is renumbered."""
    f32 = numpy.float32
    trees = [[split(0, "BRANCH_MEMBER", [1.0, 2.5, -0.5, float(numpy.nextafter(f32(1), f32(2)))], 1, 2),
              split(1, "BRANCH_MEMBER", [0.0], 3, 4, 1), split(0, "BRANCH_NEQ", -1.0, 5, 6), [(0, 1.0)], [(1, 0.5)],
              [(1, -0.25)], [(0, 3.0)]],
             [split(1, "BRANCH_LEQ", 0.5, 1, 1), [(0, 0.125)]]]
    # Splits in the order of the file, and leaves by (tree, node).
    splits = [(1, 0), (0, 0), (0, 2), (0, 1)]
    leaves = [(0, 3), (0, 6), (0, 4), (1, 1), (0, 5)]
    columns = {name: [] for name in ("nodes_featureids", "nodes_modes", "nodes_splits", "nodes_truenodeids",
                                     "nodes_trueleafs", "nodes_falsenodeids", "nodes_falseleafs",
                                     "nodes_missing_value_tracks_true")}
    members = []
    for t, n in splits:
        attribute, mode, value, if_true, if_false, nan_true = trees[t][n]
        columns["nodes_featureids"].append(attribute)
        columns["nodes_modes"].append(MODES.index(mode))
        columns["nodes_splits"].append(0.0 if mode == "BRANCH_MEMBER" else value)
        columns["nodes_missing_value_tracks_true"].append(nan_true)
        members += [*value, math.nan] if mode == "BRANCH_MEMBER" else []
        for which, child in (("true", if_true), ("false", if_false)):
            is_leaf = (t, child) in leaves
            columns[f"nodes_{which}leafs"].append(int(is_leaf))
            columns[f"nodes_{which}nodeids"].append((leaves if is_leaf else splits).index((t, child)))
    votes = [trees[t][n][0] for t, n in leaves]
    modes, values = bytes(columns.pop("nodes_modes")), columns.pop("nodes_splits")
    single = lambda name, numbers: helper.make_tensor(name, TensorProto.FLOAT, [len(numbers)], numbers)
    node = helper.make_node(
        "TreeEnsemble", ["X"], ["Y"], domain="ai.onnx.ml", n_targets=2, aggregate_function=1, post_transform=2,
        tree_roots=[splits.index((0, 0)), splits.index((1, 0))], **columns,
        nodes_modes=helper.make_tensor("modes", TensorProto.UINT8, [len(modes)], modes, raw=True),
        nodes_splits=single("splits", values), membership_values=single("members", members),
        leaf_targetids=[output for output, _ in votes], leaf_weights=single("weights", [w for _, w in votes]))
    save("ensemble", [node], 2, version=5)
    records = record_answers.edge_records(edges_of(trees, 2), 64, seed=5)
    found, predictions, _ = evaluate(trees, records, 2, [0.0, 0.0], "LOGISTIC")
    numbered = [[leaves.index((t, n)) for t, n in enumerate(row)] for row in found]
    record_answers.write("onnx-ensemble", records, numbered, predictions)


if __name__ == "__main__":
    make_classifiers()
    make_regressors()
    make_ensemble()
