#!/bin/bash
# Class: fast.
# A kernel that crashes, exits or never ends is named by the command. Cannon's kernels call the
# product of a library; in its place comes one that does so.
. "$(dirname "$0")/common"

# The sanitizers want to be the first of the libraries, and have handlers of their own.
[ -z "${SANITIZE-}" ] || skip "not under a sanitizer"

# becomes BODY: what the library's product does from now on.
becomes() {
    printf '#include <stdlib.h>\n#include <signal.h>\nvoid cblas_dgemm(void) { %s }\n' "$1" >blas.c
    ${CC:-cc} -O1 -shared -fPIC blas.c -o blas.so
}

# ends STATUS TEXT OPTIONS...: a line that names a kernel of Cannon, with the text.
ends() {
    local status=$1 text=$2
    shift 2
    # A shell between says in err, not here, which signal it was.
    # shellcheck disable=SC2016
    expect "$status" env BLAS="$PWD/blas.so" OPENBLAS_NUM_THREADS=1 \
        sh -c 'LD_PRELOAD=$BLAS "$@"; exit $?' - "$HTMT" run cannon --size 64 --slices 4 "$@"
    # Kernels of several threads may crash at once, and each says so.
    [ "$(grep -c '^htmt' err)" -le "$threads" ] || fail "not one line of a thread: $(cat err)"
    grep -q "^htmt: type [A-Za-z ]*, slice [0-3], [a-z0-9 ]*: the kernel $text" err ||
        fail "no '$text' in: $(cat err)"
}

for threads in 1 3; do
    becomes '*(volatile char *)16 = 1;'
    ends 139 'raised SIGSEGV at address 0x10: ' --threads $threads
    becomes 'abort();'
    ends 134 'raised SIGABRT: ' --threads $threads
    becomes 'raise(SIGFPE);'
    ends 136 'raised SIGFPE: ' --threads $threads
    becomes 'exit(0);'
    ends 4 'called exit(): ' --threads $threads
done
becomes 'for (;;) ;'
ends 4 'has not ended after 1 s, the limit of the watchdog' --watchdog 1
