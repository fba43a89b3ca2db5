# p2p.gp: half round trip by size, ours beside the better peer.  data: bytes, ours, peer
set terminal svg size 800,500 background 'white'
set logscale x 2
set logscale y
set xtics ('0' 0.5, '1' 1, '8' 8, '64' 64, '1 Ki' 1024, '16 Ki' 16384, '256 Ki' 262144, \
           '4 Mi' 4194304)
set format y '%.0s%c'
set key left top
set grid
set xlabel 'bytes'
set ylabel 'half round trip (ns)'
plot data using ($1 > 0 ? $1 : 0.5):2 with linespoints pt 7 title 'libmpi-lite', \
     '' using ($1 > 0 ? $1 : 0.5):3 with linespoints pt 6 title 'better peer'
