"""Programs in Python: results, histories, exceptions, views, Ctrl-C, lifetimes."""
import copy
import ctypes
import gc
import os
import pickle
import signal
import threading
import time
import traceback
import unittest
import weakref

import htmt
import numpy
from htmt import reads, resident, scratch, updates, writes

MACHINE = "small-htmt"


def singles(kernel, count=16, threads=1, **options):
    """A program of parcels that bring one number each: 0, 1, 2, ..."""
    e = htmt.Emulator(MACHINE, threads=threads, **options)
    numbers = e.object("dram", count, name="numbers")
    numbers.store(numpy.arange(count))
    kind = e.type("dram", "cram", kernel)
    for i in range(count):
        e.assemble(kind, [updates(numbers[i : i + 1])])
    return e, numbers


def interrupt_in(seconds):
    signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT)).start()


class MatrixVector(unittest.TestCase):
    def multiply(self, threads, delay_seed=0):
        n = 64
        random = numpy.random.default_rng(1)
        a, x, y = random.random((n, n)), random.random(n), numpy.zeros(n)
        with htmt.Emulator(MACHINE, threads=threads, delay_seed=delay_seed) as e:
            rows, vector, out = (e.wrap("dram", v) for v in (a, x, y))

            @e.kernel("dram", "cram")
            def product(k):
                a, x, y = k
                y[:] = a @ x
                k.count(flop=2 * a.size)

            for i in range(0, n, 8):
                parts = [reads(rows[i : i + 8]), reads(vector), writes(out[i : i + 8])]
                e.assemble(product, parts)
            e.run()
            numpy.testing.assert_allclose(y, a @ x, rtol=1e-13)
            self.assertTrue(e.complete)
            return e.history_hash, e.predicted_fs, e.events, e.parcels, y.tobytes()

    def test_one_and_three_threads_have_one_history_and_the_right_result(self):
        first = self.multiply(1)
        self.assertEqual(first[3], 8)
        for threads in (1, 3):
            for delay in (0, 5):
                self.assertEqual(self.multiply(threads, delay), first)

    def test_statistics_of_the_run_are_tables(self):
        e, _ = singles(lambda k: k.count(flop=3))
        e.run()
        work = e.phases.where(stage="execute")[0]
        self.assertEqual((work.parcels, work.quantity, work.unit), (16, 48.0, "flop"))
        self.assertEqual(e.resources.where(name="SPELL")[0].served, 16)
        self.assertEqual(e.memories["name"][-1], "CRAM")
        self.assertAlmostEqual(e.predicted_s, e.predicted_fs * 1e-15)
        self.assertEqual(e.notes, [])


