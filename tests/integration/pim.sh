#!/bin/bash
# Class: fast.
# Measured machines by the command: errors of each row, other rows, fits, and what is refused.
. "$(dirname "$0")/common"
case ${SANITIZE-} in
*address* | *thread*) skip "not under this sanitizer" ;; # thousands of model runs of one thread
esac

large=U.RED.4.8388608.kernel small=U.RED.64.1048576.kernel

# Rows that take a moment: copies of few repetitions, programs on 64 DPUs.
mkdir short
for table in "$root"/emul/validate/measured/*.csv; do
    awk -F, '/^[#i]/ || /^N.host/ || /^N.*\.1,/ || /^U.*\.64\./ || /^U.GEMV/ || $1 == "'$large'"' "$table" \
        >"short/${table##*/}"
done

# Every row, its prediction and its error; the CSV says the same, and the scatter is always the same.
expect 0 "$HTMT" validate pim --csv rows.csv --plot a.svg
[ "$(wc -l <rows.csv)" = 4812 ] || fail "not 4811 rows: $(wc -l <rows.csv)"
# README, accuracy.md, validation.md and pim.md say how many have a prediction, and were fitted to.
[ "$(awk -F, 'NR > 1 { n[$4 == "" ? "none" : $9]++ } END { print n["none"], n["yes"], n["no"] }' rows.csv)" = \
    '167 970 3674' ] || fail 'another number of predictions, or of fitted rows, than documented'
grep -q '^  N.wram.1.1.512.64 ' out || fail 'no line of a row'
grep -q '^Figures quoted from memory' out || fail 'figures from memory are not listed'
grep -q '^Not modelled: ' out || fail 'nothing is said of what is not modelled'
awk 'length > 99 { print; wide = 1 } END { exit wide }' out >wide || fail "too wide: $(cat wide)"
! grep -q missed out || fail "a target is missed: $(grep missed out)"
export HTMT_MEASURED_PATH=$work/short
"$HTMT" validate pim --csv rows.csv --plot a.svg >full 2>err || [ $? = 1 ] || fail "$(cat err)"
"$HTMT" validate pim --quiet --plot b.svg >out 2>err || [ $? = 1 ] || fail "$(cat err)"
cmp a.svg b.svg || fail 'the plot changes'
[ "$(wc -l <out)" -lt 150 ] || fail 'quiet is not brief'

# The mean of a group, reckoned from the CSV.
mean=$(awk -F, '$2 ~ /^U / && $1 ~ /kernel$/ && $9 == "no" && $4 != "" {
    e = $4 / $3 - 1; s += e < 0 ? -e : e; n++ } END { printf "%.1f %%", 100 * s / n }' rows.csv)
grep '^  U kernels' full | head -1 | grep -qF " $mean " || fail "another mean than $mean"

# Other rows: both kinds of files, another server, ids of another table.
mkdir data
cat >data/a.csv <<END
id,quantity,value,unit,source,note
V.VA.64.1048576.kernel,a kernel,1050,us,elsewhere,measured
V.VA.64.1048576.sim,a simulation,1,ms,elsewhere,simulated; reference only
V.BS.64.1048576.kernel,another program,1,ms,elsewhere,measured
V.RED.64.1048576.kernel,a kernel,538,us,elsewhere,measured; second server
V.RED.64.2097152.kernel,a kernel,1,ms,elsewhere,measured; reference only
V.UNI.64.1048576.kernel,a kernel,1,ms,elsewhere,measured; reference only
END
printf '# T\n# unit: ns\nid,value\nN.wram.1.1.512.64,6806900\n' >data/b.csv
cat >data/c.csv <<END
id,quantity,value,unit,source,note
X.latency,of something,140,ns,elsewhere,measured
X.ratio,of something,1.4,x,elsewhere,measured
END
expect 0 "$HTMT" validate pim --data data
grep -q '^  V VA  *1 ' out || fail 'no group of the other server'
grep -q '^  V RED  *1 ' out || fail 'a note longer than "measured" leaves its row out'
grep -A 2 '^Rows left out, by their note' out | tr -s ' \n' ' ' | grep -q ' 1 simulated; reference only 2 measured; reference only' ||
    fail "rows are left out in silence: $(cat out)"
grep -q '^  X.latency  unknown id' out || fail 'the unknown id is not listed'
grep -q '^  X.ratio  unknown id' out || fail 'the unknown id of another quantity is not listed'
grep -q 'rows of programs that are not modelled: BS$' out || fail 'BS is not named'

