#!/bin/sh
# Looking for a mistake: where ranks stand, with stacks; debuggers and other programs around them.
# shellcheck disable=SC1091,SC2016,SC2154 # lib.sh is sourced; scripts for ranks
. "${srcdir:-.}/tests/launch/lib.sh"
unset DISPLAY

program=$PWD/tests/wrong/mistakes.t
crashes=$PWD/tests/wrong/crashes.t
ring=$PWD/examples/ring
skipped=''

start() {
    nothing_said
    "$tools/default_signals" "$mpirun" "$@" >"$work/out" 2>"$work/err" &
    launcher=$!
}
# says COUNT PATTERN: standard error has so many lines like it, at least.
says() { [ "$(grep -cE -- "$2" "$work/err")" -ge "$1" ]; }

# Ctrl-\ tells where the ranks stand, as often as one likes, and they go on; Ctrl-C ends them.
start --no-deadlock-check -n 3 sh -c 'echo ready; exec "$0" wrong_tag' "$program"
until_true has_lines "$work/out" 3
for times in 1 2; do
    until says $times '^  rank 1: MPI_Recv'; do
        kill -QUIT "$launcher" || fail 'mpirun has ended'
        sleep 0.1
    done
done
kill -INT "$launcher"
wait "$launcher"
[ $? -eq 130 ] || fail 'Ctrl-C: not exit code 130'
told '^mpirun: the ranks stand here, and go on:$'

# Ten lines at most, however many ranks stand at places of their own.
start -n 14 sh -c 'echo ready; exec sleep 1000' : -n 2 "$program" long_sends
until_true has_lines "$work/out" 14
kill -INT "$launcher"
wait "$launcher"
[ "$(wc -l <"$work/err")" -le 10 ] || fail 'more than ten lines'

# -- words in front of the program, for all ranks or some
run 0 --wrapper 'env WRAPPED=yes' -n 2 sh -c 'echo "$NICEMU_RANK $WRAPPED $0"' argument
printed '0 yes argument' '1 yes argument'
# As many as there are.
words=$(seq -s ' ' 100)
run 0 --wrapper "echo  $words" -n 1 /bin/true
printed "$words /bin/true"
cat >"$work/gdb" <<'END'
#!/bin/sh
echo "gdb $NICEMU_RANK $*"
END
cp "$work/gdb" "$work/lldb"
for name in xterm valgrind; do sed "s/gdb/$name/" "$work/gdb" >"$work/$name"; done
chmod +x "$work/gdb" "$work/lldb" "$work/xterm" "$work/valgrind"
OLD=$PATH
PATH=$work:$PATH
run 0 -n 3 --gdb sh -c 'echo "plain $NICEMU_RANK"'
printed "gdb 0 --args $(command -v sh) -c echo \"plain \$NICEMU_RANK\"" 'plain 1' 'plain 2'
DISPLAY='' run 0 -n 2 --gdb sh -c 'echo "plain $NICEMU_RANK"'
printed "gdb 0 --args $(command -v sh) -c echo \"plain \$NICEMU_RANK\"" 'plain 1'
run 0 -n 3 --stdin 2 -lldb sh -c 'echo "plain $NICEMU_RANK"'
printed "gdb 2 -- $(command -v sh) -c echo \"plain \$NICEMU_RANK\"" 'plain 0' 'plain 1'
run 0 -n 3 --gdb=1-2 sh -c 'echo "plain $NICEMU_RANK"'
[ "$(grep -c '^gdb [12] --args ' "$work/out")" -eq 2 ] || fail '--gdb=1-2'
DISPLAY=:7 run 0 -n 2 --gdb /bin/true
printed "xterm 0 -e gdb --args /bin/true" "xterm 1 -e gdb --args /bin/true"
run 0 -n 2 --xterm=1 /bin/true
printed "xterm 1 -e /bin/true"
run 0 -n 2 --valgrind /bin/true
printed "valgrind 0 -q /bin/true" "valgrind 1 -q /bin/true"
PATH=$OLD
refused "--gdb: 'x' is no list of ranks, as in 0,2-3" --gdb=x true
refused 'ranks can be started under one other program only, not gdb --args and valgrind -q' \
    --gdb --valgrind true
refused '--wrapper needs a command' --wrapper ' ' true
run 0 --get-stack-traces -n 1 true
silent
run 127 --wrapper /no/such/thing true
said 'mpirun: cannot start /no/such/thing: there is no such file'

