# barrier-mpi.gp: MPI_Barrier by nodes, of hosts and NICs, and how much faster NICs are.  Figures
# 3.7, 3.8 and 3.9 of the NIC offload thesis.
set multiplot layout 1, 2 title 'MPI\_Barrier'
set key samplen 2 spacing 1 font terminal eq 'svg' ? 'sans,10' : 'sans,13'
set offsets 0, 0, graph 0.35, 0
file(p) = data.'/barrier-mpi-'.p.'.tsv'
set xlabel 'nodes'
set xrange [1:17]
set ylabel 'latency (us)'
set yrange [0:*]
plot file('lanai43') using 1:3 skip 1 with linespoints linestyle 2 title 'lanai43, host', \
     '' using 1:2 skip 1 with linespoints linestyle 1 title 'lanai43, NIC', \
     '' using 1:4 skip 1 with lines linestyle 1 dashtype 2 title 'below MPI', \
     file('lanai72') using 1:3 skip 1 with linespoints linestyle 4 title 'lanai72, host', \
     '' using 1:2 skip 1 with linespoints linestyle 3 title 'lanai72, NIC', \
     '' using 1:4 skip 1 with lines linestyle 3 dashtype 2 title 'below MPI', \
     '< printf "16\t105.37\n16\t216.70\n8\t46.41\n8\t102.86\n"' using 1:2 \
         with points linestyle 9 title 'paper'
set ylabel 'host / NIC'
set yrange [0:3]
plot file('lanai43') using 1:($3 / $2) skip 1 with linespoints linestyle 1 title 'lanai43', \
     file('lanai72') using 1:($3 / $2) skip 1 with linespoints linestyle 3 title 'lanai72', \
     '< printf "16\t2.09\n8\t2.22\n"' using 1:2 with points linestyle 9 title 'paper'
unset multiplot
