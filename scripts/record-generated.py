#!/usr/bin/env python3
"""Compares the technique cpu of record forests, few rows at a time on one thread, with C code that is generated from the
same model: an XGBClassifier of two classes is trained here on generated rows, imported, and written as C in two ways,
nested branches, as generators such as m2cgen and treelite write it, and arrays of nodes with a loop. A program of
record_generated.c then evaluates the same rows by all of them in turns. docs/bench.md describes what is measured."""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from record_draws import PACKAGES, Failure, generate, import_packages

SIDES = ["shadewood", "shadewood, sums only", "branches", "nodes"]  # as the program prints them
TOLERANCE = 1e-5  # of probabilities: the generated code adds in float32
SOURCE = pathlib.Path(__file__).resolve().parent


def draw_data(modules, options):
    """Rows and classes to train with, and rows to evaluate."""
    numpy, _, _ = modules
    if options.data == "cancer":
        from sklearn.datasets import load_breast_cancer
        rows, classes = load_breast_cancer(return_X_y=True)
        rows = rows.astype(numpy.float32)
        return rows, classes, rows[numpy.random.default_rng(2).integers(len(rows), size=options.rows)]
    rows, classes = generate(numpy, options.attributes, 2, options.train, 1)
    return rows, classes, generate(numpy, options.attributes, 2, options.rows, 2)[0]


def train(modules, options, rows, classes):
    _, _, xgboost = modules
    model = xgboost.XGBClassifier(n_estimators=options.trees, max_depth=options.depth, tree_method=options.method,
                                  random_state=1, base_score=0.5)
    return model.fit(rows, classes)


def number(value):
    """The float32 exactly."""
    return f"{float(value).hex()}f"


def write_branches(tree):
    """A function with a branch for each split. A missing number is neither less nor not less, so either comparison sends
    it to the side that it has to go to."""
    lines = []
    left, right, default = tree["left_children"], tree["right_children"], tree["default_left"]

    def write(node, depth):
        indent = "    " * min(depth, 20)
        limit = number(tree["split_conditions"][node])
        if left[node] < 0:
            lines.append(f"{indent}return {limit};")
            return
        value = f"row[{tree['split_indices'][node]}]"
        lines.append(f"{indent}if ({f'!({value} >= {limit})' if default[node] else f'{value} < {limit}'}) {{")
        write(left[node], depth + 1)
        lines.append(f"{indent}}} else {{")
        write(right[node], depth + 1)
        lines.append(f"{indent}}}")

    write(0, 1)
    return lines


def write_nodes(tree):
    """The elements of an array, breadth-first with the children of a node side by side: {number, attribute, flag and
    distance to the left child}. A leaf has no distance and its value as the number."""
    order, elements = [0], []
    for node in order:
        if tree["left_children"][node] >= 0:
            order += [tree["left_children"][node], tree["right_children"][node]]
    place = {node: index for index, node in enumerate(order)}
    for node in order:
        left, limit = tree["left_children"][node], number(tree["split_conditions"][node])
        distance = place[left] - place[node] if left >= 0 else 0
        elements.append(f"{{{limit}, {tree['split_indices'][node]}, {int(tree['default_left'][node])}, {distance}}}")
    return elements


NODES_HEAD = """struct node {
    float number;
    unsigned short attribute;
    unsigned char missing_left;
    unsigned distance;
};
"""
NODES_TAIL = """
float generated_nodes(const float *row)
{
    float sum = 0;

    for (int t = 0; t < TREES; t++) {
        const struct node *node = nodes + roots[t];
        while (node->distance != 0) {
            float value = row[node->attribute];
            int right = node->missing_left ? value >= node->number : !(value < node->number);
            node += node->distance + right;
        }
        sum += node->number;
    }
    return sum;
}
"""


def write_code(booster, folder):
    path = folder / "boosted.json"
    booster.save_model(str(path))
    trees = json.loads(path.read_text())["learner"]["gradient_booster"]["model"]["trees"]
    branches, elements, roots = [], [], []
    for index, tree in enumerate(trees):
        branches += [f"static float tree_{index}(const float *row)", "{", *write_branches(tree), "}", ""]
        roots.append(len(elements))
        elements += write_nodes(tree)
    calls = "".join(f"    sum += tree_{index}(row);\n" for index in range(len(trees)))
    (folder / "branches.c").write_text("\n".join(branches) +
                                       f"\nfloat generated_branches(const float *row)\n{{\n    float sum = 0;\n\n{calls}"
                                       "    return sum;\n}\n")
    (folder / "nodes.c").write_text(f"#define TREES {len(trees)}\n{NODES_HEAD}"
                                    f"static const struct node nodes[] = {{\n{(',' + chr(10)).join(elements)}}};\n"
                                    f"static const unsigned roots[] = {{{', '.join(map(str, roots))}}};\n{NODES_TAIL}")
    return path


def run(command, **settings):
    try:
        done = subprocess.run(command, check=False, capture_output=True, **settings)
    except OSError as error:
        raise Failure(f"cannot run {command[0]}: {error.strerror}") from error
    if done.returncode != 0:
        lines = done.stderr.decode().strip().splitlines() or [f"it ended with {done.returncode}"]
        raise Failure(f"{command[0]} failed: {lines[0]}")
    return done.stdout.decode()


