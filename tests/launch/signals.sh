#!/bin/sh
# Signals to mpirun: the ranks get them first and may react; a second one kills; suspend and resume; SIGUSR1.
# shellcheck disable=SC1091,SC2015,SC2016,SC2094,SC2154,SC2317,SC3045 # lib.sh is sourced; quoted scripts are for ranks
. "${srcdir:-.}/tests/launch/lib.sh"

# The shell makes background jobs ignore SIGINT; that is what default_signals undoes.
start() {
    rm -f "$work/ready" "$work/got"
    "$tools/default_signals" "$mpirun" "$@" >"$work/out" 2>"$work/err" &
    launcher=$!
}

# ended CODE: waits for the job.
ended() {
    wait "$launcher"
    code=$?
    [ "$code" -eq "$1" ] || fail "exit code $code, not $1"
}

# Ranks that react: each notes the signal it got.  They have all the time that they need.
for signal in INT TERM HUP QUIT; do
    case $signal in HUP) number=1 ;; INT) number=2 ;; QUIT) number=3 ;; TERM) number=15 ;; esac
    start --grace 1000 -n 3 sh -c 'trap "echo '"$signal"' >>$1; exit 0" '"$signal"'
        echo ready >>"$0"; while :; do sleep 0.02; done' "$work/ready" "$work/got"
    until_true has_lines "$work/ready" 3
    kill -"$signal" "$launcher"
    ended $((128 + number))
    [ "$(grep -c "^$signal\$" "$work/got")" -eq 3 ] || fail "not all ranks got SIG$signal"
    told "^mpirun: the job was ended by signal $number "
done

# Ranks that do not react at all, told once: SIGTERM and SIGKILL follow.
stubborn='trap "" INT TERM HUP; echo ready >>"$0"; while :; do sleep 0.02; done'
start -n 2 sh -c "$stubborn" "$work/ready"
until_true has_lines "$work/ready" 2
kill -INT "$launcher"
ended 130

# Told twice.
start -n 2 sh -c "$stubborn" "$work/ready"
until_true has_lines "$work/ready" 2
kill -INT "$launcher"
kill -INT "$launcher" 2>/dev/null
ended 130

# SIGUSR1 goes through and ends nothing.
start -n 2 sh -c 'trap "echo USR1 >>$1; exit 0" USR1; echo ready >>"$0"; while :; do sleep 0.02; done' \
    "$work/ready" "$work/got"
until_true has_lines "$work/ready" 2
kill -USR1 "$launcher"
ended 0
[ "$(grep -c USR1 "$work/got")" -eq 2 ] || fail "not all ranks got SIGUSR1"
grep mpirun "$work/err" && fail "a message about SIGUSR1"

# Suspended, all are; then they go on to their end.  These ranks start no process: a child that is stopped between its fork
# and its program keeps a shell that waits for it there from stopping, for as long as it is stopped itself.
mkfifo "$work/go"
exec 3<>"$work/go"
start -n 2 sh -c 'echo $$ >>"$0"; read -r line <"$1"' "$work/ready" "$work/go"
until_true has_lines "$work/ready" 2
kill -TSTP "$launcher"
until_true in_state "$launcher" T
while read -r pid; do
    until_true in_state "$pid" T
done <"$work/ready"
printf '\n\n' >&3
kill -CONT "$launcher"
ended 0
exec 3>&-

# What mpirun was started to ignore, it and the ranks ignore.
rm -f "$work/ready" "$work/go"
(trap '' HUP; exec "$mpirun" -n 1 sh -c 'echo ready >>"$0"; until test -f "$1"; do sleep 0.02; done' \
    "$work/ready" "$work/go" >"$work/out" 2>"$work/err") &
launcher=$!
until_true has_lines "$work/ready" 1
kill -HUP "$launcher"
: >"$work/go"
ended 0
exit 0
