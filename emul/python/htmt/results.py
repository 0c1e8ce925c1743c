"""The JSON object of a run, a model run or a prediction, as dataclasses (docs/json.md)."""
from __future__ import annotations

import dataclasses
import types
import typing
from dataclasses import dataclass, field
from typing import Any

from .table import Table


@dataclass(frozen=True)
class Warn:
    """A reason to doubt the input."""

    name: str
    message: str


@dataclass(frozen=True)
class Failure:
    """Why a run did not come to its end."""

    code: str
    message: str


@dataclass(frozen=True)
class Check:
    """Comparison of the result with a reference."""

    name: str
    value: float | None
    tolerance: float | None


@dataclass(frozen=True)
class ClosedForm:
    """Time of the application's closed form."""

    name: str
    predicted_s: float


@dataclass(frozen=True)
class ModelRun:
    """The model run of the command line of a run."""

    predicted_fs: int | None
    history_hash: str | None
    same_events: bool | None
    steered: bool | None
    parcels: int | None
    by_run: bool | None = None


@dataclass(frozen=True)
class Wall:
    """Host clock."""

    input_s: float
    setup_s: float
    emulate_s: float
    check_s: float
    output_s: float
    total_s: float
    kernels_s: float = 0  #: of emulate_s, with --time-kernels


@dataclass(frozen=True)
class Host:
    """Host threads and kernels."""

    workers: int
    kernels: int
    on_clock_thread: int
    run_ahead_peak_bytes: int


@dataclass(frozen=True)
class ClockWay:
    """How the virtual clock went."""

    kind: str
    reason: str | None
    lookahead_fs: int | None
    windows: int
    events_per_window: float | None
    partitions: int = 1
    threads: int = 1
    ranks: int = 1
    shared_windows: int = 0
    awaited_s: float = 0.0


@dataclass(frozen=True)
class Found:
    """A figure of the application's input or result."""

    name: str
    value: Any
    unit: str


@dataclass(frozen=True)
class Phase:
    """One stage of one parcel type over all slices, virtual clock."""

    name: str
    stage: str
    resource: str
    parcels: int
    quantity: float
    unit: str
    classes: dict[str, float]
    mean_s: float
    mean_wait_s: float
    mean_stall_s: float
    mean_pause_s: float
    parallelism: int
    utilization: float
    kernels_s: float = 0  #: host clock, with --time-kernels or --against-clock


@dataclass(frozen=True)
class Resource:
    """A kind of resource over all slices, virtual clock."""

    name: str
    kind: str
    layer: str
    peaks: dict[str, float]
    count: int
    served: int
    words: float
    busy_s: float
    utilization: float
    paused_s: float
    term: str
    mean_wait_s: float
    mean_queue: float
    max_queue: int


@dataclass(frozen=True)
class Memory:
    """A memory, one a slice, virtual clock."""

    name: str
    count: int
    capacity_words: int
    peak_words: int
    resident_words: int
    stall_s: float
    mean_queue: float
    max_queue: int


@dataclass(frozen=True)
class Spread:
    """How the slices share a resource, or wait for a memory's space; virtual clock."""

    name: str
    slices: int
    idle: int
    busiest: int
    mean_share: float | None
    busiest_share: float | None
    queued: int
    mean_queue: float
    most_queue: float
    by_slice: list[float]


@dataclass(frozen=True)
class Section:
    """Time of all slices that belongs to one section, virtual clock."""

    name: str
    time_s: float
    share: float
    busy_s: float
    wait_s: float
    stall_s: float


@dataclass(frozen=True)
class Inside:
    """What is inside a network: sums over its ports, virtual clock."""

    name: str
    ports: int
    packets: int
    hops: int
    bytes: float
    contentions: int
    busy_s: float
    blocked_s: float
    waiting_s: float
    mean_queue: float
    lane_classes: int | None = None  # these three with ``classes: auto``
    lanes: int | None = None
    lanes_added: int | None = None


