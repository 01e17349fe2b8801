"""Record forests: the same bytes as the program, models of other programs in memory, scikit-learn's conventions."""

import json
import pickle
import sys
import warnings

import numpy as np
import pytest

import shadewood
from conftest import ROOT
from shadewood import RecordForestClassifier, RecordForestRegressor

MODELS = ROOT / "tests/formats/models"


@pytest.fixture(scope="module")
def table():
    generator = np.random.default_rng(2)
    X = generator.normal(size=(300, 6)).astype(np.float32)
    X[generator.random(X.shape) < 0.05] = np.nan
    y = (np.nan_to_num(X[:, 0]) + np.nan_to_num(X[:, 1]) ** 2 > 0.6).astype(int) + (np.nan_to_num(X[:, 2]) > 1)
    return X, y


def write_csv(path, X, y):
    rows = [[f"a{i}" for i in range(X.shape[1])] + ["class"]]
    rows += [["" if np.isnan(v) else repr(float(v)) for v in x] + [str(c)] for x, c in zip(X, y)]
    path.write_text("\n".join(",".join(row) for row in rows) + "\n")


class Frame:
    """What of pandas' data frames is read: names of columns, and the numbers. pandas itself is not needed."""

    def __init__(self, array, columns):
        self.array, self.columns = array, columns

    def __array__(self, dtype=None):
        return np.asarray(self.array, dtype)


@pytest.mark.parametrize("settings, options", [
    ({}, []),
    ({"criterion": "gini", "weights": "inverse", "attributes": "all", "records": 80, "leaves": 20, "min_samples": 2},
     ["--score", "gini", "--weights", "inverse", "--attributes", "all", "--records", "80", "--leaves", "20",
      "--min-samples", "2"]),
    ({"depth": 4, "bins": 40, "seed": 9, "attributes": 2}, ["--depth", "4", "--bins", "40", "--seed", "9", "--attributes", "2"]),
])
def test_same_forest_as_the_program(program, table, tmp_path, settings, options):
    X, y = table
    write_csv(tmp_path / "table.csv", X, y)
    output = tmp_path / "theirs.ktx2"
    program("train-records", tmp_path / "table.csv", "--target", "class", "--trees", 12, *options, "--output", output)
    ours = RecordForestClassifier(trees=12, **settings).fit(Frame(X, [f"a{i}" for i in range(6)]), y)
    ours.save(tmp_path / "ours.ktx2")
    assert (tmp_path / "ours.ktx2").read_bytes() == output.read_bytes()
    assert ours.hash_ == json.loads(program("inspect", "--json", output))["hash"]
    program("records", tmp_path / "ours.ktx2", tmp_path / "table.csv", "--write", "classes,probabilities,leaves",
            "--output", tmp_path / "results.npy")
    leaves, classes, shares = (np.load(tmp_path / f"results_{kind}.npy") for kind in ("leaves", "classes", "probabilities"))
    assert np.array_equal(leaves, ours.apply(X)) and np.array_equal(shares, ours.predict_proba(X))
    assert np.array_equal(classes.reshape(-1), ours.predict(X))
    dense = ours.apply(X, dense=True)
    assert dense.min() == 0 and all(len(set(zip(dense[:, t], leaves[:, t]))) == len(set(leaves[:, t])) for t in range(12))


def test_arrays_as_they_come(table):
    X, y = table
    forest = RecordForestClassifier(trees=5).fit(X, y)
    expected = forest.predict_proba(X)
    wide = np.zeros((300, 9), np.float32)
    wide[:, 1:7] = X
    for same in (np.asfortranarray(X), wide[:, 1:7], X.astype(float), np.repeat(X, 2, axis=0)[::2], X[::-1].copy()[::-1],
                 X.astype(">f4"), X.tolist(), X.astype(object)):
        assert np.array_equal(forest.predict_proba(same), expected)
        assert RecordForestClassifier(trees=5).fit(same, y).hash_ == forest.hash_
    for row in range(3):
        assert np.array_equal(forest.predict_proba(X[row:row + 1]), expected[row:row + 1])
    assert np.abs(expected.sum(axis=1) - 1).max() < 1e-6
    filled = RecordForestClassifier.from_bytes(forest.to_bytes(), missing=-999)
    assert np.array_equal(filled.predict_proba(np.where(np.isnan(X), -999, X)), expected)


