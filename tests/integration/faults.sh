#!/bin/bash
# Class: fast.
# The host fails a call: memory, threads, files. The command ends, with status 0 (the fault did no
# harm) or 4 and one line; an output is the older file or the new one, whole; no other file is left.
# Of each command and kind of call the first EACH calls fail, then SPREAD over the rest, then the
# host fails for good at LASTING moments. ONLY: commands with this text. EVERY: one of so many commands,
# others for each commit.
. "$(dirname "$0")/common"
. "$root/tests/random/first"
EACH=${EACH:-1} SPREAD=${SPREAD:-2} LASTING=${LASTING:-1} ONLY=${ONLY-} EVERY=${EVERY:-4}
# Address and thread sanitizer want their own malloc() in front of all others.
case ${SANITIZE-} in *address* | *thread*) skip "not under this sanitizer" ;; esac
shim=${HTMT%/*}/tests/faults/shim.so
[ -f "$shim" ] || fail "$shim is not there: make tests"
export OMP_NUM_THREADS=1
found=0 wrong=0

# told WORDS...: a fault that the command does not stand.
told() {
    echo "FAULT=$fault $*: $(head -c 300 err)" >&2
    wrong=$((wrong + 1))
}

# try FAULT COMMAND...: with an older file in the place of each output, all below new/.
try() {
    fault=$1 status=0
    shift
    rm -rf new app
    mkdir new
    for file in "${outputs[@]}"; do echo older >"new/${file#whole/}"; done
    timeout -k 1 60 env FAULT="$fault" FAULT_COUNT=count LD_PRELOAD="$shim" "$HTMT" "$@" \
        >out 2>err </dev/null || status=$?
    mapfile -t line <err
}

# Each output as before the run or, if the run was good, as without a fault.
check_outputs() {
    local file
    for file in new/*; do
        if [ ! -f "whole/${file#new/}" ]; then
            [ "$file" = 'new/*' ] || told "$* left $file"
        elif [ "$(head -c 6 "$file" | tr -d '\0')" = older ]; then
            [ "$status" != 0 ] || told "$* did not write $file"
        elif [ "${file%.json}" != "$file" ]; then
            [ "$(tail -n 1 "$file")" = '}' ] || told "$* wrote a part of $file"
        elif [ "${file%.svg}" != "$file" ]; then
            [ "$(tail -n 1 "$file")" = '</svg>' ] || told "$* wrote a part of $file"
        elif [ "${file%.csv}" != "$file" ]; then
            [ "$(wc -l <"$file")" = "$(wc -l <"whole/${file#new/}")" ] ||
                told "$* wrote a part of $file"
        elif [ "${file%.xlsx}" != "$file" ]; then
            [ "$(tail -c 22 "$file" | head -c 2)" = PK ] || told "$* wrote a part of $file"
        elif [ "${file%.trace}" != "$file" ] && [ "$status" != 0 ]; then
            "$HTMT" trace check "$file" >/dev/null 2>&1 || told "$* wrote a part of $file"
        else
            cmp -s "$file" "whole/${file#new/}" || told "$* wrote a part of $file"
        fi
    done
}

inject() {
    try "$@"
    shift
    found=$((found + 1))
    case $status in
    0) [ ${#line[@]} -le "$said" ] || told "$* warns" ;;
    4) [ ${#line[@]} = 1 ] || [ ${#line[@]} = $((said + 1)) ] || [ "${fault#write*+}" = '' ] || told "$* has ${#line[@]} lines" ;;
    *) told "$* has status $status" ;;
    esac
    check_outputs "$*"
    [ "$status" = 0 ] || [ ! -e app ] || told "$* left app"
}

# whole COMMAND...: without a fault; the file count says how many calls of each kind there are.
whole() {
    outputs=()
    try none "$@"
    [ "$status" = 0 ] || fail "without a fault: $*: $(cat err)"
    said=${#line[@]} # what it wrote is told there
    rm -rf whole
    mv new whole
    outputs=(whole/*)
    [ -e "${outputs[0]}" ] || outputs=()
}

# faults KIND TOTAL COMMAND...
faults() {
    local kind=$1 total=$2 n
    shift 2
    for ((n = 1; n <= EACH && n <= total; n++)); do inject "$kind:$n" "$@"; done
    for ((n = 1; n <= SPREAD && EACH < total; n++)); do
        inject "$kind:$((EACH + 1 + (total - EACH) * (2 * n - 1) / (2 * SPREAD)))" "$@"
    done
    for ((n = 1; n <= LASTING && n <= total; n++)); do
        inject "$kind:$((1 + total * (2 * n - 1) / (2 * LASTING)))+" "$@"
    done
}

cat >words <<'END'
help
help run
machine list
machine show small-htmt --resolved
machine check small-htmt
machine diff htmt-oct98 htmt-oct98
trace info t.trace
trace check t.trace
trace digest t.trace
trace sort t.trace -o new/t.trace
trace path t.trace --json new/t.json
trace export t.trace --perfetto new/t.pftrace --paje new/t.paje --csv new/t.csv --unit ps
timeline t.trace -o new/t.html --gantt
machine picture small-htmt -o new/h.svg
machine routes gcel --from 3 --to 60 --json new/r.json
pipeline t.trace --csv new/p.csv
pipeline t.trace --svg new/p.svg
timeline t.trace --svg new/l.svg
bound exasat-footprint --sheet new/b.xlsx
bound exasat-lap --rule exasat --machine exasat-sheet --csv new/c.csv --json new/c.json --sheet new/c.xlsx
doctor --json new/d.json
predict cannon --json new/p.json
predict volume
sweep predict cannon --jobs 1 --vary opt:size=64,128 --csv new/t.csv --json new/d.json
sensitivity predict cannon --jobs 1 --figures networks.vortex.latency --csv new/t.csv --json new/d.json
compare sar --machines mpp-2000,serial-2000 --csv new/t.csv --json new/d.json
model cannon --size 64 --slices 4 --json new/m.json --table csv:new/t.csv
model sar --lines 256 --samples 256 --slices 2
model pic --cells 8,8,8 --slices 2 --fold
model volume --size 32 --phantom 16 --slices 2
model pic --cells 8,8,8 --slices 2 --quiet --trace new/r.trace
run cannon --size 64 --slices 4 --threads 2 --out new/c.npy --json new/c.json
run sar --params s.yaml --slices 2 --threads 2 --out new/s.npy --png new/s.png
run pic --case two-stream --steps 2 --slices 2 --threads 2 --out-records new/r.csv --out-fields new/f.npy
run pic --case two-stream --steps 2 --slices 2 --threads 2 --out-records new/r.csv --plot-energies new/e.svg
run pic --cells 8,8,8 --steps 2 --slices 2 --threads 2 --capture new/p.rec
model pic --cells 8,8,8 --steps 2 --slices 2 --captured p.rec
run volume --phantom 16 --size 32 --slices 2 --threads 2 --out new/i.png --npy new/i.npy
run kernels --n 64 --machine gcel --csv new/k.csv
run micro copy --machine upmem-e19 --dpus 1
run prim va --machine upmem-e19 --dpus 1 --size 256
run traffic --machine hpsc-simple --table hpsc-simple
report results.json results.trace
report --compare results.json results.json --json new/d.json
report results.json --html new/page.html --trace results.trace
scene sar --out new/q --lines 256 --samples 256
export traffic --table hpsc-simple
traffic record cannon --size 64 --slices 4 --out new/t.yaml
traffic export --table hpsc-simple
graph make rmat --scale 4 -o new/g.mtx
graph make graph500 --scale 4
graph info g.mtx
make graph --kind graph500 --scale 4 --out new/g.bin
info graph --graph g.mtx
run graph bfs --machine htmt-torus --slices 4 --graph g.mtx --out new/g.csv
run graph bfs --machine am-cca --slices 4 --graph g.mtx --plot-cells new/g.svg
run stencil --cells 8,8,8 --block 4 --slices 2 --out new/u.npy --plot new/e.svg --plot-slice new/s.png
run md --edge 5 --steps 3 --slices 3 --skin 0 --out new/a.npy --plot-gr new/g.svg --plot-energies new/e.svg
run md --in a.xyz --box 8,8,8 --steps 2 --slices 1 --out new/a.npy
run nbody --method direct --bodies 64 --slices 2 --out new/n.npy --plot-energies new/e.svg
run nbody --bodies 200 --slices 2 --threads 2 --out new/n.npy --out-lists new/l.npy --plot-profile new/d.svg
ops record kernels --kernel ddot --n 64 --machine gcel --type 'ddot 64' --out new/o.ops
ops show o.ops
ops profile o.ops --out new/p.yaml
ops time o.ops --machine gcel
bound n.yaml --csv new/b.csv --json new/b.json
analyze c.c --nests new/n.yaml
new app
completion bash
validate amaral-table2 --quiet --json new/v.json --csv new/v.csv
validate amaral-figure7 --quiet --csv new/f.csv
validate amaral-figure7 --quiet --plot new/v.svg
fit prim --rows U.RED.4.8388608.kernel,U.RED.64.1048576.kernel --out new/f.yaml
END

# Every verb, every action of one and every application stands there. What measures this host takes
# half a minute, since a busy host makes it wait.
"$HTMT" help >tables || fail 'no help'
listed() { # HEADING: the names below it
    sed -n "/^$1\$/,/^\$/s/^  \([a-z][a-z -]*[a-z]\)  .*/\1/p"
}
listed Applications <tables | sed 's/^/run /' >wanted
listed Verbs <tables | while read -r verb; do
    "$HTMT" help $verb >about 2>/dev/null </dev/null || : >about
    if grep -q '^Actions$' about; then listed Actions <about | sed "s/^/$verb /"; else echo "$verb"; fi
