# The data of a page of `htmt timeline`: its manifest and its binaries.
import base64
import json
import re
import sys
import zlib


def fail(text):
    sys.exit(f"{sys.argv[0]}: {text}")


def singles(count, groups):
    """Groups of one slice: where slices share groups, the 16 busiest have one each."""
    return 16 if count > groups else groups


def edge(g, count, groups):
    """The first slice of a group."""
    single = singles(count, groups)
    return g if g <= single else single - (-(g - single) * (count - single) // (groups - single))


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
        self.sums = {}

    def numbers(self, name):
        return Numbers(self.binary[name])

    def slice_sums(self):
        """Of each slice: busy, waiting and blocked of each row, and where its numbers go on behind them."""
        if not self.sums:
            for entry in self.manifest["pyramid"]:
                numbers = self.numbers(entry["id"])
                rows = []
                for _ in self.manifest["rows"]:
                    rows.append([sum(column) for column in zip(*triples(numbers, entry["bins"]))])
                self.sums[entry["slice"]] = rows, numbers.at
        return self.sums

    def row_sums(self):
        """Busy, waiting and blocked of each row, over all slices."""
        of = [rows for rows, _ in self.slice_sums().values()]
        return [[sum(rows[r][q] for rows in of) for q in range(3)] for r in range(len(self.manifest["rows"]))]


def triples(numbers, bins):
    return [tuple(numbers.number() for _ in range(3)) for _ in range(bins)]
