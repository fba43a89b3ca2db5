# barrier-varied.gp: turns whose computation varies by node; what is left of the NIC's lead.
# Figures 3.12 and 3.13 of the NIC offload thesis.
set multiplot layout 1, 2 title 'Computation that varies by node, 16 nodes, lanai43'
file = data.'/barrier-varied.tsv'
set xlabel 'computation (us)'
set logscale x 2
set ylabel 'a turn, +-20 % (us)'
set yrange [0:*]
plot file using 1:2 skip 1 with linespoints linestyle 2 title 'host', \
     '' using 1:3 skip 1 with linespoints linestyle 1 title 'NIC'
set ylabel 'lead of the NIC (us)'
set key left bottom
plot file using 1:4 skip 1 with linespoints linestyle 1 title '0 %', \
     '' using 1:5 skip 1 with linespoints linestyle 2 title '5 %', \
     '' using 1:6 skip 1 with linespoints linestyle 3 title '10 %', \
     '' using 1:7 skip 1 with linespoints linestyle 4 title '20 %'
unset multiplot
