#!/usr/bin/env python3
"""Compares what shadewood and onnxruntime say of records by generated ONNX models, and prints a table in Markdown.

usage: onnx-parity.py --shadewood PROGRAM [--models N] [--seed S] [--keep FOLDER]

Generated are N models for each kind (100): trees with tests of all sorts on attributes whose values lie at thresholds,
beside them, and are missing. What onnxruntime decides otherwise, as docs/record-import.md lists it, is not generated, but
for PROBIT, which it approximates. Predictions may differ by onnxruntime's rounding, of which a class that is decided within
it is excepted. The program fails if a model differs; --keep says where such models are left. It ends with 77 if a package
is missing."""

import argparse
import pathlib
import sys
import tempfile

try:
    import numpy
    import onnx
    import onnxruntime
    from onnx import TensorProto, helper

    import record_answers
    import record_fixtures_onnx as plain
    import record_parity
except ImportError as error:
    print(f"onnx-parity: skipped: {error}", file=sys.stderr)
    sys.exit(77)

ATTRIBUTES = 4
RECORDS = 256
MODES = [mode for mode in plain.MODES if mode != "BRANCH_MEMBER"]
PROBIT_ERROR = 6e-3  # how far onnxruntime's approximation is off, for probabilities from 0.001 to 0.999


class Kind:
    """A kind of models: its operator, and what its leaves and outputs are."""

    def __init__(self, operator, outputs, transform="NONE", low=-1.0, high=1.0, double=False):
        self.operator, self.outputs, self.transform = operator, outputs, transform
        self.low, self.high, self.double = low, high, double

    def is_binary(self):
        """Two classes, one of which has all weights."""
        return self.operator == "TreeEnsembleClassifier" and self.outputs == 1


KINDS = {
    "classifiers of two classes, weights of one": Kind("TreeEnsembleClassifier", 1),
    "the same, no weight below 0": Kind("TreeEnsembleClassifier", 1, low=0.0, high=0.25),
    "the same, `LOGISTIC`": Kind("TreeEnsembleClassifier", 1, "LOGISTIC"),
    **{f"classifiers of several classes, `{transform}`": Kind("TreeEnsembleClassifier", 4, transform)
       for transform in ("NONE", "LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO")},
    "regressors of one value": Kind("TreeEnsembleRegressor", 1),
    "the same in double precision": Kind("TreeEnsembleRegressor", 1, double=True),
    "the same, `PROBIT`": Kind("TreeEnsembleRegressor", 1, "PROBIT", 0.001, 0.999),
    **{f"regressors of several values, `{transform}`": Kind("TreeEnsembleRegressor", 3, transform)
       for transform in ("NONE", "LOGISTIC", "SOFTMAX")},
    "`TreeEnsemble` of one value": Kind("TreeEnsemble", 1),
    "`TreeEnsemble` of several values": Kind("TreeEnsemble", 3),
}


def draw_split(random, kind, if_true, if_false):
    mode = MODES[random.randint(len(MODES))]
    value = float(numpy.float32(numpy.round(random.randn() * 2, int(random.randint(0, 4)))))
    if kind.operator == "TreeEnsemble" and random.rand() < 0.25:  # onnxruntime: whole numbers only
        mode, value = "BRANCH_MEMBER", sorted({float(x) for x in random.randint(0, 6, random.randint(1, 5))})
    elif kind.double and random.rand() < 0.5:
        value += float(random.choice([1e-9, -1e-9, 0.1]))
    return plain.split(int(random.randint(ATTRIBUTES)), mode, value, if_true, if_false, int(random.randint(2)))


def draw_leaf(random, kind, each):
    """Votes: for each output, since onnxruntime drops the base value of one that has none; of TreeEnsemble one vote."""
    outputs = [int(random.randint(kind.outputs))] if kind.operator == "TreeEnsemble" else range(kind.outputs)
    return [(output, float(numpy.float32(kind.low + (kind.high - kind.low) * random.rand()) / each)) for output in outputs]


