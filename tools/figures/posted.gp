# posted.gp: latency by length of the posted queue and share traversed: surface, and its projections.  Figure 5 of the ALPU paper.
name = cells eq 'none' ? 'no ALPU (baseline)' : 'ALPU of '.cells.' cells'
file = data.'/posted-'.cells.'.grid'
share(s) = sprintf("< awk '$2 == %d' %s", s, file)
set datafile separator whitespace
set multiplot title 'Posted receives, '.name
set size 0.54, 0.96
set origin 0, 0
set xlabel 'posted receives' offset 2, -0.8
set ylabel 'traversed (%)' offset -2, -0.8
set zlabel 'latency (us)' rotate by 90 offset -1, 0
set lmargin at screen 0.09
set xyplane at 0
set xrange [0:500]
set yrange [0:100]
set zrange [0:35]
set view 60, 320
set hidden3d offset 0
set border 4095
set xtics 100 offset 0.5, -0.4
set ytics 25, 25 offset -0.8, -0.4
unset key
splot file using 1:2:3 with lines linecolor rgb '#1f5fa8' linewidth 1
unset hidden3d
unset lmargin
set size 0.46, 0.96
set origin 0.54, 0
set border 3
set key left top reverse Left
set xlabel 'posted receives' offset 0, 0
set ylabel 'latency (us)' offset 1, 0
set xtics 100 offset 0, 0
set ytics autofreq offset 0, 0
set yrange [0:35]
if (cells eq 'none') {
    plot share(100) using 1:3 with lines linestyle 1 title 'all traversed', \
         share(80) using 1:3 with lines linestyle 2 title '80 %', \
         share(50) using 1:3 with lines linestyle 3 title '50 %', \
         share(0) using 1:3 with lines linestyle 6 title 'none', \
         '< echo 400 13' using 1:2 with points linestyle 9 linecolor rgb '#1f5fa8' pointtype 7 title 'paper, all', \
         '< echo 500 24' using 1:2 with points linestyle 9 linecolor rgb '#c8501e' pointtype 7 title 'paper, 80 %'
} else {
    set arrow 1 from first cells + 0, graph 0 to first cells + 0, graph 0.5 nohead dashtype 2 linecolor rgb '#888888'
    set label 1 cells.' entries' at first cells + 0, graph 0.53 center
    plot share(100) using 1:3 with lines linestyle 1 title 'all traversed', \
         share(80) using 1:3 with lines linestyle 2 title '80 %', \
         share(50) using 1:3 with lines linestyle 3 title '50 %', \
         share(0) using 1:3 with lines linestyle 6 title 'none'
}
unset multiplot
