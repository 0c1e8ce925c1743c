"""Whether a program gives the same bits whatever the host does."""
from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy

from .emulator import Emulator
from .errors import NotDeterministic

#: Threads and delay seeds of the runs that are compared; the first is the reference.
VARIANTS = ((1, 0), (1, 1), (2, 2), (3, 3), (8, 4))

Create = Callable[[Emulator], "Callable[[], Any] | None"]


@dataclass(frozen=True)
class Outcome:
    """What must be the same in all runs."""

    predicted_fs: int
    events: int
    parcels: int
    history_hash: str
    result: str

    def difference(self, other: Outcome) -> str | None:
        """The first field that differs, in words."""
        for name in self.__dataclass_fields__:
            a, b = getattr(self, name), getattr(other, name)
            if a != b:
                return f"{name} {a} and {b}"
        return None


def digest(result: Any) -> str:
    """Of every bit of an array, of bytes, or of a list, tuple or dict of them."""
    h = hashlib.sha256()
    _absorb(h, result)
    return h.hexdigest()[:16]


def _absorb(h: Any, value: Any) -> None:
    if isinstance(value, dict):
        value = list(value.items())
    if isinstance(value, (list, tuple)):
        h.update(f"{len(value)};".encode())
        for item in value:
            _absorb(h, item)
    elif isinstance(value, (bytes, str)):
        h.update(value.encode() if isinstance(value, str) else value)
    else:
        array = numpy.ascontiguousarray(value)
        h.update(f"{array.dtype.str}{array.shape};".encode())
        h.update(array.tobytes())


def check_determinism(create: Create, machine: str = "htmt-oct98", **options: Any) -> Outcome:
    """Run a program again and again, with other threads and random host delays.

    ``create(e)`` sets a program up in an emulator, as before a run. The function that it returns,
    if any, is called after the run and gives the results. Time, history and every bit of the
    results must be the same, or NotDeterministic is raised. This finds a kernel that draws from a
    global random state, reads a clock or shares writable data with others. A model
    run is made twice more by windows of lookahead, on one clock thread and on two.
    """
    first: Outcome | None = None
    for threads, delay in VARIANTS:
        outcome = _once(create, machine, {**options, "threads": threads, "delay_seed": delay})
        first = first or outcome
        difference = first.difference(outcome)
        if difference:
            raise NotDeterministic(
                f"threads={VARIANTS[0][0]} and threads={threads}, delay_seed={delay} differ: "
                f"{difference}",
                code="ENONDET",
            )
    assert first is not None
    if options.get("mode") == "model":
        _compare_windows(first, create, machine, options)
    return first


def _compare_windows(
    first: Outcome, create: Create, machine: str, options: dict[str, Any]
) -> None:
    for threads in (1, 2):
        by_windows = {**options, "clock": "shared", "clock_threads": threads}
        difference = first.difference(_once(create, machine, by_windows))
        if difference:
            raise NotDeterministic(
                f'clock="shared", clock_threads={threads} differs: {difference}', code="ENONDET"
            )


def _once(create: Create, machine: str, options: dict[str, Any]) -> Outcome:
    with Emulator(machine, **options) as e:
        result = create(e)
        e.run()
        found = digest(result()) if result else ""
        return Outcome(e.predicted_fs, e.events, e.parcels, e.history_hash, found)
