#!/bin/bash
# Class: fast.
# `htmt new`: from each template a project that builds, runs and passes its own test at once, with
# nothing but what is installed, by make, and one of them by CMake, another for each commit. Wrong names are refused; a folder that is there
# stays as it is, and a host that fails leaves nothing behind.
. "$(dirname "$0")/common"
. "$root/tests/random/first"
[ -z "${SANITIZE-}" ] || skip "not under a sanitizer"
build=$(dirname "$HTMT")
install_tree "$PWD/installed"
unset HTMT_MACHINE_PATH HTMT_COSTS_PATH HTMT_GOLDEN_PATH HTMT_TRANSFER_PATH HTMT_DECKS_PATH HTMT_TRAFFIC_PATH
HTMT=$prefix/bin/htmt
files='.gitignore CMakeLists.txt Makefile README.md main.c NAME.c test.sh'

# by_cmake NAME: where CMake is there, and the package that it finds.
by_cmake() {
    command -v cmake >/dev/null || { lacks cmake 'the CMake package'; return 0; }
    [ -n "$(find "$prefix" -path '*/cmake/htmt')" ] || fail "no CMake package is installed"
    expect 0 cmake -S "$1" -B "$1/build" -DCMAKE_PREFIX_PATH="$prefix"
    expect 0 cmake --build "$1/build"
    HTMT=$HTMT expect 0 ctest --test-dir "$1/build" --output-on-failure
}

mkdir projects
cd projects
n=0
for template in parcel stencil reduction messages; do
    n=$((n + 1))
    name=my-$template
    expect 0 "$HTMT" new "$name" --template=$template
    grep -q "^$name: a project from the template $template" out || fail "says: $(cat out)"
    [ "$(ls -A "$name" | LC_ALL=C sort | paste -sd ' ')" = "${files/NAME/$name}" ] || fail "files: $(ls -A "$name")"
    [ -z "$(grep -rl '@NAME@' "$name")" ] || fail "the name of $name is missing"
    expect 0 make -C "$name" test CFLAGS='-O1 -Wall -Wextra -Werror' HTMT_PREFIX="$prefix"
    grep -qx "$name: passed" out || fail "$name: $(cat out)"
    [ "$(git init -q "$name" && git -C "$name" add -n . | wc -l)" = 7 ] || fail "git sees what was built"
    cd "$name"
    for run in "$HTMT run ./$name.so" "./$name run"; do
        expect 0 $run --machine small-htmt --explain --check-determinism
        grep -q '^  correct ' out || fail "$run: $(cat out)"
        grep -q '^EXPLANATION .*critical path' out || fail "$run explains nothing: $(cat out)"
        grep -q '^  equal .*the same' out || fail "$run: $(cat out)"
        expect 0 $run --machine small-htmt --json -
        [ "$(key correct out)" = true ] || fail "$run: JSON: $(cat out)"
        key predicted_fs out >>times
        expect 0 $run --quiet
        expect 0 $run --quiet --slices 2
    done
    [ "$(sort -u times | wc -l)" = 1 ] || fail "$name takes $(cat times)"
    expect 2 "./$name" run --machine small-htmt --size 7
    one_line
    cd ..
    ! turn $n 4 || by_cmake "$name"
done
expect 2 ./my-parcel/my-parcel new other
cd ..

left() {
    ls | grep -vx 'out\|err' | paste -sd ' '
}

mkdir refused refused/full refused/empty
cd refused
echo mine >full/file
echo mine >plain
refuse "full: is there already" new full
refuse "plain: is there already" new plain
refuse "NAME: found 'a/b'" new a/b
refuse "NAME: found ''" new ''
refuse "NAME: found 'a b'" new 'a b'
refuse "NAME: found '$(printf 'x%.0s' {1..65})'" new "$(printf 'x%.0s' {1..65})"
for name in main all test clean help install CMakeFiles; do
    refuse "NAME: found '$name', a file or target of every project" new $name
done
refuse "unknown template 'stencl', did you mean 'stencil'?" new name --template stencl
refuse "unknown template 'x'" new name --template x
refuse "--template: given twice" new name --template parcel --template parcel
refuse "--template: the value is missing" new name --template
refuse "found 'other', expected an option" new name other
refuse "expected the NAME" new
refuse "unknown option '--templat', did you mean '--template'?" new name --templat parcel
HTMT_TEMPLATE_PATH=$PWD refuse 'the template parcel is not installed' new name
[ "$(left)" = 'empty full plain' ] || fail "left: $(left)"
[ "$(cat full/file plain)" = $'mine\nmine' ] || fail "changed what was there"
expect 0 "$HTMT" new empty
[ -f empty/empty.c ] || fail "an empty folder was not filled"
rm -r empty

# The installed command in front of a host that fails.
shim=$build/tests/faults/shim.so
[ -f "$shim" ] || fail "$shim is not there: make tests"
for fault in write:1 write:3 fsync:2 rename:1 rename:8 read:2+ open:2; do
    status=0
    FAULT=$fault LD_PRELOAD=$shim "$HTMT" new name >out 2>err || status=$?
    [ "$status" = 4 ] && [ "$(wc -l <err)" = 1 ] || [ "$status" = 0 ] || fail "$fault: $status: $(cat err)"
    [ "$status" = 0 ] && [ "$(ls -A name | wc -l)" = 7 ] && rm -r name
    [ "$(left)" = 'full plain' ] || fail "$fault left: $(left)"
done
