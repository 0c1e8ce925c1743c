"""The command as a subprocess: results, errors, Ctrl-C, many settings."""
import csv
import dataclasses
import importlib.util
import math
import os
import pickle
import signal
import subprocess
import tempfile
import threading
import time
import typing
import unittest
from pathlib import Path

import htmt
import numpy
from htmt import results
from htmt._library import command
from htmt.table import Table

APPS = {
    "cannon": {"size": 64, "slices": 4},
    "pic": {"case": "langmuir", "steps": 2, "slices": 4},
    "volume": {"phantom": 8, "size": 8, "slices": 2},
    "traffic": {"table": "stages", "iterations": 3},
    "sar": {"lines": 256, "samples": 256, "slices": 2},
}
LONG = {"machine": "htmt-2007", "size": 100000, "slices": 16, "schedule": "paper"}


def interrupt_in(seconds):
    signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT)).start()


def no_child_is_left():
    try:
        return os.waitpid(-1, os.WNOHANG) is None
    except ChildProcessError:
        return True


def lost(kind, raw, path):
    """Keys of a JSON object that its dataclass has no field for."""
    hints = typing.get_type_hints(kind)
    found = [f"{path}{key}" for key in raw if key not in hints]
    for name, hint in hints.items():
        inner = [h for h in (hint, *typing.get_args(hint)) if dataclasses.is_dataclass(h)]
        tables = [h for h in (hint, *typing.get_args(hint)) if typing.get_origin(h) is Table]
        value = raw.get(name)
        if inner and isinstance(value, dict):
            found += lost(inner[0], value, f"{path}{name}.")
        elif tables and value:
            found += lost(typing.get_args(tables[0])[0], value[0], f"{path}{name}[].")
    return found


class Results(unittest.TestCase):
    def check(self, result, verb, app):
        self.assertEqual((result.mode, result.app), (verb, app))
        self.assertEqual(lost(results.Results, result.raw, ""), [])
        self.assertGreater(result.predicted_s, 0)
        for field in dataclasses.fields(result):
            if field.name == "largest" and result.raw.get("largest") is None:
                continue  # not asked for: an empty table
            if field.name != "raw" and field.name in result.raw:
                value = getattr(result, field.name)
                self.assertEqual(value is None, result.raw[field.name] is None, field.name)

    def test_each_application_fills_the_dataclasses_in_each_verb(self):
        for app, options in APPS.items():
            ran = htmt.run(app, **options, explain=True, lint=True, summary=True)
            self.check(ran, "run", app)
            self.assertTrue(ran.correct)
            self.assertEqual(ran.explanation.predicted_fs, ran.predicted_fs)
            self.check(htmt.model(app, **options), "model", app)
            predicted = htmt.predict(app, **options, largest=app != "traffic")  # it has no size
            self.check(predicted, "predict", app)
            self.assertGreater(len(predicted.terms), 3)

    def test_columns_are_numpy_arrays_and_rows_dataclasses(self):
        table = htmt.model("cannon", size=64, slices=4).phases
        self.assertIsInstance(table["utilization"], numpy.ndarray)
        self.assertEqual(table["utilization"].dtype, float)
        self.assertEqual(table["stage"][0], table[0].stage)
        self.assertEqual(len(table.where(stage="inject")), (table["stage"] == "inject").sum())
        with self.assertRaises(KeyError):
            table["nothing"]

    def test_options_become_words_of_the_command_line(self):
        result = htmt.model(
            "pic",
            case="thermal",
            cells=(8, 16, 16),
            slices=4,
            steps=1,
            check_determinism=True,
            costs=None,
            strict=False,
            set={"layers.sram.memory.capacity": "2 MiB", "slices": 16},
        )
        self.assertIn(["cells", "8,16,16"], result.record.options)
        self.assertEqual([n for n, _ in result.record.options].count("set"), 2)
        self.assertTrue(result.determinism.equal)

    @unittest.skipUnless(importlib.util.find_spec("pandas"), "python3-pandas is missing")
    def test_results_become_data_frames(self):
        result = htmt.model("cannon", size=64, slices=4)
        frame = result.phases.to_pandas()
        self.assertEqual(list(frame.columns), result.phases.columns)
        self.assertEqual(frame["parcels"].sum(), result.phases["parcels"].sum())
        both = htmt.to_pandas([result, htmt.InputError("no")])
        self.assertEqual(both["predicted_fs"][0], result.predicted_fs)
        self.assertEqual(both["failed"][1], "no")

    @unittest.skipUnless(importlib.util.find_spec("matplotlib"), "python3-matplotlib is missing")
    def test_pictures_are_drawn(self):
        some = htmt.map([{"size": n} for n in (64, 128)], app="cannon", slices=4)
        with tempfile.TemporaryDirectory() as folder:
            for i, axes in enumerate([
                htmt.plot.utilization(some[0]),
                htmt.plot.memories(some[0]),
                htmt.plot.sweep(some, "size"),
            ]):
                axes.figure.savefig(f"{folder}/{i}.png")
                self.assertGreater(Path(f"{folder}/{i}.png").stat().st_size, 1000)


