#!/bin/sh
# hashes.sh [-r RUNS] [-s SEEDS] [-f FIRST] [-p PROGRAMS] BUILD [BUILD...]: runs programs on the
# model clock again and again, each time under another condition of the machine, and compares the
# hash of all events, the virtual time and what they print with those of a run of one rank at a
# time. Writes a table, tab-separated: program, ranks, profile, offload, events, hash, runs, and how
# many of them were different.  Exit status 1: some were.
#
#   -r RUNS      per program and build, the conditions in turn (default 20)
#   -s SEEDS     random programs (default 24); 0: none     -f FIRST  seed of the first (default 1)
#   -p PROGRAMS  papers, random or all (default all)
#   BUILD        folders in which `make check` has been built: with and without optimisation, say
# Conditions are the lines of conditions() below.  What is different is told on the standard error,
# with the command.
set -u

runs=20 seeds=24 first=1 programs=all
usage() { sed -n '2,9s/^# \{0,1\}//p' "$0" >&2; exit 2; }
while getopts r:s:f:p:h option; do
    case $option in
    r) runs=$OPTARG ;;
    s) seeds=$OPTARG ;;
    f) first=$OPTARG ;;
    p) programs=$OPTARG ;;
    *) usage ;;
    esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || usage
builds=
for build; do
    build=$(cd "$build" && pwd) || exit 2
    if [ ! -x "$build/bin/mpirun" ] || [ ! -x "$build/tests/clock/bypass.t" ]; then
        echo "$build: make check has not been built there" >&2
        exit 2
    fi
    builds="$builds $build"
done

work=$(mktemp -d) || exit 1
load=
# shellcheck disable=SC2086,SC2317 # numbers; called by the trap
quit() { [ -z "$load" ] || kill -s KILL $load 2>/dev/null; rm -rf "$work"; }
trap quit EXIT
trap 'exit 129' HUP INT TERM
unset MPILITE_MODEL MPILITE_MODEL_SERIAL MPILITE_COMPUTE MPILITE_RNDV MPILITE_EAGER
unset NICEMU_OFFLOAD NICEMU_FAULT MPILITE_BYPASS
core=$(taskset -cp $$ 2>/dev/null | sed 's/.*: *//; s/[-,].*//')
# has WORD...: the words, if they can stand before a command here
has() { "$@" true >/dev/null 2>&1 && echo "$*"; }
one_core=$(has taskset -c "$core") plain_addresses=$(has setarch -R)

# A rank that starts late, or is stopped in the middle: called in its place.
cat >"$work/late" <<'END'
#!/bin/sh
sleep "0.0$(((NICEMU_RANK * 7 + 3) % 10))"
exec "$@"
END
cat >"$work/stopped" <<'END'
#!/bin/sh
[ "$NICEMU_RANK" = 0 ] && (
    exec >/dev/null 2>&1
    for i in 1 2 3 4; do
        sleep 0.02
        kill -STOP $$ && sleep 0.03
        kill -CONT $$ || exit
    done) &
exec "$@"
END
cat >"$work/slow" <<'END'
#!/bin/sh
[ "$NICEMU_RANK" = 0 ] || exec "$@"
exec nice -n 19 "$@"
END
cat >"$work/elsewhere" <<'END'
#!/bin/sh
mkdir -p "$0.d/$NICEMU_RANK/a/long/way/down" && cd "$0.d/$NICEMU_RANK/a/long/way/down" || exit 1
program=$1
shift
ln -sf "$program" "./$NICEMU_RANK-$(basename "$program")"
HOME=/nowhere USER=nobody LOGNAME=nobody exec "./$NICEMU_RANK-$(basename "$program")" "$@"
END
chmod +x "$work/late" "$work/stopped" "$work/slow" "$work/elsewhere"
big=$(head -c 60000 /dev/zero | tr '\0' x)
rubbish="env MALLOC_PERTURB_=165 MALLOC_ARENA_MAX=1 MALLOC_TOP_PAD_=1000000"
rubbish="$rubbish GLIBC_TUNABLES=glibc.malloc.mmap_threshold=4096"
other_host="env NICEMU_SIMD=none NICEMU_MEMBARRIER=off NICEMU_PROGRESS=thread MPILITE_BIND_TO=none"

