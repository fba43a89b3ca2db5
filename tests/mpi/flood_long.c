/* Long messages that nobody has asked for: what their receiver holds of them is bounded, wherever
 * it is, none is lost, order is kept; and when they are gone long messages travel as they did
 * before. */
#include "t.h"

enum { MESSAGES = 1000, LONG = 64 * 1024, HELD = 24 * 1024 * 1024, LAST = 99, AGAIN = 98 };

static MPI_T_pvar_session session;

static MPI_T_pvar_handle at_once, held, held_most;

static MPI_T_pvar_handle handle(const char *name, int class)
{
    MPI_T_pvar_handle h;
    int index, values;
    OK(MPI_T_pvar_get_index(name, class, &index));
    OK(MPI_T_pvar_handle_alloc(session, index, NULL, &h, &values));
    if (class == MPI_T_PVAR_CLASS_COUNTER)
        OK(MPI_T_pvar_start(session, h));
    return h;
}

static uint64_t figure(MPI_T_pvar_handle h)
{
    uint64_t value = 0;
    OK(MPI_T_pvar_read(session, h, &value));
    return value;
}

static int bytes_of(int i) { return i % 10 == 7 ? i % 3000 : LONG - i % 100; }
static int tag_of(int i) { return i % 5; }
static char pattern[LONG + MESSAGES], place[LONG];

static void fill(void)
{
    unsigned x = 1;
    for (int i = 0; i < (int)sizeof pattern; i++)
        pattern[i] = (char)((x = x * 1103515245 + 12345) >> 16);
}

/* One at a time; how many of them have left with their envelopes. */
static uint64_t sent_at_once(int partner)
{
    uint64_t before = figure(at_once);
    for (int i = 0; i < 20; i++)
        OK(MPI_Ssend(pattern, LONG, MPI_CHAR, partner, AGAIN, MPI_COMM_WORLD));
    return figure(at_once) - before;
}

static void flood(int partner)
{
    static MPI_Request request[MESSAGES];
    uint64_t before = sent_at_once(partner);
    for (int i = 0; i < MESSAGES; i++)
        OK(MPI_Isend(pattern + i, bytes_of(i), MPI_CHAR, partner, tag_of(i), MPI_COMM_WORLD,
                     &request[i]));
    OK(MPI_Send(NULL, 0, MPI_CHAR, partner, LAST, MPI_COMM_WORLD));
    OK(MPI_Waitall(MESSAGES, request, MPI_STATUSES_IGNORE));
    OK(MPI_Recv(NULL, 0, MPI_CHAR, partner, LAST, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    SAME(sent_at_once(partner), before);
}

static void take(int partner)
{
    MPI_Status status;
    for (int i = 0; i < 20; i++)
        OK(MPI_Recv(place, LONG, MPI_CHAR, partner, AGAIN, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    OK(MPI_Recv(NULL, 0, MPI_CHAR, partner, LAST, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    for (int tag = 4; tag >= 0; tag--)
        for (int i = tag; i < MESSAGES; i += 5) {
            int count;
            OK(MPI_Recv(place, LONG, MPI_CHAR, partner, tag_of(i), MPI_COMM_WORLD, &status));
            OK(MPI_Get_count(&status, MPI_CHAR, &count));
            SAME(count, bytes_of(i));
            CHECK(!memcmp(place, pattern + i, (size_t)count));
        }
    SAME(figure(held), 0);
    CHECK(figure(held_most) < HELD);
    OK(MPI_Send(NULL, 0, MPI_CHAR, partner, LAST, MPI_COMM_WORLD));
    for (int i = 0; i < 20; i++)
        OK(MPI_Recv(place, LONG, MPI_CHAR, partner, AGAIN, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

int main(int argc, char **argv)
{
    int provided;
    t_start(&argc, &argv);
    OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    OK(MPI_T_pvar_session_create(&session));
    at_once = handle("eager_sent", MPI_T_PVAR_CLASS_COUNTER);
    held = handle("unexpected_bytes", MPI_T_PVAR_CLASS_LEVEL);
    held_most = handle("unexpected_bytes_max", MPI_T_PVAR_CLASS_HIGHWATERMARK);
    fill();
    /* The first half of the ranks sends to the other one, which may be on other machines. */
    int half = t_size / 2;
    if (t_rank < half)
        flood(t_rank + half);
    else if (t_rank < 2 * half)
        take(t_rank - half);
    OK(MPI_T_pvar_session_free(&session));
    OK(MPI_T_finalize());
    return t_end();
}
