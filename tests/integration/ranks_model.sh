#!/bin/bash
# Model runs of the four applications by RANKS processes of 1 and 2 clock threads tell what one
# process tells: all of the JSON but host times.
. "$(dirname "$0")/../integration/common"
case ${SANITIZE-} in *thread*) exit 0 ;; esac
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
if ! command -v mpirun >/dev/null || [ ! -e "$(dirname "$HTMT")/mpi.so" ]; then
    echo 'skipped: mpirun or mpi.so is missing (.ci/packages-mpi.txt)'
    exit 0
fi
launch=(nice mpirun --oversubscribe --bind-to none)
[ "$(id -u)" != 0 ] || launch+=(--allow-run-as-root)
export OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_btl=self,vader OMPI_MCA_mpi_yield_when_idle=1

# What a document tells of the run, without the host and how the clock went.
told() {
    python3 - "$1" <<'END'
import json, sys
d = json.load(open(sys.argv[1]))
for key in ("host", "clock", "wall", "record", "threads"):
    d.pop(key)
print(json.dumps(d, sort_keys=True))
END
}

while read -r command; do
    expect 0 "$HTMT" model $command --json alone.json --quiet
    told alone.json >alone.told || fail "no document: $command"
    for ranks in ${RANKS:-2}; do
        for threads in 1 2; do
            expect 0 "${launch[@]}" -n $ranks "$HTMT" model $command --clock-threads $threads \
                --json ranks.json --quiet
            told ranks.json | cmp -s - alone.told ||
                fail "$ranks ranks, $threads threads: $command: $(told ranks.json | head -c 300)"
        done
    done
done <<END
cannon --size 512 --slices 64
pic --steps 20
pic --phases push --slices 16
sar --slices 6
volume --slices 16 --phantom 64 --frames 3
END
