#!/bin/sh
# Reports name the line of source where a communicator was made, if addr2line knows it, and never
# wait for it for long; whatever it says or does, the report is there.
# shellcheck disable=SC1091,SC2154 # lib.sh is sourced
. "${srcdir:-.}/tests/launch/lib.sh"

program=$PWD/tests/wrong/mistakes.t
mkdir "$work/bin" "$work/empty"

# fake SCRIPT: from now on that is addr2line, which leaves what it was asked in $work/asked.
fake() {
    {
        echo '#!/bin/sh'
        echo "printf '%s\n' \"\$@\" >>'$work/asked'"
        echo "echo \$\$ >>'$work/pids'"
        echo "$1"
    } >"$work/bin/addr2line"
    chmod +x "$work/bin/addr2line"
    rm -f "$work/asked" "$work/pids"
}

# report PATH: the lines of rank 0 and of the others, with the report's code.
report() {
    PATH=$1 run 1 -n 3 "$program" two_dups
    told 'the job cannot go on'
    zero=$(grep '^  rank 0: ' "$work/err") others=$(grep '^  ranks 1-2: ' "$work/err")
    address=$(echo "$zero" | sed -n 's/.*+\(0x[0-9a-f]*\).*/\1/p')
    [ "$address" ] || fail 'rank 0 has no address'
}

name=${program##*/}
barrier='rank 0: MPI_Barrier(MPI_COMM_WORLD dup #2, made at '
unknown() { [ "$zero" = "  $barrier$name+$address)" ] || fail "$1: $zero"; }
known() { [ "$zero" = "  $barrier$1 ($name+$address))" ] || fail "$1 is not in: $zero"; }

# -- what it says
fake 'echo "/home/some body/solver.c:42 (discriminator 3)"'
report "$work/bin:$PATH"
known solver.c:42
case $others in *'dup #1, made at solver.c:42 ('*) ;; *) fail "the others: $others" ;; esac
[ "$(head -n 3 "$work/asked")" = "-e
$program
$address" ] || fail "it was asked: $(cat "$work/asked")"

fake 'printf "a\\033[2Kb.c:7\\n"'
report "$work/bin:$PATH"
known 'a\x1b[2Kb.c:7'

# It comes in pieces; what is no answer is not for us.
fake 'printf solver.c; sleep 0.1; printf ":42\n"; echo noise >&2'
report "$work/bin:$PATH"
known solver.c:42
grep noise "$work/err" && fail 'what addr2line complains of is told'
# It asks no servers, and what is typed is not for it; one line is enough.
export DEBUGINFOD_URLS=http://nowhere
fake 'echo "$(readlink "/proc/$$/fd/0" | tr -d /)${DEBUGINFOD_URLS-unset}.c:7"; echo other.c:8'
report "$work/bin:$PATH" <"$program"
unset DEBUGINFOD_URLS
known devnull.c:7

for answer in 'printf solver.c:42' 'echo "??:0"' 'echo "??:?"' 'echo solver.c:?' \
    'echo solver.c:0' 'echo solver.c' \
    'echo' 'exit 1' 'echo : >&2; exit 0' \
    'while :; do printf xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done'; do
    fake "$answer"
    report "$work/bin:$PATH"
    unknown "$answer"
done

# -- it is not there, or no program
report "$work/empty"
unknown 'no addr2line'
echo nonsense >"$work/bin/addr2line"
report "$work/bin"
unknown 'no program'

# -- it never answers
# shellcheck disable=SC2016 # the script is for sh
fake 'trap "" TERM INT; exec sleep 1000'
report "$work/bin:$PATH"
unknown 'hangs'
while read -r pid; do until_true gone "$pid"; done <"$work/pids"
# ... and who wants mpirun to end does not wait for that: in less than it would take, once in tries.
ends_soon() {
    fake 'exec sleep 1000'
    begin=$(date +%s)
    PATH=$work/bin:$PATH "$tools/default_signals" "$mpirun" -n 3 "$program" two_dups \
        >"$work/out" 2>"$work/err" &
    launcher=$!
    until_true has_lines "$work/pids" 1
    kill -TERM "$launcher"
    wait "$launcher"
    [ $(($(date +%s) - begin)) -lt 25 ]
}
ends_soon || ends_soon || ends_soon || fail 'SIGTERM waits for an answer'
told 'the job cannot go on'

# -- names that would be commands
odd="$work/x;touch here \$(touch there) '.t"
cp "$program" "$odd"
program=$odd name=${odd##*/}
fake 'echo solver.c:42'
(cd "$work/empty" && PATH=$work/bin:$PATH exec "$mpirun" -n 3 "$odd" two_dups) \
    >"$work/out" 2>"$work/err"
zero=$(grep '^  rank 0: ' "$work/err")
address=$(sed -n 3p "$work/asked")
known solver.c:42
[ "$(sed -n 2p "$work/asked")" = "$odd" ] || fail "it was asked: $(cat "$work/asked")"
[ -z "$(ls "$work/empty")" ] || fail "there is now: $(ls "$work/empty")"

# -- the real one
program=$PWD/tests/wrong/mistakes.t name=mistakes.t
report "$PATH"
line=$(addr2line -e "$program" "$address" 2>"$work/why" | sed 's/ (.*//; s|.*/||')
case $line in
*:[1-9]*) known "$line" ;;
*) unknown "${line:-$(cat "$work/why")}" ;;
esac
exit 0
