#!/usr/bin/env python3
# Check a page of `htmt timeline` against its trace: check.py PAGE TRACE [--full]
# The sums over the bins are those of the footer, to the femtosecond; the tiles have every interval
# (--full) and the same sums; nothing in the page is loaded from elsewhere.
import base64
import json
import re
import struct
import sys
import zlib
from collections import defaultdict


def fail(text):
    sys.exit(f"{sys.argv[0]}: {text}")


def footer(path):
    data = open(path, "rb").read()
    at, size = struct.unpack_from("<QI", data, len(data) - 48 + 16)
    return json.loads(zlib.decompress(data[at : at + size]))


class Numbers:
    def __init__(self, data):
        self.data, self.at = data, 0

    def number(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7

    def signed(self):
        value = self.number()
        return (value >> 1) ^ -(value & 1)

    def part(self):
        size = self.number()
        self.at += size
        return Numbers(self.data[self.at - size : self.at])

    def done(self):
        return self.at == len(self.data)


class Page:
    def __init__(self, path):
        text = open(path, encoding="utf-8").read()
        self.text = text
        found = re.findall(r'<script type="application/octet-stream" id="(b-\d+)">([^<]*)</script>', text)
        self.binary = {name: zlib.decompress(base64.b64decode(data, validate=True)) for name, data in found}
        manifest = re.findall(r'<script type="application/json" id="htmt-manifest">([^<]*)</script>', text)
        if len(found) != len(self.binary) or len(manifest) != 1:
            fail("elements are there twice, or the manifest is missing")
        self.manifest = json.loads(manifest[0])
        self.changes = 0  # of section, in all slices

    def numbers(self, name):
        return Numbers(self.binary[name])


def triples(numbers, bins):
    return [tuple(numbers.number() for _ in range(3)) for _ in range(bins)]


def pyramid_sums(page):
    m = page.manifest
    total = defaultdict(lambda: [0, 0, 0])
    for entry in m["pyramid"]:
        numbers = page.numbers(entry["id"])
        for row in range(len(m["rows"])):
            for values in triples(numbers, entry["bins"]):
                for q in range(3):
                    total[row][q] += values[q]
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
    return total


def strip_sums(page):
    total = defaultdict(lambda: [0, 0, 0])
    for entry in page.manifest["strips"]:
        numbers = page.numbers(entry["id"])
        for values in triples(numbers, entry["groups"] * entry["bins"]):
            for q in range(3):
                total[entry["row"]][q] += values[q]
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
            total[row][0] += service[step]
            total[row][2 if mark & 64 else 1] += wait[step]
            place = m["steps"][step]["place"]
            room[row] += wait[step] if place in ("room", "gate") else 0
            changes += place == "section"
            length = service[step] if place in ("served", "sent", "received") else wait[step]
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
    if not numbers.done() or end != 0:
        fail(f"the critical path begins at {end}")


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
    if strip_sums(page) != sums:
        fail("the strips have other sums than the slices")
    check_path(page)
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
