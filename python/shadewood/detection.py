"""Objects in images, by cascades of boosted trees."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple, Type, TypeVar, Union

import numpy as np

from . import _images
from ._core import TECHNIQUES, Log, PathLike, Source, bytes_of, choose, device_for, ffi, lib, params_of, path_bytes, string, text_or_null, wait
from ._estimator import Estimator
from .errors import Cancelled

Self = TypeVar("Self", bound="Detector")

DETECTION = np.dtype([("x", np.int32), ("y", np.int32), ("width", np.uint32), ("height", np.uint32), ("score", np.float64),
                      ("level", np.uint32), ("angle", np.float64), ("neighbours", np.uint32)])
"""An element of what Detector.detect() returns: x, y (the left and top pixel), width and height in pixels of the image;
score; level of the scan, from 0, the finest; angle in degrees, counter-clockwise, by which the rectangle is turned
around its centre; neighbours, the number of windows that were grouped into it."""

_RAW = np.dtype([("x", np.int32), ("y", np.int32), ("width", np.uint32), ("height", np.uint32), ("score", np.int32),
                 ("level", np.uint32), ("angle", np.uint32), ("neighbours", np.uint32)])
assert _RAW.itemsize == ffi.sizeof("struct shw_detection")

_GROUPS = {"default": lib.SHW_GROUP_DEFAULT, "none": lib.SHW_GROUP_NONE, "mean": lib.SHW_GROUP_MEAN,
           "cluster": lib.SHW_GROUP_CLUSTER, "suppress": lib.SHW_GROUP_SUPPRESS}
_TECHNIQUES = {name: number for name, number in TECHNIQUES.items() if name != "blend"}
# Parameters whose members of struct shw_cascade_trainer_params have other names
_ARGUMENTS = {
    "window_width": "window", "window_height": "window", "levels_per_octave": "levels", "stage_count": "stages",
    "turned_backgrounds": "turned", "calibration_percent": "calibration", "loss_permille": "loss",
    "hold_out_percent": "hold_out",
}
_TRAINING = {name: number for name, number in TECHNIQUES.items() if name != "fragment"}
_BOOSTINGS = {"real": lib.SHW_BOOSTING_REAL, "gentle": lib.SHW_BOOSTING_GENTLE}


def _destroy_cascade(handle: Any) -> None:
    lib.shw_cascade_destroy(ffi.new("struct shw_cascade **", handle))


def _destroy_detector(handle: Any) -> None:
    lib.shw_detector_destroy(ffi.new("struct shw_detector **", handle))


class Detector(Estimator):
    """A cascade that finds objects in images: of Shadewood, OpenCV or pico.

    The parameters are the options of ``shadewood detect``, with the same names and defaults; None stands for the
    cascade's. min_score is a number in units of the scores, None for the least score that the cascade's file has, or
    'any'. angles are degrees, multiples of 11.25, or 'all'.

    Methods may be called from several threads at a time.
    """

    def __init__(self, min_size: Optional[int] = None, max_size: Optional[int] = None,
                 min_score: Union[None, float, str] = None, technique: str = "auto", threads: int = 0, *,
                 group: str = "default", min_neighbours: Optional[int] = None, overlap: Optional[float] = None,
                 epsilon: Optional[float] = None, levels_per_octave: Optional[int] = None,
                 scale_factor: Optional[float] = None, stride: Optional[float] = None, step: Optional[int] = None,
                 angles: Union[None, str, Sequence[float]] = None, device: int = 0) -> None:
        self.min_size = min_size
        self.max_size = max_size
        self.min_score = min_score
        self.technique = technique
        self.threads = threads
        self.group = group
        self.min_neighbours = min_neighbours
        self.overlap = overlap
        self.epsilon = epsilon
        self.levels_per_octave = levels_per_octave
        self.scale_factor = scale_factor
        self.stride = stride
        self.step = step
        self.angles = angles
        self.device = device

    def _take(self: Self, load: Callable[[Any, Any], int]) -> Self:
        log, cascade = Log(), ffi.new("struct shw_cascade **")
        log.check(load(log.pointer(), cascade))
        self._cascade = ffi.gc(cascade[0], _destroy_cascade)
        self._idle: Dict[Tuple[Any, ...], List[Tuple[Any, Log]]] = {}
        return self

    @classmethod
    def load(cls: Type[Self], path: PathLike, **params: Any) -> Self:
        """A cascade from a file of any format: a .ktx2 file, OpenCV's XML, or pico's."""
        return cls(**params)._take(lambda log, cascade: lib.shw_cascade_open(path_bytes(path), log, cascade))

    @classmethod
    def _import(cls: Type[Self], kind: str, path: PathLike, params: Dict[str, Any]) -> Self:
        log = Log()
        source = Source(kind, log, path=path)

        def load(_: Any, cascade: Any) -> int:
            result = int(lib.shw_cascade_import(source.params, cascade))
            log.check(result)
            return result

        return cls(**params)._take(load)

    @classmethod
    def from_opencv(cls: Type[Self], path: PathLike, **params: Any) -> Self:
        """A cascade of OpenCV, in XML: Haar or LBP features."""
        return cls._import("opencv", path, params)

    @classmethod
    def from_pico(cls: Type[Self], path: PathLike, **params: Any) -> Self:
        """A cascade of pico."""
        return cls._import("pico", path, params)

    @classmethod
    def from_bytes(cls: Type[Self], data: bytes, **params: Any) -> Self:
        """A cascade from the bytes of a .ktx2 file."""
        return cls(**params)._take(lambda log, cascade: lib.shw_cascade_load_memory(
            ffi.from_buffer(data), len(data), b"cascade", log, cascade))

    def to_bytes(self) -> bytes:
        """The cascade's .ktx2 file."""
        return bytes_of(lambda pointer, size: lib.shw_cascade_save_memory(self._loaded(), pointer, size))

    def save(self, path: PathLike) -> None:
        """Writes the cascade to a .ktx2 file, which the programs read; replaces it at once, or leaves it as it was."""
        log = Log()
        log.check(lib.shw_cascade_save(self._loaded(), path_bytes(path), log.pointer()))

    def __getstate__(self) -> Dict[str, Any]:
        state = {name: value for name, value in self.__dict__.items() if not name.startswith("_")}
        if "_cascade" in self.__dict__:
            state["_cascade"] = self.to_bytes()
        return state

    def __setstate__(self, state: Dict[str, Any]) -> None:
        data = state.pop("_cascade", None)
        self.__dict__.update(state)
        if data is not None:
            self._take(lambda log, cascade: lib.shw_cascade_load_memory(
                ffi.from_buffer(data), len(data), b"cascade", log, cascade))

    def _loaded(self) -> Any:
        cascade = self.__dict__.get("_cascade")
        if cascade is None:
            raise ValueError("there is no cascade yet: use load(), from_opencv(), from_pico() or CascadeTrainer")
        return cascade

    @property
    def _info(self) -> Any:
        return lib.shw_cascade_get_info(self._loaded())

    @property
    def kind_(self) -> str:
        """What its tests read: 'pixels', 'scaled-pixels', 'haar' or 'lbp'."""
        return string(lib.shw_cascade_kind_name(self._info.kind))

    @property
    def name_(self) -> str:
        """What it finds."""
        return string(self._info.name)

    @property
    def min_score_(self) -> Optional[float]:
        """The least score that the cascade's file has, or None."""
        info = self._info
        return info.min_score / 2.0 ** info.fraction_bits if info.has_min_score else None

    @property
    def hash_(self) -> str:
        """What ``shadewood inspect`` shows: cascades with the same hash find alike."""
        return f"{lib.shw_cascade_hash(self._loaded()):016x}"

    @property
    def training_(self) -> str:
        """How the cascade was made, as a JSON object."""
        return string(self._info.training)

    def _angles(self) -> List[int]:
        """In 1/32 of a full turn."""
        if self.angles is None:
            return []
        if isinstance(self.angles, str):
            if self.angles != "all":
                raise ValueError(f"angles are numbers, 'all' or None, not {self.angles!r}")
            return list(range(32))
        turns = [float(angle) / 11.25 for angle in self.angles]
        if any(turn != int(turn) for turn in turns):
            raise ValueError("angles are multiples of 11.25 degrees")
        return [int(turn) % 32 for turn in turns]

    def _detector(self) -> Tuple[Tuple[Any, ...], Any, Log]:
        cascade, technique, angles = self._loaded(), choose("technique", self.technique, _TECHNIQUES), self._angles()
        scan = {"min_size": self.min_size or 0, "max_size": self.max_size or 0,
                "levels_per_octave": self.levels_per_octave or 0, "scale_factor": self.scale_factor or 0,
                "stride": self.stride or 0, "step": self.step or 0}
        key = (technique, self.threads, self.device, tuple(angles), *scan.values())
        try:
            return (key, *self._idle.setdefault(key, []).pop())
        except IndexError:
            pass
        log, detector, numbers = Log(), ffi.new("struct shw_detector **"), ffi.new("uint32_t[]", angles)
        params = params_of("struct shw_detector_params", {
            "cascade": cascade, "device": device_for(technique, self.device), "technique": technique,
            "scan": {**scan, "angle_count": len(angles), "angles": numbers if angles else ffi.NULL},
            "threads": self.threads, "log": log.struct}, {})
        log.check(lib.shw_detector_create(params, detector))
        return key, ffi.gc(detector[0], _destroy_detector), log

    def _grouping(self) -> Dict[str, Any]:
        info = self._info
        if isinstance(self.min_score, str):
            if self.min_score != "any":
                raise ValueError(f"min_score is a number, 'any' or None, not {self.min_score!r}")
            least, has_least = 0, False
        elif self.min_score is None:
            least, has_least = info.min_score, bool(info.has_min_score)
        else:
            least, has_least = int(np.clip(np.ceil(self.min_score * 2.0 ** info.fraction_bits), -2**31, 2**31 - 1)), True
        return {"method": choose("group", self.group, _GROUPS), "min_neighbours": self.min_neighbours or 0,
                "epsilon": self.epsilon or 0, "overlap": self.overlap or 0, "min_score": least, "has_min_score": has_least}

    def detect(self, image: Any) -> np.ndarray:
        """The objects in an image, the best score first: a structured array of DETECTION.

        image: (height, width) or (height, width, 1, 3 or 4), uint8 or uint16, read where it is as by
            PixelForestClassifier; of 16 bits the upper 8 are read.
        """
        given = _images.as_image(image)
        grouping = params_of("struct shw_group_params", self._grouping(), {"method": "group"})
        key, detector, log = self._detector()
        described, found = ffi.new("struct shw_image *", given.describe()), ffi.new("struct shw_detections *")
        try:
            log.check(wait(lambda: lib.shw_detector_run(detector, described, found),
                           lambda: lib.shw_detector_interrupt(detector)))
            log.check(lib.shw_detections_group(found, self._info.kind, grouping, log.pointer()))
            size = found.count * _RAW.itemsize
            raw = np.frombuffer(ffi.buffer(found.items, size), _RAW) if size > 0 else np.zeros(0, _RAW)
            results = np.zeros(len(raw), DETECTION)
            for name in DETECTION.names or ():
                results[name] = raw[name]
        finally:
            lib.shw_free(found.items)
        self._idle[key].append((detector, log))
        results["score"] /= 2.0 ** self._info.fraction_bits
        results["angle"] *= 11.25
        return results


