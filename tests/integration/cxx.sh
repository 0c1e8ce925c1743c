#!/bin/bash
# parcels/htmt.hpp is complete and without warnings for both compilers and newer standards; the test
# of it passes with either, under the address and undefined-behaviour sanitizers.
. "$(dirname "$0")/common"
[ -z "${SANITIZE-}" ] || exit 0
built=$(dirname "$HTMT")
# shellcheck disable=SC2207
libraries=("$built/libhtmt.a" -lcriterion
    $(pkg-config --libs liburcu-cds yaml-0.1 jansson jemalloc) -lm -lpthread)
export LSAN_OPTIONS=suppressions=$root/tests/lsan.supp:print_suppressions=0

tried=0
for compiler in g++ clang++; do
    command -v "$compiler" >/dev/null || { echo "no $compiler: not tried"; continue; }
    for standard in c++17 c++20; do
        echo '#include "parcels/htmt.hpp"' >alone.cc
        "$compiler" -std=$standard -Wall -Wextra -Wpedantic -Wconversion -Werror -I"$root" \
            -fsyntax-only alone.cc 2>err || fail "$compiler $standard: $(head -c 2000 err)"
    done
    "$compiler" -std=c++17 -Wall -Wextra -Werror -O0 -g1 -fsanitize=address,undefined \
        -fno-sanitize-recover -I"$root" "$root/tests/cxx/htmt_hpp_test.cc" "${libraries[@]}" \
        -o "$compiler-test" 2>err || fail "$compiler: $(head -c 2000 err)"
    "./$compiler-test" >log 2>&1 || fail "$compiler: $(tail -n 30 log)"
    grep -q 'Tested: [1-9]' log || fail "$compiler: nothing was tested: $(cat log)"
    ! grep -q 'ERROR: LeakSanitizer' log || fail "$compiler: $(cat log)"
    tried=$((tried + 1))
done
[ "$tried" -gt 0 ] || fail "no compiler"
