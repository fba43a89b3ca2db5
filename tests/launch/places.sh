#!/bin/sh
# What containers begin with: little shared memory, a root that cannot be written, no /proc or /sys,
# no ptrace, filters of system calls, little memory for many ranks, a user who is not root.  A job
# does what it should, or says why not.  What is not allowed here is left out, and said.
# shellcheck disable=SC1091,SC2016,SC2034,SC2086,SC2154,SC2317 # lib.sh; scripts for shells; words
. "${srcdir:-.}/tests/launch/lib.sh"
[ "${SANITIZED:-}" ] && { echo 'sanitizers need /proc and memory of their own'; exit 77; }
heat="$PWD/examples/heat2d -n 64 -s 20" ring=$PWD/examples/ring pingpong=$PWD/examples/pingpong
build=$PWD done_here='' left_out=''

# job WHERE COMMAND...: a shell command under which mpirun works: messages of all lengths.
job() {
    where=$1
    shift
    for try in "-n 3 $ring 2" "-n 2 $pingpong -s 1M -i 20" "-n 4 $heat"; do
        "$@" "$mpirun" $try >"$work/out" 2>"$work/err" </dev/null
        code=$?
        [ "$code" -eq 0 ] || [ -s "$work/err" ] || fail "$where: $try: exit $code without a word"
        [ "$code" -eq 0 ] || fail "$where: $try: exit code $code"
    done
    done_here="$done_here$where; "
}

# may WHERE COMMAND...: whether that can be made here.
may() {
    where=$1
    shift
    "$@" true >/dev/null 2>&1 && return
    left_out="$left_out$where; "
    false
}

# inside SCRIPT COMMAND...: in a namespace of mounts that the script arranges first.
inside() {
    script=$1
    shift
    unshare $user -m sh -c "set -e; $script"'; set +e; cd "$0" 2>/dev/null; exec "$@"' "$build" "$@"
}
user=
unshare -m true 2>/dev/null || user=-r

shm='mount -t tmpfs -o size=64m none /dev/shm'
may 'a small /dev/shm' inside "$shm" && job 'a small /dev/shm' inside "$shm"
no_shm='mount -t tmpfs -o size=4k none /dev/shm'
may 'no /dev/shm' inside "$no_shm" && job 'no /dev/shm' inside "$no_shm"
root='mount --rbind / / && mount -o remount,bind,ro / && mount -o remount,bind,ro /tmp || :
    if touch /place-test 2>/dev/null; then exit 1; fi'
may 'a root that is only read' inside "$root" && job 'a root that is only read' inside "$root"
for folder in proc sys; do
    hidden="mount -t tmpfs none /$folder"
    may "no /$folder" inside "$hidden" && job "no /$folder" inside "$hidden"
done
both='mount -t tmpfs none /sys; mount -t tmpfs -o size=64m none /dev/shm
    mount -t tmpfs -o ro none /proc'
may 'all of these' inside "$both" && job 'all of these' inside "$both"

# The filters of containers: no ptrace, no copies from process to process; a strict one.
deny=$tools/deny
for calls in process_vm_readv,process_vm_writev memfd_create,process_vm_readv,mbind; do
    may "no $calls" "$deny" $calls EPERM && job "no $calls" "$deny" $calls EPERM
done

# Somebody else, who may not even read where the program's folder lies.
nobody='setpriv --reuid=65534 --regid=65534 --clear-groups'
if may 'not root' $nobody && $nobody test -x "$mpirun"; then
    job 'not root' $nobody
fi

# 256 MB for 16 ranks, of either kind of control group.
group=/sys/fs/cgroup/memory/places.$$ limit=memory.limit_in_bytes
[ -d /sys/fs/cgroup/memory ] || { group=/sys/fs/cgroup/places.$$ limit=memory.max; }
if mkdir "$group" 2>/dev/null && echo 268435456 2>/dev/null >"$group/$limit"; then
    # shellcheck disable=SC2064 # the group of now
    trap "rm -rf '$work'; rmdir '$group' 2>/dev/null" EXIT
    sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group" "$mpirun" -n 16 $heat \
        >"$work/out" 2>"$work/err" || fail "256 MB for 16 ranks: exit code $?"
    done_here="${done_here}256 MB for 16 ranks; "
else
    left_out="${left_out}a control group of 256 MB; "
fi

# Both recipes use options and verbs that there are, and files that they name.
packaging=${srcdir:-.}/tools/packaging
[ "$(grep -c 'sh bootstrap install' "$packaging/Containerfile" "$packaging/workflow.yml" |
    grep -c ':1$')" -eq 2 ] || fail 'the recipes do not install'
sed -n 's/.*run: mpirun \(.*\) -n [0-9]* .*/\1/p' "$packaging/workflow.yml" >"$work/options"
[ -s "$work/options" ] || fail 'the workflow runs nothing'
while read -r options; do run 0 $options -n 3 $heat; done <"$work/options"

echo "tried: ${done_here%; }"
[ -z "$left_out" ] || echo "cannot be made here: ${left_out%; }"
[ "$done_here" ] || exit 77
exit 0
