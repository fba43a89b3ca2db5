#!/bin/sh
# Ranks on two machines, which are namespaces of the kernel's (tests/machines/make.sh): messages,
# collectives and windows between them, exit codes, MPI_Abort, and a rank that dies.
# shellcheck disable=SC1091,SC2154 # lib.sh is sourced
here=${srcdir:-.}/tests/machines
launch_limit=3600
command -v mpiexec.hydra >/dev/null ||
    { echo "no mpiexec.hydra here (Debian: apt-get install mpich)"; exit 77; }
find . -maxdepth 2 -name 'libnicemu_ofi.so' | grep -q . ||
    { echo "built without libfabric (Debian: apt-get install libfabric-dev)"; exit 77; }
[ "${MACHINES:-}" ] || exec sh "$here/make.sh" 2 sh "$0" "$@"
. "${srcdir:-.}/tests/launch/lib.sh"
program=$PWD/tests/machines/ranks
far=$PWD/tests/machines/far

# ends CODE ARGUMENT...: so many ranks end with this code; "bad": any but 0, as mpiexec.hydra itself
# fails at times when it ends what is left.
ends() {
    expected=$1
    shift
    timeout -k 5 $((600 * ${TEST_TIMEOUT_SCALE:-1})) sh "$here/start.sh" "$@" >"$work/out" \
        2>"$work/err"
    code=$?
    case $expected in
    bad) [ $code -ne 0 ] && [ $code -ne 124 ] ;;
    *) [ $code -eq "$expected" ] ;;
    esac || fail "$*: exit code $code, not $expected"
}
# fails ARGUMENT...: so many ranks end badly, and say why; mpiexec.hydra may have given up by itself
# when the first had ended, so that what the others say was lost: then once more.
fails() {
    for try in 1 2 3; do
        ends bad "$@"
        grep -q '^Fatal error' "$work/err" && return
        grep -q 'process manager error waiting for completion' "$work/err" || return
        no_rank_left
    done
}
# read_some PROVIDER: long messages go by reads of that provider's; without it nothing is said.
read_some() {
    ends 0 -n 2 env NICEMU_OFI_PROVIDER="$1" MPILITE_STATS=all "$far"
    grep -Eq '^ +[1-9][0-9]* .* wire_reads ' "$work/out" "$work/err" || fail "$1 has read nothing"
}
# Everything ends, on all machines: on one that is off the net a little later.
is_rank_left() { readlink /proc/[0-9]*/exe | grep -qxF "$program"; }
no_rank_left() {
    while is_rank_left; do sleep 0.05; done
}

ends 0 -n 4 "$program"
printed 'rank 0 of 4, 2 near, on m1' 'rank 1 of 4, 2 near, on m1' 'rank 2 of 4, 2 near, on m2' \
    'rank 3 of 4, 2 near, on m2'
ends 0 -n 3 env NICEMU_FAULT=drop=1%,dup=1%,reorder=2%,corrupt=0.1% "$program"
read_some 'tcp;ofi_rxm'
fi_info -p net >/dev/null 2>&1 && read_some net
ends 0 -n 2 env NICEMU_FAULT=drop=1%,dup=1%,reorder=2%,corrupt=0.1% "$far"
# Messages travel with their envelopes however fast the kernel copies here: of up to 64 KiB where
# the wire is a stream, else of up to 16.
asked() { grep -Eq '^ +[1-9][0-9]* .* rendezvous_sent ' "$work/out" "$work/err"; }
if fi_info -p net >/dev/null 2>&1; then
    ends 0 -n 2 env NICEMU_OFI_PROVIDER=net MPILITE_STATS=all "$far" short
    asked && fail "a short message has asked first"
