#!/bin/sh
# System calls that a filter denies, one after the other, for mpirun and all that it starts, or for
# the ranks alone: the job ends right, or with a message; it never hangs.
# shellcheck disable=SC1091,SC2015,SC2016,SC2086,SC2154 # lib.sh; scripts for ranks; words
launch_limit=3600   # some hundred jobs
. "${srcdir:-.}/tests/launch/lib.sh"
[ "${SANITIZED:-}" ] && { echo 'sanitizers need calls of their own'; exit 77; }
deny=$tools/deny
ring=$PWD/examples/ring pingpong=$PWD/examples/pingpong
failing='test $NICEMU_RANK = 0 && exec sleep 1000; exit 3'
"$deny" access EPERM true || { echo 'there are no filters of system calls here'; exit 77; }
limit=$((60 * ${TEST_TIMEOUT_SCALE:-1}))

# ends COMMAND...: its exit code goes to $code; a command that hangs fails the test.
ends() {
    timeout -k 1 -s KILL "$limit" "$@" >"$work/out" 2>"$work/err" </dev/null
    code=$?
    [ "$code" -ne 137 ] || fail "hangs: $*"
}

# right_or_told WHAT: the ring is right and nothing is said, or something is said and the exit code
# is not 0.
right_or_told() {
    if [ "$code" -eq 0 ]; then
        grep -q ': right$' "$work/out" || fail "$1: nothing is right, with exit code 0"
        silent
    else
        [ -s "$work/err" ] || fail "$1: exit code $code without a word"
    fi
}

# right WHAT COMMAND...
right() {
    what=$1
    shift
    ends "$@"
    [ "$code" -eq 0 ] || fail "$what: exit code $code"
    right_or_told "$what"
}

# -- one call after the other
"$deny" --list >"$work/calls" || fail 'no list of calls'
while read -r call; do
    for error in EPERM ENOSYS; do
        case $call in
        -write) ends "$deny" write $error "$mpirun" -n 2 "$ring" 5 ;;   # nobody can tell
        -*) # not even a program's first line is reached, or the loader says why not
            ends "$deny" ${call#-} $error "$mpirun" -n 2 "$ring" 5
            ends "$mpirun" -n 2 "$deny" ${call#-} $error "$ring" 5
            ;;
        *)
            ends "$deny" $call $error "$mpirun" -n 2 "$ring" 5
            right_or_told "$call, $error"
            ends "$mpirun" -n 2 "$deny" $call $error "$ring" 5
            right_or_told "$call of ranks, $error"
            # A job that has to be ended: by its launcher, or with it.
            ends "$deny" $call $error "$mpirun" -n 2 sh -c "$failing"
            [ "$code" -ne 0 ] && [ -s "$work/err" ] ||
                fail "$call, $error: a failing job has code $code"
            ;;
        esac
    done
done <"$work/calls"

# -- what has another way is right, alone and with more than one way denied
for call in kill,pidfd_open kill,tgkill poll wait4 dup2 memfd_create membarrier \
    process_vm_readv,process_vm_writev sched_setaffinity,sched_getaffinity prctl clone3 vfork \
    clock_gettime faccessat2 epoll_wait,epoll_pwait setpgid,setsid getpid getppid gettid \
    close_range prlimit64 kill,poll,wait4,dup2,memfd_create,membarrier,prctl; do
    "$deny" $call EPERM true 2>"$work/err"
    [ $? -ne 2 ] || continue        # not a call of this machine
    for error in EPERM ENOSYS; do
        right "$call, $error" "$deny" $call $error "$mpirun" -n 2 "$ring" 50
        right "$call of ranks, $error" "$mpirun" -n 2 "$deny" $call $error "$pingpong" -s 1M -i 3
        ends "$deny" $call $error "$mpirun" -n 2 sh -c "$failing"
        [ "$code" -eq 3 ] || fail "$call, $error: a job that fails with 3 has exit code $code"
    done
done

# -- what has none is named
# named CALLS NAME
named() {
    "$deny" $1 EPERM true 2>"$work/err"
    [ $? -ne 2 ] || return 0
    ends "$deny" $1 EPERM "$mpirun" -n 2 "$ring" 5
    [ "$code" -ne 0 ] || fail "$1: exit code 0"
    told "^mpirun: .*$2: Operation not permitted"
}
named poll,ppoll poll
named wait4,waitid wait4
named dup2,dup3 dup2
named signalfd4 signalfd4
named rt_sigprocmask rt_sigprocmask
named pipe2 pipe2
named epoll_create1 epoll_create1
named epoll_ctl epoll_ctl
named fcntl fcntl
named ftruncate ftruncate
named vfork,fork,clone,clone3 vfork
ends "$deny" kill,pidfd_open,tgkill EPERM "$mpirun" --timeout 0.2 -n 2 \
    sh -c 'echo $$ >>"$0"; exec sleep 1000' "$work/pids"
[ "$code" -eq 124 ] || fail "no signal can be sent: exit code $code, not 124"
told '^mpirun: cannot signal the ranks.*kill: Operation not permitted'
while read -r pid; do until_true gone "$pid"; done <"$work/pids"

# -- memory: in /dev/shm, else in TMPDIR, else there is a message; no file is left
mkdir "$work/tmp"
TMPDIR=$work/tmp right 'memory in a file' "$deny" memfd_create EPERM "$mpirun" -n 3 "$ring" 5
for size in 64k 4M; do
    right "a heap of $size" "$deny" memfd_create ENOSYS \
        "$mpirun" --heap $size -n 2 "$pingpong" -s 64K -i 3
done
right 'a singleton' "$deny" memfd_create EPERM "$ring" 5
if unshare -m mount -t tmpfs -o ro none /dev/shm 2>"$work/err"; then
    in_place='mount -t tmpfs -o ro none /dev/shm && exec "$@"'
    TMPDIR=$work/tmp right 'memory in TMPDIR' unshare -m sh -c "$in_place" sh \
        "$deny" memfd_create EPERM "$mpirun" -n 2 "$ring" 5
    TMPDIR=$work/none ends unshare -m sh -c "$in_place" sh \
        "$deny" memfd_create EPERM "$mpirun" -n 2 "$ring" 5
    [ "$code" -eq 1 ] || fail "no memory at all: exit code $code"
    neither='neither memfd_create nor a file in /dev/shm or TMPDIR: '
    told "^mpirun: cannot create the job's shared memory: $neither"
    TMPDIR=$work/none ends unshare -m sh -c "$in_place" sh "$deny" memfd_create EPERM "$ring" 5
    told "^Fatal error in MPI_Init: .*$neither"
fi
[ -z "$(ls "$work/tmp" /dev/shm | grep nicemu-job)" ] || fail 'a file is left'

# -- the list holds whatever a job uses
if strace -o "$work/trace" true 2>"$work/err"; then
    strace -f -c -o "$work/trace" "$mpirun" -n 2 "$pingpong" -s 1M -i 3 \
        >"$work/out" 2>"$work/err"
    awk 'NR > 2 && $NF ~ /^[a-z_0-9]+$/ && $NF != "total" { print $NF }' "$work/trace" |
        sort >"$work/used"
    sed 's/^-//' "$work/calls" | sort | comm -13 - "$work/used" >"$work/missing"
    [ ! -s "$work/missing" ] || fail "deny.c does not know $(tr '\n' ' ' <"$work/missing")"
fi
exit 0
