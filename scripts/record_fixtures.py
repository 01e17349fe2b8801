#!/usr/bin/env python3
"""Makes the models in tests/formats/models, and what the programs that made them say about records.

NAME.json or NAME.ubj is a model of XGBoost's, or of scikit-learn's as export_sklearn.py writes it; NAME.bin has, all
little-endian: int32 numbers of records, attributes, trees (0: the program does not tell leaves), predictions per record
and classes per record (1 or 0); the records as float32; per record the leaf in each tree as int32; the predictions as
float64; the classes as int32. Records are generated. Some have an attribute that equals a threshold, or is the float32
above or below one; some lack attributes (NaN).

Made with XGBoost 1.7.4 and scikit-learn 1.2.1. Other versions train other trees.

usage: record_fixtures.py FOLDER"""

import json
import pathlib
import sys

import numpy
import sklearn.ensemble
import sklearn.tree
import xgboost

from export_sklearn import describe, export

RECORDS = 48
ATTRIBUTES = 5


def records_of(random, missing):
    records = numpy.round(random.randn(400, ATTRIBUTES) * [1, 10, 1e-3, 1e4, 3], 4).astype(numpy.float32)
    records[random.rand(*records.shape) < missing] = numpy.nan
    return records


def targets_of(records):
    scaled = numpy.nan_to_num(records) / [1, 10, 1e-3, 1e4, 3]
    return scaled[:, 0] + scaled[:, 1] * scaled[:, 2] - scaled[:, 3] * (scaled[:, 4] > 0)


def with_edges(random, records, tests):
    """Some of the records, with attributes at thresholds: `tests` are pairs of attribute and threshold."""
    chosen = records[random.randint(0, len(records), RECORDS)].copy()
    for record in chosen:
        attribute, limit = tests[random.randint(len(tests))]
        limit = numpy.float32(limit)
        below, above = (numpy.nextafter(limit, numpy.float32(end)) for end in (-numpy.inf, numpy.inf))
        record[attribute] = (limit, below, above)[random.randint(3)]
    return chosen


def write(path, records, leaves, predictions, classes=None):
    leaves = numpy.zeros((len(records), 0)) if leaves is None else leaves.reshape(len(records), -1)
    predictions = numpy.asarray(predictions, dtype=float).reshape(len(records), -1)
    head = [*records.shape, leaves.shape[1], predictions.shape[1], int(classes is not None)]
    parts = [numpy.array(head, "<i4"), records.astype("<f4"), leaves.astype("<i4"), predictions.astype("<f8")]
    if classes is not None:
        parts.append(classes.astype("<i4"))
    path.with_suffix(".bin").write_bytes(b"".join(part.tobytes() for part in parts))


def tests_of_booster(path):
    booster = json.loads(path.read_text())["learner"]["gradient_booster"]
    trees = booster.get("gbtree", booster)["model"]["trees"]
    return [(attribute, limit) for tree in trees for attribute, limit, left in
            zip(tree["split_indices"], tree["split_conditions"], tree["left_children"]) if left >= 0]


def labels_of(objective, target):
    if objective.startswith("binary:") or objective == "reg:logistic":
        return target > 0.2
    if objective.startswith("multi:"):
        return numpy.digitize(target, [-0.7, 0.7])
    if objective.startswith("rank:"):
        return target > 0.5
    if objective in ("reg:squarederror", "reg:absoluteerror", "reg:pseudohubererror"):
        return target
    return numpy.exp(numpy.clip(target, -2, 2))


def classes_of(objective, predictions):
    if objective == "binary:logistic":
        return predictions > 0.5
    if objective in ("binary:logitraw", "binary:hinge"):
        return predictions > 0
    if objective == "multi:softprob":
        return predictions.argmax(axis=1)
    return predictions if objective == "multi:softmax" else None


def make_xgboost(folder, name, parameters, rounds, ending, missing=0.1, labels=None, **columns):
    random = numpy.random.RandomState(sum(map(ord, name)))
    records = records_of(random, missing)
    if "feature_types" in columns:  # attribute 1 is a category
        records[:, 1] = random.randint(0, 9, len(records))
        records[::17, 1] = numpy.nan
        labels = targets_of(records) + numpy.isin(records[:, 1], (1, 4, 5, 8)) * 3
    objective = parameters["objective"]
    if labels is None:
        labels = labels_of(objective, targets_of(records))
    data = xgboost.DMatrix(records, label=None if objective == "survival:aft" else labels, **columns)
    if objective == "survival:aft":
        data.set_float_info("label_lower_bound", labels)
        data.set_float_info("label_upper_bound", labels * 2)
    if objective.startswith("rank:"):
        data.set_group([10] * 40)
    booster = xgboost.train({"max_depth": 3, "eta": 0.5, "verbosity": 0, **parameters}, data, rounds)
    booster.save_model(folder / "thresholds.json")
    chosen = with_edges(random, records, tests_of_booster(folder / "thresholds.json"))
    (folder / "thresholds.json").unlink()
    if "feature_types" in columns:
        chosen[:, 1] = random.choice([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 31, 4.75, 1e6, numpy.nan], RECORDS)
    booster.save_model(folder / f"{name}.{ending}")
    data = xgboost.DMatrix(chosen, **columns)
    predictions = booster.predict(data)
    shown = booster.predict(data, output_margin=True) if objective == "binary:hinge" else predictions
    if objective == "binary:logistic" and predictions.ndim == 1:
        shown = numpy.stack([1 - predictions.astype(float), predictions], axis=1)
    if objective == "multi:softmax":
        margin = booster.predict(data, output_margin=True).astype(float)
        shown = numpy.exp(margin) / numpy.exp(margin).sum(axis=1, keepdims=True)
    write(folder / name, chosen, booster.predict(data, pred_leaf=True), shown,
          classes_of(objective, predictions) if predictions.ndim == 1 or objective.startswith("multi") else None)


