# parts.gp: the parts of an eager send and receive of 0 bytes.  Tables 4.2 and 4.3 of the scratchpad
# thesis.
set title 'Parts of an eager send and receive, 0 bytes'
set grid noxtics ytics
set ylabel 'cycles at 75 MHz'
set yrange [0:100]
set style data histogram
set style histogram clustered gap 1
set style fill solid 0.85 border rgb '#444444'
set boxwidth 0.9
set xtics rotate by 0 scale 0 font terminal eq 'svg' ? 'sans,12' : 'sans,16'
set bmargin 5
set key right top
split(s) = (c = strstrt(s, ': '), c ? s[1:c]."\n".s[c + 2:*] : s)
plot data.'/parts.tsv' using 3:xtic(split(strcol(2))) linestyle 6 title 'tables 4.2, 4.3', \
     '' using 4 linestyle 1 title 'model', \
     '' using ($0 - 0.17):($3 + 3):(sprintf('%.0f', $3)) with labels notitle, \
     '' using ($0 + 0.17):($4 + 3):(sprintf('%.0f', $4)) with labels notitle
