#!/bin/bash
# Class: fast.
# tests/house/check passes the tree, and finds each fault in a copy in which the rules are broken.
. "$(dirname "$0")/common"

# Sanitizers add calls and tables of their own.
[ -z "${SANITIZE-}" ] || skip "not under a sanitizer"
objects=$(dirname "$HTMT")

(cd "$root" && tests/house/check tests/house/list "$objects") >out 2>err ||
    fail "the tree: $(cat err)"
grep -q '^functions: [0-9]*, [0-9.]* per 1000 lines' out || fail "no count: $(cat out)"

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

# Folders, applications, seams, a circle by calls, variables, a long function.
echo '#include "parcels/htmt.h"' | source_file runtime/base/include.h
echo 'int htmt__command(void); int up(void) { return htmt__command(); }' |
    source_file runtime/base/call.c
echo '#include "apps/sar/plan.h"' | source_file apps/pic/include.h
echo '#include "parcels/data/copy.h"' | source_file parcels/walk/include.h
echo 'int strange;' | source_file emul/strange/folder.c
echo 'int htmt__1(void); int htmt__2(void); int htmt__1(void) { return htmt__2(); }' |
    source_file runtime/sim/one.c
echo 'int htmt__1(void); int htmt__2(void); int htmt__2(void) { return htmt__1(); }' |
    source_file runtime/sim/two.c
echo 'int next(void); int next(void) { static int last; return ++last; }
static const char *const names[] = {"constant"}; const char *name(int i); const char *name(int i) { return names[i]; }' |
    source_file apps/lib/counts.c
{ printf 'void empty(void);\nvoid empty(void)\n{\n'; printf '%61s' '' | tr ' ' '\n'; echo '}'; } |
    source_file runtime/host/long.c
expect 1 house/check house/list build
finds 'runtime/base/include.h: includes parcels/htmt.h of parcels/htmt.h above it'
finds 'runtime/base/call.c: names htmt__command of emul/lib/verbs/command.c above it'
finds 'apps/pic/include.h: includes apps/sar/plan.h of apps/sar/plan.h: another application'
finds 'parcels/walk/include.h: includes parcels/data/copy.h: parcels/walk may not see this'
finds 'emul/strange/folder.c: no folder line'
finds 'apps/lib/counts.c: last'
! grep -q 'counts.c: names' err || fail "a constant table: $(cat err)"
finds 'objects that need each other: runtime/sim/'
finds 'runtime/host/long.c: a function of 61 lines, at most 60 allowed'

# A source that is not built.
rm build/runtime/base/error.o
expect 2 house/check house/list build
finds 'runtime/base/error.c: no object'
