"""Rounds of a training, between which Python runs: progress, and cancellation."""

from __future__ import annotations

from typing import Any, Callable, NamedTuple, Optional

from ._core import Log, ffi, lib, wait
from .errors import Cancelled


class Progress(NamedTuple):
    """The state of a training after a round."""

    level: int  #: of `levels`, from 0
    levels: int
    tree: int  #: of `trees`, from 0
    trees: int
    round: int  #: of the tree, from 0
    open_nodes: int  #: before the round
    splits: int  #: made in the round
    fraction: float  #: of all work, estimated: from 0 to 1
    seconds: float  #: since the training began
    seconds_left: float  #: estimated


ProgressFunction = Callable[[Progress], Optional[bool]]


class Rounds:
    """Makes the steps of a trainer of the library, each a call without Python's lock."""

    def __init__(self, log: Log, progress: Optional[ProgressFunction], level: int = 0, levels: int = 1) -> None:
        self.log, self.progress, self.level, self.levels = log, progress, level, levels
        self.round = ffi.new("struct shw_python_round *")

    def parameters(self) -> dict:
        """Members of the trainer's parameters."""
        return {"progress": ffi.addressof(lib, "shw_python_keep_round"), "progress_user": self.round}

    def run(self, trainer: Any, step: Callable[[Any, Any], int], interrupt: Callable[[Any], None]) -> None:
        finished = ffi.new("bool *")
        while not finished[0]:
            self.round.ended = False
            self.log.check(wait(lambda: step(trainer, finished), lambda: interrupt(trainer)))
            if self.progress is not None and self.round.ended and self.progress(self.describe()) is False:
                raise Cancelled("the progress function returned False")

    def describe(self) -> Progress:
        last = self.round.progress
        return Progress(self.level, self.levels, last.tree, last.tree_count, last.depth, last.open_nodes, last.splits,
                        (self.level + last.fraction) / self.levels, last.seconds, last.seconds_left)
