#!/bin/sh
# Pages: doc/functions.md says what mpi.h has; README fits a terminal; what pages name is there.
# shellcheck disable=SC1091,SC2154 # report.sh is sourced
set -u
: "${srcdir:=.}"
. "$srcdir/tests/report.sh"

sh "$srcdir/tools/functions/functions.sh" >"$dir/functions" 2>"$dir/diff" ||
    echo "functions.sh failed" >>"$dir/diff"
report "names of the ABI without a chapter (tools/functions/chapters)" "$dir/diff"
diff "$srcdir/doc/functions.md" "$dir/functions" >"$dir/diff"
report "doc/functions.md is old: sh tools/functions/functions.sh >doc/functions.md" "$dir/diff"

awk 'length > 79 { print FNR ": " $0 }' "$srcdir/README" >"$dir/diff"
report "lines of README over 79 columns" "$dir/diff"

# Files and folders of the tree that pages name in backquotes, or README at the start of a word.
named() {
    (cd "$srcdir" && {
        grep -hoE '`(lib|nicemu|include|tests|tools|doc|bench|examples)/[A-Za-z0-9_./-]+`' \
            doc/*.md doc/rooms/*.md | tr -d '`' | grep -vE '[A-Z]{4}|/\.\.\./'
        grep -oE '(^|[ (])(doc|include|examples)/[a-z0-9_./-]*[a-z/]' README | tr -d ' ('
    } | sort -u)
}
named | while read -r path; do
    [ -e "$srcdir/$path" ] || echo "$path"
done >"$dir/diff"
report "named in doc/ or README, and not in the tree" "$dir/diff"
exit "$status"