class Program(unittest.TestCase):
    def test_parts_in_pieces_reach_the_kernel_in_their_shape(self):
        matrix = numpy.arange(64.0).reshape(8, 8)
        with htmt.Emulator(MACHINE) as e:
            wrapped = e.wrap("dram", matrix)

            @e.kernel("dram", "cram")
            def transpose(k):
                k[0][:] = k[0].T.copy()

            e.assemble(transpose, [updates(wrapped[2:5, 4:7])])
            e.run()
        expected = numpy.arange(64.0).reshape(8, 8)
        expected[2:5, 4:7] = expected[2:5, 4:7].T.copy()
        numpy.testing.assert_array_equal(matrix, expected)

    def test_a_box_of_an_array_of_three_dimensions_is_one_region(self):
        cube = numpy.arange(120.0).reshape(4, 5, 6)
        with htmt.Emulator(MACHINE) as e:
            wrapped = e.wrap("dram", cube)

            @e.kernel("dram", "cram")
            def turn(k):
                k[0][:] = -k[0][::-1, ::-1, ::-1].copy()

            e.assemble(turn, [updates(wrapped[1:3, 2:5, 1:4])])
            e.run()
        expected = numpy.arange(120.0).reshape(4, 5, 6)
        expected[1:3, 2:5, 1:4] = -expected[1:3, 2:5, 1:4][::-1, ::-1, ::-1].copy()
        numpy.testing.assert_array_equal(cube, expected)

    def test_a_part_that_is_no_row_of_pieces_is_refused(self):
        with htmt.Emulator(MACHINE) as e:
            hyper = e.object("dram", (4, 4, 4, 4))
            with self.assertRaisesRegex(ValueError, "not planes of equal pieces"):
                hyper[0:2, 0:2, 0:2, 0:2]
            cube = e.object("dram", (4, 4, 4))
            self.assertEqual(cube[0:2, 0:2, 0:2].piece, (16, 2, 32, 2, 128))
            self.assertEqual(cube[0:2, 0:4, 0:2].piece, (16, 8, 32, 0, 0))
            with self.assertRaisesRegex(TypeError, "expected a number, a slice"):
                cube[[1, 2]]
            self.assertEqual(cube[1, 2, 3].offset, (16 + 8 + 3) * 8)

    def test_arguments_are_as_they_were_when_the_log_was_issued(self):
        class Index(ctypes.Structure):
            _fields_ = [("i", ctypes.c_uint32), ("scale", ctypes.c_double)]

        def control(c):
            c.work()
            c.args.i = 99

        with htmt.Emulator(MACHINE, threads=3) as e:
            out = e.object("dram", (4,))

            def kernel(k):
                k[0][0] = k.args.i * k.args.scale

            kind = e.type("dram", "cram", htmt.Stage(kernel, control=control), args=Index)
            for i in range(4):
                e.assemble(kind, [writes(out[i])], Index(i, 2.5))
            with self.assertRaisesRegex(TypeError, "expected Index"):
                e.assemble(kind, [writes(out[0])], 5)
            e.run()
            numpy.testing.assert_array_equal(out.fetch(), [0, 2.5, 5, 7.5])

    def test_arguments_hold_no_pointers(self):
        class Inner(ctypes.Structure):
            _fields_ = [("slots", htmt.Slot * 2), ("object", ctypes.py_object)]

        class Outer(ctypes.Structure):
            _fields_ = [("n", ctypes.c_int), ("inner", Inner * 2)]

        with htmt.Emulator(MACHINE) as e, self.assertRaisesRegex(TypeError, "a pointer in Outer"):
            e.type("dram", "cram", lambda k: None, args=Outer)

    def test_elements_hold_no_python_objects(self):
        with htmt.Emulator(MACHINE) as e:
            for make in (
                lambda: e.object("dram", 4, object),
                lambda: e.wrap("dram", numpy.array([[], {}], object)),
                lambda: e.mailbox("cram", 4, [("x", object)]),
            ):
                with self.assertRaisesRegex(TypeError, "without Python objects"):
                    make()

    def test_a_checked_run_has_the_same_history(self):
        def once(**options):
            e, numbers = singles(lambda k: k.count(flop=1), threads=2, **options)
            e.run()
            return e.history_hash

        self.assertEqual(once(checked=True), once())

    def test_cost_functions_serve_model_runs(self):
        def once(mode):
            with htmt.Emulator(MACHINE, mode=mode) as e:
                numbers = e.object("dram", 16)
                stage = htmt.Stage(lambda k: k.count(flop=7), cost=lambda args: {"flop": 7})
                kind = e.type("dram", "cram", stage, name="seven")
                for i in range(16):
                    e.assemble(kind, [updates(numbers[i : i + 1])])
                e.run()
                return e.predicted_fs, e.history_hash

        self.assertEqual(once("run"), once("model"))

    def test_slices_sum_by_fibers_puts_and_an_allreduce(self):
        READY, DONE = 1, 2
        with htmt.Emulator(MACHINE, threads=2) as e:
            values = e.frame("cram", 2, name="values")
            inbox = e.frame("cram", 1, name="inbox")
            values.store([[i, 1.0] for i in range(e.slices)])

            def combine(into, other):
                into += other

            total = e.allreduce(values, combine, ops={"flop": 2})

            def begin(c):
                c.put(inbox[c.slice], values[c.slice][0:1], on_arrived=c.slot(READY))

            def ready(c):
                c.allreduce(total, c.slot(DONE))

            def done(c):
                c.retire()

            kind = e.type(
                "cram",
                "cram",
                htmt.Stage(control=begin),
                name="sum",
                fibers=[htmt.Stage(control=ready, count=1), htmt.Stage(control=done, count=1)],
                departures=["resident", "open", "exchange"],
            )
            for i in range(e.slices):
                e.assemble(kind, slice=i)
            e.run()
            n = e.slices
            numpy.testing.assert_array_equal(values.fetch(), [[n * (n - 1) / 2, n]] * n)
            numpy.testing.assert_array_equal(inbox.fetch()[:, 0], numpy.arange(n))

    def test_neighbours_exchange_on_a_grid_between_barriers(self):
        CAME, PASSED = 1, 2
        with htmt.Emulator(MACHINE, threads=2) as e:
            grid = htmt.Grid([e.slices])
            mine, left = e.frame("cram", 1, name="mine"), e.frame("cram", 1, name="left")
            mine.store([[i + 1] for i in range(e.slices)])
            left.store([[-1]] * e.slices)
            all_here = e.barrier("cram")

            def begin(c):
                slot = c.slot(CAME)
                c.put_neighbour(grid, [1], left[c.slice], mine[c.slice], on_arrived=slot)

            stages = [
                htmt.Stage(control=lambda c: c.barrier(all_here, c.slot(PASSED)), count=1),
                htmt.Stage(control=lambda c: c.retire(), count=1),
            ]
            kind = e.type("cram", "cram", htmt.Stage(control=begin), name="ring", fibers=stages)
            for i in range(e.slices):
                e.assemble(kind, slice=i)
            e.run()
            self.assertEqual(left.fetch()[:, 0].tolist(), [-1, *range(1, e.slices)])
            self.assertEqual([grid.neighbour(0, [1]), grid.neighbour(0, [-1])], [1, None])
            self.assertEqual(htmt.Grid([2, 2], [True]).neighbour(0, [-1, 1]), 3)
            self.assertEqual((len(grid), grid.place(3)), (e.slices, (3,)))

    def test_mail_uses_and_results_steer_a_program(self):
        mail = numpy.dtype([("from", "u4"), ("value", "f8")])
        seen = []
        with htmt.Emulator(MACHINE, threads=2) as e:
            records = e.frame("cram", 2, mail, name="records")
            for i in range(e.slices):
                records[i].store(numpy.array([(i, i + 0.5), (i, i + 1.5)], mail))
            box = e.mailbox("cram", 100, mail, name="box")

            def send(c):
                c.send(box, records[c.slice], 2)
                c.retire()

            def gather(k):
                got = k.used(0)
                k.result["f0"], k.result["f1"] = len(got), got["value"].sum()

            def take(c):
                c.take(box)
                c.work()
                c.signal(c.slot(2))

            def look(c):
                seen.append((int(c.result["f0"]), float(c.result["f1"])))
                c.retire()

            sender = e.type(
                "cram", "cram", htmt.Stage(control=send), name="sender", gates=["retire"]
            )
            reader = e.type(
                "cram",
                "cram",
                htmt.Stage(control=lambda c: None),
                name="reader",
                result="u4,f8",
                fibers=[
                    htmt.Stage(gather, control=take, count=e.slices),
                    htmt.Stage(control=look, count=1, steered=True),
                ],
            )
            first = e.assemble(reader)
            arrived = e.slot(first, 1)

            def send_and_tell(c):
                c.send(box, records[c.slice], 2, on_arrived=arrived)

            teller = e.type("cram", "cram", htmt.Stage(control=send_and_tell), name="teller")
            for i in range(e.slices):
                e.assemble(teller, slice=i)
            e.run()
            values = [i + f for i in range(e.slices) for f in (0.5, 1.5)]
            self.assertEqual(seen, [(2 * e.slices, sum(values))])
            self.assertIsNotNone(sender.handle)

    def test_generators_post_and_quiet_comes_when_all_is_served(self):
        class Visit(ctypes.Structure):
            _fields_ = [("vertex", ctypes.c_uint64), ("level", ctypes.c_uint64)]

        def near(v):  # a tree of 40 vertices
            return [n for n in (2 * v + 1, 2 * v + 2) if n < 40]

        def play(**options):
            rounds, senders = [], set()
            with htmt.Emulator(MACHINE, mode="model", **options) as e:
                levels = [e.kept("cram", 40, "u8", slice=i) for i in range(e.slices)]

                def send(c, i):
                    n = near(c.args.vertex)[i]
                    c.charge(iop=3)
                    c.post(kind, n % e.slices, Visit(n, c.args.level + 1))

                def visit(c):
                    c.kept(levels[c.slice])[c.args.vertex] = c.args.level
                    senders.add(c.sender)
                    c.each(len(near(c.args.vertex)), send)

                def quiet(c):
                    rounds.append((c.slice, c.began))

                kind = e.type("cram", "cram", htmt.Stage(control=visit), name="visit", args=Visit)
                e.quiet(quiet)
                e.post(kind, 0, Visit(0, 1))
                e.run()
                for v in range(40):
                    depth = (v + 1).bit_length()
                    self.assertEqual(levels[v % e.slices].fetch()[v], depth)
                self.assertEqual(sorted(s for s, _ in rounds), list(range(e.slices)))
                self.assertEqual(len({at for _, at in rounds}), 1)
                self.assertGreater(len(senders), 1)
                return rounds[0][1]

        free, acks = play(), play(quiet_by="acks")
        self.assertGreater(acks, free)
        with self.assertRaisesRegex(ValueError, "found way to find out that all is quiet 'never'"):
            htmt.Emulator(MACHINE, quiet_by="never")

    def test_posts_have_the_words_that_they_have_in_c_and_leave_together(self):
        class Sixteen(ctypes.Structure):
            _fields_ = [("a", ctypes.c_uint64), ("b", ctypes.c_uint64)]

        def play(args=Sixteen, count=4, **options):
            served = []
            with htmt.Emulator(MACHINE, mode="model") as e:
                stage = htmt.Stage(control=lambda c: served.append(c.began))
                kind = e.type("cram", "cram", stage, name="note", args=args, **options)

                def send(c):
                    for _ in range(count):
                        c.post(kind, 1, args() if args else None)

                e.post(e.type("cram", "cram", htmt.Stage(control=send), name="sender"), 0)
                e.run()
                self.assertEqual(len(served), count)
                return served, sum(p.quantity for p in e.phases.where(stage="put"))

        # A word each, and two of arguments; without arguments a word.
        self.assertEqual(play()[1], 4 * 3)
        self.assertEqual(play(args=None)[1], 4)
        self.assertEqual(play(payload_words=7)[1], 4 * 7)
        # Together: a word, and eight of arguments; 2 us later with such a wait.
        at_once, words = play(aggregate=(256, 0))
        self.assertEqual(words, 1 + 8)
        later, words = play(aggregate=(256, 2_000_000_000))
        self.assertEqual(words, 1 + 8)
        self.assertEqual({b - a for a, b in zip(at_once, later)}, {2_000_000_000})
        # Two of them are full.
        full, words = play(aggregate=(32, 2_000_000_000))
        self.assertEqual(words, 2 * (1 + 4))
        self.assertLess(full[-1], later[0])
        with self.assertRaisesRegex(htmt.InputError, "aggregate of 0 bytes and 5 fs"):
            play(aggregate=(0, 5))

    def test_arguments_of_a_post_beyond_its_bytes_are_refused(self):
        class Most(ctypes.Structure):
            _fields_ = [("a", ctypes.c_uint64 * 6)]

        class More(ctypes.Structure):
            _fields_ = [("a", ctypes.c_uint64 * 7)]

        got = []
        with htmt.Emulator(MACHINE, mode="model") as e:
            stage = htmt.Stage(control=lambda c: got.append(c.args.a[5]))
            most = e.type("cram", "cram", stage, name="most", args=Most)
            more = e.type("cram", "cram", stage, name="more", args=More)
            e.post(most, 0, Most((0, 0, 0, 0, 0, 6)))
            with self.assertRaisesRegex(ValueError, "found 56 bytes of .*, expected at most 48"):
                e.post(more, 0, More())
            e.run()
        self.assertEqual(got, [6])

    def test_what_a_generator_raises_ends_the_run(self):
        def send(c, i):
            raise ZeroDivisionError(f"message {i}")

        with htmt.Emulator(MACHINE, mode="model") as e:
            kind = e.type(
                "cram", "cram", htmt.Stage(control=lambda c: c.each(2, send)), name="made"
            )
            e.post(kind, 0)
            with self.assertRaisesRegex(htmt.KernelError, "type made, each: ZeroDivisionError: message 0"):
                e.run()

    def test_quiet_has_no_arguments_and_no_generator(self):
        for touch in (lambda c: c.args, lambda c: c.each(1, lambda c, i: None)):
            with htmt.Emulator(MACHINE, mode="model") as e:
                e.quiet(touch)
                with self.assertRaisesRegex(htmt.KernelError, "quiet: its control"):
                    e.run()

    def test_controls_delay_and_know_when_they_were_asked_and_began(self):
        seen = {}

        def begin(c):
            c.delay(5000)
            c.pause(6000)
            c.signal(c.slot(1))

        def late(c):
            seen["enabled"], seen["began"] = c.enabled, c.began
            c.retire()

        with htmt.Emulator(MACHINE) as e:
            fibers = [htmt.Stage(control=late, count=1)]
            kind = e.type("cram", "cram", htmt.Stage(control=begin), name="delays", fibers=fibers)
            e.assemble(kind)
            e.run()
            self.assertGreaterEqual(seen["enabled"], 11000)
            self.assertGreaterEqual(seen["began"], seen["enabled"])
            self.assertGreaterEqual(e.predicted_fs, seen["began"])

    def test_a_constant_cost_is_asked_once(self):
        def asked(constant):
            calls = []

            def cost(args):
                calls.append(1)
                return {"flop": 7}

            with htmt.Emulator(MACHINE, mode="model") as e:
                numbers = e.object("dram", 16)
                stage = htmt.Stage(lambda k: None, cost, constant=constant)
                kind = e.type("dram", "cram", stage, name="seven")
                for i in range(16):
                    e.assemble(kind, [updates(numbers[i])])
                e.run()
                return len(calls), e.history_hash

        (once, first), (often, second) = asked(True), asked(False)
        self.assertEqual((once, first), (1, second))
        self.assertGreater(often, 1)

    def test_a_program_has_the_reports_of_the_command(self):
        e, _ = singles(lambda k: k.count(flop=3), explain=True)
        e.run()
        found = e.results()
        self.assertEqual((found.predicted_fs, found.history_hash), (e.predicted_fs, e.history_hash))
        self.assertEqual(found.explanation.predicted_fs, e.predicted_fs)
        for part in ("PREDICTED", "PHASES", "BOTTLENECKS", "RUN RECORD"):
            self.assertIn(part, e.report())
        self.assertIn("vortex", e.bottlenecks())
        self.assertIn("EXPLANATION", e.explanation())

    def test_the_time_of_sections_adds_up(self):
        def control(c):
            c.section("second")
            c.charge(iop=10)

        e, _ = singles(htmt.Stage(lambda k: k.count(flop=2), control=control))
        e.section("first")
        e.run()
        self.assertEqual(e.sections["name"].tolist(), ["first", "second"])
        self.assertAlmostEqual(e.sections["time_s"].sum(), e.slices * e.predicted_s)
        self.assertAlmostEqual(e.sections["busy_s"].sum(), e.resources["busy_s"].sum())

    def test_resident_state_and_scratch_are_arrays_too(self):
        with htmt.Emulator(MACHINE) as e:
            state = e.object("cram", 3, "i4", name="state")
            state.store([1, 2, 3])

            def add(k):
                k[1][:] = k[0] * 2
                k[0][:] += k[1]

            kind = e.type("cram", "cram", add, footprint="resident", departures=["resident"])
            e.assemble(kind, [resident(state), scratch(3, "i4")])
            e.run()
            self.assertEqual(state.fetch().tolist(), [3, 6, 9])

    def test_a_deadlock_says_who_waits(self):
        with htmt.Emulator(MACHINE) as e:
            kind = e.type("dram", "cram", lambda k: None, name="waits", gates=["dispatch"])
            e.assemble(kind)
            with self.assertRaises(htmt.ModelError) as caught:
                e.run()
            self.assertEqual((caught.exception.code, caught.exception.status), ("EDEADLOCK", 3))
            self.assertIn("waits", caught.exception.details)

    def test_all_clocks_have_the_same_history(self):
        def play(**options):
            with htmt.Emulator(MACHINE, mode="model", **options) as e:
                numbers = e.object("dram", 16)
                stage = htmt.Stage(lambda k: k.count(flop=7), cost=lambda args: {"flop": 7})
                kind = e.type("dram", "cram", stage, name="seven")
                for i in range(16):
                    e.assemble(kind, [updates(numbers[i : i + 1])])
                e.run()
                return e.predicted_fs, e.history_hash

        self.assertEqual(play(), play(clock="sequential"))
        self.assertEqual(play(), play(clock="windows"))
        self.assertEqual(play(), play(clock="windows", window_most=1000))
        with self.assertRaisesRegex(ValueError, "sequential"):
            play(clock="window")

    def test_partitions_and_their_threads_change_no_history(self):
        def play(**options):
            with htmt.Emulator(MACHINE, mode="model", slices=6, **options) as e:
                left = [9 + i for i in range(6)]
                boxes = [e.object("cram", 4, slice=i) for i in range(6)]

                def turn(c):
                    here = c.slice
                    c.charge(cycle=7 + here)
                    if left[here]:
                        left[here] -= 1
                        c.put(boxes[(here + 1) % 6][:2], boxes[here][:2])
                        c.assemble(kind, [updates(boxes[here][: 1 + left[here] % 3])])

                kind = e.type("cram", "cram", htmt.Stage(control=turn), name="turn")
                for i in range(6):
                    e.assemble(kind, [updates(boxes[i][:1])], slice=i)
                e.run()
                return e.predicted_fs, e.events, e.history_hash

        first = play()
        for threads in (1, 2, 3):
            self.assertEqual(first, play(clock="shared", clock_threads=threads))
        self.assertEqual(first, play(clock_threads=2, clock_partitions=5))
        dealt = play(clock_threads=2, clock_partitions=3, partition_of=[2, 0, 7, 1, 1, 0])
        self.assertEqual(first, dealt)
        with self.assertRaisesRegex(ValueError, "found 2 numbers, expected 6"):
            play(partition_of=[0, 1])

    def test_wrong_names_are_refused_in_a_line(self):
        with self.assertRaises(htmt.InputError):
            htmt.Emulator("no-such-machine")
        with self.assertRaisesRegex(TypeError, "found option 'thread'"):
            htmt.Emulator(MACHINE, thread=1)
        with htmt.Emulator(MACHINE, set={"slices": 4}) as e:
            self.assertEqual(e.slices, 4)
            with self.assertRaises(htmt.InputError):
                e.object("no layer", 1)
            with self.assertRaisesRegex(ValueError, "found gate"):
                e.type("dram", "cram", lambda k: None, gates=["door"])
            frame = e.frame("cram", 1)
            with self.assertRaises(IndexError):
                frame[4]
        with self.assertRaisesRegex(htmt.InputError, "closed"):
            e.predicted_fs


