# barrier-gm.gp: barriers below MPI by nodes, of hosts and NICs, pairwise and along the best tree;
# and how much faster those of NICs are.  Figure 3.6 of the NIC offload thesis.
set multiplot layout 2, 2 title 'Barriers below MPI'
set key samplen 2 spacing 1 font terminal eq 'svg' ? 'sans,10' : 'sans,13'
set offsets 0, 0, graph 0.35, 0
file(p) = data.'/barrier-gm-'.p.'.tsv'
set xlabel 'nodes'
set logscale x 2
set xrange [1.8:18]
do for [p in 'lanai43 lanai72'] {
    set ylabel 'latency (us)'
    set yrange [0:*]
    set key left top
    paper = p eq 'lanai43' ? '< printf "16\t102.14\n16\t152.27\n"' \
                           : '< printf "8\t49.25\n8\t90.24\n"'
    plot file(p) using 1:2 skip 1 with linespoints linestyle 1 title p.', NIC, pairwise', \
         '' using 1:3 skip 1 with linespoints linestyle 2 title 'host, pairwise', \
         '' using 1:4 skip 1 with linespoints linestyle 3 title 'NIC, tree', \
         '' using 1:5 skip 1 with linespoints linestyle 4 title 'host, tree', \
         paper using 1:2 with points linestyle 9 title 'paper'
    set ylabel 'host / NIC'
    set yrange [0:2.5]
    set key left bottom
    factor = p eq 'lanai43' ? '< printf "16\t1.78\n16\t1.46\n8\t1.66\n"' : '< printf "8\t1.83\n"'
    plot file(p) using 1:($3 / $2) skip 1 with linespoints linestyle 1 title p.', pairwise', \
         '' using 1:($5 / $4) skip 1 with linespoints linestyle 3 title 'tree', \
         factor using 1:2 with points linestyle 9 title 'paper'
}
unset multiplot