@dataclass(frozen=True)
class Operations:
    """A stage under ``--timing operations``: where its services' time went, virtual clock."""

    type: str
    stage: str
    resource: str
    services: int
    counted: int
    why: str
    time_s: float
    issue_s: float
    units_s: float
    chain_s: float
    l1_s: float
    l2_s: float
    bus_s: float
    pages_s: float
    refresh_s: float
    branches_s: float
    instructions: int
    loads: int
    stores: int
    l1_misses: int
    l1_code_misses: int
    l2_misses: int
    write_backs: int
    page_hits: int
    page_misses: int
    branches_missed: int


@dataclass(frozen=True)
class Miss:
    """Misses of the first cache, data and code, by what the accesses went to."""

    type: str
    stage: str
    place: str
    misses: int


@dataclass(frozen=True)
class AgainstClock:
    """The same kernels without hooks, host clock at that of the machine."""

    wall_s: float
    kernels_s: float
    own_work_s: float
    ratio: float
    spread_percent: float
    free_runs: int
    clock_hz: float
    clock_now_hz: float


@dataclass(frozen=True)
class Port:
    """A port inside a network, virtual clock."""

    network: str
    name: str
    plane: int
    packets: int
    bytes: int
    contentions: int
    busy_s: float
    blocked_s: float
    waiting_s: float
    idle_s: float
    busy_share: float
    blocked_share: float
    waiting_share: float
    idle_share: float
    mean_queue: float
    max_queue: int


@dataclass(frozen=True)
class Routing:
    """A layer whose processors route packets, over all slices, virtual clock."""

    name: str
    layer: str
    count: int
    packets: int
    route_s: float
    copy_s: float
    put_off_s: float
    busy_s: float
    utilization: float


@dataclass(frozen=True)
class Vortex:
    """A Data Vortex: packets on their way, and in front of it."""

    network: str
    packets: int
    deflections: int
    waited: int
    wait_s: float
    mean_wait_s: float


@dataclass(frozen=True)
class Cylinder:
    """One of its cylinders, 0 outside."""

    network: str
    cylinder: int
    nodes: int
    packets: int
    deflections: int
    load: float


@dataclass(frozen=True)
class Bottleneck:
    """What held the run back."""

    name: str
    kind: str
    binding: bool
    utilization: float
    mean_wait_s: float
    mean_queue: float
    path_share: float | None


@dataclass(frozen=True)
class PathShare:
    """Time of the critical path by network, layer, memory or phase."""

    of: str
    name: str
    time_fs: int


@dataclass(frozen=True)
class PathPart:
    """Time of one cause on the critical path."""

    cause: str
    of: str
    type: str
    stage: str
    using: str
    intervals: int
    time_fs: int


@dataclass(frozen=True)
class Gap:
    """Difference from the closed form."""

    closed_form_fs: int
    gap_fs: int
    beside_fs: int | None
    more_fs: dict[str, int] | None


@dataclass(frozen=True)
class Explanation:
    """The critical path, virtual clock."""

    predicted_fs: int
    principal: str
    intervals: int
    sums_fs: dict[str, int]
    gap: Gap | None
    parts: Table[PathPart]
    shares: Table[PathShare]


@dataclass(frozen=True)
class SummaryRow:
    """A demand or a use, one value for each column."""

    group: str
    name: str
    unit: str
    values: list[float | None]


@dataclass(frozen=True)
class Summary:
    """Demand of one parcel of each type."""

    columns: list[str]
    rows: Table[SummaryRow]


@dataclass(frozen=True)
class Departure:
    """What a type does that percolation would not."""

    type: str
    kind: str
    declared: bool
    count: int
    words: float
    moved_s: float


@dataclass(frozen=True)
class Carried:
    """A model run with what-if moves."""

    kind: str
    predicted_fs: int | None
    refused: str | None


@dataclass(frozen=True)
class Lint:
    """Departures from percolation, and their price."""

    departures: Table[Departure]
    kept_fs: int | None
    carried: Table[Carried]


@dataclass(frozen=True)
class Differing:
    """The first event that differs between two runs."""

    number: int
    first_run: str
    other_run: str


@dataclass(frozen=True)
class Comparison:
    """Whether all runs of ``check_determinism`` had the same events."""

    equal: bool
    runs: int
    events: int | None
    event: Differing | None = None


@dataclass(frozen=True)
class Output:
    """A file that a run was asked to write."""

    option: str
    file: str


