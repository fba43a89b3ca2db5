#!/bin/sh
# mpirun --check says nothing of loops around MPI_Test that end by themselves, however long they
# take, and whatever ends them.
# shellcheck disable=SC1091,SC2154 # lib.sh is sourced
[ "${SANITIZED:-}" ] && { echo 'a sanitizer wants to be loaded first'; exit 77; }
. "${srcdir:-.}/tests/launch/lib.sh"
[ -e "$PWD/.libs/libmpilite_check.so" ] || { echo 'no shared library was built'; exit 77; }

# Most of the time they take is time to wait; but what counts its looks takes as much longer as the
# machine has become busier since its last loop.
kinds='counts counts_global counts_heap counts_window counts_rounds clocks counter thread handler
    file shared'
for kind in $kinds; do
    {
        timeout -k 5 1700 "$mpirun" --check -n 2 "$PWD/tests/wrong/patient.t" "$kind" \
            >"$work/$kind" 2>&1 </dev/null
        echo "exit code $?" >>"$work/$kind"
    } &
done
wait
for kind in $kinds; do
    [ "$(cat "$work/$kind")" = 'exit code 0' ] || fail "$kind: $(cat "$work/$kind")"
done
exit 0
