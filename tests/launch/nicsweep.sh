#!/bin/sh
# nicsweep: all combinations, in order; figures of each kind; goes on where it was cut off; says
# what is wrong.
# shellcheck disable=SC1091,SC2154 # lib.sh is sourced
. "${srcdir:-.}/tests/launch/lib.sh"
sweep=$PWD/bin/nicsweep
program=$PWD/examples/papers/preposted

# sweep CODE ARGUMENT...
sweep() {
    want=$1
    shift
    (cd "$work" && "$sweep" "$@") >"$work/out" 2>"$work/err"
    code=$?
    [ "$code" -eq "$want" ] || fail "nicsweep $*: exit code $code, not $want"
}
# part NAME: of its text
part() { sed -n "/^$1_awk='/,/^'/p" "$sweep" | sed '1d; $d'; }
values() { awk -F'\t' 'NR > 1 { printf "%s%s", (NR > 2 ? " " : ""), $'"$1"' }' "$2"; }
falls() { awk -v list="$1" 'BEGIN { n = split(list, v, " ")
    for (i = 2; i <= n; i++) if (v[i] + 0 > v[i - 1] + 0) exit 1
    exit n < 2 || v[n] + 0 >= v[1] + 0 }'; }

sweep 0 -j 2 --model redstorm-alpu --sweep alpu.posted=0,64:256:64 -o one \
    --metric 'column:half round trip (ns):max' "$program" -q 150 -r 2 -w 1
table=$work/one/sweep.tsv
[ "$(values 1 "$table")" = '0 64 128 192 256' ] || fail "values: $(values 1 "$table")"
falls "$(values 2 "$table")" || fail "more cells are not faster: $(values 2 "$table")"
time='[0-9.]+ (s|min|h)'
told "^nicsweep: 5 of 5, $time\$"
told "^nicsweep: [1-4] of 5, $time, some $time left\$"
grep -q 'nicsweep --model redstorm-alpu' "$work/one/index.html" || fail 'the page has no command'
[ "$(grep -c '<td>' "$work/one/index.html")" -eq 5 ] || fail 'the page has no table'
if command -v gnuplot >/dev/null; then
    grep -q '<svg' "$work/one/index.html" || fail 'the page has no picture'
fi

# It goes on: what is there is not run again.
echo 4711 >"$work/one/runs/2.value"
rm "$work/one/runs/3.value"
sweep 0 -j 2 --model redstorm-alpu --sweep alpu.posted=0,64:256:64 -o one \
    --metric 'column:half round trip (ns):max' "$program" -q 150 -r 2 -w 1
told '5 runs, 4 of them there'
[ "$(sed -n 3p "$table")" = '64	4711' ] || fail 'a run that was there was repeated'
sweep 1 --model redstorm-alpu --sweep alpu.posted=0,64 -o one "$program" -q 150
told 'has another sweep \(not the same program, metric, keys and values\)'
# What figures hang on is not the command alone: the program and the profile may be others by now.
cp "$PWD/examples/ring" "$work/prog"
printf 'include = ideal\n[link]\nlatency = 1 us\n' >"$work/mine.conf"
sweep 0 -q --model ./mine.conf --sweep nic.clock=1GHz,2GHz -o mine ./prog
sweep 0 -q --model ./mine.conf --sweep nic.clock=1GHz,2GHz -o mine ./prog
echo 'byte = 1 ns/byte' >>"$work/mine.conf"
sweep 1 -q --model ./mine.conf --sweep nic.clock=1GHz,2GHz -o mine ./prog
told 'not the same contents of the profile\)'
sweep 0 -q --again --model ./mine.conf --sweep nic.clock=1GHz,2GHz -o mine ./prog
cp "$program" "$work/prog"
sweep 1 -q --model ./mine.conf --sweep nic.clock=1GHz,2GHz -o mine ./prog
told 'not the same contents of the program\)'
# Nor on those alone: variables of ours may ask for another protocol, or a wire that loses.
sweep_mine() { sweep "$1" -q --model ideal --sweep nic.clock=1GHz -o ours ./prog -q 1 -r 2; }
export NICEMU_FAULT=drop=1% NICEMU_HEAP="16M"
sweep_mine 0
grep -q "<pre>NICEMU_FAULT=drop=1% NICEMU_HEAP=16M nicsweep --model ideal" \
    "$work/ours/index.html" || fail "the page's command is without its variables"
