"""Traces: every interval of a run, read from the files of ``--trace`` (docs/trace-format.md)."""
from __future__ import annotations

import json
import os
import re
import struct
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from .errors import HostError, InputError
from .table import Table

if TYPE_CHECKING:
    import pandas

VERSIONS = (1, 2)  # 2: networks with ports inside
_BEGIN, _END = b"HTMTTRC", b"HTMTEND"
_TRAILER = struct.Struct("<QQQIIII8s")
_ENTRY = struct.Struct("<QIIIIQIIqqQ")
_COLUMNS = 10
_INTERVALS_MAX, _SAMPLES_MAX, _FOOTER_MAX = 65536, 1 << 20, 16 << 20
_VARINT_MAX = 10
_MASK = (1 << 64) - 1
_TIME_MAX = (1 << 63) - 1
_NUMBERS = 1 << 40
_PORT_STATES = ("sends", "blocked", "waits", "queued")
_PLACES = ("served", "sent", "received", "stalled", "room", "section", "gate", "paused")


class Reference(NamedTuple):
    """Which interval: those of a slice are numbered 0, 1, 2, ... as they were written."""

    slice: int
    number: int


@dataclass(frozen=True)
class Layer:
    """A layer of the machine; figures of one slice."""

    name: str
    processor: str
    memory: str
    capacity_words: int
    servers: int


@dataclass(frozen=True)
class Resource:
    """Banks or channels; ``busy_fs`` and ``waited_fs`` are the report's, over all slices."""

    name: str
    kind: str
    layer: int
    network: int | None
    count: int
    busy_fs: int
    waited_fs: int


@dataclass(frozen=True)
class Step:
    """What an interval belongs to; ``resource`` and ``layer`` are indices."""

    type: str
    stage: str | None
    place: str
    resource: int | None
    layer: int | None


class Interval(NamedTuple):
    """Its service began at ``end_fs - service_fs``, its wait ``wait_fs`` before.

    ``cause`` is the interval whose end brought it here, ``line`` the one whose end let it begin
    after its wait. ``open``: it had not ended when the run did.
    """

    slice: int
    number: int
    step: Step
    end_fs: int
    service_fs: int
    wait_fs: int
    serial: int
    cause: Reference | None
    line: Reference | None
    open: bool


class Sample(NamedTuple):
    """A change of the words used in a memory of the slice: ``words`` are used from now on."""

    slice: int
    at_fs: int
    layer: int
    words: int


class PortInterval(NamedTuple):
    """Time of a port inside a network, or of a packet in its queue."""

    network: str
    port: str
    plane: int
    lane: int
    #: ``sends``, ``blocked``, ``waits``, ``queued``
    state: str
    begin_fs: int
    end_fs: int
    #: Of its message.
    serial: int
    #: Of the packet in its message.
    number: int
    source: int
    target: int
    #: It was still so when the run ended.
    open: bool


class _Damaged(Exception):
    """What was found and expected in a block or footer."""


# ---- numbers -------------------------------------------------------------------------------------

_TOKEN = re.compile(rb"[\x80-\xff]*[\x00-\x7f]", re.S)


def _value(token: bytes) -> int:
    if len(token) > _VARINT_MAX:
        raise _Damaged(f"found a varint of {len(token)} bytes, expected at most {_VARINT_MAX}")
    value = 0
    for byte in reversed(token):
        value = value << 7 | byte & 127
    if value > _MASK:
        raise _Damaged("found a varint beyond 64 bits")
    return value


def _varints(column: bytes) -> Sequence[int]:
    """All numbers of a column. Values repeat, so each is decoded once."""
    if column.isascii():
        return column
    if column[-1] > 127:
        raise _Damaged("found a varint without an end")
    tokens = _TOKEN.findall(column)
    values = {token: _value(token) for token in set(tokens)}
    return [values[token] for token in tokens]


def _signed(codes: Iterable[int]) -> Iterator[int]:
    return (code >> 1 ^ -(code & 1) for code in codes)


def _sums(codes: Sequence[int]) -> list[int]:
    """Running sums of zigzags."""
    return list(accumulate(_signed(codes)))


def _sums_by(steps: Sequence[int], codes: Sequence[int], count: int) -> list[int]:
    """Running sums, one for each step."""
    before = [0] * count
    found = []
    for step, change in zip(steps, _signed(codes)):
        before[step] += change
        found.append(before[step])
    return found


