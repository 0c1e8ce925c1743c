#!/bin/bash
# Class: fast foreign.
# Pictures of machines, pipelines and timelines: what they show is counted in the files themselves,
# and the pipeline of PIC's push is that of Hereld et al.
. "$(dirname "$0")/common"

# ---- the pipeline, by its CSV ---------------------------------------------------------------------
push=(model pic --machine hereld-tables --costs pic-hereld --phases push --parcels 200 --slices 1
    --quiet)
expect 0 "$HTMT" "${push[@]}" --trace push.trace
expect 0 "$HTMT" "${push[@]}" --set 'layers.cram.memory.capacity=256000 words' --trace two.trace
expect 0 "$HTMT" pipeline push.trace --parcels 200 --csv push.csv
expect 0 "$HTMT" pipeline two.trace --parcels 200 --csv two.csv

[ "$(head -1 push.csv)" = parcel,stage,asked_fs,start_fs,end_fs,wait_fs,stall_fs,serial,open ] ||
    fail "head: $(head -1 push.csv)"
[ "$(tail -n +2 push.csv | cut -d, -f2 | uniq | head -5 | paste -sd ' ')" = \
    'assemble gather dispatch inject execute' ] || fail 'the stages have another order'
[ "$(wc -l <push.csv)" = 1001 ] || fail "$(wc -l <push.csv) lines of 200 parcels with five stages"

# column STAGE FIELD FILE: of the parcels in their order.
column() {
    awk -F, -v stage="$1" -v field="$2" '$2 == stage { print $field }' "$3"
}

# With room for one parcel, each waits until the one before has left the CRAM: the period is
# execution and move, 14.204546875 us + 1.575663027 us.
[ "$(column execute 5 push.csv | head -4 | paste -sd ' ')" = \
    '344780209902 360560419804 376340629706 392120839608' ] ||
    fail "executions end at $(column execute 5 push.csv | head -4)"
[ "$(column inject 7 push.csv | head -3 | paste -sd ' ')" = '0 5680209902 11360419804' ] ||
    fail "stalls: $(column inject 7 push.csv | head -3)"
[ "$(column inject 7 push.csv | grep -vc '^0$')" = 199 ] || fail 'stalls of 199 parcels'

# With room for two, the SPELL is never idle.
[ "$(column execute 5 two.csv | head -1)" = 344780209902 ] || fail 'the first execution'
column execute 4 two.csv >starts
column execute 5 two.csv >ends
cmp -s <(tail -n +2 starts) <(head -n -1 ends) || fail 'the SPELL has gaps'
[ "$(awk 'NR > 1 { printf "%.0f\n", $1 - last } { last = $1 }' ends | uniq)" = 14204546875 ] ||
    fail "period: $(awk 'NR > 1 { printf "%.0f\n", $1 - last } { last = $1 }' ends | uniq -c)"

# Every bar: asked <= start <= end; what lies before the start is the wait and the stall.
awk -F, 'NR > 1 && !($3 <= $4 && $4 <= $5 && ($2 == "gather" || $4 - $3 == $6 + $7)) { exit 1 }' \
    push.csv || fail 'a bar is longer than its wait'

# ---- its drawing ----------------------------------------------------------------------------------
expect 0 "$HTMT" pipeline push.trace --parcels 12 --svg p.svg --png p.png --pdf p.pdf
[ ! -s out ] || fail "output beside files: $(cat out)"

# count COLOUR FILE: shapes that an SVG fills so; cairo writes shares of 100.
count() {
    grep -c "fill:rgb($1)" "$2" || :
}
served='0%,61.960784%,45.098039%' moves='0%,44.705882%,69.803922%'
[ "$(count "$served" p.svg)" = 37 ] || fail "$(count "$served" p.svg) services, not 3 x 12 and a key"
[ "$(count "$moves" p.svg)" = 25 ] || fail "$(count "$moves" p.svg) moves, not 2 x 12 and a key"
# Hatching in the colour of what is blocked: 11 parcels stall, and the key.
[ "$(count '98.431373%,90.588235%,85.882353%' p.svg)" = 12 ] || fail 'stalls that are drawn'
[ "$(count '94.901961%,94.901961%,94.901961%' p.svg)" = 12 ] || fail 'waits that are drawn'

