"""Types of parcels: their stages, and the parcels made of them."""
from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import _structs
from . import control as _control
from . import kernel as _kernel
from ._library import library, new
from .place import Region, plain
from .program import Arguments, Program

if TYPE_CHECKING:
    from .control import Control
    from .kernel import Kernel

Ref = _structs.htmt_ref
Slot = _structs.htmt_slot

STAGES = ("assemble", "dispatch", "execute", "retire", "scatter")
POST_BYTES = 56  # HTMT_POST_BYTES of parcels/post.h
FOOTPRINTS = {"closure": _structs.HTMT_CLOSURE, "resident": _structs.HTMT_RESIDENT}
GATES = {
    "dispatch": 1 << _structs.HTMT_DISPATCH,
    "execute": 1 << _structs.HTMT_EXECUTE,
    "retire": 1 << _structs.HTMT_RETIRE,
    "scatter": 1 << _structs.HTMT_SCATTER,
}
SENDS = {"anywhere": _structs.HTMT_SENDS_ANYWHERE, "nowhere": _structs.HTMT_SENDS_NOWHERE}
DEPARTURES = {
    "resident": _structs.HTMT_DEPARTS_RESIDENT,
    "open": _structs.HTMT_DEPARTS_OPEN,
    "exchange": _structs.HTMT_DEPARTS_EXCHANGE,
}


@dataclass(frozen=True)
class Stage:
    """A stage of a type: up to three functions.

    ``kernel(k)`` computes on real bytes, perhaps long before its virtual turn. ``cost(args)`` gives
    its operations, as ``{"flop": 2}``; with ``constant`` it is asked once, for all parcels of the
    type. ``control(c)`` says what the stage sets off. ``count`` and ``reset`` are those of a fiber's
    slot. docs/api.md has the rules.
    """

    kernel: Callable[[Kernel], None] | None = None
    cost: Callable[[Any], Mapping[str, int]] | None = None
    control: Callable[[Control], None] | None = None
    parts: int = 0
    steered: bool = False
    count: int = 0
    reset: int = 0
    constant: bool = False


StageLike = Stage | Callable[["Kernel"], None] | None


def choose(table: Mapping[str, int], name: str, what: str) -> int:
    """The constant of a name."""
    if name not in table:
        raise ValueError(f"found {what} {name!r}, expected {' or '.join(table)}")
    return table[name]


def choose_all(table: Mapping[str, int], names: Iterable[str], what: str) -> int:
    """The constants of names, or'ed."""
    found = 0
    for name in names:
        found |= choose(table, name, what)
    return found


