#!/bin/bash
# Class: fast foreign.
# htmt report: the JSON of a run gives its report back, a trace as much as it holds; comparisons add
# up; the page is well-formed, asks for nothing, and shows the figures of the JSON; what is no result
# of a run is refused in one line.
. "$(dirname "$0")/common"

# same NAME ARGUMENTS...: the report of the run, and that of its file NAME.json.
same() {
    local name=$1
    shift
    expect 0 "$HTMT" "$@" --json "$name.json"
    mv out "$name.txt"
    expect 0 "$HTMT" report "$name.json"
    cmp -s "$name.txt" out || fail "$name: another report: $(diff "$name.txt" out | head -n 5)"
}

# ---- reports ---------------------------------------------------------------------------------------

same cannon run cannon --size 64 --slices 4 --explain --summary --lint --trace cannon.trace
same pic run pic --case langmuir --steps 2 --slices 2 --explain --lint --trace pic.trace
same sar run sar --slices 2 --explain --trace sar.trace
same volume run volume --phantom 24 --size 32 --slices 2 --explain --table csv:t.csv --trace volume.trace
for app in cannon pic sar volume; do
    same "$app-model" model $app --slices 1 --explain --summary
done
same checked run cannon --size 32 --slices 4 --check-determinism --set 'layers.cram.memory.capacity=1 MiB'

# Ctrl-C or a deadlock: the figures up to there. The lines of who waits for what are not in the JSON.
expect 3 "$HTMT" model pic --case thermal --slices 4 --steps 3 --mail 300 --json stuck.json
sed -n '/^htmt model/,$p' out >stuck.txt
expect 0 "$HTMT" report stuck.json
cmp -s stuck.txt out || fail "a deadlock: $(diff stuck.txt out | head -n 5)"

expect 0 "$HTMT" report cannon.json sar.json
{
    printf '==> cannon.json <==\n' && cat cannon.txt
    printf '\n==> sar.json <==\n' && cat sar.txt
} | cmp -s - out || fail 'two reports are not one behind the other'

# A trace has the same figures, without the longest queues.
columns() { sed -n "/^$1/,/^\$/p" | awk '{ $NF = ""; print }'; }
expect 0 "$HTMT" report cannon.trace
for section in RESOURCES MEMORIES; do
    columns $section <cannon.txt | cmp -s - <(columns $section <out) ||
        fail "$section of a trace: $(columns $section <out)"
done
sed -n '/^BOTTLENECKS/,/^$/p' cannon.txt | cmp -s - <(sed -n '/^BOTTLENECKS/,/^$/p' out) ||
    fail "bottlenecks of a trace: $(cat out)"

# Its critical path is that of --explain, without the closed form; rows of one time are in any order.
path() { sed -n '/^EXPLANATION/,/^$/p' "$1" | sed '/^  closed form/,/^  cause/{/^  cause/!d}' | sort; }
for app in cannon pic sar volume; do
    expect 0 "$HTMT" report $app.trace
    path $app.txt >path.txt
    [ "$(wc -l <path.txt)" -gt 8 ] || fail "no path in: $(cat $app.txt)"
    path out | cmp -s - path.txt || fail "the path of $app.trace: $(path out | diff - path.txt)"
done

# ---- comparisons -------------------------------------------------------------------------------------

push=(model pic --machine hereld-tables --costs pic-hereld --phases push --parcels 50 --slices 1 --explain)
expect 0 "$HTMT" "${push[@]}" --json a.json
expect 0 "$HTMT" "${push[@]}" --set 'layers.cram.memory.capacity=256000 words' --json b.json
expect 0 "$HTMT" report --compare a.json b.json --json d.json
for line in 'figure layers.cram.memory.capacity  128 kword  *256000 words' \
    'bottleneck    SPELL in both' 'stall  .* 0 s  *-[0-9]*$' 'all  .* -[0-9]*$'; do
    grep -q "$line" out || fail "no line '$line' in: $(cat out)"
done
expect 0 "$HTMT" report a.json --compare b.json --json -
cmp -s out d.json || fail 'two forms of one comparison'
cat >sums.py <<'END'
import json, sys
a, b, d = (json.load(open(f)) for f in ("a.json", "b.json", "d.json"))
change = b["predicted_fs"] - a["predicted_fs"]
assert d["schema"] == "htmt-comparison-1" and d["change_fs"] == change < 0
assert sum(c["change_fs"] for c in d["causes"]) == change
assert sum(p["change_fs"] for p in d["parts"]) == change
weights = [abs(p["change_fs"]) for p in d["parts"]]
assert weights == sorted(weights, reverse=True)
for r in d["resources"]:
    assert abs(r["change_busy_s"] + r["change_rest_s"] - change * 1e-15) < 1e-15, r
    phases = [p["change_busy_s"] for p in d["phases"] if p["resource"] == r["name"]]
    assert not phases or abs(sum(phases) - r["change_busy_s"]) < 1e-12, r