def draw_tree(random, kind, each):
    """Nodes in an order in which children follow. A TreeEnsemble of one leaf has a split that leads to it either way."""
    depth = int(random.randint(0, 6))
    if depth == 0 and kind.operator == "TreeEnsemble":
        return [draw_split(random, kind, 1, 1), draw_leaf(random, kind, each)]
    tree, todo = [None], [(0, depth)]
    while todo:
        index, left = todo.pop(0)
        if left == 0 or (index > 0 and random.rand() < 0.2):
            tree[index] = draw_leaf(random, kind, each)
            continue
        tree += [None, None]
        tree[index] = draw_split(random, kind, len(tree) - 2, len(tree) - 1)
        todo += [(len(tree) - 2, left - 1), (len(tree) - 1, left - 1)]
    return tree


def draw_trees(random, kind, count):
    """Of two classes by LOGISTIC some weight is below 0: if none is, onnxruntime decides otherwise."""
    while True:
        trees = [draw_tree(random, kind, count if kind.transform == "PROBIT" else 1) for _ in range(count)]
        votes = [weight for tree in trees for node in tree if isinstance(node, list) for _, weight in node]
        if min(votes) < 0 or not (kind.is_binary() and kind.transform == "LOGISTIC"):
            return trees


def tensor(name, values, element):
    return helper.make_tensor(name, element, [len(values)], values)


def ensemble_columns(trees):
    """The attributes of TreeEnsemble, whose splits and leaves have numbers of their own."""
    splits = [(t, n) for t, tree in enumerate(trees) for n, node in enumerate(tree) if not isinstance(node, list)]
    leaves = [(t, n) for t, tree in enumerate(trees) for n, node in enumerate(tree) if isinstance(node, list)]
    nodes = [trees[t][n] for t, n in splits]
    columns = {"nodes_featureids": [node[0] for node in nodes],
               "nodes_missing_value_tracks_true": [node[5] for node in nodes],
               "tree_roots": [splits.index((t, 0)) for t in range(len(trees))],
               "leaf_targetids": [trees[t][n][0][0] for t, n in leaves]}
    for which, child in (("true", 3), ("false", 4)):
        targets = [(t, trees[t][n][child]) for t, n in splits]
        columns[f"nodes_{which}leafs"] = [int(target in leaves) for target in targets]
        columns[f"nodes_{which}nodeids"] = [(leaves if target in leaves else splits).index(target) for target in targets]
    modes = [plain.MODES.index(node[1]) for node in nodes]
    values = [0.0 if isinstance(node[2], list) else node[2] for node in nodes]
    members = [x for node in nodes if isinstance(node[2], list) for x in (*node[2], float("nan"))]
    columns |= {"nodes_modes": helper.make_tensor("modes", TensorProto.UINT8, [len(modes)], bytes(modes), raw=True),
                "nodes_splits": tensor("splits", values, TensorProto.FLOAT),
                "leaf_weights": tensor("weights", [trees[t][n][0][1] for t, n in leaves], TensorProto.FLOAT)}
    return columns | ({"membership_values": tensor("members", members, TensorProto.FLOAT)} if members else {})


def make_node(random, kind, trees):
    outputs, more = ["Y"], {"post_transform": kind.transform}
    votes = "class" if kind.operator == "TreeEnsembleClassifier" else "target"
    if kind.operator == "TreeEnsemble":
        columns = ensemble_columns(trees)
        more = {"post_transform": 0, "n_targets": kind.outputs, "aggregate_function": int(random.randint(2))}
    else:
        columns = plain.lists(trees, votes)
    if kind.operator == "TreeEnsembleClassifier":
        outputs = ["label", "scores"]
        more["classlabels_int64s"] = list(range(max(kind.outputs, 2)))
    elif kind.operator == "TreeEnsembleRegressor":
        more |= {"n_targets": kind.outputs, "aggregate_function": str(random.choice(["SUM", "AVERAGE"]))}
        if kind.transform == "PROBIT":
            more["aggregate_function"] = "SUM"
    if kind.operator != "TreeEnsemble" and kind.transform != "PROBIT" and kind.low < 0 and random.rand() < 0.5:
        more["base_values"] = [float(numpy.float32(x)) for x in random.randn(kind.outputs)]
    if kind.double:
        for name in ("nodes_values", f"{votes}_weights", "base_values"):
            source = more if name in more else columns
            if name in source:
                source[f"{name}_as_tensor"] = tensor(name, source.pop(name), TensorProto.DOUBLE)
    return helper.make_node(kind.operator, ["X"], outputs, domain="ai.onnx.ml", **columns, **more)


