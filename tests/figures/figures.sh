#!/bin/sh
# The figure pack by itself, with a toy in place of the model: every row is judged, every picture
# drawn or said to be missing, and the page needs no network. And the judge, on made-up rows.  Runs
# in the build folder.
set -u
top=$(cd "${srcdir:-.}" && pwd) || exit 1
tools=$top/tools/figures
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
TMPDIR=$work FIGURES_QUICK=yes
export TMPDIR FIGURES_QUICK

fail() { echo "figures: $*"; [ ! -s "$work/log" ] || cat "$work/log"; exit 1; }

# -- no function twice: what is sourced later would take the place of what rows before it call

grep -ohE '^[A-Za-z_0-9]+\(\)' "$tools/figures.sh" "$tools/measure.sh" "$tools/messages.sh" \
    "$tools/offload.sh" "$tools/offload-data.sh" "$tools/puts.sh" "$tools/barriers.sh" \
    "$tools/seastar.sh" "$tools/multicast.sh" | sort | uniq -d >"$work/twice"
[ ! -s "$work/twice" ] || fail "defined twice: $(cat "$work/twice")"

# -- the judge

# verdict KIND PAPER OURS: the verdict on such a row.
verdict() {
    printf 'X1\tp\tq\tns\t%s\t%s\tprediction\t%s\n' "$1" "$2" "$3" |
        awk -f "$tools/judge.awk" | awk -F'\t' 'NR == 2 { print $7 }'
}
judge() {
    got=$(verdict "$1" "$2" "$3")
    [ "$got" = "$4" ] || fail "$1, paper $2, ours $3: $got, should be $4"
}
judge number 100 109.9 met
judge number 100 110.1 short
judge number 100 90.1 met
judge number 100 89.9 short
judge number 100 none short
judge number 100 '' short
judge cal 100 100.9 cal
judge cal 100 101.1 short
judge between 20:60 20 met
judge between 20:60 60.5 short
judge between 20:60 -30 short
judge zero 0 0.4 met
judge zero 0 -0.6 short
judge relation holds holds met
judge relation holds 'fails: because' short
judge input 34 34.0000001 met
judge number 34 open open

# -- where one curve gets past another

# crosses A B: the answer for two curves over 0, 10, 20, 30.
crosses() {
    for curve in "$1" "$2"; do
        echo "$curve" | awk '
            BEGIN { print "x\tns" }
            { for (i = 1; i <= NF; i++) print (i - 1) * 10 "\t" $i }' >"$work/curve.$curve"
    done
    (
        # shellcheck disable=SC2034 # for measure.sh
        build=$PWD data=$work sets=''
        # shellcheck disable=SC1091 # is there
        . "$tools/measure.sh" && crossing "$work/curve.$1" "$work/curve.$2"
    )
}
curves() {
    got=$(crosses "$1" "$2")
    [ "$got" = "$3" ] || fail "curves $1 and $2 cross at $got, should be $3"
}
curves '1 2 3 4' '2 2.5 2.5 2.5' 15
curves '1 1 2 3' '1 1 1 1' 20
curves '1 2 2 3' '2 2 2 2' 30
curves '1 2 3 4' '5 5 5 5' none
curves '6 5 4 3' '2 2 2 2' none

# -- all of it

FIGURES_MPIRUN=$top/tests/figures/toy_mpirun.sh
export FIGURES_MPIRUN
sh "$tools/figures.sh" "$PWD" "$work/out" >"$work/log" 2>&1 || fail 'it failed'
awk -F'\t' '!/^#/ { print $1 }' "$tools/rows.tsv" >"$work/ids"
awk -F'\t' 'NR > 1 { print $1 }' "$work/out/papers.tsv" | diff "$work/ids" - ||
    fail 'papers.tsv has other rows than rows.tsv'
awk -F'\t' 'NF != 7 || (NR > 1 && $7 !~ /^(met|cal|short|open)$/)' \
    "$work/out/papers.tsv" | grep . &&
    fail 'a line of papers.tsv without a verdict'
awk -F'\t' 'NR > 1 && $4 == ""' "$work/out/papers.tsv" | grep . && fail 'a row was not measured'
grep -q '^A10	' "$work/out/index.html" && fail 'the table on the page is not a table'
grep -q '^[0-9]* rows; prediction: [0-9]*, [0-9]* met; leaning: ' "$work/out/tally" ||
    fail 'the tally does not count predictions apart'
