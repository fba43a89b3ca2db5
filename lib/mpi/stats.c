/* The ranks agree on whether somebody wants figures in place of the last barrier, so that it
 * costs nothing where nobody does.  If so, rank 0 gathers what each rank has read before that,
 * and writes it all at once, while the others still wait. */
#define _GNU_SOURCE
#include "mpi/stats.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nicemu/stats.h"

/* What is wanted, as bits, so that all ranks' wishes together are the greatest one; and that a rank
 * is at its end. */
enum { STATS_OFF = 0, STATS_TABLE = 1, STATS_RANKS = 3, LAST = 4 };

enum { RANKS_IN_A_ROW = 8, FIGURES_MAX = 512 };

static const char *wish(void)
{
    const char *env = getenv("MPILITE_STATS");
    return env ? env : "";
}

static int wanted(const char *env)
{
    if (!*env || !strcmp(env, "0") || !strcmp(env, "off"))
        return STATS_OFF;
    return strcmp(env, "1") ? STATS_RANKS : STATS_TABLE;
}

/* NULL: standard error. */
static const char *wanted_file(const char *env)
{
    return wanted(env) == STATS_RANKS && strcmp(env, "all") ? env : NULL;
}

/* -- over the ranks: figure i of rank r is value[r * count + i] */

struct figures { const uint64_t *value; unsigned count; int ranks; };

struct summary { uint64_t sum, least, most; int least_rank, most_rank; };

static uint64_t figure(const struct figures *f, unsigned i, int rank)
{
    return f->value[(size_t)rank * f->count + i];
}

static struct summary summarise(const struct figures *f, unsigned i)
{
    struct summary s = { .least = UINT64_MAX };
    for (int r = 0; r < f->ranks; r++) {
        uint64_t v = figure(f, i, r);
        s.sum += v;
        if (v < s.least) {
            s.least = v;
            s.least_rank = r;
        }
        if (v > s.most) {
            s.most = v;
            s.most_rank = r;
        }
    }
    return s;
}

/* -- the ways to show them */

static void print_row(FILE *out, const struct figures *f, const struct nic_stat_info *info,
                      const struct summary *s)
{
    if (f->ranks > 1 && info->kind == NIC_STAT_HIGH_WATER)
        fprintf(out, "%16s", "-");      /* peaks of different times have no sum */
    else
        fprintf(out, "%16" PRIu64, s->sum);
    if (f->ranks > 1)
        fprintf(out, " %14" PRIu64 " @%-5d %14" PRIu64 " @%-5d", s->least, s->least_rank, s->most,
                s->most_rank);
    fprintf(out, "  %-22s %s\n", info->name, info->text);
}

static void print_head(FILE *out, const struct figures *f)
{
    if (f->ranks == 1) {
        fprintf(out, "libmpi-lite: what the NIC did\n");
        return;
    }
    fprintf(out, "libmpi-lite: what the NICs of %d ranks did\n", f->ranks);
    fprintf(out, "%16s %14s @%-5s %14s @%-5s  %-22s %s\n", "sum", "least", "rank", "most", "rank",
            "figure", "what it counts");
}

/* Rows that are 0 everywhere are left out. */
static void print_table(FILE *out, const struct figures *f)
{
    struct nic_stat_info info;
    print_head(out, f);
    for (unsigned i = 0; i < f->count; i++) {
        struct summary s = summarise(f, i);
        if (s.most && !nic_stat_info(mpi_nic, i, &info))
            print_row(out, f, &info, &s);
    }
}

static void print_some_ranks(FILE *out, const struct figures *f, int first, int end)
{
    struct nic_stat_info info;
    fprintf(out, "%-22s", "rank");
    for (int r = first; r < end; r++)
        fprintf(out, " %13d", r);
    fputc('\n', out);
    for (unsigned i = 0; i < f->count; i++) {
        if (!summarise(f, i).most || nic_stat_info(mpi_nic, i, &info))
            continue;
        fprintf(out, "%-22s", info.name);
        for (int r = first; r < end; r++)
            fprintf(out, " %13" PRIu64, figure(f, i, r));
        fputc('\n', out);
    }
}

static void print_ranks(FILE *out, const struct figures *f)
{
    for (int r = 0; r < f->ranks; r += RANKS_IN_A_ROW)
        print_some_ranks(out, f, r, r + RANKS_IN_A_ROW < f->ranks ? r + RANKS_IN_A_ROW : f->ranks);
}

