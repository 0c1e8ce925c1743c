#!/bin/bash
# Class: fast.
# One figure, one value: every utilisation that a view of a run shows is that of its report. Each
# application on a machine of its own, a third of the machines, others for each commit, with an
# application that they can run; in tests/long/utilization.sh all applications on all machines.
. "$(dirname "$0")/common"
. "$root/tests/random/first"
export PYTHONDONTWRITEBYTECODE=1

# compare NAME ARGUMENTS...: 0 if it ran and all views agree, 1 if the machine cannot run it.
compare() {
    local name=$1 status=0
    shift
    "$HTMT" "$@" --json run.json --trace run.trace >out 2>err </dev/null || status=$?
    case $status in
    0) ;;
    2 | 3) return 1 ;; # too small a machine, or of another kind
    *) fail "$name: status $status: $(head -c 300 err)" ;;
    esac
    python3 "$root/tests/page/utilization.py" "$HTMT" run.json run.trace >log 2>&1 ||
        fail "$name: $* : $(head -c 800 log)"
}

# small APPLICATION: sets `words` to a small run of it.
small() {
    case $1 in
    cannon) words=(run cannon --size 64 --slices 4) ;;
    graph) words=(run graph bfs --er 5 --slices 4) ;;
    kernels) words=(run kernels --n 1024 --slices 1) ;;
    md) words=(run md --edge 4 --steps 2 --slices 1) ;;
    micro) words=(run micro --program copy --dpus 4) ;;
    nbody) words=(run nbody --bodies 500 --slices 2) ;;
    pic) words=(run pic --slices 2 --steps 1) ;;
    prim) words=(run prim va --size 1000 --slices 3) ;;
    sar) words=(model sar --slices 1) ;;
    stencil) words=(run stencil --cells 16,16,16 --slices 2) ;;
    traffic) words=(run traffic --pattern ping-pong --partner 1 --bytes 100 --slices 4) ;;
    volume) words=(model volume --slices 2) ;;
    *) fail "no small run of $1: add one" ;;
    esac
}

"$HTMT" --help >help
apps=$(sed -n '/^Applications/,/^$/s/^  \([a-z]*\)  .*/\1/p' help)
machines=$(cd "$root/machines" && echo *.yaml)
[ -n "$apps" ] && [ -n "$machines" ] || fail 'no applications or machines'
compared=0
if [ -n "${ALL-}" ]; then
    for app in $apps; do
        small "$app"
        for machine in $machines; do
            ! compare "$app on $machine" "${words[@]}" --machine "${machine%.yaml}" || compared=$((compared + 1))
        done
    done
    [ "$compared" -gt 50 ] || fail "only $compared runs"
else
    for app in $apps; do
        small "$app"
        compare "$app" "${words[@]}" || compare "$app" "${words[@]}" --machine upmem-e19 ||
            fail "$app does not run: $(head -c 300 err)"
    done
    n=0
    for machine in $machines; do
        n=$((n + 1))
        turn $n 3 || continue
        for app in cannon prim traffic kernels micro graph; do
            small "$app"
            ! compare "$app on $machine" "${words[@]}" --machine "${machine%.yaml}" || continue 2
        done
        fail "no application runs on $machine: $(head -c 300 err)"
    done
    # Parts of a run: the shares are those of the whole run all the same.
    for part in '--trace-slices 1' '--trace-layers cram' '--trace-window 1us..20us'; do
        # shellcheck disable=SC2086
        expect 0 "$HTMT" run cannon --size 256 --slices 4 --json run.json --trace run.trace $part
        expect 0 "$HTMT" timeline run.trace -o page.html
        python3 - "$root" <<'PYTHON' || fail "$part: other shares than the report"
import json, sys
sys.path.insert(0, sys.argv[1] + "/tests/page")
from page_data import Page
of = {r["name"]: r["utilization"] for r in json.load(open("run.json"))["resources"]}
m = Page("page.html").manifest
sys.exit(m["recorded"] is None or any(abs(r["utilization"] - of[r["name"]]) > 1e-12 for r in m["resources"] if r["name"] in of))
PYTHON
    done
    # One of four slices: its intervals are divided by one slice, not by four.
    expect 0 "$HTMT" run cannon --size 256 --slices 4 --json run.json --trace run.trace --trace-slices 1
    python3 "$root/tests/page/utilization.py" "$HTMT" run.json run.trace >log 2>&1 || fail "a part: $(cat log)"
fi
