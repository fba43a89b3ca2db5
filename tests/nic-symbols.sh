#!/bin/sh
# The NIC's library exports exactly the functions that its public headers declare; and each of those
# headers can be included alone, by C and by C++.
#   NIC_LIB  the shared library
# shellcheck disable=SC1091,SC2154 # report.sh is sourced
set -eu
LC_ALL=C
export LC_ALL

: "${NIC_LIB:?the path of libnicemu.so}" "${srcdir:=.}"
. "$(dirname "$0")/report.sh"

headers="$srcdir/include/nicemu.h $srcdir/include/nicemu_fast.h
$(find "$srcdir/include/nicemu" -name '*.h')"

# -- each alone
for header in $headers; do
    name=${header#"$srcdir/include/"}
    printf '#include "%s"\n#include "%s"\nint used;\n' "$name" "$name" >"$dir/alone.c"
    ${CC:-cc} -std=c11 -Wall -Wextra -Werror -I"$srcdir/include" -c -o "$dir/alone.o" \
        "$dir/alone.c" ||
        { echo "$name cannot be included alone"; status=1; }
    command -v c++ >/dev/null || continue
    cp "$dir/alone.c" "$dir/alone.cc"
    c++ -Wall -Wextra -Werror -I"$srcdir/include" -c -o "$dir/alone.o" "$dir/alone.cc" ||
        { echo "$name cannot be included by C++"; status=1; }
done

# -- exports: a declaration begins in the first column and ends in a semicolon, a definition is
# inline
if [ ! -e "$NIC_LIB" ]; then
    echo "no shared library was built"
    [ "$status" -ne 0 ] || status=77
    exit "$status"
fi
# shellcheck disable=SC2086 # a list of files
cat $headers |
    sed -n '/^static/d; s/^[a-z][a-z0-9_ *]*[ *]\(nic_[a-z0-9_]*\)[[(].*/\1/p' |
    sort >"$dir/declared"
${NM:-nm} -D --defined-only "$NIC_LIB" | sed 's/.* //; s/@.*//; /^_/d' | sort -u >"$dir/exported"

[ "$(wc -l <"$dir/declared")" -gt 40 ] || { echo "too few declarations found"; exit 1; }
uniq -d "$dir/declared" >"$dir/diff"
report "declared twice" "$dir/diff"
comm -23 "$dir/declared" "$dir/exported" >"$dir/diff"
report "declared, but not exported" "$dir/diff"
comm -13 "$dir/declared" "$dir/exported" >"$dir/diff"
report "exported, but not declared" "$dir/diff"
exit "$status"
