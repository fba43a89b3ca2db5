# pgas-updates.gp: random updates by sockets and the cores of each.  Figure 15 of the paper on PGAS
# support.
set title 'Random updates'
set xlabel 'sockets'
set ylabel 'million updates a second'
set yrange [0:*]
set xrange [0:*]
file = data.'/pgas-updates.tsv'
plot file using 1:4 skip 1 with linespoints linestyle 3 title 'four cores a socket', \
     '' using 1:3 skip 1 with linespoints linestyle 2 title 'two', \
     '' using 1:2 skip 1 with linespoints linestyle 1 title 'one', \
     85.19 * x with lines linestyle 9 dashtype 2 title 'limit: the bus of each socket'
