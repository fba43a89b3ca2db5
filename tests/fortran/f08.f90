! The module mpi_f08: handles as types, ierror left out or not, statuses, large counts, callbacks,
! what gfortran refuses to mix up.
program f08
  use mpi_f08
  use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer, c_loc, c_associated
  implicit none
  type(MPI_Comm) :: comm
  type(MPI_Status) :: st, sts(4)
  type(MPI_Request) :: reqs(4)
  integer :: rank, size, left, right, ierr, called = 0, handled = 0
  logical :: flag

  call MPI_Init()
  call MPI_Comm_dup(MPI_COMM_WORLD, comm)
  call MPI_Comm_rank(comm, rank)
  call MPI_Comm_size(comm, size, ierr)
  call check(ierr == MPI_SUCCESS, 'ierror is given')
  left = modulo(rank - 1, size)
  right = modulo(rank + 1, size)
  call handles
  call messages
  call large_counts
  call waiting
  call callbacks
  call memory
  call windows
  call strings
  call module_things
  call MPI_Comm_free(comm)
  call check(comm == MPI_COMM_NULL, 'freed')
  call MPI_Finalize()

contains

  subroutine check(right_, what)
    logical, intent(in) :: right_
    character(len=*), intent(in) :: what
    if (right_) return
    print *, 'rank', rank, ': ', what
    call MPI_Abort(MPI_COMM_WORLD, 1)
  end subroutine check

  subroutine handles
    type(MPI_Datatype) :: types(2)
    type(MPI_Group) :: group
    call check(comm /= MPI_COMM_WORLD .and. .not. comm == MPI_COMM_WORLD, 'a duplicate')
    call check(MPI_COMM_WORLD%MPI_VAL == 257, 'value')
    types = [MPI_INTEGER, MPI_REAL]
    call check(any(types == MPI_REAL) .and. .not. all(types == MPI_REAL), 'elemental')
    comm%MPI_VAL = comm%MPI_VAL
    call MPI_Comm_group(comm, group)
    call check(group /= MPI_GROUP_NULL, 'group')
    call MPI_Group_free(group)
    call check(group == MPI_GROUP_NULL, 'no group')
  end subroutine handles

  subroutine messages
    integer :: got(3), sent(3), n
    integer(kind=MPI_COUNT_KIND) :: many
    integer :: f(MPI_STATUS_SIZE)
    type(MPI_Status) :: again
    type(MPI_Message) :: message
    sent = [rank, rank + 1, rank + 2]
    call MPI_Isend(sent, 3, MPI_INTEGER, right, 1, comm, reqs(1))
    call MPI_Recv(got, 3, MPI_INTEGER, left, MPI_ANY_TAG, comm, st)
    call MPI_Wait(reqs(1), MPI_STATUS_IGNORE)
    call check(all(got == left + [0, 1, 2]), 'received')
    call check(st%MPI_SOURCE == left .and. st%MPI_TAG == 1, 'status')
    call MPI_Get_count(st, MPI_INTEGER, n)
    call MPI_Get_elements_x(st, MPI_INTEGER, many)
    call check(n == 3 .and. many == 3, 'count')
    call MPI_Status_f082f(st, f)
    call check(f(MPI_SOURCE) == left .and. f(MPI_TAG) == 1, 'status as integers')
    call MPI_Status_f2f08(f, again, ierr)
    call MPI_Get_count(again, MPI_INTEGER, n)
    call check(n == 3 .and. again%MPI_SOURCE == left, 'and back')
    call MPI_Send(rank, 1, MPI_INTEGER, right, 2, comm)
    call MPI_Mprobe(left, 2, comm, message, st)
    call check(message /= MPI_MESSAGE_NULL, 'mprobe')
    call MPI_Mrecv(n, 1, MPI_INTEGER, message, MPI_STATUS_IGNORE)
    call check(n == left .and. message == MPI_MESSAGE_NULL, 'mrecv')
    call MPI_Iprobe(MPI_ANY_SOURCE, 77, comm, flag, MPI_STATUS_IGNORE)
    call check(flag .eqv. .false., 'iprobe')
    n = rank
    call MPI_Allreduce(MPI_IN_PLACE, n, 1, MPI_INTEGER, MPI_MAX, comm)
    call check(n == size - 1, 'in place')
  end subroutine messages

  ! MPI_COUNT_KIND takes the large-count variant by itself, where there is one.
  subroutine large_counts
    integer(kind=MPI_COUNT_KIND) :: n, lb, extent
    integer(kind=MPI_ADDRESS_KIND) :: lb_, extent_
    integer :: m
    type(MPI_Datatype) :: type
    n = 3000000000_MPI_COUNT_KIND
    call MPI_Type_contiguous(n, MPI_BYTE, type)
    call MPI_Type_get_extent(type, lb_, extent_)
    call check(lb_ == 0 .and. extent_ == n, 'extent')
    call MPI_Type_get_extent_x(type, lb, extent)
    call check(extent == n, 'extent_x')
    call MPI_Type_size(type, n)
    call check(n == 3000000000_MPI_COUNT_KIND, 'size of kind count')
    call MPI_Type_size(type, m)
    call check(m == MPI_UNDEFINED, 'size of kind integer')
    call MPI_Type_free(type)
    call MPI_Type_vector(2_MPI_COUNT_KIND, 1_MPI_COUNT_KIND, 5_MPI_COUNT_KIND, MPI_REAL, type)
    call MPI_Type_size(type, m)
    call check(m == 8, 'vector of kind count')
    call MPI_Type_free(type)
  end subroutine large_counts

  subroutine waiting
    integer :: i, n, idx(4), got(4), sent(4)
    do i = 1, 4
      call MPI_Irecv(got(i), 1, MPI_INTEGER, left, 20 + i, comm, reqs(i))
    end do
    sent = 10 * rank + [1, 2, 3, 4]
    call MPI_Send(sent(3), 1, MPI_INTEGER, right, 23, comm)
    call MPI_Waitany(1, reqs(3:3), i, st)
    call check(i == 1 .and. got(3) == 10 * left + 3, 'waitany')
    call check(st%MPI_TAG == 23 .and. reqs(3) == MPI_REQUEST_NULL, 'waitany: status')
    do i = 1, 4
      if (i /= 3) call MPI_Send(sent(i), 1, MPI_INTEGER, right, 20 + i, comm)
    end do
    call MPI_Waitsome(2, reqs, n, idx, sts)
    call check(n >= 1 .and. all(idx(:n) >= 1) .and. all(idx(:n) <= 2), 'waitsome')
    call check(all(sts(:n)%MPI_TAG == 20 + idx(:n)), 'waitsome: statuses')
    call MPI_Waitall(4, reqs, MPI_STATUSES_IGNORE)
    call check(all(got == 10 * left + [1, 2, 3, 4]), 'waitall')
    call MPI_Irecv(got(4), 1, MPI_INTEGER, left, 30, comm, reqs(4))
    call MPI_Send(rank, 1, MPI_INTEGER, right, 30, comm)
    call MPI_Waitany(4, reqs, i, st)
    call check(i == 4 .and. got(4) == left, 'the fourth')
    call MPI_Waitany(4, reqs, i, st)
    call check(i == MPI_UNDEFINED, 'none')
    do i = 1, 4         ! an element stands for the array that begins there
      call MPI_Irecv(got(i), 1, MPI_INTEGER, left, 20 + i, comm, reqs(i))
      call MPI_Send(sent(i), 1, MPI_INTEGER, right, 20 + i, comm)
    end do
    sts%MPI_TAG = -7
    call MPI_Waitall(2, reqs(3), sts(2))
    call check(all(got(3:) == 10 * left + [3, 4]), 'waitall: from the third on')
    call check(all(sts%MPI_TAG == [-7, 23, 24, -7]), 'waitall: statuses from the second on')
    call MPI_Waitall(2, reqs, MPI_STATUSES_IGNORE)
  end subroutine waiting

  subroutine callbacks
    type(MPI_Op) :: op
    type(MPI_Errhandler) :: handler
    integer :: mine(3), all_(3), class, i
    call MPI_Op_create(longest, .false., op)
    call MPI_Op_commutative(op, flag)
    call check(.not. flag, 'commutative')
    mine = [rank, 1, -rank]
    call MPI_Allreduce(mine, all_, 3, MPI_INTEGER, op, comm)
    call check(all(all_ == [(size - 1) * size / 2, size, -(size - 1) * size / 2]), 'own reduction')
    call check(size == 1 .or. called >= 0, 'type of the reduction')
    call MPI_Op_free(op)
    do i = 1, 200       ! the same functions again and again, as often as one likes
      call MPI_Op_create(longest, .true., op, ierr)
      call check(ierr == MPI_SUCCESS, 'an operation of the same function')
      call MPI_Op_free(op)
      call MPI_Comm_create_errhandler(note, handler, ierr)
      call check(ierr == MPI_SUCCESS, 'a handler of the same function')
      call MPI_Errhandler_free(handler)
    end do
    call MPI_Comm_create_errhandler(note, handler)
    call MPI_Comm_set_errhandler(comm, handler)
    call MPI_Send(class, 1, MPI_INTEGER, size, 0, comm, ierr)
    call check(handled == MPI_ERR_RANK, 'handler')
    call MPI_Error_class(ierr, class)
    call check(class == MPI_ERR_RANK, 'error')
    call MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL)
    call MPI_Errhandler_free(handler)
  end subroutine callbacks

  ! It adds; len and datatype are as they must be.
  subroutine longest(invec, inoutvec, len, datatype)
    type(c_ptr), value :: invec, inoutvec
    integer :: len
    type(MPI_Datatype) :: datatype
    integer, pointer :: a(:), b(:)
    if (datatype /= MPI_INTEGER) called = -1000
    called = called + 1
    call c_f_pointer(invec, a, [len])
    call c_f_pointer(inoutvec, b, [len])
    b = a + b
  end subroutine longest

  subroutine note(failed, code)
    type(MPI_Comm) :: failed
    integer :: code
    if (failed == comm) call MPI_Error_class(code, handled)
  end subroutine note

  ! Memory of the window's own and of its neighbour, as pointers; an error handler of a window.
  subroutine windows
    type(MPI_Win) :: win
    type(c_ptr) :: base
    type(MPI_Errhandler) :: handler
    type(MPI_Request) :: request
    integer, pointer :: mine(:), theirs(:)
    integer(kind=MPI_ADDRESS_KIND) :: bytes, number
    integer :: unit, i, old, flavor
    integer, asynchronous :: got(4)
    call MPI_Win_allocate_shared(16_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, comm, base, win)
    call c_f_pointer(base, mine, [4])
    call MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, number, flag)
    flavor = int(number)
    call check(flag .and. flavor == MPI_WIN_FLAVOR_SHARED, 'flavor')
    call MPI_Win_fence(MPI_MODE_NOPRECEDE, win)
    mine = [(10 * rank + i, i = 1, 4)]
    call MPI_Win_fence(0, win)
    call MPI_Win_shared_query(win, right, bytes, unit, base)
    call check(bytes == 16 .and. unit == 4, 'query')
    call c_f_pointer(base, theirs, [4])
    call check(all(theirs == [(10 * right + i, i = 1, 4)]), 'shared')
    call MPI_Win_fence(MPI_MODE_NOSUCCEED, win)
    call MPI_Win_free(win)
    call check(win == MPI_WIN_NULL, 'freed window')

    call MPI_Win_allocate(16_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, comm, base, win)
    call c_f_pointer(base, mine, [4])
    mine = rank
    call MPI_Barrier(comm)
    call MPI_Win_lock_all(MPI_MODE_NOCHECK, win)
    call MPI_Rget(got, 4, MPI_INTEGER, right, 0_MPI_ADDRESS_KIND, 4, MPI_INTEGER, win, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call check(all(got == right), 'get with a request')
    call MPI_Barrier(comm)
    call MPI_Fetch_and_op(1, old, MPI_INTEGER, 0, 0_MPI_ADDRESS_KIND, MPI_SUM, win)
    call MPI_Win_flush(0, win)
    call check(old >= 0 .and. old < size, 'counter')
    call MPI_Win_unlock_all(win)
    call MPI_Barrier(comm)
    call check(rank > 0 .or. mine(1) == size, 'sum')
    call MPI_Win_create_errhandler(note_window, handler)
    call MPI_Win_set_errhandler(win, handler)
    call MPI_Errhandler_free(handler)
    handled = 0
    call MPI_Win_flush(right, win, ierr)
    call check(ierr /= MPI_SUCCESS .and. handled == MPI_ERR_RMA_SYNC, 'handler of a window')
    call MPI_Win_free(win)
  end subroutine windows

  subroutine note_window(failed, code)
    type(MPI_Win) :: failed
    integer :: code
    if (failed /= MPI_WIN_NULL) call MPI_Error_class(code, handled)
  end subroutine note_window

  subroutine memory
    type(c_ptr) :: base
    integer, pointer :: p(:)
    character, target, asynchronous :: box(1000)
    integer :: n
    integer(kind=MPI_ADDRESS_KIND) :: a, b
    call MPI_Alloc_mem(40_MPI_ADDRESS_KIND, MPI_INFO_NULL, base)
    call c_f_pointer(base, p, [10])
    p = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    call check(sum(p) == 55, 'memory')
    call MPI_Get_address(p(1), a)
    call MPI_Get_address(p(3), b)
    call check(MPI_Aint_diff(b, a) == 8 .and. MPI_Aint_add(a, 8_MPI_ADDRESS_KIND) == b, 'addresses')
    call MPI_Free_mem(p)
    call MPI_Buffer_attach(box, 1000)
    call MPI_Bsend(rank, 1, MPI_INTEGER, right, 5, comm)
    call MPI_Recv(n, 1, MPI_INTEGER, left, 5, comm, MPI_STATUS_IGNORE)
    call MPI_Buffer_detach(base, n)
    call check(n == 1000 .and. c_associated(base, c_loc(box)), 'detached')
  end subroutine memory

  subroutine strings
    character(len=MPI_MAX_OBJECT_NAME) :: name
    character(len=30) :: value
    type(MPI_Info) :: info
    integer :: n
    call MPI_Comm_set_name(comm, 'mine ')
    call MPI_Comm_get_name(comm, name, n)
    call check(name == 'mine' .and. n == 4, 'name')
    call MPI_Info_create(info)
    call MPI_Info_set(info, ' a', '  b c ')
    n = len(value)
    call MPI_Info_get_string(info, 'a ', n, value, flag)
    call check(flag .and. n == 3 .and. value == 'b c', 'info')
    call MPI_Info_free(info)
  end subroutine strings

  subroutine module_things
    complex(kind=8) :: z(3)
    integer :: n
    call MPI_Sizeof(z, n)
    call check(n == 16, 'sizeof complex')
    call MPI_Sizeof(rank, n, ierr)
    call check(n == 4, 'sizeof integer')
    call check(MPI_SUBARRAYS_SUPPORTED .and. MPI_ASYNC_PROTECTS_NONBLOCKING, 'what is supported')
    call check(MPI_Wtime() > 0 .and. MPI_Wtick() < 1, 'time')
    call check(PMPI_Wtime() > 0, 'PMPI')
    call PMPI_Barrier(comm)
    call MPI_F_sync_reg(z)
    call check(all([MPI_INTEGER_KIND, MPI_ADDRESS_KIND, MPI_OFFSET_KIND] == [4, 8, 8]), 'kinds')
  end subroutine module_things
end program f08
