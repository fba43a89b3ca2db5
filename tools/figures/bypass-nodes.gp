# bypass-nodes.gp: broadcasts to nodes that are late by 333 us on average, by nodes, what the
# handler takes included.  Figure 6.6 of the NIC offload thesis.
set multiplot layout 1, 2 title 'Broadcasts to nodes that are 333 us late on average, lanai91-mpi'
set key samplen 2 spacing 1 font terminal eq 'svg' ? 'sans,10' : 'sans,13'
set offsets 0, 0, graph 0.35, 0
file = data.'/bypass-nodes.tsv'
sizes = '1 2048 4096 8192'
name(i) = word(sizes, i).(i == 1 ? ' byte' : ' bytes')
set xlabel 'nodes'
set logscale x 2
set xrange [1.8:36]
set ylabel 'broadcast and handler (us)'
set yrange [0:*]
plot for [i = 1:4] file using 1:(column(4 * i)) skip 1 with linespoints linestyle i \
         dashtype 2 title name(i), \
     for [i = 1:4] '' using 1:(column(4 * i + 1)) skip 1 with linespoints linestyle i \
         title 'with bypass'
set ylabel 'without / with'
plot for [i = 1:4] file using 1:(column(4 * i) / column(4 * i + 1)) skip 1 \
         with linespoints linestyle i title name(i), \
     for [i = 1:4] "< printf '32\t".word('16 6.2 3.6 2', i)."\n'" using 1:2 \
         with points linestyle i pointtype 7 pointsize 1 title i == 1 ? 'paper' : ''
unset multiplot