class Type:
    """A type of parcels; :meth:`htmt.Emulator.type` makes one."""

    def __init__(
        self,
        program: Program,
        name: str,
        args: type[ctypes.Structure] | None,
        result: Any,
    ) -> None:
        self.program = program
        self.name = name
        self.arguments = Arguments(args)
        self.result = None if result is None else plain(result)
        self.handle: int | None = None
        self._next: dict[Callable[[Control, int], None], Any] = {}

    def next(self, function: Callable[[Control, int], None]) -> Any:
        """A generator's function as the library takes it; the library's code."""
        if function not in self._next:
            where = f"type {self.name}, each"
            self._next[function] = _control.generator(self.program, self, function, where)
        return self._next[function]

    def __repr__(self) -> str:
        return f"<Type {self.name!r}>"

    def _stage(self, stage: StageLike, name: str) -> _structs.htmt_stage:
        """A stage as the library takes it; a function alone is its kernel."""
        made = _structs.htmt_stage()
        if stage is None:
            return made
        stage = stage if isinstance(stage, Stage) else Stage(kernel=stage)
        where, program = f"type {self.name}, {name}", self.program
        if stage.kernel:
            made.kernel = _kernel.trampoline(program, self, stage.kernel)
        if stage.cost:
            made.cost = program.cost(stage.cost, self.arguments, where + ", cost")
        if stage.control:
            made.control = _control.trampoline(program, self, stage.control, where)
        made.parts, made.steered, made.constant = stage.parts, stage.steered, stage.constant
        made.count, made.reset = stage.count, stage.reset
        return made

    def _can_be_posted(
        self, at_home: bool, stages: Mapping[str, StageLike], fibers: Sequence[StageLike], gates: int
    ) -> bool:
        """As parcels/post.h says."""
        execute = stages["execute"]
        others = [s for name, s in stages.items() if s is not None and name != "execute"]
        return (
            at_home
            and isinstance(execute, Stage)
            and execute.control is not None
            and (execute.kernel is None or execute.steered)
            and not (others or fibers or gates)
            and self.arguments.size <= POST_BYTES
        )

    def create(
        self,
        emulator: int,
        home: str,
        exec_: str,
        stages: Mapping[str, StageLike],
        fibers: Sequence[StageLike],
        fiber_names: Sequence[str | None],
        wanted: Callable[[Control], bool] | None = None,
        **rest: Any,
    ) -> int:
        """Make it known to an emulator; the library's code."""
        desc = new(_structs.htmt_type_desc, **rest)
        desc.name, desc.home, desc.exec = self.name.encode(), home.encode(), exec_.encode()
        for name, stage in stages.items():
            setattr(desc, name, self._stage(stage, name))
        each = [self._stage(stage, f"fiber {i + 1}") for i, stage in enumerate(fibers)]
        desc.fibers, desc.fiber_count = (_structs.htmt_stage * len(each))(*each), len(each)
        names = [n.encode() if n else None for n in fiber_names[: len(each)]]
        desc.fiber_names = (ctypes.c_char_p * max(len(each), 1))(*names)
        desc.args_bytes = self.arguments.size
        layers = {library().htmt_emulator_layer(emulator, n) for n in (desc.home, desc.exec)}
        can_be_posted = self._can_be_posted(len(layers) == 1, stages, fibers, desc.gates)
        if can_be_posted and not desc.payload_words:
            desc.payload_words = 1 + (self.arguments.of_user + 7) // 8  # not our header
        desc.result_bytes = self.result.itemsize if self.result is not None else 0
        if wanted:
            where = f"type {self.name}, wanted"
            desc.wanted = _control.wanted(self.program, self, wanted, where)
        handle = ctypes.c_void_p()
        rc: int = library().htmt_type_create(emulator, ctypes.byref(desc), ctypes.byref(handle))
        self.handle = handle.value
        return rc


def assemble(
    context: int,
    kind: Type,
    regions: Iterable[Region],
    at: int,
    args: Any,
    on_ready: Slot | None,
    on_done: Slot | None,
) -> tuple[int, Ref]:
    """Assemble a parcel; the library's code, and the parcel."""
    regions = list(regions)
    closure = kind.program.closures.number(tuple(r.view for r in regions))
    given = kind.arguments.make(closure, args)
    each = (_structs.htmt_region * max(len(regions), 1))(*(r.struct() for r in regions))
    desc = _structs.htmt_parcel_desc(kind.handle, at, each, len(regions))
    desc.args = ctypes.addressof(given)
    desc.on_ready, desc.on_done = on_ready or Slot(), on_done or Slot()
    ref = Ref()
    return library().htmt_assemble(context, ctypes.byref(desc), ctypes.byref(ref)), ref


def post(context: int, kind: Type, to: int, args: Any) -> int:
    """Post arguments to a type in a slice; the library's code."""
    most = POST_BYTES - (kind.arguments.size - kind.arguments.of_user)
    if kind.arguments.of_user > most:
        found = f"type {kind.name}: found {kind.arguments.of_user} bytes of arguments"
        raise ValueError(f"{found}, expected at most {most} of a post")
    given = kind.arguments.make(0, args)
    rc: int = library().htmt_post(context, kind.handle, to, ctypes.addressof(given))
    return rc
