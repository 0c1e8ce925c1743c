#!/usr/bin/env python3
# Check a page of `htmt timeline` against its trace: check.py PAGE TRACE [--full]
# The sums over the bins are those of the footer, to the femtosecond; the tiles have every interval
# (--full) and the same sums; nothing in the page is loaded from elsewhere.
import json
import re
import struct
import sys
import zlib
from collections import defaultdict

from page_data import Page, edge, fail, triples


def footer(path):
    data = open(path, "rb").read()
    at, size = struct.unpack_from("<QI", data, len(data) - 48 + 16)
    return json.loads(zlib.decompress(data[at : at + size]))


def pyramid_sums(page):
    m = page.manifest
    for entry in m["pyramid"]:
        numbers = page.numbers(entry["id"])
        numbers.at = page.slice_sums()[entry["slice"]][1]
        for _ in m["layers"]:
            for _ in range(entry["bins"]):
                if numbers.number() > numbers.number():
                    fail("the least fill is above the greatest")
        changes = [(numbers.number(), numbers.number()) for _ in range(numbers.number())]
        if not numbers.done():
            fail(f"slice {entry['slice']}: bytes behind its sums")
        if changes != sorted(changes) or any(section >= len(m["sections"]) for _, section in changes):
            fail(f"slice {entry['slice']}: sections {changes}")
        page.changes += len(changes)
    return defaultdict(lambda: [0, 0, 0], enumerate(page.row_sums()))


def strip_sums(page):
    """Of all groups; each group has the sums of its slices."""
    total = defaultdict(lambda: [0, 0, 0])
    of_slice = {n: rows for n, (rows, _) in page.slice_sums().items()}
    by_load = page.manifest["by_load"]
    for entry in page.manifest["strips"]:
        numbers = page.numbers(entry["id"])
        for g in range(entry["groups"]):
            busy = 0
            for values in triples(numbers, entry["bins"]):
                busy += values[0]
                for q in range(3):
                    total[entry["row"]][q] += values[q]
            members = by_load[edge(g, len(by_load), entry["groups"]) : edge(g + 1, len(by_load), entry["groups"])]
            if busy != sum(of_slice[n][entry["row"]][0] for n in members):
                fail(f"strip {entry['row']}, group {g}: not the sums of slices {members[:8]}")
        if not numbers.done():
            fail(f"strip {entry['row']}: bytes behind its sums")
    return total


def tile_sums(page):
    m = page.manifest
    total = defaultdict(lambda: [0, 0, 0])
    lanes = defaultdict(list)
    room = defaultdict(int)
    count = changes = 0
    for entry in m["tiles"]:
        numbers = page.numbers(entry["id"])
        column = [numbers.part() for _ in range(11)]
        if not numbers.done() or len(column[10].data) != entry["count"]:
            fail(f"{entry['id']}: not its columns")
        service, wait, end = defaultdict(int), defaultdict(int), int(entry["from"])
        for i in range(entry["count"]):
            step = column[0].number() >> 1
            end += column[1].signed()
            service[step] += column[2].signed()
            wait[step] += column[3].signed()
            row, mark = m["steps"][step]["row"], column[10].data[i]
            place = m["steps"][step]["place"]
            total[row][0] += service[step] if place != "paused" else 0
            total[row][2 if mark & 64 else 1] += wait[step]
            room[row] += wait[step] if place in ("room", "gate") else 0
            changes += place == "section"
            length = service[step] if place in ("served", "sent", "received", "paused") else wait[step]
            if not mark & 16:
                lanes[entry["slice"], row, mark & 15].append((end - length, end))
        count += entry["count"]
    for spans in lanes.values():
        spans.sort()
        if any(a[1] > b[0] for a, b in zip(spans, spans[1:])):
            fail("two intervals of a lane overlap")
    return total, count, room, changes


