"""Compare the exports of one trace: python3 compare_exports.py CSV PERFETTO PAJE

PERFETTO is what `protoc --decode` prints, PAJE what `pj_dump -u -l 0` prints. Every service and
every wait of the CSV must be a slice of the one and a state of the other, at the same time, with the
same name; nothing else may be. A line says what differs; the status is 1.
"""
import collections
import csv
import re
import sys

SERVICES = ("served", "sent", "received")


def fail(text):
    sys.exit("compare_exports.py: " + text)


def csv_spans(path):
    """(slice:number, waits, begin, end) of all services and waits; how many another parcel set off."""
    rows = list(csv.DictReader(open(path, newline="")))
    unit = "fs" if "end_fs" in rows[0] else "ps"
    spans, parcel, offs = collections.Counter(), {}, 0
    for r in rows:
        parcel[r["slice"], r["number"]] = r["parcel_slice"], r["parcel_number"]
    for r in rows:
        key = r["slice"] + ":" + r["number"]
        asked, start, end = (int(r[f"{name}_{unit}"]) for name in ("asked", "start", "end"))
        if start > asked or (r["place"] not in SERVICES + ("section",) and end > asked):
            spans[key, True, asked, start] += 1
        if r["place"] in SERVICES:
            spans[key, False, start, end] += 1
        cause = parcel.get((r["cause_slice"], r["cause_number"]))
        shown = r["place"] in SERVICES or start > asked
        offs += shown and cause is not None and cause != parcel[r["slice"], r["number"]]
    return spans, offs, sum(r["place"] == "section" for r in rows)


def messages(path):
    """The packets, each a list of (depth, field, value)."""
    packet = None
    for line in open(path, encoding="utf-8"):
        depth = (len(line) - len(line.lstrip())) // 2
        field, _, value = line.strip().partition(": ")
        if line == "packet {\n":
            packet = []
        elif line == "}\n":
            yield packet
        elif field.endswith(" {"):
            packet.append((depth, field[:-2], None))
        elif field != "}":
            packet.append((depth, field, value))


class Perfetto:
    def __init__(self, path):
        self.spans, self.sections, self.ends = collections.Counter(), 0, 0
        self.track, self.open, self.last, self.busy = {}, {}, {}, collections.Counter()
        self.flows = collections.Counter()
        for packet in messages(path):
            fields = {name: value for _, name, value in packet}
            if "track_descriptor" in fields:
                self.track[fields["uuid"]] = fields
            elif "track_event" in fields:
                self.take(packet, fields)
        left = [t for t, slices in self.open.items() if slices]
        if left:
            fail(f"slices without end on tracks {left}")

    def take(self, packet, f):
        track, kind = f["track_uuid"], f["type"]
        if track not in self.track or self.track[track].get("parent_uuid", "1") not in self.track:
            fail(f"track {track} is not declared")
        hand_offs = self.track[track]["name"] == '"hand-offs"'
        at = int(f["timestamp"])
        if not hand_offs and at < self.last.get(track, 0):
            fail(f"track {track} goes back at {at}")
        self.last[track] = at
        if kind == "TYPE_COUNTER":
            self.count(track, f)
        elif kind == "TYPE_SLICE_END":
            self.end(track, at)
        elif hand_offs:
            self.flows[f["flow_ids"]] += 1
        else:
            self.begin(track, at, packet, f, kind)

    def begin(self, track, at, packet, f, kind):
        value = [v for _, name, v in packet if name == "uint_value"]
        row = self.track[self.track[track]["parent_uuid"]]
        slice_name = self.track[row["parent_uuid"]]["name"]
        number = re.match(r'"slice (\d+)', slice_name).group(1)
        waits = self.track[track]["name"].startswith('"waits ')
        if "terminating_flow_ids" in f:
            if self.flows[f["terminating_flow_ids"]] != 1:
                fail(f"flow {f['terminating_flow_ids']} ends without a beginning")
            self.ends += 1
        if self.open.get(track):
            fail(f"slices overlap on track {track} at {at}")
        item = (number + ":" + value[2] if value else None, waits, at)
        if kind == "TYPE_INSTANT":
            self.spans[item + (at,)] += 1
        else:
            self.open[track] = [item]
            self.busy[row["uuid"]] += not waits

    def end(self, track, at):
        if not self.open.get(track):
            fail(f"an end without a beginning on track {track} at {at}")
        item = self.open[track].pop()
        self.busy[self.track[track]["parent_uuid"]] -= not item[1]
        if item[0] is None:
            self.sections += 1
        else:
            self.spans[item + (at,)] += 1

    def count(self, track, f):
        row = self.track[track]["parent_uuid"]
        if "channels in use" in self.track[track]["name"] and int(f["counter_value"]) != self.busy[row]:
            fail(f"counter {track} says {f['counter_value']} of {self.busy[row]} at {f['timestamp']}")


STATE = re.compile(
    r"State, (.*), State, (\d+)(?:\.0*)?, (\d+)(?:\.0*)?, \d+(?:\.0*)?, \d+(?:\.0*)?, (.*), "
    r"(\d+:\d+), (\d+:\d+)$")


def paje_spans(path):
    spans, sections, links = collections.Counter(), 0, 0
    for line in open(path, encoding="utf-8"):
        links += line.startswith("Link, ")
        if not line.startswith("State, "):
            continue
        m = STATE.match(line.rstrip("\n"))
        if not m:
            fail("no state: " + line)
        container, begin, end, _, _, interval = m.groups()
        if " sections lane " in container:
            sections += 1
        else:
            spans[interval, " waits " in container, int(begin), int(end)] += 1
    return spans, sections, links


def compare(name, found, wanted):
    for what, one, other in (("has no", wanted, found), ("alone has", found, wanted)):
        for item in one - other:
            fail(f"{name} {what} {item}")


def main(csv_path, perfetto_path, paje_path):
    wanted, offs, sections = csv_spans(csv_path)
    p = Perfetto(perfetto_path)
    compare("Perfetto", p.spans, wanted)
    spans, paje_sections, links = paje_spans(paje_path)
    compare("Paje", spans, wanted)
    for name, found, number in (("Perfetto", p.sections, sections), ("Paje", paje_sections, sections),
                                ("Perfetto's flows", p.ends, offs), ("Paje's links", links, offs)):
        if found != number:
            fail(f"{name}: {found} instead of {number} sections or hand-offs")
    print(len(wanted), "spans,", sections, "sections,", offs, "hand-offs")


main(*sys.argv[1:])
