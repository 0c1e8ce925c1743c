#!/bin/bash
# Class: fast.
# Pages of `htmt timeline`: the sums of each are those of the run, to the femtosecond, and the detail
# is what was asked for. Names that mean something to a browser do nothing; what is no trace is
# refused in one line, and leaves no page.
. "$(dirname "$0")/common"
check=$root/tests/page/check.py

# page [--full] FILE.html TRACE ARGUMENTS...: makes the page and checks it; --full: it has every interval.
page() {
    local every=()
    [ "$1" != --full ] || { every=(--full) && shift; }
    local out=$1 trace=$2
    shift 2
    expect 0 "$HTMT" timeline "$trace" -o "$out" "$@"
    [ "$(wc -l <out)" = 1 ] || fail "not one line: $(cat out)"
    python3 "$check" "$out" "$trace" "${every[@]}" >log 2>&1 || fail "$trace $*: $(cat log)"
}

# record FILE COMMAND...
record() {
    local trace=$1
    shift
    expect 0 "$HTMT" "$@" --trace "$trace" --quiet
}

# ---- every application, complete ----------------------------------------------------------------
record cannon.trace run cannon --size 256 --slices 4
record pic.trace model pic --machine hereld-tables --costs pic-hereld --phases push --parcels 200 --slices 1
record volume.trace model volume --slices 4
record sar.trace model sar --slices 1
record small.trace model cannon --size 64 --slices 4 --set 'networks.vortex.startup=100 ns'
for app in cannon pic volume sar small; do
    page --full $app.html $app.trace
    grep -q 'each in full$' out || fail "$app: $(cat out)"
done
grep -qF '"startup_fs":"100000000"' small.html || fail 'no start-up'

# Sections stand with the sums of each slice.
${CC:-cc} -shared -fPIC -I"$root/emul" -I"$root" -o sections.so "$root/tests/plugins/totals.c"
record sections.trace model ./sections.so --slices 4
page --full sections.html sections.trace
grep -q '"sections":\["[^]]' sections.html || fail 'no sections'

# Lanes of the DPIMs: the paper's parcels are assembled by 128 at once.
grep -q '"name":"DPIM","lanes":16,"depth":128}' pic.html || fail 'not 128 deep'

grep -qF '"command":"htmt model pic --machine hereld-tables --costs pic-hereld --slices 1 ' pic.html ||
    fail 'no command line'

# The same bytes again.
expect 0 "$HTMT" timeline cannon.trace -o again.html
cmp -s again.html cannon.html || fail 'another page of the same trace'

# ---- a part -------------------------------------------------------------------------------------
page part.html cannon.trace --slices 1,3
grep -q ' of 2 in full, the others as sums$' out || fail "two slices: $(cat out)"
! grep -q '"slice":[02],"first"' part.html || fail 'detail of another slice'
grep -qF '"chosen":[[1,1],[3,3]]' part.html || fail 'the slices that were asked for are not named'
page part.html cannon.trace --detail-cap 100
grep -q ' 0 of 0 in full, the others as sums; --window, --slices or a larger' out || fail "capped: $(cat out)"
grep -q '"full":false,"window":null' part.html || fail 'a full page without detail'
page part.html cannon.trace --window 0..1ns --gantt
grep -q '"window":\["0","1000000"\]' part.html || fail 'no window'
grep -q '"gantt":true' part.html || fail 'not in the colours of the Gantt chart'

# A window has parts of blocks: those of all the time are all of each block.
page --full part.html volume.trace --window 0..1s
page part.html volume.trace --window 100us..110us
grep -q ', [0-9,]* of 4 in full, the others as sums$' out || fail "a window: $(cat out)"

# ---- many slices: strips of 64 groups, and the slices that the page opens first ----------------------
record many.trace model cannon --size 4096 --slices 256
page --full many.html many.trace
grep -q '"groups":64' many.html || fail 'not 64 groups'
grep -q '"ranks":{"slowest":[0-9]*,"median":[0-9]*,"fastest":[0-9]*,"together":[a-z]*}' many.html || fail 'no ranks'

# All send to one: it stands first, is unfolded first, and its column of the matrix has the messages.
record hot.trace run traffic --pattern hotspot --bytes 1000 --slices 8 --rate 1e6 --slots 20
page --full hot.html hot.trace
python3 - "$root" <<'PYTHON' || fail 'the slice that all others send to does not stand first'
import sys
sys.path.insert(0, sys.argv[1] + "/tests/page")
from page_data import Page
page = Page("hot.html")
m = page.manifest
side, numbers = len(m["matrix"]["first"]), page.numbers(m["matrix"]["id"])
cells = [[numbers.number() for _ in range(side)] for _ in range(side)]
came = [sum(row[k] for row in cells) for k in range(side)]
hot = came.index(max(came))
sys.exit(m["by_load"][0] != hot or m["opened"][0] != hot or max(came) < 1.5 * sorted(came)[-2])
PYTHON

