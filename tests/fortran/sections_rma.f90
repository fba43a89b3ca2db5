! Array sections in mpi_f08 as origins of one-sided operations, which may be over only when the
! epoch is: what is got lands in the section itself, and what is put is still there by then.
! tests/levels.sh runs it on two machines, where they are deferred.
program sections_rma
  use mpi_f08
  use iso_c_binding
  implicit none
  integer :: rank, size, right, i
  integer, pointer :: window(:)
  integer, asynchronous :: a(5, 9), got(5, 9)
  real, asynchronous :: parts(8, 2)
  type(c_ptr) :: address
  type(MPI_Request) :: request, both(2)
  type(MPI_Win) :: win

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  right = modulo(rank + 1, size)
  call MPI_Win_allocate(40_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, address, win)
  call c_f_pointer(address, window, [10])
  window = [(100 * rank + i, i = 0, 9)]

  call MPI_Win_fence(0, win)
  got = -1
  call MPI_Get(got(2, 1:9:4), 3, MPI_INTEGER, right, 2_MPI_ADDRESS_KIND, 3, MPI_INTEGER, win)
  call MPI_Win_fence(0, win)
  call check(all(got(2, 1:9:4) == 100 * right + [2, 3, 4]) .and. count(got /= -1) == 3, 'get')

  a = 7
  a(4, 2:6:2) = [11, 12, 13]
  call MPI_Put(a(4, 6:2:-2), 3, MPI_INTEGER, right, 5_MPI_ADDRESS_KIND, 3, MPI_INTEGER, win)
  call MPI_Win_fence(0, win)
  call check(all(window(6:8) == [13, 12, 11]), 'put')
  call MPI_Win_fence(0, win)
  call MPI_Accumulate(a(4, 2:6:2), 3, MPI_INTEGER, right, 5_MPI_ADDRESS_KIND, 3, MPI_INTEGER, &
                      MPI_SUM, win)
  call MPI_Win_fence(0, win)
  call check(all(window(6:8) == 24), 'accumulate')
  call MPI_Win_fence(0, win)

  got = -1
  call MPI_Get_accumulate(a(4, 2:6:2), 3, MPI_INTEGER, got(3, 2:8:3), 3, MPI_INTEGER, right, &
                          5_MPI_ADDRESS_KIND, 3, MPI_INTEGER, MPI_REPLACE, win)
  call MPI_Win_fence(0, win)
  call check(all(got(3, 2:8:3) == 24) .and. count(got /= -1) == 3, 'what was there')
  call check(all(window(6:8) == [11, 12, 13]), 'replaced')

  got = -1
  call MPI_Win_lock_all(0, win)
  call MPI_Fetch_and_op(a(1, 1:9:4), got(5, 3:9:3), MPI_INTEGER, right, 9_MPI_ADDRESS_KIND, &
                        MPI_SUM, win)
  call MPI_Rget(got(1, 1:5:2), 3, MPI_INTEGER, right, 5_MPI_ADDRESS_KIND, 3, MPI_INTEGER, win, &
                request)
  call MPI_Wait(request, MPI_STATUS_IGNORE)
  call MPI_Win_unlock_all(win)
  call check(got(5, 3) == 100 * right + 9 .and. all(got(1, 1:5:2) == [11, 12, 13]) &
             .and. count(got /= -1) == 4, 'with a lock')
  call halves
  call MPI_Win_free(win)
  call MPI_Finalize()

contains

  ! Two at a time whose elements are half an item, and requests of sends that are over at once.
  subroutine halves
    parts = -1
    call MPI_Win_lock_all(0, win)
    do i = 1, 2
      call MPI_Rget(parts(1:7:2, i), 2, MPI_COMPLEX, right, &
                    int(5 * (i - 1), MPI_ADDRESS_KIND), 2, MPI_COMPLEX, win, both(i))
    end do
    call MPI_Isend(rank, 1, MPI_INTEGER, 0, 1, MPI_COMM_SELF, request)
    call MPI_Request_free(request)
    call MPI_Recv(i, 1, MPI_INTEGER, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE)
    call MPI_Waitall(2, both, MPI_STATUSES_IGNORE)
    call MPI_Win_unlock_all(win)
    call check(all(transfer(parts(1:7:2, 1), [0]) == 100 * right + [0, 1, 2, 3]), 'first halves')
    call check(all(transfer(parts(1:7:2, 2), [0]) == [11, 12, 13, 100 * right + 8]), &
               'second halves')
    call check(all(parts(2:8:2, :) == -1), 'between halves')
  end subroutine halves

  subroutine check(right_so, what)
    logical, intent(in) :: right_so
    character(len=*), intent(in) :: what
    if (right_so) return
    print '(a, i0, 2a)', 'rank ', rank, ': ', what
    call MPI_Abort(MPI_COMM_WORLD, 1)
  end subroutine check
end program sections_rma
