import json
import struct
import sys
import zlib

data = open(sys.argv[1], "rb").read()
index, blocks, footer = struct.unpack("<QQQ", data[-48:-24])
steps = json.loads(zlib.decompress(data[footer:-48]))["steps"]
sums = [0] * len(steps)


def varints(column):
    value = shift = 0
    for byte in column:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            yield value
            value = shift = 0


for at in range(index, index + 64 * blocks, 64):
    offset, size = struct.unpack("<QI", data[at : at + 12])
    raw, columns = zlib.decompress(data[offset : offset + size]), []
    while raw:
        length = next(varints(raw))
        start = next(i for i, b in enumerate(raw) if b < 128) + 1
        columns.append(raw[start : start + length])
        raw = raw[start + length :]
    before = [0] * len(steps)
    for code, service in zip(varints(columns[0]), varints(columns[2])):
        before[code >> 1] += service >> 1 if service % 2 == 0 else -(service + 1 >> 1)
        sums[code >> 1] += before[code >> 1]
for step, total in zip(steps, sums):
    print(step["type"], step["stage"], step["place"], total, "fs")
