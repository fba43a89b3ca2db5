/* Start and end, and what a process can ask about its place. */
#include "t.h"

static void check_name(void)
{
    char name[MPI_MAX_PROCESSOR_NAME];
    int length;

    OK(MPI_Get_processor_name(name, &length));
    CHECK(length > 0 && length < MPI_MAX_PROCESSOR_NAME);
    SAME(strlen(name), length);
}

/* These may be asked before the start and after the end. */
static void check_version(void)
{
    char *library = t_alloc(MPI_MAX_LIBRARY_VERSION_STRING);
    int length, version, subversion;

    CHECK(MPI_Get_version(&version, &subversion) == MPI_SUCCESS);
    CHECK(version >= 3 && subversion >= 0);
    SAME(version, MPI_VERSION);
    SAME(subversion, MPI_SUBVERSION);
    CHECK(MPI_Get_library_version(library, &length) == MPI_SUCCESS);
    CHECK(length > 0 && length < MPI_MAX_LIBRARY_VERSION_STRING && strlen(library) > 0);
    free(library);
}

static void check_clock(void)
{
    double before = MPI_Wtime(), last = before;

    struct timespec t;
    SAME(clock_getres(CLOCK_MONOTONIC, &t), 0);
    double tick = t_modelled() ? 1e-12 : (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
    CHECK(MPI_Wtick() == tick);
    for (int i = 0; i < 1000; i++) {
        double now = MPI_Wtime();
        CHECK(now >= last);
        last = now;
    }
    while (MPI_Wtime() == before)
        ;
}

int main(int argc, char **argv)
{
    int flag = -1, rank, size, level;
    char one[] = "one", two[] = "two", *own[] = {argv[0], one, two, NULL}, **list = own;
    int words = 3;

    (void)argc;
    MPI_Initialized(&flag);
    SAME(flag, 0);
    MPI_Finalized(&flag);
    SAME(flag, 0);
    check_version();
    t_start(&words, &list);
    SAME(words, 3);
    CHECK(strcmp(list[1], "one") == 0 && strcmp(list[2], "two") == 0);
    OK(MPI_Initialized(&flag));
    SAME(flag, 1);
    OK(MPI_Finalized(&flag));
    SAME(flag, 0);
    CHECK(t_rank >= 0 && t_rank < t_size);
    OK(MPI_Comm_rank(MPI_COMM_SELF, &rank));
    OK(MPI_Comm_size(MPI_COMM_SELF, &size));
    SAME(rank, 0);
    SAME(size, 1);
    OK(MPI_Is_thread_main(&flag));
    SAME(flag, 1);
    OK(MPI_Query_thread(&level));
    CHECK(level >= MPI_THREAD_SINGLE && level <= MPI_THREAD_MULTIPLE);
    check_name();
    check_clock();
    OK(MPI_Finalize());
    MPI_Initialized(&flag);
    SAME(flag, 1);
    MPI_Finalized(&flag);
    SAME(flag, 1);
    check_version();
    return 0;
}
