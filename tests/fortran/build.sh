#!/bin/sh
# build.sh: mpifort as programs' makefiles use it; mpif.h in both forms and at both line lengths;
# what is refused; Fortran, C and profiling tools in one program.  Skipped without Fortran.
set -u
: "${srcdir:=.}"
if [ "${FORTRAN:=yes}" != yes ]; then
    echo "skipped: no Fortran interfaces: $FORTRAN"
    exit 77
fi
bin=$PWD/bin
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
: >"$work/out"
limit=$((100 * ${TEST_TIMEOUT_SCALE:-1}))

fail() { echo "build: $*"; head -n 30 "$work/out"; exit 1; }

# compile ARGUMENT...: with mpifort, in $work.
compile() { (cd "$work" && "$bin/mpifort" "$@") >"$work/out" 2>&1 || fail "mpifort $*"; }
refused() { ! (cd "$work" && "$@") >"$work/out" 2>&1 || fail "accepted: $*"; }
run() { timeout "$limit" "$bin/mpirun" -n "$@" >"$work/out" 2>&1 || fail "run $*"; }
printed() { printf '%s\n' "$@" | cmp -s - "$work/out" || fail "printed is not: $*"; }

# -- the wrappers ----------------------------------------------------------------------------------
for name in mpifort mpif90 mpif77; do
    "$bin/$name" -show x.f90 >"$work/out"
    grep -qE -- '-I[^ ]* .*x.f90 .*(-lmpi_fortran -lmpi|libmpi_fortran.a.*libmpi_abi.a)' \
        "$work/out" || fail "$name -show"
done
[ "$("$bin/mpifort" --showme:libs)" = "mpi_fortran mpi" ] || fail "--showme:libs"
# shellcheck disable=SC2016
[ "$(MPILITE_FC=echo "$bin/mpifort" -c x.f90 | sed 's/.* -c/-c/')" = "-c x.f90" ] ||
    fail "MPILITE_FC"
compile --showme:compile
grep -q -- "-I" "$work/out" || fail "--showme:compile"

# -- default integers are of four bytes ------------------------------------------------------------
cat >"$work/eight.f90" <<'TEXT'
program eight
  include 'mpif.h'
  call MPI_INIT(ierr)
end program eight
TEXT
refused "$bin/mpifort" -fdefault-integer-8 eight.f90
grep -q 'default integers of 4 bytes' "$work/out" || fail "no reason"
# Without mpifort it is mpif.h that fails, at the line behind its comment, or an interface.
includes=$("$bin/mpifort" --showme:compile)
# shellcheck disable=SC2086 # flags
refused "${FC:-gfortran}" $includes -fdefault-integer-8 -c eight.f90
line=$(sed -n 's/.*mpif\.h:\([0-9]*\):.*/\1/p' "$work/out" | head -n 1)
sed -n "$((line - 3)),${line}p" lib/fortran/include/mpif.h >"$work/out"
grep -q 'no -fdefault-integer-8' "$work/out" || fail "mpif.h does not say why"
sed -i "s/program eight/&\\nuse mpi/; /include/d; s/end program.*/end/" "$work/eight.f90"
# shellcheck disable=SC2086
refused "${FC:-gfortran}" $includes -fdefault-integer-8 -c eight.f90

# -- MPI's names have one underscore at the end ----------------------------------------------------
for option in -fno-underscoring -fsecond-underscore -ff2c; do
    refused "$bin/mpifort" $option -c eight.f90
    grep -q -- "$option: MPI's names" "$work/out" || fail "$option: no reason"
done
[ "$(wc -l <"$work/out")" = 1 ] || fail "more than one line"
compile -ff2c -fno-second-underscore -o eight eight.f90

# -- what the library lacks ------------------------------------------------------------------------
# The linker says it; of an archive it does not, and a program that has the function hears nothing.
cat >"$work/files.f90" <<'TEXT'
program files
  include 'mpif.h'
  call MPI_FILE_OPEN(MPI_COMM_WORLD, 'x', MPI_MODE_RDONLY, MPI_INFO_NULL, ifile, ierr)
  call PMPI_COMM_SPAWN()
