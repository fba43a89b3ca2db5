#!/bin/sh
# Ends that concern MPI: abort, no MPI_Finalize, a deadlock, and jobs that only look like one.
# shellcheck disable=SC1091,SC2015,SC2016,SC2094,SC2154,SC2317,SC3045 # lib.sh; scripts for ranks
. "${srcdir:-.}/tests/launch/lib.sh"
ends=$tools/mpi_ends

run 0 -n 3 "$ends" finalize
silent
run 1 -n 3 "$ends" leave
told '^mpirun: rank 1 exited with code 0 without calling MPI_Finalize$'
run 1 -n 3 "$ends" leave_all
told '^mpirun: rank [012] exited with code 0 without calling MPI_Finalize$'
has_lines "$work/err" 2 && fail 'more than one message'

run 4 -n 3 "$ends" give_up
told '^mpirun: rank 1 \(pid [0-9]+\) exited with code 4$'
told '^  rank 1: MPI_Send has returned an error before: .*10'

for how in session only_session child_session; do
    run 1 -n 3 "$ends" $how
    told '^mpirun: rank [012] exited with code 0 without calling MPI_Session_finalize for each of'
    run 0 --no-finalize-check -n 3 "$ends" $how
    calm
done

# Allowed; who waits for such a rank waits in vain.
for model in '' '--model ideal'; do
    # shellcheck disable=SC2086 # words
    run 0 $model --no-finalize-check -n 3 "$ends" leave_all
    calm
    # shellcheck disable=SC2086 # words
    MPILITE_FINALIZE=off run 0 $model -n 3 "$ends" leave_all
    calm
    # shellcheck disable=SC2086 # words
    run 1 $model --no-finalize-check -n 3 "$ends" leave
    told '^mpirun: the job cannot go on'
    grep -q 'without calling' "$work/err" && fail 'told as if it were not allowed'
done
run 0 --model ideal --no-finalize-check --model-hash -n 2 "$ends" leave_all
told '^mpirun: there is no model hash: not all ranks ended with MPI_Finalize'

# In order: ranks that have left MPI_Finalize end in any way and order, those that never call
# MPI_Init too.  Who waits for one of the latter in MPI_Finalize waits for ever.
for model in '' '--model ideal'; do
    for how in rising falling; do
        # shellcheck disable=SC2086 # words
        run 0 $model -n 6 "$ends" $how
        calm
    done
    for order in 'exit 0' 'sleep 0.3; exit 0'; do
        # shellcheck disable=SC2086 # words
        run 1 $model -n 3 sh -c 'test $NICEMU_RANK = 1 || exec "$0" finalize; '"$order" "$ends"
        told '^mpirun: the job cannot go on'
        told '^  rank 0: MPI_Finalize: waits for the other ranks$'
        grep -q 'without calling' "$work/err" && fail 'a rank that never called MPI_Init is blamed'
    done
done
run 42 -n 3 "$ends" abort
told '^mpirun: rank 1 aborted the job with code 42$'

# The error handler that is there at first, in MPI_Init's communicators and in front of it.
run 0 -initial-errhandler mpi_errors_return -n 2 "$ends" live
printed '1 1 1' '1 1 1'
silent
MPILITE_INITIAL_ERRHANDLER=mpi_errors_return "$ends" live >"$work/out" 2>"$work/err" ||
    fail 'mpi_errors_return without mpirun'
printed '1 1 1'
silent
for handler in '' '-initial-errhandler mpi_errors_are_fatal' \
    '-initial-errhandler mpi_errors_abort'; do
    # shellcheck disable=SC2086 # words
    run 13 $handler -n 1 "$ends" live
    told '^Fatal error in MPI_Error_string: '
done
refused "'return' is no value for -initial-errhandler: it must be mpi_errors_are_fatal, \
mpi_errors_abort or mpi_errors_return" -initial-errhandler return -n 1 true