# png_size FILE: width and height out of its first chunk.
png_size() {
    od -An -tu1 -j16 -N8 "$1" | awk '{ print $1 * 2^24 + $2 * 2^16 + $3 * 2^8 + $4,
                                             $5 * 2^24 + $6 * 2^16 + $7 * 2^8 + $8 }'
}
svg_size() {
    sed -n 's/.*viewBox="0 0 \([0-9.]*\) \([0-9.]*\)".*/\1 \2/p' "$1"
}
[ "$(png_size p.png)" = "$(svg_size p.svg | awk '{ print 2 * $1, 2 * $2 }')" ] ||
    fail "PNG $(png_size p.png), SVG $(svg_size p.svg)"
[ "$(head -c 5 p.pdf)" = %PDF- ] || fail 'no PDF'
! grep -aq 'Date' p.pdf || fail 'the PDF has a date'
mkdir again
(cd again && "$HTMT" pipeline ../push.trace --parcels 12 --svg p.svg --png p.png --pdf p.pdf)
for file in p.svg p.png p.pdf; do
    cmp -s $file again/$file || fail "$file differs"
done

# Without files, a table.
expect 0 "$HTMT" pipeline push.trace --parcels 1
grep -q 'SRAM to CRAM (rti) *329.0 us *329.0 us *330.6 us' out || fail "table: $(cat out)"
expect 0 "$HTMT" pipeline push.trace --type Desk --csv desk.csv

refuse "did you mean 'Push'" pipeline push.trace --type Pus
refuse "--type: found 'x', expected one of 'Desk', 'Push'" pipeline push.trace --type x
refuse 'found slice 1, expected one of the trace, below 1' pipeline push.trace --slice 1

# Without --type it is a type that the slice has: of a machine with a host, slices have not that of the host.
expect 0 "$HTMT" run prim va --size 1000 --slices 3 --machine upmem-e19 --trace bank.trace --quiet
for slice in 0 3; do
    expect 0 "$HTMT" pipeline bank.trace --slice $slice
    grep -q . out || fail "no pipeline of slice $slice"
done
refuse --parcels pipeline push.trace --parcels 0
refuse "found 'a.png', expected a name that ends in .svg" pipeline push.trace --svg a.png
refuse 'no/such' pipeline push.trace --svg no/such/a.svg
refuse 'expected the TRACE' pipeline
refuse push.csv pipeline push.csv
refuse 'two.trace' pipeline push.trace --csv two.trace --svg two.trace
head -c 5000 push.trace >half.trace
refuse half.trace pipeline half.trace --svg half.svg
! ls half.svg a.png 2>/dev/null | grep . || fail 'a file in spite of a refusal'

# ---- a window of the timeline ----------------------------------------------------------------------
expect 0 "$HTMT" timeline push.trace --window 344us..362us --svg t.svg --png t.png --pdf t.pdf
# shown STAGE: bars of that stage that take a pixel or more of the window's 1180.
shown() {
    awk -F, -v stage="$1" -v from=344e9 -v to=362e9 '$2 == stage {
        left = $4 > from ? $4 : from; right = $5 < to ? $5 : to
        if ((right - left) * 1180 / (to - from) >= 1) n++ } END { print n + 0 }' push.csv
}
# Gathers have a channel out and one in; the key has one of each colour.
[ "$(count "$moves" t.svg)" = $((2 * $(shown gather) + $(shown inject) + 1)) ] ||
    fail "$(count "$moves" t.svg) moves of $(shown gather) gathers, $(shown inject) injects"
# Of the assemblies sixteen have a lane, and one shade is for those beyond.
[ "$(shown assemble)" -gt 64 ] || fail "only $(shown assemble) assemblies in the window"
services=$((16 + 1 + $(shown dispatch) + $(shown execute) + 1))
[ "$(count "$served" t.svg)" = "$services" ] || fail "$(count "$served" t.svg) of $services services"
expect 0 "$HTMT" timeline push.trace --window 344us..362us --svg g.svg --gantt
[ "$(count '0%,100%,0%' g.svg)" = "$(count "$served" t.svg)" ] || fail 'other bars in other colours'
[ "$(count "$served" g.svg)" = 0 ] || fail 'two sets of colours'
expect 0 "$HTMT" model cannon --size 256 --slices 16 --quiet --trace cannon.trace
expect 0 "$HTMT" timeline cannon.trace --slices 0-3 --svg four.svg
expect 0 "$HTMT" timeline cannon.trace --slices 0 --svg one.svg
[ "$(svg_size four.svg | cut -d' ' -f2 | cut -d. -f1)" -gt \
    "$((3 * ($(svg_size one.svg | cut -d' ' -f2 | cut -d. -f1) - 130)))" ] || fail 'four slices'
