/* threads_make_more THREADS: threads of one rank that at once make communicators in all ways that
 * need more than one agreement, or go on outside of calls: duplicates that are waited for later,
 * communicators of groups by their ranks alone, from sessions, and intercommunicators, merged. */
#include "t.h"
#include <pthread.h>

enum { THREADS_MAX = 4, ROUNDS = 8 };

struct job { pthread_t thread; int number; MPI_Comm parent; };

static struct job jobs[THREADS_MAX];
static MPI_Session session;

static void use(MPI_Comm comm, int number)
{
    int rank, size, in = -1;
    OK(MPI_Comm_rank(comm, &rank));
    OK(MPI_Comm_size(comm, &size));
    OK(MPI_Sendrecv(&number, 1, MPI_INT, (rank + 1) % size, 7, &in, 1, MPI_INT, MPI_ANY_SOURCE,
                    MPI_ANY_TAG, comm, MPI_STATUS_IGNORE));
    SAME(in, number);
}

static void finish(MPI_Comm *comm, int number)
{
    use(*comm, number);
    OK(MPI_Comm_free(comm));
}

static void make_idups(const struct job *job)
{
    MPI_Comm comm[3], between;
    MPI_Request request[3];
    for (int i = 0; i < 3; i++)
        OK(MPI_Comm_idup(job->parent, &comm[i], &request[i]));
    OK(MPI_Comm_dup(job->parent, &between));
    OK(MPI_Waitall(3, request, MPI_STATUSES_IGNORE));
    finish(&between, job->number);
    for (int i = 0; i < 3; i++)
        finish(&comm[i], job->number);
}

/* All ranks in reverse; the threads use the same communicator and group, with tags of their own. */
static void make_groups(const struct job *job)
{
    MPI_Group world, back;
    MPI_Comm comm;
    char name[16];
    int range[1][3] = { { t_size - 1, 0, -1 } };
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    OK(MPI_Group_range_incl(world, 1, range, &back));
    OK(MPI_Comm_create_group(MPI_COMM_WORLD, back, job->number, &comm));
    finish(&comm, job->number);
    OK(MPI_Group_free(&back));
    OK(MPI_Group_free(&world));
    snprintf(name, sizeof name, "thread %d", job->number);
    OK(MPI_Group_from_session_pset(session, "mpi://WORLD", &world));
    OK(MPI_Comm_create_from_group(world, name, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm));
    finish(&comm, job->number);
    OK(MPI_Group_free(&world));
}

static void make_bridge(const struct job *job)
{
    MPI_Comm half, inter, again, merged;
    int upper = t_rank >= t_size / 2;
    if (t_size == 1)
        return;
    OK(MPI_Comm_split(job->parent, upper, 0, &half));
    OK(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, upper ? 0 : t_size / 2, job->number, &inter));
    OK(MPI_Comm_dup(inter, &again));
    OK(MPI_Intercomm_merge(again, upper, &merged));
    finish(&merged, job->number);
    OK(MPI_Comm_free(&again));
    OK(MPI_Comm_free(&inter));
    OK(MPI_Comm_free(&half));
}

static void *body(void *argument)
{
    const struct job *job = argument;
    for (int i = 0; i < ROUNDS; i++) {
        int first = i + job->number;        /* not all at the same */
        for (int k = 0; k < 3; k++) {
            int what = (first + k) % 3;
            what == 0 ? make_idups(job) : what == 1 ? make_groups(job) : make_bridge(job);
        }
    }
    return NULL;
}

/* Calls of one group that only the string tag tells apart: two go on at once, and the ranks begin
 * them in different order. */

struct tagged { pthread_t thread; int number; };

static void *make_tagged(void *argument)
{
    const struct tagged *t = argument;
    MPI_Group world;
    MPI_Comm comm;
    char name[16];
    snprintf(name, sizeof name, "tag %d", t->number);
    OK(MPI_Group_from_session_pset(session, "mpi://WORLD", &world));
    OK(MPI_Comm_create_from_group(world, name, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm));
    finish(&comm, t->number);
    OK(MPI_Group_free(&world));
    return NULL;
}

static void check_tags(void)
{
    for (int without = 0; without < 3; without++) {
        struct tagged two[2];
        int odd = t_rank % 2;
        OK(MPI_Barrier(MPI_COMM_WORLD));
        for (int i = 0; i < 2; i++) {
            two[i].number = (without + 1 + (i ^ odd)) % 3;
            CHECK(!pthread_create(&two[i].thread, NULL, make_tagged, &two[i]));
            usleep(10000);      /* as a rule the first one waits for the other ranks then */
        }
        for (int i = 0; i < 2; i++)
            CHECK(!pthread_join(two[i].thread, NULL));
    }
}

int main(int argc, char **argv)
{
    int threads = argc > 1 ? atoi(argv[1]) : 2;
    t_start_threads(&argc, &argv);
    OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session));
    for (int i = 0; i < threads; i++) {
        jobs[i].number = i + 1;
        OK(MPI_Comm_dup(MPI_COMM_WORLD, &jobs[i].parent));
    }
    for (int i = 0; i < threads; i++)
        CHECK(!pthread_create(&jobs[i].thread, NULL, body, &jobs[i]));
    for (int i = 0; i < threads; i++)
        CHECK(!pthread_join(jobs[i].thread, NULL));
    for (int i = 0; i < threads; i++)
        OK(MPI_Comm_free(&jobs[i].parent));
    check_tags();
    OK(MPI_Session_finalize(&session));
    return t_end();
}
