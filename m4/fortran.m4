# MPILITE_FORTRAN: whether there is a gfortran that can do what the interfaces need.  Sets FC,
# have_fortran (yes, or the reason why not), FORTRAN_CPPFLAGS (where ISO_Fortran_binding.h is),
# FORTRAN_REAL10 (whether it has REAL(10)) and FORTRAN_MISMATCH (what lets calls without an explicit
# interface differ in the types of their arguments, an error since gfortran 10).
AC_DEFUN([MPILITE_FORTRAN], [
  AC_ARG_ENABLE([fortran],
    [AS_HELP_STRING([--disable-fortran], [no Fortran interfaces, though there is gfortran])],
    [], [enable_fortran=auto])
  AC_ARG_VAR([FC], [Fortran compiler, of the GNU kind])
  AC_ARG_VAR([FCFLAGS], [its flags, default -O2 -g])
  : ${FCFLAGS="-O2 -g"}
  AS_IF([test "x$enable_fortran" = xno],
    [have_fortran="--disable-fortran"; FC=],
    [AC_CHECK_PROGS([FC], [gfortran])
     have_fortran="gfortran is missing (Debian: apt-get install gfortran)"
     AS_IF([test -n "$FC"], [MPILITE_FORTRAN_WORKS])])
  AS_IF([test "x$enable_fortran" = xyes && test "$have_fortran" != yes],
    [AC_MSG_ERROR([--enable-fortran: $have_fortran])])
  AM_CONDITIONAL([FORTRAN], [test "$have_fortran" = yes])
  AC_SUBST([have_fortran])
  AC_SUBST([FORTRAN_CPPFLAGS])
  AC_SUBST([FORTRAN_REAL10])
  AC_SUBST([FORTRAN_MISMATCH])
])

# MPILITE_FORTRAN_COMPILES(TEXT, THEN, ELSE): a file in free form.
AC_DEFUN([MPILITE_FORTRAN_COMPILES], [
  AS_ECHO(["$1"]) >conftest.f90
  AS_IF([$FC $FCFLAGS -c conftest.f90 >&AS_MESSAGE_LOG_FD 2>&1], [$2], [$3])
  rm -f conftest.f90 conftest.o
])

# The header is the Fortran compiler's, which the C compiler may be no part of.
AC_DEFUN([MPILITE_FORTRAN_WORKS], [
  AC_MSG_CHECKING([whether $FC has descriptors of arrays (TS 29113)])
  have_fortran="$FC lacks what the module mpi_f08 needs (gfortran 9 or later has it)"
  mpilite_header=`$FC -print-file-name=include/ISO_Fortran_binding.h 2>/dev/null`
  AS_IF([test -f "$mpilite_header"],
    [FORTRAN_CPPFLAGS="-idirafter `dirname "$mpilite_header"`"
     MPILITE_FORTRAN_COMPILES([subroutine s(a)
interface
subroutine f(b, name) bind(C)
type(*), dimension(..), intent(in), asynchronous :: b
character(len=*), intent(in) :: name
end subroutine
end interface
real :: a(:)
call f(a, 'name')
end subroutine], [have_fortran=yes])])
  AC_MSG_RESULT([$have_fortran])
  MPILITE_FORTRAN_COMPILES([real(kind=10) :: x
x = 1
end], [FORTRAN_REAL10=10], [FORTRAN_REAL10=])
  mpilite_saved=$FCFLAGS FORTRAN_MISMATCH=-fallow-argument-mismatch
  FCFLAGS="$FCFLAGS $FORTRAN_MISMATCH"
  MPILITE_FORTRAN_COMPILES([end], [], [FORTRAN_MISMATCH=])
  FCFLAGS=$mpilite_saved
])
