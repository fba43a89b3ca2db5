#!/bin/sh
# bash completes mpirun's options, their values, profiles and programs; all that it is told to take
# a value does.
# shellcheck disable=SC1091,SC2016,SC2154 # lib.sh; scripts for bash
. "${srcdir:-.}/tests/launch/lib.sh"
command -v bash >/dev/null || { echo "skipped: bash is missing"; exit 77; }
script=$(cd "$srcdir/tools/completion" && pwd)/mpirun
cd "$work" || exit 1

# completes WORD...: what the last word of the command becomes, one a line.
completes() {
    bash --norc -c '. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _mpilite_mpirun "$1"
        printf "%s\n" "${COMPREPLY[@]}"' "$script" "$mpirun" "$@" >"$work/out" 2>"$work/err" ||
        fail "completion of $* fails"
    silent
}

completes --bin
printed --bind-to
completes --explain
printed --explain --explain-file
completes -n 2 --timeo
printed --timeout
completes --bind-to l
printed l2cache l3cache
completes --model ide
printed ideal
completes --offload ''
printed none match all
: >program_of_mine
completes -n 2 program_of
printed program_of_mine
mkdir folder_of_mine
completes -wdir folder_of
printed folder_of_mine
completes --map-by core -l --bind-to cor
printed core
completes -n 2 cat program_of
printed program_of_mine

# What is said to take a value asks for one, or is another spelling of what does.
sed -n '/^_mpilite_values/,/^}/s/).*//p' "$script" | grep -oE '(^|[ |]) *-[a-zA-Z][a-z-]*' |
    tr -d ' |' | sort -u >values
[ "$(wc -l <values)" -gt 20 ] || fail "no options with values"
while read -r option; do
    "$mpirun" "$option" </dev/null >"$work/out" 2>"$work/err"
    told "$option needs (a value|two values)$"
done <values
exit 0
