# style.gp: what all pictures share.  Called with terminal ('svg' or 'png'), data, out, cells, tall.
# The .png is half as large again, with lines and points to match.
if (terminal eq 'svg') set terminal svg size 900,560*tall font 'sans,15' background 'white' dynamic
if (terminal eq 'png') set terminal pngcairo size 1350,840*tall font 'sans,20' background 'white' \
    linewidth 1.5 pointscale 2.2
set output sprintf('%s.%s', out, terminal)
set datafile separator "\t"
set key left top reverse Left spacing 1.2
set grid linewidth 0.7 linetype 1 linecolor rgb '#dddddd'
set border 3 linecolor rgb '#444444'
set tics nomirror
set style line 1 linecolor rgb '#1f5fa8' linewidth 2
set style line 2 linecolor rgb '#c8501e' linewidth 2
set style line 3 linecolor rgb '#2e8b57' linewidth 2
set style line 4 linecolor rgb '#7b4fa3' linewidth 2
set style line 5 linecolor rgb '#8a6d1d' linewidth 2
set style line 6 linecolor rgb '#444444' linewidth 2
set style line 9 linecolor rgb '#000000' linewidth 2 pointtype 6 pointsize 0.8
