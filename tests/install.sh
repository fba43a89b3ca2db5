#!/bin/sh
# install.sh: what `make install` leaves is a working MPI: its mpicc compiles and its mpirun runs,
# dynamically and statically; programs carry no library that they do not need; pkg-config knows it;
# uninstall leaves nothing behind. Runs in the build folder.
set -u
: "${MAKE:=make}" "${PKG_CONFIG:=pkg-config}"
stage=$(mktemp -d) || exit 1
trap 'rm -rf "$stage"' EXIT
trap 'exit 1' HUP INT TERM
MAKEFLAGS='' MFLAGS='' MAKELEVEL=''
export MAKEFLAGS MFLAGS MAKELEVEL

fail() { echo "install: $*"; exit 1; }
# To install is to link anew in the build folder: one test at a time.
alone() { if command -v flock >/dev/null; then flock tests/install.lock "$@"; else "$@"; fi; }
make_quietly() {
    alone "$MAKE" "$@" >"$stage/log" 2>&1 && return
    cat "$stage/log"
    fail "make $* failed"
}

# Staged below DESTDIR, as a packager does; the tools find their own folder, so they run from there
# too.
make_quietly install DESTDIR="$stage/root"
mpicc=$(find "$stage/root" -name mpicc -path '*/bin/*')
[ -x "$mpicc" ] || fail "no bin/mpicc"
prefix=${mpicc%/bin/mpicc}
for name in mpirun mpiexec oshrun oshcc; do [ -x "$prefix/bin/$name" ] || fail "no bin/$name"; done
"$prefix/bin/nicinfo" ideal >"$stage/ideal" || fail "nicinfo does not find its profiles"
grep -qF "$prefix/share/" "$stage/ideal" ||
    fail "nicinfo does not take its profiles from where it was installed"
for header in mpi.h mpi_missing.h shmem.h shmem_generic.h shmemx.h mpp/shmem.h mpp/shmemx.h \
    nicemu.h nicemu/profile.h nicemu/stats.h; do
    [ -f "$prefix/include/$header" ] || fail "no $header"
done
for page in man1/mpirun.1 man3/MPI_Type_vector.3 man3/MPI_Type_vector_c.3 man3/mpi_datatypes.3 \
    man1/oshcc.1 man3/shmem_put.3; do
    [ -f "$prefix/share/man/$page" ] || fail "no $page"
done

cat >"$stage/sum.c" <<'TEXT'
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, size, sum;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d ranks, sum %d\n", size, sum);
    MPI_Finalize();
    return 0;
}
TEXT

# expect_sum PROGRAM: three ranks of it add up.
expect_sum() {
    said=$("$prefix/bin/mpirun" -n 3 "$1" 2>&1) || fail "$1 failed: $said"
    [ "$said" = "3 ranks, sum 3" ] || fail "$1 said: $said"
}

needs() { LD_LIBRARY_PATH=$prefix/lib ldd "$1" | awk '{ print $1 }'; }

# installed COMMAND...: runs it with the staged libraries.
installed() {
    (
        LD_LIBRARY_PATH=$prefix/lib
        export LD_LIBRARY_PATH
        "$@"
    ) || exit 1
}

