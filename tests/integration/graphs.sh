#!/bin/bash
# Class: fast.
# htmt graph make and info; and igraph, which shares nothing with us, as the judge of levels,
# distances, ranks, triangles, components, loops and doubles. Without it that part is skipped.
. "$(dirname "$0")/common"
python=/usr/bin/python3

# ---- help of the verb and of the application ----------------------------------------------------
for words in 'help graph' 'run graph --help' 'graph --help'; do
    expect 0 "$HTMT" $words
    grep -q '^usage: htmt graph make' out && grep -q '^  --root V ' out || fail "$words: $(cat out)"
done

# ---- make and info ------------------------------------------------------------------------------
expect 0 "$HTMT" graph make er --scale 5 --factor 12 --seed 7 -o er.mtx
expect 0 "$HTMT" make graph --kind er --scale 5 --factor 12 --seed 7 --out again.mtx
cmp er.mtx again.mtx || fail 'the verb of the application makes another graph'
expect 0 "$HTMT" graph make er --scale 5 --factor 12 --seed 8 -o other.mtx
! cmp -s er.mtx other.mtx || fail 'two seeds, one graph'
expect 0 "$HTMT" graph make rmat --scale 6 --factor 4 -o rmat.edgelist
expect 0 "$HTMT" graph make rmat --scale 6 --factor 4
cmp out rmat.edgelist || fail 'standard output has another graph'
expect 0 "$HTMT" graph make graph500 --scale 7 --factor 8 -o g7.bin
[ "$(wc -c <g7.bin)" = $((8 * 128 * 12)) ] || fail "g7.bin has $(wc -c <g7.bin) bytes"
expect 0 "$HTMT" graph make graph500 --scale 7 --factor 8 -o g7.mtx
expect 0 "$HTMT" graph make graph500 --scale 7 --factor 8 --weights 0 -o g7p.mtx
expect 0 "$HTMT" graph info g7.bin
mv out info
expect 0 "$HTMT" graph info g7p.mtx
cmp out info || fail 'the same graph in two formats has other facts'
gzip -k rmat.edgelist er.mtx
expect 0 "$HTMT" graph info rmat.edgelist
mv out info
expect 0 "$HTMT" graph info rmat.edgelist.gz
cmp out info || fail 'a packed graph has other facts'

# By hand: a star of three, a loop, an edge twice, and a vertex alone.
printf '6 6\n6\n0 1 1\n0 2 1\n0 3 1\n4 4 1\n0 1 2\n3 0 1\n' >hand.edgelist
expect 0 "$HTMT" graph info hand.edgelist
cat >wanted <<'END'
vertices: 6
edges: 6, directed
weights: yes
edges that leave a vertex: least 0, median 0, most 4
edges that lead to a vertex: least 0, median 1, most 2
components: 3, the largest of 4 vertices; 1 vertices without an edge
loops: 1
doubles: 1
END
cmp out wanted || fail "info: $(cat out)"

# ---- bad input ----------------------------------------------------------------------------------
# refused TEXT COMMAND...: status 2 and one line with that text.
refused() {
    local text=$1
    shift
    expect 2 "$HTMT" "$@"
    [ "$(wc -l <err)" = 1 ] || fail "$*: $(cat err)"
    grep -qF -- "$text" err || fail "'$text' is not in: $(cat err)"
}
refused 'what to do is missing' graph
refused "unknown action 'mkae', did you mean 'make'?" graph mkae
refused 'the kind is missing' graph make --scale 3
refused "found 'tree', expected one of 'er'" graph make tree --scale 3
refused '--scale N is missing' graph make er
refused '--scale: found 31, expected 1 to 30' graph make er --scale 31
refused "found 'g.graph', expected a name that ends in" graph make er --scale 3 -o g.graph
refused "found 'g.bin', a format without directions" graph make er --scale 3 -o g.bin
refused "found 'g.bin', a format without directions" graph make rmat --scale 3 -o g.bin
refused 'the file is missing' graph info
refused 'none.mtx: cannot open' graph info none.mtx
refused "--format: found 'dot'" graph info er.mtx --format dot
printf '2 2\n1\n0 1 1\n1 0 1\n' >many.edgelist
refused 'many.edgelist:4: found "1 0 1", expected nothing after as many edges as the header says' \
    run graph bfs --graph many.edgelist --machine htmt-torus --slices 4
printf '2 2\n1\n0 1 -1\n' >negative.edgelist
refused 'negative.edgelist:3: found "0 1 -1", expected a weight of at least 0' \
    run graph sssp --graph negative.edgelist --machine htmt-torus --slices 4
refused 'g7.bin: found edges without weights, expected weights for sssp' \
    run graph sssp --graph g7.bin --machine htmt-torus --slices 4