NICEMU_FAULT=drop=2%
sweep_mine 1
told 'has another sweep \(not the same value of NICEMU_FAULT\)'
unset NICEMU_FAULT
sweep_mine 1
told 'has another sweep \(not the same value of NICEMU_FAULT\)'
export NICEMU_FAULT=drop=1% MPILITE_RNDV=get
sweep_mine 1
told 'has another sweep \(not the same value of MPILITE_RNDV\)'
unset MPILITE_RNDV
# What is known to change nothing does not stop it; mpirun knows all of these.
MPILITE_STATS=all NICEMU_SIMD=none MPILITE_MODEL=lanai91 sweep_mine 0
unset NICEMU_FAULT NICEMU_HEAP
for name in $(part environment | grep -oE '(MPILITE|NICEMU|SHMEM)_[A-Z_]+'); do
    "$mpirun" --help-environment | grep -qx "$name" || fail "$name is no variable"
done
# --again throws away what is nicsweep's, and nothing else.
mkdir -p "$work/theirs/runs" && echo kept >"$work/theirs/runs/1.out.mine"
sweep 0 -q --again --model ideal --sweep nic.clock=1GHz -o theirs ./prog -q 1 -r 1
[ -f "$work/theirs/runs/1.out.mine" ] || fail '--again removed what is not its own'

# Cut off: all that it has started ends, no figure is half there, and the same command goes on.
# The program waits in one run until it is killed, unless a file is there.
cat >"$work/slow" <<TEXT
#!/bin/sh
[ "\${NICEMU_RANK:-0}" != 0 ] || touch "$work/began"
while [ ! -f "$work/go" ] && [ -f "$work/began.2" ]; do sleep 0.1; done
[ "\${NICEMU_RANK:-0}" != 0 ] || touch "$work/began.2"
exec "$PWD/examples/ring"
TEXT
chmod +x "$work/slow"
for signal in TERM INT; do
    rm -rf "$work/cut" "$work/go" "$work/began" "$work/began.2"
    # An interrupt is ignored by what runs behind a shell, so it is let in again.
    (cd "$work" && exec env --default-signal=INT "$sweep" --model ideal -n 1 -j 1 -o cut \
        --sweep nic.clock=1GHz:3GHz:1GHz ./slow) >"$work/out" 2>"$work/err" &
    sweeper=$!
    until [ -f "$work/began.2" ] && [ -f "$work/cut/runs/1.value" ] &&
        [ "$(find "$work/cut/runs" -name 2.err)" ]; do
        sleep 0.1
    done
    (cd "$work" && "$sweep" --model ideal -n 1 -o cut --sweep nic.clock=1GHz:3GHz:1GHz ./slow) \
        2>"$work/second" && fail 'two in one folder'
    grep -q 'another nicsweep works there' "$work/second" || fail 'two in one folder, unsaid'
    kill -s $signal $sweeper
    wait $sweeper
    code=$?
    case $signal.$code in TERM.143 | INT.130) ;; *) fail "$signal: exit code $code" ;; esac
    told 'cut off; the same command goes on'
    told '^nicsweep: 1 of 3, .*, some .* left$'
    flock -n "$work/cut/lock" true || fail 'what it has started keeps the lock'
    [ "$(find "$work/cut/runs" -name '*.value' | wc -l)" -eq 1 ] || fail 'more than one figure'
    touch "$work/go"
    sweep 0 --model ideal -n 1 -j 1 -o cut --sweep nic.clock=1GHz:3GHz:1GHz ./slow
    told '3 runs, 1 of them there'
    [ "$(values 1 "$work/cut/sweep.tsv")" = '1GHz 2GHz 3GHz' ] || fail 'it did not go on'
done

# Killed: the same command goes on at once, beside what still runs, which then begins nothing more
# and leaves no trace.
cat >"$work/holds" <<TEXT
#!/bin/sh
echo "started by \${HOLD:-second}"
echo "\$$" >>"$work/\${HOLD:-second}"
while [ -n "\${HOLD:-}" ] && [ -d "$work" ] && [ ! -f "$work/free" ]; do sleep 0.1; done
exec "$PWD/examples/ring"
TEXT
chmod +x "$work/holds"
(cd "$work" && HOLD=first exec "$sweep" -q --model ideal -n 1 -j 1 -o killed \
    --sweep nic.clock=1GHz:3GHz:1GHz ./holds) >"$work/out" 2>"$work/err" &