def check_path(page):
    path = page.manifest["path"]
    if not path:
        return
    numbers = page.numbers(path["id"])
    end = None
    for _ in range(path["count"]):
        numbers.number(), numbers.number(), numbers.number()
        begin, length = numbers.number(), numbers.number()
        if length < 1 or end is not None and begin + length != end:
            fail("a piece of the critical path does not end where the next one begins")
        end = begin
    blocked = 0
    while not numbers.done():
        if numbers.number() >= path["count"] or numbers.number() >= len(path["ports"]):
            fail("a port of no piece of the critical path")
        blocked += 1
    if (blocked > 0) != (len(path["ports"]) > 0):
        fail(f"{len(path['ports'])} ports of {blocked} pieces of the critical path")
    if end != 0:
        fail(f"the critical path begins at {end}")


def check_loads(page):
    """Slices stand by the share of their busiest row, and messages are between two slices."""
    m = page.manifest
    loads = {}
    for entry in m["pyramid"]:
        shares = [0]
        for row, (busy, _, _) in zip(m["rows"], page.slice_sums()[entry["slice"]][0]):
            if row["resource"] is not None and int(m["end_fs"]):
                r = m["resources"][row["resource"]]
                shares.append(busy * r["issue"] / (r["count"] * int(m["end_fs"])) if r["count"] else 0)
        loads[entry["slice"]] = max(shares)
        if m["complete"] and abs(max(shares) - entry["load"]) > 1e-9 * max(shares):
            fail(f"slice {entry['slice']}: load {entry['load']}, but its busiest row has {max(shares)}")
    by_load = m["by_load"]
    if sorted(by_load) != sorted(loads) or any(loads[a] < loads[b] * (1 - 1e-9) for a, b in zip(by_load, by_load[1:])):
        fail(f"slices are not in the order of their loads: {by_load[:20]}")
    if by_load and m["opened"][0] != by_load[0]:
        fail("the busiest slice is not the first that is opened")
    side = len(m["matrix"]["first"])
    numbers = page.numbers(m["matrix"]["id"])
    cells = [numbers.number() for _ in range(side * side)]
    if not numbers.done() or side == m["matrix"]["places"] and any(cells[k * side + k] for k in range(side)):
        fail("a slice sends to itself")


def check_footer(page, f, sums, room):
    if f["filter"] or not f["complete"]:
        return
    m, fold = page.manifest, f["stands_for"]
    for i, row in enumerate(m["rows"]):
        busy, waiting, blocked = (fold * value for value in sums[i])
        if row["kind"] in ("bank", "out", "in"):
            r = row["resource"]
            if busy != int(f["sums"]["busy"][r]) or waiting + blocked != int(f["sums"]["waited"][r]):
                fail(f"{row['name']}: {busy} busy, {waiting + blocked} waited, not those of the footer")
        stalled = waiting + blocked - fold * room[i]
        if row["kind"] == "memory" and page.manifest["full"] and stalled != int(f["sums"]["stalled"][row["layer"]]):
            fail(f"{row['name']}: {stalled} stalled, not {f['sums']['stalled'][row['layer']]}")
    rows = [row["resource"] for row in m["rows"] if row["resource"] is not None]
    for r, busy in enumerate(f["sums"]["busy"]):
        if int(busy) and r not in rows:
            fail(f"resource {r} has no row")


def main():
    page, f = Page(sys.argv[1]), footer(sys.argv[2])
    sums = pyramid_sums(page)
    if {r: v for r, v in strip_sums(page).items() if any(v)} != {r: v for r, v in sums.items() if any(v)}:
        fail("the strips have other sums than the slices")
    check_path(page)
    check_loads(page)
    tiles, count, room, changes = tile_sums(page)
    check_footer(page, f, sums, room)
    if "--full" in sys.argv:
        if not page.manifest["full"] or count != f["intervals"]:
            fail(f"{count} of {f['intervals']} intervals are in tiles")
        if {r: s for r, s in tiles.items() if any(s)} != {r: s for r, s in sums.items() if any(s)}:
            fail("the tiles have other sums than the slices")
        if changes != page.changes:
            fail(f"{page.changes} changes of section, but {changes} in the tiles")
    if re.search(r'\b(src|href)="?(https?:|//)', page.text):
        fail("the page loads something")


main()
