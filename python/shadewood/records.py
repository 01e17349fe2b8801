"""Forests on rows of attributes: trained here, or models of other programs."""

from __future__ import annotations

import json
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Type, TypeVar, Union

import numpy as np

from ._core import TECHNIQUES, Log, PathLike, Source, bytes_of, choose, class_weights, device_for, ffi, lib, params_of, path_bytes, string, text_of, wait
from ._estimator import ForestEstimator
from ._tables import Table, as_classes, as_records, classes_of, column_names
from ._training import ProgressFunction, Rounds
from .errors import FormatError
from .pixel import _CRITERIA, _WEIGHTS

Self = TypeVar("Self", bound="_Records")

_TECHNIQUES = {
    "auto": lib.SHW_RECORD_AUTO,
    "serial": lib.SHW_RECORD_SERIAL,
    "cpu": lib.SHW_RECORD_CPU,
    "compute": lib.SHW_RECORD_COMPUTE,
    "speculative": lib.SHW_RECORD_SPECULATIVE,
    "speculative-mapped": lib.SHW_RECORD_SPECULATIVE_MAPPED,
    "windowed": lib.SHW_RECORD_WINDOWED,
    "fragment": lib.SHW_RECORD_FRAGMENT,
}
_TRAINING = {name: number for name, number in TECHNIQUES.items() if name != "fragment"}

# Parameters whose members of struct shw_record_trainer_params have other names
_ARGUMENTS = {"tree_count": "trees", "leaf_max": "leaves", "records_percent": "records", "samples_min": "min_samples"}

_SHORT = 1 << 20  # records times trees: so many take no time in which Ctrl+C would matter


def _destroy_forest(handle: Any) -> None:
    lib.shw_record_forest_destroy(ffi.new("struct shw_record_forest **", handle))


def _destroy_evaluator(handle: Any) -> None:
    lib.shw_record_evaluator_destroy(ffi.new("struct shw_record_evaluator **", handle))


class _Forest:
    """A record forest of the library, and evaluators that are not in use."""

    def __init__(self, handle: Any) -> None:
        self.handle = ffi.gc(handle, _destroy_forest)
        self.info = lib.shw_record_forest_get_info(self.handle)
        self.predictions = int(lib.shw_record_forest_get_prediction_count(self.handle))
        self.idle: Dict[Tuple[Any, ...], List[Tuple[Any, Log]]] = {}
        self._sources: Optional[List[np.ndarray]] = None

    def sources(self) -> List[np.ndarray]:
        """Of each tree the number that its leaves have in the program that trained it."""
        if self._sources is None:
            size, info = ffi.sizeof("struct shw_record_node"), self.info
            names = ("is_split", "leaf", "source")
            nodes = np.frombuffer(ffi.buffer(info.nodes, size * info.node_count), np.dtype({
                "names": names, "formats": ["?", "u4", "u4"],
                "offsets": [ffi.offsetof("struct shw_record_node", name) for name in names], "itemsize": size}))
            self._sources = []
            for tree in info.trees[0:info.tree_count]:
                leaves = nodes[tree.first_node:tree.first_node + tree.node_count]
                leaves = leaves[~leaves["is_split"]]
                numbers = np.empty(tree.leaf_count, np.uint32)
                numbers[leaves["leaf"]] = leaves["source"]
                self._sources.append(numbers)
        return self._sources


