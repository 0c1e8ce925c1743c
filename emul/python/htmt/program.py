"""What an emulator calls back: it keeps Python's functions, their exceptions and their views."""
from __future__ import annotations

import ctypes
import gc
import sys
import threading
import traceback
from collections.abc import Callable, Hashable, Mapping
from pathlib import Path
from typing import Any

import numpy

from . import _structs
from ._library import library
from ._numbers import whole
from .errors import HtmtError, ViewEscaped
from .place import Array, View

OPERATIONS = {"cycle": 0, "flop": 1, "iop": 2, "load": 3, "store": 4}
LINE_MAX = 240  # of the bytes that a fault's line has
HERE = Path(__file__).parent


class Interned:
    """Numbers for equal values, from 0 on. Controls of several threads ask for them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._number: dict[Hashable, int] = {(): 0}
        self._value: list[Any] = [()]

    def number(self, value: Hashable) -> int:
        """Of a value, the same each time."""
        found = self._number.get(value)
        return self._add(value) if found is None else found

    def _add(self, value: Hashable) -> int:
        with self._lock:
            if value not in self._number:
                self._value.append(value)
                self._number[value] = len(self._value) - 1
            return self._number[value]

    def value(self, number: int) -> Any:
        """The value of a number."""
        return self._value[number]


class Header(ctypes.Structure):
    """In front of the arguments of each parcel: how kernels see its regions and uses."""

    _fields_ = [("closure", ctypes.c_uint32), ("uses", ctypes.c_uint32)]


class Views:
    """Arrays over the emulator's bytes, which end with the function that was given them."""

    def __init__(self) -> None:
        self._memory: list[tuple[str, Any]] = []
        self._views: list[memoryview] = []

    def make(self, what: str, start: int, size: int, view: View) -> Array:
        """An array over `size` bytes, in the view's shape if they are as many as it has."""
        if size == 0:
            return numpy.empty(0, view.dtype)
        memory = (ctypes.c_ubyte * size).from_address(start)
        raw = memoryview(memory).cast("B")
        if view.read_only:
            raw = raw.toreadonly()
        self._memory.append((what, memory))
        self._views.append(raw)
        if size == view.bytes:
            return numpy.frombuffer(raw, view.dtype).reshape(view.shape)
        return numpy.frombuffer(raw, view.dtype if size % view.dtype.itemsize == 0 else "u1")

    def end(self) -> str | None:
        """What somebody still holds, by name; the views are gone otherwise."""
        for view in self._views:
            view.release()
        self._views = []
        held = self._held()
        if held:
            gc.collect()  # a cycle of the function's own may have held it
            held = self._held()
        self._memory = []
        return held

    def _held(self) -> str | None:
        for what, memory in self._memory:
            # Our list, this loop and the call hold one each: more means that an array lives on.
            if sys.getrefcount(memory) > 3:
                return what
        return None


def describe(error: BaseException) -> str:
    """An exception in one line, with its place in the user's program."""
    lines = traceback.format_exception_only(type(error), error)
    text = error.line if isinstance(error, HtmtError) else "".join(lines).strip().splitlines()[-1]
    text = "".join(c if c.isprintable() else " " for c in text)
    text = text.encode("utf-8", "replace")[:LINE_MAX].decode("utf-8", "ignore")
    places = [Path(f.filename) for f in traceback.extract_tb(error.__traceback__)]
    users = [i for i, place in enumerate(places) if place.parent != HERE]
    if not users:
        return text
    frame = traceback.extract_tb(error.__traceback__)[users[-1]]
    return f"{text} ({Path(frame.filename).name}:{frame.lineno})"


