/* MPI_Init_thread at the level that the argument names: single, funneled, serialized or multiple.
 * The model clock provides all but the last. */
#include "t.h"
#include <pthread.h>

static void *other_thread(void *unused)
{
    int flag = -1;

    OK(MPI_Is_thread_main(&flag));
    SAME(flag, 0);
    return unused;
}

static int wanted_level(const char *name)
{
    static const struct { const char *name; int level; } levels[] = {
        {"single", MPI_THREAD_SINGLE}, {"funneled", MPI_THREAD_FUNNELED},
        {"serialized", MPI_THREAD_SERIALIZED}, {"multiple", MPI_THREAD_MULTIPLE},
    };

    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        if (strcmp(levels[i].name, name) == 0)
            return levels[i].level;
    fprintf(stderr, "no such level: %s\n", name);
    exit(2);
}

int main(int argc, char **argv)
{
    int wanted = wanted_level(argc > 1 ? argv[1] : "multiple"), provided = -1, level, flag;
    pthread_t thread;

    OK(MPI_Init_thread(&argc, &argv, wanted, &provided));
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &t_rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &t_size));
    CHECK(provided >= MPI_THREAD_SINGLE && provided <= MPI_THREAD_MULTIPLE);
    int less = wanted == MPI_THREAD_MULTIPLE && t_modelled();
    SAME(provided, less ? MPI_THREAD_SERIALIZED : wanted);
    OK(MPI_Query_thread(&level));
    SAME(level, provided);
    OK(MPI_Is_thread_main(&flag));
    SAME(flag, 1);
    if (provided >= MPI_THREAD_SERIALIZED) {
        CHECK(pthread_create(&thread, NULL, other_thread, NULL) == 0);
        CHECK(pthread_join(thread, NULL) == 0);
    }
    return t_end();
}
