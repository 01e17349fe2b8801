"""Arrays as images of the library, without a copy where their memory can be read as it is."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from ._core import ffi, lib, text_of

_FORMATS = {
    ("u", 1, 1): lib.SHW_PIXEL_GREY8,
    ("u", 1, 3): lib.SHW_PIXEL_RGB8,
    ("u", 1, 4): lib.SHW_PIXEL_RGBA8,
    ("u", 2, 1): lib.SHW_PIXEL_GREY16,
    ("u", 2, 3): lib.SHW_PIXEL_RGB16,
    ("u", 2, 4): lib.SHW_PIXEL_RGBA16,
    ("f", 2, 1): lib.SHW_PIXEL_GREY16_FLOAT,
    ("f", 2, 4): lib.SHW_PIXEL_RGBA16_FLOAT,
    ("f", 4, 1): lib.SHW_PIXEL_GREY32_FLOAT,
}


class Image(NamedTuple):
    """A struct shw_image, and the array that it points into."""

    array: np.ndarray
    format: int

    @property
    def shape(self) -> Tuple[int, int]:
        return int(self.array.shape[0]), int(self.array.shape[1])

    def describe(self) -> Dict[str, Any]:
        """The members of a struct shw_image; the array must outlive it."""
        return {
            "pixels": ffi.cast("void *", self.array.__array_interface__["data"][0]),
            "width": self.array.shape[1],
            "height": self.array.shape[0],
            "stride": self.array.strides[0] if self.array.shape[0] > 1 else 0,
            "format": self.format,
        }


def as_array(value: Any) -> np.ndarray:
    """An array without a copy: NumPy's, one with the buffer protocol, or one of another library by DLPack."""
    if isinstance(value, np.ndarray):
        return value
    if hasattr(value, "__dlpack__") and hasattr(np, "from_dlpack"):
        return np.asarray(np.from_dlpack(value))
    return np.asarray(value)


def is_masked(array: np.ndarray) -> bool:
    """Whether it is a masked array of NumPy that hides something."""
    return isinstance(array, np.ma.MaskedArray) and bool(np.ma.getmaskarray(array).any())


def as_image(value: Any, what: str = "image") -> Image:
    """An image of shape (height, width) or (height, width, 1, 3 or 4).

    The library reads whole pixels from rows with any distance between them. Arrays whose pixels do not follow each
    other, whose rows run upwards, are misaligned or in another byte order are copied, as are half floats in three
    channels, for which there is no format: they get a fourth one.
    """
    array = as_array(value)
    if is_masked(array):
        raise ValueError(f"the {what} is a masked array that hides pixels: give them values (filled()), and leave them "
                         "out of training by `mask`")
    array = np.asarray(array)
    if array.ndim == 2:
        array = array[:, :, np.newaxis]
    if array.ndim != 3 or array.shape[2] not in (1, 3, 4):
        raise ValueError(f"the {what} has the shape {np.shape(value)}: it takes (height, width) or (height, width, "
                         "1, 3 or 4)")
    if 0 in array.shape:
        raise ValueError(f"the {what} has no pixels")
    if array.dtype.kind == "f" and array.dtype.itemsize == 2 and array.shape[2] == 3:
        array = np.concatenate([array, np.ones_like(array[:, :, :1])], axis=2)
    size, channels = array.dtype.itemsize, array.shape[2]
    pixel_format = _FORMATS.get((array.dtype.kind, size, channels))
    if pixel_format is None:
        raise TypeError(f"the {what} has elements of {array.dtype}: it takes uint8, uint16 or float16")
    rows, pixels, samples = array.strides
    fits = (array.shape[1] == 1 or pixels == size * channels) and (channels == 1 or samples == size)
    fits = fits and (array.shape[0] == 1 or rows >= array.shape[1] * size * channels) and rows % size == 0
    if not fits or not array.flags.aligned or not array.dtype.isnative:
        array = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("="))
    return Image(array, pixel_format)


