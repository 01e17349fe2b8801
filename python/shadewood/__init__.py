"""Decision forests for images and records, and cascades, as the programs of Shadewood have them.

>>> import shadewood
>>> shadewood.__version__.count(".")
2
"""

from ._core import lib as _lib
from ._core import string as _string
from ._training import Progress
from .detection import DETECTION, CascadeProgress, CascadeQuality, CascadeTrainer, Detector
from .errors import (AbiError, ArgumentError, Cancelled, DeviceLostError, DeviceMemoryError, Error, FileError,
                     FormatError, HostMemoryError, LimitError, NoDeviceError, UnsupportedError, VersionError)
from .pixel import ExplainedRegion, ExplainedTest, ExplainedTree, Explanation, PixelForestClassifier
from .project import Picture, Project, ProjectClass
from .records import RecordForestClassifier, RecordForestRegressor

__version__ = _string(_lib.shw_version_string())

__all__ = [
    "AbiError", "ArgumentError", "Cancelled", "CascadeProgress", "CascadeQuality", "CascadeTrainer", "DETECTION", "Detector",
    "DeviceLostError", "DeviceMemoryError", "Error", "ExplainedRegion",
    "ExplainedTest", "ExplainedTree", "Explanation", "FileError", "FormatError", "HostMemoryError", "LimitError",
    "NoDeviceError", "Picture", "PixelForestClassifier", "Progress", "Project", "ProjectClass", "RecordForestClassifier",
    "RecordForestRegressor", "UnsupportedError", "VersionError",
]
