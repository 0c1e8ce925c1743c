"""Resident objects, and the parts of them that parcels carry."""
from __future__ import annotations

import ctypes
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy

from . import _structs
from ._library import library, new
from ._numbers import whole
from .errors import HostError, InputError

if TYPE_CHECKING:
    from .emulator import Emulator

Array = numpy.ndarray[Any, Any]


def plain(dtype: Any) -> numpy.dtype[Any]:
    """A dtype whose elements hold no Python objects: parcels carry bytes."""
    found: numpy.dtype[Any] = numpy.dtype(dtype)
    if found.hasobject:
        raise TypeError(f"found dtype {found}, expected elements without Python objects")
    return found


def _layout(shape: tuple[int, ...], dtype: numpy.dtype[Any]) -> Array:
    """An array of that shape without memory behind it: for addresses, never to be read."""
    strides: list[int] = []
    step = dtype.itemsize
    for length in reversed(shape):
        strides.insert(0, step)
        step *= length
    one = numpy.empty(1, dtype)
    return numpy.lib.stride_tricks.as_strided(one, shape, strides, writeable=False)


def _first(array: Array) -> int:
    return int(array.__array_interface__["data"][0])


def _basic(index: Any) -> tuple[Any, ...]:
    """An index that gives a view, not an element and not a copy."""
    each: tuple[Any, ...] = index if isinstance(index, tuple) else (index,)
    for i in each:
        if not isinstance(i, (int, numpy.integer, slice, type(Ellipsis))):
            raise TypeError(f"found index {i!r}, expected a number, a slice or ...")
    return each if any(i is Ellipsis for i in each) else (*each, Ellipsis)


def _pieces(view: Array) -> tuple[int, int, int, int, int]:
    """How the bytes of a view lie: bytes of a piece, pieces of a plane, stride, planes, stride."""
    run, dims = view.itemsize, [(n, s) for n, s in zip(view.shape, view.strides) if n != 1]
    while dims and dims[-1][1] == run:
        run *= dims.pop()[0]
    while len(dims) > 1 and dims[-2][1] == dims[-1][0] * dims[-1][1]:
        inner = dims.pop()
        dims[-1] = (dims[-1][0] * inner[0], inner[1])
    if len(dims) > 2:
        raise ValueError(
            f"a part of shape {view.shape} is not planes of equal pieces at equal distances")
    count, stride = dims[-1] if dims else (1, 0)
    planes, plane = dims[0] if len(dims) > 1 else (0, 0)
    return run, count, stride, planes, plane


@dataclass(frozen=True)
class Span:
    """A part of an object: what a region, a put or a use names."""

    place: Place
    offset: int
    bytes: int
    piece: tuple[int, int, int, int, int]
    shape: tuple[int, ...]
    dtype: numpy.dtype[Any]

    def address(self) -> _structs.htmt_addr:
        """Where it begins."""
        return self.place.address(self.offset)

    def pieces(self) -> _structs.htmt_pieces:
        """How it lies; zeros if it is one piece."""
        whole = self.piece[1] == 1 and self.piece[3] <= 1
        return _structs.htmt_pieces() if whole else _structs.htmt_pieces(*self.piece)


#: Bytes that processes of one run hand each other at once.
PIECE = 1 << 24


def _share(emulator: Emulator, at: int, raw: Any) -> None:
    """After the run, in all processes of it alike: the bytes of the one that plays the slice."""
    ranks = library().htmt_emulator_options(emulator._living())[0].ranks[0]
    start, size = ctypes.addressof(raw), ctypes.sizeof(raw)
    own = library().htmt_slice_here(emulator._living(), at)
    every = _structs.htmt_bytes * ranks.count
    for first in range(0, size, PIECE):
        piece = min(PIECE, size - first)
        one = _structs.htmt_bytes(start + first, piece) if own else _structs.htmt_bytes()
        to, came = every(*[one] * ranks.count), every()
        if ranks.exchange(ranks.self, to, came):
            raise HostError("other processes of the run are gone", code="ESYSTEM")
        for found in came:
            if found.size == piece and not own:
                ctypes.memmove(start + first, found.at, piece)


