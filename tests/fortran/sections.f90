! Array sections in mpi_f08, against the same done element by element: sections of one to three
! dimensions with any stride, forward or back, sent and received, blocking, non-blocking and
! persistent; datatypes that hold several elements, or parts of one; collectives.  What is outside
! of the section, or behind the elements that arrive, stays.
program sections
  use mpi_f08
  implicit none
  integer, parameter :: edge = 7
  integer :: rank, size, left, right, seed = 12345, round
  integer, asynchronous :: a(edge, edge, edge), before(edge, edge, edge), want(edge, edge, edge)
  integer, asynchronous :: flat(edge**3), more(edge**3)
  integer :: first(3), last(3), step(3)
  type(MPI_Comm), parameter :: comm = MPI_COMM_WORLD

  call MPI_Init()
  call MPI_Comm_rank(comm, rank)
  call MPI_Comm_size(comm, size)
  left = modulo(rank - 1, size)
  right = modulo(rank + 1, size)
  do round = 1, 60
    call choose
    call receive_into
    call send_from
    call persistent
    call broadcast
    call reduce
    call gather
  end do
  call bytes_of_elements
  call several_at_once
  call gaps
  call partitioned
  call types_per_rank
  call types_per_remote_rank
  call freed_under_way
  call beside_an_error
  call assumed_size(flat)
  call empty
  call MPI_Finalize()

