#!/bin/sh
# Output that gets lost: whatever cannot be written is named with the reason, and the exit code is
# 1; 141 only where the reader has gone.
# shellcheck disable=SC1091,SC2015,SC2016,SC2154 # lib.sh is sourced; quoted scripts are for ranks
. "${srcdir:-.}/tests/launch/lib.sh"
[ -c /dev/full ] || { echo 'there is no /dev/full'; exit 77; }
unset MPILITE_STATS MPILITE_MODEL
full='No space left on device'
ring=$PWD/examples/ring

# ends CODE NAME: what ran before, with its standard error in $work/err.
ends() { [ "$code" -eq "$1" ] || fail "$2: exit code $code, not $1"; }

# -- the ranks' output: written once, all the time, by all or by one, before a failure
: >"$work/out"
for how in 'echo text' 'exec yes' 'while :; do echo text; sleep 0.01; done' \
    'trap "" PIPE; exec yes' 'test "$NICEMU_RANK" = 1 || exec sleep 1000; exec yes'; do
    "$mpirun" -n 2 sh -c "$how" >/dev/full 2>"$work/err"
    code=$?
    ends 1 "$how, with a full disk"
    told "^mpirun: output was lost: standard output: $full\$"
    [ "$(grep -c '^mpirun: ' "$work/err")" -eq 1 ] ||
        fail "$how: more is said than that output was lost"

    "$mpirun" -n 2 sh -c "$how" >&- 2>"$work/err"
    code=$?
    ends 1 "$how, with standard output closed"
    told '^mpirun: output was lost: standard output: it is closed$'

    for to in '/dev/full' '&-'; do
        eval '"$mpirun" -n 2 sh -c "exec >&2; $how" 2>'"$to" >"$work/out"
        code=$?
        ends 1 "$how, with standard error to $to"
    done
    eval '"$mpirun" -n 2 sh -c "$how" >/dev/full 2>&1'
    code=$?
    ends 1 "$how, with both on a full disk"
done

# Nothing is lost where nothing is written, or to what takes all.
for to in '>/dev/full' '>&-' '2>&-' '>&- 2>&- <&-' '>/dev/null'; do
    eval "$mpirun -n 2 true $to"
    code=$?
    ends 0 "nothing to write, $to"
done
run 0 -n 2 sh -c 'exec >&-; exit 0'

# Of the ranks' failures and a lost last word, the failure counts.
"$mpirun" -n 1 sh -c 'printf text; exit 3' >/dev/full 2>"$work/err"
code=$?
[ "$code" -eq 3 ] || ends 1 'a failure and a full disk'
told "^mpirun: output was lost: standard output: $full\$"

# The reader has gone.
for how in 'exec yes' 'trap "" PIPE; exec yes 2>/dev/null'; do
    { "$mpirun" -n 2 sh -c "$how" 2>"$work/err"; echo $? >"$work/code"; } | head -n 1 >"$work/out"
    grep -q 'output was lost' "$work/err" && fail 'the reader has gone, and that is told'
    case $how in
    exec*)
        code=$(cat "$work/code")
        ends 141 'the reader has gone' ;;
    esac
done

# The reader of one stream has gone, and the other one is lost: that one counts.
{
    "$mpirun" -n 1 sh -c 'trap "" PIPE; while echo out; do :; done 2>/dev/null; echo err >&2' \
        2>/dev/full
    echo $? >"$work/code"
} | head -n 1 >"$work/out"
code=$(cat "$work/code")
ends 1 'the reader of standard output gone, standard error on a full disk'

# -- files that were asked for, by mpirun and by ranks
model='--model redstorm-alpu'
# shellcheck disable=SC2086 # words
for option in --explain-file --model-log; do
    run 1 $model $option /dev/full -n 2 "$ring" 3
    said "mpirun: cannot write /dev/full: $full"
    grep -q ': right$' "$work/out" || fail "$option: the job has not run"
    run 1 $model $option "$work/no/such" -n 2 "$ring" 3
    said "mpirun: cannot write $work/no/such: there is no folder $work/no"
    [ ! -s "$work/out" ] || fail "$option: the job has run, although the file cannot be made"
    run 0 $model $option "$work/file" -n 2 "$ring" 3
    calm
done
# The time line, with and without a model, is longer than what stdio keeps, or shorter.
mkdir "$work/page" && ln -s /dev/full "$work/page/index.html"
# shellcheck disable=SC2086 # words
for clock in "$model" ''; do
    for times in 3 300; do
        run 1 -q $clock --trace /dev/full -n 2 "$ring" $times
        said "mpirun: cannot write /dev/full: $full"
        run 1 -q $clock --report "$work/page" -n 2 "$ring" $times
        said "mpirun: cannot write $work/page/index.html: $full"
    done
done
ln -s /dev/full "$work/log.1"
# shellcheck disable=SC2086 # words
run 1 $model --model-log "$work/log" -n 2 "$ring" 3
said "mpirun: cannot write $work/log.1: $full"
for file in /dev/full "$work/no/such"; do
    MPILITE_STATS=$file run 1 -n 2 "$ring" 3
    told "^libmpi-lite: MPILITE_STATS=$file: the file cannot be written: "
    has_lines "$work/err" 2 && fail 'more than one message'
done

# -- what mpirun and nicinfo print
for option in --help --version; do
    "$mpirun" $option >/dev/full 2>"$work/err"
    code=$?
    ends 1 "mpirun $option"
    said "mpirun: cannot write standard output: $full"
done
for options in '--dry-run -n 2' '--report-bindings -n 2 true' '-v -n 2 true' \
    "$model --model-hash -n 2 $ring 3" "$model --explain -n 2 $ring 3"; do
    # shellcheck disable=SC2086 # words
    "$mpirun" $options 2>/dev/full >"$work/out"
    code=$?
    ends 1 "mpirun $options"
done
for option in --help --version --keys redstorm-alpu; do
    "$PWD/bin/nicinfo" $option >/dev/full 2>"$work/err"
    code=$?
    ends 1 "nicinfo $option"
    said "nicinfo: cannot write standard output: $full"
done
exit 0