def _expect(count: int, numbers: Sequence[int], column: str) -> Sequence[int]:
    if len(numbers) != count:
        raise _Damaged(f"found {len(numbers)} values in column '{column}', expected {count}")
    return numbers


def _in_time(times: Sequence[int], what: str) -> None:
    if times and not 0 <= min(times) <= max(times) <= _TIME_MAX:
        raise _Damaged(f"found times outside of virtual time: {what}")


# ---- blocks --------------------------------------------------------------------------------------


class _Entry(NamedTuple):
    """A block as the index has it."""

    offset: int
    size: int
    raw: int
    crc: int
    slice: int
    first: int
    intervals: int
    samples: int
    begin: int
    end: int
    zero: int


class Block:
    """Consecutive intervals of one slice, as columns: lists with a value for each."""

    def __init__(self, trace: Trace, entry: _Entry, raw: bytes) -> None:
        self.slice = entry.slice
        #: Number of the first interval.
        self.first = entry.first
        self._trace = trace
        columns = _split(raw)
        codes = _expect(entry.intervals, _varints(columns[0]), "step")
        #: Indices into ``trace.steps``.
        self.step = [code >> 1 for code in codes]
        self.open = [bool(code & 1) for code in codes]
        if self.step and max(self.step) >= len(trace.steps):
            raise _Damaged(f"found step {max(self.step)}, expected one of {len(trace.steps)}")
        self._times(columns, entry)
        self._references(columns, entry.intervals)
        self._memories(columns, entry.samples)

    def _times(self, columns: list[bytes], entry: _Entry) -> None:
        n, count = entry.intervals, len(self._trace.steps)
        self.end_fs = _sums(_expect(n, _varints(columns[1]), "end"))
        self.service_fs = _sums_by(self.step, _expect(n, _varints(columns[2]), "service"), count)
        self.wait_fs = _sums_by(self.step, _expect(n, _varints(columns[3]), "wait"), count)
        serials = _sums(_expect(n, _varints(columns[4]), "serial"))
        self.serial = [serial & _MASK for serial in serials]
        begins = [e - s - w for e, s, w in zip(self.end_fs, self.service_fs, self.wait_fs)]
        for times, what in (
            (self.end_fs, "end"),
            (self.service_fs, "service"),
            (self.wait_fs, "wait"),
            (begins, "begin"),
        ):
            _in_time(times, what)
        found = (min(begins), max(self.end_fs)) if n else (entry.begin, entry.end)
        if found != (entry.begin, entry.end):
            raise _Damaged(f"found times {found}, expected {(entry.begin, entry.end)}")

    def _references(self, columns: list[bytes], count: int) -> None:
        causes = _expect(count, _varints(columns[5]), "cause")
        waits = sum(1 for wait in self.wait_fs if wait)
        lines = iter(_expect(waits, _varints(columns[6]), "line"))
        numbers = iter(_varints(columns[7]))
        self.cause: list[Reference | None] = []
        self.line: list[Reference | None] = []
        for number, (code, wait) in enumerate(zip(causes, self.wait_fs), self.first):
            self.cause.append(self._reference(code, number, numbers) if code else None)
            code = next(lines) if wait else 0
            self.line.append(self._reference(code, number, numbers) if code else None)
        if next(numbers, None) is not None:
            raise _Damaged("found more in column 'foreign' than references to it")

    def _reference(self, code: int, number: int, foreign: Iterator[int]) -> Reference:
        if code == 1:
            found = Reference(next(foreign, -1), next(foreign, -1))
            if 0 <= found.slice < self._trace._places and 0 <= found.number < _NUMBERS:
                return found
        elif code % 2 == 0 and code >> 1 <= number:
            return Reference(self.slice, number - (code >> 1))
        raise _Damaged(f"found a reference that interval {number} cannot have")

    def _memories(self, columns: list[bytes], count: int) -> None:
        layers = len(self._trace.layers)
        what = _expect(layers + 2 * count, _varints(columns[9]), "sample_what")
        instants = _sums(_expect(count, _varints(columns[8]), "sample_when"))
        _in_time(instants, "sample")
        #: Words used in each layer when the block begins.
        self.levels = list(what[:layers])
        used = list(self.levels)
        self.samples: list[Sample] = []
        for at, code, change in zip(instants, what[layers::2], what[layers + 1 :: 2]):
            layer = code >> 1
            if layer >= layers or code & 1 and change > used[layer]:
                raise _Damaged(f"found a change of layer {layer} that cannot be")
            used[layer] += -change if code & 1 else change
            self.samples.append(Sample(self.slice, at, layer, used[layer]))

    def __len__(self) -> int:
        return len(self.end_fs)

    def __iter__(self) -> Iterator[Interval]:
        steps = self._trace.steps
        for at, step in enumerate(self.step):
            yield Interval(
                self.slice,
                self.first + at,
                steps[step],
                self.end_fs[at],
                self.service_fs[at],
                self.wait_fs[at],
                self.serial[at],
                self.cause[at],
                self.line[at],
                self.open[at],
            )

    def __repr__(self) -> str:
        return f"<slice {self.slice}, intervals {self.first} to {self.first + len(self) - 1}>"


