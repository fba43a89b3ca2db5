! Attributes, with functions of Fortran that copy and delete them, on communicators and types, in
! both modules and by the deprecated functions; the predefined ones; generalized requests; sessions.
module events
  use mpi_f08
  implicit none
  integer(kind=MPI_ADDRESS_KIND) :: deleted = 0, extra_seen = 0
  integer :: copies = 0, freed = 0, queried = 0, cancelled = 0
  logical :: refuse = .false., keeps = .false.
contains

  subroutine copy_comm(oldcomm, comm_keyval, extra_state, attribute_val_in, attribute_val_out, &
      flag, ierror)
    type(MPI_Comm) :: oldcomm
    integer :: comm_keyval, ierror
    integer(kind=MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
    logical :: flag
    extra_seen = extra_state
    copies = copies + 1
    attribute_val_out = attribute_val_in + 1
    flag = oldcomm /= MPI_COMM_NULL .and. comm_keyval /= MPI_KEYVAL_INVALID .and. .not. refuse
    ierror = MPI_SUCCESS
  end subroutine copy_comm

  subroutine delete_comm(comm, comm_keyval, attribute_val, extra_state, ierror)
    type(MPI_Comm) :: comm
    integer :: comm_keyval, ierror
    integer(kind=MPI_ADDRESS_KIND) :: attribute_val, extra_state
    ierror = merge(MPI_ERR_OTHER, MPI_SUCCESS, keeps)
    if (keeps) return
    if (comm /= MPI_COMM_NULL .and. comm_keyval /= 0) deleted = deleted + attribute_val
    extra_seen = extra_state
  end subroutine delete_comm

  subroutine copy_old(oldcomm, keyval, extra_state, attribute_val_in, attribute_val_out, flag, &
      ierror)
    integer :: oldcomm, keyval, extra_state, attribute_val_in, attribute_val_out, ierror
    logical :: flag
    attribute_val_out = 2 * attribute_val_in + extra_state
    flag = oldcomm /= keyval
    ierror = MPI_SUCCESS
  end subroutine copy_old

  subroutine query(extra_state, status, ierror)
    integer(kind=MPI_ADDRESS_KIND) :: extra_state
    type(MPI_Status) :: status
    integer :: ierror
    queried = queried + 1
    call MPI_Status_set_elements(status, MPI_INTEGER, int(extra_state), ierror)
    call MPI_Status_set_cancelled(status, .false., ierror)
    status%MPI_SOURCE = 5
    status%MPI_TAG = 6
    ierror = MPI_SUCCESS
  end subroutine query

  ! Who may only look at the request.
  subroutine give_up(request)
    type(MPI_Request), intent(in) :: request
    call MPI_Cancel(request)
  end subroutine give_up

  subroutine free_(extra_state, ierror)
    integer(kind=MPI_ADDRESS_KIND) :: extra_state
    integer :: ierror
    freed = freed + int(extra_state)
    ierror = MPI_SUCCESS
  end subroutine free_

  subroutine cancel(extra_state, complete, ierror)
    integer(kind=MPI_ADDRESS_KIND) :: extra_state
    logical :: complete
    integer :: ierror
    if (.not. complete) cancelled = cancelled + int(extra_state)
    ierror = MPI_SUCCESS
  end subroutine cancel
end module events

subroutine check(right, what)
  use mpi_f08
  implicit none
  logical, intent(in) :: right
  character(len=*), intent(in) :: what
  if (right) return
  print *, what
  call MPI_Abort(MPI_COMM_WORLD, 1)
end subroutine check

! Ready-made functions of windows; nothing duplicates a window, so they are called here.
subroutine on_windows
  use mpi_f08
  implicit none
  integer :: key, ierr
  integer(kind=MPI_ADDRESS_KIND) :: copied, value
  logical :: flag
  type(MPI_Win) :: win
  call MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_SELF, win)
  call MPI_Win_create_keyval(MPI_WIN_DUP_FN, MPI_WIN_NULL_DELETE_FN, key, 0_MPI_ADDRESS_KIND)
  call MPI_Win_set_attr(win, key, 41_MPI_ADDRESS_KIND)
  call MPI_Win_get_attr(win, key, value, flag)
  call check(flag .and. value == 41, 'on windows')
  flag = .false.
  call MPI_WIN_DUP_FN(win, key, 0_MPI_ADDRESS_KIND, value, copied, flag, ierr)
  call check(flag .and. copied == 41 .and. ierr == MPI_SUCCESS, 'MPI_WIN_DUP_FN')
  call MPI_WIN_NULL_COPY_FN(win, key, 0_MPI_ADDRESS_KIND, value, copied, flag, ierr)
  call check(.not. flag .and. ierr == MPI_SUCCESS, 'MPI_WIN_NULL_COPY_FN')
  call MPI_Win_delete_attr(win, key)
  call MPI_Win_get_attr(win, key, value, flag)
  call check(.not. flag, 'windows: deleted')
  call MPI_Win_free_keyval(key)
  call MPI_Win_free(win)