for m in d["memories"]:
    peaks = [next(x["peak_words"] for x in o["memories"] if x["name"] == m["name"]) for o in (a, b)]
    assert peaks == [m["a_peak_words"], m["b_peak_words"]], m
END
python3 sums.py || fail 'the comparison does not add up'
[ "$(grep -c 'INSIDE NETWORKS' out)" = 0 ] || fail 'ports of networks that have none'

# Ports inside networks, and processors that route.
mesh=(model traffic --machine gcel --pattern all-to-all --bytes 256 --slots 1 --compute 1ms)
expect 0 "$HTMT" "${mesh[@]}" --json e.json
expect 0 "$HTMT" "${mesh[@]}" --set networks.grid.inside.router=none --set networks.grid.inside.setup=9us \
    --json f.json
expect 0 "$HTMT" report --compare e.json f.json --json g.json
for line in 'INSIDE NETWORKS' '^  grid  *88,704  *88,704 ' 'PORTS inside networks that changed' \
    'ROUTING by a processor' '^  T805  *node  *24.07 ms  *0 s  *-24.07 ms'; do
    grep -q "$line" out || fail "no line '$line' in: $(cat out)"
done
cat >ports.py <<'END'
import json
e, f, g = (json.load(open(name)) for name in ("e.json", "f.json", "g.json"))
inside = g["insides"][0]
assert inside["a_contentions"] == e["insides"][0]["contentions"]
assert inside["b_contentions"] == f["insides"][0]["contentions"]
assert len(g["ports"]) == len(e["ports"]) == len(f["ports"])
held = [abs(p["b_busy_s"] + p["b_blocked_s"] - p["a_busy_s"] - p["a_blocked_s"]) for p in g["ports"]]
assert all(x >= y - 1e-15 for x, y in zip(held, held[1:]))
routing, one = g["routing"][0], e["routing"][0]
assert abs(routing["a_routing_s"] * one["count"] - one["route_s"] - one["copy_s"]) < 1e-12
assert routing["b_routing_s"] == 0 and routing["b_utilization"] is None
END
python3 ports.py || fail 'the comparison of ports does not fit its runs'
expect 0 "$HTMT" model cannon --size 64 --slices 4 --json plain.json
expect 0 "$HTMT" report --compare a.json plain.json
grep -qE '^  hash of the costs +[0-9a-f]{16} +-$' out || fail "costs that a run does not have: $(cat out)"
expect 0 "$HTMT" report --compare a.json a.json
grep -q 'both have the same history' out || fail 'a run differs from itself'
grep -q '^  none differs$' out || fail 'the inputs of a run differ from themselves'

# Traces, too: the trace of a run does not differ from its JSON, and critical paths come without --explain.
for size in 256 512; do
    expect 0 "$HTMT" run cannon --size $size --slices 4 --json c$size.json --trace c$size.trace
done
expect 0 "$HTMT" report --compare c256.trace c512.trace --json traces.json
grep -q '^  work  *32.77 us  *262.1 us  *+229376000000$' out || fail "no causes of two traces: $(cat out)"
expect 0 "$HTMT" report --compare c256.json c512.json --json jsons.json
expect 0 "$HTMT" report --compare c256.json c256.trace
grep -q 'both have the same history' out || fail 'a trace differs from its run'
# One of both goes by the path: the other has none, so both go by use.
expect 0 "$HTMT" model cannon --size 64 --slices 4 --explain --json explained.json
expect 0 "$HTMT" report --compare plain.json explained.json
grep -q '^  bottleneck  *SPELL in both$' out || fail "one history, two bottlenecks: $(cat out)"
python3 - <<'END' || fail 'traces compare otherwise than the JSON of their runs'
import json
a, b = (json.load(open(name)) for name in ("traces.json", "jsons.json"))
near = lambda x, y: x == y or abs(x - y) <= 1e-9 * max(abs(x), abs(y))
assert a["change_fs"] == b["change_fs"] and sum(c["change_fs"] for c in a["causes"]) == a["change_fs"]
of = {r["name"]: r for r in b["resources"]}
for r in a["resources"]:
    for key in ("change_busy_s", "change_rest_s", "a_utilization", "b_utilization"):
        assert near(r[key], of[r["name"]][key]), (r, of[r["name"]])
