#!/bin/sh
# The manual page of the NIC's library: it can be formatted, its program compiles and runs, and it
# has every variable of the environment that the library reads.
set -u
: "${srcdir:=.}"
page=$srcdir/doc/man/nicemu.7
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

fail() { echo "nic-manual: $*"; exit 1; }

if command -v groff >/dev/null; then
    groff -man -Tascii -ww "$page" >"$work/text" 2>"$work/warnings" || fail "groff fails"
    [ ! -s "$work/warnings" ] || fail "groff warns: $(cat "$work/warnings")"
fi

grep -rhoE '"NICEMU_[A-Z_]+"' "$srcdir/nicemu" "$srcdir/include" | tr -d '"' | sort -u |
    while read -r name; do grep -q "^\.B $name$" "$page" || echo "$name"; done >"$work/missing"
[ ! -s "$work/missing" ] || fail "not in the manual page: $(cat "$work/missing")"

# The program as the reader sees it: \- and \e are escapes.
sed -n '/^\.\\" program$/,/^\.\\" end of program$/p' "$page" |
    sed '/^\.\\"/d; s/\\-/-/g; s/\\e/\\/g' >"$work/sum.c"
lib=$PWD/.libs
[ -e "$lib/libnicemu.so" ] || [ -e "$lib/libnicemu.a" ] || fail "no library was built"
${CC:-cc} -Wall -Wextra -Werror -I"$srcdir/include" -o "$work/sum" "$work/sum.c" \
    -L"$lib" -lnicemu -lpthread || fail "the program does not compile"
LD_LIBRARY_PATH=$lib
export LD_LIBRARY_PATH
for ranks in 1 2 4; do
    bin/mpirun -n $ranks "$work/sum" >"$work/out" 2>&1 ||
        fail "the program fails on $ranks ranks: $(cat "$work/out")"
    said="the sum of 1 to $ranks is $((ranks * (ranks + 1) / 2))"
    [ "$(grep -c "$said$" "$work/out")" -eq $ranks ] ||
        fail "on $ranks ranks: $(cat "$work/out")"
done
"$work/sum" | grep -q '^rank 0: the sum of 1 to 1 is 1$' || fail "the program fails without mpirun"
exit 0
