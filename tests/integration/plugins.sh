#!/bin/bash
# Class: fast.
# A plug-in of somebody else's, built against build/include alone, is an application like the shipped
# ones; linked as a program, too. Of one that cannot be used the command tells in one line why.
. "$(dirname "$0")/common"
# The sanitizers have handlers of their own, and want their library in each program.
[ -z "${SANITIZE-}" ] || skip "not under a sanitizer"
build=$(dirname "$HTMT")
compile=(${CC:-cc} -O2 -Wall -Wextra -Werror -fPIC -I"$build/include" -I"$build/include/htmt")

# plugin NAME DEFINITION...: NAME.so
plugin() {
    local name=$1
    shift
    "${compile[@]}" "${@/#/-D}" -shared "$root/tests/plugins/squares.c" -o "$name.so"
}

# ends STATUS TEXT ARGUMENTS...: one line with the text. Of a crash a shell between says in err, not
# here, which signal it was.
ends() {
    local status=$1 text=$2
    shift 2
    # shellcheck disable=SC2016
    expect "$status" sh -c '"$@"; exit $?' - "$HTMT" "$@"
    [ "$(grep -c '^htmt' err)" = 1 ] || fail "$*: not one line: $(cat err)"
    grep -qF -- "$text" err || fail "$*: no '$text' in: $(cat err)"
}

# ---- by path, by name, linked --------------------------------------------------------------------

plugin squares
mkdir apps
cp squares.so apps
"${compile[@]}" -DLINKED "$root/tests/plugins/squares.c" -L"$build" -Wl,-rpath,"$build" -lhtmt \
    -o squares
"${compile[@]}" -fvisibility=hidden -shared "$root/tests/plugins/squares.c" -L"$build" \
    -Wl,-rpath,"$build" -lhtmt -o linked.so
same='--machine small-htmt --set slices=4 --threads 1'

# report FILE COMMAND...: what it prints and its JSON, without what differs from run to run.
report() {
    local file=$1
    shift
    # shellcheck disable=SC2086
    expect 0 "$@" $same --explain --lint --json json
    sed '/^WALL/,/^$/d' out >"$file"
    sed '/"wall"/,/}/d; /_s": /d' json >>"$file"
}
for verb in run model; do
    report path "$HTMT" $verb ./squares.so
    report name env HTMT_APP_PATH="$PWD/apps:/nowhere" "$HTMT" $verb squares
    report linked-so "$HTMT" $verb ./linked.so
    report program ./squares $verb
    grep -q '"predicted_fs": [1-9]' path || fail "no report: $(cat path)"
    for other in name linked-so program; do
        diff path $other >difference || fail "$verb: $other differs: $(cat difference)"
    done
done
expect 0 ./squares run $same --check-determinism --quiet
grep -q '^squares: correct' out || fail "the program: $(cat out)"
expect 0 ./squares help
grep -q '^  --first N' out || fail "the program's help: $(cat out)"
for topic in run squares; do # no word names the one application
    expect 0 ./squares help $topic
    grep -q '^  --first N' out || fail "the program's help $topic: $(cat out)"
    ! grep -qE '^usage: squares .*(APP|squares)|^Applications' out || fail "help $topic: $(cat out)"
done
expect 2 ./squares validate
grep -qF "'squares help' lists them" err || fail "the program's refusal: $(cat err)"
expect 2 ./squares predict
grep -q 'no closed form' err || fail "the program's closed form: $(cat err)"
expect 2 ./squares run --frist 3
grep -q "did you mean '--first'" err || fail "the program's option: $(cat err)"
expect 2 ./squares validate
expect 0 env HTMT_APP_PATH="$PWD/apps" "$HTMT" help squares
grep -q '^  --first N' out || fail "the plug-in's help: $(cat out)"

