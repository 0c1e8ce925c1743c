"""Slices as the places of a grid."""
from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

from . import _structs
from ._library import library
from ._numbers import fill


class Grid:
    """One to three dimensions. Where an axis wraps, its last place and its first are neighbours."""

    def __init__(self, extent: Sequence[int], wrap: Sequence[bool] = ()) -> None:
        self.extent = tuple(extent)
        self.struct = _structs.htmt_grid()
        if not self.extent or len(wrap) > len(self.extent):
            raise ValueError(
                f"found {len(self.extent)} extents and {len(wrap)} axes that wrap, expected 1 to 3 "
                "and no more axes than extents"
            )
        fill(self.struct.extent, self.extent, "extent", 1)
        self.struct.wrap[: len(wrap)] = [bool(w) for w in wrap]

    @staticmethod
    def step(step: Sequence[int]) -> Any:
        """As the library takes it."""
        return fill((ctypes.c_int * 3)(), step, "step")

    def __len__(self) -> int:
        """Slices of the grid."""
        return int(library().htmt_grid_slices(ctypes.byref(self.struct)))

    def place(self, slice: int) -> tuple[int, ...]:
        """Place of a slice."""
        found = (ctypes.c_uint32 * 3)()
        if not library().htmt_grid_place(ctypes.byref(self.struct), slice, found):
            raise IndexError(f"found slice {slice}, expected 0 to {len(self) - 1}")
        return tuple(found[: len(self.extent)])

    def neighbour(self, slice: int, step: Sequence[int]) -> int | None:
        """The slice so many steps away; None: there is none."""
        found = ctypes.c_uint32()
        there = library().htmt_grid_neighbour(
            ctypes.byref(self.struct), slice, self.step(step), ctypes.byref(found)
        )
        return found.value if there else None
