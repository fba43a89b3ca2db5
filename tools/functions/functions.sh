#!/bin/sh
# functions.sh: which functions of the MPI ABI the library has, by chapter of the standard, as
# doc/functions.md says it.  Reads include/mpi.h, tests/abi-functions.txt and chapters (beside this
# script).  A name that is in no chapter is an error.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
tools=$top/tools/functions

awk -f "$tools/prototypes.awk" "$top/include/mpi.h" |
    awk -v chapters="$tools/chapters" -v abi="$top/tests/abi-functions.txt" \
        -v pages="$(ls "$top/doc/reference")" \
        -f "$tools/chapter_of.awk" -f "$tools/functions.awk"
