"""What ports did in a trace, and in the charts of it, against facts.

contentions.py TRACE SVG JSON GOLDEN REPORT: example 1 of Pauer
"""
import csv
import json
import sys
from collections import defaultdict
from xml.etree import ElementTree

import htmt

US = 10**9


def check(found, expected, what):
    if found != expected:
        sys.exit(f"{what}: found {found}, expected {expected}")


def golden(path):
    with open(path, newline="") as rows:
        lines = (line for line in rows if not line.startswith("#"))
        return {row["id"]: row["recomputed"] or row["value"] for row in csv.DictReader(lines)}


def queued(ports):
    """When packets began to queue, by port."""
    found = defaultdict(list)
    for p in ports:
        if p.state == "queued":
            found[p.port].append(p.begin_fs // US)
    return dict(found)


def check_contentions(ports, facts):
    found = queued(ports)
    check(sorted(found), ["1.2", "2.2"], "ports with queues")
    check(sorted(found["1.2"]), [12, 121, 225], "contentions at 1.2, us")
    check(sorted(found["2.2"]), [438, 540], "contentions at 2.2, us")
    check(len(found["1.2"]), int(facts["P.ex1.cont1"]), "contentions at 1.2")
    check(len(found["2.2"]), int(facts["P.ex1.cont2"]), "contentions at 2.2")


def check_arrivals(ports, facts):
    """A packet is there when its port has sent it and a wire of 1 us is behind it."""
    last = [p for p in ports if p.state == "sends" and p.port in ("3.2", "4.2", "4.3")]
    found = sorted(p.end_fs // US + 1 for p in last)
    names = ("m2", "t1", "b1", "t2", "b2", "t3", "b3", "t4", "b4")
    check(found, sorted(int(facts[f"P.ex1.at.{n}"]) for n in names), "packets received, us")


def check_sums(ports, report):
    """Intervals of a port are its account, in femtoseconds."""
    sums = defaultdict(lambda: defaultdict(int))
    for p in ports:
        sums[p.port][p.state] += p.end_fs - p.begin_fs
    for port in report["ports"]:
        for state, key in (("sends", "busy_s"), ("blocked", "blocked_s"), ("waits", "waiting_s")):
            check(sums[port["name"]][state] / 1e15, port[key], f"{port['name']}, {key}")
        shares = sum(port[f"{k}_share"] for k in ("busy", "blocked", "waiting", "idle"))
        check(round(shares, 9), 1.0, f"{port['name']}, shares")


def boxes(svg):
    """Texts of the chart."""
    root = ElementTree.parse(svg).getroot()
    check(root.tag.endswith("svg"), True, svg)
    return root


def check_shares(path):
    with open(path) as text:
        chart = json.load(text)
    rows = {row["name"]: row for row in chart["rows"]}
    end = chart["to_fs"] - chart["from_fs"]
    waits = rows["1.2 queue"]
    check(waits["kind"], "queue", "kind of '1.2 queue'")
    # 12 to 111, 121 to 215, 225 to 317 us
    check(round(waits["shares"]["blocks"] * end / US), 285, "time in the queue of 1.2, us")
    check(round(rows["source-top out"]["shares"]["startup"] * end / US), 40, "start-up, us")
    # 122 to 216 and 440 to 532 us
    check(round(rows["source-top out"]["shares"]["blocked"] * end / US), 186, "blocked, us")
    check([r for r in rows if r.startswith("1.1")], [], "idle rows")
    check(round(rows["node-top"]["shares"]["compute"] * end / US), 50, "processing, us")


def main(trace, svg, shares, facts, report):
    with htmt.Trace(trace) as t:
        ports = list(t.ports())
    with open(report) as text:
        report = json.load(text)
    facts = golden(facts)
    check_contentions(ports, facts)
    check_arrivals(ports, facts)
    check_sums(ports, report)
    boxes(svg)
    check_shares(shares)


main(*sys.argv[1:])