class Exceptions(unittest.TestCase):
    def raised(self, kernel, **options):
        e, _ = singles(kernel, **options)
        with self.assertRaises(htmt.KernelError) as caught:
            e.run()
        self.assertFalse(e.complete)
        e.close()
        return caught.exception

    def test_the_exception_of_a_kernel_is_the_cause(self):
        def fails(k):
            if k[0][0] == 5:
                raise ValueError("no five")

        for threads in (1, 3):
            error = self.raised(fails, threads=threads)
            self.assertIsInstance(error.__cause__, ValueError)
            self.assertIn("type fails, slice 0, execute: ValueError: no five (", error.line)
            self.assertIn("emulator_test.py:", error.line)
            self.assertIn("in fails", "".join(traceback.format_exception(error)))

    def test_of_many_the_earliest_is_reported_whatever_the_threads(self):
        def fails(k):
            if k[0][0] >= 3:
                raise ValueError(f"no {k[0][0]:g}")

        lines = {
            self.raised(fails, threads=threads, delay_seed=delay).line
            for threads in (1, 2, 3, 8)
            for delay in (0, 1, 2)
        }
        self.assertEqual(len(lines), 1, lines)
        self.assertIn("no 3 ", lines.pop())

    def test_controls_costs_and_combinations_may_raise(self):
        def fails(*anything):
            raise RuntimeError("not me")

        for stage in (htmt.Stage(control=fails), htmt.Stage(lambda k: None, cost=fails)):
            error = self.raised(stage)
            self.assertEqual(str(error.__cause__), "not me")
        with htmt.Emulator(MACHINE) as e:
            frame = e.frame("cram", 1)
            total = e.allreduce(frame, fails)
            kind = e.type(
                "cram",
                "cram",
                htmt.Stage(control=lambda c: c.allreduce(total, c.slot(1))),
                name="joins",
                fibers=[htmt.Stage(control=lambda c: c.retire(), count=1)],
            )
            for i in range(e.slices):
                e.assemble(kind, slice=i)
            with self.assertRaises(htmt.KernelError) as caught:
                e.run()
            self.assertEqual(str(caught.exception.__cause__), "not me")

    def test_a_kernel_that_returns_something_or_exits_is_refused(self):
        self.assertIn("returned int", self.raised(lambda k: 5).line)

        def generator(k):
            yield k[0]

        self.assertIn("returned generator", self.raised(generator).line)
        self.assertIsInstance(self.raised(lambda k: exit(3)).__cause__, SystemExit)

    def test_operations_have_known_names(self):
        self.assertIn("found operations 'flops'", self.raised(lambda k: k.count(flops=1)).line)