# ---- a run that stopped ---------------------------------------------------------------------------
expect 3 "$HTMT" model pic --case thermal --slices 4 --steps 3 --mail 300 --trace stuck.trace
page stuck.html stuck.trace
grep -q '"complete":false,"fault":"' stuck.html || fail 'the page of a deadlock is complete'
grep -q '"open":\["' stuck.html || fail 'nobody waits at the end'

grep -q '"kind":"sections",.*"name":"gates"' stuck.html || fail 'waits at gates are named sections'

# ---- a trace without intervals, and one of a part of the run ---------------------------------------
record none.trace model cannon --size 64 --slices 4 --trace-window 1s..2s
page --full none.html none.trace
record some.trace model cannon --size 256 --slices 4 --trace-layers cram --trace-slices 1-2
page --full some.html some.trace
grep -q 'each in full; FILTERED: of a part of the run$' out || fail "a filtered trace in silence: $(cat out)"
grep -q '"path":null' some.html || fail 'a path through a part of a run'
grep -qF '"recorded":{"text":"slices 1-2; layer cram","slices":2,' some.html || fail 'the part is not named'

record folded.trace model cannon --slices 4096 --fold
expect 2 "$HTMT" timeline folded.trace -o folded.html --slices 5
grep -qxF 'htmt timeline: --slices: found slice 5, expected 0 to 0' err || fail "folded: $(cat err)"

# ---- hostile names ----------------------------------------------------------------------------------
python3 "$root/tests/trace/rename_types.py" cannon.trace hostile.trace --all
page hostile.html hostile.trace
python3 - cannon.html hostile.html <<'PYTHON' || fail 'a name is an element of the page'
import html.parser, sys
class Tags(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags = []
    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, sorted(attributes)))
def tags(path):
    parser = Tags()
    parser.feed(open(path, encoding="ascii", errors="surrogateescape").read())
    return parser.tags
sys.exit(tags(sys.argv[1]) != tags(sys.argv[2]))
PYTHON

# ---- refusals -----------------------------------------------------------------------------------------
refuse 'expected the FILE of a trace first' timeline
refuse 'expected the FILE of a trace first' timeline -o x.html
refuse '-o: the page to write is missing' timeline cannon.trace
refuse 'no.trace: cannot open' timeline no.trace -o x.html
refuse 'README.md: ' timeline "$root/README.md" -o x.html
head -c 3000 cannon.trace >half.trace
refuse 'half.trace: ' timeline half.trace -o x.html
refuse 'no/such' timeline cannon.trace -o no/such/x.html
refuse "--window: found '5', expected times such as 10us..20us" timeline cannon.trace -o x.html --window 5
refuse '--window: found ' timeline cannon.trace -o x.html --window 2us..1us
refuse 'but the trace ends at' timeline cannon.trace -o x.html --window 1s..2s
refuse "--window: found '5'" timeline cannon.trace -o x.html --window 5..6us
refuse '--slices: found slice 4, expected 0 to 3' timeline cannon.trace -o x.html --slices 0-4
refuse "--slices: found '1-0', expected slices such as 0-3,7" timeline cannon.trace -o x.html --slices 1-0
refuse "--slices: found '1,'" timeline cannon.trace -o x.html --slices 1,
refuse "--slices: found slice 18446744073709551615" timeline cannon.trace -o x.html --slices 18446744073709551615
refuse '--detail-cap: found ' timeline cannon.trace -o x.html --detail-cap much
refuse "unknown option '--windows'" timeline cannon.trace -o x.html --windows 1us..2us
refuse 'cannon.trace' timeline cannon.trace -o cannon.trace
[ ! -e x.html ] || fail 'a page in spite of a refusal'

# A damaged block is found when it is read: no part of the page is left.
cp cannon.trace damaged.trace
printf '\377\377\377\377' | dd of=damaged.trace bs=1 seek=100 conv=notrunc status=none
refuse 'damaged.trace: ' timeline damaged.trace -o x.html
[ ! -e x.html ] || fail 'a page of a damaged trace'
expect 4 "$HTMT" timeline cannon.trace -o /dev/full
[ "$(wc -l <err)" = 1 ] || fail "a full disk: $(cat err)"

# ---- ports on the critical path --------------------------------------------------------------------
# The page names the ports that heads on the path queue for, as htmt trace path does; without ports inside, none.
expect 0 "$HTMT" run traffic --machine hpsc-simple --table hpsc-simple --trace simple.trace
expect 0 "$HTMT" trace path simple.trace
sed -n 's/.*blocked  *\(myrinet [0-9.]*\).*/\1/p' out | sort -u >want
expect 0 "$HTMT" timeline simple.trace -o simple.html
PYTHONDONTWRITEBYTECODE=1 python3 "$check" simple.html simple.trace --full || fail 'a page with ports on the path'
PYTHONDONTWRITEBYTECODE=1 python3 - "$root" simple.html <<'END' | sort -u >got
import sys
sys.path.insert(0, sys.argv[1] + "/tests/page")
from page_data import Page
print("\n".join(Page(sys.argv[2]).manifest["path"]["ports"]))
END
[ -s want ] && cmp -s want got || fail "ports of the path: $(cat got), expected $(cat want)"
