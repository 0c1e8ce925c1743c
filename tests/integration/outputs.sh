#!/bin/bash
# Class: fast.
# Output files: each option has its own, no input is written over, links and modes stay, failures
# leave the older file and one line, and nothing out of a file commands a terminal.
. "$(dirname "$0")/common"

small=(run cannon --size 16 --slices 4)

# ---- One file, two options: known by its folder and name, by a link, when it exists ---------------
other='expected another file than that of'
refuse "$other --json" "${small[@]}" --json a --table csv:./a
refuse "$other --json" "${small[@]}" --json a.npy --out "$PWD/a.npy"
ln -s a.npy link
refuse "$other --json" "${small[@]}" --json link --out a.npy
echo older >a.npy
refuse "$other --json" "${small[@]}" --json link --out a.npy
ln a.npy hard
refuse "$other --json" "${small[@]}" --json hard --out a.npy
[ "$(cat a.npy)" = older ] || fail 'a refused command wrote'
rm a.npy hard link
refuse "$other --out" run volume --phantom 8 --size 8 --slices 2 --out x.npy --npy x.npy
refuse "$other --json" run volume --phantom 8 --size 8 --slices 2 --frames 2 --out x.npy --json x-1.npy
shots=(run pic --case thermal --cells 8,8,8 --steps 2 --slices 4 --every 1 --out-fields s.npy)
refuse "$other --json" "${shots[@]}" --json s-2.npy
ln -s s-1.npy link.npy
refuse "$other --out-particles" "${shots[@]}" --out-particles link.npy
rm link.npy
refuse "$other --out" run sar --out image --png image
refuse "$other --json" validate --json v --csv v
refuse "$other --csv" validate --csv v.svg --plot v.svg
# Standard output is an output, too.
status=0
"$HTMT" "${small[@]}" --json report >report 2>err || status=$?
[ "$status" = 2 ] && grep -q "$other standard output" err || fail "$status: $(cat err)"
rm report
expect 0 "$HTMT" "${small[@]}" --json /dev/null --table csv:/dev/null --quiet

# ---- An output that is an input, also one that another input names --------------------------------
over='is read and would be written over by'
cp "$root/machines/htmt-2007.yaml" m.yaml
refuse "$over --json" "${small[@]}" --machine ./m.yaml --json m.yaml
expect 0 "$HTMT" "${small[@]}" --out c.npy --quiet
refuse "$over --out" run cannon --a c.npy --b c.npy --slices 4 --out c.npy
expect 0 "$HTMT" scene sar --out s --lines 512 --samples 1200 --agc 3
cp s.raw s.npy
sed "s,s.raw,s.npy," s.yaml >named.yaml
refuse "$over --out" run sar --params named.yaml --out s.npy
cp s.gain gain.png
sed "s,s.gain,gain.png," s.yaml >gained.yaml
refuse "$over --png" run sar --params gained.yaml --png gain.png
refuse "$over --out" scene sar --params s.yaml --out s
cp "$root/costs/pic-hereld.yaml" s-1.npy
refuse "$over --out-fields" "${shots[@]}" --costs ./s-1.npy
cp "$root/costs/volume-hereld.yaml" s-1.png
refuse "$over --out" run volume --phantom 8 --slices 2 --frames 2 --out s.png --costs ./s-1.png
cmp -s m.yaml "$root/machines/htmt-2007.yaml" || fail 'an input was written over'

# ---- Links and modes stay ---------------------------------------------------------------------------
mkdir sub
ln -s sub/target link
expect 0 "$HTMT" "${small[@]}" --json link --quiet
[ -L link ] && [ -s sub/target ] || fail 'a link was not written through'
chmod 604 sub/target
expect 0 "$HTMT" "${small[@]}" --json link --quiet
[ "$(stat -c %a sub/target)" = 604 ] || fail 'the mode changed'
long=$(printf 'n%.0s' {1..236})
refuse 'found a name of 236 bytes, expected at most 235' "${small[@]}" --json "$long"
expect 0 "$HTMT" "${small[@]}" --json "${long%n}" --quiet
ln -s circle circle
refuse 'found a circle of symbolic links' "${small[@]}" --json circle
[ -z "$(find . -name '*.tmp')" ] || fail "left: $(find . -name '*.tmp')"
rm -r sub link circle n* c.npy

