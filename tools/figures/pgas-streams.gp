# pgas-streams.gp: bandwidth of streams of puts between two sockets, by the cores of each.  Figures
# 7 and 6 of the paper on PGAS support.
set multiplot layout 1, 2 title 'Streams of puts between two sockets'
set logscale x 2
set xlabel 'bytes'
set ylabel 'MB/s'
set yrange [0:*]
set offsets 0, 0, graph 0.35, 0
do for [name in 'stream both'] {
    file = data.'/pgas-'.name.'.tsv'
    set title name eq 'both' ? 'both ways' : 'one way'
    plot file using 1:4 skip 1 with linespoints linestyle 3 title 'four cores', \
         '' using 1:3 skip 1 with linespoints linestyle 2 title 'two', \
         '' using 1:2 skip 1 with linespoints linestyle 1 title 'one'
}
unset multiplot
