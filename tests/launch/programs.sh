#!/bin/sh
# What is started, where and with what: several programs, environment, working directory, programs
# that are missing.
# shellcheck disable=SC1091,SC2015,SC2016,SC2094,SC2154,SC2317,SC3045 # lib.sh; scripts for ranks
. "${srcdir:-.}/tests/launch/lib.sh"

# Ranks are numbered over all programs; each has its own options.
run 0 -genv ALL yes -n 2 -x ONE=1 sh -c 'echo "$NICEMU_RANK/$MPILITE_SIZE a $ALL ${ONE-} ${TWO-}"' \
    : -env TWO 2 sh -c 'echo "$NICEMU_RANK/$MPILITE_SIZE b $ALL ${ONE-} ${TWO-}"' \
    : -np 1 -genv ALL no echo c
printed '0/4 a no 1 ' '1/4 a no 1 ' '2/4 b no  2' c

# What is said of one program goes before what is said of all, in whatever order.
run 0 -genv A all -n 1 -x A=one sh -c 'echo "$A"' : -n 1 sh -c 'echo "$A"'
printed one all
run 0 -n 1 -x A=one -genv A all sh -c 'echo "$A"'
printed one

# Each rank knows which of the programs its own is.
run 0 -n 1 sh -c 'echo "$MPILITE_PROGRAM"' : -n 2 sh -c 'echo "$MPILITE_PROGRAM"'
printed 0 1 1
joined=$PWD/tests/launch/joined
run 0 -n 1 "$joined" tell : -n 2 "$joined" tell
for line in 'rank 0 of 3, 3 near, program 0' 'rank 1 of 3, 3 near, program 1' \
    'rank 2 of 3, 3 near, program 1'; do
    grep -qx "$line" "$work/out" || fail "MPI_APPNUM: no '$line'"
done

# Values may hold anything; the environment of mpirun is passed on; what it sets wins.
OUTER=there NICEMU_RANK=77 run 0 -n 1 -x "A=b=c d" -x B= -env C x -x OUTER \
    sh -c 'echo "$A|$B|$C|$OUTER|$MPILITE_LAUNCHED|$NICEMU_RANK"'
printed 'b=c d||x|there|1|0'
silent
run 0 -x NOT_THERE_AT_ALL -n 1 true
told 'warning: -x NOT_THERE_AT_ALL'

# What a launcher around this one has left, another mpirun too, is not for these ranks, nor for what
# they start.
outer='PMI_FD PMI_JOBID PMI_RANK PMI_SIZE PMIX_NAMESPACE PMIX_RANK MPILITE_TRACE_FD'
for name in $outer MPILITE_JOB NICEMU_THREAD_CPUS; do
    eval "$name=outer run 0 --bind-to none -n 1 sh -c 'env | grep =outer; exit 0'"
    [ ! -s "$work/out" ] || fail "$name is passed on"
    silent
done
run 0 -n 1 "$mpirun" -n 1 sh -c 'env' sh
[ "$(grep -c '^MPILITE_JOB=' "$work/out")" -eq 1 ] || fail 'not one mark of a job in another'
run 0 -n 1 sh -c 'echo "$MPILITE_JOB"; "$0" -n 1 sh -c "echo \$MPILITE_JOB"' "$mpirun"
[ "$(sort -u "$work/out" | wc -l)" -eq 2 ] || fail 'a job in another has its mark'

# A pipe that nobody reads ends who writes, as without mpirun.
run 0 -n 1 sh -c 'yes | head -n 1'
printed y
silent

# Arguments arrive unchanged; options end at the program, or at "--".
run 0 -n 1 printf '<%s>\n' '' 'a b' '*' "'" -n --
printed '<>' '<a b>' '<*>' "<'>" '<-n>' '<-->'
run 0 -n 1 -- echo -l
printed -l

# Working directory, and programs found from there.
mkdir "$work/dir"
printf '#!/bin/sh\necho "here $(pwd -P)"\n' >"$work/dir/tool"
chmod +x "$work/dir/tool"
here=$(cd "$work/dir" && pwd -P)
run 0 -wd "$work/dir" -n 2 ./tool
printed "here $here" "here $here"
run 0 --wdir "$work/dir" -n 1 tool
printed "here $here"
run 0 -wd "$work/dir" -n 1 sh -c 'pwd -P' : sh -c 'pwd -P'
printed "$here" "$(pwd -P)"
run 0 -x PATH="$work/dir:$PATH" -n 1 tool
run 0 -genv PATH "$work/dir:$PATH" -n 1 tool
run 2 -wd "$work/none" true
told "^mpirun: cannot use the working directory $work/none: "

