"""An emulator in this process."""
from __future__ import annotations

import ctypes
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _structs
from . import control as _control
from . import parcel as parcels
from ._library import library, new, text
from ._numbers import Unique, fill
from .clock import Clock
from .collective import AllReduce, Barrier, Tree
from .errors import InputError, KernelError, ViewEscaped, of_code
from .place import Array, Frame, Mailbox, Object, Region, _layout, plain
from .program import Program, counts
from .reports import printed
from .results import Memory, Phase, Resource, Results, Section, read
from .table import Table

if TYPE_CHECKING:
    from .control import Control

MODES = {"run": _structs.HTMT_RUN, "model": _structs.HTMT_MODEL}
PLAIN_OPTIONS = (
    "explain",
    "lint",
    "checked",
    "diagnose",
    "watchdog",
    "delay_seed",
    "run_ahead_bytes",
    "window_most",
    "clock_threads",
    "clock_partitions",
)
CLOCKS = {
    "auto": _structs.HTMT_CLOCK_AUTO,
    "sequential": _structs.HTMT_CLOCK_SEQUENTIAL,
    "windows": _structs.HTMT_CLOCK_WINDOWS,
    "shared": _structs.HTMT_CLOCK_SHARED,
}
QUIETS = {"free": _structs.HTMT_QUIET_FREE, "acks": _structs.HTMT_QUIET_ACKS}
SYMMETRIES = {
    "none": _structs.HTMT_NO_SYMMETRY,
    "independent": _structs.HTMT_INDEPENDENT,
    "folded": _structs.HTMT_FOLDED,
}


def _load_machine(name: str, changes: Sequence[str]) -> Any:
    """A pointer to a machine, to be given back."""
    machine, fault = ctypes.POINTER(_structs.htmt_machine)(), _structs.htmt_fault()
    each = (ctypes.c_char_p * max(len(changes), 1))(*(c.encode() for c in changes))
    rc = library().htmt_machine_load(
        str(name).encode(), each, len(changes), ctypes.byref(machine), ctypes.byref(fault)
    )
    if rc:
        raise of_code(rc, text(fault.text))
    return machine


