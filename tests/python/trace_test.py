"""Traces: what the command records is read, damaged files are refused."""
import importlib.util
import json
import subprocess
import struct
import sys
import tempfile
import unittest
import zlib
from pathlib import Path

import htmt
from htmt.trace import _Damaged, _signed, _varints

SMALL_READER = Path(__file__).resolve().parents[1] / "trace" / "small_reader.py"


def damaged(call):
    try:
        call()
    except _Damaged as damage:
        return str(damage)
    return ""


class OfPrograms(unittest.TestCase):
    """A trace of an emulator in this process."""

    def run_to(self, path):
        with htmt.Emulator("small-htmt", trace=path) as e:
            data = e.object("dram", 8, name="data")

            @e.kernel("dram", "cram")
            def double(k):
                k[0][:] *= 2
                k.count(flop=8)

            e.assemble(double, [htmt.updates(data)])
            e.run()
            return e.history_hash, e.predicted_fs

    def test_it_is_that_of_the_run(self):
        with tempfile.TemporaryDirectory() as folder:
            for path in (str(Path(folder) / "a.trace"), Path(folder) / "b.trace"):
                history, predicted = self.run_to(path)
                with htmt.Trace(path) as trace:
                    self.assertTrue(trace.complete)
                    self.assertEqual((trace.history_hash, trace.end_fs), (history, predicted))
                    self.assertEqual(sum(i.step.stage == "execute" for i in trace), 1)
            self.assertEqual(self.run_to(None), (history, predicted))
            self.assertEqual(len(list(Path(folder).iterdir())), 2)

    def test_a_folder_that_is_not_there_is_an_input_error(self):
        with self.assertRaisesRegex(htmt.InputError, "none"):
            self.run_to("/none/a.trace")


class OfHosts(unittest.TestCase):
    """A trace of a machine whose slices a host leads: its place is beside them."""

    def test_the_host_has_a_place_of_its_own(self):
        for folded, place in ((False, 3), (True, 1)):
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "prim.trace"
                htmt.model("prim", program="va", machine="upmem-p21", dpus=3, size=3000,
                           fold=folded, trace=str(path))
                with htmt.Trace(path) as trace:
                    self.assertEqual((trace.slices, trace.host), (3, place))
                    on_bus = {i.slice for i in trace if i.step.type in ("(push)", "(pull)")}
                    self.assertEqual(on_bus, {place})


