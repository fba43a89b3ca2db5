# barrier-shares.gp: computation that has a given share of a turn, by nodes.  Figure 3.11 of the NIC
# offload thesis, whose numbers are of a whole turn: times the share they are of its computation.
set multiplot layout 2, 2 title 'Computation between barriers'
set key samplen 2 spacing 1 font terminal eq 'svg' ? 'sans,10' : 'sans,13'
set offsets 0, 0, graph 0.35, 0
file(p) = data.'/barrier-shares-'.p.'.tsv'
set xlabel 'nodes'
set logscale x 2
set xrange [1.8:18]
set yrange [0:*]
shares = '0.25 0.50 0.75 0.90'
do for [i = 1:4] {
    share = word(shares, i)
    set ylabel 'computation (us), '.share
    none = '< printf "nan\tnan\n"'
    paper = i == 2 ? '< printf "16\t183.20\n16\t102.38\n8\t89.59\n8\t60.31\n"' : \
            i == 4 ? '< printf "16\t1648.78\n16\t921.44\n8\t806.32\n8\t542.80\n"' : none
    plot file('lanai43') using 1:(column(2 * i)) skip 1 with linespoints linestyle 2 \
             title 'lanai43, host', \
         '' using 1:(column(2 * i + 1)) skip 1 with linespoints linestyle 1 title 'NIC', \
         file('lanai72') using 1:(column(2 * i)) skip 1 with linespoints linestyle 4 \
             title 'lanai72, host', \
         '' using 1:(column(2 * i + 1)) skip 1 with linespoints linestyle 3 title 'NIC', \
         paper using 1:2 with points linestyle 9 title 'paper'
}
unset multiplot