# A fit names its rows, agrees with them, and they are then not counted.
expect 0 "$HTMT" fit prim --rows "$small,$large" --out red.yaml
[ "$(grep -c "htmt fit prim: $large and $small" red.yaml)" = 2 ] || fail "no rows: $(cat red.yaml)"
mkdir costs
cp red.yaml costs/prim-upmem.yaml
HTMT_COSTS_PATH=$work/costs "$HTMT" validate pim --csv red.csv >out 2>err || [ $? = 1 ] ||
    fail "$(cat err)"
for row in $small $large; do
    awk -F, -v id="$row" '$1 == id && $9 == "yes" && $5 ^ 2 < 25e-8 { ok = 1 } END { exit !ok }' \
        red.csv || fail "the fit is off: $(grep "^$row," red.csv)"
done

# A changed figure moves a row or is listed.
moves() {
    local file=$1 found=$2 put=$3 key=$4
    mkdir -p changed
    cp "$root"/machines/upmem-*.yaml "$root/costs/prim-upmem.yaml" changed
    sed -i "s|$found|$put|" "changed/$file"
    ! cmp -s "changed/$file" "$root/machines/$file" || fail "nothing changed: $found"
    HTMT_MACHINE_PATH=$work/changed HTMT_COSTS_PATH=$work/changed \
        "$HTMT" validate pim --quiet --csv changed.csv >out 2>err || [ $? = 1 ] || fail "$(cat err)"
    if cmp -s rows.csv changed.csv; then
        grep -qF "$key" list || fail "$key moves nothing and is not listed"
    else
        ! grep -qF "$key" list || fail "$key is listed and moves a row"
    fi
}
sed -n '/^Figures that no row/,/^$/p' full >list
moves upmem-e19.yaml 'slots: {value: 11' 'slots: {value: 12' 'upmem-e19: layers.wram.processor.slots '
moves upmem-e19.yaml '128: {value: 32.32 us' '128: {value: 35 us' 'upmem-e19: networks.bus.launch.value.128 '
moves upmem-p21.yaml '4: {value: 100.5 us' '4: {value: 99 us' 'upmem-p21: networks.bus.first-launch.value.4 '
moves upmem-p21.yaml '64: {value: 14.68 us' '64: {value: 15 us' 'upmem-p21: networks.bus.serial.from.start.value.64 '
moves upmem-e19.yaml 'value: 34.6 cycles' 'value: 35 cycles' 'upmem-e19: networks.dma.startup '
moves upmem-e19.yaml 'slices: {value: 512' 'slices: {value: 640' 'upmem-e19: slices '
moves upmem-p21.yaml 'threads: {value: 24' 'threads: {value: 23' 'upmem-p21: layers.wram.processor.threads '
moves upmem-p21.yaml 'mul-i32: {value: 29.1' 'mul-i32: {value: 30' 'upmem-p21: layers.wram.processor.instructions.mul-i32 '
moves upmem-p21.yaml 'div-i32: {value: 26.1' 'div-i32: {value: 30' 'upmem-p21: layers.wram.processor.instructions.div-i32 '

# Rows that a machine cannot do are listed, and their group is not judged; rows without tasklets in
# their id take all threads where 16 are too many.
few() {
    mkdir -p changed few
    cp "$root"/machines/upmem-*.yaml changed
    sed -i "$1" "changed/$2"
    for table in "$root"/emul/validate/measured/*.csv; do
        grep -E "^([#i]|($3),)" "$table" >"few/${table##*/}"
    done
    HTMT_MACHINE_PATH=$work/changed expect "$4" "$HTMT" validate pim --data few
}
few 's/threads: {value: 24/threads: {value: 8/' upmem-e19.yaml \
    'N.wram.1.(8|12).256.64|N.host.mram.to-dpu.1.8' 4
grep -q '^  copies wram *1 .* not judged$' out || fail "copies: $(grep '^  copies' out)"
grep -q '^  N.wram.1.12.256.64  --tasklets: found 12, expected at most the 8 threads' out ||
    fail 'a row without prediction is not listed'
grep -q '^  N.host.mram.to-dpu.1.8 .* fitted$' out || fail 'the transfer has no prediction'
few 's/threads: {value: 24/threads: {value: 8/' upmem-e19.yaml 'N.wram.1.12.256.64' 4
grep -q '^  copies wram *0 .* not judged$' out || fail "no copies: $(grep '^  copies' out)"
few 's/threads: {value: 24/threads: {value: 8/' upmem-p21.yaml 'U.VA.16.9437184.kernel' 0
few 's/largest: {value: 2048/largest: {value: 512/' upmem-p21.yaml \
    'U.GEMV.16.8192.kernel|U.VA.64.1048576.kernel' 4
grep -q '^  U kernels *1 .* not judged$' out || fail "kernels: $(grep '^  U kernels' out)"

