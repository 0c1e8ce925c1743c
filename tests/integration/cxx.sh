#!/bin/bash
# Class: fast.
# parcels/htmt.hpp is complete and without warnings for newer standards. HTMT_LONG=1: also by clang++, and
# then the test of it passes under Clang's address and undefined-behaviour sanitizers, as by g++ in make asan.
. "$(dirname "$0")/common"
[ -z "${SANITIZE-}" ] || skip "not under a sanitizer"
built=$(dirname "$HTMT")
for compiler in g++ ${HTMT_LONG:+clang++}; do
    for standard in c++17 c++20; do
        echo '#include "parcels/htmt.hpp"' >alone.cc
        "$compiler" -std=$standard -Wall -Wextra -Wpedantic -Wconversion -Werror -I"$root" \
            -fsyntax-only alone.cc 2>err || fail "$compiler $standard: $(head -c 2000 err)"
    done
done
if [ -n "${HTMT_LONG-}" ]; then
    # shellcheck disable=SC2207
    libraries=(runner.o "$built/libhtmt.a"
        $(pkg-config --libs liburcu-cds yaml-0.1 jansson libdeflate jemalloc) -lm -lpthread)
    export LSAN_OPTIONS=suppressions=$root/tests/lsan.supp:print_suppressions=0
    gcc -std=gnu17 -O1 -g1 -c "$root/tests/runner.c" -o runner.o
    clang++ -std=c++17 -Wall -Wextra -Werror -O1 -g1 -fsanitize=address,undefined \
        -fno-sanitize-recover -I"$root" "$root/tests/cxx/htmt_hpp_test.cc" "${libraries[@]}" \
        -o clang-test 2>err || fail "clang++: $(head -c 2000 err)"
    ./clang-test >log 2>&1 || fail "clang++: $(tail -n 30 log)"
fi

# The programs of docs/cxx.md.
# block MARK: the fenced block behind the line `<!-- MARK -->`.
block() {
    awk -v mark="<!-- $1 -->" '$0 == mark { found = 1; next }
        found && /^```/ { if (open) exit; open = 1; next }
        open' "$root/docs/cxx.md"
}
tell=(-I"$built/include" -I"$built/include/htmt" -L"$built" -Wl,-rpath,"$built" -lhtmt)
for program in squares application; do
    block "program $program" >$program.cc
    g++ -std=c++17 -Wall -Wextra -Werror $program.cc -o $program "${tell[@]}" 2>err ||
        fail "docs/cxx.md: $program: $(head -c 2000 err)"
done
block 'prints squares' >wanted
expect 0 ./squares
diff wanted out >difference || fail "squares: $(cat difference)"
expect 0 ./application run --machine small-htmt --check-determinism
grep -q '^  correct ' out || fail "application: $(cat out)"
expect 0 ./application model --machine small-htmt --quiet
HTMT_MACHINE_PATH=$work expect 2 ./squares
[ "$(wc -l <err)" = 1 ] || fail "squares without a machine: $(cat err)"

block 'program plugin' >squares.cc
g++ -std=c++17 -Wall -Wextra -Werror -shared -fPIC squares.cc -o squares.so "${tell[@]}" 2>err ||
    fail "docs/cxx.md: plugin: $(head -c 2000 err)"
expect 0 "$HTMT" run ./squares.so --first 5 --machine small-htmt --check-determinism
grep -q '^  correct .*wrong squares' out || fail "plugin: $(cat out)"
expect 0 "$HTMT" model ./squares.so --machine small-htmt --quiet
expect 2 "$HTMT" run ./squares.so --first 0 --machine small-htmt
grep -q -- '--first: found 0' err || fail "plugin: $(cat err)"

# What a step of an application throws is its line and its status.
sed 's/htmt::type add = /throw htmt::error(HTMT_ECAPACITY, "no such luck"); &/' application.cc >thrower.cc
g++ -std=c++17 thrower.cc -o thrower "${tell[@]}"
expect 3 ./thrower run --machine small-htmt
grep -qF 'no such luck' err && [ "$(wc -l <err)" = 1 ] || fail "thrower: $(cat err)"
