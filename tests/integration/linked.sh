#!/bin/bash
# Class: fast.
# The command and the library bring no library of an application's; each of the shipped plug-ins
# brings its own, and exports itself and nothing else but what takes the place of a library's.
. "$(dirname "$0")/common"
# Sanitizers add libraries and symbols.
[ -z "${SANITIZE-}" ] || skip "not under a sanitizer"
build=$(dirname "$HTMT")

# needs FILE: what it names, without versions: "jansson" of libjansson.so.4.
needs() {
    readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(lib\)\{0,1\}\([^]]*\)\.so.*/\2/p' |
        grep -vxE 'c|m|ld-linux.*|pthread|gcc_s' | sort | paste -sd ' '
}

# links FILE WANTED: exactly these.
links() {
    [ "$(needs "$1")" = "$2" ] || fail "$1 links '$(needs "$1")', not '$2'"
}

links "$HTMT" 'deflate jansson jemalloc urcu-common xlsxwriter yaml-0'
links "$build/libhtmt.so.1" 'deflate jansson urcu-common yaml-0'
links "$build/apps/cannon.so" openblas
links "$build/apps/graph.so" 'cairo metis z'
links "$build/apps/kernels.so" cairo
links "$build/apps/pic.so" 'cairo cerf fftw3 fftw3f'
links "$build/apps/sar.so" 'fftw3 fftw3f png16'
links "$build/apps/volume.so" 'nifti2 png16 z'
links "$build/plot.so" cairo
links "$build/topology.so" hwloc
links "$build/study.so" sqlite3
[ ! -e "$build/mpi.so" ] || links "$build/mpi.so" mpi
[ ! -e "$build/htmt-analyze" ] || needs "$build/htmt-analyze" | grep -qw clang-19 || fail 'htmt-analyze: no libclang'
for file in "$HTMT" "$build/libhtmt.so.1"; do
    ! ldd "$file" | grep -E 'fftw|blas|cairo|nifti|png|cerf|mpi|pmix|clang|isl|hwloc|metis' || fail "$file brings it"
done
readelf -d "$build/libhtmt.so.1" | grep -q 'SONAME.*\[libhtmt\.so\.1\]' || fail 'no soname'

# exports FILE WANTED
exports() {
    local found
    found=$(nm -D --defined-only "$1" | awk '{ print $NF }' | sort | paste -sd ' ')
    [ "$found" = "$2" ] || fail "$1 exports '$found', not '$2'"
}

exports "$build/apps/cannon.so" 'blas_memory_alloc blas_memory_free htmt_app openblas_num_threads_env'
exports "$build/apps/graph.so" htmt_app
exports "$build/apps/kernels.so" htmt_app
exports "$build/apps/pic.so" 'fftw_assertion_failed fftwf_assertion_failed htmt_app'
exports "$build/apps/sar.so" 'fftw_assertion_failed fftwf_assertion_failed htmt_app'
exports "$build/apps/volume.so" htmt_app
exports "$build/plot.so" 'htmt_drawing htmt_plot'
exports "$build/topology.so" htmt_topology
exports "$build/study.so" htmt_study
[ ! -e "$build/mpi.so" ] || exports "$build/mpi.so" htmt_mpi
exports "$build/examples/dot.so" htmt_app

# The library exports what is public, in the command the same.
nm -D --defined-only "$build/libhtmt.so.1" | awk '$2 != "A" { print $NF }' | sort >library
! grep -vE '^htmt_[a-z].*@@HTMT_1$|^htmt__rec_[a-z]+@@HTMT_1$' library || fail 'the library exports more'
nm -D --defined-only "$HTMT" | awk '$NF ~ /^htmt_(_rec_)?[a-z]/ { print $NF "@@HTMT_1" }' | sort >command
cmp -s library command || fail "the command exports other functions: $(diff library command | head)"

# What takes the place of a library's function does so: OpenBLAS has no threads of its own, FFTW ends
# with a line of the emulator's.
unset OPENBLAS_NUM_THREADS
expect 0 env LD_DEBUG=bindings "$HTMT" run cannon --size 64 --slices 4 --quiet
for function in openblas_num_threads_env blas_memory_alloc blas_memory_free; do
    grep -q "libopenblas.* to .*/cannon.so .*\`$function'" err || fail "OpenBLAS has $function itself"
done
for app in pic sar; do
    expect 0 env LD_DEBUG=bindings LD_BIND_NOW=1 "$HTMT" help $app
    grep -q "libfftw3.* to .*/$app.so .*fftw_assertion_failed" err || fail "$app: FFTW aborts itself"
done

# Without the part that draws, the rest of the command is whole.
mkdir -p bin apps
cp "$HTMT" bin/htmt
cp "$build/apps/cannon.so" apps
expect 4 env HTMT_APP_PATH="$PWD/apps" bin/htmt validate amaral-figure7 --plot x.svg
grep -q '^htmt validate: --plot: this installation lacks plot.so' err || fail "no plot.so: $(cat err)"
one_line
expect 0 env HTMT_APP_PATH="$PWD/apps" bin/htmt validate amaral-figure7 --quiet
