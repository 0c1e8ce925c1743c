#!/usr/bin/python3
"""Write a page from a small model of parcels, without htmt: what the tests of the page look at.

  sample.py TEMPLATE OUT [--slices N] [--parcels N] [--tile N] [--tiles N] [--start FS] [--wide]
            [--incomplete] [--waiting N] [--hostile] [--filtered] [--held]

TEMPLATE is what emul/view/page/join writes. The data have the form that `htmt timeline` writes. The same
arguments give the same bytes. --start is the instant of the first section, or with --wide that of the
first parcel: a tile is then longer than doubles count. --tiles N repeats the tiles of slice 0 one behind another, as a large
trace: --parcels 10000 --tile 65536 --tiles 153 has 1e7 intervals.
"""
import argparse
import base64
import heapq
import json
import sys
import zlib

sys.path.insert(0, __file__.rpartition("/")[0] or ".")
from page_data import edge, singles  # noqa: E402

STARTUP = 2_000_003
TYPES = ["Assembly", "Dispatch", "boundary"]
LAYERS = [("dram", "DPIM", "DRAM", 1 << 20, 4), ("sram", "SPIM", "SRAM", 60_000, 2), ("cram", "SPELL", "CRAM", 20_000, 1)]
ROWS = [("sections", "sections", None, None), ("bank", "DPIM", 0, 0), ("memory", "DRAM", None, 0), ("out", "dram to network", 1, 0),
        ("in", "network to dram", 2, 0), ("bank", "SPIM", 3, 1), ("memory", "SRAM", None, 1), ("bank", "SPELL", 4, 2), ("memory", "CRAM", None, 2)]
RESOURCES = [("DPIM", "bank", 0, 4), ("dram to network", "out", 0, 2), ("network to dram", "in", 0, 2), ("SPIM", "bank", 1, 2), ("SPELL", "bank", 2, 1)]
# (type, stage, place, resource, layer, row)
STEPS = [("", "", "section", None, None, 0), (0, "assemble", "served", 0, 0, 1), (2, "put", "sent", 1, 0, 3), (2, "put", "received", 2, 0, 4),
         (0, "gather", "stalled", None, 1, 6), (0, "gather", "served", 3, 1, 5), (0, "inject", "stalled", None, 2, 8), (0, "execute", "served", 4, 2, 7)]
WAITING = ("stalled", "room", "gate")


def varint(n):
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def zigzag(n):
    return varint(2 * n if n >= 0 else -2 * n - 1)


class Random:
    def __init__(self, seed):
        self.state = seed * 2654435761 + 12345

    def below(self, n):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % n


class Line:
    """A resource with servers: who asks gets the one that is free first."""

    def __init__(self, servers):
        self.free = [(0, None)] * servers

    def take(self, at, service, interval):
        free, last = heapq.heappop(self.free)
        begin = max(at, free)
        interval.update(wait=begin - at, service=service, end=begin + service, line=last if begin > at else None)
        heapq.heappush(self.free, (begin + service, interval))
        return interval


class Interval(dict):
    def __lt__(self, other):
        return self["order"] < other["order"]

    __hash__ = object.__hash__