end program files
TEXT
cat >"$work/own.f90" <<'TEXT'
subroutine mpi_file_open
end
subroutine pmpi_comm_spawn
end
TEXT
if [ -f .libs/libmpi_fortran.so ]; then
    refused "$bin/mpifort" -o files files.f90
    grep -q 'no MPI-IO' "$work/out" || fail "the linker does not say what is missing"
    grep -q 'no processes later' "$work/out" || fail "the linker does not say what is missing"
    compile -c own.f90
    compile -o files own.o files.f90
    [ ! -s "$work/out" ] || fail "a program has what the library lacks"
fi

# -- forms of source -------------------------------------------------------------------------------
cat >"$work/fixed.f" <<'TEXT'
      PROGRAM FIXED
      INCLUDE 'mpif.h'
      INTEGER IERR, RANK
      CALL MPI_INIT(IERR)
      CALL MPI_COMM_RANK(MPI_COMM_WORLD, RANK, IERR)
      IF (RANK .EQ. 0) PRINT '(A,L2)', 'fixed',
     &    MPI_WTIME() .GT. 0
      CALL MPI_FINALIZE(IERR)
      END
TEXT
cat >"$work/free.f90" <<'TEXT'
program free
  include 'mpif.h'
  integer ierr, rank
  call MPI_INIT(ierr)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierr)
  if (rank == 0) print '(a,l2)', 'free', MPI_WTIME() > 0
  call MPI_FINALIZE(ierr)
end program free
TEXT
for options in fixed.f '-ffixed-line-length-72 fixed.f' '-ffixed-line-length-132 fixed.f' \
    '-ffixed-line-length-none fixed.f' '-std=legacy fixed.f' '-fdefault-real-8 fixed.f' \
    '-fdefault-real-8 -fdefault-double-8 fixed.f'; do
    # shellcheck disable=SC2086 # words
    compile -o fixed $options
    run 2 "$work/fixed"
    printed 'fixed T'
done
for options in free.f90 '-ffree-line-length-132 free.f90' '-std=f2018 free.f90'; do
    # shellcheck disable=SC2086
    compile -o free $options
    run 2 "$work/free"
    printed 'free T'
done

# -- standards of Fortran, and all warnings --------------------------------------------------------
# Not one of any module's procedures may be what a standard lacks: then no program compiles with it.
cat >"$work/f08.f90" <<'TEXT'
module callbacks
  use mpi_f08
  implicit none
contains
  subroutine copy(comm, keyval, extra, from, to, flag, ierror)
    type(MPI_Comm) :: comm
    integer :: keyval, ierror
    integer(kind=MPI_ADDRESS_KIND) :: extra, from, to
    logical :: flag
    to = from + extra
    flag = comm /= MPI_COMM_NULL .and. keyval /= MPI_KEYVAL_INVALID
    ierror = MPI_SUCCESS
  end subroutine copy
end module callbacks
program standard
  use callbacks
  implicit none
  type(MPI_Comm) :: comm
  type(MPI_Request) :: request
  type(MPI_Status) :: status
  integer :: rank, ierror, keyval, sent(6), got(6)
  integer(kind=MPI_ADDRESS_KIND) :: found
  logical :: flag, yes(2), no
  call MPI_Abi_set_fortran_booleans(4, .true., .false., ierror)
  yes = .false.
  no = .true.
  call MPI_Abi_get_fortran_booleans(4, yes(2), no, flag, ierror)
  if (.not. flag .or. yes(1) .or. .not. yes(2) .or. no .or. ierror /= 0) print *, 'logicals'
  call PMPI_Abi_get_fortran_booleans(8, yes(1), no, flag)
  if (flag .or. yes(1)) print *, 'logicals of 8 bytes'
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  sent = (/ 1, 2, 3, 4, 5, 6 /)
  got = 0
  call MPI_Irecv(got(2::2), 3, MPI_INTEGER, rank, 7, MPI_COMM_WORLD, request)
  call MPI_Send(sent(::2), 3, MPI_INTEGER, rank, 7, MPI_COMM_WORLD)
  call MPI_Wait(request, status)
  call MPI_Bcast(got, int(6, MPI_COUNT_KIND), MPI_INTEGER, 0, MPI_COMM_WORLD)
  if (status%MPI_TAG /= 7 .or. any(got /= (/ 0, 1, 0, 3, 0, 5 /))) print *, 'sections'
  call MPI_Comm_create_keyval(copy, MPI_COMM_NULL_DELETE_FN, keyval, 3_MPI_ADDRESS_KIND)
  call MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, 4_MPI_ADDRESS_KIND)
  call MPI_Comm_dup(MPI_COMM_WORLD, comm)
  call MPI_Comm_get_attr(comm, keyval, found, flag)
  if (.not. flag .or. found /= 7) print *, 'attributes'
  call MPI_Comm_free(comm)
  if (rank == 0) print '(a,l2)', 'standard', MPI_Wtime() > 0
  call MPI_Finalize()
