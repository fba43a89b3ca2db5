#!/bin/sh
# manual.sh: the man pages of MPI's functions, from include/mpi.h and the chapters of doc/reference:
# a page for each section, links for the other names in its title and for large counts, a page for
# each chapter.  And of SHMEM's, from doc/reference/shmem.md.
#     manual.sh FOLDER VERSION      writes them to FOLDER, and prints their names
#     manual.sh --check [CHAPTERS]  prints what is wrong with them, and which functions have no
#                                   section but those of the standard's CHAPTERS
set -u
top=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
tools=$top/tools/functions
: "${AWK:=awk}"

if [ "${1:-}" = --check ]; then
    check=1 out='' version='' but=${2:-}
else
    check=0 out=$1 version=$2 but=
fi
"$AWK" -f "$tools/prototypes.awk" "$top/include/mpi.h" |
    "$AWK" -v check="$check" -v out="$out" -v version="$version" \
        -v chapters="$tools/chapters" -v but="$but" -f "$tools/chapter_of.awk" \
        -f "$tools/roff.awk" -f "$tools/manual.awk" - "$top"/doc/reference/[0-9]*.md ||
    exit
if [ "$check" -eq 0 ] && [ -f "$top/doc/reference/shmem.md" ]; then
    "$AWK" -v out="$out" -v version="$version" -f "$tools/roff.awk" -f "$tools/shmem.awk" \
        "$top/doc/reference/shmem.md"
fi
