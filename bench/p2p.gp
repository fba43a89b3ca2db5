# p2p.gp: half round trip by size, ours beside the better peer.  data: bytes, ours, peer
set terminal svg size 800,500 background 'white'
set logscale xy
set key left top
set grid
set xlabel 'bytes'
set ylabel 'half round trip (ns)'
plot data using ($1 > 0 ? $1 : 0.5):2 with linespoints pt 7 title 'libmpi-lite', \
     '' using ($1 > 0 ? $1 : 0.5):3 with linespoints pt 6 title 'better peer'
