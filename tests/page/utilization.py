#!/usr/bin/env python3
# Compare every utilisation that the views of a run show with that of its report:
#   utilization.py HTMT RUN.json TRACE
# The JSON of the run is the report. Views: the report of the trace, the timeline page, the curves of the
# report's page, and the intervals of the trace themselves, added up from its page.
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, sys.path[0])
from page_data import Page  # noqa: E402


def fail(text):
    sys.exit(f"{sys.argv[2]}: {text}")


def near(a, b):
    return abs(a - b) <= 1e-9 * max(abs(a), abs(b)) + 1e-15


def tables(text):
    """Rows of RESOURCES and PHASES: name, and the share as it is printed."""
    found, head = {}, None
    for line in text.split("\n"):
        if re.match(r"[A-Z]", line):
            head = line.split()[0]
        elif head in ("RESOURCES", "PHASES") and line.startswith("  ") and not re.match(r"  (type|resource)\b", line):
            cells = re.split(r"\s{2,}", line.strip())
            at = next((k for k, cell in enumerate(cells) if re.fullmatch(r"[<>]?[\d.]+ %", cell)), None)
            if at is not None:
                found[(head, *(cells[:1] if head == "RESOURCES" else cells[:3]))] = cells[at]
    return found


def main():
    htmt, run, trace = sys.argv[1:4]
    with open(run, encoding="utf-8") as file:
        report = json.load(file)
    of = {r["name"]: r["utilization"] for r in report["resources"]}
    ask = lambda *words: subprocess.run([htmt, *words], check=True, capture_output=True, text=True, env={**os.environ, "COLUMNS": "300"}).stdout  # noqa: E731

    # The report of the trace has the same tables.
    a, b = tables(ask("report", run)), tables(ask("report", trace))
    if not b or any(a.get(key) != b[key] for key in b if key in a or b[key] != "0.0 %"):
        fail(f"report of the trace: {[(key, a.get(key), b[key]) for key in b if a.get(key) != b[key]][:5]}")

    # The page names the same shares, and its intervals add up to them.
    ask("timeline", trace, "-o", "page.html")
    page = Page("page.html")
    m = page.manifest
    sums = page.row_sums()
    for row, (busy, _, _) in zip(m["rows"], sums):
        if row["resource"] is None:
            continue
        r = m["resources"][row["resource"]]
        if r["name"] in of and not near(r["utilization"], of[r["name"]]):
            fail(f"page: {r['name']} {r['utilization']}, the report says {of[r['name']]}")
        all_of = int(m["end_fs"]) * r["count"] * r["recorded"]
        added = r["issue"] * busy / all_of if all_of else 0
        if not near(added, r["utilization"]):
            fail(f"page: the intervals of {r['name']} add up to {added}, not {r['utilization']}")

    # The page of the report has the same means over its curves.
    ask("report", run, "--html", "report.html", "--trace", trace)
    with open("report.html", encoding="utf-8") as file:
        text = file.read()
    curves = re.findall(r'<path class="(?:compute|transfer)" data-of="([^"]*)" data-value="([^"]*)"', text)
    if any(share > 0 for share in of.values()) and not curves:
        fail("the page of the report has no curves")
    for name, value in curves:
        if name in of and not near(float(value), of[name]):
            fail(f"page of the report: {name} {value}, the report says {of[name]}")


main()