end subroutine on_windows

! The module mpi, and what MPI-1 had.
subroutine with_integers
  use mpi
  use events, only: copy_old
  implicit none
  integer :: key, dup, ierr, value
  integer(kind=MPI_ADDRESS_KIND) :: extra, wide
  logical :: flag
  extra = 0
  call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, key, extra, ierr)
  wide = 2_MPI_ADDRESS_KIND**40 + 3
  call MPI_Comm_set_attr(MPI_COMM_SELF, key, wide, ierr)
  call MPI_Comm_dup(MPI_COMM_SELF, dup, ierr)
  call MPI_Comm_delete_attr(MPI_COMM_SELF, key, ierr)
  wide = 0
  call MPI_Comm_get_attr(dup, key, wide, flag, ierr)
  call check(flag .and. wide == 2_MPI_ADDRESS_KIND**40 + 3, 'mpi: MPI_COMM_DUP_FN')
  call MPI_Comm_get_attr(MPI_COMM_SELF, key, wide, flag, ierr)
  call check(.not. flag, 'mpi: deleted')
  call MPI_Comm_free(dup, ierr)
  call MPI_Comm_free_keyval(key, ierr)
  call check(key == MPI_KEYVAL_INVALID, 'mpi: no keyval')
  call MPI_Keyval_create(copy_old, MPI_NULL_DELETE_FN, key, 1000, ierr)
  call MPI_Attr_put(MPI_COMM_SELF, key, -7, ierr)
  call MPI_Comm_dup(MPI_COMM_SELF, dup, ierr)
  call MPI_Attr_get(dup, key, value, flag, ierr)
  call check(flag .and. value == 986, 'MPI-1: copied')
  call MPI_Attr_get(MPI_COMM_SELF, key, value, flag, ierr)
  call check(flag .and. value == -7, 'MPI-1: kept')
  call MPI_Attr_delete(MPI_COMM_SELF, key, ierr)
  call MPI_Attr_get(MPI_COMM_SELF, key, value, flag, ierr)
  call check(flag .eqv. .false., 'MPI-1: deleted')
  call MPI_Comm_free(dup, ierr)
  call MPI_Keyval_free(key, ierr)
  call MPI_Attr_get(MPI_COMM_WORLD, MPI_TAG_UB, value, flag, ierr)
  call check(flag .and. value >= 32767, 'MPI-1: TAG_UB')
end subroutine with_integers

