#!/bin/sh
# models.sh [MODEL...]: checks the models here with spin, each as the code is and as each of its
# variants, which must hold, and as each of its mutants, which must fail.  Exit status 77: no spin
# or no compiler. A model is a .pml file; the lines "#define NAME NUMBER /* mutant" and "/* variant"
# list what the number stands for that its init gets from mutant().
set -u
: "${srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
here=$(cd "$srcdir/tests/model" && pwd) || exit 1
[ $# -gt 0 ] ||
    set -- ring park baton handover claim begin turns queue bulk awaited window streams boot \
        horizon ahead room
: "${CC:=cc}"  # may be several words

command -v spin >/dev/null || { echo "no spin here (Debian: apt-get install spin)"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work" || exit 1
echo 'int main(void) { return 0; }' >works.c
$CC -o works works.c 2>/dev/null || { echo "no C compiler here"; exit 77; }
failed=0

# numbers MODEL KIND: the numbers of its mutants or variants.
numbers() { sed -n "s|^#define [A-Z0-9_]* *\([0-9]*\) *\/\* $2.*|\1|p" "$here/$1.pml"; }
name_of() {
    if [ "$2" = 0 ]; then
        echo "as it is"
    else
        sed -n "s|^#define \([A-Z0-9_]*\) *$2 *\/\* .*|\1|p" "$here/$1.pml"
    fi
}

# The checker is C made by spin; it learns at run time which mutant it is to be, so one build does
# for all.
build() {
    {
        echo 'c_decl {'
        echo '\#include <stdlib.h>'
        echo 'static int mutant(void) { return atoi(getenv("MUTANT")); }'
        echo '}'
        cat "$here/$1.pml"
    } >model.pml
    spin -a model.pml >spin.log 2>&1 && cc_pan "$1" 2>>spin.log && return
    cat spin.log
    echo "$1: the model does not build"
    return 1
}
# Plain C of its own: no flags of the suite, sanitizers least of all.  A state that is packed takes
# half of the memory and twice the time: only for those whose states would take gigabytes.
cc_pan() {
    flags=-O1
    grep -q '^/\* packed' "$here/$1.pml" && flags='-O2 -DCOLLAPSE'
    # shellcheck disable=SC2086 # words
    $CC $flags -w -DSAFETY -DMEMLIM=1500 -o pan pan.c
}

# check MODEL NUMBER WANTED: WANTED is what the count of errors must match.  A search that was cut
# short proves nothing.  One that is to find an error has found it soon, and needs no large table.
check() {
    table=24
    [ "$3" = 0 ] || table=20
    MUTANT=$2 ./pan -n -m200000 -w$table >out 2>&1
    states=$(sed -n 's/^ *\([0-9.e+]*\) states, stored.*/\1/p' out)
    if grep -q "errors: $3 *$" out &&
        ! grep -qE 'too small|out of memory|reached -DMEMLIM' out; then
        printf '%-9s %-18s %10s states, %s\n' "$1" "$(name_of "$1" "$2")" "$states" "$4"
        return
    fi
    failed=1
    echo "$1 $(name_of "$1" "$2"): not $4"
    cat out
    [ -f model.pml.trail ] && MUTANT=$2 ./pan -r 2>&1 | tail -n 200
}

for model; do
    build "$model" || { failed=1; continue; }
    for n in 0 $(numbers "$model" variant); do check "$model" "$n" 0 "holds"; done
    mutants=$(numbers "$model" mutant)
    [ -n "$mutants" ] || { echo "$model: no mutants"; failed=1; }
    for n in $mutants; do check "$model" "$n" '[1-9][0-9]*' "fails, as it must"; done
done
exit $failed
