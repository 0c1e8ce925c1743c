"""Collectives over all slices."""
from __future__ import annotations


class Collective:
    """A handle of the library's, good until the emulator is destroyed."""

    def __init__(self, handle: int, name: str) -> None:
        self.handle = handle
        self.name = name

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}>"


class Tree(Collective):
    """Broadcasts from slice 0 and reductions to it, over one frame."""


class Barrier(Collective):
    """All slices join, then all go on."""


class AllReduce(Collective):
    """The combination of all frames in the frame of every slice."""
