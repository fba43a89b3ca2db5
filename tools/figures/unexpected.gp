# unexpected.gp: latency by length of the unexpected queue.  Figure 6 of the ALPU paper.
set title 'Unexpected messages, the receive posted in the timed part'
set xlabel 'messages that wait for a receive'
set ylabel 'latency (us)'
set yrange [0:*]
set key right bottom
set arrow 1 from 70, graph 0 to 70, graph 0.85 nohead dashtype 2 linecolor rgb '#888888'
set label 1 'paper: the ALPU wins past 70' at 70, graph 0.89 center
plot data.'/unexpected-none.tsv' using 1:($3 / 1000) skip 1 with linespoints linestyle 1 pointtype 7 pointsize 0.5 title 'no ALPU (baseline)', \
     data.'/unexpected-128.tsv' using 1:($3 / 1000) skip 1 with linespoints linestyle 2 pointtype 5 pointsize 0.5 title 'ALPU of 128 cells', \
     data.'/unexpected-256.tsv' using 1:($3 / 1000) skip 1 with linespoints linestyle 3 pointtype 9 pointsize 0.6 title 'ALPU of 256 cells'
