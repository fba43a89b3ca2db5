# multicast.gp: one message to many nodes, by sends to each and by multi-sends: from rank 0 to all,
# and along trees, packet by packet and as wholes.  Figures 2.5, 2.6 and 2.7 of the NIC offload
# thesis, which prints factors at 16 KB.
set multiplot layout 3, 2 title 'One message to many, lanai43-fm'
set key samplen 2 spacing 1 font terminal eq 'svg' ? 'sans,10' : 'sans,13'
set logscale x 2
set xlabel 'bytes'
set xtics ('1' 1, '8' 8, '64' 64, '512' 512, '4096' 4096)
file(p) = data.'/'.p.'.tsv'
paper(p) = p eq 'multi-send' ? '< printf "16384\t3.51\n"' \
    : p eq 'multicast-packets' ? '< printf "16384\t1.86\n16384\t1.85\n"' \
    : '< printf "16384\t1.53\n16384\t1.30\n"'
do for [p in 'multi-send multicast-packets multicast-messages'] {
    one = p eq 'multi-send' ? 'sends, ' : 'binomial, '
    other = p eq 'multi-send' ? 'multi-send, ' : 'best tree, '
    set logscale y
    set yrange [*:*]
    set ylabel p eq 'multi-send' ? 'from the root (us)' \
        : p eq 'multicast-packets' ? 'packet by packet (us)' : 'messages as wholes (us)'
    set key left top
    plot for [i = 0:2] file(p) using 1:(column(2 + 2 * i)) skip 1 \
             with linespoints linestyle 1 + i dashtype 2 title one.word('4 8 16', i + 1), \
         for [i = 0:2] file(p) using 1:(column(3 + 2 * i)) skip 1 \
             with linespoints linestyle 1 + i title other.word('4 8 16', i + 1)
    unset logscale y
    set yrange [0:*]
    set ylabel 'sends / multi-send'
    plot for [i = 0:2] file(p) using 1:(column(2 + 2 * i) / column(3 + 2 * i)) skip 1 \
             with linespoints linestyle 1 + i title word('4 8 16', i + 1).' nodes', \
         paper(p) using 1:2 with points linestyle 9 title 'paper'
}
unset multiplot
