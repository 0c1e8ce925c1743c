"""Give the types and the sections of a trace hostile names: python3 rename_types.py TRACE OUT [--all]
--all: each another one, and the program, the machine and the memories, too."""
import json
import struct
import sys
import zlib

HOSTILE = '</script>"\' %s \\n, #"%EndEventDef\x1b[31m\n;é'
NAMES = ["</script><script>alert(1)</script>", "<!--<script>", "\"'`\\", "\u2028\u2029", "\x1b[31m\x07", "]]>&lt;"]

data = open(sys.argv[1], "rb").read()
index, blocks, footer, length, _, index_crc, _ = struct.unpack("<QQQIIII", data[-48:-8])
about = json.loads(zlib.decompress(data[footer:footer + length]))
if "--all" in sys.argv:
    about["app"] = about["machine"] = NAMES[0]
    types = {}
    for step in about["steps"]:
        step["type"] = types.setdefault(step["type"], NAMES[len(types) % len(NAMES)])
    for i, layer in enumerate(about["layers"]):
        layer["memory"] = NAMES[i % len(NAMES)][:30]
else:
    for step in about["steps"]:
        step["type"] = step["type"][:8] + HOSTILE
raw = json.dumps(about).encode()
packed = zlib.compress(raw)
trailer = struct.pack("<QQQIIII", index, blocks, footer, len(packed), len(raw), index_crc,
                      zlib.crc32(packed))
open(sys.argv[2], "wb").write(data[:footer] + packed + trailer + data[-8:])