class Slice:
    def __init__(self, number, parcels, start, wide=False):
        self.number, self.intervals, self.samples = number, [], []
        random = Random(number + 1)
        lines = [Line(r[3]) for r in RESOURCES]
        memory, last = 0, None
        self.add(0, 0 if wide else start, 0, 0, 0, None)
        for k in range(parcels):
            at = start + k * 3_000_000 + random.below(2_000_000)
            if k == parcels // 2:
                self.add(0, at, 0, 0, 1, None)
            serial = number << 40 | k + 1
            one = self.serve(1, at, 9_000_000 + random.below(4_000_000), serial, None, lines)
            if k % 3 == 0:
                sent = self.serve(2, one["end"], STARTUP + 3_000_000 + random.below(100), serial + 100_000, one, lines)
                self.serve(3, sent["end"], STARTUP + 3_000_000, serial + 100_000, sent, lines)
            ready = one["end"]
            if k % 4 == 1 and last:
                one = self.stall(4, ready, max(ready + 1000, last["end"]), serial, one, last)
            two = self.serve(5, one["end"], 4_000_000 + random.below(3_000_000), serial, one, lines)
            if k % 5 == 2 and last and last["end"] > two["end"]:
                two = self.stall(6, two["end"], last["end"], serial, two, last)
            last = self.serve(7, two["end"], 2_900_000 + (0 if number % 3 else 140_000 * (number % 7)), serial, two, lines)
            self.samples += [(one["end"], 1, 600), (two["end"], 1, -600), (two["end"], 2, 2000), (last["end"], 2, -2000)]
        self.intervals.sort(key=lambda i: (i["end"], i["order"]))
        self.samples.sort()
        for n, interval in enumerate(self.intervals):
            interval["number"] = n
        self.begin_lanes()

    def add(self, step, end, service, wait, serial, cause, line=None):
        interval = Interval(step=step, end=end, service=service, wait=wait, serial=serial, cause=cause, line=line, order=len(self.intervals), open=0, blocks=0)
        self.intervals.append(interval)
        return interval

    def serve(self, step, at, service, serial, cause, lines):
        interval = self.add(step, 0, 0, 0, serial, cause)
        lines[STEPS[step][3]].take(at, service, interval)
        if interval["line"]:
            interval["line"]["blocks"] = 1
        return interval

    def stall(self, step, at, until, serial, cause, line):
        return self.add(step, until, 0, until - at, serial, cause, line)

    def begin_lanes(self):
        self.deepest = [1] * len(ROWS)
        for row in range(1, len(ROWS)):
            free = []
            for i in sorted((i for i in self.intervals if STEPS[i["step"]][5] == row), key=lambda i: (span(i)[0], i["end"], i["number"])):
                begin, end = span(i)
                lane = next((k for k, until in enumerate(free) if until <= begin), len(free))
                free[lane:lane + 1] = [end]
                i["lane"] = lane
            self.deepest[row] = max(1, len(free))

    def tiles(self, size):
        for first in range(0, len(self.intervals), size):
            part = self.intervals[first:first + size]
            after = part[-1]["end"] if first + size < len(self.intervals) else 1 << 62
            before = self.intervals[first - 1]["end"] if first else -1
            yield first, part, [s for s in self.samples if before < s[0] <= after]


def span(i):
    return i["end"] - (i["wait"] if STEPS[i["step"]][2] in WAITING else i["service"]), i["end"]


def reference(i, what, n):
    other = i[what]
    if other is None:
        return 0
    return 2 * (n - other["number"]) if n > other["number"] else 0


def encode_tile(part, first, samples, levels, start):
    columns = [bytearray() for _ in range(11)]
    end, service, wait, serial = start, {}, {}, 0
    for k, i in enumerate(part):
        step = i["step"]
        columns[0] += varint(step * 2 + i["open"])
        columns[1] += zigzag(i["end"] - end)
        columns[2] += zigzag(i["service"] - service.get(step, 0))
        columns[3] += zigzag(i["wait"] - wait.get(step, 0))
        columns[4] += zigzag(i["serial"] - serial)
        columns[5] += varint(reference(i, "cause", first + k))
        if i["wait"] > 0:
            columns[6] += varint(reference(i, "line", first + k))
        end, serial = i["end"], i["serial"]
        service[step], wait[step] = i["service"], i["wait"]
        lane = i.get("lane", 0)
        columns[10].append(min(lane, 15) | (16 if lane > 15 else 0) | (32 if i["blocks"] else 0))
    columns[9] += b"".join(varint(level) for level in levels)
    when = start
    for at, layer, words in samples:
        columns[8] += zigzag(at - when)
        columns[9] += varint(layer * 2 + (words < 0)) + varint(abs(words))
        when = at
    return b"".join(varint(len(c)) + bytes(c) for c in columns)