class Views(unittest.TestCase):
    def test_a_view_that_escapes_ends_the_run(self):
        kept = []

        def keeps(k):
            kept.append(k[0][:1])

        for threads in (1, 3):
            e, _ = singles(keeps, threads=threads)
            with self.assertRaisesRegex(htmt.ViewEscaped, "type keeps, .*: a view of region 0"):
                e.run()
            kept.clear()
            e.close()

    def test_a_view_that_an_exception_or_a_cycle_holds_does_not_escape(self):
        def cycle(k):
            x = k[0]

            def again():
                return x, again

        e, _ = singles(cycle)
        e.run()
        e.close()

        def fails(k):
            x = k[0]
            raise ValueError(x.size)

        e, _ = singles(fails)
        with self.assertRaises(htmt.KernelError) as caught:
            e.run()
        frames = [f for f, _ in traceback.walk_tb(caught.exception.__cause__.__traceback__)]
        self.assertNotIn("x", frames[-1].f_locals)

    def test_a_kernel_or_control_is_over_when_it_returns(self):
        kept = []
        e, _ = singles(htmt.Stage(kept.append, control=kept.append), count=1)
        e.run()
        for thing in kept:
            with self.assertRaisesRegex(htmt.InputError, "has ended"):
                thing.slice

    def test_what_is_read_only_cannot_be_written(self):
        def make(region):
            e = htmt.Emulator(MACHINE)
            data = e.object("dram", 4)

            def scribbles(k):
                with_flag = k[0]
                try:
                    with_flag.flags.writeable = True
                except ValueError:
                    pass
                with_flag[0] = 1

            e.assemble(e.type("dram", "cram", scribbles), [region(data)])
            return e

        with self.assertRaisesRegex(htmt.KernelError, "read-only"):
            make(reads).run()
        make(lambda data: reads(data, read_only=False)).run()

    def test_an_array_that_may_only_be_read_is_never_written(self):
        array = numpy.arange(4.0)
        array.flags.writeable = False
        with htmt.Emulator(MACHINE) as e:
            wrapped = e.wrap("dram", array)
            kind = e.type("dram", "cram", lambda k: None, name="reads")
            e.assemble(kind, [reads(wrapped)])
            with self.assertRaisesRegex(ValueError, "may only be read"):
                e.assemble(kind, [updates(wrapped)])
            e.run()

    def test_copies_of_objects_outlive_the_emulator(self):
        def double(k):
            k[0][:] *= 2

        e, numbers = singles(double)
        e.run()
        copy = numbers.fetch()
        e.close()
        self.assertEqual(copy.tolist(), [2.0 * i for i in range(16)])
        with self.assertRaises(htmt.InputError):
            numbers.fetch()


