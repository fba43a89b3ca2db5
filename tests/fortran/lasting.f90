! What the compiler may not assume: that MPI has forgotten a buffer's address when the call returns.
! Local variables without any attribute, which are stored to before MPI_Start and MPI_Wait and read
! behind them, in both modules; absolute addresses.
subroutine with_types(left, right)
  use mpi_f08
  implicit none
  integer, intent(in) :: left, right
  integer :: sent, got, i, absolute
  integer(kind=MPI_ADDRESS_KIND) :: address
  type(MPI_Datatype) :: type
  type(MPI_Request) :: r(2)
  call MPI_Send_init(sent, 1, MPI_INTEGER, right, 0, MPI_COMM_WORLD, r(1))
  call MPI_Recv_init(got, 1, MPI_INTEGER, left, 0, MPI_COMM_WORLD, r(2))
  do i = 1, 3
    sent = i
    got = 0
    call MPI_Startall(2, r)
    call MPI_Waitall(2, r, MPI_STATUSES_IGNORE)
    if (got /= i) call failed('mpi_f08, persistent', got)
  end do
  call MPI_Request_free(r(1))
  call MPI_Request_free(r(2))
  got = -1
  call MPI_Irecv(got, 1, MPI_INTEGER, left, 1, MPI_COMM_WORLD, r(1))
  sent = 7
  call MPI_Send(sent, 1, MPI_INTEGER, right, 1, MPI_COMM_WORLD)
  call MPI_Wait(r(1), MPI_STATUS_IGNORE)
  if (got /= 7) call failed('mpi_f08, irecv', got)
  call MPI_Get_address(absolute, address)
  call MPI_Type_create_hindexed(1, [1], [address], MPI_INTEGER, type)
  call MPI_Type_commit(type)
  absolute = 9
  call MPI_Sendrecv(MPI_BOTTOM, 1, type, right, 2, got, 1, MPI_INTEGER, left, 2, MPI_COMM_WORLD, &
                    MPI_STATUS_IGNORE)
  if (got /= 9) call failed('mpi_f08, absolute address', got)
  call MPI_Type_free(type)
end subroutine with_types

subroutine with_integers(left, right)
  use mpi
  implicit none
  integer, intent(in) :: left, right
  integer :: sent, got, i, r(2), ierr
  call MPI_Send_init(sent, 1, MPI_INTEGER, right, 0, MPI_COMM_WORLD, r(1), ierr)
  call MPI_Recv_init(got, 1, MPI_INTEGER, left, 0, MPI_COMM_WORLD, r(2), ierr)
  do i = 1, 3
    sent = i
    got = 0
    call MPI_Startall(2, r, ierr)
    call MPI_Waitall(2, r, MPI_STATUSES_IGNORE, ierr)
    if (got /= i) call failed('mpi, persistent', got)
  end do
  call MPI_Request_free(r(1), ierr)
  call MPI_Request_free(r(2), ierr)
end subroutine with_integers

subroutine failed(what, got)
  use mpi_f08
  implicit none
  character(len=*), intent(in) :: what
  integer, intent(in) :: got
  print *, what, got
  call MPI_Abort(MPI_COMM_WORLD, 1)
end subroutine failed

program lasting
  use mpi_f08
  implicit none
  integer :: rank, size
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  call with_types(modulo(rank - 1, size), modulo(rank + 1, size))
  call with_integers(modulo(rank - 1, size), modulo(rank + 1, size))
  call MPI_Finalize()
end program lasting
