#!/bin/sh
# layers.sh: the rules of the house that a compiler does not enforce.  Includes point down only,
# symbols carry the prefix of their library, shared layouts are asserted.  What exactly the library
# exports: see abi-symbols.sh.
# shellcheck disable=SC2015,SC2317 # functions are called by `rule`
set -u
: "${srcdir:=.}" "${NM:=nm}"  # NM may be several words
failed=0

# rule TEXT COMMAND...: whatever the command prints is a breach of the rule.
rule() {
    text=$1
    shift
    found=$("$@")
    [ -z "$found" ] && return
    printf '%s\n' "$found" | sed "s|^$srcdir/||; s|^|$text: |"
    failed=1
}

sources() { (cd "$srcdir" && find include nicemu lib examples tests bench -name '*.[ch]' -print); }
in_sources() { sources | (cd "$srcdir" && xargs grep -nE "$1" /dev/null); }

# -- includes --------------------------------------------------------------------------------------

# For patterns of grep -E: the beginning of such a line.
include='^[[:space:]]*#[[:space:]]*include[[:space:]]*'

upward_includes() {
    grep -rnE "$include"'[<"]([^>"]*/)?(mpi\.h|lib/|mpi/|fw/|coll/|launch/)' \
        "$srcdir/nicemu" "$srcdir"/include/nicemu*.h "$srcdir/include/nicemu"
    grep -rnE "$include"'"\.\./' "$srcdir/nicemu"
}

# "folder rank room" of each room.
rooms() { grep -v '^#' "$1" | awk '{ for (i = 2; i <= NF; i++) print $1, i, $i }'; }

