# barrier-turns.gp: a turn of computation and a barrier on 8 nodes by computation.  Figure 3.10 of
# the NIC offload thesis.
set title 'Computation and a barrier, 8 nodes'
set xlabel 'computation (us)'
set ylabel 'a turn (us)'
set yrange [0:*]
file = data.'/barrier-turns.tsv'
plot file using 1:3 skip 1 with lines linestyle 2 title 'lanai43, host', \
     '' using 1:2 skip 1 with lines linestyle 1 title 'lanai43, NIC', \
     '' using 1:5 skip 1 with lines linestyle 4 title 'lanai72, host', \
     '' using 1:4 skip 1 with lines linestyle 3 title 'lanai72, NIC'
