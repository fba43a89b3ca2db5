/* Finding and describing a standstill. */
#include "standstill.h"
#include "../printable.h"
#include "job.h"
#include "nicemu.h"
#include "ranklist.h"
#include "say.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NOTE_SIZE = NIC_NOTE_BYTES, LINES = 32 };
#define INTERVAL (250 * MS_NS)
/* On the model clock the job knows by itself, and one look is enough. */
#define INTERVAL_MODELLED (10 * MS_NS)

/* The NICs' answer counts open NICs only.  A rank that runs without one, before MPI_Init or after MPI_Finalize, may
 * still come to the aid of the others: then nothing is certain. */
static bool all_open(const struct job *job)
{
    for (unsigned i = 0; i < job->options->ranks; i++)
        if (job->rank[i].running && nic_job_rank_state(job->nic, i) != NIC_RANK_OPEN)
            return false;
    return true;
}

/* State of a thread, the letter behind the name in brackets: S sleeps, Z and X have ended.  S if the kernel does not tell. */
static char thread_state(pid_t process, const char *thread)
{
    char path[64], text[128];
    snprintf(path, sizeof path, "/proc/%ld/task/%.20s/stat", (long)process, thread);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);

    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = 0;
    const char *name_end = strrchr(text, ')');
    return name_end && name_end[1] ? name_end[2] : 'S';
}

static bool sleeps(pid_t process)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/task", (long)process);
    DIR *threads = opendir(path);
    struct dirent *thread;
    bool asleep = true;

    while (threads && asleep && (thread = readdir(threads)))
        asleep = !isdigit((unsigned char)thread->d_name[0]) || strchr("SZX", thread_state(process, thread->d_name));
    if (threads)
        closedir(threads);
    return asleep;
}

/* A rank that was woken, but has not had a core since, looks to the NICs as if it slept; so does one that is stopped, and one of
 * which another thread computes. */
static bool all_sleep(const struct job *job)
{
    for (unsigned i = 0; i < job->options->ranks; i++)
        if (job->rank[i].running && !sleeps(job->rank[i].pid))
            return false;
    return true;
}

/* Marks all ranks from `first` on whose note is the same, and takes them out of `left`. */
static void choose_same(char (*note)[NOTE_SIZE], unsigned ranks, unsigned first, bool *left, bool *chosen)
{
    for (unsigned i = 0; i < ranks; i++) {
        chosen[i] = i >= first && left[i] && strcmp(note[i], note[first]) == 0;
        left[i] &= !chosen[i];
    }
}

static void print_groups(FILE *out, char (*note)[NOTE_SIZE], unsigned ranks, bool *left)
{
    bool *chosen = need(calloc(ranks, sizeof *chosen));
    unsigned lines = 0, omitted = 0;

    for (unsigned first = 0; first < ranks; first++) {
        if (!left[first])
            continue;
        choose_same(note, ranks, first, left, chosen);
        if (++lines > LINES) {
            omitted++;
            continue;
        }
        unsigned others = 0;
        for (unsigned i = first + 1; i < ranks; i++)
            others += chosen[i];
        fputs(others ? "  ranks " : "  rank ", out);
        ranklist_print(out, chosen, ranks);
        char text[4 * NOTE_SIZE];
        printable(text, sizeof text, note[first], "");
        fprintf(out, ": %s\n", *text ? text : "waits");
    }
    if (omitted)
        fprintf(out, "  and %u more lines\n", omitted);
    free(chosen);
}

/* Taken now: the notes change when the ranks are ended. */
static char *describe(const struct job *job)
{
    unsigned ranks = job->options->ranks;
    char (*note)[NOTE_SIZE] = need(calloc(ranks, sizeof *note)), *text = NULL;
    bool *left = need(calloc(ranks, sizeof *left));
    size_t size;
    FILE *out = need(open_memstream(&text, &size));

    for (unsigned i = 0; i < ranks; i++) {
        left[i] = job->rank[i].running;
        if (left[i])
            nic_job_rank_note(job->nic, i, note[i], sizeof note[i]);
    }
    print_groups(out, note, ranks, left);
    fclose(out);
    free(left);
    free(note);
    return need(text);
}

static void look_modelled(struct job *job, int64_t now)
{
    job->look_ns = now + INTERVAL_MODELLED;
    if (nic_job_stands(job->nic))
        job_fail(job, (struct cause){ .kind = CAUSE_STANDSTILL, .text = describe(job) }, SIGTERM);
}

void standstill_look(struct job *job, int64_t now)
{
    if (nic_job_modelled(job->nic)) {
        look_modelled(job, now);
        return;
    }
    uint64_t answer = all_open(job) ? nic_job_standstill(job->nic) : 0;

    job->look_ns = now + INTERVAL;
    if (answer && answer == job->still[0] && answer == job->still[1] && all_sleep(job) && nic_job_standstill(job->nic) == answer) {
        job_fail(job, (struct cause){ .kind = CAUSE_STANDSTILL, .text = describe(job) }, SIGTERM);
        return;
    }
    job->still[1] = job->still[0];
    job->still[0] = answer;
}
