#!/bin/sh
# symbols.sh: libshmem exports exactly what shmem.h declares; shmem.h is taken without a word by C
# of each age and by C++; each function has its man page.
# shellcheck disable=SC1091,SC2154 # report.sh is sourced
set -eu
LC_ALL=C
export LC_ALL
: "${srcdir:=.}" "${CC:=cc}" "${NM:=nm}"
. "$srcdir/tests/report.sh"
lib=.libs/libshmem.so

printf '#include <shmem.h>\n' >"$dir/all.c"
cp "$dir/all.c" "$dir/all.cc"
$CC -std=gnu99 -E -P -I"$srcdir/include" "$dir/all.c" | tr ';' '\n' |
    grep -oE '\**(p?shmem_[a-z0-9_]+|start_pes|_my_pe|_num_pes|sh[a-z]+)\(' | tr -d '*(' |
    sort >"$dir/declared"
[ "$(wc -l <"$dir/declared")" -gt 3000 ] || { echo "too few declarations"; exit 1; }
uniq -d "$dir/declared" >"$dir/diff"
report "declared twice" "$dir/diff"
if [ -e "$lib" ]; then
    $NM -D --defined-only "$lib" | sed 's/.* //; s/@.*//; /^__/d' | sort -u >"$dir/exported"
    comm -3 "$dir/declared" "$dir/exported" >"$dir/diff"
    report "declared and not exported, or exported and not declared" "$dir/diff"
fi

for standard in gnu99 c99 c11 c17; do
    $CC -std=$standard -Wall -Wextra -pedantic -Werror -I"$srcdir/include" -c \
        -o "$dir/all.o" "$dir/all.c" || { echo "-std=$standard"; status=1; }
done
if command -v c++ >/dev/null; then
    c++ -std=c++11 -Wall -Wextra -pedantic -Werror -I"$srcdir/include" -c -o "$dir/all.o" \
        "$dir/all.cc" || { echo "C++"; status=1; }
fi

# The other headers, and that a function may end with the job.
cat >"$dir/end.c" <<'TEXT'
#include <mpp/shmem.h>
#include <mpp/shmemx.h>
#include <shmemx.h>
int end(int code);
int end(int code) { shmem_global_exit(code); }
TEXT
$CC -std=c11 -Wall -Wextra -pedantic -Werror -I"$srcdir/include" -c -o "$dir/end.o" \
    "$dir/end.c" || { echo "mpp, shmemx.h, or no return from shmem_global_exit"; status=1; }

# -- man pages: a name without its type, context and bits
mkdir "$dir/man3"
sh "$srcdir/tools/functions/manual.sh" "$dir/man3" 1 >"$dir/made"
types='float|double|longdouble|char|schar|short|int|long|longlong|uchar|ushort|uint|ulong'
types="$types|ulonglong|u?int(8|16|32|64)|size|ptrdiff|complex[fd]"
grep '^shmem_' "$dir/declared" | sed -E "s/^shmem_ctx_(create|destroy|get_team)/\1/
    s/^shmem_(ctx_)?(($types)_)?//; s/(8|16|32|64|128|mem)(_|\$)/\2/; s/_vector\$//
    s/^(create|destroy|get_team)\$/ctx_&/; s/_nbi\$//; s/^signal_/signal_/" | sort -u |
    grep -vE '_to_all$|^(fetch|set|swap|cswap|inc|finc|add|fadd)$' | sed 's/^/shmem_/' |
    while read -r name; do
        [ -f "$dir/man3/$name.3" ] || echo "$name"
    done >"$dir/diff"
report "without a man page" "$dir/diff"
exit "$status"
