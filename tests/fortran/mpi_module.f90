program mpi_module
  use mpi
  implicit none
  include 'integers.inc'
end program mpi_module
