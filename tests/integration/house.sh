#!/bin/bash
# tests/house/check passes the tree, and finds each fault in a copy in which the rules are broken.
. "$(dirname "$0")/common"

# Sanitizers add calls and tables of their own.
[ -z "${SANITIZE-}" ] || exit 0
objects=$(dirname "$HTMT")

(cd "$root" && tests/house/check tests/house/list "$objects") >out 2>err ||
    fail "the tree: $(cat err)"
grep -q '^functions: [0-9]*, lines of the median: ' out || fail "no lengths: $(cat out)"

# A copy by links.
mkdir tree tree/build
cp -r "$root/tests/house" tree
for folder in runtime layers parcels apps emul; do
    cp -rs "$root/$folder" tree
    cp -rs "$objects/$folder" tree/build
done
cd tree

# source FILE: standard input becomes a new source, compiled where it is a C file.
source_file() {
    mkdir -p "${1%/*}" "build/${1%/*}"
    cat >"$1"
    [ "${1%.c}" = "$1" ] || ${CC:-cc} -O1 -fPIE -I. -c "$1" -o "build/${1%.c}.o"
}

# finds TEXT: among the faults in err.
finds() {
    grep -qF -- "$1" err || fail "'$1' is not in: $(cat err)"
}

# Folders, applications, seams, tags, lengths, a circle by calls, a call and a table without a line.
echo '#include "parcels/htmt.h"' | source_file runtime/base/include.h
echo 'int htmt__command(void); int up(void) { return htmt__command(); }' |
    source_file runtime/base/call.c
echo 'struct htmt_machine { int twice; };' | source_file runtime/base/tag.h
echo '#include "apps/sar/plan.h"' | source_file apps/pic/include.h
echo 'int htmt__sar_wrong(void) { return 0; }' | source_file apps/pic/name.c
echo '#include "parcels/data/copy.h"' | source_file parcels/timing/include.h
echo 'int strange;' | source_file emul/strange/folder.c
echo 'int one(void); int two(void); int one(void) { return two(); }' | source_file runtime/sim/one.c
echo 'int one(void); int two(void); int two(void) { return one(); }' | source_file runtime/sim/two.c
echo '#include <stdio.h>
FILE *own(const char *path); FILE *own(const char *path) { return fopen(path, "r"); }' |
    source_file apps/lib/opens.c
echo 'int next(void); int next(void) { static int last; return ++last; }
static const char *const names[] = {"constant"}; const char *name(int i); const char *name(int i) { return names[i]; }' |
    source_file apps/lib/counts.c
echo '#include <zlib.h>
gzFile packed(const char *path); gzFile packed(const char *path) { return gzopen(path, "r"); }' |
    source_file emul/text/packed.c
source_file runtime/host/row.h <<'END'
struct row { int (*round)(int); };
int walk(const struct row *row);
int step(int n);
END
source_file runtime/host/walk.c <<'END'
#include "runtime/host/row.h"
int walk(const struct row *row) { return row->round(1); }
int step(int n) { return n + 1; }
END
source_file runtime/host/turn.c <<'END'
#include "runtime/host/row.h"
static int turn(int n) { return step(n); }
static const struct row turning = {turn};
const struct row *table(void);
const struct row *table(void) { return &turning; }
END
sed 's/^length median .*/length median 2/' house/list >house/short
expect 1 house/check house/short build
finds 'runtime/base/include.h: includes parcels/htmt.h of parcels/htmt.h above it'
finds 'runtime/base/call.c: names htmt__command of emul/verbs/command.c above it'
finds 'struct htmt_machine: defined in '
finds 'apps/pic/include.h: includes apps/sar/plan.h of apps/sar/plan.h: another application'
finds 'apps/pic/name.c: htmt__sar_wrong: external, but does not begin with htmt__pic_'
finds 'parcels/timing/include.h: includes parcels/data/copy.h: parcels/timing may not see this'
finds 'emul/strange/folder.c: no folder line'
finds 'apps/lib/opens.c: calls fopen(), which house/short leaves to other files'
finds 'apps/lib/counts.c: last'
! grep -q 'counts.c: names' err || fail "a constant table: $(cat err)"
finds 'emul/text/packed.c: calls gzopen(), which house/short leaves to other files'
finds 'runtime: circle of 2 objects (1 allowed): '
finds '(two) runtime/sim/two.c'
finds '(one) runtime/sim/one.c'
finds 'runtime/host/walk.c: row->round(): no table or handed line'
finds 'runtime/host/turn.c: turning: a table of functions without a line'
finds 'functions: lines of the median: '
rm runtime/base/include.h runtime/base/call.c runtime/base/tag.h apps/pic/include.h apps/pic/name.c \
    parcels/timing/include.h emul/strange/folder.c runtime/sim/one.c runtime/sim/two.c \
    apps/lib/opens.c apps/lib/counts.c emul/text/packed.c

# A circle through a table, and nothing else; a line that nothing calls for.
echo 'table runtime/host/turn.c turning row->round row->square' >>house/list
expect 1 house/check house/list build
finds 'runtime: circle of 2 objects (1 allowed): '
finds '(row->round() reads turning) runtime/host/turn.c'
finds 'house/list: row->square(): no source calls it'
[ "$(wc -l <err)" = 2 ] || fail "more faults than two: $(cat err)"

# A source that is not built.
rm build/runtime/base/error.o
expect 2 house/check house/list build
finds 'runtime/base/error.c: no object'
