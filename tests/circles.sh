#!/bin/sh
# circles.sh [-v] [OBJECTS SOURCES]...: groups of files that need each other in a circle, over what
# the objects below folder OBJECTS refer to (nm) and what the sources below folder SOURCES include.
# A .c and the header of the same name are one unit.  Any circle of two units and more is printed,
# and the exit code is 1.  Without arguments: the folders that rooms.txt lists, in the build folder,
# after a circle made up here has been found.
set -u
: "${srcdir:=.}" "${NM:=nm}"  # NM may be several words

verbose=
[ "${1:-}" != -v ] || { verbose=yes; shift; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# Unit of a path: without suffix, without what libtool puts before an object's name, or around it
# where there are shared libraries only.
unit() {
    sed -E 's,(^|/)\.libs/,\1,; s,(^|/)(lib[a-z]+_(core|fortran)_la|bin_[a-z]+)-,\1,
        s,\.(o|lo|c|h)$,,'
}

# "unit D|U symbol" of all objects below folder $1 whose source is below folder $2: others are left
# from another time.
symbols() {
    tree=$(cd "$2" && pwd)
    (cd "$1" && find . -name '*.o' ! -path '*/tool/*' | sed 's,^\./,,' | sort |
        while read -r o; do
            # of two that of the shared library: the other may be left from another build
            [ ! -f "${o%/*}/.libs/${o##*/}" ] || continue
            u=$(printf '%s\n' "$o" | unit)
            [ -f "$tree/$u.c" ] || continue
            $NM -g "$o" 2>/dev/null |
                awk -v u="$u" '{ print u, ($(NF - 1) ~ /^[Uw]$/ ? "U" : "D"), $NF }'
        done)
}

# "unit unit" for each include in quotes whose file lies below the folder, by path from there (with
# the folder's own name in front or not) or beside the includer.
includes() {
    (cd "$1" && find . -name '*.[ch]' | sed 's,^\./,,' >"$work/files"
     here='^[[:space:]]*#[[:space:]]*include[[:space:]]*"[^"]+"'
     xargs grep -HoE "$here" <"$work/files" /dev/null |
     sed -E 's/:[[:space:]]*#[[:space:]]*include[[:space:]]*"/ /; s/"$//' |
     awk -v files="$work/files" -v own="${PWD##*/}/" '
        function first(a, b, c) { return a in is ? a : b in is ? b : c in is ? c : "" }
        BEGIN { while ((getline f < files) > 0) is[f] = 1 }
        {
            dir = $1
            if (!sub(/\/[^\/]*$/, "/", dir)) dir = ""
            to = first(dir $2, $2, index($2, own) == 1 ? substr($2, length(own) + 1) : "")
            if (to != "") print $1, to
        }' | sed -E 's,\.[ch] , ,; s,\.[ch]$,,')
}

# Reads "from to" lines; prints each strongly connected component of two and more units on a line
# (Tarjan's algorithm).
components() {
    sort -u | awk '
        $1 != $2 { adj[$1] = adj[$1] " " $2; node[$1]; node[$2] }
        function low(v, w) { if (lowest[w] < lowest[v]) lowest[v] = lowest[w] }
        function visit(v,    list, n, i, w, group, size) {
            lowest[v] = at[v] = ++count; stack[++top] = v; on[v] = 1
            n = split(adj[v], list, " ")
            for (i = 1; i <= n; i++) {
                w = list[i]
                if (!(w in at)) { visit(w); low(v, w) }
                else if (on[w] && at[w] < lowest[v]) lowest[v] = at[w]
            }
            if (lowest[v] != at[v]) return
            do { w = stack[top--]; on[w] = 0; group = group " " w; size++ } while (w != v)
            if (size > 1) print size ":" group
        }
        END { for (v in node) if (!(v in at)) visit(v) }' | sort -rn
}

# circles OBJECTS SOURCES
circles() {
    symbols "$1" "$2" >"$work/symbols"
    {   awk '$2 == "D" { owner[$3] = $1 } { all[NR] = $0 }
             END {
                 for (i = 1; i <= NR; i++) {
                     split(all[i], f, " ")
                     if (f[2] == "U" && f[3] in owner) print f[1], owner[f[3]]
                 }
             }' "$work/symbols"
        includes "$2"
    } >"$work/edges"
    [ -z "$verbose" ] || sort -u "$work/edges" >&2
    components <"$work/edges"
}

# A circle of three through a call, an include and a call, beside a .c with its own header, which is
# none.
self_test() {
    mkdir -p "$work/made/a" "$work/made/b"
    echo 'int c_f(void); int a_f(void); int a_f(void) { return c_f(); }' >"$work/made/a/a.c"
    printf '#include "a/own.h"\nint own_f(void) { return 0; }\n' >"$work/made/a/own.c"
    echo 'int own_f(void);' >"$work/made/a/own.h"
    printf '#include "b/mid.h"\nint c_f(void); int c_f(void) { return 1; }\n' >"$work/made/b/c.c"
    echo 'int mid_f(void);' >"$work/made/b/mid.h"
    printf '#include "b/mid.h"\nint a_f(void);\nint mid_f(void) { return a_f(); }\n' \
        >"$work/made/b/mid.c"
    (
        cd "$work/made" || exit 1
        for f in a/a a/own b/c b/mid; do ${CC:-cc} -I. -c -o $f.o $f.c || exit 1; done
    ) || return 1
    found=$(circles "$work/made" "$work/made")
    [ "$(echo "$found" | tr ' ' '\n' | sort | tr '\n' ' ')" = "3: a/a b/c b/mid " ] ||
        { echo "the made-up circle was not found: '$found'"; return 1; }
}

if [ $# -eq 0 ]; then
    self_test || exit 1
    # shellcheck disable=SC2013 # names of folders are words
    for house in $(grep -v '^#' "$srcdir/tests/rooms.txt" | cut -d' ' -f1 | sort -u); do
        [ -d "$house" ] || { echo "no built libraries here: run make first"; exit 1; }
        set -- "$@" "$house" "$srcdir/$house"
    done
fi
failed=0
while [ $# -gt 1 ]; do
    circles "$1" "$2" >"$work/found"
    [ ! -s "$work/found" ] || { sed "s|^|circle below $1 of |" "$work/found"; failed=1; }
    shift 2
done
exit "$failed"
