program mpif_free
  implicit none
  include 'mpif.h'
  include 'integers.inc'
end program mpif_free