def make_sklearn(folder, name, model, classes=0, missing=0.0, labels=None):
    random = numpy.random.RandomState(sum(map(ord, name)))
    records = records_of(random, missing)
    target = targets_of(records)
    if classes:
        target = numpy.digitize(target, numpy.linspace(-1, 1, classes + 1)[1:-1])
    model.fit(records, labels(target) if labels else target)
    export(model, folder / f"{name}.json")
    tests = [(attribute, limit) for tree in describe(model)["trees"] for attribute, limit, left in
             zip(tree["feature"], tree["threshold"], tree["children_left"]) if left >= 0]
    chosen = with_edges(random, records, tests)
    leaves = model.apply(chosen) if hasattr(model, "apply") else None
    if classes:
        write(folder / name, chosen, leaves, model.predict_proba(chosen),
              numpy.searchsorted(model.classes_, model.predict(chosen)))
    else:
        write(folder / name, chosen, leaves, model.predict(chosen))


def make_all_xgboost(folder):
    for objective in ("squaredlogerror", "logistic", "pseudohubererror", "absoluteerror", "gamma", "tweedie"):
        make_xgboost(folder, f"xgboost-reg-{objective}", {"objective": f"reg:{objective}", "max_depth": 2}, 2, "ubj")
    for objective in ("binary:logitraw", "binary:hinge", "multi:softmax", "count:poisson", "survival:cox",
                      "survival:aft", "rank:pairwise", "rank:ndcg", "rank:map"):
        parameters = {"objective": objective, "max_depth": 2}
        if objective == "multi:softmax":
            parameters["num_class"] = 3
        make_xgboost(folder, f"xgboost-{objective.replace(':', '-')}", parameters, 2, "ubj")
    make_xgboost(folder, "xgboost-squarederror", {"objective": "reg:squarederror", "base_score": 0.7, "max_depth": 4},
                 4, "json", 0.2)
    make_xgboost(folder, "xgboost-dart",
                 {"objective": "binary:logistic", "booster": "dart", "rate_drop": 0.5, "base_score": 0.3}, 4, "ubj",
                 feature_names=["age", "größe", "x 3", "d", "e"])
    make_xgboost(folder, "xgboost-parallel",
                 {"objective": "multi:softprob", "num_class": 3, "num_parallel_tree": 2, "subsample": 0.7}, 2, "json")
    random = numpy.random.RandomState(5)
    make_xgboost(folder, "xgboost-targets", {"objective": "reg:squarederror"}, 2, "json",
                 labels=random.randn(400, 2))
    make_xgboost(folder, "xgboost-labels", {"objective": "binary:logistic"}, 2, "ubj",
                 labels=(random.randn(400, 3) > 0).astype(int))
    make_xgboost(folder, "xgboost-categories",
                 {"objective": "reg:squarederror", "tree_method": "hist", "max_cat_to_onehot": 1}, 3, "json",
                 feature_types=["q", "c", "q", "q", "q"], enable_categorical=True)
    make_xgboost(folder, "xgboost-one-category",
                 {"objective": "reg:squarederror", "tree_method": "hist", "max_cat_to_onehot": 99}, 3, "ubj",
                 feature_types=["q", "c", "q", "q", "q"], enable_categorical=True)


def make_all_sklearn(folder):
    ensemble, tree = sklearn.ensemble, sklearn.tree
    small = {"random_state": 1, "max_depth": 3}
    several = {**small, "n_estimators": 3}
    make_sklearn(folder, "sklearn-tree-classes", tree.DecisionTreeClassifier(**small), 3)
    make_sklearn(folder, "sklearn-tree-values", tree.DecisionTreeRegressor(**small),
                 labels=lambda target: numpy.stack([target, target * target], axis=1))
    make_sklearn(folder, "sklearn-forest-classes", ensemble.RandomForestClassifier(**several), 4,
                 labels=lambda target: numpy.array(["ash", "beech", "cedar", "oak"])[target])
    make_sklearn(folder, "sklearn-forest-values", ensemble.RandomForestRegressor(**several))
    make_sklearn(folder, "sklearn-extra-classes", ensemble.ExtraTreesClassifier(**several), 2)
    make_sklearn(folder, "sklearn-extra-values", ensemble.ExtraTreesRegressor(**several))
    make_sklearn(folder, "sklearn-boosting-binary", ensemble.GradientBoostingClassifier(**several), 2)
    make_sklearn(folder, "sklearn-boosting-exponential",
                 ensemble.GradientBoostingClassifier(loss="exponential", **several), 2)
    make_sklearn(folder, "sklearn-boosting-classes", ensemble.GradientBoostingClassifier(**several), 3)
    make_sklearn(folder, "sklearn-boosting-values", ensemble.GradientBoostingRegressor(**several))
    histogram = {"random_state": 1, "max_depth": 3, "max_iter": 3}
    make_sklearn(folder, "sklearn-histogram-binary", ensemble.HistGradientBoostingClassifier(**histogram), 2, 0.2)
    make_sklearn(folder, "sklearn-histogram-classes", ensemble.HistGradientBoostingClassifier(**histogram), 3, 0.2)
    make_sklearn(folder, "sklearn-histogram-values",
                 ensemble.HistGradientBoostingRegressor(loss="poisson", **histogram), 0, 0.2, numpy.exp)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    output = pathlib.Path(sys.argv[1])
    output.mkdir(parents=True, exist_ok=True)
    make_all_xgboost(output)
    make_all_sklearn(output)
