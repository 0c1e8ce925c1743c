"""What a control sees: it says what a stage sets off, in the order of virtual time."""
from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy

from . import _structs
from ._library import library, new
from ._numbers import Unique
from .errors import InputError
from .place import Array, Mailbox, Object, Place, Region, Span, View, _span
from .program import Program, counts

if TYPE_CHECKING:
    from .collective import AllReduce, Barrier, Tree
    from .grid import Grid
    from .parcel import Ref, Slot, Type

PUTS = ("on_sent", "on_arrived", "on_arrived_too", "words", "handover", "ask", "name")
USES = {
    "read": _structs.HTMT_READ,
    "write": _structs.HTMT_WRITE,
    "update": _structs.HTMT_UPDATE,
    "commute": _structs.HTMT_COMMUTE,
}


_names: dict[str, bytes] = {}


def _put(dst: Span, src: Span, more: dict[str, Any]) -> Any:
    """A put as the library takes it."""
    if dst.bytes != src.bytes:
        raise ValueError(f"found {src.bytes} bytes to put in {dst.bytes} bytes")
    dst.place.writable()
    put = new(_structs.htmt_put, bytes=src.bytes)
    put.dst, put.dst_pieces = dst.address(), dst.pieces()
    put.src, put.src_pieces = src.address(), src.pieces()
    for name, value in more.items():
        if name not in PUTS:
            raise TypeError(f"found {name!r}, expected {', '.join(PUTS)}")
        if name == "name" and value is not None:  # the library reads it later
            value = _names.setdefault(value, value.encode())
        if value is not None:
            setattr(put, name, value)
    return put


