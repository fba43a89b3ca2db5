/* Writes lines that show if they were torn, and checks them: "rank sequence length text".
 *   chatter write LINES         to standard output, in pieces of many sizes
 *   chatter both LINES          odd lines to standard error
 *   chatter long BYTES FILE     one line; FILE is made if a second passes without a part of it
 *   chatter check RANKS LINES   reads standard input: the lines of each rank are all there, and
 *   whole */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LONGEST = 9000 };

/* A small generator of its own, so that every rank and machine does the same. */
static unsigned next(unsigned *state)
{
    *state = *state * 1664525 + 1013904223;
    return *state >> 16;
}

/* Mostly short lines, a few that do not fit into what a pipe takes at once. */
static unsigned length_of(unsigned rank, unsigned line)
{
    unsigned state = rank * 7919 + line, kind = next(&state) % 50;

    return next(&state) % (kind ? 90 : LONGEST);
}

static size_t make_line(char *text, unsigned rank, unsigned line)
{
    unsigned length = length_of(rank, line);
    int head = sprintf(text, "%u %u %u ", rank, line, length);

    memset(text + head, 'a' + (int)((rank + line) % 26), length);
    text[(unsigned)head + length] = '\n';
    return (size_t)head + length + 1;
}

static void write_pieces(int fd, const char *data, size_t size, unsigned *state)
{
    while (size) {
        size_t piece = next(state) % 3 ? size : 1 + next(state) % size;
        ssize_t n = write(fd, data, piece);
        if (n <= 0)
            exit(1);
        data += n;
        size -= (size_t)n;
    }
}

static int write_lines(unsigned lines, int both)
{
    const char *rank = getenv("NICEMU_RANK");
    unsigned id = rank ? (unsigned)atoi(rank) : 0, state = id;
    char text[LONGEST + 64];

    for (unsigned line = 0; line < lines; line++)
        write_pieces(both && line % 2 ? STDERR_FILENO : STDOUT_FILENO, text,
                     make_line(text, id, line), &state);
    return 0;
}

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int write_long(size_t bytes, const char *file)
{
    enum { PIECE = 4096 };
    const char *rank = getenv("NICEMU_RANK");
    char *line = malloc(bytes + 1), *at = line;
    double before = seconds();

    memset(line, rank ? *rank : '0', bytes);
    line[bytes++] = '\n';
    while (bytes) {
        ssize_t n = write(STDOUT_FILENO, at, bytes < PIECE ? bytes : PIECE);
        double now = seconds();
        if (n <= 0 || (now - before > 1 && !fopen(file, "w")))
            return 1;
        at += n;
        bytes -= (size_t)n;
        before = now;
    }
    free(line);
    return 0;
}

/* Counts suffice: no two lines of a rank are alike. */
static int check_lines(unsigned ranks, unsigned lines)
{
    unsigned *count = calloc(ranks, sizeof *count), rank, line;
    char *text = NULL, expected[LONGEST + 64];
    size_t room = 0;
    ssize_t n;

    while ((n = getline(&text, &room, stdin)) > 0) {
        if (sscanf(text, "%u %u ", &rank, &line) != 2 || rank >= ranks || line >= lines ||
            make_line(expected, rank, line) != (size_t)n
                || memcmp(text, expected, (size_t)n) != 0) {
            fprintf(stderr, "torn line: %.200s\n", text);
            return 1;
        }
        count[rank]++;
    }
    for (rank = 0; rank < ranks; rank++)
        if (count[rank] != lines) {
            fprintf(stderr, "rank %u: %u lines of %u\n", rank, count[rank], lines);
            return 1;
        }
    free(text);
    free(count);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 4 && !strcmp(argv[1], "long"))
        return write_long((size_t)atol(argv[2]), argv[3]);
    if (argc == 3 && strcmp(argv[1], "check") != 0)
        return write_lines((unsigned)atoi(argv[2]), strcmp(argv[1], "both") == 0);
    return argc == 4 ? check_lines((unsigned)atoi(argv[2]), (unsigned)atoi(argv[3])) : 2;
}
