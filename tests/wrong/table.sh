#!/bin/sh
# usage: table.sh [BUILD [FILE]]
#
# Runs each wrong program of table.txt under this library, MPICH and Open MPI, where these are
# there, and writes a table of what each says (default: doc/wrong.md beside this source).  BUILD may
# be an installation.  Not a part of make check: programs that hang take PATIENCE seconds each
# (default 5).
# shellcheck disable=SC2013,SC2016,SC2086 # words; a backquote is one; options and an argument
set -u

here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:-build}" && pwd) || exit 1
page=${2:-$here/../../doc/wrong.md}
patience=${PATIENCE:-5}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
peers=
for peer in mpich openmpi; do
    command -v mpicc.$peer >/dev/null && command -v mpirun.$peer >/dev/null && peers="$peers $peer"
done
# Nothing of ours, nor limits of a small machine.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1

# compile WHO: all programs of the table
compile() {
    mkdir -p "$work/$1"
    for program in $(sed '/^#/d' "$here/table.txt" | cut -d'|' -f2 | cut -d' ' -f1 | sort -u); do
        case $1 in
        ours) "$build/bin/mpicc" -g -o "$work/ours/$program" "$here/$program.c" -lpthread ;;
        *) "mpicc.$1" -g -o "$work/$1/$program" "$here/$program.c" -lpthread ;;
        esac >"$work/log" 2>&1 || echo "$1: $program cannot be compiled" >&2
    done
}

# said WHO: in a word or two, of the output and its exit code; `pattern` names the cause.
said() {
    how=
    if grep -qiE -- "$pattern" "$work/out"; then
        if grep -qE '[Rr]anks? [[(]?[0-9]|, rank [0-9]|rank=[0-9]|process \[\[?[0-9]+,[0-9]+\]' \
            "$work/out"; then
            how='cause, rank'
        else
            how='cause'
        fi
    fi
    case $code in
    124 | 137) echo "${how:+$how, then }hangs" ;;
    0) echo "${how:+$how, }exit 0" ;;
    *) if grep -qE 'signal 11|SIGSEGV' "$work/out" && [ -z "$how" ]; then
           echo 'crash'
       else
           echo "${how:-error}"
       fi ;;
    esac
}

# try WHO: the word goes to `word`, for ours with the time that it took.
try() {
    [ -x "$work/$1/$program" ] || { word='-'; return; }
    begin=$(date +%s%N)
    case $1 in
    ours) timeout -k 1 60 "$build/bin/mpirun" $options -n "$ranks" "$work/ours/$program" \
              $argument ;;
    openmpi) timeout -k 1 "$patience" mpirun.openmpi --oversubscribe -n "$ranks" \
                 "$work/openmpi/$program" $argument ;;
    *) timeout -k 1 "$patience" "mpirun.$1" -n "$ranks" "$work/$1/$program" $argument ;;
    esac >"$work/out" 2>&1 </dev/null
    code=$?
    word=$(said)
    [ "$1" != ours ] ||
        word="$word ($(awk -v ns=$(($(date +%s%N) - begin)) 'BEGIN { printf "%.1f s", ns / 1e9 }'))"
}

for who in ours $peers; do compile "$who"; done
{
    sed '/^| *kind/,$d' "$page" 2>/dev/null
    printf '| kind | program | this library |'
    for peer in $peers; do printf ' %s |' "$peer"; done
    printf '\n|---|---|---|'
    for peer in $peers; do printf '%s' '---|'; done
    echo
    sed '/^#/d' "$here/table.txt" | while IFS= read -r line; do
        kind=$(echo "$line" | cut -d'|' -f1) all=$(echo "$line" | cut -d'|' -f2)
        ranks=$(echo "$line" | cut -d'|' -f3) options=$(echo "$line" | cut -d'|' -f4)
        pattern=$(echo "$line" | cut -d'|' -f5-)
        program=${all%% *} argument=${all#"$program"}
        printf '| %s | `%s`%s |' "$kind" "$all" "${options:+ $options}"
        for who in ours $peers; do
            try "$who"
            printf ' %s |' "$word"
            [ "$who" != ours ] || case $word in
            'cause, rank ('*) ;;
            *) echo "$all: $word" >&2; cat "$work/out" >&2 ;;
            esac
        done
        echo
    done
} >"$work/page" || exit 1
cp "$work/page" "$page"