# What is refused. A row's unit and an unknown id among known ones:
printf 'id,quantity,value,unit,source,note\nU.VA.1.8.kernel,q,1,m,s,measured\n' >data/a.csv
refuse "a.csv:2: found 'm', expected a unit of time" validate pim --data data
printf '# unit: ns\nid,value\nN.wram.1.1.512.64,1\nN.wrap.1.1.512.64,1\n' >data/b.csv
rm data/a.csv
expect 2 "$HTMT" validate pim --data data --quiet
grep -qF "b.csv:4: unknown id 'N.wrap.1.1.512.64'" err || fail "$(cat err)"
printf 'id,quantity,value,unit,source,note\nU.VA.64.1048576.kernel,q,1.03,ms,s,measured\nU.VV,q,1,m,s,measured\n' \
    >data/b.csv
expect 2 "$HTMT" validate pim --data data --quiet
grep -qF "b.csv:3: unknown id 'U.VV'" err || fail "$(cat err)"
rm data/c.csv
printf '# unit: ns\nid,value\n' >data/b.csv
refuse 'data: found no row in its measured tables' validate pim --data data
printf 'id,value\nU.VA.1.8.kernel,1\n' >data/b.csv
refuse "expected a line '# unit: ns' before it" validate pim --data data
printf '# unit: ns\nid,value\nU.VA.1.8.kernel,-1\n' >data/b.csv
refuse "found '-1', expected a time above zero" validate pim --data data
printf '# unit: ns\nid,value\nU.VA.1.8.kernel,1\nU.VA.1.8.kernel,2\n' >data/b.csv
refuse "is there twice" validate pim --data data
refuse 'nowhere: there is no such folder' validate pim --data "$work/nowhere"
mkdir empty
refuse 'empty: no measured tables' validate pim --data empty
refuse "found 'hereld-table3' behind 'pim'" validate pim hereld-table3
refuse "--json: 'pim' does not have it, expected --data, --csv" validate pim --json -
refuse "--data: the value is missing, expected DIR" validate pim --data
# A cost file that does not name its rows, whose rows would be counted; an operation without a row:
sed -i "s/htmt fit prim: U.RED[^\"]*/by hand/" costs/prim-upmem.yaml
HTMT_COSTS_PATH=$work/costs refuse 'red.instructions: found 0 kernels of its program' validate pim
# constant FOUND PUT MESSAGE: the shipped cost file with another source.
constant() {
    sed "s/$1/$2/" "$root/costs/prim-upmem.yaml" >costs/prim-upmem.yaml
    HTMT_COSTS_PATH=$work/costs refuse "$3" validate pim --quiet
}
second=U.RED.64.524288.kernel
constant $second U.RED.64.524287.kernel \
    "red.instructions: found row 'U.RED.64.524287.kernel' in the source, which was never measured"
constant " and $second" '' 'expected the two rows that it was fitted to'
constant "$second" $large 'red.instructions: found 1 kernels of its program'
constant "$second" U.VA.64.524288.kernel 'red.instructions: found 1 kernels of its program'
# The same of figures of a machine that were fitted:
figure() {
    cp "$root"/machines/upmem-*.yaml changed
    sed -i "s/$1/$2/" changed/upmem-e19.yaml
    HTMT_MACHINE_PATH=$work/changed refuse "$3" validate pim --quiet
}
figure '\(128: {value: 32.32 us, source: "\)[^"]*"' '\1measured"' \
    'networks.bus.launch.value.128: found a source without rows'
figure 'N.wram.1.1.512.64 ' 'N.wram.1.1.511.64 ' "found row 'N.wram.1.1.511.64' in the source"
figure 'source: "800.3: [^"]*"' 'source: "the rows fix it"' \
    'layers.wram.processor.clock: found a source without rows'
figure 'fitted to N.mram.[*].1.[*].[*]' 'fitted' \
    'networks.dma.latency.read: found a source without rows'
mkdir -p changed
cp "$root"/machines/upmem-*.yaml changed
sed -i '/mul-i32/d' changed/upmem-p21.yaml
HTMT_MACHINE_PATH=$work/changed refuse "found no row 'mul-i32' in its table of instructions" validate pim
# Fits:
refuse 'expected two rows of a program' fit prim --rows "$small" --out no.yaml
refuse 'expected two rows of a program, each once' fit prim --rows "$small,$small" --out no.yaml
refuse 'above a quarter' fit prim --rows U.RED.64.4194304.kernel,U.RED.64.2097152.kernel --out no.yaml
refuse 'expected the kernel of a program' fit prim --rows "U.RED.64.524288.dpu-to-cpu,$large" --out no.yaml
refuse "no measured row 'U.NO'" fit prim --rows "U.NO,$large" --out no.yaml
refuse "expected 'prim' first" fit
[ ! -e no.yaml ] || fail 'a refused fit wrote a file'
