"""Painted projects of shadewood-viewer."""

from __future__ import annotations

from typing import Any, List, Mapping, NamedTuple, Optional, Type, TypeVar

import numpy as np

from ._core import TECHNIQUES, Log, PathLike, choose, device_for, ffi, lib, path_bytes, set_members, string
from ._training import ProgressFunction
from .pixel import PixelForestClassifier, train_levels

Self = TypeVar("Self", bound="Project")


class ProjectClass(NamedTuple):
    """A class of a project."""

    name: str
    colour: tuple  #: red, green, blue


class Picture(NamedTuple):
    """A picture of a project."""

    name: str  #: its path, from the folder of the project's file
    width: int  #: in pixels
    height: int
    strokes: int
    kept: bool  #: for testing: not trained on


class Project:
    """Pictures with strokes, as shadewood-viewer saves them: classes and what the forest is trained on.

    One thread at a time per project; the forests that it trains are for any number.
    """

    def __init__(self, handle: Any, log: Log, path: PathLike) -> None:
        self._handle, self._log, self._path = handle, log, path
        self.forest_: Optional[PixelForestClassifier] = None

    @classmethod
    def open(cls: Type[Self], path: PathLike, *, trust_code: bool = False) -> Self:
        """Reads a project's file.

        trust_code: run the feature type and the channel kinds that the project brings as text, as the option
            --trust-code of the programs does.
        """
        log, project = Log(), ffi.new("struct shw_project **")
        pointer = log.pointer()
        log.check(lib.shw_project_read(path_bytes(path), pointer, project))
        made = cls(ffi.gc(project[0], _destroy_project), log, path)
        if lib.shw_project_is_held_back(made._handle):
            if not trust_code:
                log.check(lib.shw_project_refuse_texts(made._handle, path_bytes(path), pointer))
            log.check(lib.shw_project_run_texts(made._handle, ffi.NULL, pointer))
        return made

    @property
    def classes(self) -> List[ProjectClass]:
        """The classes, in the order of their numbers."""
        found = [lib.shw_python_project_class(self._handle, i)
                 for i in range(lib.shw_project_get_class_count(self._handle))]
        return [ProjectClass(string(each.name), tuple(each.colour)) for each in found]

    @property
    def pictures(self) -> List[Picture]:
        """The pictures, in the order of the file."""
        found = [lib.shw_python_project_picture(self._handle, i)
                 for i in range(lib.shw_project_get_picture_count(self._handle))]
        return [Picture(string(each.name), each.width, each.height, each.stroke_count, bool(each.kept)) for each in found]

    def labels(self, picture: int) -> np.ndarray:
        """What is painted on a picture, by its place in `pictures`: (height, width) uint16, 65535 where nothing is."""
        described = self.pictures[picture]
        labels = np.empty((described.height, described.width), np.uint16)
        self._log.check(lib.shw_project_copy_labels(
            self._handle, picture % len(self.pictures), 0, 0, described.width, described.height, 1,
            ffi.cast("uint16_t *", labels.__array_interface__["data"][0])))
        return labels

    def train(self, *, technique: str = "auto", threads: int = 0, device: int = 0,
              progress: Optional[ProgressFunction] = None) -> PixelForestClassifier:
        """Trains the forest on all strokes but those on pictures that are kept for testing: the one that
        ``shadewood train PROJECT`` makes. Reads the pictures' files. `progress` is as for PixelForestClassifier.fit().
        """
        number = choose("technique", technique, {name: n for name, n in TECHNIQUES.items() if name != "fragment"})
        params, data = ffi.new("struct shw_trainer_params *"), ffi.new("struct shw_project_data **")
        pointer = self._log.pointer()
        try:
            self._log.check(lib.shw_python_project_data(self._handle, pointer, params, data))
            set_members(params, {"technique": number, "threads": threads, "device": device_for(number, device)}, {})
            params.log = self._log.struct
            if params.feature == ffi.NULL:
                params.feature = lib.shw_feature_type_get(0)
            handle = train_levels(params, lib.shw_python_project_dataset(data[0]), self._log, progress)
        finally:
            lib.shw_python_project_data_free(data)
        made = PixelForestClassifier(technique=technique, threads=threads, device=device)
        self.forest_ = made.adopt(handle, self)
        return made

    def predict(self, image: Any, *, inputs: Optional[Mapping[str, Any]] = None) -> Any:
        """The class of every pixel of an image or of several, by the forest of the last train(), which is called if
        there is none: as PixelForestClassifier.predict()."""
        return (self.forest_ or self.train()).predict(image, inputs=inputs)


def _destroy_project(handle: Any) -> None:
    lib.shw_project_destroy(ffi.new("struct shw_project **", handle))