class Place:
    """Bytes in a memory of a slice, with a shape and a dtype. Index it as an array for a Span."""

    shape: tuple[int, ...]
    dtype: numpy.dtype[Any]
    name: str
    _view: Array
    _writable = True
    emulator: Emulator
    at: int  # the slice

    def address(self, offset: int = 0) -> _structs.htmt_addr:
        """The address of a byte."""
        raise NotImplementedError

    def __getitem__(self, index: Any) -> Span:
        view = self._view[_basic(index)]
        offset = _first(view) - _first(self._view) if view.size else 0
        # A single element is an array of one, so that a kernel can write it.
        return Span(self, offset, view.nbytes, _pieces(view), view.shape or (1,), self.dtype)

    def writable(self) -> None:
        """Refuse an object over an array that may only be read."""
        if not self._writable:
            raise ValueError(f"{self.name} wraps an array that may only be read")

    def all(self) -> Span:
        """All of it."""
        return self[...]

    def _elsewhere(self) -> bool:
        """Another process of the run plays the slice, and has the bytes."""
        return not library().htmt_slice_here(self.emulator._living(), self.at)

    def _bytes(self) -> Any:
        """The object's bytes on the host; good until the next call of the library."""
        handle = self.address().object
        size = library().htmt_object_size(handle)
        start = library().htmt_object_bytes(handle)
        if not start:
            why = "another process plays its slice" if self._elsewhere() else "a model run has none"
            raise InputError(f"{self.name}: no bytes: {why}")
        return (ctypes.c_ubyte * size).from_address(start)

    def fetch(self) -> Array:
        """A copy of its bytes as an array, before or after the run.

        After a run of several processes all of them must ask, and all get the bytes.
        """
        copy: Array = numpy.empty(self.shape, self.dtype)
        if not (self.emulator._is_joint() and library().htmt_emulator_ended(self.emulator._living())):
            raw: Array = numpy.frombuffer(self._bytes(), self.dtype, self._view.size)
            copy[...] = raw.reshape(self.shape)
            return copy
        shared = (ctypes.c_ubyte * copy.nbytes).from_address(_first(copy))
        if not self._elsewhere():
            ctypes.memmove(shared, self._bytes(), copy.nbytes)
        _share(self.emulator, self.at, shared)
        return copy

    def store(self, values: Any) -> None:
        """Copy values into it, before the run; nothing where another process plays its slice."""
        source = numpy.ascontiguousarray(numpy.broadcast_to(values, self.shape), self.dtype)
        if not (self.emulator._is_joint() and self._elsewhere()):
            ctypes.memmove(self._bytes(), source.ctypes.data, source.nbytes)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r} {self.shape} {self.dtype}>"


class Object(Place):
    """A resident object of one slice."""

    def __init__(self, emulator: Emulator, at: int, handle: int, name: str, view: Array) -> None:
        self.emulator, self.at = emulator, at
        self.handle = handle
        self.name = name
        self.shape, self.dtype, self._view = view.shape, view.dtype, view

    def address(self, offset: int = 0) -> _structs.htmt_addr:
        self.emulator._living()
        found: _structs.htmt_addr = library().htmt_in(self.handle, offset)
        return found


class FramePart(Place):
    """The object of a frame in one slice."""

    def __init__(self, frame: Frame, at: int) -> None:
        self.frame = frame
        self.emulator, self.at = frame.emulator, at
        self.name = f"{frame.name}[{at}]"
        self.shape, self.dtype, self._view = frame.shape, frame.dtype, frame._view

    def address(self, offset: int = 0) -> _structs.htmt_addr:
        self.frame.emulator._living()
        found: _structs.htmt_addr = library().htmt_at(self.frame.handle, self.at, offset)
        return found


class Frame:
    """The same object on every slice; ``frame[slice]`` is one of them."""

    def __init__(self, emulator: Emulator, handle: int, name: str, view: Array) -> None:
        self.emulator = emulator
        self.handle = handle
        self.name = name
        self.shape, self.dtype, self._view = view.shape, view.dtype, view

    def __len__(self) -> int:
        return self.emulator.slices

    def __getitem__(self, at: int) -> FramePart:
        if not 0 <= at < len(self):
            raise IndexError(f"{self.name}: found slice {at}, expected 0 to {len(self) - 1}")
        return FramePart(self, at)

    def store(self, values: Any) -> None:
        """Slice i gets ``values[i]``, before the run."""
        for i in range(len(self)):
            self[i].store(values[i])

    def fetch(self) -> Array:
        """Copies of all, slice by slice."""
        return numpy.stack([self[i].fetch() for i in range(len(self))])