class Inputs:
    """The images that belong together, as a struct shw_inputs: the colours, and others by name."""

    def __init__(self, colours: Any, others: Optional[Mapping[str, Any]], what: str = "image") -> None:
        self.colours = as_image(colours, what)
        self.others: List[Tuple[str, Image]] = []
        for name, value in (others or {}).items():
            image = as_image(value, f"input {name!r} of the {what}")
            if image.shape != self.colours.shape:
                raise ValueError(f"the input {name!r} of the {what} has {image.shape[1]} x {image.shape[0]} pixels, "
                                 f"the {what} {self.colours.shape[1]} x {self.colours.shape[0]}")
            self.others.append((name, image))
        self._names = [text_of(name, "the name of an input") for name, _ in self.others]
        self._list = ffi.new("struct shw_input[]", [{"image": self.colours.describe()}] + [
            {"name": text, "image": image.describe()} for text, (_, image) in zip(self._names, self.others)])

    @property
    def shape(self) -> Tuple[int, int]:
        return self.colours.shape

    def all(self) -> Any:
        """A struct shw_inputs *, for labelling."""
        return ffi.new("struct shw_inputs *", {"count": 1 + len(self.others), "inputs": self._list})

    def members(self, name: Any, labels: np.ndarray) -> Dict[str, Any]:
        """Members of a struct shw_array_example."""
        return {"name": name, "image": self.colours.describe(),
                "inputs": {"count": len(self.others), "inputs": self._list + 1},
                "labels": Image(labels, lib.SHW_PIXEL_GREY16).describe()}


def is_many(images: Any) -> bool:
    """Whether it is a sequence of images, or a 4-D array of them, rather than one image."""
    if isinstance(images, (list, tuple)):
        return len(images) == 0 or getattr(images[0], "ndim", None) != 1 and np.ndim(images[0]) >= 2
    return len(getattr(images, "shape", ())) == 4


def as_list(images: Any) -> Sequence[Any]:
    return list(images) if is_many(images) else [images]


def pick(inputs: Optional[Mapping[str, Any]], index: int, count: int, many: bool) -> Dict[str, Any]:
    """The other inputs of one image: of {'depth': one for each image}, or of one image alone, {'depth': array}."""
    chosen: Dict[str, Any] = {}
    for name, values in (inputs or {}).items():
        if not many:
            chosen[name] = values[0] if isinstance(values, (list, tuple)) else values
            continue
        if len(values) != count:
            raise ValueError(f"there are {count} images and {len(values)} of the input {name!r}")
        chosen[name] = values[index]
    return chosen


Labels = Union[np.ndarray, Sequence[Any]]


def as_labels(value: Any, shape: Tuple[int, int], mask: Any, void: Optional[int], what: str) -> np.ndarray:
    """Labels as the library reads them: uint16 of the image's size, 65535 where there is none."""
    labels = as_array(value)
    if labels.ndim == 3 and labels.shape[2] == 1:
        labels = labels[:, :, 0]
    if labels.shape != shape:
        raise ValueError(f"the {what} have the shape {labels.shape}, the image has {shape}")
    if labels.dtype.kind not in "iub":
        raise TypeError(f"the {what} have elements of {labels.dtype}: they are integers, the numbers of classes")
    unknown = np.zeros(shape, bool)
    if isinstance(labels, np.ma.MaskedArray):
        unknown |= np.ma.getmaskarray(labels)
        labels = labels.data
    if labels.dtype.kind == "i":
        unknown |= labels == -1
    if void is not None:
        unknown |= labels == void
    if mask is not None:
        known = as_array(mask)
        if known.shape != shape:
            raise ValueError(f"the mask of the {what} has the shape {known.shape}, the image has {shape}")
        unknown |= ~known.astype(bool)
    if labels.dtype.kind == "i" or labels.dtype.itemsize > 2:
        wrong = ~unknown & ((labels < 0) | (labels > lib.SHW_LABEL_VOID))
        if wrong.any():
            raise ValueError(f"the {what} have the value {labels[wrong][0]}: classes are 0 to {lib.SHW_LABEL_VOID - 1}, "
                             f"and -1 or {lib.SHW_LABEL_VOID} is void")
    if unknown.any():
        labels = np.where(unknown, lib.SHW_LABEL_VOID, labels)
    return np.ascontiguousarray(labels, dtype=np.uint16)
