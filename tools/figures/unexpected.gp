# unexpected.gp: latency by length of the unexpected queue, short queues on the left, past the cache
# on the right.  Figure 6 of the ALPU paper.
set tmargin 1.5
set multiplot layout 1, 2 title 'Unexpected messages, the receive posted in the timed part'
set xlabel 'messages that wait for a receive'
set ylabel 'latency (us)' offset 1, 0
curves = 'none 128 256'
name(c) = c eq 'none' ? 'no ALPU (baseline)' : 'ALPU of '.c.' cells'
# Lines that lie on each other are told apart by widths and dashes.
set style line 3 dashtype (12, 8)
width(i) = 6.5 - 1.5 * i
set xrange [0:150]
set yrange [0:2]
set xtics 50
set key left bottom reverse Left
set arrow 1 from 70, graph 0.42 to 70, graph 0.8 nohead dashtype 2 linecolor rgb '#888888'
set label 1 "paper: the ALPU wins\npast 70" at 70, graph 0.88 center
latency(name) = data.'/unexpected-'.name.'.tsv'
plot for [i = 1:3] latency('short-'.word(curves, i)) using 1:($3 / 1000) skip 1 \
    with lines linestyle i linewidth width(i) title name(word(curves, i))
unset arrow 1
unset label 1
set xrange [0:1000]
set yrange [0:*]
set xtics 250
set key left top
do for [i = 1:3] {
    knee = system("awk '$1 == \"unexpected-".word(curves, i)."\" { print $2 }' ".data.'/knees')
    if (strlen(knee) && knee ne 'none') {
        set arrow 10 + i from first knee + 0, graph 0 to first knee + 0, graph 0.1 + 0.05 * i \
            nohead linestyle i linewidth 1 dashtype 3
        set label 10 + i 'cache full, '.knee at first knee - 10, graph 0.12 + 0.05 * i right
    }
}
plot for [i = 1:3] latency(word(curves, i)) using 1:($3 / 1000) skip 1 \
    with lines linestyle i linewidth width(i) title name(word(curves, i))
unset multiplot