# Stacks, of what a debugger says: without addresses, and without what is inside of MPI.
mkdir "$work/fake"
printf '#!/bin/sh\ncat "$STACK"\n' >"$work/fake/gdb"
chmod +x "$work/fake/gdb"
STACK=$work/stack
export STACK
# stack TEXT: what a rank's line is followed by, if that is what the debugger says.
stack() {
    printf '%s\n' "$1" >"$STACK"
    PATH=$work/fake:$PATH run 1 --stacks -n 3 "$program" two_dups
    sed '1,/^  rank 0: /d; /^  rank/,$d' "$work/err" >"$work/stacks"
}
is() { printf '%s\n' "$@" | cmp -s - "$work/stacks" || fail "a stack is: $(cat "$work/stacks")"; }
stack '[New LWP 7]
Thread 3 (Thread 0x7f (LWP 7) "x"):
#0  0x00007f01 in futex () from libc.so
#1  nic_wait () at wait.c:10
#2  0x00007f02 in PMPI_Barrier (comm=0x1) at barrier.c:1
#3  0x00007f03 in solve (n=3) at solver.c:42
#4  sits in the_corner () at solver.c:50
Thread 2 (Thread 0x7e (LWP 6) "y"):
#0  0x00007f04 in shm_wait () at sync.c:7
#1  0x00007f04 in shmem_barrier_all () at sync.c:1
#2  0x00007f05 in helps () at m.c:9
Thread 1 (Thread 0x7d (LWP 5) "z"):
#0  0x00007f06 in compute () at m.c:1
#1  0x00007f07 in main () at m.c:2'
is '    thread 3:' '    #0 PMPI_Barrier (comm=0x1) at barrier.c:1' \
    '    #1 solve (n=3) at solver.c:42' '    #2 sits in the_corner () at solver.c:50' \
    '    thread 2:' '    #0 shmem_barrier_all () at sync.c:1' '    #1 helps () at m.c:9' \
    '    thread 1:' '    #0 compute () at m.c:1' '    #1 main () at m.c:2'
stack 'Thread 1 (Thread 0x7e):
#0  0x00 in reads () at a.c:9
#1  0x01 in MPI_Waiter () at a.c:1
#2  0x02 in helps () at a.c:2
#3  0x03 in MPI_Wait () at w.c:2
#4  0x04 in main () at a.c:3'
is '    #0 MPI_Wait () at w.c:2' '    #1 main () at a.c:3'
stack "$(i=0; while [ $i -lt 40 ]; do echo "#$i  0x$i in deep () at d.c:$i"; i=$((i + 1)); done)"
[ "$(wc -l <"$work/stacks")" -eq 32 ] || fail "of 40 frames: $(cat "$work/stacks")"
[ "$(tail -n 1 "$work/stacks")" = '    #31 deep () at d.c:31' ] || fail 'not the innermost ones'
stack 'ptrace: Operation not permitted.'
is '    (no stack: gdb cannot look at the process)'
unset STACK

# -- with the real ones
if gdb --version >/dev/null 2>&1 && gdb -batch -ex run --args true >/dev/null 2>&1; then
    printf 'run\nbt\nkill\nquit\n' |
        "$mpirun" --gdb -n 1 "$crashes" abort >"$work/out" 2>"$work/err"
    grep -q 'received signal SIGABRT' "$work/out" || fail 'gdb does not see the crash'
    # While a debugger holds a rank, nobody takes the job for one that stands still.
    printf 'tbreak main\nrun\nbreak PMPI_Barrier\ncontinue\nshell sleep 2\nbt\nkill\nquit\n' |
        "$mpirun" --gdb -n 2 "$crashes" none >"$work/out" 2>"$work/err"
    grep -q 'cannot go on' "$work/err" && fail 'a debugger does not pause the deadlock watch'
    grep -q 'PMPI_Barrier' "$work/out" || fail 'gdb has no breakpoint'
    # A rank waits until it is attached.
    start --attach 1 -n 2 "$ring" 2
    until_true says 1 '^  gdb -p [0-9]+$'
    told '^rank 1 waits in MPI_Init until a debugger is attached:$'
    pid=$(sed -n 's/^  gdb -p //p' "$work/err")
    gdb -nx -batch -p "$pid" -ex continue >"$work/gdb.out" 2>&1
    wait "$launcher" || fail "exit code $? of a job that was attached to"
    # Stacks.
    run 1 --stacks -n 3 "$program" two_dups
    told '^  rank 0: MPI_Barrier'
    [ "$(grep -cE '^    #0 P?MPI_Barrier ' "$work/err")" -ge 2 ] || fail 'no stacks of both groups'
    told '^    #1 two_dups '
else
    skipped="$skipped gdb"
fi
PATH=$work/empty:/nowhere run 1 --stacks -n 3 "$program" two_dups
told '^    .no stack: gdb is not installed.$'
if valgrind true >/dev/null 2>&1 && [ -z "${SANITIZED:-}" ]; then
    run 0 --valgrind=1 -n 2 "$ring" 2
    # Around mpirun, too, alone or with all that it starts.
    for trace in no yes; do
        valgrind -q --trace-children=$trace "$mpirun" -n 2 "$ring" 2 >"$work/out" 2>"$work/err" ||
            fail "mpirun under valgrind: exit code $?"
        silent
    done
else
    skipped="$skipped valgrind"
fi
[ -z "$skipped" ] || echo "not tried, as it is not there:$skipped"
exit 0
