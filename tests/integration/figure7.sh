#!/bin/bash
# Class: fast foreign.
# The study file of Figure 7 of Amaral et al. gives the points that htmt validate judges, the same bits.
set -eu
. "$(dirname "$0")/common"

expect 0 "$HTMT" sweep "$root/examples/studies/amaral-figure7.yaml" --csv s.csv
expect 0 "$HTMT" validate amaral-figure7 --quiet --json v.json
python3 - <<'P' || fail 'other points'
import csv, json, sys
judged = {row["id"]: row["closed_form"] for row in json.load(open("v.json"))["tables"][0]["rows"]
          if row["id"].startswith("A.F7.")}
fpus = 5
study = {f"A.F7.{row['case']}.F{fpus * int(row['layers.cram.processor.flop'].split()[0])}":
         float(row["PFLOPS"]) for row in csv.DictReader(open("s.csv"))}
for name in judged.keys() | study.keys():
    if judged.get(name) != study.get(name):
        print(name, judged.get(name), study.get(name))
sys.exit(judged != study or len(study) != 72)
P
