#!/bin/bash
# Measure emulator and base lines against each other: bench/run.sh FOLDER_OF_PROGRAMS
#   ROUNDS=N       rounds, default 5; every round runs every case once, in turn
#   ONLY=PATTERN   only the groups that match the regular expression
# A program reports as bench/clock.h says. Before a program's name, `seq:` takes the one of the base
# line `seq` (bench/seq.sh), its cases end in _seq; `Haswell:` and the like choose OpenBLAS's kernels,
# its groups end so; `put:` stands beside events in memory banks, work 0. Ratios are taken turn by
# turn; what is printed is the median over the turns of all rounds, with the extremes, and at the end
# how the medians stand to bench/targets. The raw lines stay in FOLDER_OF_PROGRAMS/results.
set -euo pipefail

dir=${1:?folder of the programs}
rounds=${ROUNDS:-5}
results=$dir/results
seq=$dir/../seq/build/bench
pending_most=262144 # events in the hold model, which has a table of its own
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
# One thread a kernel unless a program says otherwise; StarPU's own files away from the user's.
export OPENBLAS_NUM_THREADS=1 OMP_PROC_BIND=true STARPU_SILENT=1 STARPU_HOME=$home

# Group, program, arguments. The first case of a group with T threads is what the others with T
# threads are compared to; what is compared closest runs next to each other.
product_cases() {
    local size=$1 block=$2 threads program
    for threads in 1 2; do
        for program in 'plain_loop' 'emulator_product' emulator_product_pools \
            'plain_loop --copies none' whole_dgemm \
            'plain_loop --split counter' openmp_blocks starpu_blocks; do
            # Other runtimes want their seconds at the largest size on both threads only.
            [[ $size$threads != 40961 || $program = *_dgemm || $program = emulator* ||
                $program = plain_loop || $program = *none ]] || continue
            echo "product-$size-$block $program --size $size --block $block --threads $threads"
        done
    done
}

# Sets of kernels that OpenBLAS does not choose by itself on every host that has their instructions.
kernel_sets() {
    ! grep -qw avx512f /proc/cpuinfo || echo SkylakeX
    ! grep -qw avx2 /proc/cpuinfo || echo Haswell
}

cases() {
    local stages threads endpoints program set
    for set in $(kernel_sets); do
        for program in plain_loop emulator_product; do
            echo "product-4096-128-$set $set:$program --size 4096 --block 128 --threads 1"
        done
    done
    product_cases 4096 128
    product_cases 2048 256
    product_cases 2048 64
    product_cases 2048 32
    echo 'grain emulator_grain'
    ! grep -qw avx512f /proc/cpuinfo || echo 'grain-SkylakeX SkylakeX:emulator_grain'
    echo 'stages emulator_stages'
    echo 'stages seq:emulator_stages'
    echo 'hand hand_stages'
    echo 'slopes slopes'
    for stages in 5 8; do
        for threads in 1 2; do
            for program in openmp_chains starpu_chains emulator_chains; do
                echo "chain-$stages $program --stages $stages --threads $threads"
            done
        done
    done
    for endpoints in 16 256; do
        for program in 'simgrid_messages --links plain' 'simgrid_messages --links tcp' \
            'emulator_messages' 'seq:emulator_messages'; do
            echo "messages-$endpoints $program --endpoints $endpoints --rounds $((32000 / endpoints))"
        done
    done
    echo 'hops fabric_hops'
    echo 'torus emulator_torus'
    echo 'torus simgrid_torus --endpoints 16 --rounds 2000'
    echo 'torus simgrid_torus --endpoints 256 --rounds 50'
    echo 'torus simgrid_torus --endpoints 4096 --rounds 1'
    echo 'phold heap_phold'
    echo 'phold emulator_phold'
    echo 'volume volume'
    echo 'jobs host_jobs'
    # Minutes, of samples that count in their own way: in the first round alone.
    [[ ! -x $dir/../htmt-rec || $round != 1 ]] || echo 'host host_shapes'
    [[ ! -x $dir/../htmt-rec || $round != 1 ]] || ! command -v valgrind >/dev/null || echo 'host host_instructions'
    echo 'sar sar'
    echo 'stencil stencil'
    echo 'md md'
    echo 'tree nbody'
    echo 'plasma plasma'
    echo 'waiting plasma_waiting'
    echo 'clock clock_commands'
    echo 'banks bank_va'
    echo 'banks put:emulator_messages --endpoints 256 --rounds 2000'
    echo 'study study_points'
    echo 'captured captured_runs'
    echo 'trace-export trace_exports'
    echo 'trace-cost trace_cost'
    echo 'node-of-host node_play'
    echo 'bounds nest_bounds'
    echo 'recorded recorded_hooks'
    [ ! -x "$dir/../htmt-rec" ] || echo 'recorded-ddot recorded_ddot'
    [ ! -x "$dir/../htmt-rec" ] || echo 'recorded-cannon recorded_threads'
}