end program standard
TEXT
cat >"$work/module.f90" <<'TEXT'
program standard
  use mpi
  implicit none
  integer :: ierror, status(MPI_STATUS_SIZE), sent(3), got(3)
  logical :: yes, no, flag
  call MPI_Init(ierror)
  sent = 1
  call MPI_Sendrecv(sent, 3, MPI_INTEGER, 0, 7, got, 3, MPI_INTEGER, 0, 7, MPI_COMM_SELF, status, &
      ierror)
  call MPI_Abi_get_fortran_booleans(4, yes, no, flag, ierror)
  if (flag .or. any(got /= 1) .or. status(MPI_TAG) /= 7) print *, 'wrong'
  call MPI_Finalize(ierror)
end program standard
TEXT
for std in f95 f2003 f2008 f2008ts f2018 gnu legacy; do
    compile -std=$std -Wall -Wextra -pedantic -Werror -c module.f90
    compile -std=$std -fsyntax-only fixed.f
    compile -std=$std -Wall -Wextra -pedantic -Werror -o standard f08.f90
    run 2 "$work/standard"
    printed 'standard T'
done

# -- Fortran and C in one program ------------------------------------------------------------------
cat >"$work/both.f90" <<'TEXT'
program both
  use mpi_f08
  implicit none
  interface
    subroutine in_c(comm, type, status) bind(C)
      integer :: comm, type, status(*)
    end subroutine in_c
  end interface
  integer :: rank, f(MPI_STATUS_SIZE), n = 0
  type(MPI_Datatype) :: type
  type(MPI_Comm) :: comm
  type(MPI_Status) :: status
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_dup(MPI_COMM_WORLD, comm)
  call MPI_Type_contiguous(3, MPI_INTEGER, type)
  call MPI_Sendrecv(rank, 1, MPI_INTEGER, rank, 3, n, 1, MPI_INTEGER, rank, 3, comm, status)
  call MPI_Status_f082f(status, f)
  call in_c(comm%MPI_VAL, type%MPI_VAL, f)
  call MPI_Finalize()
end program both
TEXT
cat >"$work/in_c.c" <<'TEXT'
#include <mpi.h>
#include <stdio.h>
void in_c(MPI_Fint *comm, MPI_Fint *type, MPI_Fint *f_status);
void in_c(MPI_Fint *comm, MPI_Fint *type, MPI_Fint *f_status)
{
    MPI_Comm c = MPI_Comm_f2c(*comm);
    MPI_Status status;
    MPI_F08_status f08;
    MPI_Fint again[MPI_F_STATUS_SIZE];
    int rank, size, n, same = 1;
    MPI_Comm_rank(c, &rank);
    MPI_Type_size(MPI_Type_f2c(*type), &size);
    MPI_Status_f2c(f_status, &status);
    MPI_Get_count(&status, MPI_INT, &n);
    MPI_Status_c2f08(&status, &f08);
    MPI_Status_f082f(&f08, again);
    for (int i = 0; i < MPI_F_STATUS_SIZE; i++)
        same = same && again[i] == f_status[i];
    if (rank == 0)
        printf("%d %d %d %d %d %d\n", MPI_Comm_c2f(c) == *comm, size, n, status.MPI_TAG, same,
               MPI_F_STATUS_IGNORE != 0);
}
TEXT
"$bin/mpicc" -c -o "$work/in_c.o" "$work/in_c.c" || fail "C"
compile -o both both.f90 in_c.o
run 2 "$work/both"
printed '1 12 1 3 1 1'

# C alone has them too, and loads nothing of Fortran.
cat >"$work/alone.c" <<'TEXT'
#include <mpi.h>
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int wrong = MPI_Comm_f2c(MPI_Comm_c2f(MPI_COMM_WORLD)) != MPI_COMM_WORLD;
    wrong |= PMPI_Type_c2f(MPI_INT) != 521 || MPI_F_STATUS_IGNORE != 0;
    MPI_Finalize();
    return wrong;
}
TEXT
"$bin/mpicc" -o "$work/alone" "$work/alone.c" || fail "C alone"
run 1 "$work/alone"
! ldd "$work/alone" | awk '{ print $1 }' | grep -i fortran || fail "C loads a library of Fortran"