class Emulator(Unique):
    """One machine, one run: create it, set up objects, types and root parcels, run, look.

    ``machine`` and ``set`` are those of the command (``set={"slices": 16}``). Other options have
    the names of ``struct htmt_options``; ``partition_of`` has a number for each slice. Kernels run on ``threads`` host threads; those written in
    Python take turns, because each holds the interpreter's lock. ``trace`` is a file that ``run()``
    writes, for ``htmt.Trace``, ``htmt timeline`` and ``htmt trace``. Use it as a context manager: it is
    destroyed at the end, when no handle of it is good any more.
    """

    def __init__(
        self,
        machine: str = "htmt-oct98",
        *,
        set: Mapping[str, Any] | Sequence[str] = (),
        slices: int = 0,
        mode: str = "run",
        threads: int = 1,
        symmetry: str = "none",
        clock: str = "auto",
        quiet_by: str = "free",
        partition_of: Sequence[int] | None = None,
        what_if: Sequence[str] = (),
        trace: str | os.PathLike[str] | None = None,
        **options: Any,
    ) -> None:
        self._handle: int | None = None
        self._owned = True
        self._program = Program()
        self._arrays: list[Any] = []
        self._wrapped: list[tuple[Object, Array]] = []
        self._clock: Clock | None = None
        self._names = 0
        self.complete = False
        changes = [f"{k}={v}" for k, v in set.items()] if isinstance(set, Mapping) else list(set)
        described = new(
            _structs.htmt_options,
            slices=slices,
            mode=parcels.choose(MODES, mode, "mode"),
            threads=threads,
            symmetry=parcels.choose(SYMMETRIES, symmetry, "symmetry"),
            clock=parcels.choose(CLOCKS, clock, "clock"),
            quiet_by=parcels.choose(QUIETS, quiet_by, "way to find out that all is quiet"),
            what_if=parcels.choose_all(parcels.DEPARTURES, what_if, "departure"),
            cancelled=self._program.cancelled,
        )
        if trace is not None:
            # The library copies it; the pointer keeps it until then.
            recording = new(_structs.htmt_recording, path=os.fsencode(trace))
            described.recording = ctypes.pointer(recording)
        for name, value in options.items():
            self._option(described, name, value)
        self._create(_load_machine(machine, changes), described, partition_of)

    @classmethod
    def _of(cls, handle: int) -> Emulator:
        """The emulator of an application's task, which the command runs and destroys."""
        made = cls.__new__(cls)
        made._handle, made._owned, made._clock, made._names = handle, False, None, 0
        made._program, made._arrays, made.complete = Program(), [], False
        made._wrapped = []
        made._program.prices = True
        return made

    @staticmethod
    def _option(described: Any, name: str, value: Any) -> None:
        if name == "layer_threads":
            fill(described.layer_threads, value, name)
        elif name in PLAIN_OPTIONS:
            setattr(described, name, value)
        else:
            known = ", ".join([*PLAIN_OPTIONS, "layer_threads"])
            raise TypeError(f"found option {name!r}, expected {known}")

    @staticmethod
    def _deal(described: Any, partition_of: Sequence[int]) -> None:
        """A partition for each slice. The library copies them."""
        slices = described.slices or described.machine[0].slices
        if len(partition_of) != slices:
            raise ValueError(f"partition_of: found {len(partition_of)} numbers, expected {slices}")
        described.partition_of = fill((ctypes.c_uint32 * slices)(), partition_of, "partition_of")

    def _create(self, machine: Any, described: Any, partition_of: Sequence[int] | None) -> None:
        handle, fault = ctypes.c_void_p(), _structs.htmt_fault()
        described.machine = machine
        try:
            if partition_of is not None:
                self._deal(described, partition_of)
            rc = library().htmt_emulator_create(
                ctypes.byref(handle), ctypes.byref(described), ctypes.byref(fault)
            )
        finally:
            library().htmt_machine_destroy(ctypes.byref(machine))
        if rc:
            raise of_code(rc, text(fault.text))
        self._handle = handle.value

    # ---- life -----------------------------------------------------------------------------------

    @property
    def _running(self) -> bool:
        return self._clock is not None and self._clock.running

    def __enter__(self) -> Emulator:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_handle", None) is not None and not self._running:
            self.close()

    def close(self) -> None:
        """Destroy it; twice is once. Functions and arrays that it held are let go."""
        if self._running:
            raise InputError("an emulator cannot be closed during its run")
        if self._handle is not None:
            handle = ctypes.c_void_p(self._handle)
            self._handle = None
            if self._owned:
                library().htmt_emulator_destroy(ctypes.byref(handle))
        if self._owned:
            self._program.kept.clear()
        self._arrays.clear()
        self._wrapped.clear()

    def _is_joint(self) -> bool:
        """Several processes play the slices of this run."""
        ranks = library().htmt_emulator_options(self._living())[0].ranks
        return bool(ranks) and ranks[0].count > 1

    def _refresh(self) -> None:
        """After the run, in all of its processes alike: wrapped arrays get their slices' bytes."""
        for made, array in self._wrapped:
            found = made.fetch()
            if made._elsewhere():
                array[...] = found

    def _living(self) -> int:
        if self._handle is None:
            raise InputError("the emulator is closed")
        return self._handle

    def _check(self, rc: int) -> None:
        """Raise what a code of the library stands for."""
        if rc == 0:
            return
        line = text(library().htmt_emulator_fault(self._living())[0].text)
        cause = self._program.cause(line)
        if cause is None:
            error = of_code(rc, line)
            error.details = self.deadlock() if rc == _structs.HTMT_EDEADLOCK else ""
            raise error
        if isinstance(cause, ViewEscaped):
            raise ViewEscaped(line, code="EINVAL")
        if rc == _structs.HTMT_ECANCELLED:
            line = next(t for t, e in self._program.raised if e is cause)
        raise KernelError(line, code="EINVAL", status=2) from cause

    # ---- the machine ----------------------------------------------------------------------------

    @property
    def slices(self) -> int:
        """Slices in use."""
        return int(library().htmt_emulator_slices(self._living()))

    def layer(self, name: str) -> int:
        """Index of a layer, by its name or that of its processor or memory."""
        found = int(library().htmt_emulator_layer(self._living(), name.encode()))
        if found < 0:
            raise InputError(f"the machine has no layer {name!r}", code="ENOENT")
        return found

    # ---- setting up -----------------------------------------------------------------------------

    def _name(self, name: str | None, kind: str) -> str:
        self._names += name is None
        return name or f"{kind} {self._names}"

    def object(
        self,
        layer: str,
        shape: int | Sequence[int],
        dtype: Any = float,
        *,
        slice: int = 0,
        name: str | None = None,
    ) -> Object:
        """A resident object of one slice, cleared."""
        name = self._name(name, "object")
        return self._object(library().htmt_object_create, layer, shape, dtype, slice, name)

    def kept(
        self,
        layer: str,
        shape: int | Sequence[int],
        dtype: Any = float,
        *,
        slice: int = 0,
        name: str | None = None,
    ) -> Object:
        """An object for controls of its slice alone, which has bytes in model runs, too."""
        name = self._name(name, "kept")
        return self._object(library().htmt_object_create_kept, layer, shape, dtype, slice, name)

    def _object(
        self,
        create: Any,
        layer: str,
        shape: int | Sequence[int],
        dtype: Any,
        slice: int,
        name: str,
    ) -> Object:
        view = _layout(_shape(shape), plain(dtype))
        handle = ctypes.c_void_p()
        where = self._living(), slice, self.layer(layer)
        self._check(create(*where, view.nbytes, name.encode(), ctypes.byref(handle)))
        return Object(self, slice, _some(handle), name, view)

    def wrap(
        self,
        layer: str,
        array: Array,
        *,
        slice: int = 0,
        words: int | None = None,
        name: str | None = None,
    ) -> Object:
        """An object over an array, which the emulator keeps alive. It takes ``words`` words."""
        if not array.flags.c_contiguous:
            raise ValueError("the array is not contiguous: wrap numpy.ascontiguousarray(array)")
        plain(array.dtype)
        name, handle = self._name(name, "array"), ctypes.c_void_p()
        self._arrays.append((array, memoryview(array.data)))
        self._check(
            library().htmt_object_wrap(
                self._living(),
                slice,
                self.layer(layer),
                array.__array_interface__["data"][0],
                array.nbytes,
                -(-array.nbytes // 8) if words is None else words,
                name.encode(),
                ctypes.byref(handle),
            )
        )
        made = Object(self, slice, _some(handle), name, array)
        made._writable = bool(array.flags.writeable)
        if self._is_joint() and made._writable:
            self._wrapped.append((made, array))
        return made

    def frame(
        self, layer: str, shape: int | Sequence[int], dtype: Any = float, *, name: str | None = None
    ) -> Frame:
        """The same object on every slice, cleared."""
        view, name = _layout(_shape(shape), plain(dtype)), self._name(name, "frame")
        handle = ctypes.c_void_p()
        self._check(
            library().htmt_frame_create(
                self._living(), self.layer(layer), view.nbytes, name.encode(), ctypes.byref(handle)
            )
        )
        return Frame(self, _some(handle), name, view)

    def mailbox(
        self, layer: str, records: int, dtype: Any, *, slice: int = 0, name: str | None = None
    ) -> Mailbox:
        """A mailbox for so many records of a dtype."""
        kind, name, handle = plain(dtype), self._name(name, "mailbox"), ctypes.c_void_p()
        self._check(
            library().htmt_mailbox_create(
                self._living(),
                slice,
                self.layer(layer),
                kind.itemsize,
                records,
                name.encode(),
                ctypes.byref(handle),
            )
        )
        return Mailbox(self, _some(handle), name, kind)

    def tree(
        self,
        frame: Frame,
        combine: Callable[[Array, Array], None] | None = None,
        *,
        ops: Mapping[str, int] | None = None,
        name: str | None = None,
    ) -> Tree:
        """A tree over a frame; ``combine(into, other)`` adds other to into, in place."""
        handle, name = self._collective("tree", frame, combine, ops or {}, name)
        return Tree(handle, name)

    def allreduce(
        self,
        frame: Frame,
        combine: Callable[[Array, Array], None],
        *,
        ops: Mapping[str, int] | None = None,
        name: str | None = None,
    ) -> AllReduce:
        """An all-reduce over a frame; ``combine(into, other)`` must be commutative."""
        handle, name = self._collective("allreduce", frame, combine, ops or {}, name)
        return AllReduce(handle, name)

    def barrier(self, layer: str, *, name: str | None = None) -> Barrier:
        """A barrier over all slices: an all-reduce of one word in a memory of the layer."""
        name, handle = self._name(name, "barrier"), ctypes.c_void_p()
        self._check(
            library().htmt_barrier_create(
                self._living(), self.layer(layer), name.encode(), ctypes.byref(handle)
            )
        )
        return Barrier(_some(handle), name)

    def _collective(
        self, kind: str, frame: Frame, combine: Any, ops: Mapping[str, int], name: str | None
    ) -> tuple[int, str]:
        name, handle = self._name(name, kind), ctypes.c_void_p()
        desc = new(getattr(_structs, f"htmt_{kind}_desc"), frame=frame.handle)
        desc.bytes, desc.name = frame._view.nbytes, name.encode()
        if combine is not None:
            desc.combine = self._program.combine(combine, frame.dtype, f"{name}, combine")
        for op, n in counts(ops):
            desc.ops.n[op] = n
        create = getattr(library(), f"htmt_{kind}_create")
        self._check(create(self._living(), ctypes.byref(desc), ctypes.byref(handle)))
        return _some(handle), name

    def type(
        self,
        home: str,
        exec: str,
        execute: parcels.StageLike = None,
        *,
        name: str | None = None,
        args: type[ctypes.Structure] | None = None,
        result: Any = None,
        assemble: parcels.StageLike = None,
        dispatch: parcels.StageLike = None,
        retire: parcels.StageLike = None,
        scatter: parcels.StageLike = None,
        fibers: Sequence[parcels.StageLike] = (),
        fiber_names: Sequence[str | None] = (),
        footprint: str = "closure",
        gates: Iterable[str] = (),
        departures: Iterable[str] = (),
        code_words: int = 0,
        code_resident: bool = False,
        header_words: int = 0,
        in_place: bool = False,
        sends: str = "anywhere",
        queue: str | None = None,
        wanted: Callable[[Control], bool] | None = None,
        payload_words: int = 0,
        aggregate: tuple[int, int] = (0, 0),
    ) -> parcels.Type:
        """A type of parcels that begin at layer ``home`` and execute at layer ``exec``.

        A stage is a :class:`htmt.Stage`, or a function, which is its kernel. ``args`` is a
        ctypes.Structure of at most 504 bytes: plain values, copied into each parcel, so that a
        kernel that runs ahead sees them as they were. ``result`` is a NumPy dtype.
        ``fiber_names`` are for lines that people read, such as those of races and deadlocks.
        ``queue``, ``wanted(c)`` and what follows are those of a type that is posted, whose arguments
        are at most 48 bytes: 8 more of each parcel are the package's, and take no word of a
        message. ``aggregate`` is (bytes, femtoseconds): posts for one slice leave
        together when so many bytes are there, or after so long.
        """
        function = execute.kernel if isinstance(execute, parcels.Stage) else execute
        name = name or getattr(function, "__name__", None) or self._name(None, "unnamed")
        made = parcels.Type(self._program, name, args, result)
        stages = {
            "assemble": assemble,
            "dispatch": dispatch,
            "execute": execute,
            "retire": retire,
            "scatter": scatter,
        }
        rc = made.create(
            self._living(),
            home,
            exec,
            stages,
            fibers,
            fiber_names,
            footprint=parcels.choose(parcels.FOOTPRINTS, footprint, "footprint"),
            gates=parcels.choose_all(parcels.GATES, gates, "gate"),
            departures=parcels.choose_all(parcels.DEPARTURES, departures, "departure"),
            code_words=code_words,
            code_resident=code_resident,
            header_words=header_words,
            in_place=in_place,
            sends=parcels.choose(parcels.SENDS, sends, "sends"),
            queue=queue.encode() if queue else None,
            wanted=wanted,
            payload_words=payload_words,
            aggregate=_structs.htmt_aggregate(*aggregate),
        )
        self._check(rc)
        return made

    def kernel(self, home: str, exec: str, **type: Any) -> Callable[[Any], parcels.Type]:
        """A decorator: the function becomes the kernel of a type's execute stage, and the type."""
        return lambda function: self.type(home, exec, function, **type)

    def post(self, kind: parcels.Type, slice: int, args: Any = None) -> None:
        """Post to a type in a slice, before the run: the post is in its queue at time 0."""
        self._check(parcels.post(library().htmt_root(self._living()), kind, slice, args))

    def quiet(self, control: Callable[[Control], None]) -> None:
        """Call ``control(c)`` in every slice when no event is left; if nothing comes of it the run
        ends. Once, before the run; ``quiet_by`` of the emulator says what finding out costs."""
        entered = _control.quiet(self._program, control)
        self._check(library().htmt_quiet(self._living(), entered, None))

    def assemble(
        self,
        type: parcels.Type,
        regions: Iterable[Region] = (),
        args: Any = None,
        *,
        slice: int = 0,
        on_ready: parcels.Slot | None = None,
        on_done: parcels.Slot | None = None,
    ) -> parcels.Ref:
        """A parcel of any slice, before the run."""
        root = library().htmt_root(self._living())
        rc, ref = parcels.assemble(root, type, regions, slice, args, on_ready, on_done)
        self._check(rc)
        return ref

    def slot(self, parcel: parcels.Ref, fiber: int) -> parcels.Slot:
        """The slot of a fiber of a parcel that was assembled before the run."""
        found: parcels.Slot = library().htmt_slot_of(parcel, fiber)
        return found

    def section(self, name: str) -> None:
        """From time 0 on the time of every slice belongs to a section."""
        root = library().htmt_root(self._living())
        library().htmt_section(root, name.encode())

    # ---- the run --------------------------------------------------------------------------------

    def run(self) -> None:
        """Run until nothing is left to do, once.

        The clock has a thread of its own, so that Ctrl-C gets through: the run ends, Python
        functions that are still busy a second later are interrupted, and KeyboardInterrupt is
        raised. An exception of a kernel, control, cost or combine function ends the run, too:
        KernelError has the line, and the exception as its ``__cause__``.
        """
        handle, program = self._living(), self._program
        clock = self._clock = Clock(lambda: int(library().htmt_emulator_run(handle)))
        raised = clock.wait(program.stop, program.interrupt)
        if raised is not None:
            raise raised
        # A function that had nothing to fail with may have stopped a run that was over by then.
        self._check(clock.code or (_structs.HTMT_ECANCELLED if program.stopped else 0))
        self.complete = True

    # ---- results --------------------------------------------------------------------------------

    @property
    def predicted_fs(self) -> int:
        """Virtual time of the last event, in femtoseconds."""
        return int(library().htmt_predicted(self._living()))

    @property
    def predicted_s(self) -> float:
        """The same in seconds."""
        return self.predicted_fs * 1e-15

    @property
    def events(self) -> int:
        """Events of the history."""
        return int(library().htmt_event_count(self._living()))

    @property
    def parcels(self) -> int:
        """Parcels assembled."""
        return int(library().htmt_parcel_count(self._living()))

    @property
    def history_hash(self) -> str:
        """Over every event, as 16 hexadecimal digits."""
        return f"{library().htmt_history_hash(self._living()):016x}"

    def results(self) -> Results:
        """All results, as the command's JSON object has them."""
        return read(self.json())

    @property
    def notes(self) -> list[str]:
        """What a run left over."""
        return self.results().notes

    @property
    def resources(self) -> Table[Resource]:
        """Processors and channels, summed over the slices."""
        return self.results().resources

    @property
    def memories(self) -> Table[Memory]:
        """Memories, outermost first."""
        return self.results().memories

    @property
    def phases(self) -> Table[Phase]:
        """Each stage of each type that was used."""
        return self.results().phases

    @property
    def sections(self) -> Table[Section]:
        """Time by the sections that ``section()`` began; "" is the time before."""
        return self.results().sections

    def deadlock(self) -> str:
        """After a deadlock: who waits for what."""
        return printed("htmt_deadlock_print", self._living())

    def report(self) -> str:
        """The report, as the command prints it."""
        return printed("htmt_report_print", self._living())

    def bottlenecks(self) -> str:
        """What held the run back, the worst first."""
        return printed("htmt_report_bottlenecks", self._living())

    def explanation(self) -> str:
        """The critical path, after ``explain=True``."""
        return printed("htmt_report_explanation", self._living())

    def json(self) -> dict[str, Any]:
        """The JSON object of the run, without what only the command knows."""
        found: dict[str, Any] = json.loads(printed("htmt_report_json", self._living()))
        return found


def _shape(shape: int | Sequence[int]) -> tuple[int, ...]:
    return (shape,) if isinstance(shape, int) else tuple(shape)


def _some(handle: ctypes.c_void_p) -> int:
    assert handle.value is not None
    return handle.value
