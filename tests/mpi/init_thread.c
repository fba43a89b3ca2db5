/* MPI_Init_thread at the level that the argument names: single, funneled, serialized or multiple;
 * what is between two levels is the one above.  The model clock provides all but the last. */
#include "t.h"
#include <pthread.h>
#include <sys/stat.h>

static void *other_thread(void *unused)
{
    int flag = -1, in = -1;

    OK(MPI_Is_thread_main(&flag));
    SAME(flag, 0);
    OK(MPI_Sendrecv(&t_rank, 1, MPI_INT, t_next(), 1, &in, 1, MPI_INT, t_prev(), 1, MPI_COMM_WORLD,
                    MPI_STATUS_IGNORE));
    SAME(in, t_prev());
    return unused;
}

/* It may call and wait: nobody warns of that. */
static void let_other_thread_call(void)
{
    FILE *said = tmpfile();
    int before = dup(STDERR_FILENO);
    pthread_t thread;
    struct stat s;

    CHECK(said && before >= 0);
    CHECK(dup2(fileno(said), STDERR_FILENO) >= 0);
    CHECK(pthread_create(&thread, NULL, other_thread, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(dup2(before, STDERR_FILENO) >= 0);
    CHECK(!fstat(fileno(said), &s));
    SAME(s.st_size, 0);
    close(before);
    fclose(said);
}

struct level { const char *name; int wanted, level; };

static struct level wanted_level(const char *name)
{
    static const struct level levels[] = {
        {"single", MPI_THREAD_SINGLE, MPI_THREAD_SINGLE},
        {"below", MPI_THREAD_FUNNELED - 1, MPI_THREAD_FUNNELED},
        {"funneled", MPI_THREAD_FUNNELED, MPI_THREAD_FUNNELED},
        {"between", MPI_THREAD_SERIALIZED - 1, MPI_THREAD_SERIALIZED},
        {"serialized", MPI_THREAD_SERIALIZED, MPI_THREAD_SERIALIZED},
        {"above", MPI_THREAD_SERIALIZED + 1, MPI_THREAD_MULTIPLE},
        {"multiple", MPI_THREAD_MULTIPLE, MPI_THREAD_MULTIPLE},
    };

    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        if (strcmp(levels[i].name, name) == 0)
            return levels[i];
    fprintf(stderr, "no such level: %s\n", name);
    exit(2);
}

int main(int argc, char **argv)
{
    struct level wanted = wanted_level(argc > 1 ? argv[1] : "multiple");
    int provided = -1, level, flag;

    OK(MPI_Init_thread(&argc, &argv, wanted.wanted, &provided));
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &t_rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &t_size));
    CHECK(provided >= MPI_THREAD_SINGLE && provided <= MPI_THREAD_MULTIPLE);
    int less = wanted.level == MPI_THREAD_MULTIPLE && t_modelled();
    SAME(provided, less ? MPI_THREAD_SERIALIZED : wanted.level);
    OK(MPI_Query_thread(&level));
    SAME(level, provided);
    OK(MPI_Is_thread_main(&flag));
    SAME(flag, 1);
    if (provided >= MPI_THREAD_SERIALIZED)
        let_other_thread_call();
    return t_end();
}
