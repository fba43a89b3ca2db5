# seastar-messages.gp: latency of small messages, bandwidth, streams, both directions.  Figures 4 to
# 7 of the SeaStar paper.
set multiplot layout 2, 2 title 'Messages'
set key samplen 2 spacing 1 font terminal eq 'svg' ? 'sans,9' : 'sans,11'
file(p) = data.'/seastar-'.p.'.tsv'
set xlabel 'bytes'
set logscale x 2
set ylabel 'latency (us)'
set yrange [0:*]
set offsets 0, 0, graph 0.3, 0
plot file('latency') using 1:3 skip 1 with linespoints linestyle 2 title 'host', \
     '' using 1:2 skip 1 with linespoints linestyle 1 title 'NIC', \
     '' using 1:5 skip 1 with lines linestyle 2 dashtype 2 title 'host, no protocol', \
     '' using 1:4 skip 1 with lines linestyle 1 dashtype 2 title 'NIC, no protocol'
set ylabel 'MB/s'
set format x '%.0b%B'
set xtics 1, 16
do for [what in 'bandwidth stream both'] {
    plot file(what) using 1:3 skip 1 with linespoints linestyle 2 title what.', host', \
         '' using 1:2 skip 1 with linespoints linestyle 1 title 'NIC', \
         '' using 1:5 skip 1 with lines linestyle 2 dashtype 2 title 'host, no protocol', \
         '' using 1:4 skip 1 with lines linestyle 1 dashtype 2 title 'NIC, no protocol'
}
unset multiplot