refused '--root: found 128, expected 0 to 127: g7.bin has 128 vertices' \
    run graph bfs --graph g7.bin --root 128 --machine htmt-torus --slices 4
refused '--place cca: found 6 slices, expected a square of them as 4' \
    run graph bfs --graph g7.bin --machine htmt-torus --slices 6
refused 'quiet is asked for by answers: the cells of layer cell send none' \
    model graph bfs --graph g7.bin --machine am-cca --slices 4 --quiet-by acks
refused "--quiet-by: found 'never', expected free or acks" \
    model graph bfs --graph g7.bin --machine htmt-torus --slices 4 --quiet-by never

# ---- rates of the host, and where costs come from ------------------------------------------------
expect 0 "$HTMT" run graph bfs --er 5 --machine am-cca --slices 16
grep -qE '^  rates  +[0-9.]+ [kMG]?messages/s, [0-9.]+ [kMG]?hops/s, [0-9.]+ [kMG]?edges/s$' out ||
    fail "rates: $(cat out)"
grep -qE '^  costs  +graph-cca, as none was named$' out || fail "costs: $(cat out)"
expect 0 "$HTMT" model cannon --size 16
! grep -q '^  rates' out || fail 'rates of messages that nobody counted'
grep -qE "^  costs  +the kernels' own counts$" out || fail "costs: $(cat out)"

# ---- a plot of cells ----------------------------------------------------------------------------
refused '--plot-cells: found machine htmt-torus without cells, expected one as am-cca' \
    run graph bfs --graph g7.bin --machine htmt-torus --slices 4 --plot-cells c.svg
[ ! -e c.svg ] || fail 'a plot of cells that are not there'
for program in bfs triangles; do
    run="run graph $program --er 5 --machine am-cca --slices 9"
    expect 0 "$HTMT" $run
    grep '^  history hash' out >alone
    for threads in 1 3; do
        expect 0 "$HTMT" $run --clock shared --clock-threads $threads --plot-cells $threads.svg
        grep '^  history hash' out | cmp - alone || fail "$run: a plot changes its history"
    done
    cmp 1.svg 3.svg || fail "$run: three threads draw another picture"
done
# A run without messages.
printf '3 3\n0\n' >none.edgelist
expect 0 "$HTMT" run graph triangles --graph none.edgelist --machine am-cca --slices 4 --plot-cells none.svg
refused 'quiet is asked for by answers: the cells of layer cell send none' \
    model graph bfs --graph g7.bin --machine am-cca --slices 4 --quiet-by acks
refused "--quiet-by: found 'never', expected free or acks" \
    model graph bfs --graph g7.bin --machine htmt-torus --slices 4 --quiet-by never

# ---- on machines of many kinds, and watched -----------------------------------------------------
# Processors that route and several processors of a slice; ports inside a network; a plain one.
expect 0 "$HTMT" graph make er --scale 6 --factor 10 --seed 2 -o watched.edgelist
for machine in gcel powerstone1 'htmt-torus --slices 4' 'small-htmt --slices 4' am-cca; do
    for program in bfs sssp pagerank triangles; do
        run="graph $program --graph watched.edgelist --machine $machine"
        expect 0 "$HTMT" run $run
        grep '^  history hash' out >alone
        grep -q '^  model run  *the same: without kernels' out || fail "$run: $(cat out)"
        expect 0 "$HTMT" run $run --explain --lint --check-determinism --trace watched.trace
        grep '^  history hash' out | cmp - alone || fail "$run: watching changes its history"
        grep -q '^  model run .*the same events to the femtosecond$' out ||
            fail "$run is not its model run: $(grep -A1 '^  model run' out)"
        grep -q '^EXPLANATION' out || fail "$run: explains nothing"
        expect 0 "$HTMT" trace check watched.trace
    done
done

