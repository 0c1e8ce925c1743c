#!/usr/bin/env python3
"""How many small faults in the source do the unit programs notice?

    tests/mutants.py [--count N] [--seed S] [--folder runtime|layers|parcels] [--show] BUILD

A mutant is the source with one token changed inside a function: a comparison, a sign, a constant, an
"and". Each is compiled, linked into a shared copy of libhtmt, and played against those unit programs of
its folder that execute its line, as gcov counts, since no other one can notice it; they are linked
once. It is killed if a program fails or takes ten times as many CPU seconds; a mutant that does not compile, or whose object is the same, does not count. The choice
depends on seed and sources alone. BUILD is a build without sanitizers; everything is written below BUILD/mutants.

Prints a line for each survivor (file, line, what was changed; with --show also for those killed) and a
table by kind, also of what is done when it is interrupted. Status 0.
"""
import argparse
import collections
import concurrent.futures
import contextlib
import json
import os
import random
import re
import resource
import shlex
import signal
import subprocess
import sys
import threading

# Which programs know a folder best, the most useful first.
PROGRAMS = {
    "runtime": ["runtime"],
    "layers": ["layers", "node", "fabric"],
    "parcels": ["parcels", "ranks"],
}
SWAPS = {
    "<": ["<=", ">"], "<=": ["<", ">="], ">": [">=", "<"], ">=": [">", "<="], "==": ["!="], "!=": ["=="],
    "+": ["-"], "-": ["+"], "&&": ["||"], "||": ["&&"],
}
KINDS = {"<": "comparison", "=": "comparison", ">": "comparison", "!": "comparison", "+": "sign",
         "-": "sign", "&": "logic", "|": "logic"}
# What is passed over: comments, text, characters, and operators that are not swapped.
TOKEN = re.compile(r"""
    (?P<skip>/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|^[ \t]*\#(?:\\\n|[^\n])*
        |->|\+\+|--|<<=?|>>=?|[-+*/%&|^]=|[A-Za-z_]\w*|0[xX][0-9a-fA-F]+\w*|\d+\.\d*\w*|\d+[eE]\w*)
    |(?P<number>\d+)(?:[uUlL]*)
    |(?P<swap><=|>=|==|!=|&&|\|\||(?<=\ )[<>+-](?=\ ))""", re.X | re.M | re.S)


def mutants_of(path):
    """All (offset, length, new text, kind) inside the functions of a file."""
    text = open(path, encoding="utf8").read()
    found = []
    for body in re.finditer(r"^\{\n.*?^\}", text, re.M | re.S):
        for token in TOKEN.finditer(text, body.start(), body.end()):
            if token.group("number"):
                number = token.group("number")
                found.append((token.start("number"), len(number), str(int(number) + 1), "constant"))
            elif token.group("swap"):
                old = token.group("swap")
                for new in SWAPS[old]:
                    found.append((token.start(), len(old), new, KINDS[old[0]]))
    return text, found


def run(command, **options):
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          stdin=subprocess.DEVNULL, **options)


