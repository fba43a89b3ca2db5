#!/bin/sh
# places.sh: what messages call the place of a call is in the program, not in Fortran's interface.
# Skipped without Fortran or its shared library, and without addr2line.
set -u
if [ "${FORTRAN:=yes}" != yes ]; then
    echo "skipped: no Fortran interfaces: $FORTRAN"
    exit 77
fi
[ -e .libs/libmpi_fortran.so ] || { echo 'skipped: no shared library was built'; exit 77; }
command -v addr2line >/dev/null || { echo "skipped: no addr2line"; exit 77; }
bin=$PWD/bin
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
limit=$((100 * ${TEST_TIMEOUT_SCALE:-1}))

fail() { echo "places: $*"; cat "$work/out"; exit 1; }
run() { timeout "$limit" "$bin/mpirun" -n 2 "$@" >"$work/out" 2>&1; }
told() { grep -qF -- "$1" "$work/out" || fail "not told: $1"; }

# program DIALECT HANDLE: lines 4 and 5 make communicators, nobody sends what line 6 waits for.
program() {
    cat >"$work/places.f90" <<TEXT
$1
$2 :: c, d; integer :: rank, x, ierr; character :: last; call MPI_Init(ierr)
call get_command_argument(1, last)
call MPI_Comm_dup(MPI_COMM_WORLD, c, ierr); call MPI_Comm_rank(c, rank, ierr)
call MPI_Comm_split(c, 0, rank, d, ierr)
if (last == 'w' .and. rank == 0) call MPI_Recv(x, 1, MPI_INTEGER, 1, 5, d, MPI_STATUS_IGNORE, ierr)
call MPI_Finalize(ierr)
end
TEXT
    (cd "$work" && "$bin/mpifort" -g -o places places.f90) >"$work/out" 2>&1 || fail "$1"
}

try() {
    program "$@"
    run "$work/places" w
    told "made at places.f90:5 (places"
    run --check "$work/places" w
    told "made at places.f90:5 (places"
    run --check "$work/places" -
    told "a communicator of MPI_Comm_dup, made at places.f90:4"
    told "a communicator of MPI_Comm_split, made at places.f90:5"
}

try "include 'mpif.h'" integer
try "use mpi" integer
try "use mpi_f08" "type(MPI_Comm)"