refuse --slices timeline cannon.trace --slices 99 --svg none.svg
refuse 'ends in .pdf' timeline cannon.trace --pdf a.svg
[ ! -e none.svg ] || fail 'a picture of no slice'

# ---- machines ---------------------------------------------------------------------------------------
for file in "$root"/machines/*.yaml "$root"/examples/machines/*.yaml; do
    expect 0 "$HTMT" machine picture "$file" -o m.svg
    grep -q "<title>$(basename "$file" .yaml)</title>" m.svg || fail "$file: no title"
done
expect 0 "$HTMT" "${push[@]}" --json push.json
expect 0 "$HTMT" machine picture hereld-tables -o plain.svg
expect 0 "$HTMT" machine picture hereld-tables --run push.json -o run.svg
expect 0 "$HTMT" machine picture hereld-tables --run push.json -o run.pdf
# The SPELL, in use for 81.5 %, is darker than the DPIM; bottlenecks are numbered here and in the list.
alarm='63.921569%,23.137255%,0%'
[ "$(count "$alarm" plain.svg)" = 0 ] || fail 'bottlenecks without a run'
[ "$(count "$alarm" run.svg)" = 6 ] || fail "$(count "$alarm" run.svg) numbers, not 2 x 3"
expect 0 "$HTMT" machine picture small-two-layer -o two.png
[ "$(png_size two.png | cut -d' ' -f1)" = 2320 ] || fail "width: $(png_size two.png)"

refuse 'with the hash' machine picture htmt-oct98 --run push.json -o x.svg
refuse 'the same --set' machine picture hereld-tables --set slices=8 --run push.json -o x.svg
refuse 'expected the JSON of a run' machine picture hereld-tables --run push.csv -o x.svg
echo '{"schema": "htmt-results-1"}' >empty.json
refuse 'no results of a run' machine picture hereld-tables --run empty.json -o x.svg
refuse 'needs -o FILE' machine picture hereld-tables
refuse 'needs a machine' machine picture -o x.svg
refuse 'a second machine' machine picture hereld-tables htmt-2007 -o x.svg
refuse 'ends in .svg, .png or .pdf' machine picture hereld-tables -o x.gif
refuse "did you mean '--run'" machine picture hereld-tables --runs push.json -o x.svg
refuse 'given twice' machine picture hereld-tables -o x.svg -o y.svg
[ ! -e x.svg ] || fail 'a picture in spite of a refusal'

# ---- names that are mark-up ------------------------------------------------------------------------
sed 's/^about: .*/about: "<\/script><b>\&amp;"/' "$root/machines/small-htmt.yaml" \
    >'<b>&.yaml'
expect 0 "$HTMT" machine picture './<b>&.yaml' -o odd.svg
grep -q '<title>&#60;b&#62;&#38;</title>' odd.svg || fail "title: $(grep '<title>' odd.svg)"
! grep -q '<b>\|</script>' odd.svg || fail 'mark-up of a name'

python3 "$root/tests/trace/rename_types.py" push.trace hostile.trace --all
expect 0 "$HTMT" pipeline hostile.trace --svg pipe.svg --png pipe.png --pdf pipe.pdf
expect 0 "$HTMT" timeline hostile.trace --svg time.svg --pdf time.pdf
for file in odd pipe time; do
    python3 -c "import sys, xml.etree.ElementTree as tree
tags = {e.tag.split('}')[1] for e in tree.parse(sys.argv[1]).iter()}
sys.exit(not tags <= {'svg', 'title', 'defs', 'g', 'symbol', 'path', 'use', 'rect', 'clipPath'})" \
        $file.svg || fail "$file.svg: a name is mark-up"
done

# ---- a failing disk, no plot.so ----------------------------------------------------------------------
expect 4 "$HTMT" pipeline push.trace --csv /dev/full
mkdir -p bin apps
cp "$HTMT" bin/htmt
expect 4 env HTMT_APP_PATH="$PWD/apps" bin/htmt pipeline push.trace --svg lack.svg
grep -q '^htmt pipeline: --svg: this installation lacks plot.so' err || fail "$(cat err)"
expect 4 env HTMT_APP_PATH="$PWD/apps" bin/htmt machine picture small-htmt -o lack.svg
expect 0 env HTMT_APP_PATH="$PWD/apps" bin/htmt pipeline push.trace --csv without.csv
cmp -s without.csv <(head -61 push.csv) || fail 'the CSV needs plot.so'
