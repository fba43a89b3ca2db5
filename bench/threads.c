/* threads: 8-byte messages between 1, 2 and 4 threads of rank 0 and as many of rank 1, a
 * communicator for each pair, 64 messages under way; ns per message of all pairs together.
 * usage: threads [milliseconds per row, default 100] */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 4, WINDOW = 64, BATCH = 20 };

struct pair { MPI_Comm comm; pthread_barrier_t *barrier; int rank, windows; double begin, end; };

static void windows(const struct pair *p)
{
    MPI_Request r[WINDOW];
    double data[WINDOW] = { 0 }, end = 0;
    for (int w = 0; w < p->windows; w++) {
        for (int i = 0; i < WINDOW; i++)
            if (p->rank == 0)
                MPI_Isend(&data[i], 8, MPI_CHAR, 1, 0, p->comm, &r[i]);
            else
                MPI_Irecv(&data[i], 8, MPI_CHAR, 0, 0, p->comm, &r[i]);
        MPI_Waitall(WINDOW, r, MPI_STATUSES_IGNORE);
        if (p->rank == 0)
            MPI_Recv(&end, 1, MPI_DOUBLE, 1, 1, p->comm, MPI_STATUS_IGNORE);
        else
            MPI_Send(&end, 1, MPI_DOUBLE, 0, 1, p->comm);
    }
}

static void *thread(void *arg)
{
    struct pair *p = arg;
    pthread_barrier_wait(p->barrier);
    p->begin = MPI_Wtime();
    windows(p);
    p->end = MPI_Wtime();
    return NULL;
}

/* Seconds that so many threads take for so many windows each, from the first that begins to the
 * last that ends: the calling thread may get a processor long after either. */
static double run(struct pair *pairs, int threads, int count)
{
    pthread_t id[MOST];
    pthread_barrier_t barrier;
    pthread_barrier_init(&barrier, NULL, (unsigned)threads + 1);
    for (int i = 0; i < threads; i++) {
        pairs[i].barrier = &barrier;
        pairs[i].windows = count;
        pthread_create(&id[i], NULL, thread, &pairs[i]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    pthread_barrier_wait(&barrier);
    double begin = 0, end = 0;
    for (int i = 0; i < threads; i++) {
        pthread_join(id[i], NULL);
        if (!i || pairs[i].begin < begin)
            begin = pairs[i].begin;
        if (pairs[i].end > end)
            end = pairs[i].end;
    }
    pthread_barrier_destroy(&barrier);
    return end - begin;
}

int main(int argc, char **argv)
{
    double seconds = (argc > 1 ? atof(argv[1]) : 100) / 1000;
    struct pair pairs[MOST];
    int level, rank;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    if (level < MPI_THREAD_MULTIPLE) {
        fprintf(stderr, "threads: no MPI_THREAD_MULTIPLE here\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < MOST; i++) {
        pairs[i].rank = rank;
        MPI_Comm_dup(MPI_COMM_WORLD, &pairs[i].comm);
    }
    for (int threads = 1; threads <= MOST; threads *= 2) {
        double once = run(pairs, threads, BATCH);
        int count = (int)(BATCH * seconds / once) + 1;
        MPI_Bcast(&count, 1, MPI_INT, 0, MPI_COMM_WORLD);
        once = run(pairs, threads, count);
        if (rank == 0)
            printf("threads-rate/%d/ns %.1f\n", threads,
                   1e9 * once / ((double)count * WINDOW * threads));
    }
    for (int i = 0; i < MOST; i++)
        MPI_Comm_free(&pairs[i].comm);
    MPI_Finalize();
    return 0;
}
