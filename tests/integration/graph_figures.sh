#!/bin/bash
# Class: fast.
# Each figure of am-cca, and each cost of the graph programs, moves what a run predicts or is refused;
# those that change nothing stand as such in the documents.
. "$(dirname "$0")/common"

# played PROGRAM OPTION...: time and history of a run on full queues, or the line that refuses it.
played() {
    rm -f r.json
    "$HTMT" model graph "$@" --machine am-cca --json r.json --quiet >out 2>err </dev/null || true
    if [ -s r.json ] && [ ! -s err ]; then
        grep -E '"(predicted_fs|history_hash)":' r.json
    else
        cat err
    fi
}

queues=layers.cell.processor.queues
small=(bfs --rmat 7 --slices 16 --set "$queues.action.room=20" --set "$queues.action.own=3"
    --set "$queues.diffuse.room=20")
wide=(bfs --er 10 --factor 10 --slices 256)
in_small=$(played "${small[@]}") in_wide=$(played "${wide[@]}")
grep -q history_hash <<<"$in_small" || fail "$in_small"
grep -q history_hash <<<"$in_wide" || fail "$in_wide"

# ---- the machine --------------------------------------------------------------------------------

# What becomes of each figure when it changes. A new figure needs a row.
cat >rows <<'R'
slices                                     64 unused
layers.cell.processor.name                 other unused
layers.cell.processor.count                2 a cell has one core
layers.cell.processor.clock                2GHz expected a cycle of the cells
layers.cell.processor.flop                 3cycle unused
layers.cell.processor.iop                  3cycle unused
layers.cell.processor.load                 3cycle unused
layers.cell.processor.store                3cycle unused
layers.cell.processor.lambda               0.5 unused
layers.cell.processor.queues.action.room   21 moves
layers.cell.processor.queues.action.own    4 moves
layers.cell.processor.queues.diffuse.room  30 moves
layers.cell.memory.name                    other unused
layers.cell.memory.capacity                80B of them left
layers.cell.memory.reserve                 499999words of them left
layers.cell.memory.access-words            2 unused
layers.cell.memory.access                  3ns/access unused
layers.cell.memory.ports                   2 unused
layers.cell.inside.model                   stream inside
networks.grid.scope                        slice needs ports
networks.grid.latency                      2ns expected a cycle of the cells
networks.grid.startup                      5ns unused
networks.grid.ports.cell.out               3 unused
networks.grid.ports.cell.out-rate          1GB/s unused
networks.grid.ports.cell.in                3 unused
networks.grid.ports.cell.in-rate           1GB/s unused
networks.grid.inside.model                 fabric inside
networks.grid.inside.topology              mesh moves
networks.grid.inside.shape                 cube square
networks.grid.inside.channels              2 moves
networks.grid.inside.buffer                3 moves
networks.grid.inside.throttle              21 moves
R
"$HTMT" machine show am-cca | awk '$1 ~ /\./ || $1 == "slices" { print $1 }' | sort >known
awk '{ print $1 }' rows | sort | diff known - || fail 'not the figures of am-cca'

while read -r key value becomes; do
    now=$(played "${small[@]}" --set "$key=$value") before=$in_small
    if [ "$key" = networks.grid.inside.channels ]; then # it takes routes that close round the torus
        now=$(played "${wide[@]}" --set "$key=$value") before=$in_wide
    fi
    case $becomes in
    moves) grep -q history_hash <<<"$now" && [ "$now" != "$before" ] || fail "$key=$value: $now" ;;
    unused) [ "$now" = "$before" ] || fail "$key=$value moves: $before: $now" ;;
    *) grep -qF -- "$becomes" <<<"$now" || fail "$key=$value, not '$becomes': $now" ;;
    esac
done <rows

# The page says which are not looked at. Names are not figures.
sed -n '/^Cells do not look at/,/^### /p' "$root/docs/networks.md" >unlooked
while read -r key _ becomes; do
    [ "$becomes" != unused ] || [[ $key = *.name ]] || {
        short=${key#layers.cell.}
        short=${short#networks.grid.ports.cell.}
        grep -qF -- "\`$short" unlooked || fail "docs/networks.md does not say that $key is not looked at"
    }
done <rows

# ---- costs --------------------------------------------------------------------------------------

costs=$root/costs/graph-cca.yaml still=
for program in bfs sssp pagerank triangles; do
    case=("$program" --rmat 7 --slices 16)
    before=$(played "${case[@]}")
    grep -q history_hash <<<"$before" || fail "$before"
    while read -r line name; do
        sed "${line}s/value: /value: 9/" "$costs" >changed.yaml
        [ "$(played "${case[@]}" --costs changed.yaml)" != "$before" ] || still="$still $name"
    done < <(awk -v program=$program '
        /^  [a-z-]+:$/ { section = substr($1, 1, length($1) - 1) }
        /value:/ && (section == program || section == program "-ghost") { print NR, section "." $1 }' "$costs")
done
[ "$still" = ' triangles.diffuse:' ] || fail "these move nothing:$still"
grep -q 'diffuse. among them' "$root/docs/graphs.md" || fail 'docs/graphs.md does not say that it counts for nothing'
[ "$(grep -c 'value:' "$costs")" = 25 ] || fail 'costs were added: see that each is tried'
