! What the modules mpi and mpi_f08 share.  The included files are made from mpi.h.

module mpilite_base
  implicit none
  public
  include 'base.inc'
end module mpilite_base

! Handles and statuses as integers, for mpi.
module mpilite_handles
  implicit none
  public
  include 'handles.inc'
end module mpilite_handles

! Types of handles and statuses, for mpi_f08; mpi has them too.  And how statuses become integers
! and back.
module mpilite_types
  implicit none
  public

  type, bind(C) :: MPI_Status
    integer :: MPI_SOURCE
    integer :: MPI_TAG
    integer :: MPI_ERROR
    integer, private :: MPI_internal(5)
  end type MPI_Status

  include 'handle_types.inc'

  interface MPI_Status_f2f08
    module procedure status_f2f08
  end interface MPI_Status_f2f08
  interface PMPI_Status_f2f08
    module procedure status_f2f08
  end interface PMPI_Status_f2f08
  interface MPI_Status_f082f
    module procedure status_f082f
  end interface MPI_Status_f082f
  interface PMPI_Status_f082f
    module procedure status_f082f
  end interface PMPI_Status_f082f

  private :: status_f2f08, status_f082f

contains

  subroutine status_f2f08(f_status, f08_status, ierror)
    integer, intent(in) :: f_status(8)
    type(MPI_Status), intent(out) :: f08_status
    integer, optional, intent(out) :: ierror
    f08_status%MPI_SOURCE = f_status(1)
    f08_status%MPI_TAG = f_status(2)
    f08_status%MPI_ERROR = f_status(3)
    f08_status%MPI_internal = f_status(4:8)
    if (present(ierror)) ierror = 0
  end subroutine status_f2f08

  subroutine status_f082f(f08_status, f_status, ierror)
    type(MPI_Status), intent(in) :: f08_status
    integer, intent(out) :: f_status(8)
    integer, optional, intent(out) :: ierror
    f_status(1) = f08_status%MPI_SOURCE
    f_status(2) = f08_status%MPI_TAG
    f_status(3) = f08_status%MPI_ERROR
    f_status(4:8) = f08_status%MPI_internal
    if (present(ierror)) ierror = 0
  end subroutine status_f082f

  include 'handle_operators.inc'
end module mpilite_types

! MPI_Sizeof.
module mpilite_sizeof
  implicit none
  public
  include 'sizeof.inc'
end module mpilite_sizeof
