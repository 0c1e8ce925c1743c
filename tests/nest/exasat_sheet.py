"""The sheets of ExaSAT's authors, written again from their formulas, in floating point and without any code of the
project: set against `htmt bound --rule exasat` on shipped nest files and on nests of chance, at settings of chance.

    exasat_sheet.py HTMT FOLDER-OF-NESTS COUNT
"""
import csv
import os
import random
import re
import subprocess
import sys

GIB = 2.0**30


def read_nests(path, species):
    """Loops of a nest file that has one line for each thing, as the shipped files and those below have."""
    copies, loops, part = {}, [], None
    for line in re.sub(r"\bNS\b", str(species), open(path).read()).splitlines():
        if re.match(r"[a-z]", line):
            part = line.split(":")[0]
        elif part == "arrays":
            name, n = re.match(r"  (\w+): .*components: ([\d+*-]+)}", line).groups()
            copies[name] = eval(n)
        elif part == "nests" and re.match(r"  \w+:$", line):
            loops.append({"name": line.strip()[:-1], "arrays": {}, "state": 0})
        elif part == "nests" and (m := re.match(r"    loops: {(.*)}", line)):
            bounds = [b.split(": ") for b in m[1].split(", ")]
            loops[-1]["n"] = [eval(hi) - eval(lo) + 1 for lo, hi in (b[1].split("..") for b in reversed(bounds))]
        elif part == "nests" and (m := re.match(r"    ops: {(.*)}", line)):
            loops[-1]["ops"] = {k: eval(v) for k, v in re.findall(r"(add|mul|div|f): ([\d+*-]+)", m[1])}
        elif part == "nests" and (m := re.match(r"      - (read|write) (\w+)\[(.*)\]", line)):
            at = [int(re.sub(r"^[kji]", "", s.strip()) or 0) for s in m[3].split(",")]
            array = loops[-1]["arrays"].setdefault(m[2], {"first": m[1], "written": False, "at": set()})
            array["written"] |= m[1] == "write"
            array["at"].add(tuple(reversed(at)))
        elif part == "nests" and "kind: fp" in line:
            words = re.search(r"words: ([\d+*-]+)", line)
            loops[-1]["state"] += eval(words[1]) if words else 1
    return copies, loops