def _split(raw: bytes) -> list[bytes]:
    columns = []
    at = 0
    for _ in range(_COLUMNS):
        token = _TOKEN.match(raw, at)
        if not token:
            raise _Damaged("found the end, expected another column")
        at = token.end() + _value(token[0])
        if at > len(raw):
            raise _Damaged("found a column that is longer than its block")
        columns.append(raw[token.end() : at])
    if at != len(raw):
        raise _Damaged(f"found {len(raw) - at} bytes behind the columns, expected none")
    return columns


# ---- traces --------------------------------------------------------------------------------------


class Trace:
    """An open trace file. ``len(trace)`` is the number of its intervals.

    Iterating gives every interval, by slice and number; ``blocks()`` the same in columns. The file
    stays open until ``close()`` or the end of ``with``. A file that is no trace, is cut off or
    damaged raises ``InputError``, which says where.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self._file: BinaryIO = self._open()
        try:
            self._read()
        except BaseException:
            self.close()
            raise

    def _open(self) -> BinaryIO:
        try:
            return open(self.path, "rb")
        except (FileNotFoundError, NotADirectoryError, PermissionError, IsADirectoryError) as e:
            raise InputError(f"{self.path}: cannot open: {e.strerror}") from e
        except OSError as e:
            raise HostError(f"{self.path}: cannot open: {e.strerror}") from e

    def close(self) -> None:
        """Closes the file; what was read stays."""
        self._file.close()

    def __enter__(self) -> Trace:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # ---- bytes -----------------------------------------------------------------------------------

    def _refuse(self, at: int, text: str) -> InputError:
        return InputError(f"{self.path}: byte {at}: {text}", code="EFORMAT")

    def _bytes(self, at: int, size: int) -> bytes:
        self._file.seek(at)
        found = self._file.read(size)
        if len(found) != size:
            raise self._refuse(at + len(found), "found the end of the file, which was longer")
        return found

    def _inflated(self, at: int, size: int, crc: int, raw: int) -> bytes:
        packed = self._bytes(at, size)
        if zlib.crc32(packed) != crc:
            raise self._refuse(at, "found another CRC than expected: the file is damaged")
        stream = zlib.decompressobj()
        try:
            found = stream.decompress(packed, raw + 1)
        except zlib.error as e:
            raise self._refuse(at, f"found no zlib stream: {e}") from e
        if len(found) != raw or not stream.eof or stream.unused_data:
            raise self._refuse(at, f"found another length, expected {raw} bytes inflated")
        return found

    def _magic(self, at: int, letters: bytes, what: str) -> None:
        found = self._bytes(at, min(8, self._size - at))
        if found[:7] != letters:
            raise self._refuse(at, f"found {found!r}, expected {letters!r}, {what}")
        if found[7] not in VERSIONS:
            raise self._refuse(at + 7, "found another version, expected version 1 or 2")

    # ---- what is there ---------------------------------------------------------------------------

    def _read(self) -> None:
        self._size = self._file.seek(0, os.SEEK_END)
        self._magic(0, _BEGIN, "the beginning of a trace")
        if self._size < 8 + _TRAILER.size:
            raise self._refuse(self._size, "found the end of the file: it is cut off")
        self._magic(self._size - 8, _END, "the end of a trace: the file is cut off")
        at = self._size - _TRAILER.size
        index, blocks, footer, size, raw, crc, footer_crc, _ = _TRAILER.unpack(
            self._bytes(at, _TRAILER.size)
        )
        if not 8 <= index <= footer or index + 64 * blocks != footer or footer + size != at:
            raise self._refuse(at, "found parts that do not fill the file")
        if raw > _FOOTER_MAX:
            raise self._refuse(at, f"found a footer of {raw} bytes, expected less")
        text = self._inflated(footer, size, footer_crc, raw)
        try:
            self._footer(json.loads(text))
        except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError) as e:
            raise self._refuse(footer, f"found a footer that is none: {e!r}") from e
        self._index(index, blocks, crc)

    def _footer(self, raw: dict[str, Any]) -> None:
        #: The JSON object of the footer.
        self.raw = raw
        if raw["version"] not in VERSIONS or (raw["version"] == 2) != ("ports" in raw):
            raise ValueError("version")
        self.about: dict[str, Any] = raw["about"]
        self.machine = str(raw["machine"])
        self.app = str(raw["app"] or "")
        self.mode = str(raw["mode"])
        self.slices, self.played = int(raw["slices"]), int(raw["played"])
        #: Slices that each played one stands for.
        self.stands_for = int(raw["stands_for"])
        #: The number of the host's place among the slices; None: the machine has none.
        self.host: int | None = int(raw["host"]["slice"]) if "host" in raw else None
        self._places = max(self.slices, -1 if self.host is None else self.host + 1)
        self.complete = bool(raw["complete"])
        self.fault: str | None = raw["fault"]
        self.end_fs = int(raw["end_fs"])
        self.history_hash = str(raw["history_hash"])
        self._count = int(raw["intervals"])
        last = raw["last"]
        #: The interval whose end was the last event.
        self.last = Reference(*last) if last else None
        self.filter: dict[str, Any] | None = raw["filter"]
        self.networks = [str(name) for name in raw["networks"]]
        self.sections = [str(name) for name in raw["sections"]]
        #: Who waits for what, after a deadlock.
        self.open = [str(line) for line in raw["open"]]
        self._lists(raw)

    def _lists(self, raw: dict[str, Any]) -> None:
        def rows(kind: type, key: str) -> list[Any]:
            names = [name for name in kind.__annotations__ if not name.endswith("_fs")]
            return [{name: row[name] for name in names} for row in raw[key]]

        sums = raw["sums"]
        self.layers = Table(Layer, [Layer(**row) for row in rows(Layer, "layers")])
        self.resources = Table(
            Resource,
            [
                Resource(**row, busy_fs=int(busy), waited_fs=int(waited))
                for row, busy, waited in zip(
                    rows(Resource, "resources"), sums["busy"], sums["waited"], strict=True
                )
            ],
        )
        #: Of each layer.
        self.stalled_fs = [int(stalled) for stalled in sums["stalled"]]
        self.steps = Table(Step, [Step(**row) for row in rows(Step, "steps")])
        if any(step.place not in _PLACES for step in self.steps):
            raise ValueError("a place of no interval")

    def _index(self, at: int, blocks: int, crc: int) -> None:
        packed = self._bytes(at, 64 * blocks)
        if zlib.crc32(packed) != crc:
            raise self._refuse(at, "found an index with another CRC: the file is damaged")
        entries = [_Entry(*fields) for fields in _ENTRY.iter_unpack(packed)]
        offset = 8
        for number, e in enumerate(entries):
            most = _VARINT_MAX * (_COLUMNS + len(self.layers) + 11 * e.intervals + 3 * e.samples)
            good = e.intervals <= _INTERVALS_MAX and e.samples <= _SAMPLES_MAX and e.raw <= most
            if not good or e.offset != offset or e.slice >= self._places or e.zero:
                raise self._refuse(at + 64 * number, f"found block {number} that cannot be")
            offset += e.size
        end = self._check_runs(at)
        if offset != end:
            raise self._refuse(offset, f"found bytes of no block, expected their end at {end}")
        self._entries = sorted(entries, key=lambda e: (e.slice, e.first, e.intervals > 0))
        self._check_numbers(at)

    def _check_runs(self, index: int) -> int:
        """Where blocks end: runs of ports fill the file from there to the index."""
        if "ports" not in self.raw:
            return index
        ports = self.raw["ports"]
        if ports["at"] + sum(run[1] for run in ports["runs"]) != index:
            raise self._refuse(index, "found the index, expected runs of ports before it")
        return int(ports["at"])

    def _check_numbers(self, at: int) -> None:
        expected: dict[int, int] = {}
        for e in self._entries:
            if e.first != expected.get(e.slice, 0):
                raise self._refuse(at, f"found interval {e.first} of slice {e.slice} too early")
            expected[e.slice] = e.first + e.intervals
        if sum(expected.values()) != self._count:
            raise self._refuse(at, f"found other intervals than the {self._count} of the footer")

    # ---- intervals -------------------------------------------------------------------------------

    def __len__(self) -> int:
        return self._count

    def blocks(self, slice: int | None = None) -> Iterator[Block]:
        """Blocks by slice and number; of one slice only."""
        for e in self._entries:
            if slice is not None and e.slice != slice:
                continue
            raw = self._inflated(e.offset, e.size, e.crc, e.raw)
            try:
                block = Block(self, e, raw)
            except _Damaged as damage:
                raise self._refuse(e.offset, str(damage)) from None
            yield block

    def intervals(self, slice: int | None = None) -> Iterator[Interval]:
        """Intervals by slice and number; of one slice only."""
        for block in self.blocks(slice):
            yield from block

    def __iter__(self) -> Iterator[Interval]:
        return self.intervals()

    def samples(self, slice: int | None = None) -> Iterator[Sample]:
        """Changes of the memories, slice by slice."""
        for block in self.blocks(slice):
            yield from block.samples

    def ports(self, slice: int | None = None) -> Iterator[PortInterval]:
        """What ports inside networks did, by the slices that they belong to."""
        at = self.raw["ports"]["at"] if "ports" in self.raw else 0
        for of, size, raw, crc, count in self.raw["ports"]["runs"] if at else []:
            if slice is None or of == slice:
                yield from self._run(at, self._inflated(at, size, crc, raw), count)
            at += size

    def _run(self, at: int, raw: bytes, count: int) -> Iterator[PortInterval]:
        try:
            values = _expect(7 * count, _varints(raw), "ports")
            begins, serials = _sums(values[1::7]), _sums(values[3::7])
            rows = zip(values[0::7], begins, values[2::7], serials, *(values[k::7] for k in (4, 5, 6)))
            for what, begin, length, serial, number, source, target in rows:
                yield PortInterval(
                    *self._port(what >> 3),
                    _PORT_STATES[what & 3],
                    begin,
                    begin + length,
                    serial & _MASK,
                    number,
                    source,
                    target,
                    bool(what & 4),
                )
        except (_Damaged, LookupError) as damage:
            raise self._refuse(at, f"ports: {damage}") from None

    def _port(self, port: int) -> tuple[str, str, int, int]:
        for n in reversed(self.raw["ports"]["networks"]):
            if port >= n["first"]:
                wire, lane = divmod(port - n["first"], n["lanes"])
                plane, channel = divmod(wire, len(n["channels"]))
                return self.networks[n["network"]], n["channels"][channel][0], plane, lane
        raise IndexError(f"port {port}")

    def to_pandas(self, slice: int | None = None) -> pandas.DataFrame:
        """A DataFrame with a row for each interval.

        ``cause`` and ``line`` are slice * 2**40 + number, or -1 for none: ``frame.index`` is the
        same number for the interval itself.
        """
        import pandas

        frames = [self._frame(block) for block in self.blocks(slice)]
        if not frames:
            return pandas.DataFrame(columns=_FRAME)
        whole = pandas.concat(frames)
        for name in ("type", "stage", "place", "resource"):
            whole[name] = whole[name].astype("category")
        return whole

    def _frame(self, block: Block) -> pandas.DataFrame:
        import pandas

        steps, resources = list(self.steps), list(self.resources)
        names = [None if s.resource is None else resources[s.resource].name for s in steps]
        first = _number(Reference(block.slice, block.first))
        columns = {
            "slice": block.slice,
            "number": range(block.first, block.first + len(block)),
            "type": [steps[s].type for s in block.step],
            "stage": [steps[s].stage for s in block.step],
            "place": [steps[s].place for s in block.step],
            "resource": [names[s] for s in block.step],
            "end_fs": block.end_fs,
            "service_fs": block.service_fs,
            "wait_fs": block.wait_fs,
            "serial": block.serial,
            "cause": [_number(r) for r in block.cause],
            "line": [_number(r) for r in block.line],
            "open": block.open,
        }
        return pandas.DataFrame(columns, index=range(first, first + len(block)), columns=_FRAME)

    def __repr__(self) -> str:
        end = "" if self.complete else ", INCOMPLETE"
        run = f"{self.mode} of {self.app}" if self.app else self.mode
        return f"<trace of {run} on {self.machine}: {len(self)} intervals{end}>"


_FRAME = [
    "slice",
    "number",
    "type",
    "stage",
    "place",
    "resource",
    "end_fs",
    "service_fs",
    "wait_fs",
    "serial",
    "cause",
    "line",
    "open",
]


def _number(reference: Reference | None) -> int:
    return -1 if reference is None else reference.slice << 40 | reference.number
