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
    # what others take for JSON
    if python3 -c '' 2>/dev/null; then
        python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$1" || fail "$1: python3"
    elif node -e '' 2>/dev/null; then
        node -e 'JSON.parse(require("fs").readFileSync(process.argv[1]))' "$1" || fail "$1: node"
    fi
}
# What is an event of Chrome's format: kinds, and what each of them has to have.
chrome() { # FILE
    where='"cat":"[a-z]*",\("id":[0-9]*,\)\{0,1\}"pid":[0-9]*,"tid":[0-9]*,"ts":[0-9.]*'
    grep -v -e '^{"ph":"M","name":"[a-z_]*","pid":[0-9]*,"tid":[0-9]*,"args":{' \
        -e "^{\"ph\":\"X\",\"name\":\"[^\"]*\",$where,\"dur\":[0-9.]*[,}]" \
        -e "^{\"ph\":\"[sf]\",.*$where}" -e '^{"traceEvents":\[$' -e '^\],$' \
        -e '^"displayTimeUnit":"ns",$' -e '^"otherData":{' "$1" >"$work/wrong" &&
        fail "$1: no event of the format: $(head -n 3 "$work/wrong")"
}
sorted() { LC_ALL=C sort -k1,1n -k2,2n -k3,3n -k4,4nr; }
# No unit does two things at once, and arrows begin and end at something, which viewers drop else.
disjoint() { # FILE
    $AWK -f "$srcdir/tests/launch/slices.awk" "$1" 2>"$work/wrong" | sorted |
        $AWK -f "$srcdir/tests/launch/overlap.awk" >>"$work/wrong"
    [ ! -s "$work/wrong" ] || fail "$1: $(head -n 3 "$work/wrong")"
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
for kind in s f; do
    echo "\"ph\":\"$kind\",\"name\":\"message\",\"id\":1,\"pid\":0,\"ts\":$((2 - ${#kind}))}"
done | $AWK -f "$srcdir/tests/launch/arrows.awk" | grep -q . && fail 'a whole arrow is found wrong'
# found WHAT LINE...: in slices, what is wrong
found() {
    what=$1
    shift
    printf '%s\n' "$@" | sorted | $AWK -f "$srcdir/tests/launch/overlap.awk" | grep -q "$what" ||
        fail "not found: $what in $*"
}
found 'two at once' '0 1004 10 30 send' '0 1004 15 20 send'
found 'two at once' '0 1006 10 30 data' '0 1006 20 20 packet'
found 'overlaps send' '0 1004 10 30 send' '0 1004 29 40 send'
found 'overlaps packet' '0 1002 10 30 packet' '0 1002 20 31 dispatch'
found 'at nothing' '0 0 10 20 MPI_Send' '0 0 21 21 ~arrow'
found 'at nothing' '0 0 10 20 MPI_Send' '0 0 20 20 ~arrow'
found 'ends before' '0 0 10 9 MPI_Send'
$AWK -f "$srcdir/tests/launch/overlap.awk" </dev/null | grep -q 'no slices' || fail 'none is right'
printf '%s\n' '0 1004 10 30 send' '0 1004 30 31 send' '1 1004 12 14 send' '0 1002 10 30 packet' \
    '0 1002 10 20 dispatch' '0 1002 20 30 copy' '0 0 10 20 MPI_Send' '0 0 19 19 ~arrow' \
    '0 1006 10 20 data' '0 1006 20 20 packet' '0 1006 20 20 ~arrow' '0 1006 20 30 data' |
    sorted | $AWK -f "$srcdir/tests/launch/overlap.awk" | grep . &&
    fail 'a right one is found wrong'

# -- the live clock
run 0 -n 4 --trace "$work/live.json" --report "$work/report" "$program"
silent
messages=$(cat "$work/out")
right "$work/live.json"
chrome "$work/live.json"
arrows "$work/live.json" -v count="$messages"
# world: 3 + 2 * 6; all ranks turned around: none; and of the halves none
arrows "$work/live.json" -v from=0 -v to=1 -v count=15
arrows "$work/live.json" -v from=1 -v to=0 -v count=1
arrows "$work/live.json" -v from=0 -v to=2 -v count=1
disjoint "$work/live.json"
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
chrome "$work/model1.json"
disjoint "$work/model1.json"
for name in 'NIC processor' bus 'DMA out' 'DMA in' wire ALPU; do
    grep -q "\"thread_name\".*\"$name\"" "$work/model1.json" || fail "no track of the $name"
done
run 0 -n 4 --model redstorm-alpu --offload none --trace "$work/none.json" "$program"
right "$work/none.json"
arrows "$work/none.json" -v count="$messages"
grep -q '"thread_name".*"handlers"' "$work/none.json" || fail 'no track of handlers on the host'
grep -q '"handlers"' "$work/model1.json" && fail 'a NIC has its handlers on the host'
disjoint "$work/none.json"
# Those calls for messages that the program does not have else: each message from its sender to its
# receiver, and all in the sums.
for model in '' '--model redstorm-alpu'; do
    # shellcheck disable=SC2086 # words
    run 0 -q -n 4 $model --trace "$work/ways.json" --report "$work/ways" "$program" ways
    right "$work/ways.json"
    chrome "$work/ways.json"
    arrows "$work/ways.json" -v count="$(cat "$work/out")"
    arrows "$work/ways.json" -v from=0 -v to=1 -v count=33
    arrows "$work/ways.json" -v from=0 -v to=3 -v count=2
    arrows "$work/ways.json" -v from=1 -v to=3 -v count=1
    disjoint "$work/ways.json"
    pairs='[0,1,33,132],[0,2,1,4],[0,3,2,8],[1,0,3,12],[1,2,32,128],[1,3,1,4]'
    pairs="$pairs,[2,1,3,12],[2,3,33,132],[3,0,33,132],[3,2,3,12]"
    grep -qF "\"pairs\":[$pairs]" "$work/ways/index.html" ||
        fail "pairs: $(grep -o '"pairs":.*' "$work/ways/index.html")"
done
grep -q '"name":"MPI_Allreduce",.*"args":{"bytes":4' "$work/model1.json" || fail 'no bytes'
grep -q '"name":"MPI_Gather",.*"args":{"root":0,"bytes":4' "$work/model1.json" || fail 'no root'
grep -q '"name":"MPI_Bcast",.*"args":{"root":3,"bytes":4' "$work/model1.json" ||
    fail 'the root of other ranks is not its rank in the job'
# Each kind of hardware, and each place where the protocols run.
for profile in ideal fpga-scratchpad lanai91 seastar; do
    for offload in all match none forward; do
        run 0 -q -n 4 --model $profile --offload $offload --trace "$work/other.json" "$program"
        right "$work/other.json"
        chrome "$work/other.json"
        arrows "$work/other.json" -v count="$messages" -v slack=0
        disjoint "$work/other.json"
    done
done
# Packets whose bytes take no time, between RDMA.
run 0 -q -n 3 --model fpga-scratchpad --offload none --trace "$work/no_time.json" \
    "$PWD/tests/clock/explain.t" targets 80 3
chrome "$work/no_time.json"
disjoint "$work/no_time.json"
# Calls that take no time, of those that messages come to.
for offload in all none; do
    run 0 -q -n 3 --model ideal --offload $offload --trace "$work/at_once.json" \
        "$PWD/tests/clock/explain.t" random 1 3000 2000 5000
    chrome "$work/at_once.json"
    disjoint "$work/at_once.json"
done
# Copies that end, packets of a host that shares its NIC, what a host asks engines for: several at
# a time, each in a track where it has room.
for profile in redstorm-alpu seastar; do
    for offload in all none forward; do
        for ranks in 1 2; do
            run 0 -q -n 4 --model $profile --offload $offload --set node.ranks=$ranks \
                --trace "$work/beside.json" "$program" beside
            right "$work/beside.json"
            chrome "$work/beside.json"
            disjoint "$work/beside.json"
            grep -q '"thread_name".*"beside the processor, 2"' "$work/beside.json" ||
                fail "$profile, $offload: nothing is beside the processor"
        done
    done
done

# One-sided operations are messages, too: three to each rank.
run 0 -q -n 3 --model redstorm-alpu --trace "$work/beside.json" --report "$work/beside" \
    "$program" beside
grep -q '"name":"MPI_Put",.*"pid":2,.*"args":{"peer":1,"bytes":4000}' "$work/beside.json" ||
    fail 'a put has no peer or no bytes'
three='[#,0,3,2016],[#,1,3,4016],[#,2,3,6016]'
pairs="$(echo "$three" | tr '#' 0),$(echo "$three" | tr '#' 1),$(echo "$three" | tr '#' 2)"
grep -qF "\"pairs\":[$pairs]" "$work/beside/index.html" ||
    fail "pairs: $(grep -o '"pairs":.*' "$work/beside/index.html")"

# Statuses that the program does not want, and the trace does, cost nothing.
run 0 -n 2 --model redstorm-alpu --model-hash "$program" one-sided
cp "$work/err" "$work/hash"
run 0 -n 2 --model redstorm-alpu --model-hash --trace "$work/sided.json" "$program" one-sided
cmp -s "$work/err" "$work/hash" || fail "another hash of requests that are done: $(cat "$work/err")"

# -- SHMEM: calls are slices, with the PE and the bytes; nothing else changes
run 0 -n 4 --model redstorm-alpu --model-hash "$PWD/tests/clock/sided.t" many 20
cp "$work/err" "$work/hash"
for time in 1 2; do
    run 0 -n 4 --model redstorm-alpu --model-hash --trace "$work/shmem$time.json" \
        --report "$work/shmem" "$PWD/tests/clock/sided.t" many 20
    cmp -s "$work/err" "$work/hash" || fail "another hash with --trace: $(cat "$work/err")"
done
cmp "$work/shmem1.json" "$work/shmem2.json" || fail 'two time lines of the same run of SHMEM'
right "$work/shmem1.json"
chrome "$work/shmem1.json"
disjoint "$work/shmem1.json"
# each PE 20 operations, a barrier in front and one behind, and the end
for pair in 'put\|get\|atomic_[a-z_]*\|put_signal 80' 'barrier_all 8' 'init 4' 'finalize 4'; do
    [ "$(grep -c "\"name\":\"shmem_\(${pair% *}\)\"" "$work/shmem1.json")" -eq "${pair#* }" ] ||
        fail "not ${pair#* } of shmem_${pair% *}"
done
grep -q '"name":"shmem_put",.*"args":{"peer":[0-3],"bytes":8}' "$work/shmem1.json" ||
    fail 'a put has no PE or no bytes'
# and each PE has sent 20
grep -o '"pairs":.*' "$work/shmem/index.html" | tr ']' '\n' | tr -d '["a-z:' | sed 's/^,//' |
    awk -F, 'NF == 4 { n[$1] += $3 } END { for (i = 0; i < 4; i++) if (n[i] != 20) exit 1 }' ||
    fail "pairs: $(grep -o '"pairs":.*' "$work/shmem/index.html")"
# together with MPI, whichever comes first
run 0 -n 2 --trace "$work/mixed.json" "$PWD/tests/shmem/mixed.t"
right "$work/mixed.json"
chrome "$work/mixed.json"
disjoint "$work/mixed.json"
for name in MPI_Init shmem_init MPI_Allreduce shmem_p MPI_Finalize shmem_finalize; do
    grep -q "\"ph\":\"X\",\"name\":\"$name\"" "$work/mixed.json" || fail "no $name with both"
done

# Each thread has a track.
run 0 -n 2 --trace "$work/threads.json" "$PWD/tests/mpi/threads_requests.t"
right "$work/threads.json"
chrome "$work/threads.json"
for track in MPI 'MPI, thread 2' 'MPI, thread 3'; do
    grep -q "\"thread_name\".*\"name\":\"$track\"}" "$work/threads.json" || fail "no track $track"
done

# -- pages
figures() { # FILE
    sed -n '/type="application\/json">/,/<\/script>/p' "$1" |
        sed 's/.*type="application\/json">//; s/<\/script>.*//' >"$work/figures"
    right "$work/figures"
}
for file in "$page" "$work/report1/index.html"; do
    grep -q "\"advice\":\[\"" "$file" || fail "$file: no advice"
    ! grep -qE '(src|href)=|https?://' "$file" || fail "$file needs other files"
    figures "$file"
    grep -q '"pairs":\[\[0,1,15,' "$work/figures" || fail "$file: 15 messages from 0 to 1 are not"
done
# What is told twice is the same: the end of the job, and, where nothing was looked for in vain, how
# long each rank waited in all.
run 0 -n 4 --report "$work/late" "$program" late
part() { grep -o "\"$1\":\[.*" "$2" | tr ']' '\n' | sed -n 's/.*\[//p'; }
for file in "$page" "$work/late/index.html"; do
    { part balance "$file" | sed 's/^/balance,/'; part events "$file"; } | awk -F, \
        -v end="$(grep -o '"end":[0-9.]*' "$file" | sed 's/.*://')" -v file="$file" '
        function near(a, b) { return a - b < 0.01 + a * 0.0001 && b - a < 0.01 + a * 0.0001 }
        $1 == "balance" && NF == 10 { waited[ranks++] = $5 + $6 + $7 }
        $1 != "balance" && NF == 9 { sum[$1] += $7; if ($3 + $4 > last) last = $3 + $4 }
        END {
            if (!ranks || !near(last, end)) print "the end is " end ", and of all calls " last
            for (r = 0; r < ranks && file ~ /late/; r++) if (!near(waited[r], sum[r]))
                print "rank " r " waited " waited[r] ", and in all calls " sum[r]
        }' >"$work/wrong"
    [ ! -s "$work/wrong" ] || fail "$file: $(cat "$work/wrong")"
done
# A name is told as it is, but for what is no UTF-8 and what HTML has a meaning for.
name=$(printf 'gr\303\274n <b> \355\240\200\377')
cp "$program" "$work/$name"
run 0 -n 1 --report "$work/named" "$work/$name"
figures "$work/named/index.html"
shown=$(printf 'gr\303\274n ')'\u003cb\u003e \u00ed\u00a0\u0080\u00ff",'
grep -qF "$shown" "$work/figures" || fail "the page calls $name $(head -c 200 "$work/figures")"
if command -v chromium >/dev/null; then
    HOME=$work timeout 60 chromium --headless --no-sandbox --disable-gpu --dump-dom \
        "file://$page" >"$work/dom" 2>"$work/browser"
    if [ -s "$work/dom" ]; then
        grep -q '<h1 id="title">traced on 4 ranks</h1>' "$work/dom" || fail 'the page has no title'
        grep -q '<td>MPI_Sendrecv</td>' "$work/dom" || fail 'the page has no calls'
    fi
fi

# Functions of the program that MPI_Finalize calls have arrows, too: two messages of each rank.
for model in '' '--model redstorm-alpu'; do
    # shellcheck disable=SC2086 # words
    run 0 -q -n 3 $model --trace "$work/last.json" "$program" last
    right "$work/last.json"
    arrows "$work/last.json" -v count=6
    arrows "$work/last.json" -v from=2 -v to=0 -v count=2
done

# Of what is freed nothing is kept.
run 0 -q -n 1 --trace "$work/copies.json" "$program" copies 10000
[ "$(cat "$work/out")" -lt 400 ] || fail 'memory grows with communicators that were freed'

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
slices=$(sed -n 's/.*kept is 1 of \([0-9]*\) slices of.*/\1/p' "$work/err")
grep -q "\"kept\":$slices," "$page" || fail "the page has not 1 of $slices slices"
grep -q "\"slices_kept\":\"1 of $slices\"" "$work/flood.json" || fail "not 1 of $slices slices"
arrows "$work/flood.json"
grep -q '"pairs":\[\[0,1,150000,150000\]\]' "$page" || fail 'sums are not of all messages'
[ "$(wc -c <"$work/flood.json")" -lt 60000000 ] || fail 'the file is too long'
# The page has the longest calls of those that are kept, and says how many more these are; all of
# them are calls of MPI here.
records=$(grep -o '"records":[0-9]*' "$page") left=$(grep -o '"left":[0-9]*' "$page")
[ "${left#*:}" -eq $((${records#*:} - 16000)) ] || fail "$left of $records"
[ "$(part events "$page" | wc -l)" -eq 16000 ] || fail 'not 16000 calls'
[ "$(part arrows "$page" | wc -l)" -eq 5000 ] || fail 'not 5000 messages'
sed -n 's/.*"ph":"X".*"dur":\([0-9.]*\).*/\1/p' "$work/flood.json" | sort -n | tail -n 1 \
    >"$work/most"
part events "$page" | awk -F, -v most="$(cat "$work/most")" '$4 > longest { longest = $4 }
    END { exit !longest || longest < most * 0.9999 }' || fail "no call of $(cat "$work/most") us"

# Each tag is a kind of messages, of which there are many; and more than are told apart.
run 0 -n 2 --trace "$work/flood.json" "$program" flood 8000 tags
silent
arrows "$work/flood.json" -v count=8000
run 0 -n 2 --report "$work/report" "$program" flood 790000 tags
told '[0-9]+ ends of messages have no arrow: there are too many kinds of messages'
grep -q '"unnumbered":[1-9]' "$page" || fail 'the page says nothing of missing arrows'

# -- calls that the program passes on itself
run 0 -n 2 --trace "$work/wrapped.json" "$PWD/tests/wrong/wrapped.t"
told '^mpirun: --trace, --report: the program has its own MPI_[A-Za-z]+, so calls of that are not'

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