def build(options, folder):
    library = pathlib.Path(options.library).resolve()
    if not library.exists():
        raise Failure(f"{options.library} is missing (build with -DBUILD_SHARED_LIBS=ON)")
    objects = []
    for name, source, flags in (("branches", folder / "branches.c", ["-O3", "-march=native"]),
                                ("nodes", folder / "nodes.c", ["-O3", "-march=native"]),
                                ("main", SOURCE / "record_generated.c", ["-O2", "-std=c17", "-D_GNU_SOURCE",
                                                                         f"-I{SOURCE.parent / 'src' / 'include'}"])):
        objects.append(str(folder / f"{name}.o"))
        run([options.compiler, *flags, "-c", str(source), "-o", objects[-1]])
    run([options.compiler, *objects, str(library), f"-Wl,-rpath,{library.parent}", "-lm", "-o",
         str(folder / "record_generated")])


def measure(modules, options, folder):
    train_rows, classes, rows = draw_data(modules, options)
    model = train(modules, options, train_rows, classes)
    path = write_code(model.get_booster(), folder)
    run([options.shadewood, "import", "--quiet", "--overwrite", str(path), "-o", str(folder / "model.ktx2")])
    build(options, folder)
    text = run([str(folder / "record_generated"), str(folder / "model.ktx2"), str(options.rows),
                str(rows.shape[1]), str(options.rounds), *map(str, options.records)], input=rows.tobytes())
    measured = []
    for line in text.splitlines():
        records, *nanoseconds, difference = line.split()
        if float(difference) > TOLERANCE:
            raise Failure(f"probabilities differ by {difference}")
        times = dict(zip(SIDES, map(float, nanoseconds)))
        measured.append({"records": int(records), "nanoseconds_per_row": times, "greatest_difference": float(difference),
                         "times_faster_than_branches": times["branches"] / times["shadewood"],
                         "times_faster_than_nodes": times["nodes"] / times["shadewood"]})
    return rows.shape[1], measured


def print_table(result):
    print(f"{result['trees']} trees of depth {result['depth']} ({result['method']}), {result['data']} of {result['attributes']} attributes; "
          f"nanoseconds per row, medians of {result['rounds']} rounds of {result['rows']} rows in random order, load "
          f"{result['load']:.1f} on {result['processors']} processors; probabilities are equal\n")
    print(f"{'rows a call':>11}" + "".join(f"{side:>22}" for side in SIDES) + f"{'x branches':>12}{'x nodes':>9}")
    for row in result["measured"]:
        print(f"{row['records']:11}" + "".join(f"{row['nanoseconds_per_row'][side]:22.1f}" for side in SIDES) +
              f"{row['times_faster_than_branches']:12.2f}{row['times_faster_than_nodes']:9.2f}")


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, epilog=f"Needs {PACKAGES}, and a C compiler.")
    parser.add_argument("--shadewood", metavar="FILE", default="shadewood", help="the program (%(default)s)")
    parser.add_argument("--library", metavar="FILE", default="libshadewood.so", help="the library (%(default)s)")
    parser.add_argument("--compiler", metavar="FILE", default="gcc", help="of the generated code (%(default)s)")
    parser.add_argument("--data", choices=["draws", "cancer"], default="draws",
                        help="normal rows with noisy classes, or scikit-learn's breast cancer data of 569 rows and 30 "
                        "attributes (%(default)s)")
    parser.add_argument("--trees", metavar="N", type=int, default=100, help="(%(default)s)")
    parser.add_argument("--depth", metavar="N", type=int, default=6, help="of trees, at most (%(default)s)")
    parser.add_argument("--attributes", metavar="N", type=int, default=30, help="of drawn rows (%(default)s)")
    parser.add_argument("--method", metavar="NAME", default="hist", help="XGBoost's tree_method (%(default)s)")
    parser.add_argument("--train", metavar="N", type=int, default=20000, help="drawn rows to train with (%(default)s)")
    parser.add_argument("--rows", metavar="N", type=int, default=4096, help="to evaluate (%(default)s)")
    parser.add_argument("--records", metavar="N,...", type=lambda text: [int(part) for part in text.split(",")],
                        default=[1], help="rows that a call evaluates (1)")
    parser.add_argument("--rounds", metavar="N", type=int, default=21, help="(%(default)s)")
    parser.add_argument("--json", metavar="FILE", help="write the figures")
    options = parser.parse_args()
    if min(options.trees, options.depth, options.attributes, options.train, options.rows, options.rounds,
           *options.records) < 1 or max(options.records) > options.rows:
        parser.error("numbers must be at least 1, and --records at most --rows")
    return options


def main():
    options = parse_options()
    try:
        modules = import_packages()
        with tempfile.TemporaryDirectory() as folder:
            attributes, measured = measure(modules, options, pathlib.Path(folder))
        result = {name: getattr(options, name) for name in ("data", "trees", "depth", "method", "rows", "rounds")}
        result |= {"attributes": attributes, "load": os.getloadavg()[0], "processors": os.cpu_count(), "measured": measured}
        print_table(result)
        if options.json is not None:
            pathlib.Path(options.json).write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    except (Failure, OSError) as error:
        print(f"record-generated: {error}", file=sys.stderr)
        return 1
    return 0


sys.exit(main())
