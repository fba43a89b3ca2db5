#!/bin/sh
# A program that was built with another library of the ABI, and that refers to what this one lacks,
# starts, and has an error where it calls that; what is built with this one finds no such name.
# shellcheck disable=SC2154 # exit codes
set -u
srcdir=${srcdir:-.}
[ -e .libs/libmpi_abi.so.1 ] || { echo 'no shared library was built'; exit 77; }
[ "${SANITIZED:-}" ] && { echo 'a sanitizer wants to be loaded first'; exit 77; }
work=$(mktemp -d) || exit
trap 'rm -rf "$work"' EXIT
fail() { echo "$*"; cat "$work/out" "$work/err"; exit 1; }
: >"$work/out"
: >"$work/err"

# The other library: names alone.
for name in Init Finalize Error_string File_open Comm_spawn; do
    echo "int MPI_$name(void); int MPI_$name(void) { return 0; }"
done >"$work/other.c"
cat >"$work/prog.c" <<'TEXT'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
extern int file_open(MPI_Comm, const char *, int, MPI_Info, MPI_File *) __asm__("MPI_File_open");
extern int spawn(const char *, char **, int, MPI_Info, int, MPI_Comm, MPI_Comm *, int *)
    __asm__("MPI_Comm_spawn");
int main(int argc, char **argv)
{
    char text[MPI_MAX_ERROR_STRING];
    MPI_Comm comm;
    MPI_File file;
    int length;
    MPI_Init(&argc, &argv);
    int rc = file_open(MPI_COMM_WORLD, "a", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
    MPI_Error_string(rc, text, &length);
    printf("%d %d %s\n", rc == MPI_ERR_UNSUPPORTED_OPERATION,
           dlsym(RTLD_DEFAULT, "MPI_File_open") == NULL, text);
    fflush(stdout);
    if (argc > 1)
        spawn("a", NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &comm, NULL);
    return MPI_Finalize();
}
TEXT
other=$work/libmpi_abi.so.1
# shellcheck disable=SC2086 # a compiler is a list of words
${CC:-cc} -shared -fPIC -Wl,-soname,libmpi_abi.so.1 "$work/other.c" -o "$other" &&
    ${CC:-cc} -I"$srcdir/include" "$work/prog.c" -o "$work/prog" "$other" -Wl,-z,now -ldl ||
    fail 'it cannot be built'
LD_LIBRARY_PATH=$PWD/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
bin/mpirun -n 1 "$work/prog" >"$work/out" 2>"$work/err" || fail "it does not start, or ends with $?"
grep -q '^1 1 MPI_ERR_UNSUPPORTED_OPERATION: .*MPI_File_open: libmpi-lite has no MPI-IO' \
    "$work/out" || fail 'another error'
bin/mpirun -n 1 "$work/prog" spawn >"$work/out" 2>"$work/err" && fail 'it goes on'
grep -q '^Fatal error in MPI_Comm_spawn: unsupported operation' "$work/err" ||
    fail 'another message'
# shellcheck disable=SC2086
${CC:-cc} -I"$srcdir/include" "$work/prog.c" -o "$work/linked" -L.libs -lmpi_abi -ldl \
    >"$work/out" 2>&1 && fail 'the linker takes what the library lacks'
grep -q 'MPI_File_open' "$work/out" || fail 'it could not be linked for another reason'
exit 0
