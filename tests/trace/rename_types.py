"""Give the types and the sections of a trace hostile names: python3 rename_types.py TRACE OUT"""
import json
import struct
import sys
import zlib

HOSTILE = '</script>"\' %s \\n, #"%EndEventDef\x1b[31m\n;é'

data = open(sys.argv[1], "rb").read()
index, blocks, footer, length, _, index_crc, _ = struct.unpack("<QQQIIII", data[-48:-8])
about = json.loads(zlib.decompress(data[footer:footer + length]))
for i, step in enumerate(about["steps"]):
    step["type"] = step["type"][:8] + HOSTILE
raw = json.dumps(about).encode()
packed = zlib.compress(raw)
trailer = struct.pack("<QQQIIII", index, blocks, footer, len(packed), len(raw), index_crc,
                      zlib.crc32(packed))
open(sys.argv[2], "wb").write(data[:footer] + packed + trailer + data[-8:])