# ---- Every output fails with one line, and the older file stays ------------------------------------
plasma=(run pic --case thermal --cells 8,8,8 --steps 2 --slices 4 --quiet)
volume=(run volume --phantom 16 --size 64 --slices 2 --quiet)
radar=(run sar --params s.yaml --slices 1 --check none --quiet)
# fails FILE COMMAND...: FILE is a full device, then a file that may not grow beyond 1 KiB.
fails() {
    local file=$1 status
    shift
    ln -s /dev/full "$file"
    expect 4 "$HTMT" "$@" "${value:-}$file"
    one_line
    grep -q "$file: cannot write: No space left on device" err || fail "$file: $(cat err)"
    [ -L "$file" ] || fail "$file: the link is gone"
    rm "$file"
    echo older >"$file"
    status=0
    (ulimit -f 1 && exec "$HTMT" "$@" "${value:-}$file") >out 2>err </dev/null || status=$?
    if [ "$status" != 0 ]; then
        [ "$status" = 4 ] || fail "$file: status $status: $(cat err)"
        one_line
        grep -q "$file: cannot write: File too large" err || fail "$file: $(cat err)"
        grep -qax older "$file" || fail "$file: the older file changed"
    else
        ! grep -qax older "$file" || fail "$file: not written"
    fi
    [ -z "$(find . -name '*.tmp')" ] || fail "$file: left: $(find . -name '*.tmp')"
    rm "$file"
}
fails c.npy "${small[@]}" --quiet --out
fails r.json "${small[@]}" --quiet --json
value=csv: fails t.csv "${small[@]}" --quiet --table
fails r.csv "${plasma[@]}" --out-records
fails r.npy "${plasma[@]}" --out-records
fails f.npy "${plasma[@]}" --out-fields
fails p.npy "${plasma[@]}" --out-particles
fails e.svg "${plasma[@]}" --plot-energies
fails e.png "${plasma[@]}" --plot-energies
fails x.png "${plasma[@]}" --plot-phase-space
fails c.svg run graph bfs --machine am-cca --slices 4 --er 4 --quiet --plot-cells
fails i.png "${volume[@]}" --out
fails i.npy "${volume[@]}" --npy
fails i.npy "${radar[@]}" --out
fails i.png "${radar[@]}" --png
fails v.json validate amaral-table2 --quiet --json
fails v.csv validate amaral-table2 --quiet --csv
fails v.svg validate amaral-figure7 --quiet --plot
# A scene has three files; the parameters, which name the others, come last.
ln -s /dev/full q.raw
expect 4 "$HTMT" scene sar --out q --lines 512 --samples 1200
one_line
[ ! -e q.yaml ] || fail 'parameters of data that are not there'

# Two failures, one line; the other output is written.
ln -s /dev/full full
expect 4 "$HTMT" "${small[@]}" --json full --table csv:/dev/full --quiet
one_line
expect 4 "$HTMT" "${small[@]}" --table csv:full --json whole --quiet
one_line
tail -n 1 whole | grep -qx '}' || fail 'one failure kept another output from being written'
status=0
"$HTMT" "${small[@]}" --json - >/dev/full 2>err || status=$?
[ "$status" = 4 ] || fail "status $status: $(cat err)"
one_line

# ---- A terminal gets text ---------------------------------------------------------------------------
# plain FILE: no controls but the end of a line, and none in two bytes of UTF-8.
plain() {
    ! LC_ALL=C grep -q $'[\x01-\x08\x0b-\x1f]\|\xc2[\x80-\x9f]' "$1" || fail "controls in $1: $(cat -v "$1")"
}
evil=$'\e[31m\a\rname\nsecond \xc2\x9b2J \xff'
refuse 'x1b[31m\x07\x0dname\nsecond \xc2\x9b2J \xff' model cannon --machine "./$evil.yaml"
plain err
printf '%%%%MatrixMarket matrix array real general\n2 2\n1\n2\n\e[31m3\a\n4\n' >evil.mtx
expect 2 "$HTMT" run cannon --a evil.mtx --b evil.mtx --slices 4
one_line
plain err
cp m.yaml "$(printf 'a\e[31m\n\x9b.yaml')"
expect 0 "$HTMT" machine check "$(printf './a\e[31m\n\x9b.yaml')"
[ "$(grep -c "good, " out)" = 1 ] && [ "$(head -n 1 out)" = "$(grep "good, " out)" ] || fail "$(cat -v out)"
plain out
expect 0 "$HTMT" model cannon --size 16 --slices 4 --machine "$(printf './a\e[31m\n\x9b.yaml')"
plain out
# The parameter file of a scene names the data; a plot has the name of the deck.
refuse 'expected a name without control characters' scene sar --out $'a\nb'
cp "$root/apps/pic/decks/langmuir.yaml" $'d\xff\e[31m.yaml'
expect 0 "$HTMT" run pic --deck $'./d\xff\e[31m.yaml' --steps 2 --slices 4 --plot-energies e.svg
plain out
plain e.svg
expect 0 "$HTMT" "${small[@]}" --json - --table csv:$'\e[31m'
plain out
grep -qi '"csv:\\u001b\[31m"' out || fail 'the object does not name the file'

# ---- Pages are as wide as COLUMNS ------------------------------------------------------------------
widest() {
    awk '{ n = length($0); if (n > most) most = n } END { print most }' out
}
expect 0 env COLUMNS=60 "$HTMT" help cannon
[ "$(widest)" -le 60 ] || fail "$(widest) columns of 60"
expect 0 env COLUMNS=200 "$HTMT" help cannon
[ "$(widest)" -gt 98 ] && [ "$(widest)" -le 200 ] || fail "$(widest) columns of 200"
expect 0 env COLUMNS=none "$HTMT" help cannon
[ "$(widest)" -le 98 ] || fail "$(widest) columns"