# A name that is near one in the folders; folders that hold none.
HTMT_APP_PATH=$PWD/apps ends 2 "did you mean 'squares'?" run square
# HTMT_APP_PATH adds to those that are shipped, and goes before them.
for folders in /nowhere "$PWD/apps"; do
    expect 0 env HTMT_APP_PATH="$folders" "$HTMT" model cannon --size 16 --machine small-htmt --quiet
done
mkdir before && cp apps/squares.so before/cannon.so
HTMT_APP_PATH=$PWD/before ends 2 "unknown option '--size'" run cannon --size 16
ends 2 "did you mean 'cannon'?" run canon

# ---- what cannot be used -------------------------------------------------------------------------

ends 2 './none.so: cannot open: No such file' run ./none.so
ends 2 'folder' run ./apps
: >empty.so
ends 2 'empty.so: empty, expected a shared object' run empty.so
echo 'htmt_app = {1, 240, "text"}' >text.so
ends 2 'text.so: no ELF file, expected a shared object' run text.so
for size in 20 100 5000 12000; do
    head -c $size squares.so >cut.so
    ends 2 'cut.so: cut off: found ' run cut.so
done
# e_machine is at byte 18: 183 is AArch64, 0x3e00 is of no machine.
for machine in '\267\0' '\0\076'; do
    cp squares.so other.so
    printf "$machine" | dd of=other.so bs=1 seek=18 conv=notrunc status=none
    ends 2 'other.so: built for another architecture: found ELF machine ' run other.so
done
cp squares.so narrow.so
printf '\1' | dd of=narrow.so bs=1 seek=4 conv=notrunc status=none
ends 2 'narrow.so: built for another architecture' run narrow.so
echo 'int main(void) { return 0; }' >main.c
${CC:-cc} -no-pie main.c -o program.so
ends 2 'program.so: an ELF file of another kind' run program.so
plugin unresolved KERNEL='extern void no_such_function(void); no_such_function()'
ends 2 'unresolved.so: cannot be loaded: undefined symbol: no_such_function' run unresolved.so
plugin inside KERNEL='extern int htmt__search_inside(void); htmt__search_inside()'
ends 2 'inside.so: cannot be loaded: undefined symbol: htmt__search_inside' run inside.so
plugin nameless NAME=another_app
ends 2 'nameless.so: exports no htmt_app' run nameless.so
plugin newer ABI='(HTMT_ABI + 1)'
ends 2 'newer.so: it was built for version 3 of struct htmt_app, this is version 2' run newer.so
plugin older ABI='(HTMT_ABI - 1)'
ends 2 'older.so: it was built for version 1 of struct htmt_app, this is version 2' run older.so
plugin none ABI=0
ends 2 'none.so: its struct htmt_app has abi 0 and size' run none.so
plugin larger SIZE='(sizeof(struct htmt_app) + 8)'
ends 2 'larger.so: it was built for a later libhtmt' run larger.so
plugin twice OPTION='"first"'
ends 2 "twice.so: it has two options '--first'" run twice.so
plugin common OPTION='"threads"'
ends 2 "common.so: it has an option '--threads', which all applications have" run common.so
"${compile[@]}" -DLINKED -DOPTION='"threads"' "$root/tests/plugins/squares.c" -L"$build" \
    -Wl,-rpath,"$build" -lhtmt -o common
expect 2 ./common run
grep -q "the program: it has an option '--threads'" err || fail "linked: $(cat err)"

# A plug-in that asks to be bound when it is loaded is so; its libraries are bound as they are
# called, which saves the symbols that nobody calls. Of another plug-in, all of them are bound.
echo 'void half(void); extern void nobody(void); void half(void) { nobody(); }' >half.c
"${compile[@]}" -shared -Wl,-z,lazy half.c -o libhalf.so
for when in now lazy; do
    "${compile[@]}" -shared "$root/tests/plugins/squares.c" -Wl,-z,$when -Wl,--no-as-needed \
        -L. -Wl,-rpath,"$PWD" -lhalf -o $when.so