def test_records_are_not_copied():
    from shadewood import _tables

    base = np.zeros((20, 30), np.float32)
    for view in (base, base.T, base[::2, 3:], base[:, 4:5]):
        assert np.shares_memory(_tables.as_records(view, ""), base)
    assert not np.shares_memory(_tables.as_records(base[::-1], ""), base)


def test_many_records(table, monkeypatch):
    """Where there is much to do, a thread of its own does it, so that Ctrl+C is noticed."""
    X, y = table
    forest = RecordForestClassifier(trees=5).fit(X, y)
    expected = forest.predict(X)
    monkeypatch.setattr(shadewood.records, "_SHORT", 1)
    assert np.array_equal(forest.predict(X), expected)
    with monkeypatch.context() as patched:
        patched.setattr(shadewood._core, "await_release", interrupted_wait)
        with pytest.raises(KeyboardInterrupt):
            forest.predict(np.tile(X, (400, 1)))
    assert np.array_equal(forest.predict(X), expected)


def interrupted_wait(lock):
    """Ctrl+C while the main thread waits for the work."""
    raise KeyboardInterrupt


def test_techniques_agree(table):
    X, y = table
    forest = RecordForestClassifier(trees=5, technique="cpu").fit(X, y)
    for technique in ("serial", "auto", "compute", "speculative", "windowed", "fragment"):
        other = RecordForestClassifier.from_bytes(forest.to_bytes(), technique=technique)
        try:
            assert np.array_equal(other.predict_proba(X), forest.predict_proba(X))
        except shadewood.NoDeviceError:
            assert technique not in ("serial", "auto")


def test_classes_of_any_type(table):
    X, y = table
    for labels in (y * 10 - 3, np.array(["low", "mid", "high"])[y], y > 0, y.astype(float), (y > 0).astype(np.uint8)):
        forest = RecordForestClassifier(trees=20).fit(X, labels)
        assert np.array_equal(forest.classes_, np.unique(labels))
        assert forest.predict(X).dtype == np.unique(labels).dtype
        assert forest.score(X, labels) > 0.9
    with pytest.raises(ValueError, match="continuous"):
        RecordForestClassifier().fit(X, y + 0.5)
    with pytest.raises(ValueError, match="one class"):
        RecordForestClassifier().fit(X, y * 0)


def test_out_of_bag_progress_and_pickle(table):
    X, y = table
    seen = []
    forest = RecordForestClassifier(trees=20, out_of_bag=True).fit(X, np.array(["x", "y", "z"])[y], progress=seen.append)
    assert 0.5 < forest.oob_score_ < 1 and seen[-1].fraction == 1 and seen[-1].trees == 20
    other = pickle.loads(pickle.dumps(forest))
    assert other.oob_score_ == forest.oob_score_ and other.get_params() == forest.get_params()
    assert np.array_equal(other.predict(X), forest.predict(X)) and other.to_bytes() == forest.to_bytes()
    with pytest.raises(shadewood.Cancelled):
        RecordForestClassifier().fit(X, y, progress=lambda progress: False)


def test_names_of_columns(table):
    X, y = table
    names = ["width", "height", "area", "d", "e", "f"]
    forest = RecordForestClassifier(trees=3).fit(Frame(X, names), y)
    assert list(forest.feature_names_in_) == names
    assert list(RecordForestClassifier.from_bytes(forest.to_bytes()).feature_names_in_) == names
    forest.predict(Frame(X, names))
    with pytest.raises(ValueError, match="feature names"):
        forest.predict(Frame(X, names[::-1]))


@pytest.mark.parametrize("name, is_classifier", [
    ("RandomForestClassifier", True), ("ExtraTreesClassifier", True), ("DecisionTreeClassifier", True),
    ("GradientBoostingClassifier", True), ("HistGradientBoostingClassifier", True), ("RandomForestRegressor", False),
    ("GradientBoostingRegressor", False), ("HistGradientBoostingRegressor", False)])
