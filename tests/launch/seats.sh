#!/bin/sh
# What MPI_Cart_create makes of where ranks sit: packages get compact blocks of a grid, on both
# clocks, as far as ranks are told where they sit.
# shellcheck disable=SC1091,SC2154 # lib.sh
. "${srcdir:-.}/tests/launch/lib.sh"

grid() { cmp -s - "$work/out" || fail "the grid is not as it should be"; }
rows='4 4'

for clock in '' '--model ideal'; do
    # shellcheck disable=SC2086 # words
    MPILITE_SEATS='socket:4 core:4 pu:1' run 0 $clock -n 16 "$tools/seats" $rows
    grid <<'END'
 0  1  4  5
 2  3  6  7
 8  9 12 13
10 11 14 15
END
    # shellcheck disable=SC2086 # words
    MPILITE_SEATS='socket:2 core:8 pu:1' run 0 $clock --map-by socket -n 16 "$tools/seats" $rows
    grid <<'END'
 0  2  8 10
 4  6 12 14
 1  3  9 11
 5  7 13 15
END
    calm
done

# In order: one package, or nothing is told.
MPILITE_SEATS='socket:1 core:16 pu:1' run 0 -n 4 "$tools/seats" 2 2
printed ' 0  1' ' 2  3'
run 0 --bind-to none -n 4 "$tools/seats" 2 2
printed ' 0  1' ' 2  3'
run 0 --model ideal --bind-to core -n 4 "$tools/seats" 2 2
printed ' 0  1' ' 2  3'

# The guide's machine is one.
machine=$(sed -n 's/.*MPILITE_SEATS="\([^"]*\)".*/\1/p' "${srcdir:-.}/doc/guide.md")
MPILITE_SEATS=$machine run 0 -n 4 "$tools/seats" 2 2
MPILITE_SEATS='mountain:2' refused "'mountain:2' is no value for MPILITE_SEATS: it must be a \
description as in 'socket:2 core:8 pu:2', or an XML file of lstopo's" -n 1 true
exit 0
