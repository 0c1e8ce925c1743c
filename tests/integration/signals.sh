#!/bin/bash
# Class: fast.
# SIGINT and SIGTERM at random moments of several verbs and applications: one line and status 4, or
# the command was over. SIGKILL at random moments of every output: the older file or the new one,
# whole. INTERRUPTS of each signal, KILLS of each output, moments from SEED.
. "$(dirname "$0")/common"
INTERRUPTS=${INTERRUPTS:-4} KILLS=${KILLS:-1} SEED=${SEED:-$RANDOM}
RANDOM=$SEED
[ -z "${SANITIZE-}" ] || slow=20
where() {
    echo "seed $SEED, moment $moment us of $length: $*"
}

# Microseconds from the handlers to the end of the command.
measure() {
    env --default-signal=INT "$@" >out 2>err </dev/null &
    armed $!
    local begin=${EPOCHREALTIME/./}
    wait $! || fail "measured: $(cat err)"
    length=$((${EPOCHREALTIME/./} - begin))
}

# strike SIGNAL COMMAND...: at a moment of its length; $status and err tell how it ended. It must end
# soon after the signal, which on a busy host is not at once.
strike() {
    local signal=$1 pid
    shift
    moment=$((RANDOM * length / 32768))
    status=0
    env --default-signal=INT "$@" >out 2>err </dev/null &
    pid=$!
    armed $pid
    sleep "$((moment / 1000000)).$(printf %06d $((moment % 1000000)))"
    kill "-$signal" $pid 2>/dev/null || :
    local begin=${EPOCHREALTIME/./}
    { wait $pid || status=$?; } 2>/dev/null
    (((${EPOCHREALTIME/./} - begin) < 30000000 * ${slow:-1} + length)) || fail "$(where "$@") hung"
}

# ---- SIGINT and SIGTERM ----------------------------------------------------------------------------
# Outputs are below new/.
interrupt() {
    rm -rf new
    mkdir new
    strike "$@"
    [ -z "$(find new -name '*.tmp')" ] || fail "$(where "$@") left: $(ls new)"
    case $status in
    0) [ ! -s err ] || fail "$(where "$@"): $(cat err)" ;;
    4)
        [ "$(wc -l <err)" = 1 ] && grep -q interrupted err || fail "$(where "$@"): $(cat err)"
        ;;
    *) fail "$(where "$@"): status $status: $(cat err)" ;;
    esac
}

expect 0 "$HTMT" scene sar --out s --lines 600 --samples 1200
commands=(
    'run cannon --size 700 --slices 16 --out new/c.npy --json new/c.json'
    'run volume --phantom 64 --size 128 --slices 4 --out new/i.png --npy new/i.npy'
    'run pic --case thermal --cells 16,16,16 --steps 4 --slices 4 --out-records new/r.csv --plot-energies new/e.svg'
    'run sar --params s.yaml --slices 1 --out new/s.npy --png new/s.png'
    'model cannon --size 1500 --slices 16 --table csv:new/t.csv'
    'run cannon --size 128 --slices 4 --check-determinism'
    'scene sar --out new/s --lines 600 --samples 1200'
    'validate amaral --json new/v.json --csv new/v.csv'
    'predict volume --largest'
)
for ((n = 0; n < INTERRUPTS; n++)); do
    read -ra words <<<"${commands[n % ${#commands[@]}]}"
    mkdir -p new
    measure "$HTMT" "${words[@]}"
    interrupt INT "$HTMT" "${words[@]}"
    interrupt TERM "$HTMT" "${words[@]}"
done

# ---- SIGKILL ---------------------------------------------------------------------------------------
# kills FILE COMMAND...: the last word of the command is the file, perhaps behind a prefix.
kills() {
    local file=$1 n
    shift
    measure "$HTMT" "$@"
    cp "$file" whole
    for ((n = 0; n < KILLS; n++)); do
        echo older >"$file"
        strike KILL "$HTMT" "$@"
        [ "$(head -c 6 "$file" | tr -d '\0')" = older ] || cmp -s "$file" whole ||
            { [ "${file%.json}" != "$file" ] && [ "$(tail -n 1 "$file")" = '}' ]; } ||
            fail "$(where "$@"): half a file"
        rm -f "$file".*.tmp
    done
    rm "$file" whole
}
plasma=(run pic --case thermal --cells 16,16,16 --steps 2 --slices 4 --check none --quiet)
volume=(run volume --phantom 16 --size 512 --slices 2 --check none --quiet)
radar=(run sar --params s.yaml --slices 1 --check none --quiet)
cannon=(run cannon --size 300 --slices 4 --check none --quiet)
kills c.npy "${cannon[@]}" --out c.npy
kills r.json "${cannon[@]}" --json r.json
kills t.csv "${cannon[@]}" --table csv:t.csv
kills r.csv "${plasma[@]}" --out-records r.csv
kills r.npy "${plasma[@]}" --out-records r.npy
kills f.npy "${plasma[@]}" --out-fields f.npy
kills p.npy "${plasma[@]}" --out-particles p.npy
kills e.svg "${plasma[@]}" --plot-energies e.svg
kills e.png "${plasma[@]}" --plot-energies e.png
kills x.svg "${plasma[@]}" --plot-phase-space x.svg
kills i.png "${volume[@]}" --out i.png
kills i.npy "${volume[@]}" --npy i.npy
kills i.npy "${radar[@]}" --out i.npy
kills i.png "${radar[@]}" --png i.png
kills q.raw scene sar --lines 600 --samples 1200 --out q
kills q.yaml scene sar --lines 600 --samples 1200 --out q
kills v.csv validate amaral-table2 --quiet --csv v.csv
kills v.json validate amaral-table2 --quiet --json v.json
kills v.svg validate amaral-figure7 --quiet --plot v.svg