done >>wanted
while read -r name; do
    grep -q "^$name\b" words || [ "${name%% *}" = host ] || fail "no row of this test has '$name'"
done <wanted
[ "$(wc -l <wanted)" -gt 30 ] || fail "the tables are not read: $(cat wanted)"

expect 0 "$HTMT" graph make er --scale 4 -o g.mtx
expect 0 "$HTMT" scene sar --out s --lines 256 --samples 256
expect 0 "$HTMT" model pic --cells 8,8,8 --slices 2 --explain --summary --lint --json results.json --trace results.trace
expect 0 "$HTMT" model cannon --size 64 --slices 4 --quiet --trace t.trace
expect 0 "$HTMT" run pic --cells 8,8,8 --steps 2 --slices 2 --quiet --capture p.rec
expect 0 "$HTMT" ops record kernels --kernel ddot --n 64 --machine gcel --type 'ddot 64' --out o.ops
cat >c.c <<'END'
void f(int n, double a[n], double b[n])
{
    for (int i = 1; i < n; i++)
        a[i] = b[i] + b[i - 1];
}
END
cat >n.yaml <<'END'
htmt-nests: 1
arrays: {a: {box: [64]}, b: {box: [65]}}
nests:
  n:
    loops: {i: 0..63}
    ops: {add: 1}
    accesses: ['read b[i]', 'read b[i+1]', 'write a[i]']
END
printf '2\n\nA 1 1 1\nA 3 -1 2\n' >a.xyz
rows=0
while read -r row; do
    rows=$((rows + 1))
    ((rows % EVERY == first % EVERY)) || continue
    eval "words=($row)"
    [[ "${words[*]}" = *"$ONLY"* ]] || continue
    whole "${words[@]}"
    while read -r kind total; do
        # All pictures are drawn by one function, in a child; `pipeline` stands for them. There
        # fontconfig tries for ever what the host refuses for ever: too long, until its limit, here.
        lasting=$LASTING
        case "$kind ${words[*]}" in
        memory\ pipeline*.svg | mmap\ pipeline*.svg) LASTING=0 ;;
        open\ pipeline* | read\ pipeline*) ;;
        memory*.svg* | mmap*.svg* | open*.svg* | read*.svg*) continue ;;
        esac
        faults $kind $total "${words[@]}"
        LASTING=$lasting
    done <count
done <words
((found > 0)) || fail 'no fault was tried'
((wrong == 0)) || fail "$wrong of $found faults"