class Recorded(unittest.TestCase):
    """A trace of the command."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = Path(cls.folder.name) / "pic.trace"
        cls.result = htmt.model("pic", case="langmuir", steps=2, slices=4, trace=str(cls.path))
        cls.trace = htmt.Trace(cls.path)

    @classmethod
    def tearDownClass(cls):
        cls.trace.close()
        cls.folder.cleanup()

    def test_the_footer_is_the_run(self):
        trace, result = self.trace, self.result
        self.assertEqual(trace.app, "pic")
        self.assertEqual(trace.mode, "model")
        self.assertEqual(trace.end_fs, result.predicted_fs)
        self.assertEqual(trace.history_hash, result.history_hash)
        self.assertTrue(trace.complete)
        self.assertIsNone(trace.fault)
        self.assertEqual(trace.slices, 4)
        self.assertIn("SPELL", [layer.processor for layer in trace.layers])

    def test_sums_over_all_intervals_are_those_of_the_report(self):
        trace = self.trace
        busy, waited = [0] * len(trace.resources), [0] * len(trace.resources)
        stalled = [0] * len(trace.layers)
        for i in trace:
            if i.step.place in ("served", "sent", "received"):
                busy[i.step.resource] += 0 if i.open else i.service_fs
                waited[i.step.resource] += i.wait_fs
            elif i.step.place == "stalled":
                stalled[i.step.layer] += i.wait_fs
        of = trace.stands_for
        self.assertEqual([of * fs for fs in busy], [r.busy_fs for r in trace.resources])
        self.assertEqual([of * fs for fs in waited], [r.waited_fs for r in trace.resources])
        self.assertEqual([of * fs for fs in stalled], trace.stalled_fs)
        self.assertGreater(sum(busy), 0)

    def test_intervals_come_by_slice_and_number(self):
        found = [(i.slice, i.number) for i in self.trace.intervals()]
        self.assertEqual(found, sorted(found))
        self.assertEqual(len(found), len(self.trace))
        self.assertEqual(len(set(found)), len(found))
        one = [i.number for i in self.trace.intervals(slice=0)]
        self.assertEqual(one, list(range(len(one))))

    def test_causes_ended_before_what_they_enable(self):
        ends = {(i.slice, i.number): i.end_fs for i in self.trace}
        for i in self.trace:
            if i.cause:
                self.assertLessEqual(ends[i.cause], i.end_fs)
            if i.line:
                self.assertGreater(i.wait_fs, 0)
                self.assertLessEqual(ends[i.line], i.end_fs - i.service_fs)

    def test_memories_stay_within_their_capacity(self):
        most = [layer.capacity_words for layer in self.trace.layers]
        count = 0
        for sample in self.trace.samples():
            self.assertLessEqual(0, sample.words)
            self.assertLessEqual(sample.words, most[sample.layer])
            count += 1
        self.assertGreater(count, 0)

    @unittest.skipUnless(importlib.util.find_spec("pandas"), "no pandas")
    def test_a_frame_has_a_row_for_each_interval(self):
        frame = self.trace.to_pandas()
        self.assertEqual(len(frame), len(self.trace))
        cause = frame[frame.cause >= 0].iloc[0]
        self.assertLessEqual(frame.loc[cause.cause].end_fs, cause.end_fs)
        spell = frame[(frame.resource == "SPELL") & (frame.place == "served")]
        busy = {r.name: r.busy_fs for r in self.trace.resources}
        self.assertEqual(int(spell.service_fs.sum()) * self.trace.stands_for, busy["SPELL"])

    def test_the_short_reader_of_the_page_reads_it(self):
        text = (SMALL_READER.parents[2] / "docs" / "trace-format.md").read_text(encoding="utf-8")
        self.assertIn(SMALL_READER.read_text(encoding="utf-8"), text)
        out = subprocess.run(
            [sys.executable, SMALL_READER, self.path], capture_output=True, text=True, check=True
        ).stdout.splitlines()
        sums = dict.fromkeys(range(len(self.trace.steps)), 0)
        for block in self.trace.blocks():
            for step, service in zip(block.step, block.service_fs):
                sums[step] += service
        self.assertEqual([int(line.split()[-2]) for line in out], list(sums.values()))

    def refuses(self, content, text):
        path = Path(self.folder.name) / "bad.trace"
        path.write_bytes(content)
        with self.assertRaises(htmt.InputError) as caught:
            with htmt.Trace(path) as trace:
                for _ in trace.blocks():
                    pass
        self.assertIn(text, caught.exception.line)
        self.assertTrue(caught.exception.line.startswith(f"{path}: "))

    def test_other_files_are_refused(self):
        self.refuses(b"", "byte 0: found b''")
        self.refuses(b"hello, world\n", "byte 0: found b'hello, w', expected b'HTMTTRC'")
        self.refuses(b"HTMTTRC\3", "byte 7: found another version, expected version 1 or 2")
        self.refuses(b"HTMTTRC\1", "the end of the file: it is cut off")
        with self.assertRaises(htmt.InputError):
            htmt.Trace(self.folder.name)
        with self.assertRaises(htmt.InputError):
            htmt.Trace(Path(self.folder.name) / "none")

    def test_a_file_cut_off_anywhere_is_refused(self):
        content = self.path.read_bytes()
        for cut in range(0, len(content), len(content) // 60):
            self.refuses(content[:cut], "")

    def test_a_flipped_bit_is_refused(self):
        content = bytearray(self.path.read_bytes())
        for at in range(0, len(content), len(content) // 60):
            content[at] ^= 16
            self.refuses(bytes(content), "")
            content[at] ^= 16

    def test_a_footer_that_lacks_a_key_is_refused(self):
        content = self.path.read_bytes()
        index, blocks, footer = struct.unpack("<QQQ", content[-48:-24])
        raw = json.loads(zlib.decompress(content[footer:-48]))
        for key in raw:
            text = json.dumps({k: v for k, v in raw.items() if k != key}).encode()
            packed = zlib.compress(text)
            trailer = struct.pack(
                "<QQQIII", index, blocks, footer, len(packed), len(text), zlib.crc32(b"")
            )
            trailer = trailer[:-4] + content[-16:-12] + struct.pack("<I", zlib.crc32(packed))
            self.refuses(content[:footer] + packed + trailer + content[-8:], "footer")


FOOTER = {
    "version": 1,
    "about": {},
    "machine": "small",
    "app": None,
    "mode": "run",
    "slices": 2,
    "played": 2,
    "stands_for": 1,
    "complete": True,
    "fault": None,
    "end_fs": 9,
    "history_hash": "0" * 16,
    "intervals": 1,
    "last": None,
    "filter": None,
    "layers": [
        {"name": "a", "processor": "P", "memory": "M", "capacity_words": 9, "servers": 1}
    ],
    "networks": [],
    "resources": [{"name": "P", "kind": "bank", "layer": 0, "network": None, "count": 1}],
    "steps": [
        {"type": "t", "stage": "fiber", "place": "served", "resource": 0, "layer": 0},
    ],
    "sections": [],
    "open": [],
    "sums": {"busy": ["0"], "waited": ["0"], "stalled": ["0"]},
}
# Of one interval that ends at 1, without samples.
COLUMNS = [b"\0", b"\2", b"\0", b"\0", b"\0", b"\0", b"", b"", b"", b"\0"]


class Hostile(unittest.TestCase):
    """Files whose CRCs are right."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "hostile.trace"

    def tearDown(self):
        self.folder.cleanup()

    def write(self, raw, samples=0, size=None):
        block, footer = zlib.compress(raw), json.dumps(FOOTER).encode()
        packed = zlib.compress(footer)
        length = len(raw) if size is None else size
        index = struct.pack(
            "<QIIIIQIIqqQ", 8, len(block), length, zlib.crc32(block), 0, 0, 1, samples, 1, 1, 0
        )
        at = 8 + len(block)
        trailer = struct.pack(
            "<QQQIIII",
            *(at, 1, at + 64, len(packed), len(footer), zlib.crc32(index), zlib.crc32(packed)),
        )
        self.path.write_bytes(
            b"HTMTTRC\1" + block + index + packed + trailer + b"HTMTEND\1"
        )

    def columns(self, at=0, column=None, **more):
        columns = list(COLUMNS)
        if column is not None:
            columns[at] = column
        self.write(b"".join(bytes([len(c)]) + c for c in columns), **more)

    def refuses(self, text):
        with self.assertRaises(htmt.InputError) as caught, htmt.Trace(self.path) as trace:
            for _ in trace:
                pass
        self.assertIn(text, caught.exception.line)

    def test_the_file_of_these_tests_is_a_good_one(self):
        self.columns()
        with htmt.Trace(self.path) as trace:
            self.assertEqual([(i.end_fs, i.cause, i.step.type) for i in trace], [(1, None, "t")])

    def test_values_that_no_interval_can_have_are_refused(self):
        for at, column, text in (
            (0, b"\2", "found step 1, expected one of 1"),
            (0, b"\0\0", "found 2 values in column 'step', expected 1"),
            (1, b"\1", "found times outside of virtual time: end"),
            (2, b"\4", "found times outside of virtual time: begin"),
            (2, b"\1", "found times outside of virtual time: service"),
            (3, b"\x80", "found a varint without an end"),
            (5, b"\2", "found a reference that interval 0 cannot have"),
            (5, b"\1", "found a reference that interval 0 cannot have"),
            (6, b"\0", "found 1 values in column 'line', expected 0"),
            (7, b"\0\0", "found more in column 'foreign'"),
            (8, b"\0", "found 1 values in column 'sample_when', expected 0"),
            (9, b"", "found 0 values in column 'sample_what', expected 1"),
        ):
            with self.subTest(at=at, column=column):
                self.columns(at, column)
                self.refuses(text)

    def test_samples_that_cannot_be_are_refused(self):
        columns = [*COLUMNS[:8], b"\2", b"\0\1\1"]
        self.write(b"".join(bytes([len(c)]) + c for c in columns), samples=1)
        self.refuses("found a change of layer 0 that cannot be")

    def test_blocks_with_other_lengths_are_refused(self):
        raw = b"".join(bytes([len(c)]) + c for c in COLUMNS)
        self.write(raw + b"\0")
        self.refuses("found 1 bytes behind the columns")
        self.write(raw[:-1])
        self.refuses("found a column that is longer than its block")
        self.write(b"\0" * (1 << 20))
        self.refuses("found block 0 that cannot be")
        self.write(b"\0" * (1 << 20), size=100)
        self.refuses("found another length, expected 100 bytes inflated")


class Numbers(unittest.TestCase):
    def test_varints_are_those_of_the_page(self):
        self.assertEqual(list(_varints(b"\x00\x7f")), [0, 127])
        self.assertEqual(list(_varints(b"\x81\x00\x80\x01")), [1, 128])
        self.assertEqual(list(_varints(b"\xff" * 9 + b"\x01")), [2**64 - 1])
        self.assertEqual(list(_signed([0, 1, 2, 3])), [0, -1, 1, -2])

    def test_other_varints_are_refused(self):
        self.assertIn("beyond 64 bits", damaged(lambda: _varints(b"\xff" * 9 + b"\x02")))
        self.assertIn("11 bytes", damaged(lambda: _varints(b"\x80" * 10 + b"\x00")))
        self.assertIn("without an end", damaged(lambda: _varints(b"\x00\x80")))


if __name__ == "__main__":
    unittest.main()