class Interrupts(unittest.TestCase):
    def interrupted(self, kernel, threads, limit):
        e, _ = singles(kernel, count=1000, threads=threads)
        interrupt_in(0.2)
        begin = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            e.run()
        self.assertLess(time.monotonic() - begin, limit)
        self.assertFalse(e.complete)
        e.close()

    def test_control_c_ends_a_run_of_many_kernels(self):
        for threads in (1, 3):
            self.interrupted(lambda k: time.sleep(0.02), threads, 5)

    def test_control_c_ends_a_kernel_that_never_returns(self):
        def endless(k):
            while True:
                pass

        for threads in (1, 3):
            self.interrupted(endless, threads, 10)

    def test_control_c_at_any_moment_leaves_no_run_behind(self):
        signal.signal(signal.SIGINT, signal.default_int_handler)
        ended = {True: 0, False: 0}
        for i in range(60):
            e, _ = singles(lambda k: None, count=40, threads=2)
            signal.setitimer(signal.ITIMER_REAL, 0)
            before = signal.signal(signal.SIGALRM, signal.default_int_handler)
            try:
                signal.setitimer(signal.ITIMER_REAL, 0.00005 * (i + 1))
                e.run()
                signal.setitimer(signal.ITIMER_REAL, 0)
            except KeyboardInterrupt:
                pass
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
                signal.signal(signal.SIGALRM, before)
            ended[e.complete] += 1
            e.close()
        self.assertGreater(ended[False], 0)

    def test_other_exceptions_of_signal_handlers_get_through(self):
        def handler(*anything):
            raise TimeoutError("too long")

        before = signal.signal(signal.SIGALRM, handler)
        e, _ = singles(lambda k: time.sleep(0.02), count=1000)
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with self.assertRaises(TimeoutError):
            e.run()
        signal.signal(signal.SIGALRM, before)


