! Heat in a plate, on a Cartesian grid of ranks: rows and columns of the border go to neighbours as
! array sections, the sum of all is compared with one rank's own computation of all of it.  Then
! graphs: neighbours with weights and without, collectives with neighbours.
program heat
  use mpi_f08
  implicit none
  integer, parameter :: n = 24, steps = 20
  integer :: dims(2), coords(2), size, rank, nx, ny, x0, y0, step
  integer :: up, down, left, right, i, j, rank_of
  logical :: periods(2), mine(2), flag
  type(MPI_Comm) :: grid, rows
  real(kind=8), allocatable, asynchronous :: t(:, :), new(:, :)
  real(kind=8) :: whole(0:n + 1, 0:n + 1), next(0:n + 1, 0:n + 1), error, worst
  type(MPI_Request) :: r(8)

  call MPI_Init()
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  dims = 0
  call MPI_Dims_create(size, 2, dims)
  call check(product(dims) == size, 'dims')
  call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, [.false., .true.], .true., grid)
  call MPI_Comm_rank(grid, rank)
  coords = -1
  periods = .true.
  call MPI_Cart_get(grid, 2, dims, periods, coords)
  call check((.not. periods(1)) .and. periods(2), 'periods')
  call MPI_Cart_rank(grid, coords, rank_of)
  call check(rank_of == rank, 'cart_rank')
  call MPI_Cart_shift(grid, 0, 1, left, right)
  call MPI_Cart_shift(grid, 1, 1, down, up)
  if (coords(1) == 0) call check(left == MPI_PROC_NULL, 'the first has none on its left')
  call MPI_Cart_sub(grid, [.false., .true.], rows)
  call MPI_Cartdim_get(rows, i)
  call MPI_Comm_size(rows, j)
  call check(i == 1 .and. j == dims(2), 'cart_sub')
  mine = .false.
  call MPI_Cart_get(rows, 1, dims(2:2), mine, coords(2:2))
  call check(mine(1) .and. .not. mine(2), 'one period')

  x0 = coords(1) * n / dims(1)
  y0 = coords(2) * n / dims(2)
  nx = (coords(1) + 1) * n / dims(1) - x0
  ny = (coords(2) + 1) * n / dims(2) - y0
  allocate (t(0:nx + 1, 0:ny + 1), new(0:nx + 1, 0:ny + 1))
  call start(whole, 0, 0)
  call start(t, x0, y0)
  do step = 1, steps
    ! the plate is a tube: its second dimension is closed
    whole(:, 0) = whole(:, n)
    whole(:, n + 1) = whole(:, 1)
    next = whole
    do j = 1, n
      do i = 1, n
        next(i, j) = whole(i, j) + 0.2d0 * (whole(i - 1, j) + whole(i + 1, j) + whole(i, j - 1) + &
                                            whole(i, j + 1) - 4 * whole(i, j))
      end do
    end do
    whole = next
    call MPI_Irecv(t(0, 1:ny), ny, MPI_DOUBLE_PRECISION, left, 1, grid, r(1))
    call MPI_Irecv(t(nx + 1, 1:ny), ny, MPI_DOUBLE_PRECISION, right, 2, grid, r(2))
    call MPI_Irecv(t(1:nx, 0), nx, MPI_DOUBLE_PRECISION, down, 3, grid, r(3))
    call MPI_Irecv(t(1:nx, ny + 1), nx, MPI_DOUBLE_PRECISION, up, 4, grid, r(4))
    call MPI_Isend(t(nx, 1:ny), ny, MPI_DOUBLE_PRECISION, right, 1, grid, r(5))
    call MPI_Isend(t(1, 1:ny), ny, MPI_DOUBLE_PRECISION, left, 2, grid, r(6))
    call MPI_Isend(t(1:nx, ny), nx, MPI_DOUBLE_PRECISION, up, 3, grid, r(7))
    call MPI_Isend(t(1:nx, 1), nx, MPI_DOUBLE_PRECISION, down, 4, grid, r(8))
    call MPI_Waitall(8, r, MPI_STATUSES_IGNORE)
    new = t
    do j = 1, ny
      do i = 1, nx
        new(i, j) = t(i, j) + 0.2d0 * (t(i - 1, j) + t(i + 1, j) + t(i, j - 1) + t(i, j + 1) - &
                                       4 * t(i, j))
      end do
    end do
    t = new
  end do
  error = maxval(abs(t(1:nx, 1:ny) - whole(x0 + 1:x0 + nx, y0 + 1:y0 + ny)))
  call MPI_Allreduce(error, worst, 1, MPI_DOUBLE_PRECISION, MPI_MAX, grid)
  call check(worst < 1d-12, 'as on one rank')
  deallocate (t, new)
  call graphs
  call MPI_Comm_free(rows)
  call MPI_Comm_free(grid)
  call MPI_Finalize()

