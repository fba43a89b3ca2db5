# collsize.gp: time over the better peer's by size, a line for each collective.  data: a folder of
# KIND.dat: bytes, ours, peer; ranks
set terminal svg size 800,500 background 'white'
set logscale x 2
set logscale y 2
set xtics ('1 Ki' 1024, '4 Ki' 4096, '16 Ki' 16384, '64 Ki' 65536, '256 Ki' 262144, \
           '1 Mi' 1048576, '4 Mi' 4194304)
set yrange [0.0625:4]
set key outside
set grid
set xlabel 'bytes'
set ylabel 'time / time of the better peer'
set title sprintf('%d ranks', ranks)
plot 1 with lines lc 'black' notitle, \
    for [k in 'bcast reduce allreduce reduce_scatter allgather alltoall gather scatter'] \
    data.'/'.k.'.dat' using 1:($2 / $3) with linespoints pt 7 ps 0.5 title k noenhanced
