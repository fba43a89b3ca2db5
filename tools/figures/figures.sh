#!/bin/sh
# figures.sh: reproduces the papers' figures on the model clock.
#
# usage: sh figures.sh BUILD OUT
#
# Writes to OUT: papers.tsv (id, quantity, paper, ours, error, standing, verdict; a line per row of
# rows.tsv), tally (how many rows of each standing are met), calibration.tsv (what was found, and
# what the profiles say), data/ (what the benchmarks printed), *.svg, *.png (if gnuplot is there)
# and index.html, which shows all of it without a network. Exit code 1 if something could not be
# run. FIGURES_QUICK=yes takes fewer points.
set -u

here=$(cd "$(dirname "$0")" && pwd) || exit 1
[ $# -eq 2 ] || { echo "usage: sh figures.sh BUILD OUT" >&2; exit 2; }
mkdir -p "$2/data" || exit 1
build=$(cd "$1" && pwd) out=$(cd "$2" && pwd) || exit 1
data=$out/data
rm -f "$data"/* "$out"/*.svg "$out"/*.png "$out"/*.tsv "$out/index.html"
sets=
rows=${FIGURES_ROWS:-$here/rows.tsv}
# shellcheck source=tools/figures/measure.sh
. "$here/measure.sh"
# shellcheck source=tools/figures/barriers.sh
. "$here/barriers.sh"
# shellcheck source=tools/figures/offload-data.sh
. "$here/offload-data.sh"
# shellcheck source=tools/figures/seastar.sh
. "$here/seastar.sh"

die() { echo "figures: $*" >&2; exit 1; }
tab=$(printf '\t')

"$FIGURES_MPIRUN" --model ideal -n 1 true >"$data/probe" 2>&1 || {
    cat "$data/probe" >&2
    die "this mpirun cannot run on the model clock"
}
rm -f "$data/probe"

# -- calibration: what was found is used from here on, whatever the profiles say

calibration() {
    sh "$here/calibrate.sh" "$build" "$data" >"$data/found" || return 1
    printf 'profile\tkey\trow\tfound\tin the profile\n'
    while read -r profile assignment row; do
        key=${assignment%%=*} value=${assignment#*=}
        in_profile=$("$build/bin/nicinfo" --tsv "$profile" |
            awk -F'\t' -v k="$key" '$1 == k { print $2 }')
        printf '%s\t%s\t%s\t%s\t%s\n' "$profile" "$key" "$row" "$value" "$in_profile"
    done <"$data/found"
}
calibration >"$out/calibration.tsv" || die "calibration failed"
sets=$data/calibration.sets

# -- the rows

grep -v '^#' "$rows" | while IFS= read -r line; do
    id=${line%%"$tab"*} rest=${line#*"$tab"}
    if "$build/bin/nicinfo" "${rest%%"$tab"*}" >/dev/null 2>&1; then
        ours=$("row_$id" </dev/null) || exit 1
    else
        ours=open
    fi
    printf '%s\t%s\n' "$line" "$ours"
done >"$data/rows.measured" || die "a benchmark failed"
[ ! -s "$data/failed" ] || die "a benchmark failed"
awk -f "$here/judge.awk" "$data/rows.measured" >"$out/papers.tsv"
awk -F'\t' '
    NR > 1 && $7 != "open" { all[$6]++; met[$6] += $7 != "short"; rows++ }
    NR > 1 && $7 == "open" { open++ }
    END {
        printf "%d rows", rows
        n = split("prediction leaning interpolation identity input cal", kind, " ")
        for (i = 1; i <= n; i++)
            if (all[kind[i]]) printf "; %s: %d, %d met", kind[i], all[kind[i]], met[kind[i]]
        print open ? "; " open " open" : ""
    }' "$out/papers.tsv" | tee "$out/tally"

# -- what the pictures show

if [ "${FIGURES_QUICK:-}" ]; then
    lengths=0:500:100
    shares=0:100:50
    waiting=0:1000:250
    waiting_short=0:150:25
    eager_sizes=0:496:62
    small_sizes=0:128:4
    long_sizes=48:4096:506
    barrier_nodes='2 8' all_nodes='2 4 7 8 16' grains='1500 129750' varied_us='64 4096'
else
    lengths=0:500:20
    shares=0:100:10
    waiting=0:1000:20
    waiting_short=0:150:2
    eager_sizes=0:496:2
    small_sizes=0:128:2
    long_sizes=36:4096:28
    grains='1500 4000 8000 12000 16000 20000 25000 30000 40000 60000 80000 100000 129750'
    barrier_nodes='2 4 8' all_nodes='2 3 4 5 6 7 8 9 10 11 12 13 14 15 16'
    varied_us='64 128 256 512 1024 2048 4096'
fi

# picture_data NAME PROFILE SETS BENCHMARK ARGUMENT...: results as data/NAME.tsv.
picture_data() {
    name=$1
    shift
    result=$(run "$@") || die "a benchmark failed"
    cp "$result" "$data/$name.tsv"
}
# by_size NAME SETS SIZES [OPTION]...: the same of the ping-pong of words.
by_size() {
    of=$1 settings=$2 sizes=$3
    shift 3
    picture_data "$of" fpga-scratchpad "$settings" pingpong_words -s "$sizes" -r 10 -w 10 "$@"
}
for cells in none 128 256; do
    case $cells in
    none) p=$alpu_none u=$alpu_none ;;
    *) eval "p=\$posted_$cells u=\$unexpected_$cells" ;;
    esac
    picture_data "posted-$cells" redstorm-alpu "$p" preposted -q $lengths -p $shares -r 1 -w 1
    picture_data "unexpected-$cells" redstorm-alpu "$u" unexpected -q $waiting -r 5 -w 5
    picture_data "unexpected-short-$cells" redstorm-alpu "$u" unexpected -q $waiting_short -r 5 -w 5
done
for cells in none 128 256; do
    case $cells in
    none) p=$alpu_none u=$alpu_none ;;
    *) eval "p=\$posted_$cells u=\$unexpected_$cells" ;;
    esac
    echo "posted-$cells $(posted_knee "$p")"
    echo "unexpected-$cells $(unexpected_knee 5 5 "$u")"
done >"$data/knees"
by_size eager "$eager" $eager_sizes
by_size eager-small "$eager" $small_sizes
by_size rendezvous "$rendezvous" $long_sizes --alloc
by_size rendezvous-read "$rendezvous protocol.rendezvous=get" $long_sizes --alloc
by_size rendezvous-small "$rendezvous" 20:128:4 --alloc
multicast_data || die "a benchmark failed"
barrier_data || die "a benchmark failed"
offload_data || die "a benchmark failed"
seastar_data || die "a benchmark failed"
puts_data || die "a benchmark failed"
[ ! -s "$data/failed" ] || die "a benchmark failed"

# Surfaces: a blank line between lengths; empty shares of an empty queue are all the same point.
for cells in none 128 256; do
    awk -F'\t' '
        NR == 1 { next }
        NR > 2 && $1 != before { print "" }
        { print $1, $2, $5 / 1000; before = $1 }' \
        "$data/posted-$cells.tsv" >"$data/posted-$cells.grid"
done

# The papers' points, from rows.tsv: size and cycles.
paper_points() {
    awk -F'\t' -v what="$1" '
        !/^#/ && $3 ~ "^" what ", [0-9]+ bytes" {
            split($3, w, /[ ,]+/)
            print w[2], $6, $5
        }' "$rows" >"$data/paper-$1.dat"
}
paper_points eager
paper_points rendezvous
# Parts of a call: label, paper, ours.
awk -F'\t' '
    $1 ~ /^B1[89]/ {
        sub(/^eager /, "", $3)
        print $1 "\t" $3 "\t" $6 "\t" $8
    }' "$data/rows.measured" >"$data/parts.tsv"

# -- pictures

pictures='posted-none posted-128 posted-256 unexpected'
pictures="$pictures eager eager-small rendezvous rendezvous-small parts"
pictures="$pictures multicast barrier-gm barrier-mpi barrier-turns"
pictures="$pictures barrier-shares barrier-varied barrier-steps"
pictures="$pictures reduce-latency reduce-hosts atomic lock bypass-skew bypass-nodes"
pictures="$pictures seastar-messages seastar-nodes seastar-lists"
pictures="$pictures pgas-latency pgas-streams pgas-far pgas-limits pgas-updates"
if command -v gnuplot >/dev/null 2>&1; then
    for picture in $pictures; do
        script=$picture cells=
        tall=1
        case $picture in
        posted-*) script=posted cells=${picture#posted-} ;;
        multicast | reduce-* | bypass-skew) tall=1.5 ;;
        esac
        for terminal in svg png; do
            set="terminal='$terminal'; data='$data'; out='$out/$picture'; cells='$cells'"
            set="$set; tall=$tall"
            gnuplot -e "$set" "$here/style.gp" "$here/$script.gp" 2>"$data/gnuplot.log" || {
                cat "$data/gnuplot.log" >&2
                die "gnuplot failed on $script.gp"
            }
        done
    done
else
    echo "figures: no gnuplot, so no pictures; papers.tsv and index.html are there"
fi

sh "$here/index.sh" "$out" "$pictures" >"$out/index.html" || die "index.html cannot be written"
echo "figures: $out/index.html"
