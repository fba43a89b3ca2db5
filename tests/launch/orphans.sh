#!/bin/sh
# No process of a job outlives it, however it ends: children of ranks in the background, in sessions
# of their own, with descriptors closed and with another environment.
# shellcheck disable=SC1091,SC2015,SC2016,SC2094,SC2154,SC2317,SC3045 # lib.sh; scripts for ranks
. "${srcdir:-.}/tests/launch/lib.sh"

# Starts children of all these kinds, and notes all process ids.
cat >"$work/parent.sh" <<'TEXT'
sleep 1000 & echo $! >>"$1"
(trap '' TERM INT HUP; exec sleep 1000) & echo $! >>"$1"
setsid sh -c 'echo $$ >>"$0"; exec sleep 1000 </dev/null >/dev/null 2>&1' "$1" &
sh -c 'sleep 1000 & echo $! >>"$0"' "$1"
echo $$ >>"$1"
TEXT
per_rank=5

waits=
all_gone() {
    while read -r pid; do
        [ -z "$waits" ] || until_true gone "$pid"
        gone "$pid" || fail "$1: process $pid is left: $(tr '\0' ' ' <"/proc/$pid/cmdline")"
    done <"$work/pids"
}

# ends NAME CODE RANKS END: END is what each rank does after it has started its children.
ends() {
    name=$1 code=$2 ranks=$3 end=$4
    : >"$work/pids"
    run "$code" -n "$ranks" sh -c '. "$0" "$1"
        until test "$(wc -l <"$1")" -ge '$((ranks * per_rank))'; do sleep 0.02; done; '"$end" \
        "$work/parent.sh" "$work/pids"
    has_lines "$work/pids" $((ranks * per_rank)) || fail "$name: not all processes were started"
    all_gone "$name"
}

# Where nobody's children come to us they are known by the job's mark, and nobody waits for their
# end.
if "$tools/deny" prctl EPERM true; then
    real=$mpirun
    printf '#!/bin/sh\nexec "%s" prctl EPERM "%s" "$@"\n' "$tools/deny" "$real" >"$work/denied"
    chmod +x "$work/denied"
    mpirun=$work/denied waits=yes
    ends "without prctl" 0 2 'exit 0'
    mpirun=$real waits=
fi
{
    ends "in order" 0 2 'exit 0'
    ends "a failure" 3 3 'test "$NICEMU_RANK" = 1 && exit 3; wait'
    ends "a crash" 137 2 'test "$NICEMU_RANK" = 0 && kill -9 $$; wait'
    ends "abandoned by all" 1 2 'exec false'
}
exit 0
