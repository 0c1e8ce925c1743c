#!/bin/bash
# Class: fast.
# The library brings no allocator and needs none: it serves a bare Python, a program with a malloc()
# of its own, and uses jemalloc where the process has it. Histories are those of tests/histories,
# whichever allocator serves.
. "$(dirname "$0")/common"
# Sanitizers bring an allocator of their own.
[ -z "${SANITIZE-}" ] || skip "not under a sanitizer"
. "$root/tests/integration/library"

heap='(je_.*|(malloc|calloc|realloc|free|memalign|posix_memalign|aligned_alloc|mallctl.*|.*allocx))'
nm -D --defined-only "$library" | grep -E " $heap(@.*)?\$" && fail 'the library defines an allocator'
nm -D "$library" | grep -E ' U (je_.*|mallctl.*|.*allocx)$' && fail 'the library needs jemalloc'
ldd "$library" | grep jemalloc && fail 'the library links jemalloc'

# ---- Programs ------------------------------------------------------------------------------------
# The random programs of tests/histories.
"$CC" "${flags[@]}" "$root/tests/histories/program.c" -o plain -L. -lhtmt
# A malloc() that never frees, and says at the end that it was used.
cat >own.c <<'C'
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
static _Alignas(4096) char heap[(size_t)2 << 30];
static atomic_size_t used;
static void *take(size_t alignment, size_t size)
{
    size_t room = (size + alignment + 31) & ~(size_t)15, at = atomic_fetch_add(&used, room);
    if (at + room > sizeof heap) {
        errno = ENOMEM;
        return NULL;
    }
    uintptr_t begin = ((uintptr_t)heap + at + 16 + alignment - 1) & ~(alignment - 1);
    memcpy((char *)begin - sizeof size, &size, sizeof size);
    return (void *)begin;
}
void *malloc(size_t size) { return take(16, size); }
void *calloc(size_t n, size_t size) { return take(16, n * size); }
void *aligned_alloc(size_t alignment, size_t size) { return take(alignment, size); }
void *memalign(size_t alignment, size_t size) { return take(alignment, size); }
int posix_memalign(void **p, size_t alignment, size_t size)
{
    *p = take(alignment, size);
    return *p ? 0 : ENOMEM;
}
void free(void *p) { (void)p; }
void *realloc(void *p, size_t size)
{
    size_t old = 0;
    void *into = take(16, size);
    if (p)
        memcpy(&old, (char *)p - sizeof old, sizeof old);
    return p && into ? memcpy(into, p, old < size ? old : size) : into;
}
__attribute__((destructor)) static void end(void)
{
    static const char text[] = "own malloc\n";
    if (used && write(2, text, sizeof text - 1) < 0)
        _exit(4);
}
C
"$CC" "${flags[@]}" "$root/tests/histories/program.c" own.c -o own -L. -lhtmt
# The arenas that jemalloc counts while an emulator is there, and before.
cat >arenas.c <<'C'
#include "parcels/htmt.h"
#include "layers/machine/machine.h"
#include <stdio.h>
extern int mallctl(const char *, void *, size_t *, void *, size_t) __attribute__((weak));
static unsigned arenas(void)
{
    unsigned n = 0;
    size_t size = sizeof n;
    return mallctl && !mallctl("arenas.narenas", &n, &size, NULL, 0) ? n : 0;
}
int main(void)
{
    struct htmt_machine *m = NULL;
    struct htmt_emulator *e = NULL;
    unsigned before = arenas();
    if (htmt_machine_load("htmt-oct98", NULL, 0, &m, NULL) ||
        htmt_emulator_create(&e, &(struct htmt_options){.machine = m}, NULL))
        return 1;
    printf("%s %u\n", mallctl ? "jemalloc" : "none", arenas() - before);
    htmt_emulator_destroy(&e);
    htmt_machine_destroy(&m);
    return 0;
}
C
"$CC" "${flags[@]}" arenas.c -o arenas -L. -lhtmt
"$CC" "${flags[@]}" -o static arenas.c "$build/libhtmt.a" \
    $(pkg-config --libs yaml-0.1 liburcu-cds jansson libdeflate) -lm -pthread
jemalloc=$(ldd "$HTMT" | sed -n 's/.*libjemalloc[^ ]* => \([^ ]*\) .*/\1/p')
[ -f "$jemalloc" ] || fail 'the command has no jemalloc'

# ---- Which allocator serves ----------------------------------------------------------------------
[ "$(./arenas)" = 'none 0' ] || fail "without jemalloc: $(./arenas)"
[ "$(./static)" = 'none 0' ] || fail "the archive without jemalloc: $(./static)"
for program in ./arenas ./static; do
    [ "$(LD_PRELOAD=$jemalloc $program)" = 'jemalloc 1' ] ||
        fail "preloaded: $program: $(LD_PRELOAD=$jemalloc $program)"
done

# ---- Histories -----------------------------------------------------------------------------------
# same NAME COMMAND...: the rows of the mixed programs are those of tests/histories.
grep '^mixed run ' "$root/tests/histories/programs" >rows
same() {
    local name=$1
    shift
    "$@" mixed run 3 >"$name.rows" 2>"$name.err" || fail "$name: status $?: $(head -c 500 "$name.err")"
    cmp -s rows "$name.rows" || fail "$name: $(diff rows "$name.rows" | head -4)"
}
same jemalloc "${HISTORIES:-$build/tests/histories}/program"
same pools ./plain
same preloaded env LD_PRELOAD="$jemalloc" ./plain
same own ./own
grep -q 'own malloc' own.err || fail 'the own malloc was not used'

# ---- A bare Python -------------------------------------------------------------------------------
# An emulator, one run without a parcel: it ends at time 0.
python=/usr/bin/python3
if [ ! -x $python ]; then
    lacks python3 'the library in a bare Python'
    exit 77
fi
cat >size.c <<'C'
#include "parcels/htmt.h"
#include <stdio.h>
int main(void)
{
    printf("%zu %zu\n", sizeof(struct htmt_options), offsetof(struct htmt_options, machine));
}
C
"$CC" "${flags[@]}" -include stddef.h size.c -o size
cat >bare.py <<'P'
import ctypes, struct, sys

library = ctypes.CDLL(sys.argv[1])
size, machine_at = int(sys.argv[2]), int(sys.argv[3])
machine, emulator = ctypes.c_void_p(), ctypes.c_void_p()
assert library.htmt_machine_load(b"htmt-oct98", None, 0, ctypes.byref(machine), None) == 0
options = ctypes.create_string_buffer(size)
struct.pack_into("P", options, machine_at, machine.value)
assert library.htmt_emulator_create(ctypes.byref(emulator), options, None) == 0
assert library.htmt_emulator_run(emulator) == 0
library.htmt_history_hash.restype = ctypes.c_uint64
library.htmt_history_hash.argtypes = [ctypes.c_void_p]
print("%016x" % library.htmt_history_hash(emulator))
library.htmt_emulator_destroy(ctypes.byref(emulator))
library.htmt_machine_destroy(ctypes.byref(machine))
P
read -r size machine_at < <(./size)
expect 0 $python bare.py "$library" "$size" "$machine_at"
grep -qx '[0-9a-f]\{16\}' out || fail "python: $(cat out)"
mv out bare.hash
expect 0 env LD_PRELOAD="$jemalloc" $python bare.py "$library" "$size" "$machine_at"
cmp -s out bare.hash || fail 'a preloaded jemalloc changes a history'