grep -q '<td>B20</td>' "$work/out/index.html" || fail 'the page lacks rows'
grep -nE '(src|href)="?(https?:|//)|@import|<script' "$work/out/index.html" &&
    fail 'the page needs a network'

pictures='posted-none posted-128 posted-256 unexpected'
pictures="$pictures eager eager-small rendezvous rendezvous-small parts"
pictures="$pictures multicast barrier-gm barrier-mpi barrier-turns"
pictures="$pictures barrier-shares barrier-varied barrier-steps"
pictures="$pictures reduce-latency reduce-hosts atomic lock bypass-skew bypass-nodes"
pictures="$pictures seastar-messages seastar-nodes seastar-lists"
pictures="$pictures pgas-latency pgas-streams pgas-far pgas-limits pgas-updates"
if command -v gnuplot >/dev/null 2>&1; then
    for name in $pictures; do
        for kind in svg png; do [ -s "$work/out/$name.$kind" ] || fail "no $name.$kind"; done
        grep -q "src=\"$name.svg\"" "$work/out/index.html" || fail "$name is not on the page"
    done
fi

# Without gnuplot the rows are still there.  A PATH of its own hides it; where there is none anyway,
# that was the run above.
bare=$work/out
if command -v gnuplot >/dev/null 2>&1; then
    bare=$work/bare
    mkdir "$work/bin"
    for tool in sh awk sed grep cat cp rm mv mkdir dirname cksum tr paste cut head printf true sort
    do
        path=$(command -v $tool) &&
            case $path in /*) ln -s "$path" "$work/bin/$tool" ;; esac
    done
    PATH=$work/bin sh "$tools/figures.sh" "$PWD" "$bare" >"$work/log" 2>&1 ||
        fail 'it failed without gnuplot'
fi
grep -q 'no gnuplot' "$work/log" || fail 'it does not say that gnuplot is missing'
cmp -s "$bare/papers.tsv" "$work/out/papers.tsv" || fail 'rows differ without gnuplot'
grep -q 'gnuplot was not there' "$bare/index.html" ||
    fail 'the page does not say that pictures are missing'

# -- what cannot run is said
cat >"$work/one_fails" <<TEXT
#!/bin/sh
case \$* in */unexpected\ *) echo out of order >&2; exit 1 ;; esac
exec sh "$FIGURES_MPIRUN" "\$@"
TEXT
chmod +x "$work/one_fails"
FIGURES_MPIRUN=$work/one_fails sh "$tools/figures.sh" "$PWD" "$work/some" >"$work/log" 2>&1 &&
    fail 'it succeeded though a benchmark failed'
grep -q 'out of order' "$work/log" || fail 'it does not say what a benchmark said'
grep -q 'figures: a benchmark failed' "$work/log" || fail 'it does not say that one failed'
FIGURES_MPIRUN=false
sh "$tools/figures.sh" "$PWD" "$work/none" >"$work/log" 2>&1 &&
    fail 'it succeeded without a model clock'
grep -q 'cannot run on the model clock' "$work/log" || fail 'it does not say what is wrong'
: >"$work/log"

# -- adopt.sh puts what was found in its place and touches nothing else
sources=$top/nicemu/profile changed=$work/tree/nicemu/profile
mkdir -p "$work/tree/tools/figures" "$changed"
cp "$tools/adopt.sh" "$work/tree/tools/figures/"
cp "$sources/"*.conf "$changed/"
cat >"$work/found" <<'TEXT'
redstorm-alpu nic.entry_hit=17.25ns A1
fpga-scratchpad rdma.byte=0.5cycles/byte B14
TEXT
sh "$work/tree/tools/figures/adopt.sh" "$work/found" || fail 'adopt.sh failed'
bin/nicinfo --tsv "$changed/redstorm-alpu.conf" >"$work/new"
bin/nicinfo --tsv "$sources/redstorm-alpu.conf" | diff - "$work/new" | grep '^>' >"$work/changed"
[ "$(wc -l <"$work/changed")" -le 1 ] || fail 'adopt.sh has changed more than one number'
grep -q '^nic.entry_hit	17.25 ns	ps	17250	cal A1' "$work/new" ||
    fail 'adopt.sh has not put the number in its place'
bin/nicinfo --tsv "$changed/fpga-scratchpad.conf" |
    grep -q '^rdma.byte	0.5 cycles/byte	.*	cal B14' ||
    fail 'adopt.sh has not put the rate in its place'
