# seastar-lists.gp: latency by the posted receives traversed.  Figure 11 of the SeaStar paper.
set title 'Posted receives traversed, 0 bytes'
set xlabel 'entries'
set ylabel 'latency (us)'
set yrange [0:*]
set arrow from 50, graph 0 to 50, graph 1 nohead linestyle 9 dashtype 3
set label 'paper: about 50' at 53, graph 0.1
plot data.'/seastar-lists-host.tsv' using 1:($5 / 1000) skip 1 with linespoints linestyle 2 \
         title 'host', \
     data.'/seastar-lists-nic.tsv' using 1:($5 / 1000) skip 1 with linespoints linestyle 1 \
         title 'NIC'
