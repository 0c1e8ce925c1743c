"""The HTMT emulator from Python.

``run``, ``model`` and ``predict`` start the htmt command; ``map`` starts it for many settings at
once, and ``sweep`` has one of them compute the points of a study. ``sensitivity`` says which figures
the time depends on. ``Emulator`` runs parcels whose kernels are Python functions in this process; it needs NumPy.
docs/python.md is the guide.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .command import map, model, predict, run, sensitivity, sweep
from .errors import (
    CommandCrashed,
    HostError,
    HtmtError,
    InputError,
    KernelError,
    ModelError,
    NotDeterministic,
    ViewEscaped,
    WrongResult,
)
from .results import Results, Sensitivity, Study, to_pandas
from .table import Table
from .trace import Trace

if TYPE_CHECKING:
    from . import plot
    from .application import Task
    from .collective import AllReduce, Barrier, Tree
    from .control import Control
    from .determinism import check_determinism
    from .emulator import Emulator
    from .grid import Grid
    from .kernel import Kernel
    from .parcel import Ref, Slot, Stage, Type
    from .place import Frame, Mailbox, Object, Region, Span
    from .place import reads, resident, scratch, updates, writes

#: What needs NumPy, or matplotlib, is imported when it is asked for.
_LATER = {
    "Task": "application",
    "AllReduce": "collective",
    "Barrier": "collective",
    "Grid": "grid",
    "Tree": "collective",
    "Control": "control",
    "check_determinism": "determinism",
    "Emulator": "emulator",
    "Kernel": "kernel",
    "Ref": "parcel",
    "Slot": "parcel",
    "Stage": "parcel",
    "Type": "parcel",
    "Frame": "place",
    "Mailbox": "place",
    "Object": "place",
    "Region": "place",
    "Span": "place",
    "reads": "place",
    "resident": "place",
    "scratch": "place",
    "updates": "place",
    "writes": "place",
}

__all__ = [
    "CommandCrashed",
    "HostError",
    "HtmtError",
    "InputError",
    "KernelError",
    "ModelError",
    "NotDeterministic",
    "Results",
    "Sensitivity",
    "Study",
    "Table",
    "Trace",
    "ViewEscaped",
    "WrongResult",
    "map",
    "model",
    "plot",
    "predict",
    "run",
    "sensitivity",
    "sweep",
    "to_pandas",
    *_LATER,
]


def __getattr__(name: str) -> Any:
    import importlib

    if name == "plot":
        return importlib.import_module(".plot", __name__)
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f".{_LATER[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted(__all__)
