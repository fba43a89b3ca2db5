# bypass-skew.gp: broadcasts to nodes that are late, without and with bypass of the application: in
# MPI_Bcast, and with what the handler takes.  Figures 6.4 and 6.5 of the NIC offload thesis.
set multiplot layout 2, 2 title 'Broadcasts to nodes that are late, 32 nodes, lanai91-mpi'
set key samplen 2 spacing 1 font terminal eq 'svg' ? 'sans,9' : 'sans,12'
set offsets 0, 0, graph 0.35, 0
file = data.'/bypass-skew.tsv'
sizes = '1 2048 4096 8192'
name(i) = word(sizes, i).(i == 1 ? ' byte' : ' bytes')
# The paper's factors, the first column in the call, the second with the handler.
paper(i) = sprintf("< printf '333\t%s\t%s\n'", word('30 8 4.2 2.2', i), word('16 6.2 3.6 2', i))
set xlabel 'mean delay of a node (us)'
set xrange [-5:345]
do for [what in 'in all'] {
    c = what eq 'in' ? 0 : 2
    set ylabel what eq 'in' ? 'in MPI\_Bcast (us)' : 'with the handler (us)'
    set yrange [0:*]
    set key left top maxrows 4
    plot for [i = 1:4] file using 1:(column(4 * i - 2 + c)) skip 1 with linespoints linestyle i \
             dashtype 2 title name(i), \
         for [i = 1:4] '' using 1:(column(4 * i - 1 + c)) skip 1 with linespoints linestyle i \
             title 'with bypass'
    set ylabel 'without / with'
    set yrange [0:what eq 'in' ? 40 : 25]
    set key left top maxrows 5
    plot for [i = 1:4] file using 1:(column(4 * i - 2 + c) / column(4 * i - 1 + c)) skip 1 \
             with linespoints linestyle i title name(i), \
         for [i = 1:4] paper(i) using 1:(column(2 + c / 2)) with points linestyle i \
             pointtype 7 pointsize 1 title i == 1 ? 'paper' : ''
}
unset multiplot
