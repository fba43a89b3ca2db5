# pgas-latency.gp: latency of puts by size, and of 8 bytes by the latency of the bus.  Figure 5 of
# the paper on PGAS support.
set multiplot layout 1, 2 title 'A put, one way'
set yrange [0:*]
set offsets 0, 0, graph 0.1, 0
set ylabel 'ns'
set logscale x 2
set xlabel 'bytes'
set key left top
set xtics 4, 4
plot data.'/pgas-latency.tsv' using 1:2 skip 1 with linespoints linestyle 1 title 'bus of 250 ns'
unset logscale x
set xtics 0, 50
set xrange [0:*]
set xlabel 'one crossing of the bus (ns)'
plot data.'/pgas-bus.tsv' using 1:2 skip 1 with linespoints linestyle 1 title '8 bytes', \
     '+' using (25):(300) every ::0::0 with points linestyle 9 title 'paper'
unset multiplot