# A script without its first line is one for the shell.
echo 'echo "script $1"' >"$work/script"
chmod +x "$work/script"
run 0 -n 2 "$work/script" argument
printed 'script argument' 'script argument'

# Not found, not executable, not startable: one line each, and nothing is started.
run 127 -n 3 no-such-program-anywhere
said 'mpirun: cannot start no-such-program-anywhere: not found in PATH nor in '"$PWD"
run 127 -n 1 ''
said 'mpirun: cannot start a program without a name'
run 127 -n 3 ./no/such/program
said "mpirun: cannot start ./no/such/program: there is no such file in $PWD"
run 127 -n 1 sh -c ': >"$0"' "$work/started" : no-such-program-anywhere
[ ! -e "$work/started" ] || fail "a job was started of which one program is missing"
echo text >"$work/text"
run 126 -n 2 "$work/text"
said "mpirun: cannot start $work/text: Permission denied" \
    "mpirun: nobody may execute it: chmod +x $work/text, or name what runs it in front of it"
run 126 -n 2 "$work/dir"
said "mpirun: cannot start $work/dir: it is a folder"
printf '#!%s/nothing\n' "$work" >"$work/lost"
chmod +x "$work/lost"
run 127 -n 3 "$work/lost"
told 'could not be started: No such file or directory \(the interpreter'
has_lines "$work/err" 2 && fail "more than one message"
printf '#!%s/text/nothing\n' "$work" >"$work/lost"
run 127 -n 2 "$work/lost"
told 'could not be started: Not a directory'

# What is no text is nothing for the shell.
printf '\177ELF\002\001\001\000no machine has it\n' >"$work/foreign"
chmod +x "$work/foreign"
run 126 -n 2 "$work/foreign"
told 'could not be started: Exec format error \(a program for another kind of machine, or a dam'
has_lines "$work/err" 2 && fail "more than one message"
run 126 -wd "$work" -n 1 ./foreign
: >"$work/empty"
chmod +x "$work/empty"
run 0 -n 1 "$work/empty"
silent

# A working directory that is gone.
mkdir "$work/gone"
(
    cd "$work/gone" && rmdir "$work/gone" || exit 1
    "$mpirun" -n 1 true 2>"$work/err" || fail 'nothing starts in a folder that is gone'
    "$mpirun" --model ideal --model-log log -n 1 true 2>"$work/err"
    [ $? -eq 2 ] || fail 'a file in a folder that is gone'
) || exit 1
told '^mpirun: --model-log log: the working directory is unknown: No such file or directory$'

# Ranks have no descriptors but the standard ones, the job's and the one for reports of crashes,
# besides what mpirun itself was given.
ls /proc/self/fd >"$work/given" 2>"$work/err"
run 0 -n 2 ls /proc/self/fd
[ "$(wc -l <"$work/out")" -eq $((2 * $(wc -l <"$work/given") + 4)) ] ||
    fail "not two descriptors more than without mpirun"

# -v tells what is started.
run 0 -v --bind-to none -n 2 true
told '^mpirun: rank 0: pid [0-9]+, not bound, .*true$'
told '^mpirun: rank 1: pid [0-9]+, not bound, .*true$'
# Through programs that use descriptors of their own, or leave none open: a rank finds its job, and
# what it tells mpirun comes there.
ring=$PWD/examples/ring
run 0 -n 3 sh -c 'exec 3>"$1" 4>"$1" 5>"$1" 6>"$1" 7>"$1" 8>"$1" 9>"$1"; "$0" 2 && exit 0' \
    "$ring" "$work/log"
cp "$work/out" "$work/before"
[ ! -s "$work/log" ] || fail 'something was written to a file of the program'
run 0 -n 3 sh -c 'exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-; "$0" 2 && exit 0' "$ring"
if command -v python3 >/dev/null; then
    call='import subprocess, sys; sys.exit(subprocess.run(sys.argv[1:]).returncode)'
    run 0 -n 3 python3 -c "$call" "$ring" 2
    silent
    if [ -e "$PWD/.libs/libmpilite_trace.so" ] && [ -z "${SANITIZED:-}" ]; then
        run 0 --trace "$work/trace" -n 3 python3 -c "$call" "$ring" 2
        grep -q '"MPI_Sendrecv"' "$work/trace" || fail 'no call in the trace'
    fi
fi

# The memory of another job, or a file of another kind, is not taken for it.
run 1 -n 1 sh -c 'exec env NICEMU_JOB_FD=4@1:2:3 "$0" 2' "$ring"
told '^Fatal error in MPI_Init: .* has closed the descriptor of the job.s memory'
exit 0
