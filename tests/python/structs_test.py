"""The structures of the package lie as the C compiler lays them out."""
import ctypes
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from htmt import _structs
from htmt._library import library

ROOT = Path(__file__).resolve().parents[2]
HEADERS = [
    "parcels/htmt.h",
    "emul/report/htmt_report.h",
    "apps/lib/steps.h",
    "apps/lib/request.h",
    "emul/program.h",
]


def members(struct):
    return [(n, n.rstrip("_")) for n, *_ in struct._fields_ if not n.startswith("_pad")]


def probe():
    """A C program that prints size, offset and size of each member of each structure."""
    lines = [f'#include "{h}"' for h in HEADERS]
    lines += ["#include <stddef.h>", "#include <stdio.h>", "int main(void)", "{"]
    for struct in _structs.STRUCTS:
        name = struct.__name__
        lines.append(f'printf("{name} %zu\\n", sizeof(struct {name}));')
        for field, c in members(struct):
            place = f"offsetof(struct {name}, {c}), sizeof ((struct {name} *)0)->{c}"
            lines.append(f'printf("{name}.{field} %zu %zu\\n", {place});')
    return "\n".join([*lines, "}"])


class Structs(unittest.TestCase):
    def test_sizes_and_offsets_are_those_of_the_compiler(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "probe.c").write_text(probe(), encoding="utf-8")
            command = [os.environ.get("CC", "gcc"), "-std=gnu17", "-I.", f"{folder}/probe.c"]
            subprocess.run([*command, "-o", f"{folder}/probe"], cwd=ROOT, check=True)
            said = subprocess.check_output([f"{folder}/probe"], text=True)
        ours = []
        for struct in _structs.STRUCTS:
            ours.append(f"{struct.__name__} {ctypes.sizeof(struct)}")
            for field, _ in members(struct):
                m = getattr(struct, field)
                ours.append(f"{struct.__name__}.{field} {m.offset} {m.size}")
        self.assertGreater(len(ours), 150)
        self.assertEqual(said.splitlines(), ours)

    def test_the_library_has_every_function_of_the_headers(self):
        missing = [name for name in _structs.PROTOTYPES if not hasattr(library(), name)]
        self.assertEqual(missing, [])

    def test_wide_integers_keep_all_bits(self):
        wide = _structs.htmt_wide(low=2**64 - 1, high=-1)
        self.assertEqual(int(wide), -1)
        self.assertEqual(int(_structs.htmt_uwide(low=5, high=1)), 2**64 + 5)