END
expect 0 "$HTMT" run cannon --size 256 --slices 4 --trace part.trace --trace-slices 1
expect 0 "$HTMT" report --compare part.trace c512.trace
tr '\n' ' ' <out | grep -q 'note  *the trace is filtered' || fail "a filtered trace is compared in silence: $(head -8 out)"

# ---- the page ----------------------------------------------------------------------------------------

cat >page.py <<'END'
import html.parser, json, sys
VOID = {"meta", "br", "img", "link", "input"}
class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.marks, self.tags = [], [], set()
    def handle_starttag(self, tag, attributes):
        names = dict(attributes)
        assert not {"src", "href", "onerror", "onload", "style"} & set(names), (tag, names)
        self.tags.add(tag)
        if tag not in VOID:
            self.open.append(tag)
        if "data-of" in names:
            self.marks.append(names)
    handle_startendtag = handle_starttag
    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag
class Svg(Page):
    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        self.open.pop()
text, run = open(sys.argv[1]).read(), json.load(open(sys.argv[2]))
page = Svg()
page.feed(text)
page.close()
assert page.open == [] and "script" not in page.tags and "svg" in page.tags, page.open
for reference in ("url(", "@import", "http:", "https:"):
    assert reference not in text, reference
assert "default-src 'none'" in text
assert "@page{size:A4" in text and "svg{max-width:100%;height:auto}" in text  # a print is not cut
bars = [m for m in page.marks if "data-value" in m]
def value(name):
    return [float(m["data-value"]) for m in bars if m["data-of"] == name]
for p in run["phases"]:
    if p["utilization"] > 0:
        name = p["name"].replace("\x1b", "\\x1b") + " " + p["stage"]
        assert p["utilization"] in value(name), p
gap = (run["explanation"] or {}).get("gap")
assert gap and value("clock") == [run["predicted_fs"]] and value("closed form") == [gap["closed_form_fs"]]
steps = gap["more_fs"] or {c: t for c, t in run["explanation"]["sums_fs"].items() if c != "work"}
for cause, time in steps.items():
    assert value(cause) == ([time] if time else []), cause
dots = [m for m in page.marks if "data-x" in m]
seconds = run["predicted_s"]
words = {r["name"]: r["words"] for r in run["resources"]}
for bank in (r for r in run["resources"] if r["kind"] == "bank" and r["served"]):
    for unit in ("cycles", "flop", "iop", "loads", "stores"):
        done = sum(p["quantity"] for p in run["phases"] if p["resource"] == bank["name"] and p["unit"] == unit)
        mine = [m for m in dots if abs(float(m["data-y"]) - done / seconds) < 1e-9 * done / seconds]
        for m in mine:
            assert any(abs(float(m["data-x"]) * w - done) < 1e-9 * done for w in words.values()), m
assert dots
if len(sys.argv) > 3:
    for r in run["resources"]:
        if r["busy_s"] > 0:
            assert any(abs(v - r["utilization"]) < 1e-12 for v in value(r["name"])), r
END
page() {
    expect 0 "$HTMT" report "$1.json" --html "$1.html" "${@:2}"
    [ ! -s out ] || fail "a page beside output: $(cat out)"
    python3 page.py "$1.html" "$1.json" "${@:2:1}" || fail "the page of $1"
}
page cannon --trace cannon.trace
for run in sar pic volume a; do
    page $run
    grep -q 'Left out: it needs the trace' $run.html || fail "$run: no word of the missing trace"
done

# Names are text, whatever they hold.
cat >hostile.py <<'END'
import json
run = json.load(open("cannon.json"))
name = "</script></title><img src=x onerror=alert(1)>\"'&\x1b[31m"
run["app"] = run["problem"] = run["notes"][0] = name
run["record"]["options"].append(["set", name])
for p in run["phases"]:
    p["name"] = name[:60]
for part in run["explanation"]["parts"]:
    part["type"] = name[:60]
json.dump(run, open("hostile.json", "w"))
END
python3 hostile.py
page hostile
! grep -q $'<img\|\x1b' hostile.html || fail 'a name is markup'
expect 0 "$HTMT" report hostile.json
! grep -q $'\x1b' out || fail 'a name commands the terminal'

# ---- refusals -----------------------------------------------------------------------------------------

