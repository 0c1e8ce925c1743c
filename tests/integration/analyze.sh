#!/bin/bash
# htmt analyze: loops of C source agree with kernels that count, with the figures of the published
# table, and with what the source says; what cannot be read is named in one line.
. "$(dirname "$0")/common"

if [ ! -x "$(dirname "$HTMT")/htmt-analyze" ]; then
    refuse_status=0
    echo 'int x;' >x.c
    "$HTMT" analyze x.c --nests x.yaml 2>err || refuse_status=$?
    [ $refuse_status = 4 ] && grep -q 'lacks htmt-analyze' err || fail "without htmt-analyze: $(cat err)"
    echo "$0: libclang or isl is missing: nothing else is tested"
    exit 0
fi
# A mistake in memory must not take the host's.
ulimit -v 8000000 2>/dev/null || :
[ -z "${SANITIZE-}" ] || ulimit -v unlimited 2>/dev/null || :

# analyze STATUS FILE: its nests in the file n.yaml.
analyze() {
    local wanted=$1
    shift
    expect "$wanted" "$HTMT" analyze "$@" --nests n.yaml
    [ ! -s out ] || fail "output: $(cat out)"
}

# nest NAME: the lines of that nest.
nest() {
    awk -v head="  $1:" '$0 == head { on = 1; next } on && /^(  )?[a-z]/ { exit } on' n.yaml
}

# ---- counts: those of numbers that count --------------------------------------------------------
nx=5 ny=4 nz=3 n=7 species=7

# cells NAME: iterations of the nest, its loops done.
cells() {
    local -a variable=() low=() high=() by=()
    local name range step
    while IFS='|' read -r name range step; do
        variable+=("$name") low+=("${range%%..*}") high+=("${range##*..}") by+=("${step:-1}")
    done < <(nest "$1" | sed -n 's/^      \([a-z_0-9]*\): "\([^ "]*\)\( step \([0-9]*\)\)\{0,1\}"$/\1|\2|\4/p')
    count=0
    iterate 0
}

iterate() {
    local d=$1
    [ "$d" -lt ${#variable[@]} ] || { count=$((count + 1)); return 0; }
    local -n v=${variable[d]}
    local from=$((low[d])) to=$((high[d])) i
    for ((i = from; i <= to; i += by[d])); do
        v=$i
        iterate $((d + 1))
    done
}

# total NAMES FIELD: what all iterations of the nests do of one class.
total() {
    local each sum=0 name
    for name in $1; do
        cells "$name"
        case $2 in
        add | mul | div) each=$(nest "$name" | sed -n "s/^    ops: .*\\b$2: \"\\([^\"]*\\)\".*/\\1/p") ;;
        function) each=$(nest "$name" | sed -n 's/.*functions: {\(.*\)}}/\1/p' | sed 's/[a-z0-9]*: "\([^"]*\)"/(\1)/g; s/, /+/g') ;;
        reads) each=$(references "$name" 'read|update' loads) ;;
        writes) each=$(references "$name" 'write|update' stores) ;;
        esac
        sum=$((sum + count * (${each:-0})))
    done
    echo "$sum"
}