fi
ends 0 -n 2 env NICEMU_OFI_PROVIDER='tcp;ofi_rxm' MPILITE_STATS=all "$far" short
asked || fail "no message of 64 KiB has asked first where it must"
ends 0 -n 2 env MPILITE_STATS=all MPILITE_EAGER=8192 "$far" short
asked || fail "no message has asked first: this tells nothing"
# Long ones that nobody has asked for are not held without end.
ends 0 -n 2 "$PWD/tests/mpi/flood_long.t"
# Datagrams, which are lost where sockets are full, and are to meet no other job's.
datagrams=
if fi_info -p udp -t FI_EP_DGRAM >/dev/null 2>&1; then
    datagrams=yes
    ends 0 -n 4 env NICEMU_OFI_PROVIDER=udp "$program"
    ends 0 -n 2 env NICEMU_OFI_PROVIDER=udp MPILITE_STATS=all "$far"
    cat "$work/out" "$work/err" | grep -Eq '^ +[1-9][0-9]* .* wire_pieces ' ||
        fail "there were no datagrams"
    ends 0 -n 3 env NICEMU_OFI_PROVIDER=udp NICEMU_FAULT=drop=1%,dup=1%,reorder=2%,corrupt=0.1% \
        "$program"
fi
ends 9 -n 2 "$program" code
ends 3 -n 2 "$program" abort
told '^MPI_Abort\(MPI_COMM_WORLD, 3\) was called by rank 1 of MPI_COMM_WORLD'
no_rank_left
ends bad -n 3 "$program" kill
grep -q 'EXIT CODE: 9$' "$work/out" || fail "nobody says how the rank has died"
no_rank_left

# A rank ends, and the launcher does not care: who waits for it says so.
NICEMU_WIRE_PATIENCE=5000
export NICEMU_WIRE_PATIENCE
fails -n 2 "$program" five
told '^Fatal error in MPI_Recv: '
told '^  rank 1 on m2, machine 1 is lost: [a-z]'
no_rank_left
for how in held:MPI_Win_lock fence:MPI_Win_fence epoch:MPI_Win_start; do
    fails -n 2 "$program" "${how%:*}"
    told "^Fatal error in ${how#*:}: "
    told '^  rank 1 on m2, machine 1 is lost: [a-z]'
    no_rank_left
done

# In the midst of long messages.
for provider in '' 'tcp;ofi_rxm'; do
    MPI_TEST_HYDRA=-disable-auto-cleanup
    export MPI_TEST_HYDRA
    ends bad -n 2 env NICEMU_OFI_PROVIDER="$provider" "$far" die
    unset MPI_TEST_HYDRA
    grep -qx 'rank 0 goes on' "$work/out" ||
        fail "a loss in the midst of a message ends all: $(cat "$work/err")"
done

# off_net WHEN CODE ARGUMENT...: the second machine is off the net from when all have talked with
# each other, for so many seconds, or until so many ranks have "lost" another, or one has "ended".
has_lost() { [ "$(find "$work" -name 'ready.*' | wc -l)" -ge "$1" ]; }
has_ended() { [ "$(readlink /proc/[0-9]*/exe | grep -cxF "$program")" -lt 2 ]; }
off_net() {
    how=$1
    shift
    rm -f "$work"/ready*
    (
        until [ -f "$work/ready" ]; do sleep 0.05; done
        ip -n m2 link set eth0 down
        case $how in
        lost-*) until has_lost "${how#lost-}"; do sleep 0.05; done ;;
        ended) until has_ended; do sleep 0.05; done ;;
        *) sleep "$how" ;;
        esac
        ip -n m2 link set eth0 up
    ) &
    ends "$@" "$work/ready"
    wait $!
}
off_net lost-3 0 -n 3 "$program" lose
told_out() { grep -qx "$1" "$work/out" || fail "nobody says: $1"; }
told_out 'rank 0 goes on'
told_out 'rank 1 goes on'
[ -z "$datagrams" ] || {
    off_net lost-3 0 -n 3 env NICEMU_OFI_PROVIDER=udp "$program" lose
    told_out 'rank 0 goes on'
    told_out 'rank 1 goes on'
}
off_net lost-3 0 -n 3 "$program" windows
told_out 'rank 0 goes on'
told_out 'rank 1 goes on'
off_net ended bad -n 2 "$program" window
told '^Fatal error in MPI_Win_(lock|unlock): '
# each has lost the other, and whoever sees it first ends the job
told '^  rank (1 on m2, machine 1|0 on m1, machine 0) is lost: '
no_rank_left
NICEMU_WIRE_PATIENCE=60000
off_net 1 0 -n 4 "$program" survive
[ -z "$datagrams" ] || off_net 1 0 -n 4 env NICEMU_OFI_PROVIDER=udp "$program" survive
# Ranks that have not talked before: a connection that fails is tried again.
off_net 4 0 -n 2 "$program" first
exit 0
