      program mpif_fixed
      implicit none
      include 'mpif.h'
      include 'integers.inc'
      end