contains

  subroutine check(right_, what)
    logical, intent(in) :: right_
    character(len=*), intent(in) :: what
    if (right_) return
    print *, 'rank', rank, ': ', what
    call MPI_Abort(MPI_COMM_WORLD, 1)
  end subroutine check

  subroutine start(plate, x, y)
    real(kind=8), intent(out) :: plate(0:, 0:)
    integer, intent(in) :: x, y
    integer :: k, l
    do l = 0, ubound(plate, 2)
      do k = 0, ubound(plate, 1)
        plate(k, l) = modulo(7 * (k + x) + 3 * modulo(l + y - 1, n), 11)
      end do
    end do
  end subroutine start

  subroutine graphs
    type(MPI_Comm) :: ring
    integer :: me, before, after, in, out, from(1), to(1), fw(1), tw(1), got(1), kind, k
    type(MPI_Datatype) :: types(1)
    logical :: weighted
    call MPI_Comm_rank(MPI_COMM_WORLD, me)
    before = modulo(me - 1, size)
    after = modulo(me + 1, size)
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, [before], MPI_UNWEIGHTED, 1, [after], &
                                        MPI_UNWEIGHTED, MPI_INFO_NULL, .false., ring)
    call MPI_Topo_test(ring, kind)
    call check(kind == MPI_DIST_GRAPH, 'topo_test')
    weighted = .true.
    call MPI_Dist_graph_neighbors_count(ring, in, out, weighted)
    call check(in == 1 .and. out == 1 .and. .not. weighted, 'unweighted')
    types = MPI_INTEGER
    call MPI_Neighbor_alltoallw([me], [1], [0_MPI_ADDRESS_KIND], types, got, [1], &
                                [0_MPI_ADDRESS_KIND], types, ring)
    call check(got(1) == before, 'neighbor_alltoallw')
    call MPI_Neighbor_allgather(me, 1, MPI_INTEGER, got, 1, MPI_INTEGER, ring)
    call check(got(1) == before, 'neighbor_allgather')
    call MPI_Comm_free(ring)
    ! a graph whose edges go both ways: to each rank's own
    call MPI_Graph_create(MPI_COMM_WORLD, size, [(k, k = 1, size)], [(k, k = 0, size - 1)], &
                          .false., ring)
    got = -1
    call MPI_Neighbor_alltoallw([me], [1], [0_MPI_ADDRESS_KIND], types, got, [1], &
                                [0_MPI_ADDRESS_KIND], types, ring)
    call check(got(1) == me, 'neighbor_alltoallw on a graph')
    call MPI_Comm_free(ring)
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, [before], [me + 10], 1, [after], &
                                        [after + 10], MPI_INFO_NULL, .false., ring)
    call MPI_Dist_graph_neighbors_count(ring, in, out, flag)
    call check(flag, 'weighted')
    call MPI_Dist_graph_neighbors(ring, 1, from, fw, 1, to, tw)
    call check(from(1) == before .and. fw(1) == me + 10, 'from')
    call check(to(1) == after .and. tw(1) == after + 10, 'to')
    call MPI_Comm_free(ring)
  end subroutine graphs
end program heat
