#!/bin/sh
# machines.sh [-c] [-r ROUNDS] [-m MS] [-s BYTES] [-t SECONDS] [-d FOLDER] [-o OPENMPI] PREFIX
# LAUNCHER...: half round trips and streams (p2p) between the first ranks of two machines, of the
# libmpi-lite installed below PREFIX beside MPICH, and Open MPI with -o, in turn; prints the medians
# in nanoseconds.  With -c collectives of 8 bytes (coll), in microseconds.
#
#   LAUNCHER     what starts one rank on each of two machines, without the program:
#                mpiexec.hydra -hosts node1,node2 -n 2 -ppn 1
#                for -c as many as there are to be, -n 16 -ppn 8
#   -o OPENMPI   the same for Open MPI, as one word: "orterun --host node1:1,node2:1 -n 2"
#   -r ROUNDS    of all in turn: 5
#   -m MS        for each row: 20
#   -s BYTES     the largest message: 4194304
#   -t SECONDS   limit of a run: 120; what it has printed until then counts
#   -d FOLDER    for the programs, the same on both machines: a new one in the current folder
set -u
here=$(cd "$(dirname "$0")" && pwd) || exit 1
rounds=5 ms=20 most=4194304 limit=120 bench=p2p folder='' openmpi=''
usage() { sed -n '2,17s/^#  *//p' "$0"; exit "$1"; }
while getopts cr:m:s:t:d:o:h option; do
    case $option in
    c) bench=coll most=1 ;;
    t) limit=$OPTARG ;;
    r) rounds=$OPTARG ;;
    m) ms=$OPTARG ;;
    s) most=$OPTARG ;;
    d) folder=$OPTARG ;;
    o) openmpi=$OPTARG ;;
    h) usage 0 ;;
    *) usage 2 >&2 ;;
    esac
done
shift $((OPTIND - 1))
[ $# -ge 2 ] || usage 2 >&2
prefix=$1
shift
[ -x "$prefix/bin/mpicc" ] || { echo "machines.sh: no bin/mpicc below '$prefix'" >&2; exit 2; }
[ "$folder" ] || { folder=$(mktemp -d "$PWD/machines.XXXXXX") && trap 'rm -rf "$folder"' EXIT; }
trap 'exit 130' INT TERM

impls=
build() {
    command -v "$2" >/dev/null && "$2" -O2 -w -o "$folder/$bench.$1" "$here/$bench.c" || return
    impls="$impls $1"
}
build ours "$prefix/bin/mpicc" || exit 1
build mpich mpicc.mpich || echo "machines.sh: no MPICH here" >&2
[ "$openmpi" ] && { build openmpi mpicc.openmpi || echo "machines.sh: no Open MPI here" >&2; }

for round in $(seq "$rounds"); do
    for impl in $impls; do
        program=$folder/$bench.$impl
        # shellcheck disable=SC2086 # a command and its words
        case $impl in
        openmpi) timeout "$limit" $openmpi "$program" "$ms" "$most" ;;
        *) timeout "$limit" "$@" "$program" "$ms" "$most" ;;
        esac </dev/null | sed "s/^/$impl /" || echo "machines.sh: $impl fails" >&2
    done
done | awk -v impls="$impls" '
    NF == 3 {
        if (!($2 in rows)) { rows[$2] = ++count; name[count] = $2 }
        times[$1, $2] = times[$1, $2] " " $3
    }
    function median(text,   v, n, i, j, t) {
        n = split(text, v, " ")
        for (i = 2; i <= n; i++)
            for (j = i; j > 1 && v[j] + 0 < v[j - 1] + 0; j--) {
                t = v[j]
                v[j] = v[j - 1]
                v[j - 1] = t
            }
        return n ? sprintf("%.4g", n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2) : "-"
    }
    END {
        all = split(impls, impl, " ")
        printf "| row |"
        for (i = 1; i <= all; i++) printf " %s |", impl[i]
        printf "\n|---|"
        for (i = 1; i <= all; i++) printf "---|"
        for (r = 1; r <= count; r++) {
            printf "\n| %s |", name[r]
            for (i = 1; i <= all; i++) printf " %s |", median(times[impl[i], name[r]])
        }
        print ""
    }'
