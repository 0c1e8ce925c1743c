#!/bin/bash
# Class: fast.
# What is installed is complete: a program of somebody else's compiles, links and runs against it,
# and the command finds its machines from any folder, built or installed or moved.
. "$(dirname "$0")/common"
. "$root/tests/random/first"
[ -z "${SANITIZE-}" ] || skip "not under a sanitizer"
install_tree "$PWD/root"

cat >user.c <<'C'
#include <htmt/parcels/htmt.h>

int main(void)
{
    struct htmt_ratio half, quarter;
    if (htmt_ratio_decimal(5, -1, &half) || htmt_ratio_mul(half, half, &quarter))
        return 1;
    return quarter.num != 1 || quarter.den != 4;
}
C
pc=$(find "$PWD/root" -name htmt.pc)
lib=${pc%/pkgconfig/htmt.pc}
prefix=${prefix#"$PWD/root"}
# The file says where it is, so that the tree may be moved: PREFIX is not what it was built with.
export PKG_CONFIG_PATH=${pc%/*}
# flags [static]: of a program that uses the library; the shared one needs no --static.
flags() {
    if [ "${1-}" = static ]; then
        pkg-config --cflags --libs --static htmt | sed 's/-lhtmt/-l:libhtmt.a/'
    else
        echo "$(pkg-config --cflags --libs htmt) -Wl,-rpath,$lib"
    fi
}
for kind in static shared; do
    gcc -std=gnu17 user.c -o user $(flags $kind)
    ./user
    [ $kind = static ] || readelf -d user | grep -q 'NEEDED.*libhtmt\.so\.1' || fail 'no libhtmt.so.1'
done

# Each header is complete, in C and C++; in newer standards, too, with HTMT_LONG=1.
languages=('gcc -std=c11' 'g++ -x c++ -std=c++11')
[ -z "${HTMT_LONG-}" ] || languages+=('gcc -std=gnu17' 'g++ -x c++ -std=c++20')
include=root$prefix/include/htmt
headers=$(cd "$include" && find . -name '*.h' | cut -c3- | sort)
[ "$(wc -l <<<"$headers")" -gt 14 ] || fail "headers: $headers"
warnings='-Wall -Wextra -Wpedantic -Werror -fsyntax-only'
for header in $headers; do
    echo "#include <htmt/$header>" >alone.c
    for as in "${languages[@]}"; do
        # shellcheck disable=SC2086
        $as $warnings $(pkg-config --cflags htmt) alone.c 2>err || fail "$header: $as: $(cat err)"
    done
done

# cited FILE...: the headers of the library that it names.
cited() {
    grep -ohE '\b(runtime|layers|parcels)/[a-z_/]+\.h\b' "$@" | sort -u
}

# Whatever header an installed one or a page for users names is installed. Pages for those who change
# the emulator name others, too, and the table of names that changed names some that are gone.
(cd "$include" && cited $headers) >named
(cd "$root/docs" && cited $(ls ./*.md | grep -v 'architecture\|extending\|benchmarks\|glossary\|contributing')) |
    while read -r header; do [ ! -e "$root/$header" ] || echo "$header"; done >>named
grep -qx layers/file/costs.h named || fail "no page names the reader of cost files"
while read -r header; do
    [ -e "$include/$header" ] || fail "$header is named and not installed"
done <named

# A program in C++ that computes, and one that reads a cost file.
cat >user.cc <<'C'
#include <htmt/layers/file/costs.h>
#include <htmt/parcels/htmt.h>

#include <cstdio>

static void square(struct htmt_kernel *k)
{
    double *x = static_cast<double *>(htmt_bytes(k, 0));
    *x *= *x;
}

int main()
{
    double x = 5;
    struct htmt_machine *machine = nullptr;
    struct htmt_emulator *e = nullptr;
    struct htmt_object *number = nullptr;
    struct htmt_type *type = nullptr;
    struct htmt_fault fault = {};
    struct htmt_options options = {};
    struct htmt_figure figure;
    int rc = htmt_costs_figure("cannon-amaral", "multiply.flop", &figure, &fault);
    rc = rc ? rc : htmt_machine_load("small-htmt", nullptr, 0, &machine, &fault);
    options.machine = machine;
    rc = rc ? rc : htmt_emulator_create(&e, &options, &fault);
    struct htmt_type_desc desc = {};
    desc.name = "square";
    desc.home = "dram";
    desc.exec = "cram";
    desc.execute.kernel = square;
    uint32_t dram = rc ? 0 : static_cast<uint32_t>(htmt_emulator_layer(e, "dram"));
    rc = rc ? rc : htmt_object_wrap(e, 0, dram, &x, sizeof x, 1, "number", &number);
    rc = rc ? rc : htmt_type_create(e, &desc, &type);
    struct htmt_region region = {};
    region.from = region.to = htmt_in(number, 0);
    region.bytes = sizeof x;
    struct htmt_parcel_desc parcel = {};
    parcel.type = type;
    parcel.regions = &region;
    parcel.region_count = 1;
    rc = rc ? rc : htmt_assemble(htmt_root(e), &parcel, nullptr);
    rc = rc ? rc : htmt_emulator_run(e);
    std::printf("%s%g\n", fault.text, x);
    htmt_emulator_destroy(&e);
    htmt_machine_destroy(&machine);
    return htmt_exit_status(rc);
}
C
for kind in static shared; do
    g++ -std=c++17 -Wall -Wextra -Werror user.cc -o user++ $(flags $kind)
    HTMT_MACHINE_PATH=root$prefix/share/htmt/machines HTMT_COSTS_PATH=root$prefix/share/htmt/costs \
        ./user++ >out || fail "the program in C++: $(cat out)"
    grep -qx 25 out || fail "5 squared is $(cat out)"
done

# By the library's own path.
# A numbered example of either language.
for example in 05-reduce/main.c 07-jacobi/main.cc; do
    [ "${example##*.}" = c ] && as='gcc -std=gnu17' || as='g++ -std=c++17'
    $as -Wall -Wextra -Werror "$root/examples/$example" -o example $(flags)
    ./example | diff "$root/examples/${example%/*}/expected.txt" - >difference ||
        fail "$example: $(cat difference)"
done

unset HTMT_MACHINE_PATH HTMT_COSTS_PATH HTMT_GOLDEN_PATH HTMT_TRANSFER_PATH HTMT_DECKS_PATH HTMT_TRAFFIC_PATH
./user++ >out || fail "the shared library finds no machine: $(cat out)"
for command in "$HTMT" "root$prefix/bin/htmt"; do
    "$command" predict cannon --machine htmt-2007 --quiet >out
    grep -q '^cannon: predicted' out
    "$command" run pic --case langmuir --steps 2 --slices 4 --quiet >out
    grep -q '^pic: correct' out
    "$command" run volume --slices 2 --phantom 8 --size 8 --transfer tissue --quiet >out
    grep -q '^volume: correct' out
    "$command" validate amaral-table2 --quiet >out
    grep -q '^  input       12 of 12 held' out
    "$command" validate graph >out
    grep -q ' exact$' out
done

# The applications are plug-ins like anybody's: their sources, five small files that their
# links share with the library, and the installed headers make them. The installed command, below yet another prefix, loads them; the histories are the same.
mkdir out-of-tree moved
cp -r "$root"/apps/{cannon,graph,micro,peers,pic,prim,sar,traffic,volume,fft,formats} out-of-tree
mkdir -p apps/lib runtime/base
mv out-of-tree/* apps
cp "$root"/apps/lib/{iterations,migrate,random}.h apps/lib
cp "$root"/runtime/base/{axis.c,axis.h,random.h} runtime/base
mv "root$prefix" moved/prefix
include=$PWD/moved/prefix/include
# compile OPTION...
compile() {
    # shellcheck disable=SC2046
    gcc -std=gnu17 -O0 -fPIC -fvisibility=hidden -ffp-contract=off -w -I. -I"$include" \
        -I"$include/htmt" -isystem /usr/include/nifti $(pkg-config --cflags openblas libpng cairo) "$@" 2>err ||
        fail "out of the tree: $*: $(head -20 err)"
}
mkdir shared
(cd shared && compile -I.. -c $(find ../apps/{fft,formats,peers} ../runtime/base -name '*.c'))
ar rcs shared.a shared/*.o
# make_plugin NAME
make_plugin() {
    # shellcheck disable=SC2046
    compile -shared $(find "apps/$1" -name '*.c') shared.a -o "plug-ins/$1.so" -Wl,--as-needed \
        $(pkg-config --libs openblas fftw3 fftw3f libpng zlib cairo libcerf) -lnifti2 -lznz -lmetis -lm
}
mkdir plug-ins
n=0
while read -r name options; do
    n=$((n + 1))
    turn $n 2 || continue # the others with the next commits
    make_plugin "$name"
    # shellcheck disable=SC2086
    for folder in "$(dirname "$HTMT")/apps" "$PWD/plug-ins" ''; do
        expect 0 env HTMT_APP_PATH="$folder" moved/prefix/bin/htmt run "$name" $options --json json
        key history_hash json >>"hash-$name"
    done
    [ "$(sort -u "hash-$name" | wc -l)" = 1 ] || fail "histories of $name: $(cat "hash-$name")"
done <<'END'
cannon --size 64 --slices 4
graph --program bfs --er 6 --slices 4
micro copy --machine upmem-e19 --dpus 2
prim red --machine upmem-p21 --dpus 3 --size 1000
pic --case langmuir --steps 2 --slices 4
sar --lines 256 --samples 256 --slices 2
volume --slices 2 --phantom 8 --size 8 --transfer tissue
traffic --table stages --iterations 3
END
mv moved/prefix "root$prefix"

# The README's first program, built as it says.
cp "$root/tests/sketches/hello.c" .
gcc -std=gnu17 hello.c -o hello $(flags)
HTMT_MACHINE_PATH=root$prefix/share/htmt/machines ./hello | grep -qx '8 squared is 64, after 249500000 fs'
mkdir machines
echo 'htmt-machine: 1' >machines/small-htmt.yaml
expect 2 env HTMT_MACHINE_PATH=machines ./hello
[ "$(wc -l <err)" = 1 ] || fail "hello: not one line: $(cat err)"
grep -q '^machines/small-htmt.yaml' err || fail "hello hides what is wrong: $(cat err)"

make -s -C "$root" uninstall DESTDIR="$PWD/root" >/dev/null 2>&1
left=$(find root ! -type d)
[ -z "$left" ] || fail "uninstall leaves: $left"
