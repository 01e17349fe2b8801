"""Forests that label every pixel of images."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, TypeVar, Union

import numpy as np

from . import _images
from ._core import TECHNIQUES, Log, PathLike, bytes_of, choose, class_weights, device_for, ffi, lib, params_of, path_bytes, string, text_of, text_or_null, wait
from ._estimator import ForestEstimator
from ._training import ProgressFunction, Rounds

Self = TypeVar("Self", bound="PixelForestClassifier")
Class = Union[str, Tuple[str, Sequence[int]]]

_POOLS = {"node": lib.SHW_POOL_NODE, "round": lib.SHW_POOL_ROUND}
_THRESHOLDS = {"best": lib.SHW_THRESHOLDS_BEST, "random": lib.SHW_THRESHOLDS_RANDOM}
_CRITERIA = {
    "information-gain": lib.SHW_SCORE_INFORMATION_GAIN,
    "gini": lib.SHW_SCORE_GINI,
    "misclassification": lib.SHW_SCORE_MISCLASSIFICATION,
    "normalised-gain": lib.SHW_SCORE_NORMALISED_GAIN,
    "gain-ratio": lib.SHW_SCORE_GAIN_RATIO,
}
_SAMPLINGS = {
    "uniform": lib.SHW_SAMPLING_UNIFORM,
    "balanced": lib.SHW_SAMPLING_BALANCED,
    "class-uniform": lib.SHW_SAMPLING_CLASS_UNIFORM,
}
_WEIGHTS = {
    "none": lib.SHW_WEIGHTING_NONE,
    "inverse-root": lib.SHW_WEIGHTING_INVERSE_ROOT,
    "inverse": lib.SHW_WEIGHTING_INVERSE,
}
_PRIORS = {"samples": lib.SHW_PRIOR_SAMPLES, "data": lib.SHW_PRIOR_DATA}
_COMBINATIONS = {"mean": lib.SHW_COMBINE_MEAN, "vote": lib.SHW_COMBINE_VOTE}
_FILLS = {"none": lib.SHW_FILL_NONE, "simple": lib.SHW_FILL_SIMPLE}
_FLIPS = {"none": lib.SHW_MIRROR_NONE, "images": lib.SHW_MIRROR_IMAGES, "paired": lib.SHW_MIRROR_PAIRED}
# Parameters whose members of struct shw_trainer_params have other names
_ARGUMENTS = {
    "tree_count": "trees", "leaf_max": "leaves", "offset_max": "offset", "size_max": "size",
    "single_percent": "single", "pixels_per_image": "pixels", "samples_min": "min_samples", "bias_percent": "bias",
    "radius": "smooth", "epsilon": "smooth_epsilon", "below_offset_max": "below_offset",
    "below_size_max": "below_size",
}


class ExplainedRegion(NamedTuple):
    """A region of the image that a test reads."""

    channel: str  #: the channel's name
    rectangle: Tuple[int, int, int, int]  #: x0, y0, x1, y1 in pixels of the image, the last two exclusive
    subtracted: bool  #: its value is subtracted from the response, not added
    value: Optional[int]  #: its part of the response; None if that is undefined


class ExplainedTest(NamedTuple):
    """A test on the path of a pixel."""

    node: int  #: its number in the tree
    regions: List[ExplainedRegion]
    response: Optional[int]  #: None if it is undefined
    thresholds: Tuple[int, int]  #: the path goes right if t0 <= response < t1
    right: bool


class ExplainedTree(NamedTuple):
    """The path of a pixel through a tree."""

    tests: List[ExplainedTest]  #: from the root
    leaf: int  #: as apply() gives it
    distribution: np.ndarray  #: (classes,) uint16, which sum to 65535


class Explanation(NamedTuple):
    """Why a pixel has its label."""

    label: int  #: before smoothing; 65535: the pixel is void
    distribution: np.ndarray  #: (classes,) uint16, in 1/65535, before smoothing
    trees: List[ExplainedTree]


class _Forest:
    """A forest of the library, and labellers that are not in use."""

    def __init__(self, handle: Any) -> None:
        self.handle = ffi.gc(handle, _destroy_forest)
        self.info = lib.shw_forest_get_info(self.handle)
        self.owner: Any = None  # of what the forest borrows
        self.idle: Dict[Tuple[Any, ...], List[Tuple[Any, Log]]] = {}


def _destroy_forest(handle: Any) -> None:
    lib.shw_forest_destroy(ffi.new("struct shw_forest **", handle))


def _destroy_labeller(handle: Any) -> None:
    lib.shw_labeller_destroy(ffi.new("struct shw_labeller **", handle))


class PixelForestClassifier(ForestEstimator):
    """A decision forest that labels every pixel of an image.

    The parameters are the options of ``shadewood train``, with the same names and defaults; None stands for a default
    that depends on others. The same images, parameters and seed make the same forest as that command, with any
    technique and any number of threads. docs/training.md says what they mean.

    Methods may be called from several threads at a time once the forest is there; fit() is for one thread.

    >>> import numpy as np
    >>> image = np.zeros((24, 32, 3), np.uint8)
    >>> image[:, 16:] = 200
    >>> labels = (image[:, :, 0] > 0).astype(np.uint16)
    >>> forest = PixelForestClassifier(trees=2, depth=3, offset=4).fit([image], [labels], classes=["dark", "light"])
    >>> forest.predict(image).shape
    (24, 32)
    >>> int((forest.predict(image) == labels).sum()), forest.class_names_
    (768, ['dark', 'light'])
    """

    _estimator_type = "classifier"

    def __init__(self, trees: int = 8, depth: int = 12, channels: str = "winn16", seed: int = 0,
                 technique: str = "auto", threads: int = 0, *, feature: str = "mean-difference", leaves: int = 0,
                 candidates: int = 300, pool: str = "node", thresholds: str = "best", bins: Optional[int] = None,
                 ferns: bool = False, criterion: str = "information-gain", offset: Optional[int] = None,
                 offset_min: int = 0, size: Optional[int] = None, shapes: int = 0, single: int = 0,
                 pixels: Union[int, str] = 1000, sampling: str = "uniform", images_percent: int = 100,
                 replacement: bool = False, same_samples: bool = False, out_of_bag: bool = False,
                 min_samples: int = 8, weights: Union[str, Sequence[float]] = "none", prior: str = "samples",
                 bias: int = 0, combine: str = "mean", fill: str = "none", smooth: int = 0,
                 smooth_epsilon: Optional[int] = None, flip: str = "none", levels: int = 1,
                 folds: Optional[int] = None, fold_run: int = 1, below_offset: Optional[int] = None,
                 below_size: Optional[int] = None, device: int = 0, memory: int = 0) -> None:
        self.trees = trees
        self.depth = depth
        self.channels = channels
        self.seed = seed
        self.technique = technique
        self.threads = threads
        self.feature = feature
        self.leaves = leaves
        self.candidates = candidates
        self.pool = pool
        self.thresholds = thresholds
        self.bins = bins
        self.ferns = ferns
        self.criterion = criterion
        self.offset = offset
        self.offset_min = offset_min
        self.size = size
        self.shapes = shapes
        self.single = single
        self.pixels = pixels
        self.sampling = sampling
        self.images_percent = images_percent
        self.replacement = replacement
        self.same_samples = same_samples
        self.out_of_bag = out_of_bag
        self.min_samples = min_samples
        self.weights = weights
        self.prior = prior
        self.bias = bias
        self.combine = combine
        self.fill = fill
        self.smooth = smooth
        self.smooth_epsilon = smooth_epsilon
        self.flip = flip
        self.levels = levels
        self.folds = folds
        self.fold_run = fold_run
        self.below_offset = below_offset
        self.below_size = below_size
        self.device = device
        self.memory = memory

    # --- Training ---

    def _trainer_params(self, classes: int, keep: List[Any]) -> Dict[str, Any]:
        feature = lib.shw_feature_type_by_name(text_of(self.feature, "feature"))
        if feature == ffi.NULL:
            raise ValueError(f"there is no feature type {self.feature!r}")
        technique = choose("technique", self.technique, {name: number for name, number in TECHNIQUES.items()
                                                         if name != "fragment"})
        if isinstance(self.weights, str):
            weighting, each_weight = choose("weights", self.weights, _WEIGHTS), ffi.NULL
        else:
            weighting, each_weight = lib.SHW_WEIGHTING_GIVEN, class_weights(self.weights, classes)
            keep.append(each_weight)
        pixels = lib.SHW_PIXELS_ALL if self.pixels == "all" else self.pixels
        for name in ("trees", "depth", "candidates", "pixels", "images_percent", "min_samples", "levels", "fold_run"):
            value = getattr(self, name)
            if not (name == "pixels" and value == "all") and (not isinstance(value, (int, np.integer)) or value < 1):
                raise ValueError(f"{name} is {value!r}: it is a number from 1 on")
        return {
            "channels": text_or_null(self.channels, keep, "channels"), "feature": feature, "tree_count": self.trees,
            "depth": self.depth, "leaf_max": self.leaves, "candidates": self.candidates,
            "pool": choose("pool", self.pool, _POOLS), "ferns": self.ferns, "bins": self.bins or 0,
            "thresholds": choose("thresholds", self.thresholds, _THRESHOLDS),
            "score": choose("criterion", self.criterion, _CRITERIA), "offset_max": self.offset or 0,
            "offset_min": self.offset_min, "size_max": self.size or 0, "shapes": self.shapes,
            "single_percent": self.single,
            "pixels_per_image": pixels, "sampling": choose("sampling", self.sampling, _SAMPLINGS),
            "images_percent": self.images_percent, "replacement": self.replacement,
            "same_samples": self.same_samples, "out_of_bag": self.out_of_bag, "samples_min": self.min_samples,
            "weighting": weighting, "class_weights": each_weight, "prior": choose("prior", self.prior, _PRIORS),
            "bias_percent": self.bias, "combine": choose("combine", self.combine, _COMBINATIONS),
            "fill": choose("fill", self.fill, _FILLS),
            "smoothing": {"radius": self.smooth, "epsilon": self.smooth_epsilon or 0},
            "mirror": choose("flip", self.flip, _FLIPS), "levels": self.levels, "folds": self.folds or 0,
            "fold_run": self.fold_run, "below_offset_max": self.below_offset or 0,
            "below_size_max": self.below_size or 0, "seed": self.seed, "technique": technique,
            "device": device_for(technique, self.device), "memory": self.memory, "threads": self.threads,
        }

    def fit(self: Self, images: Any, labels: Any, *, inputs: Optional[Mapping[str, Any]] = None,
            classes: Optional[Sequence[Class]] = None, mask: Any = None, void: Optional[int] = None,
            names: Optional[Sequence[str]] = None, progress: Optional[ProgressFunction] = None) -> Self:
        """Trains the forest.

        images: one image, a list of images of any sizes, or an array (count, height, width, channels). An image is
            (height, width) or (height, width, 1, 3 or 4): uint8 or uint16, in the full range of the type, or float16
            from 0 to 1. Arrays, objects with the buffer protocol and DLPack on the CPU are read where they are if a
            pixel's samples and a row's pixels follow each other, whatever lies between rows; otherwise copied.
        labels: as many arrays (height, width) of integers: the numbers of classes, from 0. 65535 and, of signed
            integers, -1 belong to no class: they are void, and not trained on.
        inputs: other images by name, as many as there are images, each of its size: {'depth': [...]} in millimetres
            (uint16, 0 where missing), 'height', 'previous', or planes that `channels` names.
        classes: their names, or pairs of name and (red, green, blue); None: "class 0" and so on, up to the greatest
            label.
        mask: as many arrays (height, width): where it is 0 or False, labels are void. So are those that a masked
            array of NumPy hides; images may not hide pixels.
        void: a further number that is void, such as 255.
        names: of the images, for messages.
        progress: called with a Progress after each round, on this thread; if it returns False, training ends with
            Cancelled. So it does with KeyboardInterrupt, soon, by Ctrl+C.

        The order of images matters: ``shadewood train`` numbers them in bytewise order of their names.
        """
        keep: List[Any] = []
        examples, count = self._examples(images, labels, inputs, mask, void, names, keep)
        descriptions = _describe_classes(classes, [each["array"] for each in keep if isinstance(each, dict)], keep)
        log, dataset = Log(), ffi.new("struct shw_dataset **")
        params = ffi.new("struct shw_array_dataset_params *", {
            "examples": examples, "count": count, "classes": descriptions[0], "class_count": descriptions[1],
            "log": log.struct})
        log.check(lib.shw_array_dataset_create(params, dataset))
        try:
            self._forest = _Forest(self._train(dataset[0], descriptions[1], progress, keep))
        finally:
            lib.shw_array_dataset_destroy(dataset)
        self.__dict__.pop("_channel_names", None)
        return self

    def _examples(self, images: Any, labels: Any, inputs: Optional[Mapping[str, Any]], mask: Any, void: Optional[int],
                  names: Optional[Sequence[str]], keep: List[Any]) -> Tuple[Any, int]:
        many = _images.is_many(images)
        all_images = _images.as_list(images)
        count = len(all_images)
        all_labels = list(labels) if many else [labels[0] if isinstance(labels, (list, tuple)) else labels]
        masks: Sequence[Any] = [None] * count if mask is None else list(mask) if many else [mask]
        if count == 0 or len(all_labels) != count or len(masks) != count or (names is not None and len(names) != count):
            raise ValueError(f"there are {count} images, {len(all_labels)} arrays of labels, {len(masks)} masks and "
                             f"{count if names is None else len(names)} names")
        members = []
        for i, image in enumerate(all_images):
            name = names[i] if names is not None else f"image {i}"
            given = _images.Inputs(image, _images.pick(inputs, i, count, many), name)
            array = _images.as_labels(all_labels[i], given.shape, masks[i], void, f"labels of {name}")
            text = text_of(name, "the name of an image")
            members.append(given.members(text, array))
            keep += [given, text, {"array": array}]
        examples = ffi.new("struct shw_array_example[]", members)
        keep.append(examples)
        return examples, count

    def _train(self, dataset: Any, classes: int, progress: Optional[ProgressFunction], keep: List[Any]) -> Any:
        """The forest of all levels, which belongs to the caller."""
        log = Log()
        params = params_of("struct shw_trainer_params", {**self._trainer_params(classes, keep), "log": log.struct},
                           _ARGUMENTS)
        return train_levels(params, dataset, log, progress)

    def adopt(self: Self, handle: Any, owner: Any = None) -> Self:
        """Takes a forest of the library (struct shw_forest *), and keeps what it borrows alive: for Project."""
        self._forest = _Forest(handle)
        self._forest.owner = owner
        return self

    # --- Labelling ---

    def _labeller(self, outputs: int) -> Tuple[Tuple[Any, ...], Any, Log]:
        forest = self._fitted()
        technique = choose("technique", self.technique, TECHNIQUES)
        if technique == lib.SHW_TECHNIQUE_BLEND:  # it is for training alone
            technique = lib.SHW_TECHNIQUE_COMPUTE
        key = (outputs, technique, self.device, self.threads)
        try:
            labeller, log = forest.idle.setdefault(key, []).pop()
            return key, labeller, log
        except IndexError:
            pass
        log, labeller = Log(), ffi.new("struct shw_labeller **")
        params = params_of("struct shw_labeller_params", {
            "forest": forest.handle, "device": device_for(technique, self.device), "outputs": outputs,
            "channels": technique, "integrate": technique, "evaluate": technique, "threads": self.threads,
            "log": log.struct}, {})
        log.check(lib.shw_labeller_create(params, labeller))
        return key, ffi.gc(labeller[0], _destroy_labeller), log

    def _label(self, image: Any, inputs: Optional[Mapping[str, Any]], output: int, member: str, planes: int,
               dtype: Any) -> np.ndarray:
        """The planes (planes, height, width) of one output of one image."""
        forest = self._fitted()
        given = _images.Inputs(image, inputs)
        key, labeller, log = self._labeller(output)
        results = np.empty((planes, *given.shape), dtype)
        pointer = ffi.cast(ffi.typeof("struct shw_labelling").fields[_FIELD[member]][1].type,
                           results.__array_interface__["data"][0])
        labelling = ffi.new("struct shw_labelling *", {member: pointer})
        all_inputs = given.all()
        log.check(wait(lambda: lib.shw_labeller_run(labeller, all_inputs, labelling),
                       lambda: lib.shw_labeller_interrupt(labeller)))
        forest.idle[key].append((labeller, log))
        return results

    def _each(self, images: Any, inputs: Optional[Mapping[str, Any]], label: Any) -> Any:
        """What `label` makes of one image, or a list of what it makes of several."""
        if not _images.is_many(images):
            return label(images, _images.pick(inputs, 0, 1, False))
        count = len(images)
        return [label(image, _images.pick(inputs, i, count, True)) for i, image in enumerate(images)]

    def predict(self, image: Any, *, inputs: Optional[Mapping[str, Any]] = None) -> Any:
        """The class of every pixel: (height, width) uint16; 65535 where there is none. Of several images a list."""
        return self._each(image, inputs, lambda one, others: self._label(
            one, others, lib.SHW_OUTPUT_ARGMAX, "argmax", 1, np.uint16)[0])

    def predict_proba(self, image: Any, *, inputs: Optional[Mapping[str, Any]] = None, raw: bool = False) -> Any:
        """The probability of each class at every pixel: (height, width, classes) float32, which sum to 1, or are all 0
        where there is no label. Of several images a list.

        raw: uint16 instead, as the library computes and ``shadewood label`` writes them: in 1/65535, each rounded by
            itself. The array is a view of planes (classes, height, width).
        """

        def label(one: Any, others: Mapping[str, Any]) -> np.ndarray:
            planes = self._label(one, others, lib.SHW_OUTPUT_DISTRIBUTION, "distribution", self.n_classes_, np.uint16)
            if raw:
                return np.moveaxis(planes, 0, -1)
            sums = planes.sum(axis=0, dtype=np.float32)
            return np.moveaxis(planes / np.maximum(sums, 1, dtype=np.float32), 0, -1)

        return self._each(image, inputs, label)

    def apply(self, image: Any, *, inputs: Optional[Mapping[str, Any]] = None) -> Any:
        """The leaf that every pixel reaches in each tree: (height, width, trees) uint32; 4294967295 where there is
        none. Of several images a list."""
        return self._each(image, inputs, lambda one, others: np.moveaxis(self._label(
            one, others, lib.SHW_OUTPUT_FOREST_LEAVES, "forest_leaves", self._fitted().info.tree_count, np.uint32), 0, -1))

    def score(self, images: Any, labels: Any, *, inputs: Optional[Mapping[str, Any]] = None, mask: Any = None,
              void: Optional[int] = None) -> float:
        """The share of the pixels with a label that get it: 0 to 1. Arguments are as for fit()."""
        many = _images.is_many(images)
        found = self.predict(images, inputs=inputs)
        found, labels, masks = (found, labels, mask) if many else ([found], [labels], None if mask is None else [mask])
        if len(found) != len(labels):
            raise ValueError(f"there are {len(found)} images and {len(labels)} arrays of labels")
        right = total = 0
        for i, predicted in enumerate(found):
            truth = _images.as_labels(labels[i], predicted.shape, None if masks is None else masks[i], void, "labels")
            known = truth != lib.SHW_LABEL_VOID
            total += int(known.sum())
            right += int((known & (truth == predicted)).sum())
        if total == 0:
            raise ValueError("no pixel has a label")
        return right / total

    def explain(self, image: Any, x: int, y: int, *, inputs: Optional[Mapping[str, Any]] = None) -> Explanation:
        """Why pixel (x, y), counted from the top left one, has its label: its path through every tree."""
        forest = self._fitted()
        given, log = _images.Inputs(image, inputs), Log()
        reader, explanation = ffi.new("struct shw_channel_reader **"), ffi.new("struct shw_explanation **")
        info = forest.info
        all_inputs = given.all()
        params = ffi.new("struct shw_channel_reader_params *", {
            "inputs": all_inputs, "channels": info.channels, "kinds": info.kinds, "fill": info.fill,
            "threads": self.threads, "log": log.struct, "below": info.below})
        log.check(lib.shw_channel_reader_create(params, reader))
        try:
            if x < 0 or y < 0:
                raise ValueError(f"the pixel ({x}, {y}) is outside the image")
            log.check(lib.shw_explain(forest.handle, reader[0], x, y, explanation))
            return _explanation(explanation[0], info)
        finally:
            lib.shw_explanation_free(explanation)
            lib.shw_channel_reader_destroy(reader)

    # --- The forest ---

    @property
    def n_classes_(self) -> int:
        return int(self._fitted().info.class_count)

    @property
    def classes_(self) -> np.ndarray:
        """The numbers of the classes: (classes,)."""
        return np.arange(self.n_classes_)

    @property
    def class_names_(self) -> List[str]:
        info = self._fitted().info
        return [string(info.classes[i].name) for i in range(info.class_count)]

    @property
    def class_colours_(self) -> np.ndarray:
        """Colours for display: (classes, 3) uint8, red, green, blue; an image of colours is class_colours_[labels]."""
        info = self._fitted().info
        return np.array([list(info.classes[i].colour) for i in range(info.class_count)], np.uint8)

    @property
    def hash_(self) -> str:
        """What ``shadewood inspect`` shows: forests with the same hash label alike."""
        return f"{lib.shw_forest_hash(self._fitted().handle):016x}"

    def to_bytes(self) -> bytes:
        """The forest's file."""
        forest = self._fitted()
        return bytes_of(lambda pointer, size: lib.shw_forest_save_memory(forest.handle, pointer, size))

    def save(self, path: PathLike) -> None:
        """Writes the forest to a .ktx2 file, which the programs read; replaces it at once, or leaves it as it was."""
        log = Log()
        log.check(lib.shw_forest_save(self._fitted().handle, path_bytes(path), log.pointer()))

    def _take(self: Self, load: Any) -> Self:
        log, forest = Log(), ffi.new("struct shw_forest **")
        params = ffi.new("struct shw_forest_load_params *", {"log": log.struct})
        log.check(load(params, forest))
        self._forest = _Forest(forest[0])
        return self

    @classmethod
    def load(cls, path: PathLike, **params: Any) -> "PixelForestClassifier":
        """The forest of a .ktx2 file. `params`: technique, threads, device, for labelling; what it was trained with is
        in training_, and the parameters are defaults."""
        return cls(**params)._take(lambda load, forest: lib.shw_forest_load(path_bytes(path), load, forest))

    @classmethod
    def from_bytes(cls, data: bytes, **params: Any) -> "PixelForestClassifier":
        """The same from the bytes of a file."""
        return cls(**params)._take(lambda load, forest: lib.shw_forest_load_memory(
            ffi.from_buffer(data), len(data), b"forest", load, forest))

    def __setstate__(self, state: Dict[str, Any]) -> None:
        data = state.pop("_forest", None)
        self.__dict__.update(state)
        if data is not None:
            self._take(lambda load, forest: lib.shw_forest_load_memory(
                ffi.from_buffer(data), len(data), b"forest", load, forest))


