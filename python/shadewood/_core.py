"""Calls of the library: results become exceptions, messages go to logging, and Ctrl+C stops long work."""

from __future__ import annotations

import _thread
import logging
import os
import threading
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Union

from ._native import ffi, lib
from .errors import BY_CODE, Error

logger = logging.getLogger("shadewood")

PathLike = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]


class Log:
    """Where an object of the library sends its messages, as long as this lives."""

    def __init__(self) -> None:
        self._messages = ffi.gc(lib.shw_python_messages_create(), lib.shw_python_messages_destroy)
        if self._messages == ffi.NULL:
            raise MemoryError("no memory for messages")
        self.struct = lib.shw_python_messages_log(self._messages)

    def pointer(self) -> Any:
        """A struct shw_log * for a single call; keep the result until it returns."""
        return ffi.new("struct shw_log *", self.struct)

    def take(self) -> List[str]:
        """The errors since the last time; warnings go to logging."""
        message, errors = ffi.new("struct shw_python_message *"), []
        while lib.shw_python_messages_take(self._messages, message):
            text = ffi.string(message.text).decode("utf-8", "replace")
            if message.level == lib.SHW_LOG_ERROR:
                errors.append(text)
            else:
                logger.log({lib.SHW_LOG_WARNING: logging.WARNING, lib.SHW_LOG_INFO: logging.INFO}.get(
                    message.level, logging.DEBUG), "%s", text)
        return errors

    def check(self, result: int) -> None:
        """Raises the exception of a result that is no success."""
        errors = self.take()
        if result == lib.SHW_OK:
            return
        text = errors[-1] if errors else ffi.string(lib.shw_result_string(result)).decode()
        raise BY_CODE.get(result, Error)(text)


def wait(work: Callable[[], int], interrupt: Optional[Callable[[], None]] = None) -> int:
    """The result of `work`, a call of the library.

    Such calls release Python's lock. Signals are handled by the main thread, between instructions of Python; so where
    that calls, the work is on another thread, and an exception of a signal handler, such as KeyboardInterrupt, ends it
    by `interrupt` and is raised again once it has ended.
    """
    if interrupt is None or threading.current_thread() is not threading.main_thread():
        return work()
    # Exceptions of signals may come after every call, also while the thread starts and while an earlier one is handled.
    # So what the two threads tell each other is written by single operations that may be repeated, and without the
    # locks of threading.Thread and Event, which such an exception can leave locked.
    outcome: Dict[str, Any] = {}
    ended = _thread.allocate_lock()
    ended.acquire()

    def target() -> None:
        try:
            if outcome.setdefault("owner", "work") == "work":
                outcome["result"] = work()
        except BaseException as error:  # of the wrapper; raised where the caller is
            outcome["error"] = error
        finally:
            outcome["ended"] = True
            ended.release()

    try:
        _thread.start_new_thread(target, ())
        while "ended" not in outcome:
            await_release(ended)
    except BaseException:
        while True:  # what the work uses must not be freed before its end, whatever signals arrive
            try:
                while outcome.setdefault("owner", "caller") == "work" and "ended" not in outcome:
                    interrupt()
                    ended.acquire(timeout=0.1)
                break
            except BaseException:
                pass
        raise
    if "error" in outcome:
        raise outcome["error"]
    return int(outcome["result"])


def await_release(lock: Any) -> None:
    lock.acquire()


def path_bytes(path: PathLike) -> bytes:
    encoded = os.fsencode(path)
    if b"\0" in encoded:
        raise ValueError(f"the path {path!r} contains a null character")
    return encoded


def text_of(text: str, what: str = "the name") -> Any:
    """A char[] of a text, which would end at a null character."""
    if not isinstance(text, str):
        raise TypeError(f"{what} is {text!r}: it is a text")
    if "\0" in text:
        raise ValueError(f"{what} {text!r} contains a null character")
    return ffi.new("char[]", text.encode())


def text_or_null(text: Optional[str], keep: List[Any], what: str = "the name") -> Any:
    """A char * that lives as long as the list."""
    if text is None:
        return ffi.NULL
    keep.append(text_of(text, what))
    return keep[-1]


