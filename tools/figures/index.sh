#!/bin/sh
# index.sh: one page that shows what figures.sh made.  Usage: sh index.sh OUT "PICTURE..."
set -u
out=$1 pictures=$2

table() {
    awk -F'\t' '
        function text(s) { gsub(/&/, "\\&amp;", s); gsub(/</, "\\&lt;", s); return s }
        function row(tag,    i) {
            for (i = 1; i <= NF; i++) printf "<%s>%s</%s>", tag, text($i), tag
            print "</tr>"
        }
        NR == 1 { printf "<table>\n<tr>"; row("th"); next }
        { printf "<tr class=\"%s\">", $NF; row("td") }
        END { print "</table>" }' "$1"
}

caption() {
    case $1 in
    posted-none) echo 'A, figure 5 (a, b): posted receives without an ALPU' ;;
    posted-128) echo 'A, figure 5 (c, d): posted receives with an ALPU of 128 cells' ;;
    posted-256) echo 'A, figure 5 (e, f): posted receives with an ALPU of 256 cells' ;;
    unexpected) echo 'A, figure 6: unexpected messages' ;;
    eager) echo 'B, figure 4.5, table 4.1: eager latency' ;;
    eager-small) echo 'B, figure 4.6: eager latency, small sizes' ;;
    rendezvous) echo 'B, figure 4.8, table 4.4: rendezvous latency' ;;
    rendezvous-small) echo 'B, figure 4.9: rendezvous and eager latency, small sizes' ;;
    parts) echo 'B, tables 4.2, 4.3: parts of an eager send and receive' ;;
    multicast) echo 'C, figures 2.5, 2.6, 2.7: one message to many, multi-send and trees' ;;
    barrier-gm) echo 'C, figure 3.6: barriers below MPI, by hosts and by NICs' ;;
    barrier-mpi) echo 'C, figures 3.7, 3.8, 3.9: MPI_Barrier' ;;
    barrier-turns) echo 'C, figure 3.10: computation and a barrier, 8 nodes' ;;
    barrier-shares) echo 'C, figure 3.11: computation that has a given share of a turn' ;;
    barrier-varied) echo 'C, figures 3.12, 3.13: computation that varies, 16 nodes' ;;
    barrier-steps) echo 'C, figure 3.14: synthetic applications' ;;
    reduce-latency) echo 'C, figures 4.3, 4.4, 4.5: reduction of one word' ;;
    reduce-hosts) echo 'C, figures 4.6, 4.7, 4.8: time of hosts in a reduction' ;;
    atomic) echo 'C, figure 5.6: compare and swap of a word of another node' ;;
    lock) echo 'C, figures 5.7, 5.8: a lock of atomic operations; computation at its home' ;;
    bypass-skew) echo 'C, figures 6.4, 6.5: broadcasts past nodes that are late, 32 nodes' ;;
    bypass-nodes) echo 'C, figure 6.6: the same by nodes' ;;
    seastar-messages) echo 'D, figures 4 to 7: latency, bandwidth, streams, both directions' ;;
    seastar-nodes) echo 'D, figures 8, 9: collective operations' ;;
    seastar-lists) echo 'D, figure 11: posted receives traversed' ;;
    pgas-latency) echo 'E, figure 5: latency of puts' ;;
    pgas-streams) echo 'E, figures 6, 7: streams between two sockets' ;;
    pgas-far) echo 'E, figures 8, 9, 10: streams from one socket to 31 others' ;;
    pgas-limits) echo 'E, figures 12, 13: rates of puts and their limits' ;;
    pgas-updates) echo 'E, figure 15: random updates' ;;
    esac
}

cat <<'TEXT'
<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>libmpi-lite: figures of the papers</title>
<style>
body { font: 16px/1.5 sans-serif; max-width: 64rem; margin: 2rem auto; padding: 0 1rem;
       color: #222; background: #fff }
table { border-collapse: collapse; font-size: 0.9rem; margin: 1rem 0 }
th, td { text-align: left; padding: 0.2rem 0.8rem 0.2rem 0; border-bottom: 1px solid #ddd;
         vertical-align: top }
tr.open td { color: #888 }
td:nth-child(n+5) { white-space: nowrap }
tr.short td { background: #fde8e0 }
tr.met td:last-child { color: #17692f }
tr.cal td:last-child { color: #666 }
figure { margin: 2rem 0 }
img { max-width: 100%; border: 1px solid #ddd }
pre { overflow-x: auto; font-size: 0.8rem }
</style>
<h1>Figures of the papers, on the model clock</h1>
<p>A: Brightwell, Hemmert, Murphy, Rodrigues, Underwood, <cite>A Hardware Acceleration Unit for MPI
Queue Processing</cite>, profile redstorm-alpu. B: Katsamani's thesis on MPI over scratchpad
memories, counters and RDMA, profile fpga-scratchpad. C: Buntinas' thesis on NIC support for
collective and synchronization operations, chapters 2 to 6, profiles lanai43-fm, lanai43, lanai72,
lanai91 and lanai91-mpi. D: Brightwell, Pedretti, Underwood, Hudson, <cite>SeaStar Interconnect:
Balanced Bandwidth for Scalable Performance</cite>, profile seastar. E: Underwood, Levenhagen,
Brightwell, <cite>Evaluating NIC Hardware Requirements to Achieve High Message Rate PGAS Support on
Multi-Core Processors</cite>, profile pgas-xt. All times are virtual and come out of ordinary MPI
and SHMEM programs; any machine gives the same.</p>
<h2>Rows</h2>
<p><b>met</b>: within 10 %, or the relation holds. <b>cal</b>: a number that the profile was
calibrated on. <b>short</b>: not met. <b>open</b>: there is no profile yet. What a row that is met
says about the model: a <b>prediction</b>, that it is right there; an <b>input</b>, an
<b>identity</b> that follows from others by arithmetic, and <b>cal</b>, nothing; an
<b>interpolation</b> between two calibrated ends, little; one that is <b>leaning</b>, as much as the
assumed number by which it is met or not.</p>
TEXT
echo "<p>$(cat "$out/tally")</p>"
table "$out/papers.tsv"
echo '<h2>Pictures</h2>'
shown=
for picture in $pictures; do
    [ -f "$out/$picture.svg" ] || continue
    shown=yes
    title=$(caption "$picture")
    printf '<figure><img src="%s.svg" alt="%s">' "$picture" "$title"
    printf '<figcaption>%s (<a href="%s.png">PNG</a>)</figcaption></figure>\n' "$title" "$picture"
done
[ "$shown" ] || echo '<p>None: gnuplot was not there.</p>'
cat <<'TEXT'
<h2>Calibration</h2><p>One unknown per row marked <b>cal</b>; all other numbers are those of the
papers or assumed, with the reason in the profile.</p>
TEXT
table "$out/calibration.tsv"
echo '<h2>Commands</h2><pre>'
sed 's/&/\&amp;/g; s/</\&lt;/g' "$out/data/commands"
echo '</pre></html>'