def spread(bins, size, begin, end, start):
    """Exact sums of [begin, end) over the bins."""
    while begin < end:
        k = min(len(bins) - 1, (begin - start) // size)
        stop = end if k == len(bins) - 1 else min(end, start + (k + 1) * size)
        bins[k] += stop - begin
        begin = stop


def sums_of(piece, bins, size):
    """busy, waiting, blocked of each row in each bin."""
    sums = [[[0] * bins for _ in range(3)] for _ in ROWS]
    for i in piece.intervals:
        row = STEPS[i["step"]][5]
        begin, end = span(i)
        stalled = STEPS[i["step"]][2] in WAITING
        spread(sums[row][2 if stalled else 0], size, begin, end, 0)
        if not stalled:
            spread(sums[row][1], size, begin - i["wait"], begin, 0)
    return sums


def fills_of(piece, bins, size):
    least = [[0] * bins for _ in LAYERS]
    most = [[0] * bins for _ in LAYERS]
    used, at = [0] * len(LAYERS), [0] * len(LAYERS)
    for when, layer, words in piece.samples + [(bins * size, k, 0) for k in range(len(LAYERS))]:
        until = min(bins - 1, when // size)
        for b in range(at[layer], until + 1):
            least[layer][b] = used[layer] if b > at[layer] else min(least[layer][b], used[layer])
            most[layer][b] = max(most[layer][b], used[layer])
        used[layer] += words
        at[layer] = until
        most[layer][until] = max(most[layer][until], used[layer])
    return least, most


def encode_pyramid(piece, bins, size):
    sums, out = sums_of(piece, bins, size), bytearray()
    for row in sums:
        for b in range(bins):
            out += varint(row[0][b]) + varint(row[1][b]) + varint(row[2][b])
    least, most = fills_of(piece, bins, size)
    for kind, _, _, layer in ROWS:
        if kind == "memory":
            for b in range(bins):
                out += varint(least[layer][b]) + varint(most[layer][b])
    changes = [i for i in piece.intervals if i["step"] == 0]
    out += varint(len(changes)) + b"".join(varint(i["end"]) + varint(i["serial"]) for i in changes)
    return bytes(out), sums


def encode_path(piece):
    out, count = bytearray(), 0
    i = piece.intervals[-1]
    to = i["end"]
    while i:
        before = i["line"] if i["wait"] and i["line"] else i["cause"]
        begin = min(to, before["end"]) if before else span(i)[0]
        out += b"".join(varint(n) for n in (piece.number, i["number"], 2 * i["step"] + (i["step"] == 3), begin, to - begin))
        count, to, i = count + 1, begin, before
    return bytes(out), count


class Writer:
    def __init__(self):
        self.elements = []

    def add(self, data):
        name = f"b-{len(self.elements)}"
        text = base64.b64encode(zlib.compress(data, 6)).decode()
        self.elements.append(f'<script type="application/octet-stream" id="{name}">{text}</script>\n')
        return name

    def again(self, name):
        """The same data once more under another name."""
        old = self.elements[int(name[2:])]
        new = f"b-{len(self.elements)}"
        self.elements.append(old.replace(f'id="{name}"', f'id="{new}"', 1))
        return new


def add_tiles(writer, piece, size):
    entries, levels = [], [0] * len(LAYERS)
    for first, part, samples in piece.tiles(size):
        begins = [span(i)[0] - (i["wait"] if STEPS[i["step"]][2] not in WAITING else 0) for i in part]
        start = min(begins + [s[0] for s in samples[:1]])
        name = writer.add(encode_tile(part, first, samples, levels, start))
        for _, layer, words in samples:
            levels[layer] += words
        entries.append({"id": name, "slice": piece.number, "first": str(first), "count": len(part), "samples": len(samples), "from": str(start), "to": str(max(i["end"] for i in part))})
    return entries


def repeat(writer, entries, tiles):
    """As many tiles one behind another; the elements hold copies."""
    out, length = [], max(int(e["to"]) for e in entries)
    first = 0
    for k in range(tiles):
        e = entries[k % len(entries)]
        shift = k // len(entries) * length
        name = e["id"] if k < len(entries) else writer.again(e["id"])
        out.append({**e, "id": name, "first": str(first), "from": str(int(e["from"]) + shift), "to": str(int(e["to"]) + shift)})
        first += e["count"]
    return out


def strips_of(writer, all_sums, groups, bins, size):
    strips = []
    for row in range(1, len(ROWS)):
        out = bytearray()
        for g in range(groups):
            part = all_sums[edge(g, len(all_sums), groups):edge(g + 1, len(all_sums), groups)]
            for b in range(bins):
                for kind in range(3):
                    out += varint(sum(s[row][kind][b] for s in part))
        strips.append({"id": writer.add(bytes(out)), "row": row, "groups": groups, "single": singles(len(all_sums), groups), "bins": bins, "bin_fs": str(size)})
    return strips


def utilization(pieces, resource, count, end):
    """The share of the time that the report would have."""
    return sum(i["service"] for p in pieces for i in p.intervals if STEPS[i["step"]][3] == resource) / (len(pieces) * count * end)


def load_of(piece, end):
    """The busiest row of a slice: its share of the time, and its number."""
    shares = [(utilization([piece], r, RESOURCES[r][3], end), -k) for k, (_, _, r, _) in enumerate(ROWS) if r is not None]
    return max(shares)


def open_lines(args, name):
    """Who waits for whom, as htmt_deadlock_print() has it."""
    held = ["    held by Dispatch 2: 600 words", "    held by Dispatch 2: 300 words", "    held by Assembly 1: 100 words"] if args.held else []
    fibers = [f"    its fiber {k} waits for 1 more signal; nobody is under way who would signal it" if args.held else f"    fiber {k} waits for a word" for k in range(1, args.waiting)]
    if args.held:
        fibers = ["most of what others wait for is held by Dispatch 2: 900 words of SRAM, for which 2 wait", *fibers[:-2],
                  "    its fiber 1 waits for 1 more signal; nobody is under way who would signal it; so do 3 more fibers",
                  "  a send #7 (slice 1) waits for room for 69 records in mailbox tiles", "    12 messages for room in mailbox tiles", "cycle: Assembly 1 -> Dispatch 2 -> Assembly 1"]
    return ["slice 0: Assembly 1 waits for 600 words of SRAM, which Dispatch 2 holds" + name, *held, *fibers]


def manifest_of(args, pieces, end):
    types = ["</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "a\"b'c&amp;"] if args.hostile else TYPES
    name = types[0] if args.hostile else ""
    names = ("type", "stage", "place", "resource", "layer", "row")
    steps = [dict(zip(names, (types[s[0]] if s[0] != "" else "", *s[1:]))) for s in STEPS]
    return {
        "version": 1, "title": f"sample{name}: {args.slices} slices", "app": "sample" + name, "machine": "three-layers", "mode": "model",
        "command": "htmt timeline sample.trace -o sample.html", "slices": args.slices * 4, "played": args.slices, "stands_for": 4,
        "complete": not args.incomplete, "fault": "parcels wait for each other" if args.incomplete else None,
        "open": open_lines(args, name) if args.incomplete else [],
        "end_fs": str(end), "layers": [dict(name=n, processor=p, memory=m, capacity_words=str(c), servers=s) for n, p, m, c, s in LAYERS],
        "resources": [dict(name=n, kind=k, layer=layer, network=None if k == "bank" else 0, count=c, startup_fs=str(0 if k == "bank" else STARTUP), played=args.slices, recorded=args.slices,
                           utilization=utilization(pieces, r, c, end), issue=1.0) for r, (n, k, layer, c) in enumerate(RESOURCES)],
        "recorded": {"text": "slices 0-1", "slices": 2, "window": ["0", str(end)]} if args.filtered else None, "host": None,
        "networks": ["network"], "steps": steps, "sections": ["load" + name, "push"],
        "rows": [dict(kind=k, name=n, resource=r, layer=layer, lanes=max(p.deepest[i] for p in pieces)) for i, (k, n, r, layer) in enumerate(ROWS)],
        "palette": {"default": dict(startup="#F0E442", transfer="#0072B2", compute="#009E73", blocks="#E69F00", blocked="#D55E00", flight="#CC79A7"),
                    "gantt": dict(startup="#FFFF00", transfer="#0000FF", compute="#00FF00", blocks="#FFA500", blocked="#FF0000", flight="#C080FF")},
        "gantt": False, "full": True, "window": None, "chosen": None,
    }


def add_slices(writer, manifest, args, pieces, end):
    bins = 256 if args.slices > 8 else 1024
    size = -(-end // bins)
    shown = pieces if args.slices <= 64 else pieces[:1] + pieces[args.slices // 2:][:1] + pieces[-1:]
    all_sums = []
    loads = {piece.number: load_of(piece, end) for piece in pieces}
    manifest["by_load"] = sorted(loads, key=lambda n: (-loads[n][0], n))
    manifest["opened"] = list(dict.fromkeys(manifest["by_load"][k] for k in (0, args.slices // 2, args.slices - 1)))
    shown += [p for p in pieces if p.number in manifest["opened"] and p not in shown]
    manifest["tiles"], manifest["pyramid"] = [], []
    for piece in pieces:
        data, sums = encode_pyramid(piece, bins, size)
        all_sums.append(sums)
        if piece in shown:
            manifest["pyramid"].append({"id": writer.add(data), "slice": piece.number, "bins": bins, "bin_fs": str(size), "from": "0",
                                        "load": loads[piece.number][0], "row": -loads[piece.number][1]})
            manifest["tiles"] += add_tiles(writer, piece, args.tile)
    groups = min(64, args.slices)
    all_sums = [all_sums[n] for n in manifest["by_load"]]
    manifest["strips"] = strips_of(writer, all_sums, groups, bins, size) if args.slices > 4 else []


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("template")
    parser.add_argument("out")
    for option, value in (("slices", 2), ("parcels", 300), ("tile", 700), ("start", 0), ("tiles", 0), ("waiting", 1)):
        parser.add_argument("--" + option, type=int, default=value)
    parser.add_argument("--wide", action="store_true")
    parser.add_argument("--incomplete", action="store_true")
    parser.add_argument("--hostile", action="store_true")
    parser.add_argument("--filtered", action="store_true")
    parser.add_argument("--held", action="store_true")
    return parser.parse_args()


def repeat_run(writer, manifest, args, end):
    """Stretch the run over all copies of its tiles."""
    tiles = [t for t in manifest["tiles"] if t["slice"] == 0]
    manifest["tiles"] = repeat(writer, tiles, args.tiles)
    whole = max(int(t["to"]) for t in manifest["tiles"])
    entry = manifest["pyramid"][0]
    manifest["pyramid"] = [{**entry, "bin_fs": str(-(-whole // entry["bins"]))}]
    manifest["end_fs"] = str(whole)


def main():
    args = parse()
    pieces = [Slice(n, args.parcels, args.start, args.wide) for n in range(args.slices)]
    if args.incomplete:
        pieces[0].intervals[-1]["open"] = 1
    end = max(p.intervals[-1]["end"] for p in pieces)
    writer, manifest = Writer(), manifest_of(args, pieces, end)
    add_slices(writer, manifest, args, pieces, end)
    last = max(range(args.slices), key=lambda n: pieces[n].intervals[-1]["end"])
    manifest["ranks"] = dict(slowest=0, median=args.slices // 2, fastest=args.slices - 1)
    path, count = encode_path(pieces[last])
    manifest["path"] = None if args.filtered else {"id": writer.add(path), "count": count}
    side = min(64, args.slices)
    cells = [3 * a + b if a != b else 0 for a in range(side) for b in range(side)]
    manifest["matrix"] = {"id": writer.add(b"".join(map(varint, cells))), "places": args.slices, "first": [-(-k * args.slices // side) for k in range(side)]}
    if args.tiles:
        repeat_run(writer, manifest, args, end)
    text = json.dumps(manifest).replace("</", "<\\/").replace("<!--", "<\\u0021--")
    element = f'<script type="application/json" id="htmt-manifest">{text}</script>\n'
    with open(args.template) as file:
        page = file.read()
    with open(args.out, "w") as file:
        before, after = page.split("<!--HTMT-DATA-->\n")
        file.writelines([before, element, *writer.elements, after])


if __name__ == "__main__":
    main()
