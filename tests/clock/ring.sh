#!/bin/sh
# Random programs on rings of slots: the same in parallel and one rank at a time, for each way in
# which messages, rendezvous and handlers can go.
#
#   CLOCK_FIRST  first seed, default 1
set -u

if [ -z "${CLOCK_TIMED:-}" ]; then
    CLOCK_TIMED=yes
    export CLOCK_TIMED
    exec timeout -k 5 $((1800 * ${TEST_TIMEOUT_SCALE:-1})) sh "$0" "$@"
fi

mpirun=$PWD/bin/mpirun
program=$PWD/tests/clock/random.t
unset MPILITE_MODEL MPILITE_MODEL_SERIAL MPILITE_COMPUTE MPILITE_RNDV MPILITE_EAGER NICEMU_OFFLOAD
seed=${CLOCK_FIRST:-1}

# result OPTION...: what a run of the program says.
result() { "$mpirun" "$@" --model-hash -n "$ranks" "$program" "$seed" 6 2>&1; }
wrong() { printf 'seed %s, %s ranks: %s\n' "$seed" "$ranks" "$*"; exit 1; }

# same RANKS PROFILE OPTION...: two programs, each in both ways.
same() {
    ranks=$1
    shift
    for _ in 1 2; do
        wanted=$(result --model "$@") || wrong "$* failed: $wanted"
        case $wanted in *'model hash '*) ;; *) wrong "$*: there is no hash: $wanted" ;; esac
        got=$(result --model "$@" --model-serial)
        [ "$got" = "$wanted" ] || wrong "$*, one rank at a time: $got is not $wanted"
        seed=$((seed + 1))
    done
}

for ranks in 2 3 5 8; do same $ranks fpga-scratchpad; done
same 4 fpga-scratchpad --set protocol.rendezvous=get
same 4 fpga-scratchpad --set protocol.send_returns=copied
same 3 fpga-scratchpad --set completion.kind=interrupt
same 5 fpga-scratchpad --set scratchpad.slots=2
same 3 fpga-scratchpad --set scratchpad.slots=3 --set scratchpad.slot_bytes=20bytes \
    --set protocol.eager_limit=0bytes
same 4 fpga-scratchpad --offload match
same 3 fpga-scratchpad --offload all
same 3 redstorm-alpu --offload none --set completion.kind=interrupt
same 4 redstorm-alpu --set protocol.eager=ring --set protocol.eager_limit=32bytes
same 6 ideal --set protocol.eager=ring --set protocol.eager_limit=48bytes
MPILITE_RNDV=staged
export MPILITE_RNDV
same 3 fpga-scratchpad
unset MPILITE_RNDV

# says TEXT ARGUMENT...: mpirun says it.
says() {
    text=$1
    shift
    "$mpirun" --model fpga-scratchpad "$@" 2>&1 | grep -q "$text"
}
# What does not fit says what to set.
says 'scratchpad and there are 16384 (set scratchpad.bytes to more' -n 17 "$program" 1 1 ||
    wrong 'rings without room do not say so'
says 'what a slot holds behind the header, 48 bytes' --set protocol.eager_limit=49bytes -n 1 true ||
    wrong 'an eager limit past a slot is not refused'
exit 0