_FIELD = {name: i for i, (name, _) in enumerate(ffi.typeof("struct shw_labelling").fields)}


def _describe_classes(classes: Optional[Sequence[Class]], labels: List[np.ndarray], keep: List[Any]) -> Tuple[Any, int]:
    """The classes as structs, and how many there are."""
    greatest = max((int(known.max()) for known in (each[each != lib.SHW_LABEL_VOID] for each in labels) if known.size),
                   default=-1)
    if classes is None:
        classes = [f"class {number}" for number in range(greatest + 1)]
    if greatest >= len(classes):
        raise ValueError(f"there are labels of class {greatest}, and {len(classes)} classes")
    members = []
    for number, given in enumerate(classes):
        name, colour = (given, None) if isinstance(given, str) else given
        keep.append(text_of(name, "the name of a class"))
        if colour is None:
            default = ffi.new("uint8_t[3]")
            lib.shw_class_colour(number, default)
            colour = list(default)
        members.append({"name": keep[-1], "colour": [int(c) for c in colour]})
    keep.append(ffi.new("struct shw_class[]", members))
    return keep[-1], len(members)


def train_levels(params: Any, dataset: Any, log: Log, progress: Optional[ProgressFunction]) -> Any:
    """Trains all levels that the parameters say. The forest belongs to the caller."""
    levels = max(1, params.levels)
    log.check(lib.shw_levels_check(params, dataset))
    below = ffi.new("struct shw_forest **")
    try:
        for level in range(levels):
            rounds = Rounds(log, progress, level, levels)
            of_level = ffi.new("struct shw_trainer_params *", lib.shw_level_params(params, below[0]))
            for name, value in rounds.parameters().items():
                setattr(of_level, name, value)
            trained = _train_level(of_level, dataset, rounds)
            lib.shw_forest_destroy(below)
            below[0] = trained
        result, below[0] = below[0], ffi.NULL
        return result
    finally:
        lib.shw_forest_destroy(below)


