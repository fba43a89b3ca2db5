#!/bin/sh
# mpirun --trace and --report: the time line is JSON, each message is an arrow from its sender to
# its receiver, on both clocks; on the model clock the file is the same each time, and the hash that
# without it; what there is no room for is said.  mpirun --report: a page that needs no other file,
# and draws itself.
# shellcheck disable=SC1091,SC2154 # lib.sh is sourced
. "${srcdir:-.}/tests/launch/lib.sh"
[ -e .libs/libmpilite_trace.so ] || { echo "skipped: no shared library"; exit 77; }
[ "${SANITIZED:-}" ] && { echo 'a sanitizer wants to be loaded first'; exit 77; }
AWK=${AWK:-awk}
program=$tools/traced
page=$work/report/index.html

right() { # FILE
    $AWK -f "$srcdir/tests/launch/json.awk" "$1" >"$work/wrong" || fail "$1: $(cat "$work/wrong")"
}
# arrows FILE [-v NAME=VALUE]...
arrows() {
    file=$1
    shift
    $AWK "$@" -f "$srcdir/tests/launch/arrows.awk" "$file" >"$work/wrong"
    [ ! -s "$work/wrong" ] || fail "$file, arrows $*: $(head -n 3 "$work/wrong")"
}
# The checkers find what is wrong.
for text in '{"a":1,}' '[1 2]' '{"a":01}' '"x' '{"a":tru}' '[]x' '["\u00g0"]'; do
    echo "$text" | $AWK -f "$srcdir/tests/launch/json.awk" >/dev/null &&
        fail "taken for JSON: $text"
done
echo '{"a":[1,-2.5e3,"\"\u0041",{}],"b":null}' >"$work/right"
right "$work/right"
echo '"ph":"s","name":"message","id":1,"pid":0,"ts":1}' |
    $AWK -f "$srcdir/tests/launch/arrows.awk" | grep -q 'no end' ||
    fail 'half an arrow is not found'

# -- the live clock
run 0 -n 4 --trace "$work/live.json" --report "$work/report" "$program"
silent
messages=$(cat "$work/out")
right "$work/live.json"
arrows "$work/live.json" -v count="$messages"
# world: 3 + 2 * 6; all ranks turned around: none; and of the halves none
arrows "$work/live.json" -v from=0 -v to=1 -v count=15
arrows "$work/live.json" -v from=1 -v to=0 -v count=1
arrows "$work/live.json" -v from=0 -v to=2 -v count=1
for name in MPI_Init MPI_Send MPI_Ssend MPI_Recv MPI_Sendrecv MPI_Startall MPI_Mprobe MPI_Bcast \
    MPI_Comm_split MPI_Finalize; do
    grep -q "\"ph\":\"X\",\"name\":\"$name\"" "$work/live.json" || fail "no $name in the time line"
done
grep -q '"process_name","pid":3,.*"rank 3"' "$work/live.json" || fail 'ranks have no names'
grep -q '"clock":"live","ranks":4' "$work/live.json" || fail 'nothing about the run'

# -- the model clock
run 0 -n 4 --model redstorm-alpu --model-hash "$program"
cp "$work/err" "$work/hash"
for time in 1 2; do
    run 0 -n 4 --model redstorm-alpu --model-hash --trace "$work/model$time.json" \
        --report "$work/report$time" "$program"
    cmp -s "$work/err" "$work/hash" || fail "another hash with --trace: $(cat "$work/err")"
done
cmp "$work/model1.json" "$work/model2.json" || fail 'two time lines of the same virtual run'
cmp "$work/report1/index.html" "$work/report2/index.html" || fail 'two pages of it'
right "$work/model1.json"
arrows "$work/model1.json" -v count="$messages" -v wants_packets=1
for name in 'NIC processor' bus 'DMA out' 'DMA in' wire ALPU; do
    grep -q "\"thread_name\".*\"$name\"" "$work/model1.json" || fail "no track of the $name"
done
run 0 -n 4 --model redstorm-alpu --offload none --trace "$work/none.json" "$program"
right "$work/none.json"
arrows "$work/none.json" -v count="$messages"

# -- pages
for file in "$page" "$work/report1/index.html"; do
    grep -q "\"advice\":\[\"" "$file" || fail "$file: no advice"
    ! grep -qE '(src|href)=|https?://' "$file" || fail "$file needs other files"
    sed -n '/type="application\/json">/,/<\/script>/p' "$file" |
        sed 's/.*type="application\/json">//; s/<\/script>.*//' >"$work/figures"
    right "$work/figures"
    grep -q '"pairs":\[\[0,1,15,' "$work/figures" || fail "$file: 15 messages from 0 to 1 are not"
done
if command -v chromium >/dev/null; then
    HOME=$work timeout 60 chromium --headless --no-sandbox --disable-gpu --dump-dom \
        "file://$page" >"$work/dom" 2>"$work/browser"
    if [ -s "$work/dom" ]; then
        grep -q '<h1 id="title">traced on 4 ranks</h1>' "$work/dom" || fail 'the page has no title'
        grep -q '<td>MPI_Sendrecv</td>' "$work/dom" || fail 'the page has no calls'
    fi
fi

# -- what ranks leave is not believed
run 0 -n 3 --trace "$work/live.json" --report "$work/report" "$program" scribble
grep -q scribbled "$work/out" || fail 'nothing was written over'
right "$work/live.json"

# -- a job that fails leaves what there is
run 3 -n 4 --trace "$work/fail.json" "$program" fail
right "$work/fail.json"

# -- more than there is room for
run 0 -n 2 --trace "$work/flood.json" --report "$work/report" "$program" flood 150000
told 'there was more than there is room for: kept is 1 of [0-9]+ slices of'
arrows "$work/flood.json"
grep -q '"pairs":\[\[0,1,150000,150000\]\]' "$page" || fail 'sums are not of all messages'
[ "$(wc -c <"$work/flood.json")" -lt 60000000 ] || fail 'the file is too long'

# -- what cannot be
run 0 -n 1 --trace "$work/none.json" true
told '^mpirun: --trace, --report: 1 rank recorded nothing'
run 1 -n 1 --trace "$work/not/there" true
told 'cannot write .*/not/there'
run 1 -n 1 --report "$work/live.json" true
told "live.json"
run 2 -n 1 --check --trace "$work/none.json" true
told '^mpirun: --check goes with neither --trace nor --report'
refused '--trace needs the name of a file' --trace= true
exit 0