done
# shellcheck disable=SC2086
expect 0 "$HTMT" run ./now.so $same --quiet
ends 2 'undefined symbol: nobody' run lazy.so
"${compile[@]}" -shared "$root/tests/plugins/squares.c" -Wl,-z,now -o unresolved.so \
    -DKERNEL='extern void no_such_function(void); no_such_function()'
ends 2 'unresolved.so: cannot be loaded: undefined symbol: no_such_function' run unresolved.so

# ---- what ends the process -----------------------------------------------------------------------

plugin crash CONSTRUCTOR='static volatile uintptr_t at = 16; *(volatile char *)at = 1'
ends 139 'crash.so: the constructor raised SIGSEGV at address 0x10: ' run ./crash.so
plugin abort CONSTRUCTOR='abort()'
ends 134 'abort.so: the constructor raised SIGABRT: ' run ./abort.so
plugin leave CONSTRUCTOR='exit(0)'
ends 4 'leave.so: the constructor called exit()' run ./leave.so
plugin hang CONSTRUCTOR='for (;;) pause()'
ends 4 'hang.so: the constructor has not ended after 1 s' run ./hang.so --watchdog 1
ends 4 'hang.so: the constructor has not ended after 1 s' model ./hang.so --watchdog=1
"$HTMT" run ./hang.so >out 2>err </dev/null &
hanging=$!
for _ in $(seq 1200); do
    ! grep -q hang.so "/proc/$hanging/maps" || break
    sleep 0.05
done
kill -TERM $hanging
status=0
wait $hanging || status=$?
[ "$status" = 4 ] && grep -qx 'htmt: interrupted' err || fail "interrupted: status $status: $(cat err)"
plugin step STEP='static volatile uintptr_t at = 16; *(volatile char *)at = 1'
ends 139 'htmt: squares: the step create raised SIGSEGV at address 0x10: ' run ./step.so $same
ends 139 'htmt: squares: the step create raised SIGSEGV at address 0x10: ' model ./step.so $same
plugin kernel KERNEL='static volatile uintptr_t at = 16; *(volatile char *)at = 1'
ends 139 'type square, slice ' run ./kernel.so $same
grep -q 'the kernel raised SIGSEGV at address 0x10' err || fail "kernel: $(cat err)"
plugin endless KERNEL='for (;;) pause()'
ends 4 'the kernel has not ended after 1 s' run ./endless.so $same --watchdog 1

# ---- all at once ---------------------------------------------------------------------------------

# Those that cannot be used have a line in the help and do not spoil it.
cp empty.so text.so cut.so other.so unresolved.so nameless.so newer.so larger.so apps
# Lists survive what ends the process, and say so.
mkdir listed
cp crash.so leave.so apps/squares.so listed
for verb in help doctor 'completion bash'; do
    # shellcheck disable=SC2086
    expect 0 env HTMT_APP_PATH="$PWD/listed" "$HTMT" $verb
    grep -q squares out || fail "$verb: no squares beside plug-ins that crash"
    grep -q cannon out || fail "$verb: HTMT_APP_PATH hides the shipped applications"
done
HTMT_APP_PATH=$PWD/listed "$HTMT" doctor >out
grep -qE 'crash: its constructor (raises SIGSEGV|ends the process)' out || fail "doctor: $(cat out)"
grep -q 'leave: its constructor ends the process' out || fail "doctor: $(cat out)"
ends 2 '--costs: squares reads no cost file' run ./apps/squares.so --costs cannon-amaral
ends 2 '--costs: squares reads no cost file' predict ./apps/squares.so --costs cannon-amaral

expect 0 env HTMT_APP_PATH="$PWD/apps" "$HTMT" help
for name in cannon micro pic prim sar traffic volume squares; do
    grep -q "^  $name  " out || fail "help lacks $name: $(cat out)"
done
for name in empty text cut other unresolved nameless newer larger; do
    [ "$(grep -c "^  $name: .*/apps/$name.so: " out)" = 1 ] || fail "help lacks $name: $(cat out)"
done
[ ! -s err ] || fail "help complains: $(cat err)"
