#!/bin/sh
# Signals to mpirun: the ranks get them first and may react; a second one kills; suspend and resume;
# SIGUSR1.
# shellcheck disable=SC1091,SC2015,SC2016,SC2094,SC2154,SC2317,SC3045 # lib.sh; scripts for ranks
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
    option=''
    [ $signal != QUIT ] || option=--pass-sigquit
    case $signal in HUP) number=1 ;; INT) number=2 ;; QUIT) number=3 ;; TERM) number=15 ;; esac
    # shellcheck disable=SC2086 # an option or none
    start $option --grace 1000 -n 3 sh -c 'trap "echo '"$signal"' >>$1; exit 0" '"$signal"'
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

# Told twice, where nothing but the second signal would end them: the first has come to the ranks
# when it is sent.
start --grace 100000 -n 2 sh -c 'trap "echo INT >>$1" INT; trap "" TERM HUP; echo ready >>"$0"
    while :; do sleep 0.02; done' "$work/ready" "$work/got"
until_true has_lines "$work/ready" 2
kill -INT "$launcher"
until_true has_lines "$work/got" 2
kill -INT "$launcher"
ended 130

# Nobody reads what mpirun says, and there is no room for it: while it starts the job, and while it
# ends it.
mkfifo "$work/full"
exec 9<>"$work/full"
dd if=/dev/zero of="$work/full" bs=65536 count=64 oflag=nonblock 2>/dev/null
for option in --verbose --no-deadlock-check; do
    for signal in 'TERM 143' 'INT 130'; do
        rm -f "$work/ready"
        "$tools/default_signals" "$mpirun" $option --grace 1000 -n 2 sh -c 'echo $$ >>"$0"
            exec sleep 100000' "$work/ready" >"$work/out" 2>"$work/full" 9>&- &
        launcher=$!
        until_true [ -s "$work/ready" ]
        kill -"${signal% *}" "$launcher"
        ended "${signal#* }"
        while read -r pid; do gone "$pid" || fail 'a rank is left'; done <"$work/ready"
    done
done
exec 9>&-

# SIGUSR1 and SIGUSR2 go through and end nothing.
for signal in USR1 USR2; do
    start -n 2 sh -c 'trap "echo '$signal' >>$1; exit 0" '$signal'; echo ready >>"$0"
        while :; do sleep 0.02; done' "$work/ready" "$work/got"
    until_true has_lines "$work/ready" 2
    kill -$signal "$launcher"
    ended 0
    [ "$(grep -c $signal "$work/got")" -eq 2 ] || fail "not all ranks got SIG$signal"
    grep mpirun "$work/err" && fail "a message about SIG$signal"
done

# A job that is ended while a rank is stopped: the rank goes on, and reacts to SIGTERM first.
for how in 'kill -TERM "$launcher"' ': >"$work/fail"'; do
    rm -f "$work/fail"
    start --grace 100000 -n 2 sh -c 'trap "echo TERM >>$1; exit 0" TERM; echo $$ >>"$0"
        while test "$NICEMU_RANK" = 0 || ! test -f "$2"; do sleep 0.02; done
        exit 7' "$work/ready" "$work/got" "$work/fail"
    until_true has_lines "$work/ready" 2
    pid=$(pgrep -P "$launcher" -f "$work/got" | while read -r rank; do
        tr '\0' '\n' <"/proc/$rank/environ" | grep -qx NICEMU_RANK=0 && echo "$rank"; done)
    kill -STOP "$pid"
    until_true in_state "$pid" T
    eval "$how"
    case $how in kill*) ended 143 ;; *) ended 7 ;; esac
    grep -qx TERM "$work/got" || fail "a rank that was stopped did not get to its trap for SIGTERM"
done

# Suspended, all are; then they go on to their end.  These ranks start no process: a child that is
# stopped between its fork and its program keeps a shell that waits for it there from stopping, for
# as long as it is stopped itself.
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

# A session for each rank where there is a core for each; else they stay in that of mpirun.
[ "$(awk '{ print $6 }' "/proc/$$/stat")" ] || fail 'no sessions'
run 0 -n 1 sh -c 'test "$(awk "{ print \$6 }" /proc/$$/stat)" = $$ && echo own'
printed own
ranks=$(($(nproc) + 1))
run 0 -n $ranks sh -c 'test "$(awk "{ print \$6 }" /proc/$$/stat)" = $$ || echo shared'
[ "$(grep -c shared "$work/out")" -eq $ranks ] ||
    fail 'ranks that share cores are in sessions of their own'

# At a terminal: what is typed comes to rank 0, and Ctrl-C to all.
if script -qec true /dev/null </dev/null >/dev/null 2>&1; then
    rm -f "$work/ready" "$work/got"
    {
        until_true has_lines "$work/ready" 1
        printf 'typed\n'
        until_true has_lines "$work/got" 1
        printf '\003'
        until_true has_lines "$work/got" 2
    } | script -qec "$mpirun --grace 9999 -n 1 sh -c 'trap \"echo INT >>\$1; exit 0\" INT
        echo ready >>\"\$0\"
        read -r line; echo \$line >>\"\$1\"
        while :; do sleep 0.02; done' $work/ready $work/got" /dev/null >"$work/out" 2>&1
    code=$?
    [ "$code" -eq 130 ] || fail "exit code $code, not 130, at a terminal"
    [ "$(cat "$work/got")" = 'typed
INT' ] || fail "rank 0 got from the terminal: $(cat "$work/got")"
fi

# ... and to a shell with a loop around mpirun, which goes on if mpirun did not die of it.
if script -qec true /dev/null </dev/null >/dev/null 2>&1 && command -v bash >/dev/null; then
    rm -f "$work/ready"
    cat >"$work/loop" <<'TEXT'
for i in 1 2 3; do
    "$1" -n 1 sh -c 'echo ready >>"$0"; test "$(wc -l <"$0")" -gt 1 || exec sleep 100000' "$2"
done
TEXT
    {
        until_true has_lines "$work/ready" 1
        printf '\003'
    } | script -qec "bash $work/loop $mpirun $work/ready" /dev/null >"$work/out" 2>&1
    [ "$(wc -l <"$work/ready")" -eq 1 ] || fail 'a loop goes on behind Ctrl-C'
fi

# In the background of a shell with a terminal: who reads what is typed to the shell is stopped.
if script -qec true /dev/null </dev/null >/dev/null 2>&1 && command -v bash >/dev/null; then
    rm -f "$work/ready" "$work/go"
    cat >"$work/background" <<'TEXT'
set -m
"$1" -n 1 sh -c 'echo ready >>"$0"; until test -f "$1"; do sleep 0.02; done' "$2" "$3" &
wait $!
echo "code $?"
TEXT
    {
        until_true has_lines "$work/ready" 1
        printf 'typed\n'
        sleep 1
        : >"$work/go"
    } | script -qec "bash $work/background $mpirun $work/ready $work/go" /dev/null >"$work/out" 2>&1
    grep -q '^code 0' "$work/out" || fail 'a job in the background does not go on'
fi

# What mpirun was started to ignore, it and the ranks ignore.
rm -f "$work/ready" "$work/go"
waiting='echo ready >>"$0"; until test -f "$1"; do sleep 0.02; done'
(trap '' HUP; exec "$mpirun" -n 1 sh -c "$waiting" \
    "$work/ready" "$work/go" >"$work/out" 2>"$work/err") &
launcher=$!
until_true has_lines "$work/ready" 1
kill -HUP "$launcher"
: >"$work/go"
ended 0
exit 0