class House:
    """A build: how its objects are compiled, and its unit programs against a shared library."""

    def __init__(self, build):
        self.build, self.work = build, os.path.join(build, "mutants")
        os.makedirs(self.work, exist_ok=True)
        self.flags = shlex.split(open(os.path.join(build, "flags"), encoding="utf8").read())
        # Of the sources there are: a build may have objects of sources that have gone.
        self.objects = sorted(
            os.path.join(build, folder, name[:-2] + ".o")
            for top in ("runtime", "layers", "parcels", "apps/lib", "emul/lib")
            for folder, _, names in os.walk(top) for name in names if name.endswith(".c"))
        self.seconds = {}

    def library(self, target, replaced=None, by=None):
        objects = [by if o == replaced else o for o in self.objects]
        libraries = [f for f in self.flags if f.startswith("-l")]
        return run(["gcc", "-shared", "-o", target, *objects, *libraries]).returncode == 0

    def compile(self, source, target, more=()):
        flags = [f for f in self.flags[1:] if not f.startswith(("-l", "-Wl", "-Werror", "-L"))]
        flags = ["-O1" if f == "-O3" else f for f in flags if f != "-g"]
        return run(["gcc", *flags, *more, "-w", "-c", source, "-o", target]).returncode == 0

    def link_programs(self, folders):
        """Each unit program of the folders, linked against the shared library of its own folder."""
        programs = []
        if not self.library(os.path.join(self.work, "libhtmtall.so")):
            sys.exit("the objects do not link: make tests")
        for folder in folders:
            place = os.path.join(self.build, "tests", folder)
            for name in sorted(os.listdir(place)):
                test = os.path.join(place, name)
                if not name.endswith("_test") or not os.path.exists(test + ".o"):
                    continue
                program = os.path.join(self.work, folder + "-" + name)
                # The names in the source stay those of the tree, also for tests that read it.
                own = [os.path.join(self.build, "tests/fabric/graphs.o")] if folder == "fabric" else []
                done = run(["gcc", test + ".o", *own, os.path.join(self.build, "tests/helpers.a"),
                            os.path.join(self.build, "libhtmtemul.a"),
                            os.path.join(self.build, "libhtmtapps.a"),
                            "-o", program, "-L" + self.work, "-lhtmtall", "-lcriterion",
                            *[f for f in self.flags if f.startswith("-l")], "-lxlsxwriter"])
                if done.returncode == 0 and self.play(program, self.work, 120):
                    programs.append(program)
        # A fast program that kills saves the slow ones.
        return sorted(programs, key=self.seconds.get)

    def count_lines(self, top, programs):
        """{source: {line: the programs that execute it}}, of all lines that have code. The counts are
        of objects that are not optimized."""
        place, lines = os.path.join(self.work, "counted"), {}
        mine = [o for o in self.objects if o.startswith(os.path.join(self.build, top))]
        others = [o for o in self.objects if o not in mine]
        counted = [os.path.join(place, o[len(self.build) + 1:]) for o in mine]
        for object_ in counted:
            os.makedirs(os.path.dirname(object_), exist_ok=True)
            source = os.path.relpath(object_, place)[:-2] + ".c"
            if not self.compile(source, object_, ["-O0", "--coverage"]):
                sys.exit("%s does not compile with counts" % source)
        libraries = [f for f in self.flags if f.startswith("-l")]
        run(["gcc", "-shared", "--coverage", "-o", os.path.join(place, "libhtmtall.so"), *counted,
             *others, *libraries])
        for program in programs:
            for object_ in counted:
                with contextlib.suppress(FileNotFoundError):
                    os.remove(object_[:-2] + ".gcda")
            self.play(program, place, 600)
            counts = [o[:-2] + ".gcda" for o in counted if os.path.exists(o[:-2] + ".gcda")]
            said = subprocess.run(["gcov", "--json-format", "--stdout", *counts], text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
            for file in (f for text in said.splitlines() for f in json.loads(text)["files"]):
                of = lines.setdefault(file["file"], {})
                for line in file["lines"]:
                    by = of.setdefault(line["line_number"], set())
                    if line["count"]:
                        by.add(program)
        return lines

    def play(self, program, library, limit):
        """Whether it passes within `limit` seconds of CPU; a busy host makes nobody fail. Who waits
        for ever uses none: hence the second limit."""
        child = subprocess.Popen(
            [program, "-j1"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            stdin=subprocess.DEVNULL, env={**os.environ, "LD_LIBRARY_PATH": library},
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit)))
        timer = threading.Timer(60 + 10 * limit, child.kill)
        timer.start()
        _, status, used = os.wait4(child.pid, 0)
        timer.cancel()
        child.returncode = os.waitstatus_to_exitcode(status)
        self.seconds.setdefault(program, used.ru_utime + used.ru_stime)
        return child.returncode == 0


