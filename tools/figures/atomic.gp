# atomic.gp: a compare and swap of a word of another node.  Figure 5.6 of the NIC offload thesis,
# of which it prints the numbers of a hit.
set title 'Compare and swap of a word of another node, lanai91'
set grid noxtics ytics
set ylabel 'time (us)'
set yrange [0:40]
set style data histogram
set style histogram clustered gap 1
set style fill solid 0.85 border rgb '#444444'
set boxwidth 0.9
set xtics rotate by 0 scale 0
set xrange [-0.6:1.6]
file = data.'/atomic.tsv'
plot file using 2:xtic(1) skip 1 linestyle 1 title 'NIC', \
     '' using 3 skip 1 linestyle 2 title 'host, polling', \
     '' using 4 skip 1 linestyle 4 title 'host, blocking', \
     for [i = 2:4] '' using ($0 + 0.25 * (i - 3)):(column(i) + 1.2):( \
         sprintf('%.1f', column(i))) skip 1 with labels notitle, \
     '< printf "0\t19.8\n0.25\t29.2\n-0.25\t15.9\n"' using 1:2 \
         with points linestyle 9 pointsize 1.4 title 'paper'