def make_model(random, kind, trees):
    node = make_node(random, kind, trees)
    element = TensorProto.DOUBLE if kind.double else TensorProto.FLOAT
    results = [helper.make_tensor_value_info("label", TensorProto.INT64, [None])] if "label" in node.output else []
    width = 2 if kind.is_binary() else kind.outputs
    results.append(helper.make_tensor_value_info(node.output[-1], TensorProto.FLOAT, [None, width]))
    graph = helper.make_graph([node], "parity", [helper.make_tensor_value_info("X", element, [None, ATTRIBUTES])], results)
    version = 5 if kind.operator == "TreeEnsemble" else 3
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("ai.onnx.ml", version),
                                                    helper.make_opsetid("", 17)])
    model.ir_version = 8
    return model


def ask_onnxruntime(model, records, kind):
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    found = session.run(None, {"X": records.astype(numpy.float64 if kind.double else numpy.float32)})
    return found[-1], found[0] if len(found) > 1 else None


def count_other_classes(kind, theirs, ours, their_classes, our_classes, rounding):
    """Of records whose class rounding does not decide."""
    if our_classes is None:
        return 0
    other = their_classes != our_classes
    ordered = numpy.sort(theirs.astype(float), axis=1)
    return int(numpy.count_nonzero(other & (ordered[:, -1] - ordered[:, -2] > 2 * rounding)))


def compare(random, kind, tally, program, folder):
    count = int(random.randint(1, 20))
    trees = draw_trees(random, kind, count)
    model = make_model(random, kind, trees)
    records = record_answers.edge_records(plain.edges_of(trees, ATTRIBUTES), RECORDS, int(random.randint(1 << 30)))
    path = pathlib.Path(folder) / "model.onnx"
    path.write_bytes(model.SerializeToString())
    theirs, their_classes = ask_onnxruntime(model, records, kind)
    ours, our_classes = record_parity.evaluate(program, path, records, "label" in model.graph.node[0].output, folder)
    rounding = (count + 4) * 2.0 ** -23 * max(1.0, float(numpy.nanmax(abs(theirs[numpy.isfinite(theirs)]), initial=0)), count)
    others = count_other_classes(kind, theirs, ours, their_classes, our_classes, rounding)
    return tally.add(theirs, ours, PROBIT_ERROR if kind.transform == "PROBIT" else rounding, others), path


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shadewood", required=True, metavar="PROGRAM")
    parser.add_argument("--models", type=int, default=100, metavar="N")
    parser.add_argument("--seed", type=int, default=0, metavar="S")
    parser.add_argument("--keep", type=pathlib.Path, metavar="FOLDER")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    random = numpy.random.RandomState(arguments.seed)
    tallies = {name: record_parity.Tally() for name in KINDS}
    print(f"onnxruntime {onnxruntime.__version__}, onnx {onnx.__version__}\n")
    with tempfile.TemporaryDirectory() as folder:
        for k, (name, kind) in enumerate(KINDS.items()):
            for m in range(arguments.models):
                same, path = compare(random, kind, tallies[name], arguments.shadewood, folder)
                if not same and arguments.keep is not None:
                    arguments.keep.mkdir(parents=True, exist_ok=True)
                    (arguments.keep / f"kind-{k}-model-{m}.onnx").write_bytes(path.read_bytes())
    sys.exit(record_parity.report(tallies))


if __name__ == "__main__":
    main()