contains

  subroutine check(right_, what)
    logical, intent(in) :: right_
    character(len=*), intent(in) :: what
    if (right_) return
    print *, 'rank', rank, 'round', round, ': ', what
    print *, first, last, step
    call MPI_Abort(MPI_COMM_WORLD, 1)
  end subroutine check

  ! The same on all ranks: 1..n.
  integer function any_of(n)
    integer, intent(in) :: n
    seed = modulo(seed * 1103 + 12345, 1048573)
    any_of = 1 + modulo(seed / 7, n)
  end function any_of

  subroutine choose
    integer :: d, swap
    do d = 1, 3
      first(d) = any_of(edge)
      last(d) = any_of(edge)
      step(d) = any_of(3)
      if (first(d) > last(d)) then
        swap = first(d); first(d) = last(d); last(d) = swap
      end if
      if (any_of(3) == 1) then
        swap = first(d); first(d) = last(d); last(d) = swap
        step(d) = -step(d)
      end if
    end do
    do d = 1, edge**3
      flat(d) = d
    end do
    before = -reshape(flat, [edge, edge, edge]) - 1000 * rank
    a = before
  end subroutine choose

  integer function elements()
    elements = product((last - first + step) / step)
  end function elements

  ! want: n values of `from` in the section, the rest as before.
  subroutine put(from, n)
    integer, intent(in) :: from(:), n
    integer :: i, j, k, at
    at = 0
    want = before
    do k = first(3), last(3), step(3)
      do j = first(2), last(2), step(2)
        do i = first(1), last(1), step(1)
          at = at + 1
          if (at <= n) want(i, j, k) = from(at)
        end do
      end do
    end do
  end subroutine put

  ! The section, element by element.
  function packed() result(list)
    integer :: list(edge**3), i, j, k, at
    at = 0
    list = 0
    do k = first(3), last(3), step(3)
      do j = first(2), last(2), step(2)
        do i = first(1), last(1), step(1)
          at = at + 1
          list(at) = a(i, j, k)
        end do
      end do
    end do
  end function packed

  subroutine receive_into
    type(MPI_Request) :: request
    type(MPI_Status) :: status
    integer :: n, count
    n = any_of(elements())
    more = flat + 100000 * rank
    call MPI_Irecv(a(first(1):last(1):step(1), first(2):last(2):step(2), &
                     first(3):last(3):step(3)), elements(), MPI_INTEGER, left, 1, comm, request)
    call MPI_Send(more, n, MPI_INTEGER, right, 1, comm)
    call MPI_Wait(request, status)
    call MPI_Get_count(status, MPI_INTEGER, count)
    call check(count == n, 'count')
    call put(flat + 100000 * left, n)
    call check(all(a == want), 'received')
  end subroutine receive_into

  subroutine send_from
    type(MPI_Request) :: request
    integer :: n, theirs(edge**3)
    a = before
    n = any_of(elements())
    more = 0
    call MPI_Isend(a(first(1):last(1):step(1), first(2):last(2):step(2), &
                     first(3):last(3):step(3)), n, MPI_INTEGER, right, 2, comm, request)
    call MPI_Recv(more, n, MPI_INTEGER, left, 2, comm, MPI_STATUS_IGNORE)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    theirs = packed()
    theirs(:n) = theirs(:n) + 1000 * (rank - left)
    call check(all(more(:n) == theirs(:n)) .and. all(more(n + 1:) == 0), 'sent')
  end subroutine send_from

  subroutine persistent
    type(MPI_Request) :: requests(2)
    integer :: n, i
    n = elements()
    a = before
    call MPI_Send_init(more, n, MPI_INTEGER, right, 3, comm, requests(1))
    call MPI_Recv_init(a(first(1):last(1):step(1), first(2):last(2):step(2), &
                         first(3):last(3):step(3)), n, MPI_INTEGER, left, 3, comm, requests(2))
    do i = 1, 2
      more = flat + i + 10000 * rank
      call MPI_Startall(2, requests)
      call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
      call put(flat + i + 10000 * left, n)
      call check(all(a == want), 'persistent')
    end do
    call MPI_Request_free(requests(1))
    call MPI_Request_free(requests(2))
  end subroutine persistent

  subroutine broadcast
    integer :: root
    root = any_of(size) - 1
    a = before
    call MPI_Bcast(a(first(1):last(1):step(1), first(2):last(2):step(2), &
                     first(3):last(3):step(3)), elements(), MPI_INTEGER, root, comm)
    call put(packed(), elements())
    call check(all(a == want), 'broadcast: outside')
    more = packed()
    call check(more(1) + more(elements()) == before(first(1), first(2), first(3)) + &
               1000 * (rank - root) + more(elements()), 'broadcast')
  end subroutine broadcast

  ! Both buffers of a reduction are sections: they are copied, as no reduction takes a vector.
  subroutine reduce
    type(MPI_Request) :: request
    integer :: n, in_place(edge), list(edge**3)
    n = elements()
    a = before
    more = 0
    call MPI_Iallreduce(a(first(1):last(1):step(1), first(2):last(2):step(2), &
                          first(3):last(3):step(3)), more, n, MPI_INTEGER, MPI_MAX, comm, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    list = packed() + 1000 * rank
    call check(all(more(:n) == list(:n)) .and. all(more(n + 1:) == 0), 'reduced')
    a = before
    call MPI_Allreduce(MPI_IN_PLACE, a(first(1):last(1):step(1), 1, edge:1:-1), &
                       size_of(1) * edge, MPI_INTEGER, MPI_SUM, comm)
    want = before
    want(first(1):last(1):step(1), 1, :) = &
        size * (before(first(1):last(1):step(1), 1, :) + 1000 * rank) - 500 * size * (size - 1)
    call check(all(a == want), 'reduced in place')
    in_place = rank
    call MPI_Iallreduce(MPI_IN_PLACE, in_place(2::2), 3, MPI_INTEGER, MPI_SUM, comm, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call check(all(in_place(2::2) == size * (size - 1) / 2), 'reduced: sum')
    call check(all(in_place(1::2) == rank), 'reduced: outside')
  end subroutine reduce

  integer function size_of(d)
    integer, intent(in) :: d
    size_of = (last(d) - first(d) + step(d)) / step(d)
  end function size_of

  ! All blocks of a gather lie in one section.
  subroutine gather
    integer :: wide(2, 3 * size), i
    type(MPI_Request) :: request
    wide = -1
    call MPI_Iallgather(more(5:1:-2), 3, MPI_INTEGER, wide(2, :), 3, MPI_INTEGER, comm, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call check(all(wide(2, 3 * rank + 1:3 * rank + 3) == more(5:1:-2)), 'gathered')
    call check(all(wide(1, :) == -1), 'gathered: outside')
    wide(1, :) = rank
    call MPI_Alltoall(wide(1, :), 3, MPI_INTEGER, wide(2, :), 3, MPI_INTEGER, comm)
    call check(all(wide(2, :) == [((i / 3), i = 0, 3 * size - 1)]), 'all to all')
  end subroutine gather

  ! Elements of 8 bytes as pairs of reals and as bytes; the last one in part.
  subroutine bytes_of_elements
    complex :: z(6), got(6)
    integer :: i
    character(len=5) :: text(6), came(6)
    z = [(cmplx(i, rank), i = 1, 6)]
    got = (-1, -1)
    call MPI_Sendrecv(z(2:6:2), 6, MPI_REAL, right, 4, got(1:5:2), 6, MPI_REAL, left, 4, comm, &
                      MPI_STATUS_IGNORE)
    call check(all(got(1:5:2) == [(2., 0.), (4., 0.), (6., 0.)] + cmplx(0, left)), 'reals')
    call check(all(got(2:6:2) == (-1, -1)), 'reals: outside')
    text = ['abcde', 'fghij', 'klmno', 'pqrst', 'uvwxy', 'ABCDE']
    came = '-----'
    call MPI_Sendrecv(text(1:6:2), 12, MPI_CHARACTER, right, 4, came(6:1:-2), 12, MPI_CHARACTER, &
                      left, 4, comm, MPI_STATUS_IGNORE)
    call check(all(came == ['-----', 'uv---', '-----', 'klmno', '-----', 'abcde']), 'characters')
    came = '-----'
    call MPI_Sendrecv(text(1:6:2), 11, MPI_CHARACTER, right, 4, came(2:6:2), 11, MPI_CHARACTER, &
                      left, 4, comm, MPI_STATUS_IGNORE)
    call check(all(came == ['-----', 'abcde', '-----', 'klmno', '-----', 'u----']), 'one more')
  end subroutine bytes_of_elements

  ! Two receives into parts of one section.
  subroutine several_at_once
    integer, asynchronous :: row(20), sent(20)
    type(MPI_Request) :: requests(2)
    integer :: i
    row = -1
    sent = 100 * rank + [(i, i = 1, 20)]
    call MPI_Irecv(row(1:19:2), 5, MPI_INTEGER, left, 5, comm, requests(1))
    call MPI_Irecv(row(11:19:2), 5, MPI_INTEGER, left, 6, comm, requests(2))
    call MPI_Send(sent(1:9:2), 5, MPI_INTEGER, right, 6, comm)
    call MPI_Wait(requests(2), MPI_STATUS_IGNORE)
    call MPI_Send(sent(11:19:2), 5, MPI_INTEGER, right, 5, comm)
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
    call check(all(row(1:9:2) == 100 * left + [11, 13, 15, 17, 19]), 'the first five')
    call check(all(row(11:19:2) == 100 * left + [1, 3, 5, 7, 9]), 'the last five')
    call check(all(row(2:20:2) == -1), 'between')
  end subroutine several_at_once

  ! A datatype with gaps, over the elements of a section: there the section is copied.
  subroutine gaps
    type(MPI_Datatype) :: type
    type(MPI_Request) :: requests(3)
    integer, asynchronous :: row(24), sent(24)
    integer :: index, i
    call MPI_Type_vector(3, 1, 2, MPI_INTEGER, type)
    call MPI_Type_commit(type)
    row = -1
    sent = 100 * rank + [(i, i = 1, 24)]
    requests = MPI_REQUEST_NULL
    call MPI_Irecv(row(24:1:-3), 1, type, left, 7, comm, requests(2))
    call MPI_Isend(sent(2:24:2), 1, type, right, 7, comm, requests(3))
    call MPI_Waitany(2, requests, index, MPI_STATUS_IGNORE)
    call check(index == 2, 'gaps: index')
    call check(all(row([24, 18, 12]) == 100 * left + [2, 6, 10]), 'gaps: values')
    row([24, 18, 12]) = -1
    call check(all(row == -1), 'gaps: outside')
    call MPI_Wait(requests(3), MPI_STATUS_IGNORE)
    call MPI_Recv_init(row(1:24:4), 1, type, left, 8, comm, requests(1))
    call MPI_Send_init(sent(1:24:4), 1, type, right, 8, comm, requests(2))
    do index = 1, 2
      sent = index * 1000 + 100 * rank + [(i, i = 1, 24)]
      row = 0
      call MPI_Start(requests(1))
      call MPI_Start(requests(2))
      call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
      call check(all(row([1, 9, 17]) == index * 1000 + 100 * left + [1, 9, 17]), 'gaps: again')
      row([1, 9, 17]) = 0
      call check(all(row == 0), 'gaps: again outside')
    end do
    call MPI_Request_free(requests(1))
    call MPI_Request_free(requests(2))
    call MPI_Type_free(type)
  end subroutine gaps

  ! Partitions of a section, ready one by one.
  subroutine partitioned
    integer, asynchronous :: from(2, 12), to(2, 12)
    integer :: k
    logical :: there
    type(MPI_Request) :: requests(2)
    from = 0
    to = 0
    call MPI_Psend_init(from(1, :), 3, 4_MPI_COUNT_KIND, MPI_INTEGER, right, 10, comm, &
                        MPI_INFO_NULL, requests(1))
    call MPI_Precv_init(to(2, :), 3, 4_MPI_COUNT_KIND, MPI_INTEGER, left, 10, comm, &
                        MPI_INFO_NULL, requests(2))
    call MPI_Startall(2, requests)
    do k = 2, 0, -1
      from(1, 4 * k + 1:4 * k + 4) = 100 * rank + k
      call MPI_Pready(k, requests(1))
    end do
    there = .false.
    do while (.not. there)
      call MPI_Parrived(requests(2), 1, there)
    end do
    call check(all(to(2, 5:8) == 100 * left + 1), 'parrived')
    to(2, 5:8) = -7     ! what has arrived is the program's, and does not come again
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    call check(all(to(2, 1:4) == 100 * left), 'partitioned: first')
    call check(all(to(2, 9:12) == 100 * left + 2), 'partitioned: last')
    call check(all(to(2, 5:8) == -7), 'partitioned: taken')
    call check(all(to(1, :) == 0), 'partitioned: outside')
    call MPI_Request_free(requests(1))
    call MPI_Request_free(requests(2))
  end subroutine partitioned

  ! Arrays of types, as many as there are ranks, which are read until the operation ends.
  subroutine types_per_rank
    type(MPI_Datatype) :: types(size)
    integer, dimension(size), asynchronous :: ones, places, from, to
    integer :: i
    type(MPI_Request) :: request
    types = MPI_INTEGER
    ones = 1
    places = [(4 * i, i = 0, size - 1)]
    from = 100 * rank + [(i, i = 0, size - 1)]
    to = -1
    call MPI_Ialltoallw(from, ones, places, types, to, ones, places, types, comm, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call check(all(to == 100 * [(i, i = 0, size - 1)] + rank), 'ialltoallw')
    to = from
    call MPI_Alltoallw(MPI_IN_PLACE, ones(1:1), ones(1:1), [MPI_DATATYPE_NULL], to, ones, places, &
                       types, comm)
    call check(all(to == 100 * [(i, i = 0, size - 1)] + rank), 'alltoallw in place')
    call MPI_Alltoallw_init(from, ones, places, types, to, ones, places, types, comm, &
                            MPI_INFO_NULL, request)
    do round = 1, 2
      from = 1000 * round + 100 * rank + [(i, i = 0, size - 1)]
      call MPI_Start(request)
      call MPI_Wait(request, MPI_STATUS_IGNORE)
      call check(all(to == 1000 * round + 100 * [(i, i = 0, size - 1)] + rank), 'persistent')
    end do
    call MPI_Request_free(request)
  end subroutine types_per_rank

  ! Of an intercommunicator, as many as the other group has: the first rank against the others.
  subroutine types_per_remote_rank
    type(MPI_Comm) :: part, inter
    type(MPI_Datatype), allocatable :: types(:)
    integer, allocatable :: ones(:), places(:), from(:), to(:)
    integer :: i, remote, begin
    if (size == 1) return
    remote = merge(size - 1, 1, rank == 0)
    begin = merge(1, 0, rank == 0)
    allocate(types(remote), ones(remote), places(remote), from(remote), to(remote))
    types = MPI_INTEGER
    ones = 1
    places = [(4 * i, i = 0, remote - 1)]
    from = 100 * rank + [(begin + i, i = 0, remote - 1)]
    to = -1
    call MPI_Comm_split(comm, merge(0, 1, rank == 0), rank, part)
    call MPI_Intercomm_create(part, 0, comm, begin, 5, inter)
    call MPI_Alltoallw(from, ones, places, types, to, ones, places, types, inter)
    call check(all(to == 100 * [(begin + i, i = 0, remote - 1)] + rank), 'to the other group')
    call MPI_Comm_free(inter)
    call MPI_Comm_free(part)
  end subroutine types_per_remote_rank

  ! A persistent send that is freed while it is under way: what it sends is still there when the
  ! receive comes, though it is a copy, as no pair of integers lies in one element.
  subroutine freed_under_way
    integer, parameter :: pairs = 100000
    integer, allocatable, asynchronous :: from(:, :), to(:)
    type(MPI_Datatype) :: pair
    type(MPI_Request) :: request
    integer :: i
    allocate(from(2, 2 * pairs), to(2 * pairs))
    from(1, :) = [(i + rank, i = 1, 2 * pairs)]
    call MPI_Type_contiguous(2, MPI_INTEGER, pair)
    call MPI_Type_commit(pair)
    call MPI_Ssend_init(from(1, :), pairs, pair, right, 11, comm, request)
    call MPI_Start(request)
    call MPI_Request_free(request)
    call MPI_Recv(to, pairs, pair, left, 11, comm, MPI_STATUS_IGNORE)
    call check(all(to == [(i + left, i = 1, 2 * pairs)]), 'freed under way')
    call MPI_Type_free(pair)
  end subroutine freed_under_way

  ! What arrived is there although another request of the call ended with an error.
  subroutine beside_an_error
    integer, asynchronous :: from(10), to(10)
    integer :: short, i, k, ierr
    type(MPI_Request) :: requests(2)
    type(MPI_Status) :: statuses(2)
    logical :: flag
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN)
    call MPI_Allreduce_init(from(1::2), to(1::2), 5, MPI_INTEGER, MPI_SUM, MPI_COMM_SELF, &
        MPI_INFO_NULL, requests(1))
    do k = 1, 3
      from = [(10 * k + i, i = 1, 10)]
      to = 0
      call MPI_Irecv(short, 1, MPI_INTEGER, 0, 5, MPI_COMM_SELF, requests(2))
      call MPI_Start(requests(1))
      call MPI_Send(from, 3, MPI_INTEGER, 0, 5, MPI_COMM_SELF)
      flag = .false.
      select case (k)
      case (1)
        call MPI_Waitall(2, requests, statuses, ierr)
      case (2)
        call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
      case (3)
        do while (.not. flag)
          call MPI_Testall(2, requests, flag, statuses, ierr)
        end do
      end select
      call check(ierr == merge(MPI_ERR_TRUNCATE, MPI_ERR_IN_STATUS, k == 2), 'beside an error')
      call check(all(to(1::2) == from(1::2)) .and. all(to(2::2) == 0), 'beside an error: data')
    end do
    call MPI_Request_free(requests(1))
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL)
  end subroutine beside_an_error

  ! An array whose end is not known is one piece.
  subroutine assumed_size(array)
    integer :: array(*)
    array(1:10) = rank
    call MPI_Sendrecv_replace(array, 10, MPI_INTEGER, right, 9, left, 9, comm, MPI_STATUS_IGNORE)
    call check(all(array(1:10) == left), 'assumed size')
  end subroutine assumed_size

  subroutine empty
    integer :: nothing(0)
    call MPI_Sendrecv(nothing, 0, MPI_INTEGER, right, 9, a(1:0:2, :, 3), 0, MPI_INTEGER, left, 9, &
                      comm, MPI_STATUS_IGNORE)
    call MPI_Bcast(nothing, 0, MPI_INTEGER, 0, comm)
  end subroutine empty
end program sections
