"""Statistics of a run out of the library's structures, as the command's JSON object has them."""
from __future__ import annotations

import ctypes
from typing import Any

from . import _structs, results
from ._library import library, text
from .errors import InputError, of_code
from .table import Table

SECOND = 1e-15
KINDS = {
    _structs.HTMT_BANK: "bank",
    _structs.HTMT_LINK_OUT: "link out",
    _structs.HTMT_LINK_IN: "link in",
}
CLASSES = ("cycles", "flop", "iop", "loads", "stores")


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _resource(e: int, at: int) -> Any:
    found = _structs.htmt_resource_report()
    rc = library().htmt_resource_at(e, at, ctypes.byref(found))
    if rc:
        raise of_code(rc, "no such resource")
    return found


def resources(e: int) -> Table[results.Resource]:
    """Processors and channels."""
    each = [_resource(e, i) for i in range(library().htmt_resource_count(e))]
    return Table(results.Resource, [_resource_row(e, r) for r in each])


def _resource_row(e: int, r: Any) -> results.Resource:
    slices, time = library().htmt_emulator_slices(e), library().htmt_predicted(e)
    return results.Resource(
        name=text(r.name),
        kind=KINDS[r.kind],
        count=r.count * slices,
        served=r.served,
        words=float(r.words),
        busy_s=int(r.busy) * SECOND,
        utilization=_share(int(r.busy), r.count * slices * time),
        mean_wait_s=_share(int(r.waited) * SECOND, r.served),
        mean_queue=_share(int(r.queue_integral), time * slices),
        max_queue=r.max_queue,
    )


def memory(e: int) -> Table[results.Memory]:
    """Memories of all layers."""
    rows, found = [], _structs.htmt_memory_report()
    layers = library().htmt_emulator_machine(e)[0].layer_count
    slices, time = library().htmt_emulator_slices(e), library().htmt_predicted(e)
    for i in range(layers):
        library().htmt_memory_at(e, i, ctypes.byref(found))
        rows.append(
            results.Memory(
                name=text(found.name),
                count=slices,
                capacity_words=found.capacity,
                peak_words=found.peak,
                resident_words=found.resident,
                stall_s=int(found.stalled) * SECOND,
                mean_queue=_share(int(found.queue_integral), time * slices),
                max_queue=found.max_queue,
            )
        )
    return Table(results.Memory, rows)


def phases(e: int) -> Table[results.Phase]:
    """Stages of types."""
    rows, found = [], _structs.htmt_phase_report()
    for i in range(library().htmt_phase_count(e)):
        library().htmt_phase_at(e, i, ctypes.byref(found))
        rows.append(_phase_row(e, found))
    return Table(results.Phase, rows)


def sections(e: int) -> Table[results.Section]:
    """Sections in the order in which they began."""
    rows, found = [], _structs.htmt_section_report()
    for i in range(library().htmt_section_count(e)):
        library().htmt_section_at(e, i, ctypes.byref(found))
        times = (found.busy, found.waited, found.stalled, found.time)
        rows.append(results.Section(text(found.name), *(int(t) * SECOND for t in times)))
    return Table(results.Section, rows)


def _quantity(p: Any) -> tuple[float, str]:
    """Words moved, or operations of the most frequent class, or parcels."""
    if int(p.words):
        return float(int(p.words)), "words"
    most = max(range(len(CLASSES)), key=lambda c: int(p.ops[c]))
    if int(p.ops[most]):
        return float(int(p.ops[most])), CLASSES[most]
    return float(p.count), "parcels"


def _phase_row(e: int, p: Any) -> results.Phase:
    resource, time = _resource(e, p.resource), library().htmt_predicted(e)
    servers = resource.count * library().htmt_emulator_slices(e)
    quantity, unit = _quantity(p)
    return results.Phase(
        name=text(p.type),
        stage=text(library().htmt_stage_name(p.stage)),
        resource=text(resource.name),
        parcels=p.count,
        quantity=quantity,
        unit=unit,
        mean_s=_share(int(p.busy) * SECOND, p.count),
        mean_wait_s=_share(int(p.waited) * SECOND, p.count),
        mean_stall_s=_share(int(p.stalled) * SECOND, p.count),
        parallelism=servers,
        utilization=_share(int(p.busy), servers * time),
    )


def printed(name: str, e: int) -> str:
    """What a function of the library prints on a stream."""
    if not library().has(name):
        raise InputError(f"this libhtmt has no {name}()")
    libc = ctypes.CDLL(None)
    libc.open_memstream.restype = ctypes.c_void_p
    start, size = ctypes.c_void_p(), ctypes.c_size_t()
    stream = libc.open_memstream(ctypes.byref(start), ctypes.byref(size))
    rc = getattr(library(), name)(e, ctypes.c_void_p(stream))
    libc.fclose(ctypes.c_void_p(stream))
    found = ctypes.string_at(start, size.value).decode("utf-8", "replace") if start.value else ""
    libc.free(start)
    if rc:
        raise of_code(rc, f"{name}() failed")
    return found
