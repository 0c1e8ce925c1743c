#!/usr/bin/env python3
"""Compare documents of runs: same.py FOLDER

NAME.one is of one process, NAME.RANKS.THREADS of several. Both tell the same: all but the host and how
the clock went.
"""
import json
import pathlib
import sys


def told(path):
    document = json.loads(path.read_text())
    for key in ("host", "clock", "wall", "record", "threads"):
        document.pop(key)
    if document["mode"] == "run":
        document["notes"] = [note for note in document["notes"] if "(host clock)" not in note]
    return {key: json.dumps(value, sort_keys=True) for key, value in document.items()}


def main():
    compared = 0
    for one in sorted(pathlib.Path(sys.argv[1]).glob("*.one")):
        wanted = told(one)
        for several in sorted(one.parent.glob(f"{one.stem}.*.*")):
            found = told(several)
            compared += 1
            for key in wanted.keys() | found.keys():
                if wanted.get(key) != found.get(key):
                    sys.exit(f"{several.name}: {key}: {found.get(key)}, not {wanted.get(key)}"[:1000])
    if not compared:
        sys.exit("nothing is compared")


main()