class Errors(unittest.TestCase):
    def test_bad_input_is_its_line_with_status_2(self):
        with self.assertRaises(htmt.InputError) as caught:
            htmt.run("cannon", size=0)
        self.assertEqual(caught.exception.status, 2)
        self.assertIn("--size: found 0", caught.exception.line)
        self.assertNotIn("\n", str(caught.exception))

    def test_a_deadlock_has_status_3_its_report_and_the_incomplete_result(self):
        with self.assertRaises(htmt.ModelError) as caught:
            htmt.model("pic", case="thermal", slices=4, steps=3, mail=300)
        error = caught.exception
        self.assertEqual(error.status, 3)
        self.assertFalse(error.result.complete)
        self.assertIn(error.result.error.message, error.line)
        self.assertGreater(len(error.details.splitlines()), 3)

    def test_a_command_that_a_signal_ends_leaves_python_alive(self):
        with tempfile.TemporaryDirectory() as folder:
            crash = Path(folder, "htmt")
            crash.write_text("#!/bin/sh\nkill -SEGV $$\n", encoding="utf-8")
            crash.chmod(0o755)
            before, os.environ["HTMT"] = os.environ["HTMT"], str(crash)
            try:
                with self.assertRaises(htmt.CommandCrashed) as caught:
                    htmt.run("cannon")
            finally:
                os.environ["HTMT"] = before
        self.assertEqual(caught.exception.status, 128 + signal.SIGSEGV)

    def test_errors_can_be_pickled(self):
        error = htmt.ModelError("a line", code="EDEADLOCK", details="who waits")
        again = pickle.loads(pickle.dumps(error))
        self.assertEqual((type(again), again.line), (htmt.ModelError, "a line"))
        self.assertEqual((again.code, again.details), ("EDEADLOCK", "who waits"))


class Interrupts(unittest.TestCase):
    def test_control_c_ends_the_command_and_raises(self):
        begin = time.monotonic()
        interrupt_in(0.5)
        with self.assertRaises(KeyboardInterrupt):
            htmt.model("cannon", **LONG)
        self.assertLess(time.monotonic() - begin, 10)
        self.assertTrue(no_child_is_left())

    def test_control_c_ends_all_commands_of_a_map(self):
        begin = time.monotonic()
        interrupt_in(0.5)
        with self.assertRaises(KeyboardInterrupt):
            htmt.map([LONG] * 6, app="cannon", jobs=2)
        self.assertLess(time.monotonic() - begin, 10)
        self.assertTrue(no_child_is_left())


