#!/bin/sh
# Binding: one core each if asked for, none if not wanted, and by itself only if the job fills the
# machine.
# shellcheck disable=SC1091,SC2015,SC2016,SC2094,SC2154,SC2317,SC3045 # lib.sh; scripts for ranks
. "${srcdir:-.}/tests/launch/lib.sh"

list='sed -n "s/^Cpus_allowed_list:[[:space:]]*//p" /proc/self/status'
own=$(sh -c "$list")
cores=$(nproc)
unset OMP_NUM_THREADS OMP_THREAD_LIMIT

all_own() {
    [ "$(sort -u "$work/out")" = "$own" ] || fail "$1: a rank may not use what mpirun may"
}

run 0 --bind-to none -n "$cores" sh -c "$list"
all_own "--bind-to none"
run 0 -n $((cores + 1)) sh -c "$list"
all_own "more ranks than cores"
if [ "$cores" -ge 2 ]; then
    run 0 -n $((cores / 2)) sh -c "$list"
    all_own "half of the cores"
    run 0 -n "$cores" sh -c "$list"
    [ "$(sort -u "$work/out" | wc -l)" -eq "$cores" ] ||
        fail "a full job is not bound to different cores"
    run 0 -v --bind-to core -n "$cores" true
    told '^mpirun: rank 0: pid [0-9]+, bound to cores [0-9]'
fi

# Only allowed cores are given out, round and round if there are too few.
first=${own%%[-,]*}
taskset -c "$first" "$mpirun" --bind-to core -n 3 sh -c "$list" >"$work/out" 2>"$work/err" ||
    fail "exit code $?"
printed "$first" "$first" "$first"
exit 0
