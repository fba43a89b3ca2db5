# eager.gp: eager latency by size.  Figure 4.5 and table 4.1 of the scratchpad thesis.
set title 'Eager messages'
set xlabel 'size (bytes)'
set ylabel 'half of a round trip (cycles at 75 MHz)'
set yrange [0:*]
set xrange [0:512]
plot data.'/eager.tsv' using 1:($2 * 0.075) skip 1 \
         with lines linestyle 1 linewidth 1.2 title 'model', \
     "< tr ' ' '\t' <".data.'/paper-eager.dat' using 1:2 with points linestyle 9 title 'table 4.1'