class Sweep(unittest.TestCase):
    AXES = {"opt:size": [64, 128, 50000000], "networks.vortex.latency": "0.5x..2x:3"}

    def test_rows_are_those_of_the_command(self):
        study = htmt.sweep("predict", "cannon", vary=self.AXES, column={"c": "2*T"}, front="c,T")
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(
                [command(), "sweep", "predict", "cannon", "--column=c=2*T", "--front=c,T",
                 "--vary=opt:size=64,128,50000000", "--vary=networks.vortex.latency=0.5x..2x:3",
                 f"--csv={folder}/s.csv"], check=True, stdout=subprocess.DEVNULL)
            with open(f"{folder}/s.csv", encoding="utf-8") as file:
                rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), 9)
        self.assertEqual([p.case for p in study.points], [r["case"] for r in rows])
        for point, row in zip(study.points, rows):
            self.assertEqual(point.axes, {name: row[name] for name in self.AXES})
            self.assertEqual((point.refused or ""), row["refused"])
            self.assertEqual(point.front, row["front"] == "1")
            for value, text in (point.T_s, row["T_s"]), (point.columns["c"], row["c"]):
                self.assertEqual(value, float(text) if text else None)
        self.assertEqual(study.refused, 3)
        self.assertEqual(lost(results.Study, study.raw, ""), ["htmt-study", "points_asked"])

    def test_samples_say_what_is_known_of_the_time(self):
        study = htmt.sweep("predict", "cannon", size=2000, sample=40, seed=7,
                           vary=["layers.cram.processor.flop=0.8x..1.25x"])
        of = study.samples[0]
        self.assertLess(of.T_5_s, of.T_95_s)
        self.assertEqual(list(of.rank_correlation), ["layers.cram.processor.flop"])
        below = sum(p.T_s < of.T_50_s for p in study.points)
        self.assertEqual(below, 20)

    def test_a_study_that_is_refused_is_an_error(self):
        with self.assertRaises(htmt.InputError) as caught:
            htmt.sweep("predict", "cannon", size=64, vary={"nosuch": "1,2"})
        self.assertIn("unknown key", str(caught.exception))
        with self.assertRaises(htmt.ModelError) as caught:
            htmt.sweep("predict", "cannon", vary={"opt:size": [50000000, 60000000]})
        self.assertEqual(caught.exception.result.refused, 2)


class Sensitivity(unittest.TestCase):
    def test_its_figures_are_those_of_the_command(self):
        group = {"vortex": "networks.vortex.ports.*-rate"}
        found = htmt.sensitivity("model", "cannon", size=1024, slices=16, group=group,
                                 figures=["layers.*.processor.clock", "networks.rti.latency"])
        self.assertEqual(lost(results.Sensitivity, found.raw, ""), ["htmt-sensitivity"])
        figures = {f.name: f for f in found.figures}
        raw = {f["name"]: f for f in found.raw["figures"]}
        self.assertEqual(list(figures), list(raw))
        self.assertEqual(len(figures["vortex"].cases[0].figures), 4)
        self.assertTrue(figures["vortex"].group)
        for name, figure in figures.items():
            self.assertEqual(figure.cases[0].larger, raw[name]["cases"][0]["larger"])
        # d ln T / d ln p by two model runs
        key, step = "layers.cram.processor.clock", 1.001
        times = [htmt.model("cannon", size=1024, slices=16, set={key: f"{256 * x} GHz"}).predicted_s
                 for x in (1, step)]
        self.assertAlmostEqual(figures[key].cases[0].larger,
                               math.log(times[1] / times[0]) / math.log(step), places=3)

    def test_a_study_file_has_a_case_for_each_of_its_command_lines(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "two.yaml")
            file.write_text("htmt-study: 1\ncases:\n  a: predict cannon --size 64\n"
                            "  b: predict cannon --size 128\n", encoding="utf-8")
            found = htmt.sensitivity(file, figures="layers.cram.processor.clock")
        self.assertEqual([c.case for c in found.cases], ["a", "b"])
        self.assertEqual([c.case for c in found.figures[0].cases], ["a", "b"])
        self.assertEqual(len(found.to_pandas()) if importlib.util.find_spec("pandas") else 2, 2)


class Map(unittest.TestCase):
    def test_results_have_the_order_of_the_settings_and_errors_their_place(self):
        sizes = [64, 128, 0, 96, 32]
        got = htmt.map([{"size": n} for n in sizes], app="cannon", slices=4, jobs=3)
        self.assertEqual([type(r).__name__ for r in got].count("Results"), 4)
        self.assertIsInstance(got[2], htmt.InputError)
        for size, result in zip(sizes, got):
            if size:
                self.assertIn(["size", str(size)], result.record.options)
                alone = htmt.model("cannon", size=size, slices=4)
                self.assertEqual(result.history_hash, alone.history_hash)

    def test_a_setting_may_name_its_verb_and_its_application(self):
        got = htmt.map([
            {"app": "cannon", "verb": "predict", "size": 64},
            {"app": "pic", "verb": "run", **APPS["pic"]},
        ])
        self.assertEqual([r.mode for r in got], ["predict", "run"])
        with self.assertRaises(TypeError):
            htmt.map([{"size": 64}])


if __name__ == "__main__":
    unittest.main()
