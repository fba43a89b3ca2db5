! The module mpi: constants, explicit interfaces of all functions, and MPI_Sizeof.  Handles are
! integers; choice buffers are passed by their address.
module mpi
  use, intrinsic :: iso_c_binding, only: C_PTR
  use mpilite_base
  use mpilite_handles
  use mpilite_types
  use mpilite_sizeof
  implicit none
  public
  private :: C_PTR

  logical, parameter :: MPI_SUBARRAYS_SUPPORTED = .false.
  logical, parameter :: MPI_ASYNC_PROTECTS_NONBLOCKING = .true.

  ! Ready-made attribute functions, recognised by their address.
  external :: MPI_NULL_COPY_FN, MPI_DUP_FN, MPI_NULL_DELETE_FN
  external :: MPI_COMM_NULL_COPY_FN, MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN
  external :: MPI_TYPE_NULL_COPY_FN, MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN
  external :: MPI_WIN_NULL_COPY_FN, MPI_WIN_DUP_FN, MPI_WIN_NULL_DELETE_FN

  interface
    subroutine MPI_F_sync_reg(buf)
      implicit none
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      type(*), dimension(*), asynchronous, target :: buf
    end subroutine MPI_F_sync_reg
    subroutine PMPI_F_sync_reg(buf)
      implicit none
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      type(*), dimension(*), asynchronous, target :: buf
    end subroutine PMPI_F_sync_reg
  end interface

  include 'mpi.inc'
end module mpi
