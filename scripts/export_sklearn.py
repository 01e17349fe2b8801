#!/usr/bin/env python3
"""Writes a fitted model of scikit-learn as trees in arrays, which `shadewood import` reads (docs/record-import.md).

Models: DecisionTree, ExtraTree, RandomForest, ExtraTrees, GradientBoosting and HistGradientBoosting, each a classifier
or a regressor. Pickled models are loaded by joblib, which runs code in them: load only files that you trust.

usage: export_sklearn.py MODEL.joblib|MODEL.pkl OUT.json
or, in Python: from export_sklearn import export; export(model, "out.json")"""

import json
import sys


class CannotExport(ValueError):
    """The model has something that record forests do not."""


def tree_of(arrays, values, output=0):
    """A tree from scikit-learn's `tree_` and its values, a number or a list of numbers for each node."""
    tree = {"children_left": arrays.children_left.tolist(), "children_right": arrays.children_right.tolist(),
            "feature": [max(feature, 0) for feature in arrays.feature.tolist()],
            "threshold": arrays.threshold.tolist(), "value": values.tolist(), "output": output}
    if hasattr(arrays, "missing_go_to_left"):  # scikit-learn 1.3 and later
        tree["missing_go_to_left"] = arrays.missing_go_to_left.tolist()
    return tree


def histogram_tree_of(nodes, output):
    """The same from the nodes of a predictor of HistGradientBoosting."""
    if nodes["is_categorical"].any():
        raise CannotExport("categorical splits cannot be exported")
    leaf = nodes["is_leaf"] != 0
    return {"children_left": [-1 if is_leaf else int(left) for is_leaf, left in zip(leaf, nodes["left"])],
            "children_right": [-1 if is_leaf else int(right) for is_leaf, right in zip(leaf, nodes["right"])],
            "feature": [0 if is_leaf else int(index) for is_leaf, index in zip(leaf, nodes["feature_idx"])],
            "threshold": [0.0 if is_leaf else float(limit) for is_leaf, limit in zip(leaf, nodes["num_threshold"])],
            "value": nodes["value"].tolist(), "output": output,
            "missing_go_to_left": nodes["missing_go_to_left"].tolist()}


def refuse(model, reason):
    raise CannotExport(f"{type(model).__name__} {reason}")


def describe_forest(model, trees, is_classifier):
    """Decision trees, and forests that average them."""
    if is_classifier and isinstance(model.classes_, list):
        refuse(model, "of several outputs cannot be exported")
    return {"combine": "mean", "leaves": "shares" if is_classifier else "values",
            "outputs": trees[0].value.size // trees[0].node_count,
            "trees": [tree_of(tree, tree.value.reshape(tree.node_count, -1)) for tree in trees]}


def describe_boosting(model):
    """GradientBoosting: a number to begin with, and trees whose values are multiplied by the learning rate."""
    import numpy
    from sklearn import __version__ as version
    if not isinstance(model.init_, str) and type(model.init_).__name__ not in ("DummyClassifier", "DummyRegressor"):
        refuse(model, f"that begins with the estimator {type(model.init_).__name__} cannot be exported")
    outputs = model.estimators_.shape[1]
    base = model._raw_predict_init(numpy.zeros((1, model.n_features_in_), dtype=numpy.float32))
    description = {"outputs": outputs, "base": base.reshape(-1).tolist(), "trees": []}
    for stage in model.estimators_:
        for output, estimator in enumerate(stage):
            values = estimator.tree_.value[:, 0, 0] * model.learning_rate
            description["trees"].append(tree_of(estimator.tree_, values, output))
    if hasattr(model, "classes_"):
        description["link"] = "logistic" if outputs == 1 else "softmax"
        if model.loss == "exponential":
            description["link_scale"] = 2
        takes_zero = model.loss == "exponential" or tuple(map(int, version.split(".")[:2])) >= (1, 4)
        if takes_zero and outputs == 1:
            description["cut"] = -1e-300  # class 1 at exactly 0, too
    return description


def describe_histogram_boosting(model):
    import numpy
    links = {"IdentityLink": "identity", "LogLink": "exp", "LogitLink": "logistic", "HalfLogitLink": "logistic",
             "MultinomialLogit": "softmax"}
    link = type(model._loss.link).__name__
    if link not in links:
        refuse(model, f"with {link} cannot be exported")
    if getattr(model, "is_categorical_", None) is not None:
        refuse(model, "with categorical features cannot be exported")
    return {"outputs": model.n_trees_per_iteration_, "link": links[link],
            "base": numpy.asarray(model._baseline_prediction, dtype=float).reshape(-1).tolist(),
            "trees": [histogram_tree_of(predictor.nodes, output)
                      for stage in model._predictors for output, predictor in enumerate(stage)]}


def describe(model):
    """The model as what JSON holds."""
    import sklearn
    name, is_classifier = type(model).__name__, hasattr(model, "classes_")
    if name.startswith("HistGradientBoosting"):
        description = describe_histogram_boosting(model)
    elif name.startswith("GradientBoosting"):
        description = describe_boosting(model)
    elif hasattr(model, "tree_"):
        description = describe_forest(model, [model.tree_], is_classifier)
    elif name.startswith(("RandomForest", "ExtraTrees")):
        description = describe_forest(model, [tree.tree_ for tree in model.estimators_], is_classifier)
    else:
        raise CannotExport(f"models of the type {name} cannot be exported")
    head = {"format": "record-trees", "version": 1, "program": f"scikit-learn {sklearn.__version__} {name}",
            "task": "classes" if is_classifier else "values",
            "attributes": [str(text) for text in getattr(model, "feature_names_in_", [])] or model.n_features_in_}
    if is_classifier and len(model.classes_) < 2:
        refuse(model, "of one class cannot be exported")
    if is_classifier:
        head["classes"] = [str(text) for text in model.classes_]
    return {**head, **description}


def export(model, path):
    description = describe(model)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(description, file)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    import joblib
    try:
        export(joblib.load(sys.argv[1]), sys.argv[2])
    except CannotExport as error:
        sys.exit(str(error))
