"""The one way of an integer into the library.

ctypes takes the low bits of any integer: 2**70 becomes 0, -1 becomes 4294967295, and the library
never learns what was meant. So each integer is checked here before ctypes sees it: members of
structures when they are set, arguments of functions when they are called, elements of arrays when
these are made. A number that does not fit is a ValueError with its name and its range; a fraction
is a TypeError. Floats are welcome where they are whole, as results of NumPy often are.
"""
from __future__ import annotations

import ctypes
import operator
from collections.abc import Iterable
from typing import Any

#: ctypes' integers, and the least and the largest number of each.
RANGES: dict[Any, tuple[int, int]] = {
    kind: (-(1 << 8 * ctypes.sizeof(kind) - 1), (1 << 8 * ctypes.sizeof(kind) - 1) - 1)
    if kind(-1).value < 0
    else (0, (1 << 8 * ctypes.sizeof(kind)) - 1)
    for kind in (
        ctypes.c_int8,
        ctypes.c_uint8,
        ctypes.c_int16,
        ctypes.c_uint16,
        ctypes.c_int32,
        ctypes.c_uint32,
        ctypes.c_int64,
        ctypes.c_uint64,
    )
}


def whole(value: Any, kind: Any, what: str, least: int | None = None) -> int:
    """The value as an integer that ``kind`` holds; ``least``: of a larger range's beginning."""
    low, high = RANGES[kind]
    try:
        found = operator.index(value)
    except TypeError:
        if not (isinstance(value, float) and value.is_integer()):
            raise TypeError(f"{what}: found {value!r}, expected a whole number") from None
        found = int(value)
    low = low if least is None else least
    if not low <= found <= high:
        raise ValueError(f"{what}: found {value!r}, expected {low} to {high}")
    return found


def fill(array: Any, values: Iterable[Any], what: str, least: int | None = None) -> Any:
    """The first elements of a ctypes array of integers; the array."""
    given = list(values)
    if len(given) > len(array):
        raise ValueError(f"{what}: found {len(given)} numbers, expected at most {len(array)}")
    array[: len(given)] = [whole(v, array._type_, what, least) for v in given]
    return array


class Structure(ctypes.Structure):
    """A structure whose integers are checked when they are set."""

    def __setattr__(self, name: str, value: Any) -> None:
        kind = _kinds(type(self)).get(name)
        super().__setattr__(name, value if kind is None else whole(value, kind, name))


_known: dict[Any, dict[str, Any]] = {}


def _kinds(structure: Any) -> dict[str, Any]:
    """The integers among the members of a structure."""
    found = _known.get(structure)
    if found is None:
        found = {f[0]: f[1] for f in structure._fields_ if f[1] in RANGES}
        _known[structure] = found
    return found


def checked(function: Any, kinds: list[Any], names: str) -> Any:
    """A function of the library, whose integers are checked when it is called."""
    named = names.split()
    places = [(i, kind, named[i]) for i, kind in enumerate(kinds) if kind in RANGES]
    if not places:
        return function

    def call(*given: Any) -> Any:
        arguments = list(given)
        for i, kind, name in places:
            arguments[i] = whole(arguments[i], kind, name)
        return function(*arguments)

    return call


class Unique:
    """What stands for one thing of the library's: a copy would be a second owner of it."""

    def __reduce_ex__(self, protocol: Any) -> Any:
        name = type(self).__name__
        article = "an" if name[0] in "AEIOU" else "a"
        raise TypeError(f"{article} {name} cannot be copied or pickled: it stands for one thing")