class Mailbox:
    """Records of one dtype from many senders."""

    def __init__(self, emulator: Emulator, handle: int, name: str, dtype: numpy.dtype[Any]) -> None:
        self.emulator = emulator
        self.handle = handle
        self.name = name
        self.dtype = dtype


@dataclass(frozen=True)
class Region:
    """A region of a closure (docs/api.md has the table of its three addresses).

    :func:`reads`, :func:`writes`, :func:`updates`, :func:`resident` and :func:`scratch` make the
    usual ones. Kernels see it with the shape and dtype of its first address, or those given here.
    """

    from_: Span | None = None
    to: Span | None = None
    into: Span | None = None
    shape: tuple[int, ...] | None = None
    dtype: Any = None
    read_only: bool = False
    filled: bool = False
    handover: bool = False
    in_words: Mapping[int, int] = field(default_factory=dict)
    out_words: Mapping[int, int] = field(default_factory=dict)

    @property
    def view(self) -> View:
        """How a kernel sees it."""
        first = self.from_ or self.to or self.into
        shape = self.shape if self.shape is not None else first.shape if first else (0,)
        dtype = self.dtype if self.dtype is not None else first.dtype if first else float
        return View(self.read_only, shape, numpy.dtype(dtype))

    def struct(self) -> _structs.htmt_region:
        """As the library takes it."""
        r: _structs.htmt_region = new(_structs.htmt_region, bytes=self.view.bytes)
        r.read_only, r.filled, r.handover = self.read_only, self.filled, self.handover
        if self.from_:
            r.from_, r.from_pieces = self.from_.address(), self.from_.pieces()
        if self.to:
            r.to, r.to_pieces = self.to.address(), self.to.pieces()
        if self.into:
            r.into = self.into.address()
        for name, given in (("in_words", self.in_words), ("out_words", self.out_words)):
            each = getattr(r, name)
            for layer, words in given.items():
                if not 0 <= layer < len(each):
                    raise IndexError(f"{name}: found layer {layer}, expected 0 to {len(each) - 1}")
                each[layer] = whole(words, ctypes.c_uint64, name)
        self._check()
        return r

    def _check(self) -> None:
        for span in filter(None, (self.from_, self.to, self.into)):
            if span.bytes != self.view.bytes:
                raise ValueError(
                    f"{span.place.name}: a part of {span.bytes} bytes in a region of "
                    f"{self.view.bytes} bytes"
                )
        if self.to:
            self.to.place.writable()
        if self.into and not self.read_only:
            self.into.place.writable()
        if self.into and self.into.piece[1] != 1:
            raise ValueError(f"{self.into.place.name}: a resident part must be one piece")


@dataclass(frozen=True)
class View:
    """How a kernel sees bytes: hashable, so that equal closures share one description."""

    read_only: bool
    shape: tuple[int, ...]
    dtype: numpy.dtype[Any]

    @property
    def bytes(self) -> int:
        """Its size."""
        size = self.dtype.itemsize
        for length in self.shape:
            size *= length
        return size


def _span(part: Span | Place) -> Span:
    return part.all() if isinstance(part, Place) else part


def reads(part: Span | Place, *, into: Span | Place | None = None, **more: Any) -> Region:
    """An input that the kernel only reads. With ``into`` it stays in that resident object."""
    more.setdefault("read_only", into is None)
    return Region(from_=_span(part), into=_span(into) if into is not None else None, **more)


def writes(part: Span | Place, *, into: Span | Place | None = None, **more: Any) -> Region:
    """An output, cleared beforehand. With ``into`` it is sent out of that resident object."""
    return Region(to=_span(part), into=_span(into) if into is not None else None, **more)


def updates(part: Span | Place, *, to: Span | Place | None = None, **more: Any) -> Region:
    """An input that goes back changed, to the same place or to another one."""
    return Region(from_=_span(part), to=_span(part if to is None else to), **more)


def resident(part: Span | Place, **more: Any) -> Region:
    """Part of an object at the layer of execution, used in place."""
    return Region(into=_span(part), **more)


def scratch(shape: int | tuple[int, ...], dtype: Any = float, **more: Any) -> Region:
    """Cleared space at the layer of execution; nothing moves."""
    return Region(shape=(shape,) if isinstance(shape, int) else tuple(shape), dtype=dtype, **more)