class _Records(ForestEstimator):
    """What classifiers and regressors have in common."""

    _task = lib.SHW_RECORD_CLASSES
    technique: str
    threads: int
    device: int
    missing: Optional[float]

    def _take(self: Self, load: Callable[[Any, Any], int], names: Optional[List[str]] = None) -> Self:
        log, forest = Log(), ffi.new("struct shw_record_forest **")
        log.check(load(log.pointer(), forest))
        taken = _Forest(forest[0])
        if taken.info.task != self._task:
            other = "RecordForestRegressor" if taken.info.task == lib.SHW_RECORD_VALUES else "RecordForestClassifier"
            raise FormatError(f"the model is for a {other}, not for a {type(self).__name__}")
        self._forest = taken
        self.n_features_in_ = int(taken.info.attribute_count)
        if names is None and taken.info.attribute_names != ffi.NULL:
            names = [string(taken.info.attribute_names[i]) for i in range(self.n_features_in_)]
        if names is not None:
            self.feature_names_in_ = np.array(names, object)
        else:
            self.__dict__.pop("feature_names_in_", None)
        self._set_classes()
        return self

    def _set_classes(self) -> None:
        pass

    # --- Models from elsewhere ---

    @classmethod
    def _import(cls: Type[Self], data: bytes, kind: str, name: str, params: Dict[str, Any]) -> Self:
        log = Log()
        source = Source(kind, log, data=data, name=name)

        def load(_: Any, forest: Any) -> int:
            result = int(lib.shw_record_forest_import(source.params, forest))
            log.check(result)
            return result

        return cls(**params)._take(load)

    @classmethod
    def from_xgboost(cls: Type[Self], model: Any, **params: Any) -> Self:
        """The trees of an xgboost.Booster, or of XGBClassifier, XGBRegressor and their like."""
        booster = model.get_booster() if hasattr(model, "get_booster") else model
        made = cls._import(bytes(booster.save_raw("ubj")), "xgboost", "the booster", params)
        return made._keep_classes(model)

    @classmethod
    def from_lightgbm(cls: Type[Self], model: Any, **params: Any) -> Self:
        """The trees of a lightgbm.Booster, or of LGBMClassifier, LGBMRegressor and their like."""
        booster = getattr(model, "booster_", model)
        made = cls._import(booster.model_to_string().encode(), "lightgbm", "the booster", params)
        return made._keep_classes(model)

    @classmethod
    def from_onnx(cls: Type[Self], model: Any, **params: Any) -> Self:
        """The trees of an onnx.ModelProto, or of its bytes."""
        data = model if isinstance(model, (bytes, bytearray, memoryview)) else model.SerializeToString()
        return cls._import(bytes(data), "onnx", "the model", params)

    @classmethod
    def from_sklearn(cls: Type[Self], model: Any, **params: Any) -> Self:
        """A fitted tree, forest, extra trees, gradient boosting or histogram gradient boosting of scikit-learn."""
        from .export_sklearn import describe

        made = cls._import(json.dumps(describe(model)).encode(), "trees", type(model).__name__, params)
        return made._keep_classes(model)

    def _keep_classes(self: Self, model: Any) -> Self:
        """The classes of a model with scikit-learn's conventions, which may be numbers or any other labels."""
        classes = getattr(model, "classes_", None)
        if classes is not None and len(classes) == len(getattr(self, "classes_", ())):
            setattr(self, "classes_", np.asarray(classes))
        return self

    @classmethod
    def load(cls: Type[Self], path: PathLike, **params: Any) -> Self:
        """A .ktx2 file, or a file of any format that ``shadewood import`` reads: models of XGBoost (JSON, UBJSON),
        LightGBM (text), ONNX, and trees in arrays. `params`: technique, threads, device, missing."""
        return cls(**params)._take(lambda log, forest: lib.shw_record_forest_open(path_bytes(path), log, forest))

    @classmethod
    def from_bytes(cls: Type[Self], data: bytes, **params: Any) -> Self:
        """The same from the bytes of a .ktx2 file."""
        return cls(**params)._take(lambda log, forest: lib.shw_record_forest_load_memory(
            ffi.from_buffer(data), len(data), b"forest", log, forest))

    def to_bytes(self) -> bytes:
        """The forest's .ktx2 file."""
        forest = self._fitted()
        return bytes_of(lambda pointer, size: lib.shw_record_forest_save_memory(forest.handle, pointer, size))

    def save(self, path: PathLike) -> None:
        """Writes the forest to a .ktx2 file, which the programs read; replaces it at once, or leaves it as it was."""
        log = Log()
        log.check(lib.shw_record_forest_save(self._fitted().handle, path_bytes(path), log.pointer()))

    def __setstate__(self, state: Dict[str, Any]) -> None:
        data = state.pop("_forest", None)
        if data is not None:
            self._take(lambda log, forest: lib.shw_record_forest_load_memory(
                ffi.from_buffer(data), len(data), b"forest", log, forest))
        self.__dict__.update(state)

    @property
    def hash_(self) -> str:
        """What ``shadewood inspect`` shows: forests with the same hash predict alike."""
        return f"{lib.shw_record_forest_hash(self._fitted().handle):016x}"

    # --- Evaluation ---

    def _evaluator(self, forest: _Forest) -> Tuple[Tuple[Any, ...], Any, Log]:
        technique = choose("technique", self.technique, _TECHNIQUES)
        key = (technique, self.device, self.threads)
        try:
            return (key, *forest.idle.setdefault(key, []).pop())
        except IndexError:
            pass
        wanted = {lib.SHW_RECORD_AUTO: lib.SHW_TECHNIQUE_AUTO, lib.SHW_RECORD_SERIAL: lib.SHW_TECHNIQUE_CPU,
                  lib.SHW_RECORD_CPU: lib.SHW_TECHNIQUE_CPU}.get(technique, lib.SHW_TECHNIQUE_COMPUTE)
        log, evaluator = Log(), ffi.new("struct shw_record_evaluator **")
        params = params_of("struct shw_record_evaluator_params", {
            "forest": forest.handle, "device": device_for(wanted, self.device), "technique": technique,
            "threads": self.threads, "log": log.struct}, {})
        log.check(lib.shw_record_evaluator_create(params, evaluator))
        return key, ffi.gc(evaluator[0], _destroy_evaluator), log

    def _evaluate(self, X: Any, member: str, columns: int, dtype: Any) -> np.ndarray:
        """One kind of results of all records: (records, columns)."""
        forest = self._fitted()
        array = as_records(X, type(self).__name__)
        if array.shape[1] != self.n_features_in_:
            raise ValueError(f"X has {array.shape[1]} features, but {type(self).__name__} is expecting "
                             f"{self.n_features_in_} features as input")
        table = Table(array, self.missing)
        results = np.empty((len(array), columns), dtype)
        key, evaluator, log = self._evaluator(forest)
        records, found = ffi.new("struct shw_records *", table.struct), ffi.new("struct shw_record_results *")
        setattr(found, member, ffi.cast("void *", results.__array_interface__["data"][0]))
        is_long = len(array) * forest.info.tree_count > _SHORT
        log.check(wait(lambda: lib.shw_record_evaluator_run(evaluator, records, found),
                       (lambda: lib.shw_record_evaluator_interrupt(evaluator)) if is_long else None))
        forest.idle[key].append((evaluator, log))
        return results

    def _check_names(self, X: Any) -> None:
        names = column_names(X)
        known = getattr(self, "feature_names_in_", None)
        if names is not None and known is not None and names != list(known):
            raise ValueError("The feature names should match those that were passed during fit: the columns are "
                             f"{names[:5]}, the forest's attributes {list(known)[:5]}")

    def apply(self, X: Any, dense: bool = False) -> np.ndarray:
        """The leaf that each record reaches in each tree: (records, trees) uint32.

        It is the number that the leaf has in the program that trained the tree, as ``shadewood records``, scikit-learn's
        apply() and XGBoost's pred_leaf give it. dense: its number among the leaves of its tree instead, from 0.
        """
        self._check_names(X)
        forest = self._fitted()
        leaves = self._evaluate(X, "leaves", forest.info.tree_count, np.uint32)
        if not dense:
            for tree, numbers in enumerate(forest.sources()):
                leaves[:, tree] = numbers[leaves[:, tree]]
        return leaves


