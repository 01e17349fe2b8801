"""Trains a forest on painted labels and labels pictures with it, in a thread of its own; what is asked for meanwhile
replaces what has not begun, and ends the training that it makes obsolete."""

from __future__ import annotations

import threading
from typing import Any, Callable, Dict, List, NamedTuple, Optional

import numpy as np

from ..errors import Cancelled
from ..pixel import PixelForestClassifier

#: What the forests of painted projects are trained with (docs/teaching-reference.md): all painted pixels, classes of
#: equal weight, tests that reach from 1 pixel to 31, smooth labels.
SETTINGS: Dict[str, Any] = dict(
    channels="lab,tensor:2,deviation:4", trees=16, depth=12, candidates=30, offset=31, offset_min=1, pixels="all",
    weights="inverse", single=50, thresholds="random", bins=10, smooth=16)

PAINTED_NOTHING = 0  #: the value of unpainted pixels in napari's labels; class c is painted as c + 1


class Request(NamedTuple):
    """What is to be learnt and labelled."""

    images: List[np.ndarray]  #: those with painted labels
    labels: List[np.ndarray]  #: painted: 0 is nothing
    shown: np.ndarray  #: the image to be labelled
    ticket: Any  #: comes back with the result
    train: bool  #: False: label with the last forest


class Result(NamedTuple):
    """The labels of an image, or what went wrong."""

    labels: Optional[np.ndarray]  #: as painted: class c is c + 1
    ticket: Any
    error: Optional[str]


def to_classes(labels: np.ndarray) -> np.ndarray:
    """Painted labels as classes, -1 where nothing is painted."""
    return labels.astype(np.int64) - 1


def to_painted(classes: np.ndarray) -> np.ndarray:
    """Classes as napari's labels, 0 where there is none."""
    return np.where(classes == 0xffff, 0, classes.astype(np.int64) + 1)


class Teacher:
    """Deliver is called with each Result, in the teacher's thread. close() ends it."""

    def __init__(self, deliver: Callable[[Result], None], settings: Optional[Dict[str, Any]] = None) -> None:
        self.settings = {**SETTINGS, **(settings or {})}
        self.forest: Optional[PixelForestClassifier] = None
        self._deliver = deliver
        self._changed = threading.Condition()
        self._waiting: Optional[Request] = None
        self._busy = self._closed = False
        self._thread = threading.Thread(target=self._work, name="shadewood-teacher", daemon=True)
        self._thread.start()

    def ask(self, request: Request) -> None:
        """Replaces what has not begun. Returns at once."""
        with self._changed:
            if self._waiting is not None and self._waiting.train:
                request = request._replace(train=True)
            self._waiting = request
            self._changed.notify_all()

    def wait(self, seconds: float = 600) -> bool:
        """Until nothing is left to do; False: it took longer."""
        with self._changed:
            return self._changed.wait_for(lambda: self._waiting is None and not self._busy, seconds)

    def close(self) -> None:
        """Ends the thread, and training with it."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._thread.join()

    def _work(self) -> None:
        while True:
            with self._changed:
                self._busy = False
                self._changed.notify_all()
                self._changed.wait_for(lambda: self._waiting is not None or self._closed)
                if self._closed:
                    return
                request, self._waiting, self._busy = self._waiting, None, True
            if request is not None:
                self._answer(request)

    def _obsolete(self) -> bool:
        return self._closed or (self._waiting is not None and self._waiting.train)

    def _answer(self, request: Request) -> None:
        try:
            if request.train or self.forest is None:
                self.forest = self._train(request)
            self._deliver(Result(to_painted(self.forest.predict(request.shown)), request.ticket, None))
        except Cancelled:
            pass  # there is a newer request
        except Exception as error:
            self._deliver(Result(None, request.ticket, str(error)))

    def _train(self, request: Request) -> PixelForestClassifier:
        classes = [to_classes(labels) for labels in request.labels]
        present = sorted({int(each) for array in classes for each in np.unique(array) if each >= 0})
        if len(present) < 2:
            raise ValueError("paint strokes of two labels or more, and the forest learns to tell them apart")
        return PixelForestClassifier(**self.settings).fit(
            request.images, classes, progress=lambda progress: not self._obsolete())
