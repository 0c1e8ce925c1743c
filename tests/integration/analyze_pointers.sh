#!/bin/bash
# Class: fast foreign.
# Time loops that exchange pointers at the end of a turn: each turn reads what the one before wrote.
. "$(dirname "$0")/common"
if [ ! -x "$(dirname "$HTMT")/htmt-analyze" ]; then
    lacks 'libclang or isl' 'loops of C sources'
    exit 0
fi

# program TURNS EXCHANGE: the source; a, b and c are the arrays, p, q and r point to them.
program() {
    printf '%s\n' '#include <stdlib.h>' 'static double a[512], b[512], c[512];' "int main(int argc, char **argv) { int n = atoi(argv[1]);" \
        'double *p = a, *q = b, *r = c, *t;' "for (int k = 0; k < $1; k++) {" \
        'for (int i = 1; i < 511; i++) p[i] = q[i - 1] + q[i + 1];' "$2" '} return r != c; }'
}

# turns TURNS EXCHANGE PARAMETERS WANTED: who writes whom, turn by turn, as the nest file has it.
turns() {
    program "$1" "$2" >loop.c
    expect 0 "$HTMT" analyze loop.c --nests loop.yaml
    found=$(python3 - "$3" <<'END_OF_FILE'
import math, re, sys
text, values = open("loop.yaml").read(), dict(v.split("=") for v in sys.argv[1].split(",") if v)
nests = {n: re.search(r"write (\w)", b).group(1) + re.search(r"read (\w)", b).group(1)
         for n, b in re.findall(r"\n  (main[.\w]*):\n(.*?)(?=\n  \w|\n\n)", text.split("\nnests:")[1], re.S)}
turns, times, body = [], 1, []
for line in text.split("\nprogram:\n")[1].splitlines() + ["  - repeat: 0"]:
    if m := re.match(r'  - repeat: "?([^"]*)"?', line):
        turns += times * body
        names = {"floor": math.floor} | {k: int(v) for k, v in values.items()}
        times, body = int(eval(m.group(1), names)), []
    elif m := re.match(r"      - nest: (\S+)", line):
        body.append(nests[m.group(1)])
print(*turns)
END_OF_FILE
    )
    [ "$found" = "$4" ] || fail "$1 turns of '$2' at $3: found '$found', expected '$4'"
}
two='t = p; p = q; q = t;'
three='t = r; r = q; q = p; p = t;' # p, q, r = r, p, q
turns 4 "$two" '' 'ab ba ab ba'
turns 5 "$two" '' 'ab ba ab ba ab'
turns 1 "$two" '' ab
turns n "$two" n=6 'ab ba ab ba ab ba'
turns n "$two" n=3 'ab ba ab'
turns n "$two" n=0 ''
turns 7 "$three" '' 'ab ca bc ab ca bc ab'
turns n "$three" n=5 'ab ca bc ab ca'
turns 3 't = p; p = t;' '' 'ab ab ab'

# What the bound makes of it: after four turns both arrays were read and written, 510 words each.
program 4 "$two" >loop.c
expect 0 "$HTMT" analyze loop.c --nests loop.yaml
expect 0 "$HTMT" bound ./loop.yaml --machine exasat-listing1 --cache 64KiB --csv loop.csv
moved=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR > 1 { all += $at["all_bytes_low"] } END { print all }' loop.csv)
[ "$moved" = $((8 * (512 + 512 + 510 + 510))) ] || fail "moved: $moved"

# Turns that differ by their number, too, are listed.
program 8 "if (k % 4 == 0) for (int i = 0; i < 9; i++) c[i] = 1; $two" >loop.c
expect 1 "$HTMT" analyze loop.c --nests loop.yaml
grep -q "loop.c:5:[0-9]*: found a pointer that holds something else in each turn: .[pq].; the first turn counts" err ||
    fail "not listed: $(cat err)"
