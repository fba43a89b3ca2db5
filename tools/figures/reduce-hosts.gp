# reduce-hosts.gp: the mean time of the hosts in a reduction: by nodes, by delays that differ from
# node to node, and by nodes with such delays.  Figures 4.6, 4.7 and 4.8 of the NIC offload thesis.
set multiplot layout 3, 2 title 'Time of hosts in a reduction, lanai91'
set key samplen 2 spacing 1 font terminal eq 'svg' ? 'sans,10' : 'sans,13'
set offsets 0, 0, graph 0.45, 0
file(p) = data.'/reduce-'.p.'.tsv'
paper(p) = p eq 'hosts' ? '< printf "16\t2.7\n16\t2.3\n"' : \
           p eq 'delays' ? '< printf "200\t3.7\n1000\t4.5\n"' : '< printf "16\t4.5\n"'
do for [p in 'hosts delays late'] {
    set xlabel p eq 'hosts' ? 'nodes, behind a barrier' : \
               p eq 'delays' ? 'delays up to (us), 16 nodes' : 'nodes, delays up to 1000 us'
    set xrange [p eq 'delays' ? -20 : 1 : p eq 'delays' ? 1050 : 17]
    set ylabel 'time of a host (us)'
    set yrange [0:*]
    set key left top
    plot file(p) using 1:2 skip 1 with linespoints linestyle 2 title 'host, integer', \
         '' using 1:4 skip 1 with linespoints linestyle 4 dashtype 2 title 'host, float', \
         '' using 1:3 skip 1 with linespoints linestyle 1 title 'NIC, integer', \
         '' using 1:5 skip 1 with linespoints linestyle 3 title 'NIC, float'
    set ylabel 'host / NIC'
    plot file(p) using 1:($2 / $3) skip 1 with linespoints linestyle 1 title 'integer', \
         '' using 1:($4 / $5) skip 1 with linespoints linestyle 3 title 'float', \
         paper(p) using 1:2 with points linestyle 9 title 'paper'
}
unset multiplot
