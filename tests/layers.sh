#!/bin/sh
# layers.sh: the rules of the house that a compiler does not enforce.  Includes point down only, symbols carry the
# prefix of their library, shared layouts are asserted.  What exactly the library exports: see abi-symbols.sh.
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

# -- includes --------------------------------------------------------------------------------------------------------

upward_includes() {
    grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*[<"]([^>"]*/)?(mpi\.h|lib/|mpi/|fw/|coll/|launch/)' \
        "$srcdir/nicemu" "$srcdir/include/nicemu.h" "$srcdir/include/nicemu"
    grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"\.\./' "$srcdir/nicemu"
}

# Names of headers that only lib/ has: found without a path, they would come in by an include option.
lib_headers_in_nicemu() {
    find "$srcdir/lib" -name '*.h' | sed 's|.*/||' | sort -u | while read -r header; do
        [ -f "$srcdir/nicemu/$header" ] && continue
        grep -rnE "^[[:space:]]*#[[:space:]]*include[[:space:]]*[<\"]${header}[>\"]" "$srcdir/nicemu"
    done
}

# From above, only the public door into the NIC.
private_nic_headers() {
    find "$srcdir/nicemu" -name '*.h' | sed 's|.*/||' | sort -u | while read -r header; do
        path='(nicemu/|(\.\./)+nicemu/)'
        [ -f "$srcdir/include/nicemu/$header" ] && path='(\.\./)+nicemu/'      # nicemu/NAME.h is the public one
        find "$srcdir/lib" -name "$header" | grep -q . || path="$path?"         # NAME.h is one of lib's own
        grep -rnE "^[[:space:]]*#[[:space:]]*include[[:space:]]*[<\"]$path${header}[>\"]" \
            "$srcdir/lib" "$srcdir/examples" "$srcdir/tests/mpi"
    done
}

rule 'include that points up' upward_includes
rule 'header of lib/ in nicemu/' lib_headers_in_nicemu
rule 'private header of nicemu/ used above it' private_nic_headers

# -- words -----------------------------------------------------------------------------------------------------------

unfinished() { in_sources '\b(TODO|FIXME|XXX)\b'; }
# Tests may use it to keep the compiler from removing their work.
volatiles() { in_sources '\bvolatile\b' | grep -vE '^tests/|asm(__)?[[:space:]]+volatile|sig_atomic_t'; }

rule 'unfinished' unfinished
rule 'volatile where an atomic says it' volatiles

# -- shared layouts --------------------------------------------------------------------------------------------------

# A header that declares atomics inside a struct, or calls its layout shared or wire, states the size.
unasserted_layouts() {
    grep -lE '(shared|wire) (struct|layout)' "$srcdir"/nicemu/*/*.h 2>/dev/null | while read -r header; do
        grep -qE '(static_assert|_Static_assert) *\(sizeof' "$header" || echo "$header"
    done
}
rule 'shared or wire layout without a static assertion' unasserted_layouts

# -- symbols ---------------------------------------------------------------------------------------------------------

# archive NAME: where libtool put the static form of a convenience library.
archive() { find . -path "*.libs/$1.a" ! -path '*/_inst/*' | head -n 1; }
defined() { $NM -g --defined-only "$1" 2>/dev/null | awk 'NF == 3 { print $3 }' | sort -u; }
foreign() { grep -vE "$1"; }

nic_lib=$(archive libnicemu_core)
core_lib=$(archive libmpi_core)
[ -n "$nic_lib" ] && [ -n "$core_lib" ] || { echo "no built libraries here: run make first"; exit 1; }

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
exported_foreign() { $NM -D --defined-only "$shared" | awk 'NF == 3 { print $3 }' | foreign '^P?MPIX?_'; }
[ -z "$shared" ] || rule 'exported by libmpi_abi.so, but no MPI name' exported_foreign

exit "$failed"