sweeper=$!
until_true has_lines "$work/first" 1
kill -s KILL $sweeper
wait $sweeper
sweep 0 --model ideal -n 1 -j 2 -o killed --sweep nic.clock=1GHz:3GHz:1GHz ./holds
told '3 runs, 0 of them there'
gone "$(cat "$work/first")" && fail 'the first run does not wait'
cksum "$work/killed/runs"/*.* >"$work/before"
touch "$work/free"
until_true gone "$(cat "$work/first")"
none_left() { ! grep -qs "${work##*/}/killed/[l]eft" /proc/[0-9]*/cmdline; }
until_true none_left
has_lines "$work/first" 2 && fail 'what was left has begun more'
cksum "$work/killed/runs"/*.* | cmp -s - "$work/before" || fail 'what was left has changed runs'
cat "$work/killed/runs"/*.out | grep -q first && fail 'output of two runs in one file'
[ "$(find "$work/killed/runs" -name 'now.*')" = '' ] || fail 'a folder is left'

# Two keys, with units, the metrics of the NIC.
for metric in time latency:p50 latency:mean latency:max busy:nic; do
    sweep 0 -q --again --model redstorm-alpu -o two --metric $metric --set alpu.posted=64 \
        --sweep nic.clock=500MHz:1GHz:250MHz --sweep link.latency=100ns,2us "$program" -q 20 -r 2
    table=$work/two/sweep.tsv
    [ "$(values 1 "$table")" = '500MHz 500MHz 750MHz 750MHz 1000MHz 1000MHz' ] ||
        fail "first key: $(values 1 "$table")"
    [ "$(values 2 "$table")" = '100ns 2us 100ns 2us 100ns 2us' ] ||
        fail "second key: $(values 2 "$table")"
    [ "$(values 3 "$table" | wc -w)" -eq 6 ] || fail "$metric: $(values 3 "$table")"
    cp "$table" "$work/$metric.tsv"
done
# shellcheck disable=SC2046 # words
set -- $(values 3 "$work/time.tsv")
[ "${1%.*}" -lt "${2%.*}" ] || fail 'a longer wire does not take longer'
"$mpirun" -q -n 2 --model redstorm-alpu --set alpu.posted=64 --set nic.clock=500MHz \
    --set link.latency=100ns --explain-file "$work/why" "$program" -q 20 -r 2 >/dev/null
awk -F'\t' '$1 == "rank" { printf "%.6f\n", $3 / 1e6; exit }' "$work/why" >"$work/end"
[ "$(cat "$work/end")" = "$1" ] || fail "time is $1, mpirun says $(cat "$work/end")"

# Keys of a program's own, three of them: the list grows with its depth, the hash table does not.
sweep 0 -q --model redstorm-alpu -o own --sweep own.depth=10,200 --sweep alpu.posted=0,256 \
    --sweep own.hash=0,1 --metric column:ns "$PWD/examples/units/matchers"
awk -F'\t' 'NR > 1 { ns[$1, $2, $3] = $4 } END { exit !(ns[200, 0, 0] > 2 * ns[10, 0, 0] \
    && ns[200, 256, 0] < 1.2 * ns[10, 256, 0] && ns[200, 0, 1] < 1.2 * ns[10, 0, 1] && NR == 9) }' \
    "$work/own/sweep.tsv" || fail "list, ALPU and hash table: $(cat "$work/own/sweep.tsv")"
# What a key of its own was charged: a look-up of 20 cycles of 2 ns for each of 51 messages.
sweep 0 -q --model redstorm-alpu -o named --sweep own.depth=10,200 --set own.hash=1 \
    --set nic.clock=500MHz --metric own:lookup "$PWD/examples/units/matchers"
[ "$(cut -f 2 "$work/named/sweep.tsv" | tr '\n' ' ')" = 'own:lookup 2040.000 2040.000 ' ] ||
    fail "own:lookup: $(cat "$work/named/sweep.tsv")"
# One that has charged nothing at a point is 0 there, and --explain does not speak of it.
sweep 0 -q --model redstorm-alpu -o never --sweep own.hash=0,1 --set nic.clock=500MHz \
    --metric own:lookup "$PWD/examples/units/matchers"
[ "$(cut -f 2 "$work/never/sweep.tsv" | tr '\n' ' ')" = 'own:lookup 0.000 2040.000 ' ] ||
    fail "own:lookup: $(cat "$work/never/sweep.tsv")"
"$mpirun" --model redstorm-alpu --explain=1 -n 2 "$PWD/examples/units/matchers" 2>&1 |
    grep 'own\.' && fail 'a charge that there was not'
for key in none depth; do
    sweep 1 -q --model redstorm-alpu -o "no $key" --sweep own.hash=0 --metric own:$key \
        "$PWD/examples/units/matchers"
    told "the program declares no key \"$key\" in cycles"
done
"$mpirun" --model redstorm-alpu --set own.hash=1 --explain=1 -n 2 \
    "$PWD/examples/units/matchers" 2>&1 >/dev/null |
    grep -q '^mpirun: own.lookup: charged 51 times, 2040.000 ns$' || fail 'no own.lookup'
[ "$(cd "$work" && find . -maxdepth 1 -name '*key*')" = '' ] || fail 'files that nobody asked for'

# A folder, a program, a profile and values whose names have to be quoted; the page's command does
# the same again.
mkdir "$work/it's \"here\""
cp "$program" "$work/it's \"here\"/a prog"
(cd "$work/it's \"here\"" && "$sweep" -q --model ideal --set 'nic.clock = 1 GHz' -o 'of $HOME' \
    --sweep 'link.latency = 1 us : 2 us : 500 ns' --metric 'column:half round trip (ns):min' \
    './a prog' -q 2 -r 1) 2>"$work/err" || fail 'names with blanks'
table="$work/it's \"here\"/of \$HOME/sweep.tsv"
[ "$(values 1 "$table")" = '1000ns 1500ns 2000ns' ] || fail "ranges: $(values 1 "$table")"
page=${table%/*}/index.html
sed -n 's/.*<pre>\(nicsweep .*\)<\/pre>/\1/p' "$page" | sed 's/&amp;/\&/g; s/&lt;/</g; s/&gt;/>/g' \
    >"$work/command"
(cd "$work/it's \"here\"" && nicsweep() { "$sweep" "$@" -q -o again; } &&
    set -- "$(sed "s|^nicsweep|\"$sweep\" -q -o again|" "$work/command")" && eval "$1") ||
    fail "the page's command: $(cat "$work/command")"
cmp -s "$table" "$work/it's \"here\"/again/sweep.tsv" ||
    fail "the page's command does another thing"

# Values that are given twice run once; rates in a range; a grid of one row; a run that fails
# leaves a hole in the map, and is on the page with its reason.
sweep 0 -q --model ideal -o few --sweep link.byte=1ns/byte:3ns/byte:1ns/byte,2ns/byte \
    --sweep nic.clock=1GHz "$program" -q 1 -r 1
[ "$(values 1 "$work/few/sweep.tsv")" = '1ns/byte 2ns/byte 3ns/byte' ] || fail 'rates'
# -q: nothing is said, but that there can be no picture
if ! command -v gnuplot >/dev/null; then
    told '^nicsweep: no picture: gnuplot is missing$'
    sed -i '/no picture: gnuplot is missing$/d' "$work/err"
fi
silent
cat >"$work/picky" <<TEXT
#!/bin/sh
[ ! -f "$work/refuse" ] || { echo 'not today' >&2; exit 3; }
exec "$PWD/examples/ring"
TEXT
chmod +x "$work/picky"
touch "$work/refuse"
sweep 1 -q --model ideal -n 1 -o hole --sweep nic.clock=1GHz "$work/picky"
told "run with nic.clock=1GHz failed: exit code 3: not today; see $work/hole/runs/1.err\$"
grep -q 'failed: exit code 3' "$work/hole/index.html" || fail 'the page does not say what failed'
rm "$work/refuse"
sweep 0 -q --model ideal -n 1 -o hole --sweep nic.clock=1GHz "$work/picky"
if command -v gnuplot >/dev/null; then
    for name in one two own few hole; do
        for kind in svg png; do
            [ -s "$work/$name/sweep.$kind" ] || fail "no picture: $name/sweep.$kind"
        done
    done
fi

# Values that are right by themselves and do not fit each other: said before anything runs, with the
# reason, and the others run.
sweep 1 --model redstorm-alpu -n 8 -o unfit --sweep link.topology=crossbar,mesh \
    --sweep link.contention=none,shared "$PWD/examples/ring" 2
told '^nicsweep: there can be no run with link.topology=mesh link.contention=shared: .*link.router'
[ "$(grep -n 'there can be no run' "$work/err" | cut -d: -f1)" -lt \
    "$(grep -n '4 runs, 0 of them there' "$work/err" | cut -d: -f1)" ] || fail 'it is said too late'
told '^nicsweep: 1 of 4 runs failed$'
[ "$(grep -c 'no run with\|failed' "$work/err")" -eq 2 ] || fail 'it is said twice'
[ "$(wc -l <"$work/unfit/sweep.tsv")" -eq 4 ] || fail 'the others did not run'
grep -q 'failed: .*where links are shared' "$work/unfit/index.html" || fail 'the page has no reason'
sweep 2 --model redstorm-alpu -n 8 -o none --sweep link.topology=mesh,torus \
    --set link.contention=shared "$PWD/examples/ring" 2
[ "$(grep -c 'no run with' "$work/err")" -eq 2 ] || fail 'not all that cannot be are told'
[ ! -e "$work/none" ] || fail 'a folder for what cannot run'

# One-sided operations, and percentiles of more messages than are told apart.
part metric >"$work/metric.awk"
sided='#message\tto\ttotal\none-sided\t1\t9000\nmessage\t1\t7000\none-sided\t1\t5000\n'
# shellcheck disable=SC2059 # a format
printf "$sided#rank\trank\tend\tmessages\nrank\t0\t9\t1\n" >"$work/sided.tsv"
for pair in 'one-sided:p50 5.000' 'one-sided:max 9.000' 'one-sided:mean 7.000'; do
    got=$(awk -v metric="${pair% *}" -f "$work/metric.awk" "$work/sided.tsv")
    [ "$got" = "= ${pair#* }" ] || fail "${pair% *} of two and a message: $got"
done
for pair in 'one-sided:p0 5.000' 'one-sided:p51 9.000' 'one-sided:p100 9.000' 'latency:p50 7.000' \
    'time 0.000009' 'busy:bus 25.0000' 'own:hash 0.030'; do
    got=$(printf '%b' '#message\tto\ttotal\none-sided\t1\t9000\nmessage\t1\t7000\n' \
        'one-sided\t1\t5000\n#own\tname\ttime\nown\thash\t10\nown\tother\t5\nown\thash\t20\n' \
        '#rank\trank\tend\tbus\tmessages\nrank\t0\t9\t3\t1\nrank\t1\t9\t1.5\t0\n' |
        awk -v metric="${pair% *}" -f "$work/metric.awk")
    [ "$got" = "= ${pair#* }" ] || fail "${pair% *} of two ranks: $got"
done
# A column below its heading: numbers only, the last heading of that name.
for pair in 'column:us 2.5' 'column:us:mean 2.5' 'column:us:min 1' 'column:us:max 4.5' \
    'column:us:last 2' 'column:n 5'; do
    got=$(printf '# n us\n5 1\n5 4.5\nno number\n5 2.5 x\n5 2e0\n' |
        awk -v metric="${pair% *}" -f "$work/metric.awk")
    [ "$got" = "= ${pair#* }" ] || fail "${pair% *}: $got"
done
sweep 1 -q --model lanai91 -o sided2 --metric latency:p50 --sweep link.latency=1us \
    "$PWD/examples/papers/updates" -h
told 'failed: '
few='#message	from	total\nmessage	0	%s\nmessage	0	%s\n#rank	rank	end	messages\nrank	0	9	200000\n'
"$mpirun" --version >/dev/null
# shellcheck disable=SC2059 # a format
printf "$few" 7000 5000 >"$work/few.tsv"
for pair in 'latency:p100 7.000' 'latency:p99.9995 5.000' 'latency:max 7.000'; do
    got=$(awk -v metric="${pair% *}" -f "$work/metric.awk" "$work/few.tsv")
    [ "$got" = "= ${pair#* }" ] || fail "${pair% *} of 200000 messages: $got"
done
for metric in latency:p99.999 latency:mean; do
    got=$(awk -v metric=$metric -f "$work/metric.awk" "$work/few.tsv")
    case $got in '200000 messages are too many for '*) ;; *) fail "$metric: $got" ;; esac
done

# What is wrong is said before anything runs, and leaves no folder.
sweep 2 -q --model ideal -o bad --sweep alpu.posted=0,nothing,-1 "$program" -q 1 -r 1
told '^nicsweep: --sweep alpu.posted=nothing: alpu.posted = nothing: '
told '^nicsweep: --sweep alpu.posted=-1: '
sweep 2 -q --model ideal -o bad --sweep alpu.postet=0 "$program"
told 'no such key; allowed in \[alpu\]: '
sweep 2 -q --model idle -o bad --sweep alpu.posted=0 "$program"
told "^nicsweep: no profile 'idle'"
sweep 2 -q --model ideal --set nic.clock=fast -o bad --sweep alpu.posted=0 "$program"
told 'nic.clock = fast: '
sweep 2 -q --model ideal -o bad --sweep alpu.posted=0 ./nobody
told '^nicsweep: there is no program ./nobody$'
sweep 2 -q --model ideal -o bad --sweep alpu.posted=0 nobody
told '^nicsweep: there is no program nobody in the folders of PATH, or in this one$'
for none in ./theirs ./mine.conf; do
    sweep 2 -q --model ideal -o bad --sweep alpu.posted=0 $none
    told "^nicsweep: $none is no program: it cannot be executed$"
done
sweep 2 -q --model ideal -o bad --sweep alpu.posted=0 --sweep alpu.posted=1 "$program"
told 'alpu.posted: given twice'
sweep 2 -q --model ideal -o bad --set alpu.posted=1 --sweep alpu.posted=0 "$program"
told 'alpu.posted: --set has it too'
sweep 2 -q --model ideal -o bad --sweep alpu.posted=0:20000:1000 "$program"
[ "$(grep -c 'alpu.posted = .*out of range' "$work/err")" -eq 10 ] ||
    fail 'not ten of the values that are wrong are told'
sweep 2 -q --model ideal -o bad --set link.contention=shared --sweep nic.clock=1GHz:4GHz:1GHz \
    --sweep link.topology=mesh,torus,mixed "$program"
[ "$(grep -c 'no run with' "$work/err")" -eq 10 ] || fail 'not ten of the runs are told'
told '^nicsweep: and 2 more$'
for wrong in 'alpu.posted' '=1' 'alpu.posted=1:2' 'alpu.posted=2:1:1' 'alpu.posted=1:2:0' \
    'alpu.posted=1,,2' 'alpu.posted=' 'alpu.posted=,' 'nic.clock=1Hz:2x:1Hz' 'alpu.posted=a:b:c' \
    'nic.clock=1MHz:2:1MHz' 'nic.clock=1MHz:2s:1MHz' 'alpu.posted=0:1000000:1' 'posted=1' \
    'alpu.posted=*' 'alpu.posted=0:8:'; do
    sweep 2 -o bad --sweep "$wrong" "$program"
    told '^nicsweep: '
done
for wrong in nothing busy:cpu latency:p101 latency:median latency: one-sided:p9x column: own: ''; do
    sweep 2 -o bad --sweep alpu.posted=1 --metric "$wrong" "$program"
    told "is no metric: "
done
for wrong in '-n 0' '-n two' '-j 0' '-j -1' '--nonsense' '--sweep'; do
    # shellcheck disable=SC2086 # words
    sweep 2 -o bad --sweep alpu.posted=1 $wrong
done
[ ! -e "$work/bad" ] || fail 'a folder for what cannot run'
sweep 2 "$program"
told 'sweep KEY=VALUES is missing'
sweep 2 --sweep alpu.posted=1
told 'no program'
MPILITE_MPIRUN=$work/none sweep 1 --sweep alpu.posted=1 "$program"
told "^nicsweep: there is no $work/none, which MPILITE_MPIRUN names$"
sweep 1 -q --model ideal -o "$work/prog/under" --sweep alpu.posted=0 "$program"
told "^nicsweep: -o $work/prog/under: cannot create directory .*: Not a directory"
# A folder lies below the one we are in, wherever else cd would look for it.
mkdir -p "$work/elsewhere/below"
CDPATH=$work/elsewhere
export CDPATH
sweep 0 -q --model ideal -o below --sweep alpu.posted=0 "$program" -q 1 -r 1 -w 0
unset CDPATH
[ -s "$work/below/sweep.tsv" ] || fail 'the sweep is not in the folder that -o names'
# A program of this folder is found as mpirun finds it.
sweep 0 -q --model ideal -o here --sweep nic.clock=1GHz prog -q 1 -r 1

# What shows only when it runs.
sweep 1 -q --model ideal -o late --metric column:none --sweep alpu.posted=0 "$program" -q 1 -r 1
told "it prints no column \"none\"; see $work/late/runs/1.out\$"
sweep 1 -q --model ideal -o late2 --metric own:none --sweep alpu.posted=0 "$program" -q 1 -r 1
told 'the program declares no key "none" in cycles'
sweep 1 -q --model ideal -o late3 --sweep alpu.posted=0,1 true
told 'it did not end with MPI_Finalize'
told '2 of 2 runs failed'
sweep 0 --help
grep -q '^usage: nicsweep' "$work/out" || fail 'no help'
exit 0
