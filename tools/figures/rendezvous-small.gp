# rendezvous-small.gp: where rendezvous overtakes eager.  Figure 4.9 of the scratchpad thesis.
set title 'Where rendezvous overtakes eager'
set xlabel 'size (bytes)'
set ylabel 'half of a round trip (cycles at 75 MHz)'
set yrange [0:1100]
set xrange [0:128]
set xtics 16
set key left bottom reverse Left
set object 1 rectangle from 32, graph 0 to 48, graph 1 \
    fillcolor rgb '#eeeeee' fillstyle solid noborder behind
set label 1 'paper: between' at 40, graph 0.10 center
set label 2 '32 and 48' at 40, graph 0.05 center
set key right bottom reverse Left
model(name) = data.'/'.name.'-small.tsv'
paper(name) = "< tr ' ' '\t' <".data.'/paper-'.name.'.dat'
plot model('eager') using 1:($2 * 0.075) skip 1 \
         with lines linestyle 2 title 'model, eager', \
     model('rendezvous') using 1:($2 * 0.075) skip 1 \
         with lines linestyle 1 title 'model, rendezvous', \
     paper('eager') using 1:2 with points linestyle 9 pointtype 4 title 'table 4.1', \
     paper('rendezvous') using 1:2 with points linestyle 9 title 'table 4.4'