def params_of(kind: str, members: Mapping[str, Any], arguments: Mapping[str, str]) -> Any:
    """A pointer to a struct with these members, some of them structs themselves. `arguments` has the names that they
    have in Python, where these are others, for the message about a value that a member cannot have."""
    params = ffi.new(f"{kind} *")
    set_members(params, members, arguments)
    return params


def set_members(params: Any, members: Mapping[str, Any], arguments: Mapping[str, str]) -> None:
    """Sets members of a struct, as params_of() does."""
    for member, value in members.items():
        if isinstance(value, dict) and ffi.typeof(getattr(params, member)).kind == "struct":
            set_members(getattr(params, member), value, arguments)
            continue
        try:
            setattr(params, member, value)
        except OverflowError:
            raise ValueError(f"{arguments.get(member, member)} is {value!r}, which is out of range") from None
        except TypeError:
            raise TypeError(f"{arguments.get(member, member)} is {value!r}, a {type(value).__name__}") from None


def class_weights(weights: Sequence[float], count: int) -> Any:
    """A double * of a weight for each class, which the library reads without being told how many there are."""
    numbers = [float(weight) for weight in weights]
    if len(numbers) != count:
        raise ValueError(f"there are {len(numbers)} weights and {count} classes")
    return ffi.new("double[]", numbers)


def string(pointer: Any) -> str:
    return str(ffi.string(pointer).decode("utf-8", "replace"))


def bytes_of(save: Callable[[Any, Any], int]) -> bytes:
    """What a function of the library writes to memory that is to be freed."""
    pointer, size = ffi.new("void **"), ffi.new("size_t *")
    result = save(pointer, size)
    if result != lib.SHW_OK:
        raise BY_CODE.get(result, Error)(string(lib.shw_result_string(result)))
    try:
        return bytes(ffi.buffer(pointer[0], size[0]))
    finally:
        lib.shw_free(pointer[0])


class Source:
    """A model of another program as a struct shw_import_params: a file, or bytes in memory with a name for messages."""

    def __init__(self, kind: str, log: Log, path: Optional[PathLike] = None, data: Optional[bytes] = None,
                 name: str = "model") -> None:
        self._keep = [kind.encode(), path_bytes(path) if path is not None else data or b"", name.encode()]
        self._texts = [ffi.new("char[]", self._keep[0]), ffi.new("char[]", self._keep[2])]
        if path is not None:
            self._texts.append(ffi.new("char[]", self._keep[1]))
            source: Dict[str, Any] = {"path": self._texts[2]}
        else:
            source = {"bytes": ffi.from_buffer(self._keep[1]), "size": len(self._keep[1]), "name": self._texts[1]}
        self._sources = ffi.new("struct shw_import_source[]", [source])
        self.params = ffi.new("struct shw_import_params *", {
            "format": self._texts[0], "sources": self._sources, "source_count": 1, "log": log.struct})


def choose(name: str, value: Any, choices: Dict[str, int]) -> int:
    """The number of a choice by its name, as the programs call it."""
    if value in choices:
        return choices[value]
    raise ValueError(f"{name} is one of {', '.join(map(repr, choices))}, not {value!r}")


TECHNIQUES = {
    "auto": lib.SHW_TECHNIQUE_AUTO,
    "cpu": lib.SHW_TECHNIQUE_CPU,
    "fragment": lib.SHW_TECHNIQUE_FRAGMENT,
    "compute": lib.SHW_TECHNIQUE_COMPUTE,
    "blend": lib.SHW_TECHNIQUE_BLEND,
}

_devices: Dict[int, Any] = {}
_devices_lock = threading.Lock()


def device_for(technique: int, index: int) -> Any:
    """The Vulkan device, opened once a process, or NULL where none is needed or, with `auto`, to be had."""
    if technique == lib.SHW_TECHNIQUE_CPU:
        return ffi.NULL
    with _devices_lock:
        if index not in _devices:
            log, device = Log(), ffi.new("struct shw_device **")
            params = params_of("struct shw_device_create_params", {"index": index, "log": log.struct},
                               {"index": "device"})
            result = lib.shw_device_create(params, device)
            if result != lib.SHW_OK and technique == lib.SHW_TECHNIQUE_AUTO:
                log.take()
                return ffi.NULL
            log.check(result)
            _devices[index] = (device[0], log)  # until the process ends, as what uses it may
        return _devices[index][0]