class Lifetimes(unittest.TestCase):
    def test_arrays_and_functions_live_as_long_as_the_emulator(self):
        e = htmt.Emulator(MACHINE, threads=3)
        wrapped = [e.wrap("dram", numpy.full(8, float(i))) for i in range(32)]
        out = e.object("dram", (32, 8))

        def make(factor):
            scale = numpy.full(8, factor)

            def kernel(k):
                gc.collect(0)
                numpy.multiply(k[0], scale, out=k[1])

            def control(c):
                gc.collect(0)

            return htmt.Stage(kernel, control=control)

        for i, array in enumerate(wrapped):
            kind = e.type("dram", "cram", make(i), name=f"times {i}")
            e.assemble(kind, [reads(array), writes(out[i])])
            del kind
            gc.collect()
            numpy.full(8, -1.0)
        del wrapped, array
        gc.collect()
        e.run()
        numpy.testing.assert_array_equal(out.fetch(), [[float(i * i)] * 8 for i in range(32)])

    def test_a_wrapped_array_cannot_be_resized(self):
        with htmt.Emulator(MACHINE) as e:
            array = numpy.zeros(4)
            e.wrap("dram", array)
            with self.assertRaises(ValueError):
                array.resize(1000)

    def test_an_emulator_that_nobody_holds_is_destroyed(self):
        e, _ = singles(lambda k: None)
        e.again = e
        arrays = [numpy.zeros(4)]
        e.wrap("dram", arrays[0])
        gone, array = weakref.ref(e), weakref.ref(arrays[0])
        e.run()
        del e, arrays, _
        gc.collect()
        self.assertIsNone(gone())
        self.assertIsNone(array())

    def test_an_emulator_cannot_be_closed_by_its_own_kernel(self):
        held = []

        def closes(k):
            held[0].close()

        e, _ = singles(closes, count=1)
        held.append(e)
        with self.assertRaisesRegex(htmt.KernelError, "during its run"):
            e.run()
        e.close()
        e.close()

    def test_it_runs_once(self):
        e, _ = singles(lambda k: None)
        e.run()
        with self.assertRaises(htmt.HtmtError):
            e.run()

    def test_two_emulators_run_at_once(self):
        made = [singles(lambda k: k.count(flop=1), threads=2)[0] for _ in range(4)]
        threads = [threading.Thread(target=e.run) for e in made]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(len({e.history_hash for e in made}), 1)


