#!/bin/sh
# A rank on another machine stops for longer than the others have patience: they lose it, and all of
# them are told, also who waits in the same collective for another one; others' long messages go on.
# shellcheck disable=SC1091,SC2154 # lib.sh is sourced
launch_limit=1800
. "${srcdir:-.}/tests/launch/lib.sh"
program=$tools/stopped_rank
NICEMU_PROGRESS=thread          # where no thread answers, silence means nothing
export NICEMU_PROGRESS

# has TEXT...: as `printed`, but only tells.
has() {
    printf '%s\n' "$@" | LC_ALL=C sort >"$work/expected"
    LC_ALL=C sort "$work/out" | cmp -s - "$work/expected"
}
# loses MACHINES CASE TEXT...: who is only late must not be lost, so with more patience each time.
loses() {
    machines=$1 case=$2
    shift 2
    for NICEMU_WIRE_PATIENCE in 2000 8000 32000; do
        export NICEMU_WIRE_PATIENCE
        NICEMU_MACHINES=$machines "$mpirun" -n "$machines" "$program" "$case" \
            >"$work/out" 2>"$work/err"
        code=$?
        [ $code -eq 7 ] && has "$@" && return
    done
    fail "$case: exit code $code, and not: $*"
}

# by_each CASE: by the wire that is always there, and by libfabric's, as datagrams and as a stream.
by_each() {
    "$1"
    find . -maxdepth 2 -name 'libnicemu_ofi.so' | grep -q . || return 0
    for provider in udp tcp; do
        NICEMU_OFI_PROVIDER=$provider "$1"
    done
}

credits() { loses 3 credits 'rank 1 has it'; }
collective() { loses 4 collective 'rank 0 goes on' 'rank 1 goes on' 'rank 2 goes on'; }
by_each credits
by_each collective
exit 0