class CascadeProgress(NamedTuple):
    """The state of the training of a cascade after a stage."""

    stages: int  #: trained
    max_stages: int
    round: int  #: of mining, from 1
    objects: int  #: copies that are trained on
    backgrounds: int  #: windows mined for the round
    seconds: float  #: since the training began


class CascadeQuality(NamedTuple):
    """What a trained cascade does with the objects that were held out, and with the images."""

    met: bool  #: the target, by the least score
    held_out: int  #: copies of objects that were held out
    found: int  #: of these, with the least score or a better one
    windows: int  #: of images without objects that were searched
    false: int  #: of these, taken for objects with the least score or a better one


class CascadeTrainer(Estimator):
    """Trains a cascade that finds objects.

    The parameters are the options of ``shadewood train-cascade``, with the same names and defaults; what that command
    switches off by --no-... is True here by default. The same data, parameters and seed make the same cascade.
    """

    def __init__(self, window: Tuple[int, int] = (24, 24), stages: int = 256, depth: int = 3, seed: int = 0,
                 technique: str = "auto", threads: int = 0, *, name: str = "object", border: int = 0, margin: int = 0,
                 shrink: int = 1, blur_before: bool = False, blur_after: bool = False, octaves: bool = True,
                 levels: int = 8, boosting: str = "real", candidates: int = 500, copies: int = 10, shift: int = 3,
                 scale: int = 8, turn: int = 10, contrast: int = 40, blur: bool = False, noise: int = 0,
                 mirror: bool = True, background_count: int = 10000, round_stages: int = 32, turned: bool = True,
                 pass_percent: int = 50, calibration: int = 10, loss: int = 30, hold_out: int = 0,
                 target_pass: int = 10, target_recall: int = 80, device: int = 0, memory: int = 0) -> None:
        self.window = window
        self.stages = stages
        self.depth = depth
        self.seed = seed
        self.technique = technique
        self.threads = threads
        self.name = name
        self.border = border
        self.margin = margin
        self.shrink = shrink
        self.blur_before = blur_before
        self.blur_after = blur_after
        self.octaves = octaves
        self.levels = levels
        self.boosting = boosting
        self.candidates = candidates
        self.copies = copies
        self.shift = shift
        self.scale = scale
        self.turn = turn
        self.contrast = contrast
        self.blur = blur
        self.noise = noise
        self.mirror = mirror
        self.background_count = background_count
        self.round_stages = round_stages
        self.turned = turned
        self.pass_percent = pass_percent
        self.calibration = calibration
        self.loss = loss
        self.hold_out = hold_out
        self.target_pass = target_pass
        self.target_recall = target_recall
        self.device = device
        self.memory = memory

    def _params(self, keep: List[Any]) -> Dict[str, Any]:
        technique = choose("technique", self.technique, _TRAINING)
        variation = {"mirror": self.mirror, "shift": self.shift, "scale": self.scale, "turn": self.turn,
                     "contrast": self.contrast, "blur": self.blur, "noise": self.noise}
        for name in ("stages", "depth", "candidates", "copies", "background_count", "round_stages", "pass_percent",
                     "calibration", "loss", "levels", "shrink", "target_pass", "target_recall"):
            value = getattr(self, name)
            if not isinstance(value, (int, np.integer)) or value < 1:
                raise ValueError(f"{name} is {value!r}: it is a number from 1 on")
        return {
            "name": text_or_null(self.name, keep, "name"), "window_width": self.window[0], "window_height": self.window[1],
            "planes": {"shrink": self.shrink, "blur_before": self.blur_before, "blur_after": self.blur_after,
                       "octaves": self.octaves},
            "levels_per_octave": self.levels, "border": self.border, "margin": self.margin,
            "boosting": choose("boosting", self.boosting, _BOOSTINGS), "depth": self.depth,
            "stage_count": self.stages, "candidates": self.candidates, "copies": self.copies,
            "variation": variation if self.copies > 1 else {}, "background_count": self.background_count,
            "pass_percent": self.pass_percent, "round_stages": self.round_stages, "turned_backgrounds": self.turned,
            "calibration_percent": self.calibration, "loss_permille": self.loss, "target_pass": self.target_pass,
            "target_recall": self.target_recall, "hold_out_percent": self.hold_out, "seed": self.seed,
            "device": device_for(technique, self.device), "technique": technique, "memory": self.memory,
            "threads": self.threads}

    def fit(self, positives: Sequence[Any], backgrounds: Sequence[Any], *,
            progress: Optional[Callable[[CascadeProgress], Optional[bool]]] = None) -> "CascadeTrainer":
        """Trains the cascade; detector_ then has it, and quality_ says what it does.

        positives: patches, each an image that is an object as a whole, in a list or an array (count, height, width);
            or pairs of an image and its objects, rows (x, y, width, height) in pixels, the left and top pixel first.
        backgrounds: images without objects. Windows beside the objects of annotated images are backgrounds, too.
        progress: called with a CascadeProgress after each stage, on this thread; if it returns False, training ends
            with Cancelled. So it does with KeyboardInterrupt, soon, by Ctrl+C.
        """
        images: List[Tuple[_images.Image, bool]] = []
        objects: List[Dict[str, Any]] = []
        for positive in positives:
            if isinstance(positive, tuple) and len(positive) == 2:
                image = _images.as_image(positive[0], "annotated image")
                rectangles = np.asarray(positive[1]).reshape(-1, 4)
                images.append((image, True))
            else:
                image = _images.as_image(positive, "patch")
                rectangles = np.array([[0, 0, image.shape[1], image.shape[0]]])
                images.append((image, False))
            objects += [{"image": len(images) - 1, "x": int(x), "y": int(y), "width": int(w), "height": int(h)}
                        for x, y, w, h in rectangles]
        images += [(_images.as_image(background, "background"), True) for background in backgrounds]
        described = ffi.new("struct shw_image[]", [image.describe() for image, _ in images])
        flags, rows = ffi.new("bool[]", [mined for _, mined in images]), ffi.new("struct shw_cascade_object[]", objects)
        dataset = ffi.new("struct shw_cascade_dataset *",
                          lib.shw_python_cascade_dataset(described, len(images), flags, rows, len(objects)))
        self._train(dataset, progress)
        return self

    def _train(self, dataset: Any, progress: Optional[Callable[[CascadeProgress], Optional[bool]]]) -> None:
        log, keep = Log(), []  # type: Log, List[Any]
        trainer, cascade = ffi.new("struct shw_cascade_trainer **"), ffi.new("struct shw_cascade **")
        params = params_of("struct shw_cascade_trainer_params", {**self._params(keep), "log": log.struct}, _ARGUMENTS)
        finished, state = ffi.new("bool *"), ffi.new("struct shw_cascade_progress *")
        quality = ffi.new("struct shw_cascade_quality *")
        log.check(lib.shw_cascade_trainer_create(params, dataset, trainer))
        try:
            while not finished[0]:
                log.check(wait(lambda: lib.shw_cascade_trainer_step(trainer[0], finished),
                               lambda: lib.shw_cascade_trainer_interrupt(trainer[0])))
                lib.shw_cascade_trainer_get_progress(trainer[0], state)
                if progress is not None and progress(CascadeProgress(
                        state.stages, state.stage_count, state.round, state.objects, state.backgrounds,
                        state.seconds)) is False:
                    raise Cancelled("the progress function returned False")
            lib.shw_cascade_trainer_get_quality(trainer[0], quality)
            log.check(lib.shw_cascade_trainer_get_cascade(trainer[0], cascade))
        finally:
            lib.shw_cascade_trainer_destroy(trainer)
        self.quality_ = CascadeQuality(bool(quality.met), quality.held_out_copies, quality.copies_found,
                                       quality.windows_scanned, quality.windows_found)
        self.detector_ = Detector(technique=self.technique if self.technique in _TECHNIQUES else "auto",
                                  threads=self.threads, device=self.device)

        def take(_: Any, result: Any) -> int:
            result[0] = cascade[0]
            return int(lib.SHW_OK)

        self.detector_._take(take)
