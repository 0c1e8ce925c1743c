#!/bin/bash
# Class: fast.
# Exports of traces hold every interval: Perfetto's, decoded by protoc, Paje's, read by pj_dump, and
# the table say the same. The critical path of a trace is the one that --explain prints.
. "$(dirname "$0")/common"
python=/usr/bin/python3

# explained STATUS TRACE ARGUMENTS...: records the run, which ends with that status; its explanation
# and the path of its trace agree.
explained() {
    local status=$1 trace=$2
    shift 2
    expect "$status" "$HTMT" "$@" --explain --json run.json --trace "$trace"
    expect 0 "$HTMT" trace path "$trace" --json path.json
    grep -q '^CRITICAL PATH (virtual clock; work is that of ' out || fail "$*: no path: $(head -3 out)"
    "$python" - run.json path.json <<'END' || fail "$*: the path of the trace is another one"
import collections, json, sys
run, path = (json.load(open(name)) for name in sys.argv[1:])
explanation = run["explanation"]
assert path["predicted_fs"] == run["predicted_fs"], (path["predicted_fs"], run["predicted_fs"])
assert sum(path["sums_fs"].values()) == run["predicted_fs"]
assert sum(p["time_fs"] for p in path["path"]) == run["predicted_fs"]
assert path["principal"] == explanation["principal"]
assert path["sums_fs"] == explanation["sums_fs"], (path["sums_fs"], explanation["sums_fs"])
by_resource = collections.Counter()
for p in path["path"]:
    by_resource[p["resource"]] += p["time_fs"]
for r in path["resources"]:
    assert r["on_path_fs"] == by_resource[r["name"]], r
    assert r["gain_fs"] >= 0 and r["least_slack_fs"] >= 0, r
assert path["references_left_out"] == 0
END
}

"$python" -c '' 2>/dev/null || { lacks python3 'the exports'; exit 77; }

explained 0 cannon.trace run cannon --size 256 --slices 4
explained 0 model.trace model cannon --size 512 --slices 9
explained 0 folded.trace model cannon --size 512 --slices 4 --fold
explained 0 volume.trace model volume --slices 2
explained 0 volume_run.trace run volume --slices 2
explained 0 sar.trace model sar --slices 4
explained 0 sar_run.trace run sar --slices 2
explained 0 pic.trace model pic --case thermal --slices 4 --steps 1
explained 0 pic_run.trace run pic --case thermal --slices 2 --steps 1
explained 0 stalls.trace model pic --machine hereld-tables --costs pic-hereld --phases push \
    --parcels 200 --slices 1

# Of an incomplete run the path reaches its end, too, and of a filtered trace, as far as is known.
explained 3 stuck.trace model pic --case thermal --slices 4 --steps 3 --mail 300
grep -q '^  run  *INCOMPLETE: ' out || fail "nothing says that the run is incomplete: $(head -5 out)"

expect 0 "$HTMT" model cannon --size 512 --slices 4 --trace part.trace --trace-slices 1-2
expect 0 "$HTMT" trace path part.trace --json path.json
grep -q '^  trace  *FILTERED: ' out || fail "nothing says that the trace is filtered: $(head -5 out)"
[ "$(key filtered path.json)" = true ] || fail 'nothing says in JSON that the trace is filtered'

# What cannot be written leaves nothing; what cannot be read, too.
expect 4 "$HTMT" trace export cannon.trace --csv /dev/full
one_line
refuse 'expected fs or ps' trace export cannon.trace --csv x.csv --unit ns
refuse 'export needs --perfetto OUT, --paje OUT or --csv OUT' trace export cannon.trace
refuse 'No such file' trace export none.trace --csv x.csv
refuse '--paje' trace export cannon.trace --csv x.csv --paje x.csv
cp cannon.trace damaged.trace
printf '\377\377\377' | dd of=damaged.trace bs=1 seek=100 conv=notrunc 2>/dev/null
for format in csv perfetto paje; do
    refuse 'damaged.trace: byte' trace export damaged.trace --$format x.out
    [ ! -e x.out ] || fail "$format of a damaged trace"
done

# The unit ps is rounded and says so.
expect 0 "$HTMT" trace export cannon.trace --perfetto ps.pftrace --paje ps.paje --csv ps.csv --unit ps
grep -aq '1 ns here is 1 ps of virtual time, rounded' ps.pftrace || fail 'no word of ps in Perfetto'
grep -q 'times in ps, rounded, of virtual time' ps.paje || fail 'no word of ps in Paje'
head -1 ps.csv | grep -q ',asked_ps,start_ps,end_ps,' || fail "no word of ps: $(head -1 ps.csv)"
expect 0 "$HTMT" trace export cannon.trace --csv fs.csv
"$python" - fs.csv ps.csv <<'END' || fail 'ps are not fs rounded'
import csv, sys
fs, ps = (list(csv.DictReader(open(name, newline=""))) for name in sys.argv[1:])
for a, b in zip(fs, ps, strict=True):
    assert all((int(a[t + "_fs"]) + 500) // 1000 == int(b[t + "_ps"]) for t in ("asked", "start", "end"))
END

for tool in protoc pj_dump; do
    command -v $tool >/dev/null || { lacks $tool 'the exports for other viewers'; exit 77; }
done

# compare TRACE: the three exports hold the same.
compare() {
    expect 0 "$HTMT" trace export "$1" --csv x.csv --perfetto x.pftrace --paje x.paje
    protoc -I "$root/tests/trace" --decode htmt.perfetto.Trace perfetto.proto <x.pftrace >x.pftrace.txt ||
        fail "$1: protoc does not decode it"
    pj_dump -u -l 0 x.paje >x.paje.txt || fail "$1: pj_dump does not read it"
    "$python" "$root/tests/trace/compare_exports.py" x.csv x.pftrace.txt x.paje.txt >compared 2>&1 ||
        fail "$1: $(head -c 500 compared)"
}
for trace in cannon folded sar_run pic stalls stuck; do
    compare $trace.trace
done

# Names out of a trace are data.
"$python" "$root/tests/trace/rename_types.py" cannon.trace hostile.trace
compare hostile.trace
! grep -q "$(printf '\033')" x.csv x.paje || fail 'a control character was written'
! grep -q 'name: .*\\033' x.pftrace.txt || fail 'a control character was written for Perfetto'
grep -q 'name: .*</script>' x.pftrace.txt || fail 'the hostile name is not there'
expect 0 "$HTMT" trace path hostile.trace
! grep -q "$(printf '\033')" out || fail 'a control character was printed'
