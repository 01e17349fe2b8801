"""Layers of napari and a teacher: strokes on a Labels layer train, and a second Labels layer shows what comes out.

Of napari only this is used: layers with `data`, `name`, `events` (emitters with connect() and disconnect()), images also
with `rgb` and `contrast_limits`; the viewer's `add_labels()`, `layers` and `dims.current_step`.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Tuple

import numpy as np

from .teaching import Request, Result, Teacher

#: Events of a Labels layer after which its labels may be others. Not all versions of napari have all of them, and some
#: come when nothing has changed.
EVENTS = ("paint", "data", "labels_update")


def as_pictures(layer: Any) -> np.ndarray:
    """The data of an Image layer as an array that forests read, (..., height, width) or, in colours, (..., height,
    width, 3 or 4): uint8 and uint16 as they are, everything else mapped from the contrast limits to 16 bits."""
    data = np.asarray(layer.data)
    if data.dtype in (np.uint8, np.uint16):
        return data
    low, high = (float(limit) for limit in layer.contrast_limits)
    scaled = (data.astype(np.float32) - low) / max(high - low, 1e-30)
    return (np.clip(np.nan_to_num(scaled), 0, 1) * 65535 + 0.5).astype(np.uint16)


class Session:
    """Teaches with one image layer and one Labels layer of a viewer.

    later: called with a function that is to be run in napari's thread, from another one; only there layers may change.
    say: shows a line of text to the user.
    """

    def __init__(self, viewer: Any, image: Any, labels: Any, later: Callable[[Callable[[], None]], None],
                 say: Callable[[str], None], settings: Optional[Dict[str, Any]] = None, live: bool = True) -> None:
        self.viewer, self.image, self.labels, self.live = viewer, image, labels, live
        self.result: Any = None  # the layer that shows what the forest says
        self._later, self._say = later, say
        self._seen: Optional[np.ndarray] = None  # the labels of the last training
        self._pictures = as_pictures(image)
        spatial = 3 if getattr(image, "rgb", False) else 2
        self._leading = self._pictures.shape[:self._pictures.ndim - spatial]
        self.teacher = Teacher(lambda result: later(lambda: self._show(result)), settings)
        size = self._leading + self._pictures.shape[len(self._leading):len(self._leading) + 2]
        if np.shape(labels.data) != size:
            self.teacher.close()
            raise ValueError(f"the labels have the shape {np.shape(labels.data)}, the image has {size}")
        self._emitters = [getattr(labels.events, name) for name in EVENTS if hasattr(labels.events, name)]
        for emitter in self._emitters:
            emitter.connect(self._painted)
        viewer.dims.events.current_step.connect(self._moved)

    def close(self) -> None:
        """Ends the thread, and leaves the layers as they are."""
        for emitter in self._emitters:
            emitter.disconnect(self._painted)
        self.viewer.dims.events.current_step.disconnect(self._moved)
        self.teacher.close()

    def _place(self) -> Tuple[int, ...]:
        """The picture of a stack that is shown."""
        return tuple(int(step) for step in self.viewer.dims.current_step[:len(self._leading)])

    def _painted(self, event: Any = None) -> None:
        if self.live:
            self.train()

    def _moved(self, event: Any = None) -> None:
        if self._leading and self.teacher.forest is not None:
            self._ask(train=False)

    def train(self) -> None:
        """Trains on what is painted now, unless it is what was painted the last time. Returns at once."""
        painted = np.array(self.labels.data)
        if self._seen is not None and np.array_equal(painted, self._seen):
            return
        self._seen = painted
        self._ask(train=True)

    def _ask(self, train: bool) -> None:
        painted = self._seen if self._seen is not None else np.asarray(self.labels.data)
        places: List[Tuple[int, ...]] = [place for place in np.ndindex(*self._leading) if painted[place].any()]
        place = self._place()
        self.teacher.ask(Request([self._pictures[each] for each in places], [painted[each] for each in places],
                                 self._pictures[place], place, train))

    def _show(self, result: Result) -> None:
        if result.error is not None or result.labels is None:
            self._say(result.error or "")
            return
        if self.result is None or self.result not in self.viewer.layers:
            self.result = self.viewer.add_labels(np.zeros(np.shape(self.labels.data), np.int64),
                                                 name=f"{self.image.name} labelled", opacity=0.5)
            self.viewer.layers.selection.active = self.labels  # go on painting there
        if self._leading:
            self.result.data[result.ticket] = result.labels
            self.result.refresh()
        else:
            self.result.data = result.labels
        self._say("")

    def save(self, path: str) -> None:
        """Writes the forest, which the programs and PixelForestClassifier.load() read."""
        if self.teacher.forest is None:
            raise ValueError("there is no forest yet: paint strokes of two labels")
        self.teacher.forest.save(path)