class Control(Unique):
    """The context of a control, until it returns. A call that fails ends the run."""

    def __init__(self, program: Program, kind: Type, handle: int) -> None:
        self._program = program
        self._kind = kind
        self._handle: int | None = handle
        self._uses: list[View] = []
        self._header().uses = 0

    def _live(self) -> int:
        if self._handle is None:
            raise InputError(f"{self._kind.name}: the control has ended; nothing may use it later")
        return self._handle

    def _header(self) -> Any:
        return self._kind.arguments.at(library().htmt_args(self._live())).header

    # ---- who and where --------------------------------------------------------------------------

    @property
    def args(self) -> Any:
        """The parcel's arguments, to be read and changed until the control returns."""
        if self._kind.arguments.kind is None:
            raise InputError(f"{self._kind.name} has no arguments: give its type an args=Structure")
        return self._kind.arguments.at(library().htmt_args(self._live())).user

    @property
    def slice(self) -> int:
        """The slice."""
        return int(library().htmt_slice(self._live()))

    @property
    def fiber(self) -> int:
        """The fiber; 0: a stage of the parcel."""
        return int(library().htmt_fiber(self._live()))

    @property
    def parcel(self) -> Ref:
        """The parcel itself."""
        found: Ref = library().htmt_self(self._live())
        return found

    @property
    def is_model(self) -> bool:
        """Whether no kernels run."""
        return bool(library().htmt_is_model(self._live()))

    @property
    def result(self) -> Array | None:
        """A copy of what the kernels of a steered stage left; None in a model run."""
        start, dtype = library().htmt_result(self._live()), self._kind.result
        if not start or dtype is None:
            return None
        found: Array = numpy.frombuffer(ctypes.string_at(start, dtype.itemsize), dtype)
        return found.reshape(())

    # ---- parcels --------------------------------------------------------------------------------

    def assemble(
        self,
        kind: Type,
        regions: Iterable[Region] = (),
        args: Any = None,
        *,
        on_ready: Slot | None = None,
        on_done: Slot | None = None,
    ) -> Ref:
        """Assemble a parcel in this slice."""
        from .parcel import assemble

        return assemble(self._live(), kind, regions, self.slice, args, on_ready, on_done)[1]

    def dispatch(self, parcel: Ref) -> None:
        """Let it pass the gate before its dispatch."""
        library().htmt_dispatch(self._live(), parcel)

    def execute(self, parcel: Ref) -> None:
        """Let it pass the gate before its execution."""
        library().htmt_execute(self._live(), parcel)

    def retire(self, parcel: Ref | None = None) -> None:
        """Let it pass the gate before retire; without one: this activation is done."""
        library().htmt_retire(self._live(), self.parcel if parcel is None else parcel)

    def scatter(self, parcel: Ref) -> None:
        """Let it pass the gate before its scatter."""
        library().htmt_scatter(self._live(), parcel)

    def discard(self, parcel: Ref) -> None:
        """A parcel that is not wanted any more."""
        library().htmt_discard(self._live(), parcel)

    # ---- the log --------------------------------------------------------------------------------

    def charge(self, **operations: int) -> None:
        """Operations of the control itself: what follows happens later by their time."""
        for op, n in counts(operations):
            library().htmt_charge(self._live(), op, n)

    def delay(self, fs: int) -> None:
        """So much virtual time of the control, in femtoseconds, at this place of its log."""
        library().htmt_delay(self._live(), fs)

    def pause(self, fs: int) -> None:
        """The service ends so much later, in femtoseconds, and its server is not in use."""
        library().htmt_pause(self._live(), fs)

    @property
    def began(self) -> int:
        """Virtual time at which this service began, in femtoseconds."""
        return int(library().htmt_began(self._live()))

    @property
    def enabled(self) -> int:
        """Virtual time at which it was asked for: of a fiber, when its slot had counted down."""
        return int(library().htmt_enabled(self._live()))

    def work(self) -> None:
        """The kernel runs here in the log."""
        library().htmt_work(self._live())

    def use(self, part: Span | Place, how: str = "read") -> None:
        """What this stage's kernel touches beyond its closure: ``read``, ``write``, ``update``."""
        if how not in USES:
            raise ValueError(f"found use {how!r}, expected {', '.join(USES)}")
        span = _span(part)
        if span.piece[1] != 1:
            raise ValueError(f"{span.place.name}: a used part must be one piece")
        if how != "read":
            span.place.writable()
        library().htmt_use(self._live(), span.address(), span.bytes, USES[how])
        self._declare(View(how == "read", span.shape, span.dtype))

    def _declare(self, view: View) -> None:
        self._uses.append(view)
        self._header().uses = self._program.uses.number(tuple(self._uses))

    def section(self, name: str) -> None:
        """From now on this slice's time belongs to a section of the report."""
        library().htmt_section(self._live(), name.encode())

    def fail(self, line: str) -> None:
        """End the run with a line of the program's own."""
        library().htmt_fail(self._live(), _structs.HTMT_EINVAL, b"%s", line.encode())

    # ---- slots ----------------------------------------------------------------------------------

    def slot(self, fiber: int, parcel: Ref | None = None) -> Slot:
        """The slot of a fiber, of this activation or of another one."""
        owner = self.parcel if parcel is None else parcel
        found: Slot = library().htmt_slot_of(owner, fiber)
        return found

    def slot_set(self, fiber: int, count: int, reset: int = 0) -> None:
        """Set an own slot."""
        library().htmt_slot_set(self._live(), fiber, count, reset)

    def signal(self, slot: Slot) -> None:
        """Count a slot down."""
        library().htmt_signal(self._live(), slot)

    # ---- posts ----------------------------------------------------------------------------------

    def post(self, kind: Type, slice: int, args: Any = None) -> None:
        """Post arguments to a type in a slice: its control runs there with them."""
        from .parcel import post

        post(self._live(), kind, slice, args)

    @property
    def sender(self) -> int:
        """The slice that posted what this control serves."""
        return int(library().htmt_sender(self._live()))

    def each(self, count: int, next: Callable[[Control, int], None]) -> None:
        """Of a control that was posted, once: ``next(c, i)`` is called when message ``i`` can leave,
        and posts it, or nothing. Give the same function each time: the emulator keeps it."""
        library().htmt_each(self._live(), count, self._kind.next(next))

    def kept(self, kept: Object) -> Array:
        """The elements of a kept object of this slice, to be read and written until the control
        returns."""
        start = library().htmt_kept(self._live(), kept.handle)
        raw = (ctypes.c_ubyte * kept.all().bytes).from_address(start)
        found: Array = numpy.frombuffer(memoryview(raw), kept.dtype)
        return found.reshape(kept.shape)

    # ---- messages -------------------------------------------------------------------------------

    def put(self, dst: Span | Place, src: Span | Place, **more: Any) -> None:
        """Move bytes between two places, split-phase.

        Slots ``on_sent`` and ``on_arrived`` are signalled; ``on_arrived_too`` is another fiber of
        the latter's parcel. ``words``, ``handover``, ``ask`` and ``name`` are those of ``struct
        htmt_put``.
        """
        put = _put(_span(dst), _span(src), more)
        library().htmt_put(self._live(), ctypes.byref(put))

    def put_neighbour(
        self, grid: Grid, step: Sequence[int], dst: Span | Place, src: Span | Place, **more: Any
    ) -> None:
        """A put to the neighbour so many steps away: ``dst`` and the slots are this slice's own,
        and stand for their twins there. All slices make the same call."""
        put = _put(_span(dst), _span(src), more)
        library().htmt_put_neighbour(
            self._live(), ctypes.byref(grid.struct), grid.step(step), ctypes.byref(put)
        )

    def send(
        self,
        mailbox: Mailbox,
        src: Span | Place,
        records: int,
        *,
        on_sent: Slot | None = None,
        on_arrived: Slot | None = None,
    ) -> None:
        """Append the first records of a part to a mailbox."""
        at = _span(src).address()
        sent, arrived = on_sent or _structs.htmt_slot(), on_arrived or _structs.htmt_slot()
        library().htmt_send(self._live(), mailbox.handle, at, records, sent, arrived)

    def take(self, mailbox: Mailbox) -> int:
        """Hand all arrived records to the kernel as its next use; how many they are."""
        records = int(library().htmt_take(self._live(), mailbox.handle))
        if records:
            self._declare(View(False, (records,), mailbox.dtype))
        return records

    # ---- collectives ----------------------------------------------------------------------------

    def broadcast(self, tree: Tree, arrived: Sequence[Slot] | None = None) -> None:
        """Slice 0's frame goes to every slice; one slot for each slice is signalled."""
        slots = (_structs.htmt_slot * len(arrived))(*arrived) if arrived else None
        library().htmt_broadcast(self._live(), tree.handle, slots)

    def reduce(self, tree: Tree, arrived: Slot) -> None:
        """Join a reduction to slice 0."""
        library().htmt_reduce(self._live(), tree.handle, arrived)

    def allreduce(self, collective: AllReduce, arrived: Slot) -> None:
        """Join an all-reduce."""
        library().htmt_allreduce(self._live(), collective.handle, arrived)

    def barrier(self, barrier: Barrier, passed: Slot) -> None:
        """Join a barrier."""
        library().htmt_barrier(self._live(), barrier.handle, passed)


