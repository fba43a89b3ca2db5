#!/bin/sh
# A project's configure finds mpicc: with AX_MPI of the autoconf archive where that is installed,
# and else by what it does; and automake with libtool takes mpicc as its compiler.
# shellcheck disable=SC1091,SC2016,SC2154 # built-by.inc; text of configure.ac
. "${srcdir:-.}/tests/built-by.inc"
skip_without autoreconf autoconf
skip_without automake automake
install_here
write_sources

archive=$(echo "$(aclocal --print-ac-dir):${ACLOCAL_PATH:-}" | tr : '\n' | while read -r folder; do
    [ -f "$folder/ax_mpi.m4" ] && echo yes; done)
if [ "$archive" ]; then
    find_mpi='AX_MPI([], [AC_MSG_ERROR([no MPI])])
AC_SUBST([CC], [$MPICC])'
else
    echo "without AX_MPI, which is not installed (Debian: apt-get install autoconf-archive)"
    find_mpi='AC_CHECK_PROGS([MPICC], [mpicc hcc mpxlc_r mpxlc mpcc cmpicc], [$CC])
CC=$MPICC
AC_CHECK_FUNC([MPI_Init], [], [AC_MSG_ERROR([no MPI])])
AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>]])], [], [AC_MSG_ERROR([no mpi.h])])'
fi
cat >"$work/project/configure.ac" <<TEXT
AC_INIT([sum], [1])
AM_INIT_AUTOMAKE([foreign])
AC_PROG_CC
$find_mpi
AC_CONFIG_FILES([Makefile])
AC_CONFIG_HEADERS([config.h])
AC_OUTPUT
TEXT
printf 'bin_PROGRAMS = sum\nsum_SOURCES = sum.c\n' >"$work/project/Makefile.am"
cd "$work/project" || exit 1
quietly autoreconf -fi
mkdir ../made && cd ../made || exit 1
quietly ../project/configure
quietly "$MAKE"
expect_sum "$work/made/sum"
mkdir ../named && cd ../named || exit 1
quietly ../project/configure CC=mpicc
quietly "$MAKE"
expect_sum "$work/named/sum"
