"""Tables of numbers as records of the library, and the checks that scikit-learn's users expect."""

from __future__ import annotations

import warnings
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np

from ._core import ffi


class Table:
    """A struct shw_records over an array (records, attributes) of float32, of any strides that are not negative."""

    def __init__(self, array: np.ndarray, missing: Optional[float]) -> None:
        self.array = array

        def stride(axis: int, length: int) -> int:
            return array.strides[axis] // array.itemsize if length > 1 else 1

        records, attributes = array.shape
        self.struct: Dict[str, Any] = {
            "values": ffi.cast("float *", array.__array_interface__["data"][0]), "count": records,
            "attribute_count": attributes, "record_stride": stride(0, records) if records > 1 else attributes,
            "attribute_stride": stride(1, attributes), "has_missing": missing is not None,
            "missing": 0 if missing is None else missing}


def column_names(X: Any) -> Optional[List[str]]:
    """The names of a data frame's columns."""
    columns = getattr(X, "columns", None)
    if columns is None:
        return None
    names = list(columns)
    return names if all(isinstance(name, str) for name in names) else None


def as_records(X: Any, name: str) -> np.ndarray:
    """An array of float32, without a copy if it is one already. What a masked array of NumPy hides is missing."""
    if hasattr(X, "toarray"):
        raise TypeError("A sparse matrix was passed, but dense data is required. Use X.toarray() to convert to a dense "
                        "numpy array.")
    masked = isinstance(X, np.ma.MaskedArray) and bool(np.ma.getmaskarray(X).any())
    array = X.astype(np.float32).filled(np.nan) if masked and X.dtype.kind in "biuf" else np.asarray(X)
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported\n{array}\n")
    if array.dtype.kind in "SU":
        raise ValueError(f"{name} takes numbers, not text: dtype {array.dtype}")
    if array.ndim != 2:
        raise ValueError(f"Expected 2D array, got {array.ndim}D array instead:\narray={array}.\nReshape your data either "
                         "using array.reshape(-1, 1) if your data has a single feature or array.reshape(1, -1) if it "
                         "contains a single sample.")
    if array.shape[0] == 0:
        raise ValueError(f"Found array with 0 sample(s) (shape={array.shape}) while a minimum of 1 is required by {name}.")
    if array.shape[1] == 0:
        raise ValueError(f"Found array with 0 feature(s) (shape={array.shape}) while a minimum of 1 is required by {name}.")
    if array.dtype.kind == "O":
        array = array.astype(np.float64)
    if array.dtype != np.float32 or not array.flags.aligned:
        array = np.ascontiguousarray(array, dtype=np.float32)
    elif any(stride <= 0 or stride % 4 for stride, length in zip(array.strides, array.shape) if length > 1):
        array = np.ascontiguousarray(array)
    return array


def as_classes(y: Any, count: int, name: str) -> Tuple[np.ndarray, np.ndarray]:
    """(the classes in order, the number of the class of each record)."""
    if y is None:
        raise ValueError(f"{name} requires y to be passed, but the target y is None")
    if isinstance(y, np.ma.MaskedArray) and np.ma.getmaskarray(y).any():
        raise ValueError("y is a masked array that hides classes: leave out these records")
    targets = np.asarray(y)
    if targets.ndim == 2 and targets.shape[1] == 1:
        _warn_column()
        targets = targets[:, 0]
    if targets.ndim != 1:
        raise ValueError(f"y should be a 1d array, got an array of shape {targets.shape} instead.")
    if len(targets) != count:
        raise ValueError(f"Found input variables with inconsistent numbers of samples: [{count}, {len(targets)}]")
    if targets.dtype.kind == "f":
        if not np.isfinite(targets).all():
            raise ValueError("Input y contains NaN or infinity.")
        if (targets != np.floor(targets)).any():
            raise ValueError("Unknown label type: 'continuous'. Classes are whole numbers or texts; values (regression) "
                             "are not trained on.")
    classes, numbers = np.unique(targets, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(f"{name} is trained on two classes or more, and there is one class: {classes[0]!r}")
    return classes, numbers.astype(np.uint32)


def _warn_column() -> None:
    import sys

    module = sys.modules.get("sklearn.exceptions")
    warnings.warn("A column-vector y was passed when a 1d array was expected. Please change the shape of y to "
                  "(n_samples,), for example using ravel().",
                  module.DataConversionWarning if module is not None else UserWarning, stacklevel=4)


def classes_of(names: Sequence[str]) -> np.ndarray:
    """The classes that a file has as names, with the type that they had if that can be seen: whole numbers, False and
    True, other numbers; otherwise the names."""
    kinds: Tuple[Callable[[str], Any], ...] = (int, {"False": False, "True": True}.__getitem__, float)
    for kind in kinds:
        try:
            values = [kind(name) for name in names]
        except (KeyError, ValueError):
            continue
        if all(str(value) == name for value, name in zip(values, names)):
            return np.array(values)
    return np.array(names)
