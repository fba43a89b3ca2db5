#!/bin/sh
# Textbook programs in C and Fortran, compiled unchanged with every MPI that is here, must print
# what NAME.expected says, on any number of ranks and with any of them.  The files are what MPICH
# and Open MPI print on one rank:
#   sh programs.sh record     writes them, if both agree
#
#   OURS    folder of our mpicc and mpirun, default bin of the build folder; mandatory
#   PEERS   names of other implementations, as in mpicc.NAME and mpirun.NAME; those that are missing
#           are left out
set -u

sources=$(cd "$(dirname "$0")" && pwd)
ours=${OURS:-$PWD/bin}
limit=$((300 * ${TEST_TIMEOUT_SCALE:-1}))
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

if [ ! -x "$ours/mpicc" ] || [ ! -x "$ours/mpirun" ]; then
    echo "no mpicc and mpirun in $ours"
    exit 1
fi

# Debian's Open MPI refuses to run as root, and to run more ranks than cores, unless told.
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM

# launch WHO RANKS PROGRAM: its output.
launch() {
    case $1 in
    ours) timeout "$limit" "$ours/mpirun" -n "$2" "$3" ;;
    openmpi)
        timeout "$limit" mpirun.openmpi --oversubscribe --mca mpi_yield_when_idle 1 -n "$2" "$3" ;;
    *) timeout "$limit" "mpirun.$1" -n "$2" "$3" ;;
    esac
}

# compile WHO SOURCE PROGRAM
compile() {
    case $2 in
    *.c) set -- "$@" mpicc -std=gnu11 -O2 -ffp-contract=off ;;
    *) set -- "$@" mpifort -w -O2 -J "$work" ;;
    esac
    who=$1 source=$2 program=$3 wrapper=$4
    shift 4
    case $who:$wrapper in
    ours:*) wrapper=$ours/$wrapper ;;
    openmpi:mpifort) wrapper="mpifort.openmpi -fallow-argument-mismatch" ;;
    *) wrapper=$wrapper.$who ;;
    esac
    # shellcheck disable=SC2086 # words
    $wrapper "$@" -o "$program" "$source" -lm
}

# The sources that can be compiled here.
list_sources() {
    ls "$sources"/*.c
    if [ -x "$ours/mpifort" ]; then
        ls "$sources"/*.f "$sources"/*.f90
    else
        echo "note: no mpifort, programs in Fortran are left out" >&2
    fi
}

plain_name() { basename "$1" | sed 's/\.[a-z0-9]*$//'; }

# A peer that spins while it waits is slow with more ranks than cores.
ranks_for() {
    case $1 in
    ours) echo 1 2 3 4 7 16 ;;
    *) echo 1 2 3 4 ;;
    esac
}

present=ours
for peer in ${PEERS-mpich openmpi}; do
    if command -v "mpicc.$peer" >/dev/null && command -v "mpirun.$peer" >/dev/null; then
        present="$present $peer"
    else
        echo "note: $peer is not installed, not compared"
    fi
done

# record NAME SOURCE: with those that are not ours.
record() {
    for peer in mpich openmpi; do
        compile "$peer" "$2" "$work/$1.$peer" || exit 1
        launch "$peer" 1 "$work/$1.$peer" >"$work/$1.$peer.out" || exit 1
    done
    cmp "$work/$1.mpich.out" "$work/$1.openmpi.out" || exit 1
    cp "$work/$1.mpich.out" "$sources/$1.expected" || exit 1
}

if [ "${1-}" = record ]; then
    for file in $(list_sources); do record "$(plain_name "$file")" "$file"; done
    exit 0
fi

failures=0
for file in $(list_sources); do
    name=$(plain_name "$file")
    for peer in $present; do
        if ! compile "$peer" "$file" "$work/$name.$peer" 2>"$work/err"; then
            echo "$name does not compile with $peer:"
            cat "$work/err"
            exit 1
        fi
        for n in $(ranks_for "$peer"); do
            launch "$peer" "$n" "$work/$name.$peer" >"$work/out" 2>"$work/err"
            code=$?
            if [ "$code" -ne 0 ] && [ "$peer" != ours ]; then
                # How a peer fares on a machine that others have as well is not our matter.
                echo "note: $name on $n ranks with $peer: exit code $code, not compared"
                head -n 5 "$work/err"
            elif [ "$code" -ne 0 ]; then
                echo "$name on $n ranks with $peer: exit code $code"
                head -n 5 "$work/err"
                failures=$((failures + 1))
            elif ! cmp -s "$work/out" "$sources/$name.expected"; then
                echo "$name on $n ranks with $peer prints something else:"
                cat "$work/out"
                failures=$((failures + 1))
            fi
        done
    done
done
[ "$failures" -eq 0 ]
