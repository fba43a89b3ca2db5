/* From shmem_init to shmem_finalize. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/shmem_size.h"
#include "shmem/blocks.h"
#include "shmem/context.h"
#include "shmem/error.h"
#include "shmem/queue.h"
#include "shmem/symmetric.h"
#include "shmem/sync.h"
#include "shmem/team.h"

struct mpi_shmem mpi_shmem;

static MPI_Session session;

/* -- the way in */

/* MPI may be there or come later: a session asks for nothing else. */
static MPI_Comm open_mpi(bool threads)
{
    MPI_Info info;
    MPI_Group group;
    MPI_Comm all;
    PMPI_Info_create(&info);
    PMPI_Info_set(info, "thread_level", threads ? "MPI_THREAD_MULTIPLE" : "MPI_THREAD_SERIALIZED");
    PMPI_Session_init(info, MPI_ERRORS_ARE_FATAL, &session);
    PMPI_Info_free(&info);
    PMPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    PMPI_Comm_create_from_group(group, "shmem", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &all);
    PMPI_Group_free(&group);
    return all;
}

static void learn(MPI_Comm all)
{
    struct mpi_shmem *s = &mpi_shmem;
    PMPI_Comm_rank(all, &s->me);
    PMPI_Comm_size(all, &s->n);
    s->nic = mpi_door.nic();
    s->modelled = mpi_door.nic_modelled(s->nic);
    mpi_door.nic_enter(s->nic);
    mpi_door.nic_promise(s->nic, 0);    /* puts and stores of the host: long before the first */
    mpi_door.nic_leave(s->nic);
    s->attention = malloc((size_t)s->n * sizeof *s->attention);
    if (!s->attention)
        mpi_shmem_die("shmem_init", "no memory for tables of all PEs");
    for (int i = 0; i < s->n; i++)
        s->attention[i] = mpi_door.nic_attention(s->nic, (unsigned)i);
}

static bool is_set(const char *name)
{
    const char *text = mpi_shmem_variable(name);
    return text && *text && strcmp(text, "0");
}

static void tell(void)
{
    if (mpi_shmem.me)
        return;
    if (is_set("SHMEM_VERSION") || is_set("SHMEM_INFO"))
        printf("OpenSHMEM %d.%d by %s\n", SHMEM_MAJOR_VERSION, SHMEM_MINOR_VERSION,
               SHMEM_VENDOR_STRING);
    if (is_set("SHMEM_INFO"))
        printf("SHMEM_SYMMETRIC_SIZE=%zu: bytes of the symmetric heap of each PE\n"
               "SHMEM_VERSION: the version is shown\nSHMEM_INFO: this text is shown\n",
               mpi_shmem_heap_bytes());
}

static void begin(const char *call, int requested)
{
    if (mpi_shmem.child)
        mpi_shmem_check_up(call);
    if (mpi_shmem.up || mpi_shmem.over)
        mpi_door.refuse(": %s was called %s", call,
                        mpi_shmem.up ? "a second time" : "after shmem_finalize");
    if (mpi_door.size != sizeof mpi_door) {
        fprintf(stderr, "Fatal error in %s: libshmem is of another version than libmpi_abi\n",
                call);
        abort();
    }
    MPI_Comm all = open_mpi(requested == SHMEM_THREAD_MULTIPLE);
    mpi_shmem.threads = requested;
    learn(all);
    mpi_shmem_symmetric_begin(all);
    mpi_shmem_teams_begin(all);
    mpi_shmem_queue_begin();
    tell();
    mpi_shmem.up = true;
    mpi_door.barrier(call, all);
}

/* A program may end without shmem_finalize, deprecated as that is: SHMEM ends with it.  With a code
 * that is not 0 it has failed, and its peers may wait for it elsewhere, unless it is one of old,
 * whose main may give back anything. */
static void finalize_at_exit(int code, void *of_old)
{
    if (mpi_shmem.up && (!code || of_old))
        pshmem_finalize();
}