# flags_of PACKAGE: of what is staged, as pkg-config knows it.
flags_of() {
    PKG_CONFIG_PATH=${pc%/*} PKG_CONFIG_SYSROOT_DIR=$stage/root \
        "$PKG_CONFIG" --cflags --libs "$1" || fail "pkg-config does not know $1" >&2
}

# Under other names, beside another MPI: programs and scripts find each other.
make_quietly install-exec install-data DESTDIR="$stage/other" transform='s,$$,.lite,'
other=$(find "$stage/other" -name mpicc.lite)
[ "$other" ] || fail "no mpicc.lite"
for name in mpirun mpiexec oshrun; do
    "${other%/*}/$name.lite" -n 2 true || fail "$name.lite does not run"
done
page=$(find "$stage/other" -name mpiexec.lite.1)
[ "$(cat "$page")" = '.so man1/mpirun.lite.1' ] || fail "mpiexec.lite.1 has $(cat "$page")"
left=$(find "${other%/*}" ! -type d ! -name '*.lite')
[ -z "$left" ] || fail "names that are not changed: $left"

# -- with mpicc ------------------------------------------------------------------------------------

"$mpicc" -o "$stage/sum" "$stage/sum.c" || fail "mpicc cannot compile"
expect_sum "$stage/sum"
if [ -f "$prefix/lib/libmpi_abi.so.1" ]; then
    needs "$stage/sum" | grep -q '^libmpi_abi\.so\.1$' ||
        fail "the program does not ask for libmpi_abi.so.1"
    [ -e "$prefix/lib/libmpi.so" ] || fail "no libmpi.so"
fi
if needs "$stage/sum" | grep -E 'hwloc|fabric|numa|check'; then
    fail "the program carries libraries that it does not need"
fi

if [ -f "$prefix/lib/libmpi_abi.a" ]; then
    [ -e "$prefix/lib/libmpi.a" ] || fail "no libmpi.a"
    "$mpicc" -static-mpi -o "$stage/sum.static" "$stage/sum.c" ||
        fail "mpicc -static-mpi cannot link"
    if needs "$stage/sum.static" | grep '^libmpi'; then
        fail "-static-mpi links the shared library"
    fi
    expect_sum "$stage/sum.static"
fi

# -- with oshcc ------------------------------------------------------------------------------------

cat >"$stage/put.c" <<'TEXT'
#include <shmem.h>
#include <stdio.h>

static int sum;

int main(void)
{
    shmem_init();
    shmem_atomic_add(&sum, shmem_my_pe(), 0);
    shmem_barrier_all();
    if (shmem_my_pe() == 0)
        printf("%d ranks, sum %d\n", shmem_n_pes(), sum);
    shmem_finalize();
    return 0;
}
TEXT
"$prefix/bin/oshcc" -o "$stage/put" "$stage/put.c" || fail "oshcc cannot compile"
expect_sum "$stage/put"
if [ -f "$prefix/lib/libshmem.a" ]; then
    "$prefix/bin/oshcc" -static-mpi -o "$stage/put.static" "$stage/put.c" ||
        fail "oshcc -static-mpi cannot link"
    expect_sum "$stage/put.static"
fi

# -- with mpifort ----------------------------------------------------------------------------------

# Its modules are where mpif.h is; libmpi_fortran finds the other library beside itself.
if [ -x "$prefix/bin/mpifort" ]; then
    printf '%s\n' 'program sum' 'use mpi_f08' 'integer :: rank, size, total' 'call MPI_Init()' \
        'call MPI_Comm_rank(MPI_COMM_WORLD, rank)' 'call MPI_Comm_size(MPI_COMM_WORLD, size)' \
        'call MPI_Allreduce(rank, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)' \
        "if (rank == 0) print '(i0,a,i0)', size, ' ranks, sum ', total" \
        'call MPI_Finalize()' 'end' >"$stage/sum.f90"
    "$prefix/bin/mpifort" -o "$stage/sum.fortran" "$stage/sum.f90" || fail "mpifort cannot compile"
    expect_sum "$stage/sum.fortran"
    # What these load needs libmpi_abi as well, which here only a library of the program asks for.
    MPILITE_CHECK=1 expect_sum "$stage/sum.fortran"
    "$prefix/bin/mpirun" -n 2 --trace "$stage/sum.trace" "$stage/sum.fortran" >/dev/null 2>&1 ||
        fail "$stage/sum.fortran cannot be traced"
    if [ -f "$prefix/lib/libmpi_fortran.a" ]; then
        "$prefix/bin/mpifort" -static-mpi -o "$stage/sum.fortran" "$stage/sum.f90" ||
            fail "mpifort -static-mpi cannot link"
        expect_sum "$stage/sum.fortran"
    fi
fi

# -- with pkg-config -------------------------------------------------------------------------------

pc=$(find "$stage/root" -name libmpi-lite.pc)
[ "$pc" ] || fail "no libmpi-lite.pc"
for package in libmpi-lite mpi_abi; do
    flags=$(flags_of "$package") || exit 1
    # shellcheck disable=SC2086 # a list of flags
    ${CC:-cc} -o "$stage/sum.$package" "$stage/sum.c" $flags || fail "cannot compile with: $flags"
    installed expect_sum "$stage/sum.$package"
done

# A link to mpicc, beside which another MPI has its header.
mkdir -p "$stage/link/bin" "$stage/link/include"
: >"$stage/link/include/mpi.h"
ln -s "$prefix/bin/mpicc" "$stage/link/bin/mpicc"
[ "$("$stage/link/bin/mpicc" -show a.c)" = "$("$prefix/bin/mpicc" -show a.c)" ] ||
    fail "mpicc by a link: $("$stage/link/bin/mpicc" -show a.c)"

# An installation that is moved knows where it is.
moved=$(PKG_CONFIG_PATH=${pc%/*} "$PKG_CONFIG" --variable=includedir libmpi-lite)
[ "$(cd "$moved" && pwd)" = "$(cd "$prefix/include" && pwd)" ] || fail "libmpi-lite.pc names $moved"

flags=$(flags_of libshmem) || exit 1
# shellcheck disable=SC2086 # a list of flags
${CC:-cc} -o "$stage/put.pc" "$stage/put.c" $flags || fail "cannot compile with: $flags"
installed expect_sum "$stage/put.pc"

# -- the NIC without MPI ---------------------------------------------------------------------------

# expect_counts PROGRAM: it works alone and as two ranks.
expect_counts() {
    for start in "" "$prefix/bin/mpirun -n 2"; do
        # shellcheck disable=SC2086 # a command
        $start "$1" 500 >"$stage/said" 2>&1 || fail "$start $1 failed: $(cat "$stage/said")"
        grep -q ': right$' "$stage/said" || fail "$start $1 said: $(cat "$stage/said")"
    done
}

source=$(find "$stage/root" -name count_sizes.c)
flags=$(flags_of nicemu) || exit 1
# shellcheck disable=SC2086 # a list of flags
${CC:-cc} -o "$stage/count" "$source" $flags || fail "cannot compile with: $flags"
installed expect_counts "$stage/count"
if [ -f "$prefix/lib/libnicemu.so.0" ]; then
    needs "$stage/count" | grep -q '^libnicemu\.so\.0$' ||
        fail "the program does not ask for libnicemu.so.0"
fi
if needs "$stage/count" | grep -E 'mpi|hwloc|fabric|numa'; then
    fail "a program without MPI carries libraries that it does not need"
fi
if [ -f "$prefix/lib/libnicemu.a" ]; then
    ${CC:-cc} -o "$stage/count.static" "$source" -I"$prefix/include" \
        "$prefix/lib/libnicemu.a" -lpthread || fail "cannot link libnicemu.a"
    expect_counts "$stage/count.static"
fi

# -- the examples, with their own makefile ---------------------------------------------------------

folder=$(dirname "$(find "$stage/root" -name ring.c)")
PATH=$prefix/bin:$PATH LD_LIBRARY_PATH=$prefix/lib \
    make_quietly -C "$folder" OUT="$stage/examples" CFLAGS=-O0
for source in $(cd "$folder" && grep -rl 'main(' --include='*.c' .); do
    [ -x "$stage/examples/${source%.c}" ] || fail "the makefile does not make ${source#./}"
done
said=$("$prefix/bin/mpirun" -n 3 "$stage/examples/ring" 2>&1) || fail "ring fails: $said"
[ -f "$prefix/share/bash-completion/completions/mpiexec" ] || fail "no completion"

# -- and away --------------------------------------------------------------------------------------

make_quietly uninstall DESTDIR="$stage/root"
left=$(find "$stage/root" ! -type d)
[ -z "$left" ] || fail "uninstall left: $left"
