#!/bin/sh
# The exit code is that of the first rank that failed; the message says which, and how; the others
# are ended.
# shellcheck disable=SC1091,SC2015,SC2016,SC2094,SC2154,SC2317,SC3045 # lib.sh; scripts for ranks
. "${srcdir:-.}/tests/launch/lib.sh"

run 0 -n 3 true
silent

run 7 -n 4 sh -c 'test "$NICEMU_RANK" = 2 && exit 7; exec sleep 1000'
told '^mpirun: rank 2 \(pid [0-9]+\) exited with code 7$'
has_lines "$work/err" 2 && fail "more than one message"

# A rank that fails because it is ended is not the cause.
run 5 -n 3 sh -c '
    if test "$NICEMU_RANK" = 1; then
        until test -f "$0.0" && test -f "$0.2"; do sleep 0.02; done
        exit 5
    fi
    trap "exit 9" TERM
    : >"$0.$NICEMU_RANK"
    while :; do sleep 0.02; done' "$work/ready"
told 'rank 1 .* exited with code 5$'

# Later ranks may still end well.
run 0 -n 2 sh -c 'test "$NICEMU_RANK" = 0 || sleep 0.3'

for signal in SEGV KILL TERM; do
    number=$(kill -l "$signal" 2>/dev/null)
    case $signal in SEGV) number=11 ;; KILL) number=9 ;; TERM) number=15 ;; esac
    run $((128 + number)) -n 3 sh -c '
        test "$NICEMU_RANK" = 1 || exec sleep 1000
        echo "$$"
        kill -'"$signal"' "$$"; sleep 1000'
    told "^mpirun: rank 1 \\(pid $(cat "$work/out")\\) was killed by signal $number \\("
done
told '\(Terminated\)$'

# The same failure of all is told once.
run 3 -n 8 sh -c 'exit 3'
has_lines "$work/err" 2 && fail "more than one message"
told 'exited with code 3$'

# All that failed alike are named: here none is ended by mpirun, as all are deaf before one ends.
# together CODE END: what each rank does in the end
together() {
    rm -f "$work/all".*
    run "$1" --grace 100 -n 4 sh -c 'trap "" TERM
        : >"$0.$NICEMU_RANK"
        for rank in 0 1 2 3; do until test -e "$0.$rank"; do sleep 0.02; done; done
        '"$2" "$work/all"
}
together 3 'exit 3'
said 'mpirun: 4 ranks (0-3) exited with code 3'
together 139 'ulimit -c 0; kill -SEGV $$'
told '^mpirun: 4 ranks \(0-3\) were killed by signal 11 \(Segmentation fault\)(, core dumped)?$'

run 4 -q -n 2 sh -c 'exit 4'
silent

# Ranks that ignore SIGTERM are ended all the same.
run 6 -n 3 sh -c '
    if test "$NICEMU_RANK" = 2; then
        until test -f "$0.0" && test -f "$0.1"; do sleep 0.02; done
        exit 6
    fi
    trap "" TERM
    : >"$0.$NICEMU_RANK"
    while :; do sleep 0.1; done' "$work/deaf"
told 'rank 2 .* exited with code 6$'
exit 0