edit() { python3 -c "import json
r = json.load(open('cannon.json'))
$1
json.dump(r, open('x.json', 'w'))"; }

refuse 'none.json: cannot open' report none.json
echo '{"schema":' >x.json
refuse 'x.json:2: found' report x.json
head -c 3000 cannon.json >x.json
refuse 'expected the JSON of a run (htmt run --json)' report x.json
printf '\177ELF' >x.json
refuse 'x.json:1: found' report x.json
edit "r['schema'] = 'htmt-results-2'"
refuse "x.json: schema: found 'htmt-results-2', expected 'htmt-results-1'" report x.json
edit "del r['resources'][2]['busy_s']"
refuse 'x.json: resources[2].busy_s: found nothing, expected a number' report x.json
edit "r['phases'][0]['parcels'] = -3"
refuse 'x.json: phases[0].parcels: found -3, expected a count' report x.json
edit "r['phases'][1]['classes'] = {'flop': 'x'}"
refuse "x.json: phases[1].classes.flop: found 'x', expected a number" report x.json
edit "r['resources'][2]['peaks'] = 5"
refuse 'x.json: resources[2].peaks: found 5, expected an object' report x.json
edit "r['events'] = 'many'"
refuse "x.json: events: found 'many', expected a count" report x.json
edit "r['memories'] = {}"
refuse 'x.json: memories: found an object, expected an array' report x.json
edit "r['history_hash'] = 'abc'"
refuse "x.json: history_hash: found 'abc', expected 16 hexadecimal digits" report x.json
sed 's/"events": [0-9]*/"events": 99999999999999999999999/' cannon.json >x.json
refuse 'x.json:' report x.json
refuse 'expected the JSON of a run' report cannon.json x.json
expect 0 "$HTMT" predict cannon --size 64 --slices 4 --json x.json
refuse "x.json: mode: found 'predict', expected 'run' or 'model'" report --compare x.json cannon.json
refuse 'found a trace, expected the JSON of a run' report cannon.trace --html x.html
refuse 'found the trace of a run with history hash' report sar.json --html x.html --trace cannon.trace
refuse 'cannon.json: byte 0: found' report sar.json --html x.html --trace cannon.json
head -c 1000 cannon.trace >half.trace
refuse 'half.trace' report half.trace
[ ! -e x.html ] || fail 'a page in spite of a refusal'
refuse 'found 1 file, expected the JSON or the traces of two runs' report --compare a.json
refuse 'found 2 files, expected the JSON of one run' report a.json b.json --html x.html
refuse 'found 0 files' report
refuse '--json is the form of --compare' report a.json --json -
refuse '--trace is for the page' report a.json --trace cannon.trace
refuse "unknown option '--htm'" report a.json --htm x
refuse "--html none/x.html: there is no folder 'none'" report a.json --html none/x.html
refuse 'a.json is read and would be written over' report a.json --html a.json
expect 4 "$HTMT" report a.json --html /dev/full
python3 -c 'import json; json.load(open("a.json"))' || fail 'an input was written over'

# Whatever numbers the file holds, the report ends.
edit "
for r_ in r['resources']: r_.update(busy_s=1e308, utilization=1e300, count=9223372036854775807)
for p in r['phases']: p.update(utilization=1e300, quantity=-1e308, mean_s=1e308)
r['predicted_fs'] = 9223372036854775807; r['wall']['total_s'] = None; r['flops'] = 1e308"
expect 0 "$HTMT" report x.json
expect 0 "$HTMT" report x.json --html x.html
expect 0 "$HTMT" report --compare x.json cannon.json

# ---- progress -------------------------------------------------------------------------------------------

run=(run cannon --size 32 --slices 4)
expect 0 "$HTMT" "${run[@]}"
[ ! -s err ] || fail "progress of a short run: $(cat err)"
expect 0 "$HTMT" "${run[@]}" --progress json --json p.json
python3 -c 'import json
lines = [json.loads(line) for line in open("err")]
steps = [line["step"] for line in lines if line["run"] == 1]
assert steps == ["input", "set-up", "emulation", "check", "output", "conclusion"], steps' ||
    fail "progress as JSON: $(cat err)"
for quiet in '--progress off' '--progress json --quiet'; do
    # shellcheck disable=SC2086
    expect 0 "$HTMT" "${run[@]}" $quiet
    [ ! -s err ] || fail "$quiet: $(cat err)"
done
refuse "--progress: found 'x', expected auto, json or off" "${run[@]}" --progress x