# room_breaches ROOMS FOLDER: includes in quotes of files below $FOLDER/HOUSE that lead to a room
# above that of the file, to none, or do not name a room; and files in no room.  An include names
# its room, that of a house in a house (lib/launch) behind the inner house's own name; public
# headers are those below include/.
room_breaches() {
    rooms "$1" >"$work/rooms"
    (cd "$2/include" && find . -name '*.h' | sed 's|^\./||') >"$work/public"
    (cd "$2" && grep -v '^#' "$work/rooms" | cut -d' ' -f1 | sort -u | while read -r house; do
        find "$house" -name '*.[ch]' | while read -r file; do
            awk -v file="$file" -v house="$house" -v rooms="$work/rooms" '
                function room_of(path) {
                    return path ~ /\// ? substr(path, 1, index(path, "/") - 1) : "."
                }
                function public(path,    line) {
                    return (getline line <("include/" path)) >= 0
                }
                function breach(text) { print file ":" FNR ": " text ": " path }
                BEGIN {
                    while ((getline line <rooms) > 0) {
                        split(line, f, " ")
                        if (f[1] == house) rank[f[3]] = f[2]
                    }
                    inner = house
                    if (!sub(/^.*\//, "", inner)) inner = ""
                    here = room_of(substr(file, length(house) + 2))
                    if (!(here in rank)) print file ": in no room of " house
                }
                /^[ \t]*#[ \t]*include[ \t]*"/ {
                    split($0, q, "\"")
                    path = q[2]
                    if (inner != "" && !sub("^" inner "/", "", path) || public(path)) next
                    there = room_of(path)
                    if (there == "." && here != ".") breach("names no room")
                    else if (!(there in rank)) breach("no room of " house)
                    else if (here in rank && rank[there] > rank[here])
                        breach(here " is below " there)
                }' "$file"
        done
    done)
}

# A private header may not be called as a public one.
namesakes() {
    (cd "$2" && grep -v '^#' "$1" | cut -d' ' -f1 | while read -r house; do
        find "$house" -name '*.h' | while read -r file; do
            name=${file##*/}
            for public in "include/$name" "include/$house/$name"; do
                [ ! -f "$public" ] || echo "$file: as $public"
            done
        done
    done)
}

# Tests have several include roots: a path below one house may not be one below another.
shared_paths() {
    (cd "$2" && grep -v '^#' "$1" | cut -d' ' -f1 | grep -v / | while read -r house; do
        (cd "$house" && find . -name '*.h' | sed 's|^\./||')
    done | sort | uniq -d | sed 's/$/: in two houses/')
}

# From above, only the public door into the NIC: -Inicemu is for nicemu/ and its tests alone.
private_nic_headers() {
    find "$srcdir/nicemu" -name '*.h' | sed "s|^$srcdir/nicemu/||" | sort | while read -r header; do
        grep -rnE "$include[<\"](nicemu/|(\.\./)+nicemu/)?${header}[>\"]" \
            "$srcdir/lib" "$srcdir/examples" "$srcdir/tests/mpi"
    done
}

# lean_door TREE: nicemu.h is for control programs: short, by itself, and enough for those in
# examples/nic.
lean_door() {
    lines=$(wc -l <"$1/include/nicemu.h")
    [ "$lines" -lt 250 ] || echo "include/nicemu.h: $lines lines"
    grep -nE "$include"'([<"]nicemu|")' "$1/include/nicemu.h"
    grep -nE "$include"'[<"]nicemu[^.]' "$1"/examples/nic/*.c /dev/null
}

# The rules find what breaks them.
made_up() {
    house=$work/house
    for d in nicemu/low nicemu/high nicemu/attic nicemu/wing/a nicemu/wing/b include/nicemu \
             lib/high; do
        mkdir -p "$house/$d"
    done
    printf '%s\n' 'nicemu low wing high .' 'nicemu/wing a b' 'lib high' >"$house/rooms.txt"
    printf '#include "high/own.h"\n' >"$house/nicemu/low/up.c"
    printf '#include "low/bare.h"\n#include "nicemu/door.h"\n' >"$house/nicemu/high/down.c"
    printf '#include "bare.h"\n' >"$house/nicemu/high/roomless.c"
    printf '#include "fw/other.h"\n' >"$house/nicemu/high/foreign.c"
    printf '#include "wing/b/own.h"\n' >"$house/nicemu/wing/a/up.c"
    printf '#include "wing/a/own.h"\n#include "low/bare.h"\n' >"$house/nicemu/wing/b/down.c"
    for f in nicemu/low/bare.h nicemu/high/own.h nicemu/attic/lost.c nicemu/wing/a/own.h \
             nicemu/wing/b/own.h include/nicemu/door.h nicemu/high/door.h lib/high/own.h; do
        : >"$house/$f"
    done
    found=$( (room_breaches "$house/rooms.txt" "$house"; namesakes "$house/rooms.txt" "$house"
              shared_paths "$house/rooms.txt" "$house") |
            sed 's/:.*//' | sort | tr '\n' ' ')
    wanted='high/own.h nicemu/attic/lost.c nicemu/high/door.h nicemu/high/foreign.c '
    wanted="${wanted}nicemu/high/roomless.c nicemu/low/up.c nicemu/wing/a/up.c "
    [ "$found" = "$wanted" ] || echo "found in a made-up house: $found"
    mkdir -p "$house/examples/nic"
    { yes '' | head -n 249; echo '#include "nicemu/door.h"'; } >"$house/include/nicemu.h"
    echo '#include <nicemu/door.h>' >"$house/examples/nic/more.c"
    found=$(lean_door "$house")
    [ "$(echo "$found" | wc -l)" -eq 3 ] || echo "not all found in a made-up door: $found"
}

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
source_tree=$(cd "$srcdir" && pwd)
rule 'these rules do not find what they must' made_up
rule 'include that points up' upward_includes
rule 'include against the order of rooms' room_breaches \
    "$source_tree/tests/rooms.txt" "$source_tree"
rule 'nicemu.h is not the door for control programs' lean_door "$source_tree"
rule 'private header with the name of a public one' namesakes \
    "$source_tree/tests/rooms.txt" "$source_tree"
rule 'private header with the path of another' shared_paths \
    "$source_tree/tests/rooms.txt" "$source_tree"
rule 'private header of nicemu/ used above it' private_nic_headers

# -- words -----------------------------------------------------------------------------------------

unfinished() { in_sources '\b(TODO|FIXME|XXX)\b'; }
# Tests may use it to keep the compiler from removing their work.
volatiles() {
    in_sources '\bvolatile\b' | grep -vE '^tests/|asm(__)?[[:space:]]+volatile|sig_atomic_t'
}

rule 'unfinished' unfinished
rule 'volatile where an atomic says it' volatiles

# -- shared layouts --------------------------------------------------------------------------------

# A header that declares atomics inside a struct, or calls its layout shared or wire, states the
# size.
unasserted_layouts() {
    grep -lE '(shared|wire) (struct|layout)' "$srcdir"/nicemu/*/*.h 2>/dev/null |
        while read -r header; do
            grep -qE '(static_assert|_Static_assert) *\(sizeof' "$header" || echo "$header"
        done
}
rule 'shared or wire layout without a static assertion' unasserted_layouts

# -- symbols ---------------------------------------------------------------------------------------

# archive NAME: where libtool put the static form of a convenience library.
archive() { find . -path "*.libs/$1.a" ! -path '*/_inst/*' | head -n 1; }
defined() { $NM -g --defined-only "$1" 2>/dev/null | awk 'NF == 3 { print $3 }' | sort -u; }
foreign() { grep -vE "$1"; }

nic_lib=$(archive libnicemu_core)
core_lib=$(archive libmpi_core)
if [ -z "$nic_lib" ] || [ -z "$core_lib" ]; then
    echo "no built libraries here: run make first"
    exit 1
fi

nic_symbols() { defined "$nic_lib" | foreign '^_?nic_'; }
core_symbols() {
    theirs=$(mktemp) || return
    defined "$nic_lib" >"$theirs"
    defined "$core_lib" | foreign '^(P?MPIX?_|mpi_)' | grep -vxF -f "$theirs"
    rm -f "$theirs"
}
rule 'symbol of libnicemu_core without its prefix nic_' nic_symbols
rule 'symbol of libmpi_core without its prefix mpi_, MPI_ or PMPI_' core_symbols

shared=$(find . -name 'libmpi_abi.so.1.*' ! -path './_inst/*' | head -n 1)
exported_foreign() {
    $NM -D --defined-only "$shared" | awk 'NF == 3 { print $3 }' | foreign '^(P?MPIX?_|mpi_door$)'
}
[ -z "$shared" ] || rule 'exported by libmpi_abi.so, but no MPI name' exported_foreign

exit "$failed"