def _train_level(params: Any, dataset: Any, rounds: Rounds) -> Any:
    trainer, forest = ffi.new("struct shw_trainer **"), ffi.new("struct shw_forest **")
    rounds.log.check(lib.shw_trainer_create(params, dataset, trainer))
    try:
        rounds.run(trainer[0], lib.shw_trainer_step, lib.shw_trainer_interrupt)
        rounds.log.check(lib.shw_trainer_get_forest(trainer[0], forest))
        return forest[0]
    finally:
        lib.shw_trainer_destroy(trainer)


def _explanation(found: Any, info: Any) -> Explanation:
    channels = info.channel_list.channels
    trees = []
    for tree in found.trees[0:found.tree_count]:
        tests = []
        for test in tree.tests[0:tree.test_count]:
            regions = [
                ExplainedRegion(string(channels[each.region.channel].name),
                                (each.rectangle.x0, each.rectangle.y0, each.rectangle.x1, each.rectangle.y1),
                                bool(each.region.subtracted), None if each.undefined else int(each.value))
                for each in test.regions[0:test.region_count]]
            tests.append(ExplainedTest(test.node, regions, None if test.undefined else int(test.response),
                                       (test.split.t0, test.split.t1), bool(test.right)))
        trees.append(ExplainedTree(tests, tree.leaf, _numbers(tree.distribution, found.class_count)))
    return Explanation(found.argmax, _numbers(found.distribution, found.class_count), trees)


def _numbers(pointer: Any, count: int) -> np.ndarray:
    return np.frombuffer(ffi.buffer(pointer, 2 * count), np.uint16).copy()