def _clear(error: BaseException | None) -> None:
    """Let go of the locals of frames that are over: they may hold views."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        if error.__traceback__:
            traceback.clear_frames(error.__traceback__)
        error = error.__cause__ or error.__context__


def counts(given: Mapping[str, int]) -> list[tuple[int, int]]:
    """Classes of operations and their numbers."""
    for name in given:
        if name not in OPERATIONS:
            raise TypeError(f"found operations {name!r}, expected {', '.join(OPERATIONS)}")
    return [(OPERATIONS[name], whole(n, ctypes.c_uint64, name)) for name, n in given.items()]


class Program:
    """State that all callbacks of an emulator share. It does not know the emulator."""

    def __init__(self) -> None:
        self.closures = Interned()
        self.uses = Interned()
        self.kept: list[Any] = []
        self.raised: list[tuple[str, BaseException]] = []
        self.stopped = False
        #: Nobody asks whether to go on: a cost function that raised gives a time without end.
        self.prices = False
        self._inside: set[int] = set()
        self.cancelled = self.keep(ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p)(self._asked))

    def keep(self, thing: Any) -> Any:
        """Hold something until the emulator is destroyed."""
        self.kept.append(thing)
        return thing

    def stop(self) -> None:
        """End the run at the clock's next look."""
        self.stopped = True

    def _asked(self, user: int | None) -> bool:
        return self.stopped

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function of the user's."""
        me = threading.get_ident()
        self._inside.add(me)
        try:
            return function(*arguments)
        finally:
            self._inside.discard(me)

    def interrupt(self) -> None:
        """Raise KeyboardInterrupt in the functions of the user's that run now."""
        raise_in = ctypes.pythonapi.PyThreadState_SetAsyncExc
        for ident in list(self._inside):
            raise_in(ctypes.c_ulong(ident), ctypes.py_object(KeyboardInterrupt))

    # ---- exceptions -----------------------------------------------------------------------------

    def note(self, error: BaseException, where: str = "") -> bytes:
        """Remember an exception; the line that stands for it."""
        line = where + describe(error)
        _clear(error)
        self.raised.append((line, error))
        return line.encode()

    def cause(self, line: str) -> BaseException | None:
        """The exception that a fault's line stands for."""
        found = [raised for raised in self.raised if raised[0] in line]
        if found:
            return max(found, key=lambda raised: len(raised[0]))[1]
        return self.raised[0][1] if self.stopped and self.raised else None

    def fail_kernel(self, handle: int, error: BaseException) -> None:
        """End the run: of several kernels that fail, the earliest in virtual order is reported."""
        line = self.note(error)
        library().htmt_kernel_fail(handle, _structs.HTMT_EINVAL, b"%s", line)

    def fail_control(self, handle: int, where: str, error: BaseException) -> None:
        """End the run with the line of an exception in a control."""
        line = self.note(error, where + ": ")
        library().htmt_fail(handle, _structs.HTMT_EINVAL, b"%s", line)

    def fail_pure(self, where: str, error: BaseException) -> None:
        """End the run from a function that is given nothing to fail with."""
        self.note(error, where + ": ")
        self.stopped = True

    # ---- functions that are given arrays only ---------------------------------------------------

    def combine(self, function: Callable[[Array, Array], None], dtype: Any, where: str) -> Any:
        """combine(into, from, bytes) of a collective."""

        def enter(into: int, other: int, size: int) -> None:
            views = Views()
            view = View(False, (size // dtype.itemsize,), dtype)
            read = View(True, view.shape, dtype)
            try:
                self.call(
                    function,
                    views.make("into", into, size, view),
                    views.make("from", other, size, read),
                )
                self.ended(views)
            except BaseException as error:
                self.fail_pure(where, error)

        kind = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint64)
        return self.keep(kind(enter))

    def cost(self, function: Callable[[Any], Mapping[str, int]], arguments: Any, where: str) -> Any:
        """A cost function: operations as a function of the arguments."""

        def enter(args: int, user: int | None, ops: Any) -> None:
            try:
                given = self.call(function, arguments.copy(args))
                for op, n in counts(given):
                    ops[0].n[op] = n
            except BaseException as error:
                self.fail_pure(where, error)
                if self.prices:
                    ops[0].n[OPERATIONS["cycle"]] = 2**64 - 1

        return self.keep(_structs.htmt_cost_fn(enter))

    def ended(self, views: Views) -> None:
        """The views are over; somebody who holds one made a mistake."""
        held = views.end()
        if held:
            raise ViewEscaped(f"a view of {held} is held beyond its end; keep a copy()")


def _plain(kind: Any) -> bool:
    """Whether a ctypes type holds neither pointers nor Python objects."""
    if issubclass(kind, ctypes.Array):
        return _plain(kind._type_)
    if issubclass(kind, (ctypes.Structure, ctypes.Union)):
        return all(_plain(field[1]) for field in kind._fields_)
    return getattr(kind, "_type_", "P") not in tuple("OPXZz")


class Arguments:
    """Arguments of a type: a ctypes structure of the user's behind our header."""

    def __init__(self, kind: type[ctypes.Structure] | None) -> None:
        self.kind = kind
        if kind is not None and not _plain(kind):
            raise TypeError(f"found a pointer in {kind.__name__}, expected plain values")
        fields: list[Any] = [("header", Header)]
        if kind is not None:
            fields.append(("user", kind))
        self.whole: Any = type("Arguments", (ctypes.Structure,), {"_fields_": fields})
        self.size = ctypes.sizeof(self.whole)
        self.of_user = ctypes.sizeof(kind) if kind is not None else 0  # bytes

    def make(self, closure: int, given: Any) -> Any:
        """As a parcel is given them; None: zeros."""
        made = self.whole()
        made.header.closure = closure
        if given is not None:
            if self.kind is None or not isinstance(given, self.kind):
                wanted = self.kind.__name__ if self.kind else "no arguments"
                raise TypeError(f"found arguments {type(given).__name__}, expected {wanted}")
            made.user = given
        return made

    def at(self, start: int) -> Any:
        """The parcel's own."""
        return self.whole.from_address(start)

    def copy(self, start: int) -> Any:
        """A copy of the user's part."""
        if self.kind is None:
            return None
        return self.kind.from_buffer_copy(self.at(start).user)
