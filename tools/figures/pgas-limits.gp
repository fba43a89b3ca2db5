# pgas-limits.gp: rates of puts between two sockets, and what bus, link and four cores allow
# (equations 4, 5 and 6 with 50 cycles).  Figures 12 and 13 of the paper on PGAS support.
set title 'Rates of puts, and their limits'
set logscale x 2
set xrange [*:1024]
set xlabel 'bytes'
set ylabel 'million puts a second'
set yrange [0:240]
set key right top
file = data.'/pgas-limits.tsv'
plot data.'/pgas-stream.tsv' using 1:($4 / $1) skip 1 with linespoints linestyle 3 \
         title 'four cores', \
     '' using 1:($3 / $1) skip 1 with linespoints linestyle 2 title 'two', \
     '' using 1:($2 / $1) skip 1 with linespoints linestyle 1 title 'one', \
     file using 1:4 skip 1 with lines linestyle 5 dashtype 4 title 'limit: four cores, 50 cycles', \
     '' using 1:3 skip 1 with lines linestyle 6 dashtype 3 title 'limit: link', \
     '' using 1:2 skip 1 with lines linestyle 9 dashtype 2 title 'limit: bus'