def test_models_of_scikit_learn(table, name, is_classifier):
    ensemble, tree = pytest.importorskip("sklearn.ensemble"), pytest.importorskip("sklearn.tree")
    X, y = np.nan_to_num(table[0]), table[1]
    kind = getattr(ensemble, name, None) or getattr(tree, name)
    settings = {} if name.startswith("Decision") else {"max_iter": 10} if name.startswith("Hist") else {"n_estimators": 10}
    if is_classifier:
        model = kind(random_state=1, **settings).fit(X, y * 2 + 1)
        forest = RecordForestClassifier.from_sklearn(model)
        assert list(forest.classes_) == [1, 3, 5] and forest.n_features_in_ == 6
        assert np.abs(forest.predict_proba(X) - model.predict_proba(X)).max() < 1e-6
        assert np.array_equal(forest.predict(X), model.predict(X))
    else:
        model = kind(random_state=1, **settings).fit(X, X[:, 0] + y)
        forest = RecordForestRegressor.from_sklearn(model)
        assert np.abs(forest.predict(X) - model.predict(X)).max() < 1e-6
        assert forest.score(X, X[:, 0] + y) == pytest.approx(model.score(X, X[:, 0] + y), abs=1e-5)
        with pytest.raises(shadewood.FormatError, match="RecordForestRegressor"):
            RecordForestClassifier.from_sklearn(model)
    if hasattr(model, "apply") and name.startswith(("Random", "Extra", "Decision")):
        assert np.array_equal(forest.apply(X), model.apply(X).reshape(len(X), -1))


def test_models_that_cannot_be():
    linear = pytest.importorskip("sklearn.linear_model")
    with pytest.raises(ValueError, match="LinearRegression"):
        RecordForestRegressor.from_sklearn(linear.LinearRegression().fit([[0], [1]], [0, 1]))
    with pytest.raises(shadewood.FormatError):
        RecordForestClassifier.from_onnx(b"no model")


def test_models_of_xgboost(table):
    xgboost = pytest.importorskip("xgboost")
    X, y = table
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = xgboost.XGBClassifier(n_estimators=10, max_depth=4).fit(X, y)
        forest = RecordForestClassifier.from_xgboost(model)
        assert np.abs(forest.predict_proba(X) - model.predict_proba(X)).max() < 1e-6
        assert np.array_equal(forest.predict(X), model.predict(X)) and list(forest.classes_) == [0, 1, 2]
        booster = xgboost.train({"objective": "reg:squarederror"}, xgboost.DMatrix(X, label=y), 10)
        values, leaves = booster.predict(xgboost.DMatrix(X)), booster.predict(xgboost.DMatrix(X), pred_leaf=True)
        regressor = RecordForestRegressor.from_xgboost(booster)
        assert np.abs(regressor.predict(X) - values).max() < 1e-5
        assert np.array_equal(regressor.apply(X), leaves)
    assert np.array_equal(pickle.loads(pickle.dumps(regressor)).predict(X), regressor.predict(X))


class Booster:
    """A stand-in for lightgbm.Booster, which Debian does not have: of it only model_to_string() is called."""

    def __init__(self, path):
        self.text = path.read_text()

    def model_to_string(self):
        return self.text


def fixtures(ending):
    return sorted(MODELS.glob(f"*{ending}"))


def test_models_of_lightgbm_and_onnx(program, tmp_path):
    """In memory they are what the program makes of their files."""
    found = 0
    for path in [*fixtures(".txt"), *fixtures(".onnx")]:
        program("import", path, "--output", tmp_path / "forest.ktx2", "--overwrite")
        loaded = None
        for kind in (RecordForestClassifier, RecordForestRegressor):
            try:
                loaded = kind.load(path)
            except shadewood.FormatError:
                continue
        made = type(loaded).from_onnx(path.read_bytes()) if path.suffix == ".onnx" else \
            type(loaded).from_lightgbm(Booster(path))
        assert made.hash_ == loaded.hash_ == json.loads(program("inspect", "--json", tmp_path / "forest.ktx2"))["hash"]
        found += 1
    assert found > 3


def test_onnx_objects():
    onnx = pytest.importorskip("onnx")
    path = fixtures(".onnx")[0]
    for kind in (RecordForestClassifier, RecordForestRegressor):
        try:
            expected = kind.load(path)
        except shadewood.FormatError:
            continue
        assert kind.from_onnx(onnx.load(str(path))).hash_ == expected.hash_


def test_scikit_learn_accepts_it():
    checks = pytest.importorskip("sklearn.utils.estimator_checks")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for estimator, check in checks.check_estimator(RecordForestClassifier(trees=10), generate_only=True):
            try:
                check(estimator)
            except Exception as error:
                assert type(error).__name__ == "SkipTest" and "pandas" in str(error), (check, error)


