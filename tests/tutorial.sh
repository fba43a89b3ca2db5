#!/bin/sh
# tutorial.sh: what doc/tutorial.md shows is what comes: its programs are compiled as they stand
# there, and what is printed is compared, but for times, process numbers and the order of ranks.
set -u
here=${srcdir:-.}
here=$(cd "$here" && pwd)
page=$here/doc/tutorial.md bin=$PWD/bin
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
fail() { echo "tutorial: $*"; [ ! -s "$work/got" ] || cat "$work/got"; exit 1; }
PATH=$bin:$PATH
export PATH
[ "${SANITIZED:-}" ] && { echo 'users have no sanitizers'; exit 77; }

mkdir -p "$work/examples" && cp "$here"/examples/*.[ch] "$here/examples/Makefile" "$work/examples"
cd "$work" || exit 1
awk '/^```c$/ { file = ++n == 1 ? "hello.c" : "ring.c"; next }
     /^```$/ { file = "" }
     file { print >file }' "$page"
make -C examples heat2d >got 2>&1 || fail 'heat2d cannot be made'

# plain: without what differs.
plain() { sed 's/in [0-9.]* s$/in T s/; s/(pid [0-9]*)/(pid)/' | LC_ALL=C sort; }

# Each command with the lines behind it, those that are left out aside.
awk '/^```/ { code = !code }
     code { next }
     /^    \$ / { n++; print substr($0, 7) >("command." n); close("command." n); next }
     /^    / && n { print substr($0, 5) >("said." n); next }' "$page"
n=0
while n=$((n + 1)) && [ -f command.$n ]; do
    command=$(cat command.$n)
    case $command in cp*) continue ;; esac
    timeout -k 5 900 sh -c "$command" >got 2>&1 </dev/null
    [ -f said.$n ] || continue
    if grep -qx '\.\.\.' said.$n; then
        grep -vx '\.\.\.' said.$n | while IFS= read -r line; do
            grep -qF -- "$line" got || { echo "tutorial: $command: not: $line"; exit 1; }
        done || exit 1
        continue
    fi
    plain <said.$n >want
    plain <got | cmp -s - want || fail "$command: not as the tutorial says"
done
[ "$n" -gt 12 ] || fail "only $n commands were found"
exit 0
