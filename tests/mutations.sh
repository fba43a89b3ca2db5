#!/bin/sh
# Mutations: each in tools/mutate/mutations still fits its file, and the tests that it names are
# there; one that does not fit is told.
# shellcheck disable=SC1091,SC2154 # report.sh is sourced
set -u
: "${srcdir:=.}"
. "$srcdir/tests/report.sh"
tool=$srcdir/tools/mutate

sh "$tool/mutate.sh" -n >"$dir/diff" 2>&1 || echo "mutate.sh -n: exit code $?" >>"$dir/diff"
report "mutations that do not fit" "$dir/diff"

awk '$1 == "by" { for (i = 2; i <= NF; i++) print $i }' "$tool/mutations" | sort -u |
    while read -r name; do
    case $name in *.sh) suffixes=.sh ;; *.t) suffixes='.c .f90 .F90 .f .cc' ;;
    unit/* | launch/*_test) suffixes=.c ;; *) suffixes= ;; esac
    for suffix in $suffixes; do
        [ ! -e "$srcdir/tests/${name%.*}$suffix" ] || continue 2
    done
    echo "$name"
done >"$dir/diff"
report "tests that mutations name, and that are not there" "$dir/diff"

# What it looks for is in two parts, so that it is not here either.
printf '%s\n' 'mutant  no-such' 'file    tests/mutations.sh' "was     no such"' line' 'now     .' \
    >"$dir/list"
sh "$tool/mutate.sh" -n -m "$dir/list" >"$dir/said" 2>&1
code=$?
: >"$dir/diff"
[ $code -eq 2 ] || echo "exit code $code" >>"$dir/diff"
grep -q '^no-such: does not fit' "$dir/said" || cat "$dir/said" >>"$dir/diff"
report "one that does not fit is not told" "$dir/diff"
exit "$status"