/* For other programs to read: every figure, one column per rank, separated by tabs. */
static void print_columns(FILE *out, const struct figures *f)
{
    static const char *const kinds[] = {
        [NIC_STAT_COUNTER] = "counter", [NIC_STAT_LEVEL] = "level",
        [NIC_STAT_HIGH_WATER] = "high water",
    };
    struct nic_stat_info info;
    fputs("figure\tunit\tkind", out);
    for (int r = 0; r < f->ranks; r++)
        fprintf(out, "\t%d", r);
    fputc('\n', out);
    for (unsigned i = 0; i < f->count && !nic_stat_info(mpi_nic, i, &info); i++) {
        fprintf(out, "%s\t%s\t%s", info.name, info.unit, kinds[info.kind]);
        for (int r = 0; r < f->ranks; r++)
            fprintf(out, "\t%" PRIu64, figure(f, i, r));
        fputc('\n', out);
    }
}

/* -- where to */

static int write_all(int fd, const char *text, size_t bytes)
{
    while (bytes) {
        ssize_t n = write(fd, text, bytes);
        if (n < 0 && errno != EINTR)
            return -errno;
        text += n > 0 ? n : 0;
        bytes -= n > 0 ? (size_t)n : 0;
    }
    return 0;
}

static int write_file(const char *name, const char *text, size_t bytes)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0)
        return -errno;
    int rc = write_all(fd, text, bytes);
    return close(fd) < 0 && !rc ? -errno : rc;
}

/* The launcher ends with a failure if its rank could not write what it should. */
static void show(const struct figures *f, int want)
{
    const char *file = wanted_file(wish());
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    if (!out)
        return;
    if (file) {
        print_columns(out, f);
    } else {
        print_table(out, f);
        if (want == STATS_RANKS && f->ranks > 1)
            print_ranks(out, f);
    }
    int rc = fclose(out) ? -ENOMEM
             : file ? write_file(file, text, bytes) : write_all(STDERR_FILENO, text, bytes);
    if (rc)
        nic_job_set_lost(mpi_job, nic_rank(mpi_nic));
    if (rc && file)
        fprintf(stderr, "libmpi-lite: MPILITE_STATS=%s: the file cannot be written: %s\n", file,
                strerror(-rc));
    free(text);
}

/* -- among the ranks */

static unsigned read_own(uint64_t value[FIGURES_MAX])
{
    unsigned count = nic_stat_count(mpi_nic);
    count = count < FIGURES_MAX ? count : FIGURES_MAX;
    for (unsigned i = 0; i < count; i++)
        value[i] = nic_stat_read(mpi_nic, i);
    return count;
}

/* On the model clock: looking at the figures must not change them, nor the job's times. */
static void gather_modelled(const struct mpi_coll *x, const uint64_t *own, unsigned count, int want)
{
    size_t row = count * sizeof *own;
    uint64_t *all = x->rank ? NULL : malloc((size_t)x->size * row);
    if ((x->rank || all) && !nic_model_gather(mpi_nic, own, row, all) && all)
        show(&(struct figures){ .value = all, .count = count, .ranks = x->size }, want);
    free(all);
}

static void gather(struct mpi_coll *x, const uint64_t *own, unsigned count, int want)
{
    size_t ranks = (size_t)x->size, row = count * sizeof *own;
    uint64_t *all = x->rank ? NULL : mpi_coll_memory(x, ranks * row);
    if (x->rank || all) {
        struct mpi_blocks rows = { .buf = all, .count = 1, .unit = row };
        mpi_coll_gather(x, own, row, &rows);
        if (!x->rank && !x->class)
            show(&(struct figures){ .value = all, .count = count, .ranks = x->size }, want);
    }
    free(all);
}

/* What any rank says. */
static int vote(struct mpi_coll *x, int mine)
{
    struct mpi_reduction any = {
        .op = mpi_op_get(MPI_BOR), .type = MPI_INT, .unit = sizeof mine, .count = 1,
        .commutative = true,
    };
    mpi_coll_allreduce(x, &mine, &any);
    return mine;
}

bool mpi_stats_barrier(struct mpi_coll *x, bool last, void (*drain)(void))
{
    uint64_t own[FIGURES_MAX];
    unsigned count = read_own(own);     /* before this call's own messages */
    int said = vote(x, wanted(wish()) | (last ? LAST : 0)), want = said & STATS_RANKS;
    if (!(said & LAST) || want == STATS_OFF)
        return said & LAST;
    if (mpi_modelled) {
        drain();
        gather_modelled(x, own, count, want);
        return true;
    }
    gather(x, own, count, want);
    mpi_coll_barrier(x);
    return true;
}