program attributes
  use mpi_f08
  use events
  implicit none
  integer :: key, other, tkey, n
  integer(kind=MPI_ADDRESS_KIND) :: value
  type(MPI_Comm) :: a, b, c
  type(MPI_Datatype) :: t, u
  type(MPI_Request) :: request
  type(MPI_Status) :: status
  logical :: flag
  character(len=MPI_MAX_PSET_NAME_LEN) :: pset
  type(MPI_Session) :: session
  type(MPI_Group) :: group

  call MPI_Init()
  call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag)
  call check(flag .and. value >= 32767 .and. value <= huge(n), 'TAG_UB')
  call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, value, flag)
  call check(flag .and. (value == 0 .or. value == 1), 'WTIME_IS_GLOBAL')
  call MPI_Comm_dup(MPI_COMM_SELF, a)
  call MPI_Comm_create_keyval(copy_comm, delete_comm, key, 77_MPI_ADDRESS_KIND)
  call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, other, &
                              0_MPI_ADDRESS_KIND)
  call MPI_Comm_get_attr(a, key, value, flag)
  call check(.not. flag, 'not set')
  call MPI_Comm_set_attr(a, key, 1000_MPI_ADDRESS_KIND)
  call MPI_Comm_set_attr(a, other, 5_MPI_ADDRESS_KIND)
  call MPI_Comm_get_attr(a, key, value, flag)
  call check(flag .and. value == 1000, 'set')
  call MPI_Comm_dup(a, b)
  call check(copies == 1 .and. extra_seen == 77, 'copied once')
  call MPI_Comm_get_attr(b, key, value, flag)
  call check(flag .and. value == 1001, 'copied')
  call MPI_Comm_get_attr(b, other, value, flag)
  call check(.not. flag, 'MPI_COMM_NULL_COPY_FN')
  refuse = .true.
  call MPI_Comm_dup(b, c)
  call MPI_Comm_get_attr(c, key, value, flag)
  call check(copies == 2 .and. .not. flag, 'copy refused')
  call MPI_Comm_set_attr(b, key, 2000_MPI_ADDRESS_KIND)
  call check(deleted == 1001, 'deleted by another')
  keeps = .true.
  call MPI_Comm_set_errhandler(b, MPI_ERRORS_RETURN)
  call MPI_Comm_delete_attr(b, key, n)
  call check(n /= MPI_SUCCESS, 'not deleted')
  call MPI_Comm_get_attr(b, key, value, flag)
  call check(flag .and. value == 2000, 'kept')
  keeps = .false.
  call MPI_Comm_delete_attr(b, key)
  call check(deleted == 3001, 'deleted')
  call MPI_Comm_free(a)
  call check(deleted == 4001, 'deleted with its communicator')
  call MPI_Comm_free(b)
  call MPI_Comm_free(c)
  call check(deleted == 4001, 'nothing more')
  call MPI_Comm_free_keyval(key)
  call MPI_Comm_free_keyval(other)
  call check(key == MPI_KEYVAL_INVALID, 'no keyval')

  call MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, tkey, 0_MPI_ADDRESS_KIND)
  call MPI_Type_contiguous(3, MPI_REAL, t)
  call MPI_Type_set_attr(t, tkey, -1_MPI_ADDRESS_KIND)
  call MPI_Type_dup(t, u)
  call MPI_Type_free(t)
  call MPI_Type_get_attr(u, tkey, value, flag)
  call check(flag .and. value == -1, 'on types')
  call MPI_Type_free(u)
  call MPI_Type_free_keyval(tkey)
  call on_windows
  call with_integers

  call MPI_Grequest_start(query, free_, cancel, 9_MPI_ADDRESS_KIND, request)
  call MPI_Test(request, flag, status)
  call check(.not. flag .and. freed == 0, 'generalized: not yet')
  call give_up(request)
  call check(cancelled == 9, 'generalized: cancelled')
  call MPI_Grequest_complete(request)
  call MPI_Wait(request, status)
  call MPI_Get_elements(status, MPI_INTEGER, n)
  call check(queried == 1 .and. freed == 9 .and. n == 9, 'generalized: queried and freed')
  call check(status%MPI_SOURCE == 5 .and. status%MPI_TAG == 6, 'generalized: status')
  call check(request == MPI_REQUEST_NULL, 'generalized: no request')

  call MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, session)
  call MPI_Session_get_num_psets(session, MPI_INFO_NULL, n)
  call check(n >= 2, 'sets of processes')
  n = 0
  pset = 'unchanged'
  call MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, n, pset)
  call check(n == 11 .and. pset == 'unchanged', 'length of a name')
  n = len(pset)
  call MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, n, pset)
  call check(n == 11 .and. pset == 'mpi://WORLD', 'name of a set')
  call MPI_Group_from_session_pset(session, 'mpi://SELF', group)
  call MPI_Group_size(group, n)
  call check(n == 1, 'group of a set')
  call MPI_Group_free(group)
  call MPI_Session_finalize(session)
  call check(session == MPI_SESSION_NULL, 'no session')
  call MPI_Finalize()
end program attributes
