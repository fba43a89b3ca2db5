#!/bin/sh
# usage: check.sh BUILD [ROUNDS]
#
# What mpirun --check costs: an 8-byte ping-pong (half a round trip), heat2d, and an alltoall of 8
# bytes among 16 ranks, without and with it in turns; the least of ROUNDS (default 5) is printed.
# shellcheck disable=SC2086 # an option
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:?BUILD}" && pwd) || exit 1
rounds=${2:-5}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
"$build/bin/mpicc" -O2 -o "$work/coll" "$here/coll.c" -lm || exit 1

pingpong() {
    "$build/bin/mpirun" $1 -n 2 "$build/examples/pingpong" -s 8 -i 20000 |
        awk '$1 == 8 && $2 == "B" { print $3 * 1000, "ns" }'
}
heat2d() {
    "$build/bin/mpirun" $1 -n 2 "$build/examples/heat2d" -n 512 -s 500 |
        awk '/ranks in/ { print $(NF - 1) * 1000, "ms" }'
}
alltoall() {
    "$build/bin/mpirun" $1 -n 16 "$work/coll" 300 | awk '$1 ~ /^alltoall/ { print $2, "us" }'
}

# least WHAT OPTION
for what in pingpong heat2d alltoall; do
    for _ in $(seq "$rounds"); do
        $what '' >>"$work/$what.without"
        $what --check >>"$work/$what.with"
    done
    for how in without with; do
        sort -n "$work/$what.$how" | sed -n "1s/^/$what $how /p"
    done
done | awk '$2 == "without" { least = $3 }
    { printf "%-9s %-8s %10.1f %s", $1, $2, $3, $4 }
    $2 == "with" { printf "  %.2f times", $3 / least }
    { print "" }'
