#!/bin/sh
# How long mpirun waits for whom: ranks that are told to end get time for each signal, a reader that
# does not read none after the time is over; and it takes no more input than somebody reads.
# shellcheck disable=SC1091,SC2016,SC2154 # lib.sh is sourced; quoted scripts are for ranks
. "${srcdir:-.}/tests/launch/lib.sh"

# Ended by SIGINT: a rank that does not listen to that hears SIGTERM before it is killed.
"$tools/default_signals" "$mpirun" --print-all-exitcodes --grace 0.5 -n 1 \
    sh -c 'trap "" INT; echo ready >"$0"; exec sleep 100000' "$work/ready" \
    >"$work/out" 2>"$work/err" &
launcher=$!
until_true has_lines "$work/ready" 1
kill -INT "$launcher"
wait "$launcher"
told '^mpirun: exit codes: signal 15 \(0\)$'

# Time is over, and nobody reads what there is.
mkfifo "$work/pipe"
exec 4<>"$work/pipe"
"$mpirun" --timeout 0.3 --grace 0.1 -n 1 \
    sh -c 'while echo a line that nobody reads; do :; done' 2>"$work/err" >"$work/pipe"
code=$?
exec 4>&-
[ "$code" -eq 124 ] || fail "the job whose output nobody reads ended with $code, not 124"

# The same where it goes to a socket.
if command -v python3 >/dev/null; then
    call='import socket, subprocess, sys
near, far = socket.socketpair()
sys.exit(subprocess.run(sys.argv[1:], stdout=far).returncode)'
    python3 -c "$call" "$mpirun" --timeout 0.3 --grace 0.1 -n 1 \
        sh -c 'while echo a line that nobody reads; do :; done' 2>"$work/err"
    code=$?
    [ "$code" -eq 124 ] || fail "the job whose socket nobody reads ended with $code, not 124"
fi

# The same on standard error, where mpirun has something to say at the end, or has begun to before.
full='dd if=/dev/zero of="$work/pipe" bs=4096 count=100 oflag=nonblock 2>/dev/null'
for script in 'while echo a line that nobody reads >&2; do :; done' \
    'kill -QUIT $PPID; exec sleep 1000'; do
    exec 4<>"$work/pipe"
    eval "$full"
    "$mpirun" --timeout 0.3 --grace 0.1 -n 1 sh -c "$script" 2>"$work/pipe" >"$work/out"
    code=$?
    exec 4>&-
    [ "$code" -eq 124 ] || fail "$script: the job whose errors nobody reads ended with $code"
done

# That is said even to those who want to hear nothing.
run 124 -q --timeout 0.2 --grace 0.1 -n 1 sleep 1000
told '^mpirun: the job was ended after 0.2 s \(--timeout\)$'

# All ranks have closed their input: the rest is somebody else's.
head -c 4000000 /dev/zero >"$work/input"
rest=$({
    "$mpirun" --stdin all -n 2 sh -c 'exec <&-; sleep 0.5' >"$work/out" 2>"$work/err"
    wc -c
} <"$work/input")
[ "$rest" -gt 3000000 ] || fail "of 4000000 bytes that no rank reads only $rest are left"
exit 0
