# lock.gp: a lock of atomic operations that nodes take and give back, and what it leaves of a
# computation at its home.  Figures 5.7 and 5.8 of the NIC offload thesis, of which it prints the
# greatest factors.
set multiplot layout 1, 3 title 'A lock, taken and given back, lanai91'
set key samplen 2 spacing 1 font terminal eq 'svg' ? 'sans,10' : 'sans,13'
set offsets 0, 0, graph 0.3, 0
file = data.'/lock.tsv'
set xlabel 'nodes that want it'
set xrange [0:16]
set xtics 4
set ylabel 'a turn (us)'
set yrange [0:*]
plot file using 1:4 skip 1 with linespoints linestyle 4 title 'host, blocking', \
     '' using 1:3 skip 1 with linespoints linestyle 2 title 'host, polling', \
     '' using 1:2 skip 1 with linespoints linestyle 1 title 'NIC'
set ylabel 'host / NIC'
set yrange [0:3.5]
unset offsets
plot file using 1:($4 / $2) skip 1 with linespoints linestyle 4 title 'blocking', \
     '' using 1:($3 / $2) skip 1 with linespoints linestyle 2 title 'polling', \
     2.6 with lines linestyle 9 linecolor rgb '#7b4fa3' dashtype 2 title 'paper, greatest', \
     2.1 with lines linestyle 9 linecolor rgb '#c8501e' dashtype 2 title 'the same'
set xlabel "times that another node\ntakes it in 1 ms"
set xrange [-2:42]
set xtics 10
set ylabel 'computation at its home (%)'
set yrange [0:119]
set key left bottom
file = data.'/lock-home.tsv'
plot file using 1:2 skip 1 with linespoints linestyle 1 title 'NIC', \
     '' using 1:4 skip 1 with linespoints linestyle 4 title 'host, blocking'
unset multiplot
