#!/bin/sh
# usage: check.sh BUILD [ROUNDS]
#
# What mpirun's options --check, --trace and --report cost: an 8-byte ping-pong (half a round trip),
# heat2d, and an alltoall of 8 bytes among 16 ranks, without and with each of them in turns; the
# median of ROUNDS (default 7) is printed.  BUILD may be an installation with its examples.
# shellcheck disable=SC2086 # options
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:?BUILD}" && pwd) || exit 1
rounds=${2:-7}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
"$build/bin/mpicc" -O2 -o "$work/coll" "$here/coll.c" -lm || exit 1

pingpong() {
    "$build/bin/mpirun" -q $1 -n 2 "$build/examples/pingpong" -s 8 -i 50000 |
        awk '$1 == 8 && $2 == "B" { print $3 * 1000, "ns" }'
}
heat2d() {
    "$build/bin/mpirun" -q $1 -n 2 "$build/examples/heat2d" -n 512 -s 500 |
        awk '/ranks in/ { print $(NF - 1) * 1000, "ms" }'
}
alltoall() {
    "$build/bin/mpirun" -q $1 -n 16 "$work/coll" 100 | awk '$1 ~ /^alltoall/ { print $2, "us" }'
}

for what in pingpong heat2d alltoall; do
    for _ in $(seq "$rounds"); do
        for how in without check trace report; do
            case $how in
            without) option= ;;
            check) option=--check ;;
            *) option="--$how $work/$how" ;;
            esac
            $what "$option" >>"$work/$what.$how"
        done
    done
    for how in without check trace report; do
        sort -n "$work/$what.$how" | sed -n "$(((rounds + 1) / 2))s/^/$what $how /p"
    done
done | awk '$2 == "without" { least = $3 }
    { printf "%-9s %-8s %10.1f %s", $1, $2, $3, $4 }
    $2 != "without" && least { printf "  %.2f times", $3 / least }
    { print "" }'
