#!/bin/bash
# Run test programs (Criterion) and scripts (*.sh), JOBS at once, and count.
#   HTMT=COMMAND [JOBS=N] [SANITIZE=LIST] tests/run.sh PROGRAM_OR_SCRIPT...
# A script gets HTMT and SANITIZE (a list, mostly empty) in its environment, and TMPDIR, a fresh
# folder; it passes by status 0. Each thing it cannot test is a line `skipped: WHY`; where that is
# all of it, it ends with status 77.
# What a test prints is shown when it fails. HTMT_LONG=1 lets tests take longer.
# TEST_RESULTS=FOLDER: a line `CPU_SECONDS NAME` of each test is added to FOLDER/tests, and a line
# `PASSED FAILED SKIPPED` to FOLDER/counts.
#
#   tests/run.sh --class WORDS
# The sources of all tests that have one of the classes. A test names its classes in a line
# `Class: WORDS` among its first lines; docs/architecture.md says what they are. Without such a line
# a program is of class unit, a script of tests/long of class long.
set -u

# Seconds that one program or script may take.
LIMIT=300
[ -z "${SANITIZE-}" ] || LIMIT=900
[ -z "${HTMT_LONG-}" ] || LIMIT=$((1800 + ${SOAK_SECONDS:-3600}))
export LIMIT

# run LOG COMMAND...: without input, with signals as a program of a terminal has them: a shell lets its
# background jobs ignore SIGINT. CPU seconds of user and system go to LOG.cpu.
run() {
    local log=$1
    shift
    { time env --default-signal timeout -k 5 "$LIMIT" $RUNNER "$@" >"$log" 2>&1 </dev/null; } 2>"$log.cpu"
}

# One line `passed failed skipped` per test goes to $COUNTS, what people read to the output.
# A program that dies or hangs outside its tests has failed too.
run_program() {
    if grep -q libcriterion <(ldd "$1"); then
        run "$2/log" "$1" -j1 --tap="$2/tap"
    else
        run "$2/log" "$1" # tests/runner.c, which counts in its last line
    fi
    status=$?
    passed=0 failed=1 skipped=0
    if [ -s "$2/tap" ]; then
        skipped=$(grep -c '^ok .*# SKIP' "$2/tap")
        passed=$(($(grep -c '^ok ' "$2/tap") - skipped))
        failed=$(grep -c '^not ok ' "$2/tap")
        sed -n 's/^ok - \(.*[^ ]\) *# SKIP */skipped: \1: /p' "$2/tap" >>"$2/log"
    elif line=$(grep -x '[0-9]* tests, [0-9]* failed, [0-9]* skipped' "$2/log"); then
        read -r tests _ failed _ skipped _ <<<"$line"
        passed=$((tests - failed - skipped))
    fi
    [ "$status" = 0 ] || [ "$failed" -gt 0 ] || failed=1
}

run_script() {
    TMPDIR=$2 run "$2/log" bash "$1"
    status=$?
    passed=$((status == 0)) failed=$((status != 0 && status != 77))
    skipped=$(grep -c '^skipped: ' "$2/log")
}

run_one() {
    dir=$(mktemp -d "$WORK/XXXXXX")
    begin=$EPOCHREALTIME
    case $1 in
    *.sh) run_script "$1" "$dir" ;;
    *) run_program "$1" "$dir" ;;
    esac
    ms=$(((${EPOCHREALTIME/./} - ${begin/./}) / 1000))
    cpu=$(awk 'END { print $1 + $2 }' "$dir/log.cpu")
    {
        flock 9
        printf '%s %s %s\n' "$passed" "$failed" "$skipped" >>"$COUNTS"
        [ -z "${TEST_RESULTS-}" ] || echo "$cpu ${1#"$PWD"/}${SANITIZE:+ ($SANITIZE)}" >>"$TEST_RESULTS/tests"
        [ "$failed" = 0 ] && word=ok || word=FAIL
        printf '%-4s %5d.%d s %6.1f CPU s  %3d passed, %d failed  %s\n' "$word" $((ms / 1000)) \
            $((ms % 1000 / 100)) "$cpu" "$passed" "$failed" "${1#"$PWD"/}"
        sed -n 's/^skipped: /     &/p' "$dir/log"
        [ "$failed" = 0 ] || { [ "$status" != 124 ] || echo "stopped after $LIMIT s"; cat "$dir/log"; }
    } 9>"$WORK/lock"
    rm -rf "$dir"
}

if [ "${1-}" = --one ]; then
    run_one "$2"
    exit 0
fi

if [ "${1-}" = --class ]; then
    shift
    awk -v wanted="$*" '
        function judge() {
            if (!split(classes, words))
                refused = refused file ": no class\n"
            for (i in words)
                if (words[i] !~ /^(unit|fast|foreign|threads|long)$/)
                    refused = refused file ": no class \"" words[i] "\"\n"
                else if (index(" " wanted " ", " " words[i] " "))
                    chosen[file]
        }
        FNR == 1 {
            if (file)
                judge()
            file = FILENAME
            classes = file ~ /_test\.cc?$/ ? "unit" : file ~ /^tests\/long\// ? "long" : ""
        }
        /Class: / { classes = $0; sub(/.*Class: */, "", classes); gsub(/[.,]|\*\//, "", classes) }
        FNR == 6 { nextfile }
        END {
            judge()
            printf "%s", refused >"/dev/stderr"
            if (refused)
                exit 2
            for (file in chosen)
                print file
        }' tests/*/*_test.c tests/*/*_test.cc tests/integration/*.sh tests/long/*.sh | sort
    exit "${PIPESTATUS[0]}"
fi

WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
COUNTS=$WORK/counts
: >"$COUNTS"
RUNNER=
case ${SANITIZE-} in
*thread*)
    export TSAN_OPTIONS="suppressions=$PWD/tests/tsan.supp:halt_on_error=1:second_deadlock_stack=1"
    # GCC 12's runtime does not know every address layout that a recent kernel draws.
    setarch -R true 2>/dev/null && RUNNER='setarch -R'
    ;;
*address*)
    export ASAN_OPTIONS="detect_stack_use_after_return=1:strict_string_checks=1:allocator_may_return_null=1"
    export LSAN_OPTIONS="suppressions=$PWD/tests/lsan.supp:print_suppressions=0"
    ;;
esac
export UBSAN_OPTIONS="print_stacktrace=1" OPENBLAS_NUM_THREADS=1
export WORK COUNTS RUNNER HTMT TIMEFORMAT='%U %S'

[ $# -gt 0 ] && printf '%s\n' "$@" | xargs -P "${JOBS:-2}" -n 1 bash "$0" --one
[ -z "${TEST_RESULTS-}" ] || cat "$COUNTS" >>"$TEST_RESULTS/counts"
awk '{ p += $1; f += $2; s += $3 }
     END { printf "%d passed, %d failed%s\n", p, f, s ? ", " s " skipped" : ""; exit p == 0 || f > 0 }' \
    "$COUNTS"
