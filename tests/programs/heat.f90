! Heat in a closed tube, in whole numbers: a Cartesian grid of ranks, columns as a vector type.
! The module mpi.
program heat
  use mpi
  implicit none
  integer, parameter :: n = 48, steps = 100
  integer :: ierr, rank, size, grid, column, step, i, j, dims(2), coords(2), x0, y0, nx, ny
  integer :: left, right, down, up, requests(8)
  integer(kind=8) :: mine(3), all_(3)
  integer, allocatable :: t(:, :), new(:, :)
  logical :: periods(2)

  call MPI_Init(ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
  dims = 0
  call MPI_Dims_create(size, 2, dims, ierr)
  periods = (/ .true., .false. /)
  call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, .true., grid, ierr)
  call MPI_Comm_rank(grid, rank, ierr)
  call MPI_Cart_coords(grid, rank, 2, coords, ierr)
  call MPI_Cart_shift(grid, 0, 1, left, right, ierr)
  call MPI_Cart_shift(grid, 1, 1, down, up, ierr)
  x0 = coords(1) * n / dims(1)
  y0 = coords(2) * n / dims(2)
  nx = (coords(1) + 1) * n / dims(1) - x0
  ny = (coords(2) + 1) * n / dims(2) - y0
  allocate (t(0:nx + 1, 0:ny + 1), new(0:nx + 1, 0:ny + 1))
  call MPI_Type_vector(ny, 1, nx + 2, MPI_INTEGER, column, ierr)
  call MPI_Type_commit(column, ierr)

  t = 0
  do j = 1, ny
    do i = 1, nx
      t(i, j) = modulo(37 * (x0 + i) * (y0 + j) + 11 * (x0 + i), 1000) * 1000
    end do
  end do
  new = t
  do step = 1, steps
    call MPI_Irecv(t(0, 1), 1, column, left, 1, grid, requests(1), ierr)
    call MPI_Irecv(t(nx + 1, 1), 1, column, right, 2, grid, requests(2), ierr)
    call MPI_Irecv(t(1, 0), nx, MPI_INTEGER, down, 3, grid, requests(3), ierr)
    call MPI_Irecv(t(1, ny + 1), nx, MPI_INTEGER, up, 4, grid, requests(4), ierr)
    call MPI_Isend(t(nx, 1), 1, column, right, 1, grid, requests(5), ierr)
    call MPI_Isend(t(1, 1), 1, column, left, 2, grid, requests(6), ierr)
    call MPI_Isend(t(1, ny), nx, MPI_INTEGER, up, 3, grid, requests(7), ierr)
    call MPI_Isend(t(1, 1), nx, MPI_INTEGER, down, 4, grid, requests(8), ierr)
    call MPI_Waitall(8, requests, MPI_STATUSES_IGNORE, ierr)
    do j = 1, ny
      do i = 1, nx
        new(i, j) = (4 * t(i, j) + t(i - 1, j) + t(i + 1, j) + t(i, j - 1) + t(i, j + 1)) / 8
      end do
    end do
    t(1:nx, 1:ny) = new(1:nx, 1:ny)
    if (modulo(step, 25) == 0) then
      mine(1) = sum(int(t(1:nx, 1:ny), 8))
      mine(2) = maxval(t(1:nx, 1:ny))
      mine(3) = -minval(t(1:nx, 1:ny))
      call MPI_Reduce(mine(1), all_(1), 1, MPI_INTEGER8, MPI_SUM, 0, grid, ierr)
      call MPI_Reduce(mine(2), all_(2), 2, MPI_INTEGER8, MPI_MAX, 0, grid, ierr)
      if (rank == 0) print '(a,i4,a,i12,a,i8,a,i8)', 'step', step, ': sum', all_(1), ', from', &
          -all_(3), ' to', all_(2)
    end if
  end do
  deallocate (t, new)
  call MPI_Type_free(column, ierr)
  call MPI_Comm_free(grid, ierr)
  call MPI_Finalize(ierr)
end program heat
