#!/bin/sh
# Host lists: what names this machine runs here; anything else is handed to the launcher of a
# cluster that is found, with the options that it has for ours.
# shellcheck disable=SC1091,SC2015,SC2016,SC2154 # lib.sh is sourced; quoted scripts are for others
. "${srcdir:-.}/tests/launch/lib.sh"
unset SLURM_JOB_ID MPIEXEC_TIMEOUT NICEMU_SCRATCHPAD NICEMU_HEAP MPILITE_MODEL MPILITE_ATTACH
host=$(uname -n)

# -- this machine
printf '# comment\n\nlocalhost slots=4\n%s:2\n127.0.0.1\n' "$(hostname)" >"$work/hosts"
for option in -f -hostfile --hostfile -machinefile; do
    run 0 $option "$work/hosts" -n 1 true
    silent
done
for option in -H --host -hosts; do
    run 0 $option localhost:2,127.0.0.1 -ppn 3 sh -c 'echo $MPILITE_SIZE'
    printed 3 3 3
    silent
done
# Words of other launchers behind a host, in any order.
printf '%s\n' 'localhost max_slots=9 slots = 4 ' '127.0.0.1 cpu =2 user= me' \
    'localhost ifhn=lo' >"$work/words"
run 0 -f "$work/words" --nooversubscribe -n 6 true
silent
refused '7 ranks are too many: there are 6 slots, and --nooversubscribe' \
    -f "$work/words" --nooversubscribe -n 7 true
echo 'localhost binding=x count=3 slots=9' >"$work/words"
refused '4 ranks are too many: there are 3 slots, and --nooversubscribe' \
    -f "$work/words" --nooversubscribe -n 4 true
echo 'localhost four' >"$work/words"
refused "$work/words has host localhost with 'four' slots, which is no number of them" \
    -f "$work/words" true
run 2 -f "$work/nothing" true
told 'cannot read the host file'
refused "the host list has the host name 'a b', which is none" -H 'x,a b' true
refused "the host list has the host name '-x', which is none" -H -x true
refused "the host list has host a with '4x' slots, which is no number of them" -H a:4x true
refused "the host list has host a with '' slots, which is no number of them" -H a: true
most=1048576    # slots of a host
run 0 -H localhost:$most --nooversubscribe -n 1 true
refused "the host list has host localhost with '$((most + 1))' slots, which is no number of them" \
    -H localhost:$((most + 1)) true
refused "the host list has host a with '0' slots, which is no number of them" -H b:1,a:0 true

# -- others: scripts that stand for the launchers say what they were started with
mkdir "$work/none" "$work/bin"
for name in srun mpiexec.hydra prterun orterun; do
    printf '#!/bin/sh\nprintf "%%s|" %s "$@"\necho\necho "$FOO,$MPIEXEC_TIMEOUT,%s"\nexit 7\n' \
        $name '$NICEMU_HEAP,$MPILITE_FINALIZE' >"$work/$name"
    chmod +x "$work/$name"