@dataclass(frozen=True)
class Term:
    """A term of the closed form."""

    depth: int
    name: str
    meaning: str
    value: float
    unit: str
    expression: str
    inputs: str


@dataclass(frozen=True)
class Largest:
    """The largest size that a memory allows."""

    option: str
    meaning: str
    memory: str
    size: int | None
    twice: int | None
    binds: bool
    refused: str | None


@dataclass(frozen=True)
class Figure:
    """A figure of a file that a term depends on."""

    key: str
    value: str
    source: str
    file: str
    line: int
    of: str
    half: float | None
    twice: float | None
    hidden: bool


@dataclass(frozen=True)
class Origins:
    """A term and the figures that it depends on."""

    term: str
    figures: Table[Figure]


@dataclass(frozen=True)
class Record:
    """Everything needed to get the same bits again."""

    version: str
    commit: str | None
    machine: str
    machine_hash: str
    machine_file: str | None
    costs: str | None
    costs_hash: str | None
    costs_file: str | None
    options: list[list[str]]
    seed: int
    kernel_set: str | None
    history_hash: str | None


def _no(kind: type) -> Any:
    return field(default_factory=lambda: Table(kind))


@dataclass(frozen=True)
class Results:
    """What ``run``, ``model`` and ``predict`` return; a value that does not exist is None.

    ``raw`` is the object as the command wrote it.
    """

    schema: str
    app: str
    machine: str
    costs: str | None
    mode: str
    problem: str
    slices: int
    slices_why: str | None
    threads: int
    seed: int
    correct: bool | None
    predicted_s: float
    flops: float
    predicted_flops_per_s: float
    warnings: Table[Warn]
    not_modelled: list[str]
    record: Record
    # Of run and model.
    precision: str | None = None
    kernel_set: str | None = None
    complete: bool | None = None
    error: Failure | None = None
    check: Check | None = None
    unchecked: str | None = None
    closed_form_missing: str | None = None
    machine_slices: int | None = None
    outputs: Table[Output] = _no(Output)
    predicted_fs: int | None = None
    closed_form: ClosedForm | None = None
    model: ModelRun | None = None
    wall: Wall | None = None
    host: Host | None = None
    clock: ClockWay | None = None
    notes: list[str] = field(default_factory=list)
    found: Table[Found] = _no(Found)
    parcels: int | None = None
    events: int | None = None
    history_hash: str | None = None
    phases: Table[Phase] = _no(Phase)
    resources: Table[Resource] = _no(Resource)
    memories: Table[Memory] = _no(Memory)
    bottleneck: str | None = None
    bottlenecks: Table[Bottleneck] = _no(Bottleneck)
    spread: Table[Spread] = _no(Spread)
    sections: Table[Section] = _no(Section)
    old_history_hash: str | None = None
    network_history: str | None = None
    insides: Table[Inside] = _no(Inside)
    ports: Table[Port] = _no(Port)
    routing: Table[Routing] = _no(Routing)
    vortices: Table[Vortex] = _no(Vortex)
    cylinders: Table[Cylinder] = _no(Cylinder)
    operations: Table[Operations] = _no(Operations)
    misses: Table[Miss] = _no(Miss)
    against_clock: AgainstClock | None = None
    explanation: Explanation | None = None
    summary: Summary | None = None
    lint: Lint | None = None
    determinism: Comparison | None = None
    # Of predict.
    terms: Table[Term] = _no(Term)
    largest: Table[Largest] = _no(Largest)
    origins: Origins | None = None
    raw: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    def to_pandas(self) -> Any:
        """One row: the plain values (``htmt.to_pandas()`` puts many results below each other)."""
        return to_pandas([self])


def to_pandas(results: typing.Iterable[Results]) -> Any:
    """A pandas DataFrame with a row for each result and a column for each plain value.

    Items of ``htmt.map()`` that failed have their line in the column ``failed``.
    """
    import pandas

    return pandas.DataFrame([_plain(r) for r in results])


def _plain(result: Any) -> dict[str, Any]:
    if not isinstance(result, Results):
        return {"failed": str(result)}
    values = {f.name: getattr(result, f.name) for f in dataclasses.fields(result)}
    plain = {k: v for k, v in values.items() if isinstance(v, (str, int, float, type(None)))}
    plain.update({f"option_{name}": value for name, value in result.record.options})
    return plain


