/* What the benchmarks of the papers share: options, numbers given as lists, a pair of ranks that
 * get ready together, and data that are checked. */
#ifndef BENCH_H
#define BENCH_H

#include <mpi.h>
#include <stdio.h>

/* Numbers in order; .n is 0 before it is read. */
struct list { long *values; int n; };

/* Reads "7", "0,8,64" or "FIRST:LAST:STEP", and such things after each other, "0:8:1,16:64:16".
 * Each value is from least to most. Replaces what the list held.  Returns 0, or -1 if it is no such
 * list. */
int list_read(struct list *list, const char *text, long least, long most);
void list_free(struct list *list);
/* One number.  0 or -1. */
int number_read(long *number, const char *text, long least, long most);

/* Bounds for sizes and for counts of rounds. */
#define BENCH_MOST (1L << 30)

/* An option: its value goes to the one of these three that is set; a flag takes none. */
struct choice {
    char letter;
    const char *name;
    struct list *list;
    long *number;
    int *flag;
    long least, most;
    const char *usual;                  /* what a list holds if it is not given */
};

/* Reads all options, of which a table ends with { 0 }; --help prints the usage and what all
 * benchmarks have in common behind it. -1: go on; else the exit code.  bench_options_free releases
 * the lists in either case. */
int bench_options(int argc, char **argv, const struct choice *choices, const char *usage);
void bench_options_free(const struct choice *choices);

/* The pair: rank 0 leads, rank 1 follows; both call all of these. */
extern int bench_rank, bench_peer;
/* MPI_Init; the program needs two ranks and ends otherwise. */
void bench_start(int *argc, char ***argv, const char *name);
/* MPI_Finalize.  The exit code: 1 if any data were wrong on this rank. */
int bench_end(void);

/* Getting ready, so that nothing but the measured messages is under way: both ranks post their
 * part, call bench_ready_post before anything else that they post, and bench_ready_wait after all
 * of it.  When rank 0 returns from it, both NICs have dealt with everything posted before. */
void bench_ready_post(void);
void bench_ready_wait(void);

/* A buffer of at least `bytes`, from malloc or from MPI_Alloc_mem;
 * ends the job if there is no memory. */
void *bench_buffer(long bytes, int alloc_mem);
void bench_buffer_free(void *buffer, int alloc_mem);

/* Payload that depends on a seed, and its check, which counts what is wrong. */
void bench_fill(unsigned char *buffer, long bytes, unsigned seed);
void bench_check(const unsigned char *buffer, long bytes, unsigned seed);

#endif
