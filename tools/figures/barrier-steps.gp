# barrier-steps.gp: synthetic applications of steps of 10 us, 20 us and so on.  Figure 3.14 of the
# NIC offload thesis; its factors, 1.86 to 1.93, are more than its own barriers allow with this
# much computation.
set title 'Applications of steps of computation and a barrier'
set grid noxtics ytics
set ylabel 'time (us)'
set yrange [0:*]
set style data histogram
set style histogram clustered gap 1
set style fill solid 0.85 border rgb '#444444'
set boxwidth 0.9
set xtics rotate by 0 scale 0 font terminal eq 'svg' ? 'sans,12' : 'sans,15'
file = data.'/barrier-steps.tsv'
plot file using 2:xtic(1) skip 1 linestyle 2 title 'host', \
     '' using 3 skip 1 linestyle 1 title 'NIC'
