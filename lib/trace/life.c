/* The beginning and the end of MPI, and what the modelled NIC tells between them. */
#include "mpi/door.h"
#include "nicemu/trace.h"
#include "trace/call.h"
#include "trace/hidden.h"
#include "trace/life.h"

/* -- the NIC on the model clock */

static const unsigned char kinds[] = {
    [NIC_TRACE_WORK] = TRACE_WORK, [NIC_TRACE_PACKET] = TRACE_PACKET,
    [NIC_TRACE_MOVE] = TRACE_MOVE, [NIC_TRACE_EVENT] = TRACE_EVENT,
};

static void told(void *context, const struct nic_trace_event *e)
{
    struct trace_record r = { .kind = kinds[e->kind], .what = (uint16_t)e->what,
                              .begin = e->begin, .end = e->end, .bytes = e->bytes,
                              .comm = e->source, .number = e->sequence, .peer = -1,
                              .lane = (uint8_t)e->unit };

    (void)context;
    if (trace_wanted()) {
        trace_add(&r);
        trace_over();
    }
}

/* -- MPI */

void trace_life_began(unsigned call, uint64_t since)
{
    static bool before;
    int level = MPI_THREAD_SINGLE;

    if (!trace_store.region)
        return;
    if (!before) {
        trace_store.region->begin = since;
        trace_store.region->hidden = trace_hidden();
    }
    before = true;
    PMPI_Query_thread(&level);
    trace_store.several |= level == MPI_THREAD_MULTIPLE;
    if (trace_store.clock == TRACE_PS)
        mpi_door.nic_trace(mpi_door.nic(), told, NULL);
    trace_plain(call, since);
}

void trace_life_ends(uint64_t now)
{
    if (trace_store.region)
        trace_store.region->end = now;
}

static void begin_world(unsigned call, uint64_t since)
{
    if (trace_store.region)
        trace_comms_open();
    trace_life_began(call, since);
}

int MPI_Init(int *argc, char ***argv)
{
    trace_store_open();
    uint64_t since = trace_now();
    int rc = PMPI_Init(argc, argv);

    if (!rc)
        begin_world(TRACE_MPI_Init, since);
    return rc;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    trace_store_open();
    uint64_t since = trace_now();
    int rc = PMPI_Init_thread(argc, argv, required, provided);

    if (!rc)
        begin_world(TRACE_MPI_Init_thread, since);
    return rc;
}

/* Without a world it is not known who ranks are: calls and times only. */
int MPI_Session_init(MPI_Info info, MPI_Errhandler handler, MPI_Session *session)
{
    trace_store_open();
    uint64_t since = trace_now();
    int rc = PMPI_Session_init(info, handler, session);

    if (!rc)
        trace_life_began(TRACE_MPI_Session_init, since);
    else
        trace_plain(TRACE_MPI_Session_init, since);
    return rc;
}

int MPI_Session_finalize(MPI_Session *session)
{
    uint64_t since = trace_now();

    trace_life_ends(since);
    int rc = PMPI_Session_finalize(session);
    trace_plain(TRACE_MPI_Session_finalize, since);
    return rc;
}

int MPI_Finalize(void)
{
    uint64_t since = trace_now();

    trace_life_ends(since);
    if (trace_store.region)
        trace_comms_end();
    int rc = PMPI_Finalize();
    trace_comms_close();
    trace_plain(TRACE_MPI_Finalize, since);
    trace_life_ends(trace_now());
    if (!trace_shmem_up)
        trace_store_close();
    return rc;
}
