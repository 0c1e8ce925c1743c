"""The table of docs/api.md says what C, C++ and Python have; members of structures, too."""
import dataclasses
import inspect
import re
import unittest
from pathlib import Path

import htmt
from htmt import _structs
from htmt.control import PUTS
from htmt.emulator import PLAIN_OPTIONS

ROOT = Path(__file__).resolve().parents[2]
HPP = (ROOT / "parcels" / "htmt.hpp").read_text(encoding="utf-8")
PACKAGE = "".join(
    path.read_text(encoding="utf-8")
    for path in sorted((ROOT / "emul" / "python" / "htmt").glob("*.py"))
    if path.name != "_structs.py"
)
#: Options that only C has; Python has `trace` in place of `recording`.
C_OPTIONS = {"size", "user", "observe", "progress", "ranks", "operations", "profiles", "recording",
             "replies", "slopes", "cold_caches", "time_kernels"}
#: Functions whose names the package puts together.
MADE = ("htmt_tree_create", "htmt_allreduce_create")


def table():
    """Its rows: names of functions in C, what C++ says, what Python says."""
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    section = page.split("## What each language has")[1].split("\n## ")[0]
    for line in section.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 4 and "htmt_" in cells[1]:
            yield re.findall(r"`(htmt_\w+)\(\)`", cells[1]), cells[2], cells[3]


def fields(struct):
    return {name.rstrip("_") for name, *_ in struct._fields_ if not name.startswith("_pad")}


class Languages(unittest.TestCase):
    def test_the_table_has_each_function_of_c_once(self):
        named = [name for names, *_ in table() for name in names]
        self.assertEqual(sorted(named), sorted(_structs.PROTOTYPES))

    def test_a_row_has_methods_where_the_language_calls_its_functions(self):
        for names, cxx, python in table():
            for name in names:
                calls = re.search(rf"\b{name}\(", HPP) is not None
                self.assertEqual(calls, cxx != "-", f"C++: {name}")
                calls = name in MADE or re.search(rf"\b{name}\b", PACKAGE) is not None
                self.assertEqual(calls, python != "-", f"Python: {name}")

    def test_the_methods_of_the_table_exist(self):
        for _, cxx, python in table():
            for path in re.findall(r"`([\w:]+)(?:\(\))?`", cxx):
                for part in path.split("::"):
                    self.assertRegex(HPP, rf"\b{part}\b", f"C++: {path}")
            for path in re.findall(r"`([\w.]+)(?:\(\))?`", python):
                found = htmt
                for part in path.split("."):
                    found = getattr(found, part)

    def test_both_languages_have_the_members_of_stages_and_types(self):
        stage, kind = fields(_structs.htmt_stage), fields(_structs.htmt_type_desc)
        self.assertEqual({f.name for f in dataclasses.fields(htmt.Stage)}, stage)
        kind -= {"size", "fiber_count", "user"}  # C's own
        given = set(inspect.signature(htmt.Emulator.type).parameters) - {"self"}
        given = {{"args": "args_bytes", "result": "result_bytes"}.get(n, n) for n in given}
        self.assertEqual(given, kind)
        for struct, names in (("stage", stage), ("type_desc", kind)):
            body = HPP.split(f"struct {struct} {{")[1].split("\n};")[0]
            for name in names:
                self.assertRegex(body, rf"\b{name}\b", f"C++: {struct}::{name}")

    def test_python_has_the_members_of_puts_and_options(self):
        own = {"size", "dst", "src", "dst_pieces", "src_pieces", "bytes"}
        self.assertEqual(fields(_structs.htmt_put) - own - set(PUTS), {"route"})
        given = set(inspect.signature(htmt.Emulator.__init__).parameters)
        given |= {*PLAIN_OPTIONS, "layer_threads", "cancelled"}
        left = fields(_structs.htmt_options) - given
        self.assertEqual(left, C_OPTIONS)


if __name__ == "__main__":
    unittest.main()
