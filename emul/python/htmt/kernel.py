"""What a kernel sees."""
from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from . import _structs
from ._library import library
from ._numbers import Unique
from .errors import InputError
from .place import Array, View
from .program import Program, Views, counts

if TYPE_CHECKING:
    from .parcel import Type


class Kernel(Unique):
    """A kernel's closure. It, and all arrays that it gives, end when the kernel returns.

    ``k[i]`` is region i as an array, in the shape and dtype of the part that it names. A region
    that has not joined yet is empty. Iterate over it for all: ``rows, x, y = k``. Arrays of regions
    that are declared read-only cannot be written.
    """

    def __init__(self, program: Program, kind: Type, handle: int) -> None:
        self._program = program
        self._kind = kind
        self._handle: int | None = handle
        self._views = Views()
        self._regions: dict[int, Array] = {}

    def _live(self) -> int:
        if self._handle is None:
            raise InputError(f"{self._kind.name}: the kernel has ended; nothing may use it later")
        return self._handle

    def _end(self) -> None:
        self._handle = None
        self._regions = {}
        self._program.ended(self._views)

    def _header(self) -> Any:
        return self._kind.arguments.at(library().htmt_kernel_args(self._live())).header

    @functools.cached_property
    def _closure(self) -> tuple[View, ...]:
        found: tuple[View, ...] = self._program.closures.value(self._header().closure)
        return found

    def __len__(self) -> int:
        return len(self._closure)

    def __iter__(self) -> Iterator[Array]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, region: int) -> Array:
        if region not in self._regions:
            self._regions[region] = self._region(region)
        return self._regions[region]

    def _region(self, region: int) -> Array:
        view = self._closure[region]
        size = library().htmt_size(self._live(), region)
        start = library().htmt_bytes(self._live(), region) if size else 0
        return self._views.make(f"region {region}", start, size, view)

    def used(self, use: int) -> Array:
        """What the control declared by its call number `use` of ``use()`` or ``take()``."""
        declared = self._program.uses.value(self._header().uses)
        if not 0 <= use < len(declared):
            raise IndexError(f"found use {use}; the control declared {len(declared)}")
        size = library().htmt_used_size(self._live(), use)
        start = library().htmt_used(self._live(), use) if size else 0
        return self._views.make(f"use {use}", start, size, declared[use])

    @property
    def args(self) -> Any:
        """A copy of the parcel's arguments; None of a type without."""
        return self._kind.arguments.copy(library().htmt_kernel_args(self._live()))

    @property
    def result(self) -> Array:
        """The parcel's result: one element of the type's ``result``, for a steered control."""
        dtype = self._kind.result
        if dtype is None:
            raise InputError(f"{self._kind.name} has no result: give its type a result=dtype")
        start = library().htmt_kernel_result(self._live())
        return self._views.make("the result", start, dtype.itemsize, View(False, (), dtype))

    @property
    def slice(self) -> int:
        """The slice where it runs."""
        return int(library().htmt_kernel_slice(self._live()))

    @property
    def fiber(self) -> int:
        """The fiber that it belongs to; 0: a stage of the parcel."""
        return int(library().htmt_kernel_fiber(self._live()))

    @property
    def part(self) -> int:
        """Of ``Stage(parts=n)``, from 0."""
        return int(library().htmt_kernel_part(self._live()))

    def count(self, **operations: int) -> None:
        """Operations that it did: ``cycle``, ``flop``, ``iop``, ``load``, ``store``."""
        for op, n in counts(operations):
            library().htmt_count(self._live(), op, n)


def trampoline(program: Program, kind: Type, function: Callable[[Kernel], None]) -> Any:
    """A kernel for the library."""

    def enter(handle: int) -> None:
        if program.stopped:
            return
        k = Kernel(program, kind, handle)
        try:
            returned = program.call(function, k)
            if returned is not None:
                raise TypeError(f"a kernel returned {type(returned).__name__}, expected None")
            k._end()
        except BaseException as error:
            k._handle, k._regions = None, {}
            program.fail_kernel(handle, error)

    return program.keep(_structs.htmt_kernel_fn(enter))