# name | words before mpirun | options of mpirun | words before the program; "busy" is a name that
# means more
conditions() {
    cat <<END
again|||
one rank at a time||--model-serial|
one core|$one_core||
busy|||
no kernel copy|env NICEMU_RDMA=staged||
half of the kernel copy|env NICEMU_RDMA=write||
addresses as they are|$plain_addresses||
memory full of rubbish|$rubbish||
large environment|env RUBBISH=$big||
late ranks|||$work/late
stopped rank|||$work/stopped
slow rank|||$work/slow
other folders and names|||$work/elsewhere
other ways of the host|$other_host||
other memory|env NICEMU_HEAP=none||
figures and a log|env MPILITE_STATS=all|--model-log $work/log|
one core, busy|$one_core||
no kernel copy, one rank at a time|env NICEMU_RDMA=staged|--model-serial|
END
}
conditions >"$work/conditions"
all=$(wc -l <"$work/conditions")

begin_load() {
    load=
    for _ in 1 2 3; do
        while :; do :; done &
        load="$load $!"
    done
}

# A shell that has just been forked takes TERM for its parent's, which has a trap, and goes on.
end_load() {
    # shellcheck disable=SC2086 # numbers
    kill -s KILL $load
    load=
}

# once BUILD LINE: a run of "$@" under that condition; its hash and what it printed
once() {
    build=$1 name=${2%%|*} rest=${2#*|}
    before=${rest%%|*} rest=${rest#*|}
    options=${rest%%|*} inside=${rest#*|}
    shift 2
    case $name in *busy*) begin_load ;; esac
    program=$build/$1
    shift
    # shellcheck disable=SC2086 # lists of words
    set -- "$build/bin/mpirun" $model --model-hash -n "$ranks" $options $inside "$program" "$@"
    $before "$@" >"$work/out" 2>"$work/err" </dev/null
    code=$?
    case $name in *busy*) end_load ;; esac
    { echo "$code"; sed -n 's/^mpirun: model hash //p' "$work/err"; cat "$work/out"; } >"$work/got"
}

# without: a condition that is part of the experiment
failed=0 turn=0 without=''
# table RANKS PROFILE OFFLOAD PROGRAM...
table() {
    ranks=$1 profile=$2 offload=$3
    model="--model $profile ${offload:+--offload $offload}"
    shift 3
    count=0 other=0
    for build in $builds; do
        if [ "$count" -eq 0 ]; then
            once "$build" 'one rank at a time||--model-serial|' "$@"
            mv "$work/got" "$work/wanted"
            [ "$(head -n 1 "$work/wanted")" = 0 ] || { cat "$work/err" "$work/out" >&2; other=1; }
        fi
        run=0
        while [ "$run" -lt "$runs" ]; do
            line=$(sed -n "$((turn % all + 1))p" "$work/conditions")
            if [ "$without" ] && [ "${line%%|*}" = "$without" ]; then
                turn=$((turn + 1))
                continue
            fi
            once "$build" "$line" "$@"
            run=$((run + 1)) count=$((count + 1)) turn=$((turn + 1))
            cmp -s "$work/got" "$work/wanted" && continue
            other=$((other + 1))
            { echo "different: ${line%%|*}: $build: $model -n $ranks $*"
              diff "$work/wanted" "$work/got" | head -n 6; tail -n 3 "$work/err"; } >&2
        done
    done
    [ "$other" -eq 0 ] || failed=1
    hash=$(sed -n '2s/,.*//p' "$work/wanted")
    events=$(sed -n '2s/.*, \([0-9]*\) events.*/\1/p' "$work/wanted")
    what=$(basename "$*" | sed 's/\.t / /')
    how=${NICEMU_FAULT:+, faults}${MPILITE_BYPASS:+, bypass}
    printf '%s\t%s\t%s\t%s\t' "$what" "$ranks" "$profile$how" \
        "${offload:-as the profile}"
    printf '%s\t%s\t%s\t%s\n' "$events" "$hash" "$count" "$other"
}

# paper NAME ARGUMENT...: a benchmark of the papers
paper() {
    benchmark=$1
    shift
    table 2 "$profile" "$offload" "examples/papers/$benchmark" "$@"
}

printf 'program\tranks\tprofile\toffload\tevents\thash\truns\tdifferent\n'
if [ "$programs" != random ]; then
    for profile in redstorm-alpu fpga-scratchpad ideal; do
        for offload in '' none; do
            paper preposted -q 0,40,300 -p 0:100:50 -s 0,100 -r 3 -w 1
            paper unexpected -q 0,20,150 -s 0,3000 -r 10 -w 2
            paper pingpong_words -s 0:64:8,2048,70000 -r 20 --late 300
        done
    done
fi
seed=$first
while [ "$programs" != papers ] && [ "$seed" -lt $((first + seeds)) ]; do
    set -- 1 2 3 4 5 7 8 12 16 24 32
    shift $((seed % 11))
    number=$1
    set -- redstorm-alpu fpga-scratchpad ideal
    shift $((seed % 3))
    kind=$1
    # the rings of more do not fit its scratchpad
    if [ "$kind" = fpga-scratchpad ] && [ "$number" -gt 16 ]; then number=16; fi
    set -- '' none match all forward
    shift $((seed / 3 % 5))
    table "$number" "$kind" "$1" tests/clock/random.t "$seed" $((number > 8 ? 6 : 12))
    seed=$((seed + 1))
done
# A wire that loses packets, and few streams.
seed=$first
while [ "$programs" != papers ] && [ "$seed" -lt $((first + seeds)) ]; do
    set -- match forward none all
    shift $((seed % 4))
    offload=$1
    set -- seastar ideal
    shift $((seed / 4 % 2))
    NICEMU_FAULT="drop=2%,dup=1%,reorder=2%,corrupt=0.5%,seed=$seed"
    export NICEMU_FAULT
    table $((2 + seed % 7)) "$1" "$offload" tests/clock/random.t "$seed" 8
    unset NICEMU_FAULT
    seed=$((seed + 1))
done
# Broadcasts that NICs send on, and reductions that they go on with.
seed=$first
while [ "$programs" != papers ] && [ "$seed" -lt $((first + seeds)) ]; do
    set -- all match forward
    shift $((seed % 3))
    offload=$1
    set -- redstorm-alpu ideal
    shift $((seed / 3 % 2))
    MPILITE_BYPASS=nic
    export MPILITE_BYPASS
    table $((3 + seed * 3 % 10)) "$1" "$offload" tests/clock/bypass.t rounds 30 "$seed"
    unset MPILITE_BYPASS
    seed=$((seed + 1))
done
# Ranks that share a NIC, and processors; also on a wire that loses packets, and with a NIC that
# turns packets round.
seed=$first
while [ "$programs" != papers ] && [ "$seed" -lt $((first + seeds)) ]; do
    set -- all match forward none
    shift $((seed % 4))
    offload=$1
    set -- redstorm-alpu seastar lanai43
    shift $((seed % 3))
    shared="$1 --set node.ranks=$((2 + seed % 3))"
    set -- '' '--set node.cpus=1 --set node.change=3us' '--set node.loop=50ns' \
        '--set node.cpus=1 --set completion.kind=interrupt'
    shift $((seed / 2 % 4))
    case $((seed % 3)) in 2) export NICEMU_FAULT="drop=2%,reorder=2%,seed=$seed" ;; esac
    table $((3 + seed % 6)) "$shared $1" "$offload" tests/clock/random.t "$seed" 8
    unset NICEMU_FAULT
    seed=$((seed + 1))
done
# Networks of routers, whose links packets share, or not.
seed=$first
while [ "$programs" != papers ] && [ "$seed" -lt $((first + seeds)) ]; do
    set -- all match forward none
    shift $((seed % 4))
    offload=$1
    set -- redstorm-alpu seastar lanai43
    shift $((seed % 3))
    profile=$1
    set -- mesh torus mixed
    shift $((seed / 2 % 3))
    network="$profile --set link.topology=$1 --set link.router=70ns"
    set -- '' '--set link.contention=shared' '--set link.contention=shared --set node.ranks=2'
    shift $((seed % 3))
    table $((3 + seed % 6)) "$network $1" "$offload" tests/clock/random.t "$seed" 8
    seed=$((seed + 1))
done
# A unit for command queues, shared by the ranks of a node.  Its places are in the NIC's heap.
without='other memory'
if [ "$programs" != random ]; then
    for cores in 1 2 4; do
        shared="pgas-xt --set pgas.ranks=$cores"
        table $((2 * cores)) "$shared" '' examples/papers/puts -c $cores -s 8,700 -n 1024
        table $((4 * cores)) "$shared" '' examples/papers/updates -u 64
    done
fi
exit $failed