def trampoline(
    program: Program, kind: Type, function: Callable[[Control], None], where: str
) -> Any:
    """A control for the library."""

    def enter(handle: int) -> None:
        try:
            c = Control(program, kind, handle)
            program.call(function, c)
            c._handle = None
        except BaseException as error:
            program.fail_control(handle, where, error)

    return program.keep(_structs.htmt_control_fn(enter))


def generator(
    program: Program, kind: Type, function: Callable[[Control, int], None], where: str
) -> Any:
    """A function that makes messages one by one, for the library."""

    def enter(handle: int, i: int) -> None:
        try:
            c = Control(program, kind, handle)
            program.call(function, c, i)
            c._handle = None
        except BaseException as error:
            program.fail_control(handle, where, error)

    return program.keep(_structs.htmt_next_fn(enter))


class Quiet(Control):
    """The context of the control of ``Emulator.quiet()``, which has no arguments."""

    def __init__(self, program: Program, handle: int) -> None:
        self._program = program
        self._handle: int | None = handle
        self._uses: list[View] = []

    def _live(self) -> int:
        if self._handle is None:
            raise InputError("quiet: the control has ended; nothing may use it later")
        return self._handle

    @property
    def args(self) -> Any:
        """There are none."""
        raise InputError("quiet: its control has no arguments")

    @property
    def result(self) -> Array | None:
        """There is none."""
        return None

    def each(self, count: int, next: Callable[[Control, int], None]) -> None:
        """Not here: it serves no post."""
        raise InputError("quiet: its control serves no post, and has no generator")


def quiet(program: Program, function: Callable[[Control], None]) -> Any:
    """The control of ``Emulator.quiet()``, for the library."""

    def enter(handle: int) -> None:
        try:
            c = Quiet(program, handle)
            program.call(function, c)
            c._handle = None
        except BaseException as error:
            program.fail_control(handle, "quiet", error)

    return program.keep(_structs.htmt_control_fn(enter))


def wanted(
    program: Program, kind: Type, function: Callable[[Control], bool], where: str
) -> Any:
    """A function that tells whether a post is wanted, for the library."""

    def enter(handle: int) -> bool:
        try:
            c = Control(program, kind, handle)
            found = bool(program.call(function, c))
            c._handle = None
            return found
        except BaseException as error:
            program.fail_control(handle, where, error)
            return False

    return program.keep(_structs.htmt_wanted_fn(enter))
