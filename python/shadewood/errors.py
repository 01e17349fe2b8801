"""Exceptions, one for each error of the library (enum shw_result), with the library's message."""

from __future__ import annotations

from typing import Dict, Type


class Error(Exception):
    """A failure that the library has reported; its text is the library's message."""

    code = 0
    """The value of enum shw_result."""


class ArgumentError(Error, ValueError):
    """A parameter breaks a documented rule."""

    code = -1


class HostMemoryError(Error, MemoryError):
    """Host memory is exhausted."""

    code = -2


class DeviceMemoryError(Error, MemoryError):
    """Device memory is exhausted."""

    code = -3


class DeviceLostError(Error, RuntimeError):
    """The device stopped answering."""

    code = -4


class NoDeviceError(Error, RuntimeError):
    """There is no Vulkan loader, no driver, or no device with that index."""

    code = -5


class UnsupportedError(Error, RuntimeError):
    """The device or this build lacks something required; the message names it."""

    code = -6


class FileError(Error, OSError):
    """A file could not be opened, read or written."""

    code = -7


class FormatError(Error, ValueError):
    """The contents of a file, of a model or of a data set are invalid."""

    code = -8


class VersionError(FormatError):
    """A file comes from a newer version."""

    code = -9


class LimitError(Error, ValueError):
    """Valid, but larger than a documented limit."""

    code = -10


class Cancelled(Error):
    """A progress callback returned False."""

    code = -11


class AbiError(Error, RuntimeError):
    """Extension and library were compiled with different structs."""

    code = -12


BY_CODE: Dict[int, Type[Error]] = {
    each.code: each
    for each in (ArgumentError, HostMemoryError, DeviceMemoryError, DeviceLostError, NoDeviceError, UnsupportedError,
                 FileError, FormatError, VersionError, LimitError, Cancelled, AbiError)
}
