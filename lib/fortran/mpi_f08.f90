! The module mpi_f08: handles and statuses are types, choice buffers any array with its shape,
! ierror may be left out, counts may be of MPI_COUNT_KIND.
module mpi_f08
  use, intrinsic :: iso_c_binding, only: C_PTR
  use mpilite_base
  use mpilite_types
  use mpilite_sizeof
  implicit none
  public
  private :: C_PTR

  logical, parameter :: MPI_SUBARRAYS_SUPPORTED = .true.
  logical, parameter :: MPI_ASYNC_PROTECTS_NONBLOCKING = .true.

  include 'f08_handles.inc'
  include 'f08_callbacks.inc'

  interface MPI_F_sync_reg
    subroutine MPI_F_sync_reg_f08ts(buf) bind(C, name="mpi_f_sync_reg_f08ts_")
      implicit none
      type(*), dimension(..), asynchronous, target :: buf
    end subroutine MPI_F_sync_reg_f08ts
  end interface MPI_F_sync_reg
  interface PMPI_F_sync_reg
    subroutine PMPI_F_sync_reg_f08ts(buf) bind(C, name="pmpi_f_sync_reg_f08ts_")
      implicit none
      type(*), dimension(..), asynchronous, target :: buf
    end subroutine PMPI_F_sync_reg_f08ts
  end interface PMPI_F_sync_reg

  include 'f08.inc'
end module mpi_f08
