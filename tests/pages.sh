#!/bin/sh
# Pages: doc/functions.md says what mpi.h has; README fits a terminal; what pages name is there; no
# line that is written by hand has more than 100 columns.
# shellcheck disable=SC1091,SC2154 # report.sh is sourced
set -u
: "${srcdir:=.}"
. "$srcdir/tests/report.sh"
sh "$srcdir/tools/functions/functions.sh" >"$dir/functions" 2>"$dir/diff" ||
    echo "functions.sh failed" >>"$dir/diff"
report "names of the ABI without a chapter (tools/functions/chapters)" "$dir/diff"
diff "$srcdir/doc/functions.md" "$dir/functions" >"$dir/diff"
report "doc/functions.md is old: sh tools/functions/functions.sh >doc/functions.md" "$dir/diff"

# Each function has one section of doc/reference, of which its man page is made.
sh "$srcdir/tools/functions/manual.sh" --check | sort >"$dir/diff"
report "doc/reference" "$dir/diff"

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

# What the guide sweeps over is an example, but for ./prog, which is the reader's own.
sed -n '/^    nicsweep/,/^$/p' "$srcdir/doc/guide.md" | grep -oE '(^| )\./[a-z_]+' | tr -d ' ./' |
    sort -u | while read -r name; do
    [ "$name" = prog ] || [ -n "$(find "$srcdir/examples" -name "$name.c")" ] || echo "$name"
done >"$dir/diff"
report "swept over in doc/guide.md, and no example" "$dir/diff"

# The files of the tree that people write, by path; build folders are those of such a name, and
# those in which configure ran.
sources() (
    cd "$srcdir" || exit
    find . \( -path ./doc/man3 -o -name .git -o -name .libs -o -name autom4te.cache \
        -o -type d -name 'build*' \
        -o -type d ! -name . -exec test -e '{}/config.status' \; \) -prune \
        -o -type f \( -name '*.[ch]' -o -name '*.cc' -o -name '*.f90' -o -name '*.sh' \
        -o -name '*.pml' -o -name '*.awk' -o -name '*.gp' -o -name '*.mk' -o -name '*.am' \
        -o -name '*.ac' -o -name '*.conf' \
        -o -name '*.md' -o -name '*.[137]' -o -name README -o -name mpicc.in \
        -o -path ./bootstrap -o -path ./doc/bench \) -print | sort
)
sources >"$dir/sources"
printf './%s\n' bootstrap configure.ac doc/bench README tools/figures/judge.awk |
    sort | comm -23 - "$dir/sources" >"$dir/diff"
report "sources that are not looked at" "$dir/diff"
(cd "$srcdir" && xargs awk 'length > 100 { print FILENAME ":" FNR }') <"$dir/sources" >"$dir/diff"
report "lines over 100 columns" "$dir/diff"
exit "$status"
