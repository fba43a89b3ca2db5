# rendezvous.gp: rendezvous latency by size.  Figure 4.8 and table 4.4 of the scratchpad thesis, and
# the variant by RDMA read.
set title 'Rendezvous'
set xlabel 'size (bytes)'
set ylabel 'half of a round trip (cycles at 75 MHz)'
set yrange [0:1800]
set xrange [0:4200]
paper = "< tr ' ' '\t' <".data.'/paper-rendezvous.dat'
plot data.'/rendezvous.tsv' using 1:($2 * 0.075) skip 1 \
         with lines linestyle 1 title 'model, RDMA write', \
     data.'/rendezvous-read.tsv' using 1:($2 * 0.075) skip 1 \
         with lines linestyle 2 dashtype 2 title 'model, RDMA read', \
     paper using 1:2 with points linestyle 9 title 'table 4.4 (RDMA write)'