# Runs nothing where the base line was not built.
run_program() {
    local program=$1
    shift
    case $program in
    seq:*) [ ! -x "$seq/${program#*:}" ] || "$seq/${program#*:}" "$@" | sed 's/^RESULT [^ ]* [^ ]*/&_seq/' ;;
    host_instructions) "${0%/*}/host_instructions.sh" "$dir/.." ;;
    put:*) "$dir/${program#*:}" "$@" | sed -E 's/^RESULT [^ ]* [^ ]* (.*) [^ ]+$/RESULT banks put_1 \1 0000000000000000/' ;;
    *:*) OPENBLAS_CORETYPE=${program%:*} "$dir/${program#*:}" "$@" | sed "s/^RESULT [^ ]*/&-${program%:*}/" ;;
    *) "$dir/$program" "$@" ;;
    esac
}

run_round() {
    local group program arguments
    while read -r group program arguments; do
        [[ $group =~ ${ONLY:-.} ]] || continue
        # shellcheck disable=SC2086
        run_program "$program" $arguments 2>"$home/err" >>"$results" </dev/null ||
            { echo "$program $arguments failed:" >&2; cat "$home/err" >&2; exit 1; }
        sed -n 's/^KERNEL //p' "$home/err" >>"$home/kernel"
    done < <(cases)
}

# Ticks that this host's processors were busy, were taken away by its own host, and of them ours.
ticks() {
    local user nice system irq softirq steal
    read -r _ user nice system _ _ irq softirq steal _ </proc/stat
    # shellcheck disable=SC2046
    set -- $(sed 's/.*) //' "/proc/$$/stat")
    echo "$((user + nice + system + irq + softirq)) $steal $((${12} + ${13} + ${14} + ${15}))"
}

: >"$results"
: >"$home/kernel"
begin=$(ticks)
begin_s=$EPOCHREALTIME
for ((round = 1; round <= rounds; round++)); do
    echo "ROUND $round" >>"$results"
    run_round
    [ ! -t 2 ] || echo "round $round of $rounds" >&2
done

echo "host        $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) processors"
awk -v hz="$(getconf CLK_TCK)" -v s="$(awk "BEGIN { print $EPOCHREALTIME - $begin_s }")" \
    'NR == 1 { busy = $1; steal = $2; own = $3 }
     NR == 2 { printf "other load  %.2f processors by other programs, %.2f stolen by the host below\n",
               (($1 - busy) - ($3 - own)) / hz / s, ($2 - steal) / hz / s }' \
    <<<"$begin"$'\n'"$(ticks)"
sets=$(sort -u "$home/kernel" | paste -sd " ")
echo "kernel set  ${sets:+OpenBLAS }${sets:-none ran}"
[ -d "$seq" ] || echo 'seq         left out: no git history to build it from'
echo "rounds      $rounds; median [min - max]; ratios within a turn; in s and ns less is better"
if [[ pending =~ ${ONLY:-.} ]]; then
    printf '\nhold on the pending event set, best of three\n'
    "$dir/pending_bench" "$pending_most"
fi
awk -f "${0%/*}/table.awk" "${0%/*}/targets" "$results"
