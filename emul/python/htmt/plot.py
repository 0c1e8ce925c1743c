"""Simple pictures of results; they need matplotlib."""
from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .results import Results


def _axes(axes: Any) -> Any:
    if axes is None:
        from matplotlib.figure import Figure

        axes = Figure(figsize=(7, 4), layout="constrained").subplots()
    return axes


def utilization(result: Any, axes: Any = None) -> Any:
    """Share of each resource in use, as bars. Returns the axes; ``.figure.savefig("x.png")``."""
    axes = _axes(axes)
    used = [r for r in result.resources if r.served]
    axes.barh([r.name for r in used], [100 * r.utilization for r in used])
    axes.invert_yaxis()
    axes.set_xlim(0, 100)
    axes.set_xlabel("in use (% of the virtual time)")
    return axes


def memories(result: Any, axes: Any = None) -> Any:
    """Peak of each memory, as a share of its capacity."""
    axes = _axes(axes)
    axes.barh(
        [m.name for m in result.memories],
        [100 * m.peak_words / m.capacity_words for m in result.memories],
    )
    axes.invert_yaxis()
    axes.set_xlim(0, 100)
    axes.set_xlabel("peak (% of the capacity)")
    return axes


def sweep(results: Iterable[Any], option: str, value: str = "predicted_s", axes: Any = None) -> Any:
    """A value of many results over an option of theirs; items that failed are left out."""
    axes = _axes(axes)
    done = [r for r in results if isinstance(r, Results)]
    points = sorted((float(dict(r.record.options)[option]), getattr(r, value)) for r in done)
    axes.plot([x for x, _ in points], [y for _, y in points], marker="o")
    axes.set_xlabel(option)
    axes.set_ylabel(value)
    return axes