static void begin_to_exit(const char *call, int requested, void *of_old)
{
    begin(call, requested);
    on_exit(finalize_at_exit, of_old);
}

void pshmem_init(void) { begin_to_exit("shmem_init", SHMEM_THREAD_SINGLE, NULL); }
SHMEM_ALIAS(init);

int pshmem_init_thread(int requested, int *provided)
{
    if (requested < SHMEM_THREAD_SINGLE || requested > SHMEM_THREAD_MULTIPLE)
        return -1;
    begin_to_exit("shmem_init_thread", requested, NULL);
    *provided = requested;
    return 0;
}
SHMEM_ALIAS(init_thread);

void pshmem_query_thread(int *provided)
{
    SHMEM_ENTER("shmem_query_thread");
    *provided = mpi_shmem.threads;
}
SHMEM_ALIAS(query_thread);

/* -- the way out */

/* Nobody uses others' memory once all have come; then each takes its own away. */
void pshmem_finalize(void)
{
    const char *call = "shmem_finalize";
    SHMEM_ENTER(call);
    mpi_shmem_barrier(call, mpi_shmem_world());
    mpi_door.show_stats(call, mpi_shmem_world());
    mpi_shmem.up = false;
    mpi_shmem.over = true;
    mpi_shmem_contexts_end(NULL, call);
    mpi_shmem_queue_end();
    mpi_shmem_symmetric_end();
    mpi_shmem_block_clear();
    mpi_shmem_teams_end();
    free(mpi_shmem.attention);
    PMPI_Session_finalize(&session);
}
SHMEM_ALIAS(finalize);

void pshmem_global_exit(int status)
{
    SHMEM_ENTER("shmem_global_exit");
    fprintf(stderr, "shmem_global_exit(%d) was called by PE %d\n", status, mpi_shmem.me);
    mpi_door.die(status);
}
SHMEM_ALIAS(global_exit);

void start_pes(int npes)
{
    (void)npes;
    if (!mpi_shmem.up)
        begin_to_exit("start_pes", SHMEM_THREAD_SINGLE, &mpi_shmem);
}

/* -- questions */

int pshmem_my_pe(void)
{
    SHMEM_ENTER("shmem_my_pe");
    return mpi_shmem.me;
}
SHMEM_ALIAS(my_pe);

int pshmem_n_pes(void)
{
    SHMEM_ENTER("shmem_n_pes");
    return mpi_shmem.n;
}
SHMEM_ALIAS(n_pes);

int _my_pe(void) { return pshmem_my_pe(); }
int _num_pes(void) { return pshmem_n_pes(); }

void pshmem_info_get_version(int *major, int *minor)
{
    *major = SHMEM_MAJOR_VERSION;
    *minor = SHMEM_MINOR_VERSION;
}
SHMEM_ALIAS(info_get_version);

void pshmem_info_get_name(char *name) { strcpy(name, SHMEM_VENDOR_STRING); }
SHMEM_ALIAS(info_get_name);

/* -- for tools, and for machines whose caches are not coherent */

void pshmem_pcontrol(int level, ...) { (void)level; }
SHMEM_ALIAS(pcontrol);

void pshmem_clear_cache_inv(void) { }
SHMEM_ALIAS(clear_cache_inv);
void pshmem_set_cache_inv(void) { }
SHMEM_ALIAS(set_cache_inv);
void pshmem_udcflush(void) { }
SHMEM_ALIAS(udcflush);
void pshmem_clear_cache_line_inv(void *dest) { (void)dest; }
SHMEM_ALIAS(clear_cache_line_inv);
void pshmem_set_cache_line_inv(void *dest) { (void)dest; }
SHMEM_ALIAS(set_cache_line_inv);
void pshmem_udcflush_line(void *dest) { (void)dest; }
SHMEM_ALIAS(udcflush_line);