class RecordForestClassifier(_Records):
    """A random forest that predicts the classes of records, or a model of another program that does.

    The parameters are the options of ``shadewood train-records``, with the same names and defaults: the same records,
    parameters and seed make the same forest. Records are float32; other numbers are rounded to it, in a copy. NaN is a
    missing attribute, and so are the number `missing` and what a masked array hides.

    Methods may be called from several threads at a time once the forest is there; fit() is for one thread.

    >>> import numpy as np
    >>> X = np.array([[0.0, 5.0], [1.0, 4.0], [2.0, 6.0], [3.0, 5.0]], np.float32)
    >>> forest = RecordForestClassifier(trees=5, records=100).fit(X, ["low", "low", "high", "high"])
    >>> forest.predict([[0.5, 5.0], [2.5, 5.0]]).tolist()
    ['low', 'high']
    """

    _estimator_type = "classifier"
    _task = lib.SHW_RECORD_CLASSES

    def __init__(self, trees: int = 100, depth: int = 64, seed: int = 0, technique: str = "auto", threads: int = 0, *,
                 leaves: int = 0, attributes: Union[None, int, str] = None, bins: int = 255,
                 criterion: str = "information-gain", records: int = 63, min_samples: int = 1,
                 weights: Union[str, Sequence[float]] = "none", out_of_bag: bool = False,
                 missing: Optional[float] = None, device: int = 0, memory: int = 0) -> None:
        self.trees = trees
        self.depth = depth
        self.seed = seed
        self.technique = technique
        self.threads = threads
        self.leaves = leaves
        self.attributes = attributes
        self.bins = bins
        self.criterion = criterion
        self.records = records
        self.min_samples = min_samples
        self.weights = weights
        self.out_of_bag = out_of_bag
        self.missing = missing
        self.device = device
        self.memory = memory

    def _more_tags(self) -> Dict[str, Any]:
        return {"allow_nan": True, "requires_y": True}

    def _trainer_params(self, attributes: int, classes: int, keep: List[Any]) -> Dict[str, Any]:
        technique = choose("technique", self.technique, _TRAINING)
        for name in ("trees", "depth", "bins", "records", "min_samples"):
            value = getattr(self, name)
            if not isinstance(value, (int, np.integer)) or value < 1:
                raise ValueError(f"{name} is {value!r}: it is a number from 1 on")
        if isinstance(self.weights, str):
            weighting, each_weight = choose("weights", self.weights, _WEIGHTS), ffi.NULL
        else:
            weighting, each_weight = lib.SHW_WEIGHTING_GIVEN, class_weights(self.weights, classes)
            keep.append(each_weight)
        wanted = self.attributes
        if isinstance(wanted, str) and wanted != "all":
            raise ValueError(f"attributes is a number, 'all' or None, not {wanted!r}")
        if not isinstance(wanted, str) and wanted is not None and not 1 <= wanted <= attributes:
            raise ValueError(f"attributes is {wanted!r}, and records have {attributes}")
        return {
            "tree_count": self.trees, "depth": self.depth, "leaf_max": self.leaves, "bins": self.bins,
            "attributes": lib.SHW_RECORD_ATTRIBUTES_ALL if wanted == "all" else wanted or 0,
            "score": choose("criterion", self.criterion, _CRITERIA), "records_percent": self.records,
            "samples_min": self.min_samples, "weighting": weighting, "class_weights": each_weight,
            "out_of_bag": self.out_of_bag, "seed": self.seed, "technique": technique,
            "device": device_for(technique, self.device), "memory": self.memory, "threads": self.threads}

    def fit(self, X: Any, y: Any, *, progress: Optional[ProgressFunction] = None) -> "RecordForestClassifier":
        """Trains the forest.

        X: (records, attributes); float32 is read where it is, whatever its strides. NaN is missing. The names of a data
            frame's columns go into the forest.
        y: (records,) classes: whole numbers or texts, in the order of np.unique().
        progress: called with a Progress after each round, on this thread; if it returns False, training ends with
            Cancelled. So it does with KeyboardInterrupt, soon, by Ctrl+C.
        """
        array = as_records(X, type(self).__name__)
        classes, numbers = as_classes(y, len(array), type(self).__name__)
        names, keep = column_names(X), []  # type: Optional[List[str]], List[Any]
        table, log = Table(array, self.missing), Log()
        examples = ffi.new("struct shw_record_examples *", {
            "records": table.struct, "classes": ffi.cast("uint32_t *", numbers.__array_interface__["data"][0]),
            "class_count": len(classes), "attribute_names": _texts(names, keep, "the name of an attribute"),
            "class_names": _texts([str(each) for each in classes.tolist()], keep, "the name of a class")})
        rounds = Rounds(log, progress)
        params = params_of("struct shw_record_trainer_params", {
            **self._trainer_params(array.shape[1], len(classes), keep), **rounds.parameters(), "log": log.struct},
            _ARGUMENTS)
        trainer = ffi.new("struct shw_record_trainer **")
        out_of_bag = ffi.new("struct shw_record_out_of_bag *")
        log.check(lib.shw_record_trainer_create(params, examples, trainer))
        try:
            rounds.run(trainer[0], lib.shw_record_trainer_step, lib.shw_record_trainer_interrupt)
            if self.out_of_bag:
                log.check(lib.shw_record_trainer_get_out_of_bag(trainer[0], out_of_bag))
            self._take(lambda _, forest: lib.shw_record_trainer_get_forest(trainer[0], forest), names)
        finally:
            lib.shw_record_trainer_destroy(trainer)
        self.classes_ = classes
        self.__dict__.pop("oob_score_", None)
        if self.out_of_bag and out_of_bag.records > 0:
            self.oob_score_ = out_of_bag.right / out_of_bag.records
        return self

    def _set_classes(self) -> None:
        info = self._fitted().info
        names = [string(info.class_names[i]) for i in range(info.class_count)]
        self.classes_ = classes_of(names)

    def predict(self, X: Any) -> np.ndarray:
        """The class of each record: (records,), of classes_."""
        self._check_names(X)
        numbers = self._evaluate(X, "classes", 1, np.uint32)[:, 0]
        return self.classes_[numbers]

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each class: (records, classes) float32; or whatever else the model's link gives."""
        self._check_names(X)
        return self._evaluate(X, "predictions", self._fitted().predictions, np.float32)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of the records whose class is predicted: 0 to 1."""
        right = self.predict(X) == np.asarray(y)
        return float(np.average(right, weights=sample_weight))


class RecordForestRegressor(_Records):
    """A model of another program that predicts values. The library does not train such forests: load() one, or take it
    from an object by from_xgboost(), from_lightgbm(), from_onnx() or from_sklearn()."""

    _estimator_type = "regressor"
    _task = lib.SHW_RECORD_VALUES

    def __init__(self, technique: str = "auto", threads: int = 0, *, missing: Optional[float] = None,
                 device: int = 0) -> None:
        self.technique = technique
        self.threads = threads
        self.missing = missing
        self.device = device

    def predict(self, X: Any) -> np.ndarray:
        """The value of each record: (records,) float32, or (records, outputs) of a forest with several outputs."""
        self._check_names(X)
        values = self._evaluate(X, "predictions", self._fitted().predictions, np.float32)
        return values[:, 0] if values.shape[1] == 1 else values

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The coefficient of determination: 1 for perfect predictions."""
        truth = np.asarray(y, float)
        error = np.average((truth - self.predict(X)) ** 2, weights=sample_weight)
        spread = np.average((truth - np.average(truth, axis=0, weights=sample_weight)) ** 2, weights=sample_weight)
        return float(1 - error / spread)


def _texts(texts: Optional[List[str]], keep: List[Any], what: str) -> Any:
    """An array of char *, which lives as long as the list."""
    if texts is None:
        return ffi.NULL
    strings = [text_of(text, what) for text in texts]
    keep += [strings, ffi.new("char *[]", strings)]
    return keep[-1]