# ---- golden rows --------------------------------------------------------------------------------
expect 0 "$HTMT" validate graph
grep -qx '12 rows: 12 exact, 0 differ' out || fail "$(cat out)"
grep -q '106 rows are of graphs that are not shipped: --data DIR' out || fail "$(cat out)"
mkdir -p data/inputs
sed '3,4!d; s/rmat-8-6-3/g/' "$root/emul/validate/cells/own.csv" >data/rows.csv
sed '/^own.bfs.rmat-8-6-3.mesh/!d; s/rmat-8-6-3/g/2' "$root/emul/validate/cells/own.csv" >>data/rows.csv
echo id,value >data/others.csv
expect 0 "$HTMT" graph make rmat --scale 8 --factor 6 --seed 3 -o data/inputs/g.edgelist
expect 0 "$HTMT" validate graph --data data --csv rows
grep -qx '2 rows: 2 exact, 0 differ' out || fail "$(cat out)"
grep -qx '1 tables have other columns, and are left out' out || fail "$(cat out)"
[ "$(grep -c ',exact,right,' rows)" = 2 ] || fail "$(cat rows)"
sed -i 's/,15086$/,15087/' data/rows.csv
expect 1 "$HTMT" validate graph --data data --csv rows --quiet
grep -q 'operons_moved 15086 for 15087' out || fail "$(cat out)"
[ "$(grep -c ',differs,right,' rows)" = 1 ] || fail "$(cat rows)"
rm data/inputs/g.edgelist
refused "data/rows.csv:3: found no graph 'g' in data" validate graph --data data
refused "--data: cannot open the folder 'nowhere'" validate graph --data nowhere
refused "found 'cca' behind 'graph'" validate graph cca
refused "--json: 'graph' does not have it, expected --data, --csv or --quiet" validate graph --json -
sed -i '3s/buffer=\|recv=4/recv=0/' data/rows.csv
refused "data/rows.csv:3: found '0', expected a figure of config" validate graph --data data
sed -i '3s/recv=0/recv=4 clock=true/' data/rows.csv
refused "data/rows.csv:3: found 'clock', expected a figure of config that is played" \
    validate graph --data data

# ---- igraph -------------------------------------------------------------------------------------
for graph in er.mtx g7.mtx rmat.edgelist; do
    expect 0 "$HTMT" graph info "$graph"
    mv out "$graph.info"
    for program in bfs sssp pagerank triangles; do
        expect 0 "$HTMT" run graph $program --graph "$graph" $(
            [ $program = triangles ] || echo --root 3
            [ $program != pagerank ] || echo --iterations 100
        ) --machine htmt-torus --slices 9 --algorithm "$(
                [ "$graph" = er.mtx ] && echo levels || echo async
            )" --out "$graph.$program"
    done
done
"$python" -c 'import igraph' 2>/dev/null || { lacks python3-igraph 'a judge of graphs'; exit 77; }
cat >judge.py <<'END'
import csv, igraph, math, sys

def read(name):
    lines = [l.split() for l in open(name) if not l.startswith('%')]
    if name.endswith('.mtx'):
        head = open(name).readline()
        n, edges = int(lines[0][0]), [(int(a) - 1, int(b) - 1, float(w)) for a, b, w in lines[1:]]
        directed = 'general' in head
    else:
        n, edges, directed = int(lines[0][0]), [(int(a), int(b), float(w)) for a, b, w in lines[2:]], True
    g = igraph.Graph(n=n, edges=[e[:2] for e in edges], directed=directed)
    g.es['weight'] = [e[2] for e in edges]
    return g

def column(name, key):
    return [float(row[key]) for row in csv.DictReader(open(name))]

for name in sys.argv[1:]:
    g = read(name)
    info = dict(line.strip().split(': ', 1) for line in open(name + '.info'))
    assert int(info['vertices']) == g.vcount()
    assert int(info['loops']) == sum(g.is_loop()), info
    assert int(info['components'].split(',')[0]) == len(g.connected_components(mode='weak')), info
    out = [g.degree(v, mode='out', loops=True) for v in range(g.vcount())]
    if g.is_directed():
        assert info['edges that leave a vertex'].endswith('most %d' % max(out)), info
        assert int(info['doubles']) == sum(g.is_multiple()), info
    wanted = g.distances(source=3, mode='out')[0]
    assert wanted == column(name + '.bfs', 'level'), name
    wanted = g.distances(source=3, mode='out', weights='weight')[0]
    assert wanted == column(name + '.sssp', 'distance'), name
    simple = g.as_undirected(mode='collapse').simplify() if g.is_directed() else g.copy().simplify()
    assert len(simple.cliques(3, 3)) == sum(column(name + '.triangles', 'triangles')), name
    # igraph's ranks sum to one and let ranks without a way out go anywhere; ours let them go. Without
    # such vertices they are the same in the limit, in which 100 iterations leave 0.85^100 = 9e-8. A
    # loop of an undirected graph counts twice there.
    if min(out) > 0 and not (sum(g.is_loop()) and not g.is_directed()):
        found = column(name + '.pagerank', 'rank')
        worst = max(abs(a - b) for a, b in zip(g.pagerank(damping=.85), found))
        assert worst < 1e-7, (name, worst)
        print('ranks', name, worst)
print('judged', len(sys.argv) - 1)
END
expect 0 "$python" judge.py er.mtx g7.mtx rmat.edgelist
grep -q '^judged 3' out || fail "the judge says: $(cat out)"
grep -q '^ranks er.mtx' out || fail "no ranks were judged: $(cat out)"
