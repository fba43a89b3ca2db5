#!/bin/sh
# A core file of a rank has what the rank did, not the job's memory, most of which is address space
# that nobody has touched.
# shellcheck disable=SC1091,SC2154,SC3045 # lib.sh is sourced; ulimit -c is everywhere
. "${srcdir:-.}/tests/launch/lib.sh"
ends=$tools/mpi_ends
most=$((48 * 1024 * 1024))

case $(cat /proc/sys/kernel/core_pattern) in
*[/\|]*) echo "core files go elsewhere: $(cat /proc/sys/kernel/core_pattern)"; exit 77 ;;
esac
ulimit -c unlimited 2>/dev/null || { echo "the limit of core files cannot be raised"; exit 77; }
cd "$work" || exit 1
run 134 -n 2 "$ends" crash
told 'rank 1 .*killed by signal 6'
core=$(find . -name 'core*' | head -n 1)
[ -n "$core" ] || { echo "there is no core file (sanitizers, containers)"; exit 77; }
size=$(stat -c %s "$core")
[ "$size" -lt "$most" ] || fail "a core file of $size bytes"
exit 0