@dataclass(frozen=True)
class Point:
    """A row of a study: a value on each axis, and what was found there."""

    case: str
    axes: dict[str, str]
    T_s: float | None
    columns: dict[str, float | None]
    refused: str | None
    front: bool | None = None


@dataclass(frozen=True)
class Sampled:
    """What the samples of a case say of its time."""

    case: str
    T_5_s: float | None
    T_50_s: float | None
    T_95_s: float | None
    rank_correlation: dict[str, float | None]


@dataclass(frozen=True)
class Study:
    """What ``sweep`` returns: the points in the order of the plan."""

    points: Table[Point]
    refused: int
    samples: Table[Sampled] = _no(Sampled)
    raw: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    def to_pandas(self) -> Any:
        """A pandas DataFrame with the columns of ``htmt sweep --csv``."""
        import pandas

        return pandas.DataFrame(
            [{"case": p.case, **p.axes, "T_s": p.T_s, **p.columns, "front": p.front,
              "refused": p.refused} for p in self.points]
        )


@dataclass(frozen=True)
class Reach:
    """Up to which factor of a figure something holds; ``ends``: not beyond it."""

    factor: float
    ends: bool


@dataclass(frozen=True)
class Member:
    """A figure, as its file has it."""

    key: str
    value: str


@dataclass(frozen=True)
class Elasticity:
    """What a figure, or a group of them, does to the time of one case."""

    case: str
    figures: Table[Member]
    kind: str
    larger: float | None
    smaller: float | None
    tie: bool
    uneven: bool
    T_half_s: float | None
    T_twice_s: float | None
    faster_to: Reach | None
    slower_to: Reach | None
    one_percent_at: Reach | None
    T_at_once_s: float | None


@dataclass(frozen=True)
class Sensed:
    """A figure, or a group, in all cases; how far is the least of theirs."""

    name: str
    group: bool
    cases: Table[Elasticity]
    faster_to: Reach | None
    slower_to: Reach | None
    one_percent_at: Reach | None


@dataclass(frozen=True)
class SensedCase:
    """A command line whose sensitivity was asked for."""

    case: str
    verb: str
    T_s: float | None
    method: str | None
    h: float | None
    ties: int
    uneven: int
    sum: float | None
    refused: str | None


@dataclass(frozen=True)
class Sensitivity:
    """What ``sensitivity`` returns: the figures, by the largest elasticity."""

    cases: Table[SensedCase]
    figures: Table[Sensed]
    raw: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    def to_pandas(self) -> Any:
        """A pandas DataFrame with a row for each figure in each case."""
        import pandas

        return pandas.DataFrame(
            [{"name": f.name, "case": c.case, "kind": c.kind, "larger": c.larger,
              "smaller": c.smaller, "tie": c.tie} for f in self.figures for c in f.cases]
        )


def read_study(raw: dict[str, Any]) -> Study:
    """A study of a JSON object."""
    result: Study = _object(Study, raw)
    return dataclasses.replace(result, raw=raw)


def read_sensitivity(raw: dict[str, Any]) -> Sensitivity:
    """The object of ``htmt sensitivity --json``."""
    result: Sensitivity = _object(Sensitivity, raw)
    return dataclasses.replace(result, raw=raw)


def read(raw: dict[str, Any]) -> Results:
    """Results of a JSON object."""
    result: Results = _object(Results, raw)
    return dataclasses.replace(result, raw=raw)


def _object(kind: type, raw: dict[str, Any]) -> Any:
    """A dataclass of a JSON object; keys without a field are left out."""
    hints = typing.get_type_hints(kind)
    names = [f.name for f in dataclasses.fields(kind)]
    return kind(**{n: _value(hints[n], raw[n]) for n in names if n in raw})


def _value(hint: Any, raw: Any) -> Any:
    if typing.get_origin(hint) in (types.UnionType, typing.Union):
        if raw is None:
            return None
        hint = next(h for h in typing.get_args(hint) if h is not type(None))
    if typing.get_origin(hint) is Table:
        kind = typing.get_args(hint)[0]
        return Table(kind, [_object(kind, row) for row in raw or []])
    return _object(hint, raw) if dataclasses.is_dataclass(hint) else raw
