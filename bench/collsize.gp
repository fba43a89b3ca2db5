# collsize.gp: time over the better peer's by size, a line for each collective.  data: a folder of
# KIND.dat: bytes, ours, peer; ranks
set terminal svg size 800,500 background 'white'
set logscale xy
set key outside
set grid
set xlabel 'bytes'
set ylabel 'time / time of the better peer'
set title sprintf('%d ranks', ranks)
set arrow from graph 0, first 1 to graph 1, first 1 nohead lc 'black'
plot for [k in 'bcast reduce allreduce reduce_scatter allgather alltoall gather scatter'] \
    data.'/'.k.'.dat' using 1:($2 / $3) with linespoints pt 7 ps 0.5 title k noenhanced