def judge(house, programs, number, mutant):
    """"killed", "survived" or "none" (it does not compile, or its object is the same)."""
    path, text, offset, length, new = mutant
    folder = os.path.join(house.work, "of-%d" % number)
    os.makedirs(folder, exist_ok=True)
    object_ = os.path.join(house.build, path[:-2] + ".o")
    changed, made = os.path.join(folder, os.path.basename(path)), os.path.join(folder, "mutant.o")
    same = os.path.join(folder, "same.o")
    library = os.path.join(folder, "libhtmtall.so")
    try:
        with open(changed, "w", encoding="utf8") as file:
            file.write(text)
        if not house.compile(changed, same):
            return "none"
        with open(changed, "w", encoding="utf8") as file:
            file.write(text[:offset] + new + text[offset + length:])
        if not house.compile(changed, made):
            return "none"
        if open(made, "rb").read() == open(same, "rb").read():
            return "none"
        if not house.library(library, object_, made):
            return "none"
        for program in programs:
            if not house.play(program, folder, int(max(10, 10 * house.seconds[program]))):
                return "killed"
        return "survived"
    finally:
        for name in os.listdir(folder):
            os.remove(os.path.join(folder, name))
        os.rmdir(folder)


def main():
    parser = argparse.ArgumentParser(description="See the head of this file.")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", choices=sorted(PROGRAMS))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--show", action="store_true")
    parser.add_argument("build")
    options = parser.parse_args()

    folders = [options.folder] if options.folder else sorted(PROGRAMS)
    every = []
    for top in folders:
        for folder, _, names in sorted(os.walk(top)):
            for name in sorted(names):
                path = os.path.join(folder, name)
                if name.endswith(".c") and os.path.exists(os.path.join(options.build, path[:-2] + ".o")):
                    text, found = mutants_of(path)
                    every += [(top, path, text, *m) for m in found]
    random.Random(options.seed).shuffle(every)

    house = House(options.build)
    programs = {top: house.link_programs(PROGRAMS[top]) for top in folders}
    counted = {top: house.count_lines(top, programs[top]) for top in folders}

    def who_knows(top, path, text, offset):
        """The programs that execute the line, or the last one before it that has code of its own."""
        of, line = counted[top].get(path, {}), text.count("\n", 0, offset) + 1
        while line and line not in of:
            line -= 1
        return [p for p in programs[top] if p in of.get(line, programs[top])]

    table = collections.defaultdict(collections.Counter)
    done = 0
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool, \
            contextlib.suppress(KeyboardInterrupt):
        rest = enumerate(every)
        waiting = {}
        while done < options.count:
            while len(waiting) < options.jobs and (item := next(rest, None)):
                number, (top, path, text, offset, length, new, kind) = item
                task = pool.submit(judge, house, who_knows(top, path, text, offset), number,
                                   (path, text, offset, length, new))
                waiting[task] = (top, path, text, offset, length, new, kind)
            if not waiting:
                break
            ready, _ = concurrent.futures.wait(waiting, return_when=concurrent.futures.FIRST_COMPLETED)
            for task in ready:
                top, path, text, offset, length, new, kind = waiting.pop(task)
                result = task.result()
                if result == "none" or done == options.count:
                    continue
                done += 1
                table[top, kind][result] += 1
                if result == "survived" or options.show:
                    line = text.count("\n", 0, offset) + 1
                    print("%s%s:%d: %s -> %s: %s" % (
                        "killed " if result == "killed" else "", path, line, text[offset:offset + length],
                        new, text.split("\n")[line - 1].strip()), flush=True)
        for task in waiting:
            task.cancel()
    print("%-10s %-12s %8s %8s" % ("folder", "kind", "mutants", "killed"))
    total = collections.Counter()
    for (top, kind), counts in sorted(table.items()):
        total += counts
        print("%-10s %-12s %8d %8d" % (top, kind, sum(counts.values()), counts["killed"]))
    if done:
        print("%d mutants, %d killed (%.0f %%)" % (done, total["killed"], 100 * total["killed"] / done))


if __name__ == "__main__":
    main()