def up(words, line):
    return -(-words // line) * line


def gap(values):
    values = sorted(values)
    return max((b - a for a, b in zip(values, values[1:])), default=1)


def bound(copies, loop, block, cache, line, write_cost=16, bypass=False):
    """What a sheet has in the row of a loop."""
    bx, by, bz = block
    cells = loop["n"][0] * loop["n"][1] * loop["n"][2]
    rounded = up(bx, line)
    kinds = {"R": 0, "W": 0, "RW": 0}
    moved, sets, written = [0.0] * 4, [0.0] * 3, 0.0
    reads = [a["at"] for a in loop["arrays"].values() if not a["written"]]
    gap_z = max((gap({z for _, _, z in at}) for at in reads), default=1)
    gap_y = max((gap({y for _, y, z in at if z == plane}) for at in reads for plane in {z for _, _, z in at}), default=1)
    for name, a in loop["arrays"].items():
        at, c = a["at"], copies[name]
        # where an axis has one offset alone, the array begins there
        moved_by = [next(iter(at))[d] if len({o[d] for o in at}) == 1 else 0 for d in range(3)]
        at = {tuple(o[d] - moved_by[d] for d in range(3)) for o in at}
        planes = {z for _, _, z in at}
        kind = "R" if not a["written"] else "W" if a["first"] == "write" else "RW"
        kinds[kind] += c
        row, plane = rounded, rounded * by
        if kind == "R":
            ex, ey, ez = (max(0, max(o[d] for o in at)) - min(0, min(o[d] for o in at)) for d in range(3))
            star = all(sum(x != 0 for x in o) < 2 for o in at)
            row = up(bx + ex, line)
            plane = row * by + rounded * (by + ey) - rounded * by if star else row * (by + ey)
            whole = (
                row * by * bz + rounded * (by + ey) * bz + rounded * by * (bz + ez) - 2 * rounded * by * bz
                if star
                else row * (by + ey) * (bz + ez)
            )
            for level, words in enumerate(
                (whole, len(planes) * plane * bz, len({(y, z) for _, y, z in at}) * row * by * bz, len(at) * bx * by * bz)
            ):
                moved[level] += 8 * c * words
        else:
            written += (write_cost if kind == "W" else 16) * c * rounded * by * bz
        if bypass and kind != "R":
            continue
        sets[0] += 8 * c * (max(planes) - min(planes) + gap_z) * plane
        for z in planes:
            ys = {y for _, y, plane_z in at if plane_z == z}
            sets[1] += 8 * c * row * (max(ys) - min(ys) + gap_y)
        sets[2] += 8 * c * len(at)
    moved = [cells / (bx * by * bz) * (m + written) for m in moved]
    pencil = sets[2] if moved[1] == moved[2] else sets[1]
    working = pencil if moved[0] == moved[1] else sets[0]
    first = 0 if working < cache else 1 if pencil < cache else 2 if sets[2] < cache else 3
    ops = loop.get("ops", {})
    weights = {"add": 1, "mul": 1, "div": 39, "f": 125}
    work = sum(weights[k] * n for k, n in ops.items()) * cells
    return {
        "cells": cells, "state_real": loop["state"], "arrays_read": kinds["R"], "arrays_written": kinds["W"],
        "arrays_read_written": kinds["RW"], "plane_bytes": sets[0], "pencil_bytes": sets[1], "cell_bytes": sets[2],
        "working_set_bytes": working, "traffic_bytes": min(moved[first:]), "weighted_flop": work,
        "bound_fs": max(work / 1.024e13, min(moved[first:]) / 2**40) * 1e15,
    }  # fmt: skip


def chance(path, dice):
    """A file of three loops over a box, one of them over more, with arrays read and written at any offsets."""
    arrays = [f"a{i}" for i in range(dice.randrange(1, 7))]
    out = ["htmt-nests: 1", "arrays:"]
    out += [f"  {a}: {{box: [-20..99, -20..99, -20..99], components: {dice.randrange(1, 5)}}}" for a in arrays]
    out += ["nests:"]
    for i in range(3):
        grown = [dice.choice([0, 0, 1, 4]) if i else 0 for _ in range(3)]
        n = dict(zip("kji", (24, 40, 56)))
        out += [f"  loop_{i}:", f"    line: {i + 1}"]
        out += ["    loops: {" + ", ".join(f"{v}: {-g}..{n[v] - 1 + g}" for v, g in zip("kji", grown)) + "}"]
        out += [f"    ops: {{add: {dice.randrange(90)}, div: {dice.randrange(4)}}}", "    accesses:"]
        for a in dice.sample(arrays, dice.randrange(1, len(arrays) + 1)):
            star = dice.random() < 0.5
            for _ in range(dice.randrange(1, 9)):
                at = [dice.randrange(-4, 5) if dice.random() < 0.5 else 0 for _ in range(3)]
                if star:
                    axis = dice.randrange(3)
                    at = [x if d == axis else 0 for d, x in enumerate(at)]
                word = ", ".join(v + (f"{x:+d}" if x else "") for v, x in zip("kji", at))
                out += [f"      - {'write' if dice.random() < 0.1 else 'read'} {a}[{word}]"]
    open(path, "w").write("\n".join(out) + "\n")


def main(htmt, folder, count):
    dice, compared = random.Random(7), 0
    shipped = sorted(os.path.join(folder, f) for f in os.listdir(folder) if f.startswith("exasat-"))
    shipped = [f for f in shipped if "live:" not in open(f).read() and "  n:" not in open(f).read()]
    for i in range(count):
        path = dice.choice(shipped) if i % 2 else "chance.yaml"
        if path == "chance.yaml":
            chance(path, dice)
        species = dice.choice([1, 9, 21, 53])
        copies, loops = read_nests(path, species)
        box = [min(loop["n"][d] for loop in loops) for d in range(3)]
        asked = [dice.choice([0, 1, 3, 7, 8, 16, 24]) for _ in range(3)]
        cache, line = dice.choice([1, 16, 60, 256, 1024, 16384]), dice.choice([8, 64, 128])
        cost, bypass = dice.choice([8, 16]), dice.random() < 0.2
        subprocess.run(
            [htmt, "bound", path, "--rule", "exasat", "--machine", "exasat-sheet", "--csv", "o.csv", "--lines", str(line),
             "--block", ",".join(map(str, asked)), "--cache", f"{cache}KiB", "--write-cost", str(cost)]
            + ["--bypass"] * bypass + ["--param", f"NS={species}"] * ("parameters:" in open(path).read()), check=True, stdout=subprocess.DEVNULL)  # fmt: skip
        rows = list(csv.DictReader(open("o.csv")))
        assert len(rows) == len(loops) + 1 and rows[-1]["loop"] == "total", path
        for loop, row in zip(loops, rows):
            block = [a or b for a, b in zip(asked, box)]
            for column, wanted in bound(copies, loop, block, 1024 * cache, line // 8, cost, bypass).items():
                if abs(float(row[column]) - wanted) > 1e-9 * abs(wanted) + (1 if column == "bound_fs" else 0):
                    sys.exit(f"{path}, {loop['name']}, {block}, {cache} kB, lines {line}: {column} {row[column]}, not {wanted}")
                compared += 1
    print(f"{compared} numbers are the same")


main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