class Numbers(unittest.TestCase):
    """Integers reach the library as they are, or not at all."""

    def refuse(self, error, line, make):
        with self.assertRaises(error) as caught:
            make()
        self.assertIn(line, str(caught.exception))

    def test_no_integer_is_cut_on_its_way_into_the_library(self):
        large, word = 1 << 40, "expected 0 to 4294967295"
        with htmt.Emulator(MACHINE) as e:
            x = e.object("dram", 4)
            kind = e.type("dram", "cram", lambda k: None)
            for line, make in (
                (f"slices: found {large}, {word}", lambda: htmt.Emulator(MACHINE, slices=large)),
                ("threads: found -1", lambda: htmt.Emulator(MACHINE, threads=-1)),
                ("watchdog: found", lambda: htmt.Emulator(MACHINE, watchdog=large)),
                ("layer_threads: found", lambda: htmt.Emulator(MACHINE, layer_threads=[1, large])),
                ("layer_threads: found 9", lambda: htmt.Emulator(MACHINE, layer_threads=[1] * 9)),
                ("partition_of: found", lambda: htmt.Emulator(MACHINE, partition_of=[large] * 4)),
                (f"slice: found -1, {word}", lambda: e.object("dram", 4, slice=-1)),
                ("words: found", lambda: e.wrap("dram", numpy.zeros(2), words=1 << 70)),
                ("records: found -5", lambda: e.mailbox("cram", -5, "u4")),
                ("slice: found", lambda: e.assemble(kind, slice=large)),
                ("code_words: found", lambda: e.type("dram", "cram", code_words=1 << 64)),
                ("count: found", lambda: e.type("cram", "cram", fibers=[htmt.Stage(count=large)])),
                ("in_words: found -1", lambda: e.assemble(kind, [reads(x, in_words={1: -1})])),
                ("extent: found -1", lambda: htmt.Grid([4, -1])),
                ("extent: found 0, expected 1 to", lambda: htmt.Grid([0, -1])),
                ("found 0 extents", lambda: htmt.Grid([])),
                ("extent: found 4 numbers", lambda: htmt.Grid([2, 2, 2, 2])),
                ("found 1 extents and 2 axes", lambda: htmt.Grid([2], [True, True])),
                ("step: found 4 numbers", lambda: htmt.Grid([4]).neighbour(0, [1, 0, 0, 0])),
                ("slice: found", lambda: htmt.Grid([4]).place(large)),
            ):
                self.refuse(ValueError, line, make)
            self.refuse(IndexError, "found layer 8", lambda: reads(x, in_words={8: 1}).struct())
            self.refuse(IndexError, "found layer -1", lambda: reads(x, in_words={-1: 1}).struct())

    def test_counts_and_costs_are_whole_numbers_that_fit(self):
        def counted(n):
            e, _ = singles(lambda k: k.count(flop=n), 1)
            e.run()
            return e.phases.where(stage="execute")[0].quantity

        def cost(n):
            with htmt.Emulator(MACHINE, mode="model") as e:
                x = e.object("dram", 1)
                kind = e.type("dram", "cram", htmt.Stage(lambda k: None, cost=lambda a: {"flop": n}))
                e.assemble(kind, [updates(x)])
                e.run()
                return e.phases.where(stage="execute")[0].quantity

        for tell in (counted, cost):
            self.assertEqual([tell(n) for n in (7, 7.0, numpy.uint8(7), numpy.float64(7))], [7.0] * 4)
            for n, line in (
                (1 << 70, "flop: found 1180591620717411303424, expected 0 to 18446744073709551615"),
                (-1, "flop: found -1"),
                (1.5, "flop: found 1.5, expected a whole number"),
                ("7", "flop: found '7', expected a whole number"),
                (float("nan"), "flop: found nan"),
            ):
                self.refuse(htmt.KernelError, line, lambda: tell(n))

    def test_what_stands_for_one_thing_is_not_copied(self):
        held = []

        def look(k):
            for copier in (copy.copy, copy.deepcopy, pickle.dumps):
                self.refuse(TypeError, "a Kernel cannot be copied", lambda: copier(k))
            held.append(1)

        e, _ = singles(look, 1)
        for copier in (copy.copy, copy.deepcopy, pickle.dumps):
            self.refuse(TypeError, "an Emulator cannot be copied", lambda: copier(e))
        e.run()
        self.assertEqual((held, e.parcels), ([1], 1))


