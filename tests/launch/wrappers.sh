#!/bin/sh
# mpicc and its kin: arguments arrive unchanged, flags are added where they belong, -show and its
# like.
# shellcheck disable=SC1091,SC2015,SC2016,SC2094,SC2154,SC2317,SC3045 # lib.sh; scripts for ranks
. "${srcdir:-.}/tests/launch/lib.sh"

mpicc=$PWD/bin/mpicc
printf '#!/bin/sh\nprintf "<%%s>" "$@"\n' >"$work/cc"
chmod +x "$work/cc"
MPILITE_CC=$work/cc MPILITE_CXX=$work/cc
export MPILITE_CC MPILITE_CXX
unset MPICH_CC MPICH_CXX MPICH_FC OMPI_CC OMPI_CXX OMPI_FC
unset OMPI_CPPFLAGS OMPI_CFLAGS OMPI_CXXFLAGS OMPI_FCFLAGS OMPI_LDFLAGS OMPI_LIBS

# matches PATTERN ARGUMENT...: what mpicc with these arguments prints.
matches() {
    pattern=$1
    shift
    got=$("$mpicc" "$@" 2>&1) || fail "mpicc $*: exit code $?"
    printf '%s' "$got" | grep -qE -- "$pattern" || fail "mpicc $*: '$got' does not match $pattern"
}

include='<-I[^>]*/include>'
link='(<-L[^>]*><-Wl,-rpath,[^>]*><-lmpi>|<[^>]*/libmpi_abi\.a><-lpthread><-lm>)'
matches "^$include<a.c>$link\$" a.c
matches "^$include<-o><a b><it's.c><-DX=\"q\"><\\*>$link\$" -o 'a b' "it's.c" '-DX="q"' '*'
matches "^$include<><-O2><a.o>$link\$" '' -O2 a.o
for option in -c -S -E -M -MM -fsyntax-only; do
    matches "^$include<$option><a.c>\$" $option a.c
done
matches "^$include<-MMD><a.c>$link\$" -MMD a.c
for option in -v -dumpmachine; do
    matches "^$include<$option>\$" $option
done
matches "<a.c>.*<-lpthread><-lm>\$" -static a.c
# The loader that is inside of such a program takes no folders of libraries.
matches "<a.c>.*<-lpthread><-lm>\$" -static-pie a.c
"$mpicc" -static-pie a.c | grep -q rpath && fail 'a folder for the loader of -static-pie'
matches "^$include<--version>libmpi-lite [0-9.]+\$" --version
matches "^$include<--version><a.c>$link\$" --version a.c

# Another compiler, in each spelling; it may be several words.
printf '#!/bin/sh\nprintf "other<%%s>" "$@"\n' >"$work/other"
chmod +x "$work/other"
for option in -cc= --cc= -cxx= --cxx= -fc= --fc= -f77= -f90= '--cc ' '--cxx ' '--fc '; do
    # shellcheck disable=SC2086 # two words
    matches "^other$include" $option"$work/other" a.c
done
matches "^other<-m99>other$include" "-cc=$work/other -m99" a.c
matches "^$work/other -I[^ ]*/include a.c" -show "-cc=$work/other" a.c
matches "^$work/cc\$" --cc

# Shown, not done; read back by a shell it is the same.
matches "^$work/cc -I[^ ]*/include a.c .*mpi" -show a.c
matches "^$work/cc -I[^ ]*/include .*mpi" -show
matches "^$work/cc -I[^ ]*/include -c a.c\$" --showme -c a.c
[ "$(eval "$("$mpicc" -show "it's" 'a  b' '$x' '')")" = "$("$mpicc" "it's" 'a  b' '$x' '')" ] ||
    fail "-show is not quoted"
matches "^$work/cc -I[^ ]*/include -O\$" -compile-info -O
matches "^$work/cc -O .*mpi" -link-info -O
matches '^-I[^ ]*/include$' --showme:compile
matches '^(-L|/).*mpi' -showme:link
matches "^$work/cc\$" --showme:command
matches '/include$' --showme:incdirs
matches '^mpi$' --showme:libs
matches 'libmpi-lite [0-9]' --showme:version
matches '^usage: mpicc ' -showme:help
matches "^$work/cc -I[^ ]*/include -O\$" -compile_info -O
matches "^$work/cc -O .*mpi" -link_info -O
"$mpicc" --showme:nonsense 2>/dev/null && fail "--showme:nonsense is accepted"
matches '^usage: mpicc ' -help
# Configure scripts look for the compiler's name in its own help.
matches '^<--help>$' --help
matches '^usage: mpicc ' --help

# The same for C++ and Fortran, each with its own compiler and libraries.
for name in mpicxx mpifort; do
    [ -x "bin/$name" ] || continue
    mpicc=$PWD/bin/$name
    MPILITE_FC=$work/cc
    export MPILITE_FC
    matches "^$work/cc -I[^ ]*/include .*a.x .*-lmpi\$|^$work/cc .*libmpi_abi.a" -show a.x
    matches "^$name: libmpi-lite [0-9]" -showme:version
    matches "^$work/cc\$" -showme:command
    matches "^other<-I" -cxx="$work/other" a.x
    matches "^other<-I" -fc="$work/other" a.x
    matches '^<-I.*<--version>libmpi-lite [0-9.]+$' --version
    case $name in
    mpicxx) matches '^mpi$' -showme:libs ;;
    *) matches '^mpi_fortran mpi$' -showme:libs ;;
    esac
done
mpicc=$PWD/bin/mpicc