done
have() {
    rm -f "$work"/bin/*
    for name; do
        cp "$work/$name" "$work/bin/$name"
    done
}
# hands CODE ARGUMENT...: as `run`, with only those launchers in PATH.
hands() {
    expected=$1
    shift
    PATH=${path:-$work/bin} "$mpirun" "$@" >"$work/out" 2>"$work/err"
    code=$?
    [ $code -eq "$expected" ] || fail "mpirun $*: exit code $code, not $expected"
}
# became VARIABLES WORD...: what was started, its variables, and the line that says so.
became() {
    variables=$1
    shift
    printed "$(printf '%s|' "$@")" "$variables"
    told "^mpirun: other machines: $1 "
}

have
hands 127 -H far.invalid,here -n 2 true
told '^mpirun: host far.invalid is another machine: .* apt-get install mpich\)$'
# Its own name in any case, with a domain or without; an address of IPv6 has no slots behind it.
# With no launcher there: nothing else is started.
have
shout=$(echo "$host" | tr '[:lower:]' '[:upper:]')
case $host in
*.*) other=${host%%.*} ;;
*) other=$host.some.where ;;
esac
for hosts in "::1,,$shout,$host:2,127.1.2.3" "$other"; do
    hands 0 -H "$hosts" -n 1 "$mpirun" -V
    silent
done
# A name that begins as this machine's, or goes on behind it, is another one's.
for name in "${host}x" "x$host" "${host%?}"; do
    [ "$name" ] || continue
    hands 127 -H "$name" -n 2 true
    told "^mpirun: host $name is another machine: "
done
have mpiexec.hydra prterun orterun srun
hands 7 -H a.invalid:2,localhost -n 3 -ppn 2 -x FOO=1 -wdir /tmp -l --timeout 2.5 --heap none \
    --no-finalize-check prog 'an argument' : -n 1 other
became ',3,none,off' mpiexec.hydra -hosts a.invalid:2,localhost -ppn 2 -prepend-rank -n 3 \
    -wdir /tmp -env FOO 1 prog 'an argument' : -n 1 other
told "prog 'an argument' : -n 1 other\$"
hands 7 -genv FOO 2 --bind-to core -f /dev/stdin prog <<END
a.invalid slots=3
b.invalid 4	# comment
c.invalid:2
END
became '2,,,' mpiexec.hydra -hosts a.invalid:3,b.invalid:4,c.invalid:2 -bind-to core -n 9 prog
hands 7 -H a.invalid,b.invalid -ppn 4 prog
became ',,,' mpiexec.hydra -hosts a.invalid,b.invalid -ppn 4 -n 8 prog
hands 7 -H a.invalid:2,b.invalid --bind-to none prog : -n 2 other
became ',,,' mpiexec.hydra -hosts a.invalid:2,b.invalid -bind-to none -n 1 prog : -n 2 other
for level in hwthread core l2cache l3cache numa socket; do
    hands 7 -H a.invalid -n 1 --bind-to $level prog
    became ',,,' mpiexec.hydra -hosts a.invalid -bind-to $level -n 1 prog
done
hands 2 -H a.invalid -n 1 --bind-to machine prog
told '^mpirun: --bind-to machine: ranks on other machines are started by mpiexec.hydra, which has'
# The line that says so can be typed again.
hands 7 -H a.invalid -n 1 prog "it's" '' 'a"b'
told " prog 'it'\\\\''s' '' 'a\"b'\$"

# srun only inside an allocation; then it goes first.
SLURM_JOB_ID=1
export SLURM_JOB_ID
hands 7 -H n1:4,n2 -n 5 -ppn 3 -wdir /tmp -x FOO=3 -l --timeout 61 --bind-to none prog -x
became '3,,,' srun --mpi=pmi2 -n5 --ntasks-per-node=3 -w n1,n2 --overcommit --chdir=/tmp --label \
    --time=1:01 --input=0 --cpu-bind=none prog -x
hands 2 -H n1,n2 -n 1 prog : -n 1 prog
told 'several programs: ranks on other machines are started by srun, which has no such thing$'
hands 2 -H n1,n2 --bind-to l2cache -n 1 prog
told -- '--bind-to l2cache: ranks on other machines are started by srun'
hands 7 -H n1,n2:3 -n 6 prog
became ',,,' srun --mpi=pmi2 -n6 -marbitrary -w n1,n2,n2,n2,n1,n2 --overcommit --input=0 prog
for words in '0 0' '2 2' 'all all' 'none none'; do
    hands 7 -q -H n1 -n 1 --stdin "${words% *}" prog
    printed "$(printf '%s|' srun --mpi=pmi2 -n1 -w n1 --overcommit --quiet --input="${words#* }" \
        prog)" ',,,'
    silent
done
for words in 'hwthread threads' 'core cores' 'numa ldoms' 'socket sockets'; do
    hands 7 -H n1 -n 1 --bind-to "${words% *}" prog
    became ',,,' srun --mpi=pmi2 -n1 -w n1 --overcommit --input=0 --cpu-bind="${words#* }" prog
done
unset SLURM_JOB_ID

have orterun
root=
[ "$(id -u)" != 0 ] || root=--allow-run-as-root
MPILITE_RNDV=get LD_LIBRARY_PATH='' NICEMU_RDMA=read hands 7 -q --stdin all -H a.invalid -n 2 \
    -genv BAR 5 -x FOO=4 prog
# The order of its environment is not ours.
for words in 'orterun|--host|a.invalid|--oversubscribe|' "$root" '|--stdin|all|-n|2|-x|' \
    '|-x|MPILITE_RNDV|' '|-x|PATH|' '|-x|NICEMU_RDMA|' '|-x|LD_LIBRARY_PATH|' '|-x|BAR=5|' \
    '|-x|FOO=4|prog|'; do
    case $(cat "$work/out") in
    *"$words"*) ;;
    *) fail "no $words" ;;
    esac
done
silent
# without our environment, as far as its words say it
words_of() { sed -n '1s/|-x|[^|]*=[^|]*//g; 1s/|-x|[A-Z_0-9]*//gp' "$work/out"; }
hands 7 -H a.invalid:2,b.invalid -ppn 3 -wdir /tmp -l --timeout 61 --stdin 2 --bind-to none prog \
    : -n 1 other
[ "$(words_of)" = "$(printf '%s|' orterun --host a.invalid:2,b.invalid --oversubscribe $root \
    --map-by ppr:3:node --tag-output --timeout 61 --stdin 2 --bind-to none -n 1 --wdir /tmp prog \
    : -n 1 other)" ] || fail 'the words of orterun'
for words in 'hwthread hwthread' 'core core' 'l2cache l2cache' 'l3cache l3cache' 'numa numa' \
    'socket socket' 'machine none'; do
    hands 7 -H a.invalid -n 1 --bind-to "${words% *}" --stdin none prog
    [ "$(words_of)" = "$(printf '%s|' orterun --host a.invalid --oversubscribe $root \
        --stdin none --bind-to "${words#* }" -n 1 prog)" ] || fail "orterun --bind-to $words"
done
# The second folder of PATH that has one which may be executed.
have
mkdir "$work/other"
cp "$work/orterun" "$work/other"
echo text >"$work/bin/orterun"
path=$work/nowhere::$work/bin:$work/other
hands 7 -H a.invalid -n 1 prog
grep -q '^orterun|' "$work/out" || fail 'no launcher in the second folder'
path=
# One that cannot be started.
printf '#!%s/nothing\n' "$work" >"$work/bin/orterun"
chmod +x "$work/bin/orterun"
hands 127 -H a.invalid -n 1 prog
told "^mpirun: cannot start $work/bin/orterun: No such file or directory$"
echo text >"$work/bin/orterun"
hands 126 -H a.invalid -n 1 prog
told "^mpirun: cannot start $work/bin/orterun: Exec format error$"
# What our options say stands in its environment; what is of a job around this one does not.
printf '#!/bin/sh\nexport -p\n' >"$work/bin/orterun"
around='NICEMU_JOB_FD NICEMU_RANK NICEMU_THREAD_CPUS MPILITE_LAUNCHED MPILITE_SIZE MPILITE_PROGRAM'
for name in $around MPILITE_CRASH_FD MPILITE_CHECK_FD; do export "$name=1"; done
hands 0 -H a.invalid -n 2 --scratchpad 8k --heap 1M --attach 1 --no-deadlock-check prog
for name in $around MPILITE_CRASH_FD MPILITE_CHECK_FD; do
    unset "$name"
    grep -q " $name=" "$work/out" && fail "$name is passed on"
done
for text in NICEMU_SCRATCHPAD='.?8192' NICEMU_HEAP='.?1048576' MPILITE_ATTACH='.?1' \
    MPILITE_DEADLOCK='.?off'; do
    grep -qE " $text.?\$" "$work/out" || fail "no $text"
done
have prterun orterun
hands 7 -H a.invalid -n 1 prog
grep -q '^prterun|' "$work/out" || fail 'prterun goes before orterun'

# Nothing is started where nothing shall, and what needs one machine is refused.
hands 0 --dry-run -H a.invalid -n 1 prog
[ ! -s "$work/out" ] || fail 'something was started'
told '^mpirun: other machines: prterun '
hands 0 -q --dry-run -H a.invalid -n 1 prog
told '^mpirun: other machines: prterun '
hands 2 --model ideal -H a.invalid -n 1 prog
told '^mpirun: --model: ranks on other machines are started by prterun, which has no such thing$'
for option in --check --gdb --xterm '--wrapper env' "--trace $work/x" "--report $work/y" \
    '--topology core:1' '--bind-to rr' '--bind-to user:0'; do
    # shellcheck disable=SC2086 # words
    hands 2 $option -H a.invalid -n 1 prog
    told "^mpirun: .*${option%% *}.*: ranks on other machines are started by prterun, which has no"
done
for option in '--map-by socket' '--map-by :pe=2' '--map-by :nooversubscribe' '--rank-by fill' \
    '--cpu-set 0' --report-bindings '--bind-to core:2'; do
    # shellcheck disable=SC2086 # words
    hands 7 $option -H a.invalid -n 1 prog
    told '^mpirun: warning: of the options of placement only --bind-to LEVEL is passed on: prterun '
    # shellcheck disable=SC2086 # words
    hands 7 -q $option -H a.invalid -n 1 prog
    silent
done
hands 7 -genvall -envall -H a.invalid -n 1 --bind-to core prog
[ "$(wc -l <"$work/err")" -eq 1 ] || fail 'a warning of what is passed on'
echo 'rank 0=a.invalid slot=0' >"$work/ranks"
hands 2 --rankfile "$work/ranks" prog
told '^mpirun: --rankfile: ranks on other machines are started by prterun, which has no such thing$'
for option in -genvnone '-envlist A' --timestamp-output "--output $work/z" -print-all-exitcodes \
    '-outfile-pattern o' '-errfile-pattern e' --merge-stderr-to-stdout '--prepend-pattern p'; do
    # shellcheck disable=SC2086 # words
    hands 7 $option -H a.invalid -n 1 prog
    told '^mpirun: warning: of the options of output and environment only -l, .* prterun$'
done
exit 0
