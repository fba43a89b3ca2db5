# pgas-far.gp: bandwidth of puts from one socket to 31 others, by the cores of a socket.  Figures 8,
# 9 and 10 of the paper on PGAS support.
set multiplot layout 1, 3 title 'Puts from one socket to 31 others'
set logscale x 2
set xtics 8, 4
set key samplen 2
set xlabel 'bytes'
set ylabel 'MB/s'
set yrange [0:*]
set offsets 0, 0, graph 0.35, 0
do for [pair in 'cyclic:-C block-cyclic:-B table:-T'] {
    colon = strstrt(pair, ':')
    file = data.'/pgas-far'.pair[colon + 1:*].'.tsv'
    set title pair[1:colon - 1]
    plot file using 1:4 skip 1 with linespoints linestyle 3 title 'four cores', \
         '' using 1:3 skip 1 with linespoints linestyle 2 title 'two', \
         '' using 1:2 skip 1 with linespoints linestyle 1 title 'one'
}
unset multiplot