# Its exit code is that of the compiler; a compiler of several words.
MPILITE_CC=false "$mpicc" a.c && fail "the compiler's failure is lost"
MPILITE_CC="$work/cc -m99 -x" matches "^<-m99><-x>$include<a.c>" a.c
bin/mpicxx a.cc >"$work/out" || fail "mpicxx does not run"
[ "$(bin/mpic++ a.cc)" = "$(cat "$work/out")" ] || fail "mpicxx and mpic++ differ"
[ "$(bin/mpiCC a.cc)" = "$(cat "$work/out")" ] || fail "mpicxx and mpiCC differ"

# Of who comes from another MPI: ours goes before MPICH's, and that before Open MPI's; words are
# added behind ours, that is also behind our folders.
OMPI_CC=$work/cc matches "^other" "-cc=$work/other" a.c
MPICH_CC=false OMPI_CC=false matches "^$include<a.c>" a.c
(
    unset MPILITE_CC
    MPICH_CC="$work/other -m1" OMPI_CC=false matches "^other<-m1>other$include" a.c
    OMPI_CC="$work/other" matches "^other$include" a.c
    MPICH_CC='' OMPI_CC="$work/other" matches "^$work/other\$" --cc
) || exit 1
OMPI_CPPFLAGS='-I/x -DA' OMPI_CFLAGS=-O1 OMPI_CXXFLAGS=-O2 OMPI_LDFLAGS=-L/x OMPI_LIBS='-lx -ly'
export OMPI_CPPFLAGS OMPI_CFLAGS OMPI_CXXFLAGS OMPI_LDFLAGS OMPI_LIBS
matches "^$include<-I/x><-DA><-O1><-c><a.c>\$" -c a.c
matches "^$include<-I/x><-DA><-O1><a.c>(<-L[^>]*>.*<-L/x><-lmpi>|.*<-L/x>)<-lx><-ly>\$" a.c
mpicc=$PWD/bin/mpicxx
matches "^$include<-I/x><-DA><-O2><-c><a.cc>\$" -c a.cc
mpicc=$PWD/bin/mpicc
unset OMPI_CPPFLAGS OMPI_CFLAGS OMPI_CXXFLAGS OMPI_LDFLAGS OMPI_LIBS

# The real thing.
unset MPILITE_CC MPILITE_CXX MPILITE_FC
cat >"$work/hello.c" <<'TEXT'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    printf("hello %d\n", rank);
    return MPI_Finalize();
}
TEXT
mkdir "$work/a b"
"$mpicc" -o "$work/a b/hello" "$work/hello.c" >"$work/err" 2>&1 || fail "cannot compile"
run 0 -n 2 "$work/a b/hello"
printed 'hello 0' 'hello 1'
"$mpicc" -c -o "$work/hello.o" "$work/hello.c" && "$mpicc" -o "$work/hello" "$work/hello.o" ||
    fail "cannot compile in two steps"
run 0 -n 2 "$work/hello"
printed 'hello 0' 'hello 1'
if [ -f .libs/libmpi_abi.a ]; then
    "$mpicc" -static-mpi -o "$work/hello" "$work/hello.o" || fail "cannot link the static library"
    run 0 -n 2 "$work/hello"
    printed 'hello 0' 'hello 1'
fi
echo 'int main(void) { return 0; }' >"$work/empty.c"
if [ -f .libs/libmpi_abi.a ] && [ -z "${SANITIZED:-}" ] &&
    ${CC:-cc} -static-pie -o "$work/hello" "$work/empty.c" 2>"$work/err" && "$work/hello"; then
    "$mpicc" -static-pie -o "$work/hello" "$work/hello.c" 2>"$work/err" ||
        fail "cannot link a static program that lies anywhere"
    run 0 -n 2 "$work/hello"
    printed 'hello 0' 'hello 1'
fi
if command -v c++ >/dev/null; then
    cp "$work/hello.c" "$work/hello.cc"
    bin/mpicxx -o "$work/hello++" "$work/hello.cc" || fail "cannot compile C++"
    run 0 -n 2 "$work/hello++"
    printed 'hello 0' 'hello 1'
fi
# A compiler that is not there.
got=$("$mpicc" -cc=no-such-cc -c x.c 2>&1)
[ "$got" = 'mpicc: there is no compiler no-such-cc' ] || fail "a compiler that is not there: $got"
# Nor a wrapper, which would call itself again and again.
got=$(PATH=$PWD/bin:$PATH MPICH_CC=mpicxx timeout 900 bin/mpicc -c x.c 2>&1)
[ "$got" = "mpicc: the compiler $PWD/bin/mpicxx is one of these wrappers, not a compiler" ] ||
    fail "a wrapper for a compiler: $got"
# An installation that was moved, by a name that cd would look for elsewhere first.
mkdir -p "$work/moved/bin" "$work/moved/include" "$work/moved/lib" "$work/elsewhere/bin"
: >"$work/moved/include/mpi.h"
: >"$work/moved/lib/libmpi_abi.so"
sed "1,11{s|^prefix=.*|prefix=/none|;s|^bindir=.*|bindir=/none/bin|
    s|^includedir=.*|includedir=/none/include|;s|^libdir=.*|libdir=/none/lib|;}" "$mpicc" \
    >"$work/moved/bin/mpicc"
chmod +x "$work/moved/bin/mpicc"
got=$(cd "$work/moved" && CDPATH=$work/elsewhere bin/mpicc -c -show a.c)
[ "${got#* }" = "-I$work/moved/include -c a.c" ] || fail "a moved mpicc: $got"
exit 0