# -- tools -----------------------------------------------------------------------------------------
# One that has its own MPI_Send in C sees what Fortran sends, but not by PMPI_SEND.
cat >"$work/tool.c" <<'TEXT'
#include <mpi.h>
#include <stdio.h>
static int sent;
int MPI_Send(const void *b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c)
{
    sent++;
    return PMPI_Send(b, n, t, to, tag, c);
}
int MPI_Finalize(void)
{
    printf("sent %d\n", sent);
    return PMPI_Finalize();
}
TEXT
cat >"$work/sends.f90" <<'TEXT'
subroutine old
  include 'mpif.h'
  call MPI_SEND(i, 1, MPI_INTEGER, MPI_PROC_NULL, 0, MPI_COMM_WORLD, ierr)
  call PMPI_SEND(i, 1, MPI_INTEGER, MPI_PROC_NULL, 0, MPI_COMM_WORLD, ierr)
end subroutine old
subroutine new
  use mpi_f08
  integer :: i(4)
  call MPI_Send(i, 1, MPI_INTEGER, MPI_PROC_NULL, 0, MPI_COMM_WORLD)
  call MPI_Send(i(::2), 1, MPI_INTEGER, MPI_PROC_NULL, 0, MPI_COMM_WORLD)
  call PMPI_Send(i, 1, MPI_INTEGER, MPI_PROC_NULL, 0, MPI_COMM_WORLD)
end subroutine new
program sends
  use mpi
  integer :: ierr
  call MPI_Init(ierr)
  call MPI_Send(ierr, 1, MPI_INTEGER, MPI_PROC_NULL, 0, MPI_COMM_WORLD, ierr)
  call old
  call new
  call MPI_Finalize(ierr)
end program sends
TEXT
"$bin/mpicc" -c -o "$work/tool.o" "$work/tool.c" || fail "tool"
compile -o sends sends.f90 tool.o
run 1 "$work/sends"
printed 'sent 4'
# One in Fortran takes over a name of Fortran, also of the static library.
cat >"$work/own.f90" <<'TEXT'
subroutine MPI_BARRIER(comm, ierr)
  integer :: comm, ierr
  print '(a)', 'at a barrier'
  call PMPI_BARRIER(comm, ierr)
end subroutine MPI_BARRIER
program own
  include 'mpif.h'
  call MPI_INIT(ierr)
  call MPI_BARRIER(MPI_COMM_WORLD, ierr)
  call MPI_FINALIZE(ierr)
end program own
TEXT
for static in '' -static-mpi; do
    [ -z "$static" ] || [ -f .libs/libmpi_fortran.a ] || continue
    # shellcheck disable=SC2086
    compile $static -o own own.f90
    run 1 "$work/own"
    printed 'at a barrier'
done

# -- CMake -----------------------------------------------------------------------------------------
command -v cmake >/dev/null || { echo "note: no cmake, FindMPI is not tried"; exit 0; }
mkdir "$work/cmake"
cp "$work/sends.f90" "$work/cmake/"
cat >"$work/cmake/CMakeLists.txt" <<'TEXT'
cmake_minimum_required(VERSION 3.10)
project(sends Fortran)
set(MPI_DETERMINE_Fortran_CAPABILITIES TRUE)
find_package(MPI REQUIRED COMPONENTS Fortran)
if(NOT MPI_Fortran_HAVE_F77_HEADER OR NOT MPI_Fortran_HAVE_F90_MODULE
   OR NOT MPI_Fortran_HAVE_F08_MODULE)
  message(FATAL_ERROR "a dialect is missing")
endif()
if(NOT MPI_Fortran_F08_MODULE_SUBARRAYS OR NOT MPI_Fortran_F08_MODULE_ASYNCPROT)
  message(FATAL_ERROR "subarrays or asynchronous")
endif()
add_executable(sends sends.f90)
target_link_libraries(sends MPI::MPI_Fortran)
set_target_properties(sends PROPERTIES COMPILE_FLAGS -fallow-argument-mismatch)
TEXT
(cd "$work/cmake" && PATH=$bin:$PATH FC=${FC:-gfortran} cmake . && cmake --build .) \
    >"$work/out" 2>&1 || { tail -n 40 "$work/out" >"$work/tail"; mv "$work/tail" "$work/out"
    fail "cmake"; }
run 1 "$work/cmake/sends"
