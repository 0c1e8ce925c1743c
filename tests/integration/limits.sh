#!/bin/bash
# Class: fast.
# The command ends in an orderly way where the host gives it little: address space, threads.
. "$(dirname "$0")/common"

# The tests' own setting would hide that a library starts threads when it is loaded.
unset OPENBLAS_NUM_THREADS
case ${SANITIZE-} in
*address* | *thread*) skip "not under this sanitizer" ;; # their shadow memory needs terabytes of address space
esac
for kib in 100000 150000 200000 400000; do
    (ulimit -v $kib && expect 0 timeout 20 "$HTMT" --version)
    status=0
    (ulimit -v $kib && exec timeout 60 "$HTMT" run cannon --size 64 --slices 4 --quiet) >out 2>err ||
        status=$?
    case $status in
    0) ;;
    4) [ "$(wc -l <err)" = 1 ] || fail "not one line with $kib KiB: $(cat err)" ;;
    *) fail "status $status with $kib KiB: $(head -c 500 err)" ;;
    esac
done
