# eager-small.gp: the same for small sizes.  Figure 4.6 of the scratchpad thesis.
set title 'Eager messages, small sizes'
set xlabel 'size (bytes)'
set ylabel 'half of a round trip (cycles at 75 MHz)'
set yrange [0:*]
set xrange [0:128]
set xtics 16
plot data.'/eager-small.tsv' using 1:($2 * 0.075) skip 1 \
         with linespoints linestyle 1 pointtype 7 pointsize 0.3 title 'model', \
     "< tr ' ' '\t' <".data.'/paper-eager.dat' using 1:2 with points linestyle 9 title 'table 4.1'
