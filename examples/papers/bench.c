#include "bench.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

enum { TAG_READY = 30000, CHOICES_MOST = 16 };

int bench_rank, bench_peer;
static long wrong;                      /* bytes that were not what was sent */
static MPI_Request ready;

/* -- lists */

static void out_of_memory(void)
{
    fprintf(stderr, "no memory\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
    exit(1);
}

/* A number within bounds; *text goes past it. */
static int read_bounded(const char **text, long least, long most, long *value)
{
    char *end;

    if (**text < '0' || **text > '9')
        return -1;
    *value = strtol(*text, &end, 10);
    *text = end;
    return *value >= least && *value <= most ? 0 : -1;
}

static int append(struct list *list, long value)
{
    long *grown = realloc(list->values, (size_t)(list->n + 1) * sizeof *grown);

    if (!grown)
        return -1;
    list->values = grown;
    list->values[list->n++] = value;
    return 0;
}

/* "7" or "0:8:2" */
static int read_part(struct list *list, const char **text, long least, long most)
{
    long first, last, step = 1;

    if (read_bounded(text, least, most, &first))
        return -1;
    last = first;
    if (**text == ':') {
        ++*text;
        if (read_bounded(text, least, most, &last) || **text != ':')
            return -1;
        ++*text;
        if (read_bounded(text, 1, most, &step))
            return -1;
    }
    for (; first <= last; first += step)
        if (append(list, first))
            return -1;
    return 0;
}

int list_read(struct list *list, const char *text, long least, long most)
{
    list_free(list);
    do {
        if (read_part(list, &text, least, most))
            return -1;
    } while (*text++ == ',');
    return text[-1] || list->n == 0 ? -1 : 0;
}

void list_free(struct list *list)
{
    free(list->values);
    list->values = NULL;
    list->n = 0;
}

int number_read(long *number, const char *text, long least, long most)
{
    return read_bounded(&text, least, most, number) || *text ? -1 : 0;
}

/* -- options */

static void print_usage(FILE *out, const char *usage)
{
    fprintf(out,
            "%s\n"
            "A LIST is 7, or 0,8,64, or FIRST:LAST:STEP, or such things after each other with "
                "commas.\n"
            "Output: tab-separated values, one line per point.\n", usage);
}

/* The table as getopt wants it. */
static void describe(const struct choice *choices, struct option *names, char *letters)
{
    int n = 0;

    for (; choices[n].letter && n < CHOICES_MOST - 2; n++) {
        names[n] = (struct option){ choices[n].name,
                                    choices[n].flag ? no_argument : required_argument, NULL,
                                        choices[n].letter };
        *letters++ = choices[n].letter;
        if (!choices[n].flag)
            *letters++ = ':';
    }
    names[n] = (struct option){ "help", no_argument, NULL, 'h' };
    *letters = 'h';
}

static int choose(const struct choice *choices, int letter, const char *text)
{
    while (choices->letter && choices->letter != letter)
        choices++;
    if (choices->list)
        return list_read(choices->list, text, choices->least, choices->most);
    if (choices->number)
        return number_read(choices->number, text, choices->least, choices->most);
    if (!choices->flag)
        return -1;
    *choices->flag = 1;
    return 0;
}

int bench_options(int argc, char **argv, const struct choice *choices, const char *usage)
{
    struct option names[CHOICES_MOST] = { { 0 } };
    char letters[2 * CHOICES_MOST] = "";
    int letter, bad = 0;

    describe(choices, names, letters);
    for (const struct choice *c = choices; c->letter; c++)
        if (c->list)
            list_read(c->list, c->usual, c->least, c->most);
    while (!bad && (letter = getopt_long(argc, argv, letters, names, NULL)) != -1) {
        if (letter == 'h') {
            print_usage(stdout, usage);
            return 0;
        }
        bad = choose(choices, letter, optarg);
    }
    if (!bad && optind == argc)
        return -1;
    print_usage(stderr, usage);
    return 2;
}

void bench_options_free(const struct choice *choices)
{
    for (; choices->letter; choices++)
        if (choices->list)
            list_free(choices->list);
}

/* -- the pair */

void bench_start(int *argc, char ***argv, const char *name)
{
    int size;

    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &bench_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    bench_peer = 1 - bench_rank;
    if (size == 2)
        return;
    if (bench_rank == 0)
        fprintf(stderr, "%s: needs two ranks, not %d\n", name, size);
    MPI_Finalize();
    exit(2);
}

int bench_end(void)
{
    if (wrong)
        fprintf(stderr, "rank %d: %ld bytes were wrong\n", bench_rank, wrong);
    MPI_Finalize();
    return wrong != 0;
}

void bench_ready_post(void)
{
    MPI_Irecv(NULL, 0, MPI_BYTE, bench_peer, TAG_READY, MPI_COMM_WORLD, &ready);
}

/* Rank 0 asks behind its own posts, so by the time of the answer they have been dealt with; rank 1
 * answers behind its own. */
void bench_ready_wait(void)
{
    if (bench_rank == 0)
        MPI_Send(NULL, 0, MPI_BYTE, bench_peer, TAG_READY, MPI_COMM_WORLD);
    MPI_Wait(&ready, MPI_STATUS_IGNORE);
    if (bench_rank == 1)
        MPI_Send(NULL, 0, MPI_BYTE, bench_peer, TAG_READY, MPI_COMM_WORLD);
}

/* -- data */

void *bench_buffer(long bytes, int alloc_mem)
{
    void *buffer = NULL;

    if (alloc_mem)
        MPI_Alloc_mem(bytes ? bytes : 1, MPI_INFO_NULL, &buffer);
    else
        buffer = calloc(1, bytes ? (size_t)bytes : 1);
    if (!buffer)
        out_of_memory();
    return buffer;
}

void bench_buffer_free(void *buffer, int alloc_mem)
{
    if (alloc_mem)
        MPI_Free_mem(buffer);
    else
        free(buffer);
}

static unsigned char byte_at(long i, unsigned seed)
{
    return (unsigned char)(i * 7 + i / 251 + seed * 13 + 5);
}

void bench_fill(unsigned char *buffer, long bytes, unsigned seed)
{
    for (long i = 0; i < bytes; i++)
        buffer[i] = byte_at(i, seed);
}

void bench_check(const unsigned char *buffer, long bytes, unsigned seed)
{
    for (long i = 0; i < bytes; i++)
        wrong += buffer[i] != byte_at(i, seed);
}
