#!/bin/bash
# Class: fast.
# What `htmt doctor` says is what the host says by other ways; what would hurt has a warning; a host
# that refuses the self-test is told from a wrong result.
. "$(dirname "$0")/common"
build=$(dirname "$HTMT")

# value KEY: the first value of that key in the object in the file d.json.
value() {
    sed -n "s/^ *\"$1\": \(.*[^,]\),\{0,1\}\$/\1/p" d.json | head -1
}

# is KEY VALUE
is() {
    [ "$(value "$1")" = "$2" ] || fail "$1: $(value "$1"), not $2"
}

expect 0 "$HTMT" doctor --json d.json
[ "$(head -1 out)" = 'htmt doctor: pass' ] || fail "$(head -1 out)"
[ ! -s err ] || fail "$(cat err)"
is schema '"htmt-doctor-1"'
is version "\"$("$HTMT" --version | cut -d' ' -f2)\""
is path "\"$HTMT\""
is system "\"$(uname -s) $(uname -r) $(uname -m)\""
is allowed "$(nproc)"
is online "$(getconf _NPROCESSORS_ONLN)"
is page_bytes "$(getconf PAGESIZE)"
is total_bytes $(($(sed -n 's/^MemTotal: *\([0-9]*\) kB/\1/p' /proc/meminfo) * 1024))
is open_files "$(ulimit -n)"
is passed true
seconds=$(value seconds)
[ "${seconds%%.*}" -lt 30 ] || fail "the self-test took $seconds s"
for flag in $(sed -n '/"instruction_sets": \[$/,/]/s/^ *"\(.*\)",\{0,1\}$/\1/p' d.json | tr . _); do
    grep -qw "$flag" /proc/cpuinfo || fail "$flag is not in /proc/cpuinfo"
done

# Both folders of the environment, then what is in them.
expect 0 env HTMT_MACHINE_PATH="$PWD:$root/machines" "$HTMT" doctor --json -
cp out d.json
grep -qxF "      \"path\": \"$PWD\"," d.json || fail "no folder $PWD"
for file in "$root"/machines/*.yaml; do
    name=${file##*/}
    grep -q "^ *\"${name%.yaml}\",\{0,1\}\$" d.json || fail "no machine $name"
done

# ---- Libraries: those of the process, no other ---------------------------------------------------
if [ -z "${SANITIZE-}" ]; then
    ldd "$HTMT" | sed -n 's/.*=> \([^ ]*\) .*/\1/p' | xargs realpath >linked
    sed -n '/"libraries"/,/^  \],/s/^ *"path": "\(.*\)"$/\1/p' d.json >found
    [ "$(wc -l <found)" -ge 5 ] || fail "libraries: $(cat found)"
    # An application's libraries may come with the application.
    while read -r path; do
        [[ $path = *urcu* || $path = *jansson* || $path = *yaml* || $path = *jemalloc* ||
            $path = */libc.so* ]] || continue
        grep -qxF -- "$path" found || fail "$path is not among $(cat found)"
    done <linked
    version=$(strings -a "$(grep jemalloc linked)" 2>/dev/null | sed -n 's/^\([0-9.]*\)-[0-9]*-g.*/\1/p' |
        head -1)
    [ -z "$version" ] || grep -A1 '"jemalloc"' d.json | grep -qF "\"$version\"" || fail "jemalloc $version"
    grep -qF "arenas are jemalloc's" d.json || fail 'the arenas are not those of jemalloc'
fi

# ---- Warnings ------------------------------------------------------------------------------------
# warns NAME COMMAND...: it passes in spite of it.
warns() {
    local name=$1
    shift
    expect 0 "$@" "$HTMT" doctor --json -
    cp out d.json
    grep -qxF "      \"name\": \"$name\"," d.json || fail "$*: no warning $name: $(sed -n '/warn/,$p' out)"
}
warns no-default-machine env HTMT_MACHINE_PATH="$PWD"
if command -v taskset >/dev/null; then
    cpu=$(sed -n 's/^Cpus_allowed_list:[^0-9]*\([0-9]*\).*/\1/p' /proc/self/status)
    warns one-cpu taskset -c "$cpu"
    is allowed 1
fi
limited() (
    ulimit "$1" "$2"
    shift 2
    "$@"
)
warns few-files limited -n 40
if [ -z "${SANITIZE-}" ]; then
    warns small-stack limited -s 4096
    warns address-space limited -v 4000000
    is address_space_bytes $((4000000 * 1024))
fi

# ---- Statuses ------------------------------------------------------------------------------------
refuse "unknown option '--jsn', did you mean '--json'?" doctor --jsn
refuse "found 'cannon', expected an option" doctor cannon
refuse '--json: given twice' doctor --json a --json b
refuse '--json: the value is missing' doctor --json
refuse 'nowhere/d.json' doctor --json nowhere/d.json
shim=$build/tests/faults/shim.so
case ${SANITIZE-} in *address* | *thread*) skip "not under this sanitizer" ;; esac
expect 4 env FAULT=thread:1+ LD_PRELOAD="$shim" "$HTMT" doctor --json d.json
[ "$(head -1 out)" = 'htmt doctor: FAIL' ] || fail "$(head -1 out)"
[ "$(cat err)" = 'htmt doctor: the self-test failed' ] || fail "$(cat err)"
is passed false
grep -q '"problem": "3 threads: ' d.json || fail "$(grep problem d.json)"
