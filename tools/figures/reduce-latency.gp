# reduce-latency.gp: a reduction of one word until the root has the sum: by nodes, along a chain,
# over a star.  Figures 4.3, 4.4 and 4.5 of the NIC offload thesis, which prints numbers of how far
# hosts and NICs are apart: for a chain a slope, drawn from our point at depth 1, for a star a slope
# and a mean over degrees 1 to 9.
set multiplot layout 3, 2 title 'Reduction of one word, lanai91'
set key samplen 2 spacing 1 font terminal eq 'svg' ? 'sans,10' : 'sans,13'
set offsets 0, 0, graph 0.3, 0
file(p) = data.'/reduce-'.p.'.tsv'
number(p, column) = real(system("awk -F'\t' 'NR == 2 { print ".column." }' ".file(p)))
do for [p in 'nodes chain star'] {
    set xlabel p eq 'nodes' ? 'nodes' : p eq 'chain' ? 'depth of a chain' : 'degree of a star'
    set xrange [p eq 'star' ? 0.5 : 1 : p eq 'star' ? 9.5 : 17]
    set ylabel 'latency (us)'
    set yrange [0:*]
    set key left top
    plot file(p) using 1:2 skip 1 with linespoints linestyle 2 title 'host, integer', \
         '' using 1:4 skip 1 with linespoints linestyle 4 dashtype 2 title 'host, float', \
         '' using 1:3 skip 1 with linespoints linestyle 1 title 'NIC, integer', \
         '' using 1:5 skip 1 with linespoints linestyle 3 title 'NIC, float'
    if (p eq 'nodes') {
        set ylabel 'host / NIC'
        set yrange [0:2]
        plot file(p) using 1:($2 / $3) skip 1 with linespoints linestyle 1 title 'integer', \
             '' using 1:($4 / $5) skip 1 with linespoints linestyle 3 title 'float', \
             '< printf "16\t1.19\n16\t1.06\n"' using 1:2 with points linestyle 9 title 'paper'
    }
    if (p eq 'chain') {
        set ylabel 'host - NIC (us)'
        set yrange [*:*]
        plot file(p) using 1:($2 - $3) skip 1 with linespoints linestyle 1 title 'integer', \
             '' using 1:($4 - $5) skip 1 with linespoints linestyle 3 title 'float', \
             number(p, '$2 - $3') + 3.70 * (x - 1) with lines linestyle 9 dashtype 2 \
                 title 'slope of the paper', \
             number(p, '$4 - $5') + 2.64 * (x - 1) with lines linestyle 9 dashtype 2 notitle
    }
    if (p eq 'star') {
        set ylabel 'NIC - host (us)'
        set yrange [0:*]
        plot file(p) using 1:($3 - $2) skip 1 with linespoints linestyle 1 title 'integer', \
             '' using 1:($5 - $4) skip 1 with linespoints linestyle 3 title 'float', \
             2.19 + 0.22 * (x - 5) with lines linestyle 9 dashtype 2 title 'paper', \
             3.63 + 0.24 * (x - 5) with lines linestyle 9 dashtype 2 notitle
    }
}
unset multiplot