class Determinism(unittest.TestCase):
    def test_a_sound_program_is_proved(self):
        def create(e):
            numbers = e.object("dram", 32)
            numbers.store(numpy.arange(32))

            @e.kernel("dram", "cram")
            def square(k):
                k[0][:] *= k[0]
                k.count(flop=1)

            for i in range(32):
                e.assemble(square, [updates(numbers[i])])
            return numbers.fetch

        outcome = htmt.check_determinism(create, MACHINE)
        self.assertEqual(outcome.parcels, 32)

    def test_controls_of_two_slices_that_share_data_are_found_by_windows(self):
        def create(e):
            controls, left = [], [5] * 4

            def control(c):
                controls.append(c.slice)
                c.charge(cycle=len(controls) % 3)
                if left[c.slice]:
                    left[c.slice] -= 1
                    c.assemble(kind)

            kind = e.type("cram", "cram", htmt.Stage(control=control), name="turn")
            for i in range(4):
                e.assemble(kind, slice=i)

        with self.assertRaisesRegex(htmt.NotDeterministic, 'clock="shared", clock_threads=1 differs'):
            htmt.check_determinism(create, MACHINE, mode="model", slices=4)

    def test_a_global_random_state_is_found(self):
        def create(e):
            numbers = e.object("dram", 8)

            @e.kernel("dram", "cram")
            def draw(k):
                k[0][:] = numpy.random.random()

            for i in range(8):
                e.assemble(draw, [writes(numbers[i])])
            return numbers.fetch

        with self.assertRaisesRegex(htmt.NotDeterministic, "differ: result"):
            htmt.check_determinism(create, MACHINE)

    def test_counts_that_depend_on_the_order_on_the_host_are_found(self):
        def create(e):
            calls = []
            numbers = e.object("dram", 32)

            @e.kernel("dram", "cram")
            def counts(k):
                calls.append(1)
                k.count(flop=len(calls) * 100)

            for i in range(32):
                e.assemble(counts, [updates(numbers[i])], slice=0)

        with self.assertRaisesRegex(htmt.NotDeterministic, "differ: "):
            htmt.check_determinism(create, MACHINE)


if __name__ == "__main__":
    unittest.main()
