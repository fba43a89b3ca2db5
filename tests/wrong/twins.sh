#!/bin/sh
# The corrected twins of wrong programs: each ends with 0, and nothing is said of it, neither by
# the library nor by mpirun --check.  (Those of `checked` are in checked.sh.)
# shellcheck disable=SC1091,SC2086,SC2154 # lib.sh is sourced; words
. "${srcdir:-.}/tests/launch/lib.sh"
checks='--check'
[ -z "${SANITIZED:-}" ] && [ -e "$PWD/.libs/libmpilite_check.so" ] || checks=

# right RANKS PROGRAM [ARGUMENT]
right() {
    ranks=$1 program=$PWD/tests/wrong/$2.t
    shift 2
    for how in '' $checks; do
        run 0 $how -n "$ranks" "$program" "$@" right
        silent
    done
}

for program in abort after_finalize bad_op bad_rank before_init coll_count coll_kind coll_root \
    crash deadlock deadlock_send early_exit freed_comm init_again missing_collective no_finalize \
    truncation; do
    right 3 $program
done
for how in session returned; do right 3 after_finalize $how; done
for name in across columns twice used_early fine; do right 3 accesses $name; done
for level in 0 1 2 3; do right 4 op_calls barrier $level; done
for call in barrier bcast:1000 scatter gatherv@2 scatterv reduce ibcast; do
    right 4 disagree $call $call 1
done
names=$(sed -n '/^#define MISTAKE/,/^};/s/MISTAKE(\([a-z_]*\))/\n\1\n/gp' \
    "$srcdir/tests/wrong/mistakes.c" | grep -E '^[a-z_]+$' | grep -v '^name$')
[ "$(echo "$names" | wc -l)" -gt 40 ] || fail 'where are the mistakes?'
for model in '' '--model ideal' '--model fpga-scratchpad'; do
    run 0 -q $model -n 3 "$PWD/tests/wrong/mistakes.t" all right
    silent
done
for name in $names; do
    [ -z "$checks" ] || run 0 --check -n 3 "$PWD/tests/wrong/mistakes.t" "$name" right
    silent
done
for name in bridge idup group nobody remote session named_idup named_group; do
    right 4 communicators $name
done
for name in lock fence post holder fencer kinds01 kinds12 kinds23 kinds30 outside range \
    too_long unreadable; do
    right 3 windows $name
done
for name in held killed fatal; do right 3 locks $name; done
for name in null divide abort overflow damage malloc call file illegal thread thread_overflow own \
    buffer child sent constant inlined deep apart float_divide float_overflow float_underflow \
    float_invalid; do
    right 2 crashes $name
done
checks=
for name in before after pe address end free freed context sizes unlock garbage exit wait lock \
    collective each; do
    right 2 shmem $name
done
exit 0
