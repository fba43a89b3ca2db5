#!/bin/sh
# usage: run-mpi.sh [-n RANKS] PROGRAM [ARGUMENT]...
#
# Runs an MPI test under mpirun with a time limit: on the given number of ranks, or on each number
# that ranks.txt names for it.  Exit code 0: all right; 77: skipped; anything else: failed.  A
# program is known by its folder and name without suffix, so that a build folder finds its line.
#
#   MPIRUN              the launcher, default bin/mpirun of the build folder
#   MPI_TEST_RANKS      numbers of ranks to use in place of those in ranks.txt
#   MPI_TEST_RANKS_MAX  leaves out larger numbers; a test that has no smaller one is skipped
#   MPI_TEST_RANKS_MIN  leaves out smaller numbers, likewise
#   MPI_TEST_RANKS_LARGEST  of those that are left, takes the largest only: yes; or "threads", for
#                       the thread sanitizer: all of them where the test makes threads itself, and
#                       none where there are none
#   TEST_TIMEOUT_SCALE  factor on the time limit of 900 seconds, for instrumented builds
set -u

here=$(dirname "$0")
ranks=${MPI_TEST_RANKS:-}
if [ "${1:-}" = -n ]; then
    ranks=$2
    shift 2
fi
[ $# -ge 1 ] || { sed -n '2s/^# //p' "$0" >&2; exit 2; }
program=$1
shift
case $program in */*) ;; *) program=./$program ;; esac

name=$(basename "${program%.*}")
folder=$(basename "$(cd "$(dirname "$program")" && pwd)")
line=$(sed -n "s|^$folder/$name  *||p" "$here/ranks.txt")
[ -n "$line" ] || line=$(sed -n "s|^$folder/\*  *||p" "$here/ranks.txt")
variants=
case $line in *:*) variants=${line#*:} ;; esac
[ -n "$ranks" ] || ranks=${line%%:*}
[ -n "$ranks" ] || { echo "$folder/$name: no line in ranks.txt" >&2; exit 2; }

within() {
    for i; do
        [ "$i" -lt "${MPI_TEST_RANKS_MIN:-$i}" ] || [ "$i" -gt "${MPI_TEST_RANKS_MAX:-$i}" ] ||
            echo "$i"
    done | sort -n
}
calls() { grep -qs "$1" "$here/$folder/$name".*; }
wanted=$ranks
# shellcheck disable=SC2086 # a list of words
ranks=$(within $wanted)
[ "$ranks" ] || {
    echo "skipped: needs $wanted ranks; here ${MPI_TEST_RANKS_MIN:-1} to ${MPI_TEST_RANKS_MAX:-any}"
    exit 77
}
case ${MPI_TEST_RANKS_LARGEST:-} in
yes) ranks=${ranks##*[!0-9]} ;;
threads)
    calls t_end_single && { echo "skipped: no rank has a second thread"; exit 77; }
    calls pthread_create || ranks=${ranks##*[!0-9]} ;;
esac

limit=$((900 * ${TEST_TIMEOUT_SCALE:-1}))
MPI_TEST_DIR=$(mktemp -d) || exit 1
export MPI_TEST_DIR
trap 'rm -rf "$MPI_TEST_DIR"' EXIT
trap 'exit 129' HUP INT TERM
result=0

# MPIRUN may be several words, hence unquoted.
run() {
    # shellcheck disable=SC2086
    timeout -k 10 "$limit" ${MPIRUN:-$PWD/bin/mpirun} -n "$@"
    code=$?
    case $code in
    0) ;;
    77) result=77 ;;
    124) echo "$folder/$name: $1 ranks did not end in $limit s" && exit 1 ;;
    *) echo "$folder/$name: $1 ranks: exit code $code" && exit 1 ;;
    esac
}

for n in $ranks; do
    if [ $# -gt 0 ] || [ -z "$variants" ]; then
        run "$n" "$program" "$@"
    else
        for variant in $variants; do
            run "$n" "$program" "$variant"
        done
    fi
done
exit $result
