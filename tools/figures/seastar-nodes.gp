# seastar-nodes.gp: barrier, allreduce, reduce and allgather of 16 bytes by nodes.  Figures 8 and 9
# of the SeaStar paper.
set multiplot layout 2, 2 title 'Collective operations of hosts, 16 bytes'
set key samplen 2 spacing 1 font terminal eq 'svg' ? 'sans,9' : 'sans,11'
set xlabel 'nodes'
set ylabel 'us'
set yrange [0:*]
set offsets 0, 0, graph 0.3, 0
do for [pair in 'barrier:-B allreduce:-A reduce:-R allgather:'] {
    name = pair[1:strstrt(pair, ':') - 1]
    file = data.'/seastar-nodes'.pair[strstrt(pair, ':') + 1:*].'.tsv'
    plot file using 1:3 skip 1 with linespoints linestyle 2 title name.', host', \
         '' using 1:2 skip 1 with linespoints linestyle 1 title 'NIC', \
         '' using 1:5 skip 1 with lines linestyle 2 dashtype 2 title 'host, no protocol', \
         '' using 1:4 skip 1 with lines linestyle 1 dashtype 2 title 'NIC, no protocol'
}
unset multiplot
