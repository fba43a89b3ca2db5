#!/bin/sh
# A rank on another machine stops for longer than the others have patience: they lose it, and all of
# them are told, also who waits in the same collective for another one; others' long messages go on.
# shellcheck disable=SC1091,SC2154 # lib.sh is sourced
launch_limit=120
. "${srcdir:-.}/tests/launch/lib.sh"
program=$tools/stopped_rank
NICEMU_WIRE_PATIENCE=2000
NICEMU_PROGRESS=thread          # where no thread answers, silence means nothing
export NICEMU_WIRE_PATIENCE NICEMU_PROGRESS

# by_each CASE: by the wire that is always there, and by libfabric's, as datagrams and as a stream.
by_each() {
    "$1"
    find . -maxdepth 2 -name 'libnicemu_ofi.so' | grep -q . || return 0
    for provider in udp tcp; do
        NICEMU_OFI_PROVIDER=$provider "$1"
    done
}

credits() {
    NICEMU_MACHINES=3 run 7 -n 3 "$program" credits
    printed 'rank 1 has it'
}
collective() {
    NICEMU_MACHINES=4 run 7 -n 4 "$program" collective
    printed 'rank 0 goes on' 'rank 1 goes on' 'rank 2 goes on'
}
by_each credits
by_each collective
exit 0
