# posted.gp: latency by length of the posted queue and share traversed: surface, and its
# projections.  Figure 5 of the ALPU paper.
name = cells eq 'none' ? 'no ALPU (baseline)' : 'ALPU of '.cells.' cells'
file = data.'/posted-'.cells.'.grid'
share(s) = sprintf("< awk '$2 == %d' %s", s, file)
set datafile separator whitespace
# One scale of latency for all three, the baseline's.
stats data.'/posted-none.grid' using 1:3 nooutput
top = 5 * ceil(STATS_max_y / 5)
set multiplot title 'Posted receives, '.name
set size 0.56, 0.98
set origin 0, -0.02
set xlabel 'posted receives' rotate parallel offset 0, -0.6
set ylabel 'traversed (%)' rotate parallel offset 0, -0.6
set zlabel 'latency (us)' rotate by 90 offset -1, 0
set lmargin at screen 0.09
set xyplane at 0
set xrange [0:500]
set yrange [0:100]
set zrange [0:top]
set view 60, 320, 1, 1.1
set border 127 + 256 + 512
set xtics 100 offset 0.3, -0.3
set ytics 25 offset -0.6, -0.3
unset key
unset colorbox
set palette defined (0 '#e6eff8', 0.3 '#a9c9e8', 1 '#1f5fa8')
set cbrange [0:top]
set pm3d depthorder border linecolor rgb '#1c4a80' linewidth 0.6
splot file using 1:2:3 with pm3d
unset pm3d
unset lmargin
set size 0.44, 0.94
set origin 0.56, 0
set border 3
set key left top reverse Left
set xlabel 'posted receives' norotate offset 0, 0
set ylabel 'latency (us)' rotate by 90 offset 1, 0
set xtics 100 offset 0, 0
set ytics autofreq offset 0, 0
set yrange [0:top]
if (cells ne 'none') {
    set arrow 1 from first cells + 0, graph 0 to first cells + 0, graph 0.42 \
        nohead dashtype 2 linecolor rgb '#888888'
    set label 1 cells.' cells' at first cells + 0, graph 0.45 center
}
# Where latency begins to grow fast: the cache is full.
knee = system("awk '$1 == \"posted-".cells."\" && $2 != \"none\" { print $2 }' ".data.'/knees')
if (strlen(knee)) {
    set arrow 2 from first knee + 0, graph 0 to first knee + 0, graph 0.22 \
        nohead dashtype 3 linecolor rgb '#888888'
    set label 2 'cache full, '.knee at first knee + 0, graph 0.25 right
}
# The paper's numbers are of a traversal: the latency with an empty queue comes on top.
base = real(system("awk 'NR == 1 { print $3 }' ".file))
paper(length, time) = sprintf('< echo %d %g', length, time + base)
if (cells eq 'none') {
    plot share(100) using 1:3 with lines linestyle 1 title 'all traversed', \
         share(80) using 1:3 with lines linestyle 2 title '80 %', \
         share(50) using 1:3 with lines linestyle 3 title '50 %', \
         share(0) using 1:3 with lines linestyle 6 title 'none', \
         paper(400, 13) using 1:2 with points linestyle 9 \
             linecolor rgb '#1f5fa8' pointtype 7 pointsize 0.7 title 'paper, above ours for none', \
         paper(500, 24) using 1:2 with points linestyle 9 \
             linecolor rgb '#c8501e' pointtype 7 pointsize 0.7 title 'the same, 80 %'
} else {
    plot share(100) using 1:3 with lines linestyle 1 title 'all traversed', \
         share(80) using 1:3 with lines linestyle 2 title '80 %', \
         share(50) using 1:3 with lines linestyle 3 title '50 %', \
         share(0) using 1:3 with lines linestyle 6 title 'none'
}
unset multiplot