# references NAME KINDS SIDE: a sum over references, ranges multiplied, and over arrays that are state.
references() {
    nest "$1" | awk -v kinds="^($2)$" -v side="$3" '
        /^      - "/ {
            gsub(/"/, ""); kind = $2
            if (kind !~ kinds) next
            times = match($0, / x[^ ]*$/) ? substr($0, RSTART + 2) : 1
            if (match($0, /:[^[]*\.\.[^[]*\[/)) {
                split(substr($0, RSTART + 1, RLENGTH - 2), end, "\\.\\.")
                times = times ")*((" end[2] ")-(" end[1] ")+1"
            }
            sum = sum "+(" times ")"
        }
        / words: / {
            match($0, side ": \"[^\"]*\""); text = substr($0, RSTART, RLENGTH)
            gsub(/.*: |"/, "", text); sum = sum "+(" text ")"
        }
        END { print sum ? substr(sum, 2) : 0 }'
}

${CXX:-g++} -std=c++17 -O1 -o counting "$root/tests/source/counting.cc" || fail 'counting.cc'
./counting >counted
for file in cns forms; do
    analyze 0 "$root/tests/source/$file.c"
    cp n.yaml $file.yaml
    names=$(sed -n '/^nests:/,/^[dp][a-z]*:/s/^  \([a-z_0-9.]*\):$/\1/p' n.yaml)
    while read -r function wanted; do
        own=$(grep -E "^$function(\\.[0-9]+)*\$" <<<"$names" || :)
        [ -n "$own" ] || continue
        found=
        for class in add mul div function reads writes; do
            found+=" $(total "$own" $class)"
        done
        [ "${found# }" = "$wanted" ] || fail "$function: read $found, counted $wanted"
        echo "$function" >>done
    done <counted
done
[ "$(wc -l <done)" = "$(wc -l <counted)" ] || fail "only these were found: $(cat done)"

# ---- the published table -------------------------------------------------------------------------
cp cns.yaml n.yaml

# has NAME OPS READ WRITTEN: operations, distinct references that are read, that are written.
has() {
    local found
    found=$(nest "$1" | awk '/^    ops: / { sub(/^ *ops: /, ""); gsub(/[{}"]/, ""); ops = $0 }
        /^      - "(read|update)/ { r++ } /^      - "(write|update)/ { w++ }
        END { print ops "; " r + 0 "; " w + 0 }')
    [ "$found" = "$2; $3; $4" ] || fail "$1: found $found, not $2; $3; $4"
}
has hyp_z 'add: 128, mul: 174' 134 14
[ "$(($(references hyp_z 'read|update' loads)))" = 246 ] || fail 'hyp_z: not 246 references as written'
has shear 'add: 2, mul: 2' 2 2
has mixed_z 'add: 32, mul: 39' 51 3
has species 'add: 18, mul: 27, div: 9' 37 19
has ctoprim 'add: 3, mul: 17, div: 1' 14 34
has laplace 'add: 24, mul: 5' 25 1

# ---- refusals -----------------------------------------------------------------------------------
refuse 'found no file' analyze --nests n.yaml
refuse '--nests FILE is missing' analyze x.c
refuse "unknown option 'nest', did you mean 'nests'?" analyze x.c --nest n.yaml
refuse "x.c: cannot open" analyze x.c --nests n.yaml
echo 'int f( { return 0; }' >x.c
refuse 'x.c:1:' analyze x.c --nests n.yaml
echo 'int f(void) { return 0; }' >x.c
refuse 'found no loop that computes' analyze x.c --nests n.yaml
refuse '--nests' analyze x.c --nests x.c
refuse "--taken: found '3', expected LINE=PART" analyze x.c --nests n.yaml --taken 3
refuse '--taken 1=0.5: found no branch' analyze "$root/tests/source/cns.c" --nests n.yaml --taken 1=0.5

# left TEXT STATEMENT: of two loops the second is left out, with its place and the text.
left() {
    printf 'double g(double);\nvoid f(int n, int m, int s, double *restrict u, double *restrict v, int *at)\n{\n' >x.c
    printf 'for (int i = 0; i < n; i++) v[i] = 2.0 * v[i];\n%s\n}\n' "$2" >>x.c
    rm -f n.yaml
    analyze 1 x.c
    grep -q "^htmt analyze: x.c:5:[0-9]*: .*$1" err || fail "'$1' is not in: $(cat err)"
    grep -q '  - {file: "x.c", line: 5, column: ' n.yaml || fail 'not listed'
    has f 'mul: 1' 1 1
}
left 'found while' 'for (int i = 0; i < n; i++) while (u[i] > 1) u[i] *= 0.5;'
left 'found goto' 'for (int i = 0; i < n; i++) { goto l; l: u[i] = 1; }'
left 'not affine of u' 'for (int i = 0; i < n; i++) u[at[i]] = 1;'
left 'depends on data' 'for (int i = 0; i < at[n]; i += 1) for (int j = 0; j < at[i]; j++) u[j] = 1;'
left "call of 'g'" 'for (int i = 0; i < n; i++) u[i] = g(u[i]);'
left 'do not touch the same' 'for (int i = 0; i < n; i++) if (u[i] > 0) v[i] = 1;'
left 'a pointer that moves' 'for (int i = 0; i < n; i++) *u++ = 1;'
left '0..n-1 is not proved' 'for (int i = 0; i < s; i++) for (int j = 0; j < m; j++) u[i * n + j] = 1;'
left 'another form' 'for (int i = 1; i < n; i *= 2) u[i] = 1;'

# What was refused can be told.
printf 'void f(int n, int m, int s, double *u, const double *v)\n{\n' >x.c
printf 'for (int i = 0; i < s; i++) for (int j = 0; j < m; j++)\nif (v[i * n + j] > 0) u[i * n + j] += 2.0 * v[i * n + j];\n}\n' >>x.c
analyze 0 x.c --assume 'm<=n' --taken 4=0.25
nest f | grep -q 'ops: {add: "1/4", mul: "1/4"}' || fail "a branch taken in a quarter: $(nest f)"
nest f | grep -q 'update u\[i, j\] x1/4' || fail "a branch taken in a quarter: $(nest f)"
