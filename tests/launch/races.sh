#!/bin/sh
# ThreadSanitizer in a program only, as the guide has it: it reports races of the program, and none
# in the library, which was built without.
# shellcheck disable=SC1091,SC2016,SC2154 # lib.sh is sourced; the guide's backquotes
. "${srcdir:-.}/tests/launch/lib.sh"

options=$(sed -n 's/.*`export \(TSAN_OPTIONS=[^`]*\)`.*/\1/p' "${srcdir:-.}/doc/guide.md")
[ "$options" ] || fail 'the guide has no TSAN_OPTIONS'

cat >"$work/race.c" <<'TEXT'
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>

enum { THREADS = 3, MESSAGES = 100 };
static int shared, races;

/* Messages that come before their receives are kept in memory which threads hand to each other. */
static void *talk(void *tag)
{
    int out[4] = { 0 }, in[4];
    for (int i = 0; i < MESSAGES; i++)
        MPI_Send(out, 4, MPI_INT, 0, *(int *)tag, MPI_COMM_WORLD);
    for (int i = 0; i < MESSAGES; i++)
        MPI_Recv(in, 4, MPI_INT, 0, *(int *)tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (races)
        shared++;
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread[THREADS];
    int tag[THREADS], level;
    races = argc > 1;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    for (int i = 0; i < THREADS; i++) {
        tag[i] = i;
        pthread_create(&thread[i], NULL, talk, &tag[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    MPI_Finalize();
    return 0;
}
TEXT
"$PWD/bin/mpicc" -g -fsanitize=thread -o "$work/race" "$work/race.c" 2>"$work/err" || exit 77
"$work/race" >"$work/out" 2>&1
grep 'FATAL: ThreadSanitizer' "$work/out" && exit 77   # it does not start on this machine

env "$options" "$mpirun" -n 1 "$work/race" >"$work/out" 2>"$work/err" ||
    fail "a program without races: exit code $?"
silent
env "$options" "$mpirun" -n 1 "$work/race" races >"$work/out" 2>"$work/err" &&
    fail 'a race is not found'
told '^SUMMARY: ThreadSanitizer: data race .*race\.c:'
exit 0