# An exit code has eight bits; what would be lost of them does not make a success, with mpirun or
# without.
for codes in '0 0' '1 1' '255 255' '256 1' '257 1' '512 1' '65536 1' '-1 255' '-256 1' '7 7'; do
    run "${codes#* }" -n 3 "$ends" abort "${codes% *}"
    told "^mpirun: rank 1 aborted the job with code ${codes% *}\$"
    "$ends" abort "${codes% *}" >"$work/out" 2>"$work/err"
    code=$?
    [ "$code" -eq "${codes#* }" ] || fail "MPI_Abort($codes) without mpirun: exit code $code"
done

# Nor is it one where a wrapper takes the exit code, whoever ends first.
for allow in '' --no-finalize-check; do
    # shellcheck disable=SC2086 # words
    run 42 $allow -n 3 sh -c '"$0" abort 42; true' "$ends"
    told '^mpirun: rank 1 aborted the job with code 42$'
done
run 1 -n 2 sh -c '"$0" finalize; NICEMU_PROGRESS=x "$0" finalize; true' "$ends"
told '^mpirun: rank [01] aborted the job with code 1$'

# What all ranks report is said once, with all of them; mpirun, which is stopped meanwhile, finds
# all of it at one moment.  together CODE OPTION... HOW
together() {
    expected=$1
    shift
    nothing_said
    "$mpirun" --grace 60 -n 4 "$@" "$work/go" >"$work/out" 2>"$work/err" &
    launcher=$!
    until_true has_lines "$work/out" 4
    kill -STOP "$launcher"
    until_true in_state "$launcher" T
    : >"$work/go"
    sed 's/.* //' "$work/out" | while read -r pid; do until_true gone "$pid"; done
    kill -CONT "$launcher"
    wait "$launcher"
    code=$?
    rm "$work/go"
    [ "$code" -eq "$expected" ] || fail "$*: exit code $code, not $expected"
}
# once COUNT PATTERN: so many lines match
once() { [ "$(grep -cE "$2" "$work/err")" -eq "$1" ] || fail "there are not $1 lines '$2'"; }
together 6 "$ends" send_all
once 1 '^Fatal error in MPI_Send: '
once 1 '^  reported by ranks 0-3 of MPI_COMM_WORLD$'
together 42 "$ends" abort_all
said 'MPI_Abort(MPI_COMM_WORLD, 42) was called by ranks 0-3 of MPI_COMM_WORLD' \
    "$(tail -n 1 "$work/err")"
# With a tag, or in a file, each line is of one rank.
together 6 -l "$ends" send_all
once 4 '^\[[0-3]\] Fatal error in MPI_Send: '
once 1 '^\[2\]   reported by rank 2 of MPI_COMM_WORLD$'
together 6 --output-filename "$work/files" "$ends" send_all
once 1 '^  reported by ranks 0-3 of MPI_COMM_WORLD$'
cat "$work"/files/*/*/stderr >"$work/err"
for rank in 0 1 2 3; do once 1 "^  reported by rank $rank of MPI_COMM_WORLD$"; done

# Everybody waits for the next one.
run 1 -n 4 "$ends" deadlock
told '^mpirun: the job cannot go on: every rank waits and no message is in flight$'
told '^  rank 0: .*source 1, tag 5'
told '^  rank 3: .*source 0, tag 5'

# Not looked for, it lasts.
run 124 --no-deadlock-check --timeout 1.5 -n 2 "$ends" deadlock
MPILITE_DEADLOCK=off run 124 --timeout 1.5 -n 2 "$ends" deadlock

# One rank is busy, outside MPI: before MPI_Init, or between two calls.
run 0 -n 2 "$ends" late
silent
run 0 -n 3 "$ends" busy
silent

# One rank has been woken, but does not get to run for a while.  It should sleep by the time that it
# is stopped; if it does not, this shows less, but is right all the same.
nothing_said
"$mpirun" -n 2 "$ends" meet "$work/go" >"$work/out" 2>"$work/err" &
launcher=$!
until_true has_lines "$work/out" 1
pid=$(cat "$work/out")
sleep 0.3
kill -STOP "$pid"
until_true in_state "$pid" T
: >"$work/go"
sleep 1.2
kill -CONT "$pid"
wait "$launcher" || fail "exit code $? with a rank that was stopped"
silent
exit 0
