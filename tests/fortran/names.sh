#!/bin/sh
# names.sh: every function of mpi.h is there in Fortran, in all three dialects, also as PMPI_X; and
# the constants have C's values.  Skipped without Fortran.
#   FORTRAN_LIB  libmpi_fortran.so or .a     FORTRAN  yes, or why there are no Fortran interfaces
# shellcheck disable=SC1091,SC2154 # report.sh is sourced
set -u
: "${srcdir:=.}" "${MPI_H:=$srcdir/include/mpi.h}" "${NM:=nm}" "${CC:=cc}" "${AWK:=awk}"
if [ "${FORTRAN:=yes}" != yes ]; then
    echo "skipped: no Fortran interfaces: $FORTRAN"
    exit 77
fi
. "$srcdir/tests/report.sh"
mpifort=$PWD/bin/mpifort
LC_ALL=C
export LC_ALL

# C only: handles as integers, and the tool interface.
tr ';' '\n' <"$MPI_H" | sed -n 's/^ *MPI_ABI_P(\([A-Z][A-Za-z0-9_]*\)) *$/MPI_\1/p' |
    grep -vE '_(toint|fromint)$|^MPI_T_' | sort >"$dir/all"
grep '_c$' "$dir/all" >"$dir/large"
grep -v '_c$' "$dir/all" >"$dir/plain"
[ "$(wc -l <"$dir/plain")" -gt 150 ] || { echo "too few functions found in $MPI_H"; exit 1; }

# -- what the description does not understand has a name -------------------------------------------
printf 'int MPI_%s;\nMPI_ABI_P(%s);\n' 'Odd(MPI_Odd_thing *thing)' Odd >"$dir/odd.h"
printf 'int MPI_%s;\nMPI_ABI_P(%s);\n' 'Long(const MPI_Datatype types[])' Long >"$dir/long.h"
for odd in odd:MPI_Odd long:MPI_Long; do
    if "$AWK" -f "$srcdir/lib/fortran/table.awk" "$srcdir/lib/fortran/annotations" \
        "$dir/${odd%:*}.h" >"$dir/table" 2>"$dir/said" || ! grep -q "${odd#*:}" "$dir/said"; then
        echo "${odd#*:} is not refused by its name"
    fi
done >"$dir/diff"
report "the description" "$dir/diff"

# -- mpif.h: names in the library ------------------------------------------------------------------
lib=.libs/libmpi_fortran.so
flags=-D
[ -f "$lib" ] || { lib=.libs/libmpi_fortran.a; flags=-g; }
$NM $flags --defined-only "$lib" | awk 'NF > 2 { print $NF }' | sort -u >"$dir/exported"
tr '[:upper:]' '[:lower:]' <"$dir/plain" | sed 's/$/_/; p; s/^/p/' | sort >"$dir/expected"
comm -23 "$dir/expected" "$dir/exported" >"$dir/diff"
report "not in the library for mpif.h" "$dir/diff"
grep -vE '^p?mpi_[a-z0-9_]*_$|^P?MPI_[A-Z][a-z]+_[cf0-9]+2[cf0-9]+$|^mpilite_[a-z_]*_$|^__mpi' \
    "$dir/exported" >"$dir/diff"
report "exported by the library, and no name of MPI" "$dir/diff"

# -- modules: names that `use` finds ---------------------------------------------------------------
# used MODULE FILE-OF-NAMES PREFIX...: the module has each with each prefix.
used() {
    module=$1 list=$2
    shift 2
    for prefix; do sed "s/^/$prefix/" "$list"; done | awk -v module="$module" '
        NR % 100 == 1 { printf "%ssubroutine s%d()\n  use %s, only: %s", end, NR, module, $1 }
        NR % 100 != 1 { printf ", &\n    %s", $1 }
        { end = "\nend subroutine\n" }
        END { printf "%s", end }' >"$dir/used.f90"
    (cd "$dir" && "$mpifort" -fsyntax-only used.f90 2>&1) | grep -A1 Error >"$dir/diff"
    report "module $module" "$dir/diff"
}
used mpi "$dir/plain" '' P
used mpi_f08 "$dir/plain" '' P

