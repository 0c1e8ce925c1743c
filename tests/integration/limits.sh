#!/bin/bash
# Class: fast.
# The command ends in an orderly way where the host gives it little: address space, stack, threads.
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

# ---- a small stack: the threads of the emulator have stacks of a fixed size --------------------------
[ -z "${SANITIZE-}" ] || skip "the sanitizers' own frames need more than 256 KiB of stack"
export OPENBLAS_NUM_THREADS=1
for threads in 1 4; do
    for line in 'pic --slices 2' 'cannon --size 64 --slices 4' 'sar --slices 2' \
        'volume --size 32 --slices 4'; do
        # shellcheck disable=SC2086
        (ulimit -s 256 && expect 0 "$HTMT" run $line --threads $threads --quiet)
    done
done

# Threads that the host refuses: one line.
(ulimit -v 4000000 && expect 4 "$HTMT" run cannon --size 64 --slices 4 --threads 1024)
one_line
grep -q 'the host refuses 1023 worker threads; ask for fewer' err || fail "$(cat err)"
