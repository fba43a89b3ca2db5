#!/bin/sh
# The library exports exactly the functions that mpi.h declares, each as MPI_X and as PMPI_X, and
# all are in the ABI.
#   MPI_LIB  the shared library       MPI_H  the header
# mpi_door is for libshmem.  Names that begin with two underscores are the compiler's (sanitizers
# define some).
# shellcheck disable=SC1091,SC2154 # report.sh is sourced
set -eu
LC_ALL=C
export LC_ALL

: "${MPI_LIB:?the path of libmpi_abi.so}" "${MPI_H:?the path of mpi.h}"
names=${srcdir:-$(dirname "$0")/..}/tests/abi-functions.txt
if [ ! -e "$MPI_LIB" ]; then
    echo "no shared library was built"
    exit 77
fi

. "$(dirname "$0")/report.sh"

sed -n 's/^\(int\|double\|MPI_[A-Za-z]*\) \(MPI_[A-Z][A-Za-z0-9_]*\)(.*/\2/p' "$MPI_H" |
    sort > "$dir/declared"
tr ';' '\n' < "$MPI_H" |
    sed -n 's/^ *MPI_ABI_P(\([A-Z][A-Za-z0-9_]*\)) *$/MPI_\1/p' | sort > "$dir/profiled"
${NM:-nm} -D --defined-only "$MPI_LIB" |
    sed 's/.* //; /MPI_NOT_HERE$/d; s/@.*//; /^__/d; /^mpi_door$/d' |
    sort -u > "$dir/exported"
sort "$names" > "$dir/abi"
{ cat "$dir/declared"; sed 's/^/P/' "$dir/declared"; } | sort > "$dir/expected"

# extensions: what mpi.h declares as MPIX_X is exported with both names, and nothing else of that
# kind
sed -n 's/^[a-z]* \(MPIX_[A-Z][A-Za-z0-9_]*\)(.*/\1/p' "$MPI_H" |
    sed 'p; s/^/P/' | sort > "$dir/extensions"
grep -E '^P?MPIX_' "$dir/exported" > "$dir/extended" || :
comm -3 "$dir/extensions" "$dir/extended" > "$dir/diff"
report "extensions of which the header and the library have different ones" "$dir/diff"
grep -vE '^P?MPIX_' "$dir/exported" > "$dir/standard"
mv "$dir/standard" "$dir/exported"

[ "$(wc -l < "$dir/declared")" -gt 100 ] || { echo "too few declarations found in $MPI_H"; exit 1; }
uniq -d "$dir/declared" > "$dir/diff"
report "declared twice" "$dir/diff"
comm -3 "$dir/declared" "$dir/profiled" > "$dir/diff"
report "declared without or only with the profiling name" "$dir/diff"
comm -23 "$dir/declared" "$dir/abi" > "$dir/diff"
report "not in the ABI" "$dir/diff"
comm -23 "$dir/expected" "$dir/exported" > "$dir/diff"
report "declared, but not exported" "$dir/diff"
comm -13 "$dir/expected" "$dir/exported" > "$dir/diff"
report "exported, but not declared" "$dir/diff"

# What is missing or removed (mpi_missing.h): in the ABI or of old, nowhere else, and not exported.
tr '\n' ' ' < "${MPI_H%/*}/mpi_missing.h" | tr ';' '\n' |
    sed -n 's/^.*MPI_ABI_\(PROCESS\|FILE\)([A-Za-z_]*, \([A-Z]\w*\), (.*/MPI_\2/p' |
    sort > "$dir/missing"
sed -n 's/^MPI_ABI_REMOVED(\([A-Z][a-z_]*\), .*/MPI_\1/p' "${MPI_H%/*}/mpi_missing.h" |
    sort > "$dir/removed"
[ "$(wc -l < "$dir/removed")" -ge 10 ] || { echo "too few removed names found"; exit 1; }
uniq -d "$dir/missing" > "$dir/diff"
report "missing twice" "$dir/diff"
comm -12 "$dir/declared" "$dir/missing" > "$dir/diff"
report "declared in mpi.h and said to be missing: take it out of mpi_missing.h" "$dir/diff"
grep -vE '_(c2f|f2c)$' "$dir/missing" > "$dir/functions"      # the others are inline there
comm -23 "$dir/functions" "$dir/abi" > "$dir/diff"
report "missing, but not in the ABI" "$dir/diff"
# For programs that were built elsewhere, under a version that no linker takes (lib/mpi/absent.c).
${NM:-nm} -D --defined-only "$MPI_LIB" | sed -n 's/.* //; s/@MPI_NOT_HERE$//p' |
    grep -v '^MPI_NOT' | sort > "$dir/absent"
sed 'p; s/^/P/' "$dir/functions" | sort | comm -3 - "$dir/absent" > "$dir/diff"
report "missing, and not there for programs that were built elsewhere; or the other way" "$dir/diff"
comm -12 "$dir/removed" "$dir/abi" > "$dir/diff"
report "removed, but in the ABI" "$dir/diff"
grep -E '^MPI_(File|Win)_' "$dir/abi" | comm -23 - "$dir/declared" |
    comm -23 - "$dir/missing" > "$dir/diff"
report "neither in mpi.h nor in mpi_missing.h" "$dir/diff"
sed 'p; s/^/P/' "$dir/missing" "$dir/removed" | sort | comm -12 - "$dir/exported" > "$dir/diff"
report "exported, but said to be missing" "$dir/diff"
exit "$status"