# A large-count variant has the name of its function, or, where arguments do not tell them apart,
# its own.
for name in $(sed 's/_c$//' "$dir/large"); do
    "$AWK" -v name="$name" 'BEGIN { name = tolower(name); plain = name "(_f08(ts)?)?[ (]" }
        tolower($0) ~ "^  interface( p?" name "(_c)?)?$" { inside = 1 }
        inside && tolower($0) ~ "subroutine p?" name "_c(_f08(ts)?)?\\(" { found++ }
        /^  end interface/ { inside = 0 }
        END { if (found != 2) print name "_c: " found + 0 " interfaces" }' lib/fortran/f08.inc
done >"$dir/diff"
report "large counts in mpi_f08" "$dir/diff"
tr '[:upper:]' '[:lower:]' <"$dir/large" | while read -r name; do
    for symbol in "${name}_" "${name}_f08ts_" "${name}_f08_"; do
        grep -qx "$symbol" "$dir/exported" && grep -qx "p$symbol" "$dir/exported" && continue 2
    done
    echo "$name"
done >"$dir/diff"
report "large counts in the library" "$dir/diff"

# -- constants: C says what they are ---------------------------------------------------------------
# Those that only Fortran has, and strings, which are without their final zero.
sed -n 's/^ *parameter (\(MPI_[A-Z0-9a-z_]*\)=\(.*\))$/\1 \2/p' lib/fortran/include/mpif.h |
    grep -vE '_KIND |^MPI_(STATUS_SIZE|SOURCE|TAG|ERROR|DEFAULT_.*|SUBARRAYS_.*|ASYNC_.*) ' |
    sort >"$dir/fortran"
{
    printf '%s\n' '#include <stdio.h>' '#include "mpi.h"' \
        '#define SAY(name, less) printf("%s %lld\n", #name, (long long)name - less);' \
        'int main(void) {'
    while read -r name _; do
        case $name in MPI_MAX_*) less=1 ;; *) less=0 ;; esac
        echo "SAY($name, $less)"
    done <"$dir/fortran"
    echo 'return 0; }'
} >"$dir/values.c"
$CC -w -I"$(dirname "$MPI_H")" -o "$dir/values" "$dir/values.c" || exit 1
"$dir/values" >"$dir/c"
comm -3 "$dir/fortran" "$dir/c" >"$dir/diff"
report "constants of another value" "$dir/diff"
# All constants of C but those of its functions, pointers and tools.
sed -n 's/^#define \(MPI_[A-Z0-9_a-z]*\) .*/\1/p' "$MPI_H" |
    grep -vE '^MPI_(T_|F_|F08_|ABI_FINT|ABI_P)|_FN(_C)?$|_FN_NULL|MPI_H_ABI' | sort >"$dir/c.names"
sed -n 's/^ *[a-z0-9*()=]* \(MPI_[A-Z0-9a-z_]*\)\((.*)\)*$/\1/p' lib/fortran/include/mpif.h |
    sort -u >"$dir/fortran.names"
comm -23 "$dir/c.names" "$dir/fortran.names" >"$dir/diff"
report "constants of C that mpif.h lacks" "$dir/diff"
# ... each of which the modules have.
grep -v 'DEFAULT_INTEGER_HAS' "$dir/fortran.names" >"$dir/list"
used mpi "$dir/list" ''
used mpi_f08 "$dir/list" ''

# -- C: handles with toint have f2c and c2f, inline and in the library -----------------------------
sed -n 's/^int MPI_\([A-Z][a-z]*\)_toint(.*/\1/p' "$MPI_H" | sort >"$dir/toint"
sed -n 's/^MPI_ABI_FINT_HANDLE(\([A-Z][a-z]*\),.*/\1/p' "$MPI_H" | sort >"$dir/fint"
comm -3 "$dir/toint" "$dir/fint" >"$dir/diff"
report "handles with toint or f2c alone" "$dir/diff"
sed 's/.*/MPI_&_f2c MPI_&_c2f PMPI_&_f2c PMPI_&_c2f/' "$dir/fint" | tr ' ' '\n' | sort |
    comm -23 - "$dir/exported" >"$dir/diff"
report "not in the library for C" "$dir/diff"
exit "$status"