def test_in_a_pipeline(table):
    selection = pytest.importorskip("sklearn.model_selection")
    X, y = table
    search = selection.GridSearchCV(RecordForestClassifier(trees=10), {"depth": [1, 8]}, cv=3).fit(X, y)
    assert search.best_params_ == {"depth": 8} and search.best_score_ > 0.7


def test_errors(table, tmp_path):
    X, y = table
    forest = RecordForestClassifier(trees=3).fit(X, y)
    with pytest.raises(ValueError, match="4 features"):
        forest.predict(X[:, :4])
    with pytest.raises(ValueError, match="not fitted"):
        RecordForestClassifier().predict(X)
    with pytest.raises(shadewood.FileError):
        RecordForestClassifier.load(tmp_path / "none")
    for wrong in (dict(trees=0), dict(depth=65), dict(attributes=7), dict(attributes="some"), dict(technique="fragment"),
                  dict(criterion="x"), dict(records=101), dict(records=100, out_of_bag=True), dict(weights=[1, 2])):
        with pytest.raises((ValueError, TypeError)):
            RecordForestClassifier(**wrong).fit(X, y)
    with pytest.raises(ValueError):
        forest.predict(X[0])
    with pytest.raises(ValueError):
        RecordForestClassifier().fit(X, y[:-1])


@pytest.mark.parametrize("weights", [[], [1.0], [1.0, 2.0], [1.0, 2.0, 3.0, 4.0]])
def test_a_weight_for_each_class(table, weights):
    with pytest.raises(ValueError, match=f"^there are {len(weights)} weights and 3 classes$"):
        RecordForestClassifier(trees=1, weights=weights).fit(*table)


@pytest.mark.parametrize("name, value", [("seed", -1), ("leaves", 2**32), ("threads", "two"), ("memory", 0.5)])
def test_refused_parameters_have_a_name(table, name, value):
    with pytest.raises((ValueError, TypeError), match=f"^{name} is {value!r}, "):
        RecordForestClassifier(trees=1, technique="cpu", **{name: value}).fit(*table)


def test_names_with_a_null_character(table):
    X, y = table
    with pytest.raises(ValueError, match="name of a class 'a.x00b' contains a null character"):
        RecordForestClassifier(trees=1).fit(X, np.where(y == y[0], "a\0b", "c"))


def test_masked_records_are_missing(table):
    X, y = table
    hidden = np.random.default_rng(5).random(X.shape) < 0.1
    missing = np.where(hidden, np.nan, X)
    settings = dict(trees=3, technique="cpu")
    forest = RecordForestClassifier(**settings).fit(np.ma.masked_array(X, hidden), y)
    assert forest.hash_ == RecordForestClassifier(**settings).fit(missing, y).hash_
    assert (forest.predict(np.ma.masked_array(X, hidden)) == forest.predict(missing)).all()
    with pytest.raises(ValueError, match="hides classes"):
        RecordForestClassifier(**settings).fit(X, np.ma.masked_array(y, hidden[:, 0]))


def test_path_with_a_null_character(table, tmp_path):
    forest = RecordForestClassifier(trees=1, technique="cpu").fit(*table)
    with pytest.raises(ValueError, match="null character"):
        forest.save(tmp_path / "a\0b")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("classes", [[-1, 0, 1], [0.0, 1.0, 3.0], [False, True], ["a", "b", "1"], ["01", "2"]])
def test_classes_of_a_file(tmp_path, classes):
    y = np.array(classes)[np.arange(60) % len(classes)]
    X = np.stack([np.arange(60) % len(classes), np.arange(60)], 1).astype(np.float32)
    forest = RecordForestClassifier(trees=3, technique="cpu").fit(X, y)
    forest.save(tmp_path / "forest.ktx2")
    loaded = RecordForestClassifier.load(tmp_path / "forest.ktx2")
    assert loaded.classes_.tolist() == forest.classes_.tolist() and loaded.score(X, y) == forest.score(X, y) == 1


def test_devices_stay(table):
    with pytest.raises(shadewood.FileError, match="cannot write /dev/null: it is not a regular file"):
        RecordForestClassifier(trees=1, technique="cpu").fit(*table).save("/dev/null")
