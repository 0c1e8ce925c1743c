#!/bin/bash
# Class: fast.
# Each figure of am-cca and of its cost file moves a run of a graph program, or ends it in one line,
# or stands among those that cells do not look at. No figure is left out of this table.
. "$(dirname "$0")/common"

# Little room, so that rooms count.
tight=(--set layers.cell.processor.queues.action.room=20 --set layers.cell.processor.queues.action.own=10
    --set layers.cell.processor.queues.diffuse.room=48 --set networks.grid.inside.buffer=1)

# found PROGRAM OPTION...: what a run predicts and counts.
found() {
    "$HTMT" model graph "$@" --json found.json --quiet >out 2>err || { one_line && echo refused; return; }
    python3 -c 'import json
d = json.load(open("found.json"))
print(d["predicted_fs"], [(f["name"], f["value"]) for f in d["found"] if f["name"] != "costs_file"])'
}

# ---- the machine --------------------------------------------------------------------------------
# By key: another value; `-`: cells do not look at it (docs/networks.md).
cat >values <<'END'
slices -
layers.cell.processor.count 2
layers.cell.processor.clock 2GHz
layers.cell.processor.flop -
layers.cell.processor.iop -
layers.cell.processor.load -
layers.cell.processor.store -
layers.cell.processor.lambda -
layers.cell.processor.queues.action.room 3
layers.cell.processor.queues.action.own 60
layers.cell.processor.queues.diffuse.room 60
layers.cell.memory.capacity 50words
layers.cell.memory.reserve 499990words
layers.cell.memory.access-words -
layers.cell.memory.access -
layers.cell.memory.ports -
networks.grid.startup -
networks.grid.latency 2ns
networks.grid.ports.cell.out -
networks.grid.ports.cell.out-rate -
networks.grid.ports.cell.in -
networks.grid.ports.cell.in-rate -
networks.grid.inside.topology mesh
networks.grid.inside.shape 2x8
networks.grid.inside.channels 1
networks.grid.inside.buffer 3
networks.grid.inside.throttle 3
END
expect 0 "$HTMT" machine show am-cca
awk '/^(slices|layers|networks)/ && $1 !~ /(name|model|scope)$/ { print $1 }' out | sort >keys
cut -d' ' -f1 values | sort | diff keys - || fail 'these figures are not in the table'
grid=(bfs --rmat 8 --machine am-cca --slices 16 "${tight[@]}")
plain=$(found "${grid[@]}")
[ "$plain" != refused ] || fail "$(cat err)"
while read -r key value; do
    [ "$value" != - ] || continue
    [ "$(found "${grid[@]}" --set "$key=$value")" != "$plain" ] || fail "$key=$value moves nothing"
done <values
# A cycle is that of the clock, and a hop takes one.
twice=$(found "${grid[@]}" --set layers.cell.processor.clock=500MHz --set networks.grid.latency=2ns)
[ "${twice%% *}" = $((2 * ${plain%% *})) ] || fail "cycles of 2 ns: $twice"
# These change nothing, and are named where cells are explained.
while read -r key value; do
    [ "$value" = - ] || continue
    grep -q "^| of .*\`${key#*.cell.}\`\|^| of .*\`$key\`" "$root/docs/networks.md" || fail "networks.md does not name $key"
    case $key in
    slices) value=400 ;; *.flop | *.iop | *.load | *.store) value=7cycles ;;
    *lambda) value=0.5 ;; *access-words) value=4 ;; *.access) value=5ns/access ;;
    *rate) value=1Gword/s ;; *startup) value=5ns ;; *) value=3 ;;
    esac
    [ "$(found "${grid[@]}" --set "$key=$value")" = "$plain" ] || fail "$key=$value moves something"
done <values

# ---- costs --------------------------------------------------------------------------------------
sed -n 's/^ *\([a-z-]*\):$/\1/p; s/^ *\([a-z]*\): {value: \([0-9]*\),.*/\1 \2/p' "$root/costs/graph-cca.yaml" |
    awk 'NF == 1 { kind = $1 } NF == 2 { print kind, $1, $2 }' >figures
[ "$(wc -l <figures)" = 25 ] || fail "the cost file has $(wc -l <figures) figures"
while read -r kind figure value; do
    run=("${kind%-ghost}" --rmat 6 --machine am-cca --slices 9)
    [ "${kind%-ghost}" != pagerank ] || run+=(--iterations 2)
    [ -s "plain.${kind%-ghost}" ] || found "${run[@]}" >"plain.${kind%-ghost}"
    awk -v kind="$kind" -v figure="$figure" '/^  [a-z-]*:$/ { at = $1 == kind ":" }
        at && $1 == figure ":" { sub(/value: [0-9]+/, "value: 50") } 1' "$root/costs/graph-cca.yaml" >other.yaml
    moved=$(found "${run[@]}" --costs other.yaml | cmp -s - "plain.${kind%-ghost}" && echo no || echo yes)
    # The pairs of triangles are released, not diffused (docs/graphs.md).
    [ "$moved" = "$([ "$kind $figure" = 'triangles diffuse' ] && echo no || echo yes)" ] ||
        fail "$kind $figure: 50 for $value moves nothing"
done <figures
