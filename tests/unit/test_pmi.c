/* Talking to launchers: what they say in any order, what they have not got, nonsense, and their
 * death at any moment. */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/wait.h>

#include "alone.h"
#include "nicemu/job.h"
#include "nicemu/sizes.h"
#include "pmi/channel.h"
#include "pmi/letters.h"
#include "pmi/mapping.h"
#include "pmi/offer.h"
#include "pmi/pmi.h"
#include "pmi/why.h"
#include "pmi_server.h"

static struct pmi_fake server;

/* The ways of servers: 0 to 7. */
static void make_server(int way)
{
    server.version = 1 + (way & 1);
    server.slurm = way & 2;
    server.chopped = way & 4;
    server.map = "(vector,(0,2,2))";
    server.dies_after = server.wrong_at = -1;
}
enum { WAYS = 8 };

static uint8_t noise[5000];

static void make_noise(uint64_t x)
{
    for (size_t i = 0; i < sizeof noise; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        noise[i] = (uint8_t)x;
    }
}

static struct mpi_pmi *opened(void)
{
    struct mpi_pmi *p = NULL;
    int rc = mpi_pmi_open(&p);
    ck_assert_msg(!rc, "%s", mpi_pmi_why());
    return p;
}

START_TEST(conversation)
{
    static const size_t sizes[] = { 0, 1, 2, 3, 377, 378, 379, 756, 1000, 5000 };
    uint8_t back[5000];
    char name[8];
    make_server(_i);
    pmi_fake_begin(&server);
    struct mpi_pmi *p = opened();
    ck_assert_uint_eq(mpi_pmi_rank(p), 1);
    ck_assert_uint_eq(mpi_pmi_size(p), 4);
    ck_assert_int_eq(mpi_pmi_appnum(p), server.slurm && server.version == 1 ? 0 : 3);
    ck_assert_uint_eq(mpi_pmi_nodes(p), 2);
    ck_assert_uint_eq(mpi_pmi_node_of(p, 1), 0);
    ck_assert_uint_eq(mpi_pmi_node_of(p, 2), 1);
    ck_assert_uint_eq(mpi_pmi_leader(p, 1), 2);
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        snprintf(name, sizeof name, "n%u", i);
        make_noise(i + 1);
        ck_assert_int_eq(mpi_pmi_put(p, name, noise, sizes[i]), 0);
    }
    ck_assert_int_eq(mpi_pmi_fence(p), 0);
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        snprintf(name, sizeof name, "n%u", i);
        make_noise(i + 1);
        memset(back, 0x55, sizeof back);
        ck_assert_int_eq(mpi_pmi_get(p, 1, name, back, sizes[i]), (int)sizes[i]);
        ck_assert_mem_eq(back, noise, sizes[i]);
        for (size_t b = sizes[i]; b < sizeof back; b++)
            ck_assert_int_eq(back[b], 0x55);
        if (sizes[i])
            ck_assert_int_eq(mpi_pmi_get(p, 1, name, back, sizes[i] - 1), -EMSGSIZE);
    }
    ck_assert(!server.long_value);
    ck_assert_int_eq(mpi_pmi_get(p, 2, "n1", back, sizeof back), -ENOENT);
    ck_assert_int_eq(mpi_pmi_get(p, 1, "none", back, sizeof back), -ENOENT);
    ck_assert(!mpi_pmi_gone(p));
    ck_assert_int_eq(mpi_pmi_close(p), 0);
    pmi_fake_end(&server, true);
    ck_assert(server.finalized);
}
END_TEST

START_TEST(end_of_all)
{
    make_server(_i);
    pmi_fake_begin(&server);
    struct mpi_pmi *p = opened();
    mpi_pmi_abort(p, 7, "why");
    pthread_join(server.thread, NULL);
    ck_assert_int_eq(server.aborted, server.version == 1 ? 7 : 1);
    ck_assert(mpi_pmi_gone(p));
    ck_assert_int_eq(mpi_pmi_fence(p), -EPIPE);
    ck_assert_ptr_nonnull(strstr(mpi_pmi_why(), "gone"));
    ck_assert_int_eq(mpi_pmi_close(p), -EPIPE);
    close(server.ends[1]);
}
END_TEST

/* All that a rank does; the first error, or 0. */
static int live(bool *closed)
{
    struct mpi_pmi *p = NULL;
    char text[600] = "some text";
    *closed = false;
    int rc = mpi_pmi_open(&p);
    if (rc)
        return rc;
    rc = mpi_pmi_put(p, "name", text, sizeof text);
    if (!rc)
        rc = mpi_pmi_fence(p);
    if (!rc)
        rc = (int)mpi_pmi_get(p, 1, "name", text, sizeof text);
    int end = mpi_pmi_close(p);
    *closed = true;
    return rc < 0 ? rc : end;
}

enum { ANSWERS_MAX = 12 };

/* A server that dies, or says something else, at each of its answers. */
START_TEST(death)
{
    bool closed;
    make_server(_i);
    for (int i = 0; i <= ANSWERS_MAX; i++) {
        server.dies_after = i;
        pmi_fake_begin(&server);
        int rc = live(&closed);
        pmi_fake_end(&server, closed);
        if (!rc) {
            ck_assert_int_ge(i, 8);
            return;
        }
        ck_assert_int_eq(rc, -EPIPE);
        ck_assert_ptr_nonnull(strstr(mpi_pmi_why(), "the launcher is gone"));
    }
    ck_abort_msg("it has not lived");
}
END_TEST

static const char *const nonsense[] = {
    "", " ", "=", ";", "cmd=", "cmd=get_result", "cmd=get_result rc=0", "cmd=get_result rc=x",
    "cmd=get_result rc=0 value=99999.AAAA",
    "cmd=get_result rc=0 value=-1.AAAA", "cmd=get_result rc=0 value=600.A$AA",
    "cmd=get_result rc=0 value=3.AAAAAAAA", "cmd=get_result rc=0 value=(vector,(0,0,0))",
    "cmd=response_to_init rc=-1", "cmd=maxes keylen_max=8 vallen_max=1024",
    "cmd=maxes keylen_max=64 vallen_max=100", "cmd=my_kvsname", "cmd=barrier_out rc=-1",
    "cmd=put_result rc=1", "cmd=fullinit-response;rc=0;rank=2;size=4;",
    "cmd=fullinit-response;rc=0;rank=1;size=5;", "cmd=fullinit-response;rc=0;",
    "cmd=kvs-get-response;rc=0;found=TRUE;", "cmd=kvs-get-response;rc=0;found=TRUE;value=7;",
    "cmd=kvs-get-response;rc=0;found=TRUE;value=600.AAAA;", "cmd=kvs-fence-response;rc=14;",
    "cmd=info-getjobattr-response;rc=0;found=TRUE;value=(vector,(0,1,1);",
    "cmd=\033[2J", "rc=0 cmd=other",
};

START_TEST(answers_of_no_sense)
{
    bool closed;
    make_server(_i);
    for (unsigned n = 0; n < sizeof nonsense / sizeof *nonsense; n++)
        for (int i = 0; i < 8; i++) {
            server.wrong_at = i;
            server.wrong = nonsense[n];
            pmi_fake_begin(&server);
            int rc = live(&closed);
            pmi_fake_end(&server, closed);
            ck_assert_msg(rc < 0, "answer %d: %s", i, nonsense[n]);
            ck_assert_uint_gt(strlen(mpi_pmi_why()), 0);
            ck_assert_ptr_null(strchr(mpi_pmi_why(), '\033'));
        }
}
END_TEST

/* Lines without an end, lengths that are none, bytes that are no text. */
START_TEST(messages_of_no_sense)
{
    static const struct { bool framed; const char *text; size_t bytes; } raw[] = {
        { false, "cmd=\0x\n", 7 }, { true, "abcdef", 6 }, { true, "      ", 6 },
        { true, "999999", 6 }, { true, "  1 1 x", 7 }, { true, "    -1", 6 },
        { true, "     2\0x", 8 },
    };
    char text[PMI_MESSAGE_MAX];
    int ends[2];
    for (unsigned i = 0; i < sizeof raw / sizeof *raw; i++) {
        ck_assert(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
        struct pmi_channel c = { .fd = ends[0], .framed = raw[i].framed };
        ck_assert_int_eq(write(ends[1], raw[i].text, raw[i].bytes), (int)raw[i].bytes);
        ck_assert_int_eq(mpi_pmi_receive(&c, text, sizeof text), -EPROTO);
        close(ends[0]), close(ends[1]);
    }
    ck_assert(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
    struct pmi_channel c = { .fd = ends[0] };
    memset(text, 'x', sizeof text);
    ck_assert_int_eq(write(ends[1], text, sizeof text), sizeof text);
    ck_assert_int_eq(mpi_pmi_receive(&c, text, sizeof text), -EPROTO);
    close(ends[0]), close(ends[1]);
}
END_TEST

START_TEST(fields)
{
    char value[8];
    int n;
    ck_assert(mpi_pmi_field("cmd=a  b=1 abc=2 c=", ' ', "b", value, sizeof value));
    ck_assert_str_eq(value, "1");
    ck_assert(mpi_pmi_field("cmd=a;abc=2;c=;", ';', "c", value, sizeof value));
    ck_assert_str_eq(value, "");
    ck_assert(!mpi_pmi_field("cmd=a abc=2", ' ', "bc", value, sizeof value));
    ck_assert(!mpi_pmi_field("a=12345678", ' ', "a", value, sizeof value));
    ck_assert(mpi_pmi_field("a=1234567", ' ', "a", value, sizeof value));
    ck_assert(mpi_pmi_field_number("a=-12", ' ', "a", -12, 0, &n) && n == -12);
    ck_assert(!mpi_pmi_field_number("a=-13", ' ', "a", -12, 0, &n));
    ck_assert(!mpi_pmi_field_number("a=1x", ' ', "a", 0, 9, &n));
    ck_assert(!mpi_pmi_field_number("a=", ' ', "a", 0, 9, &n));
    ck_assert(!mpi_pmi_field_number("a=99999999999999999999", ' ', "a", 0, 9, &n));
}
END_TEST

/* nodes: of six ranks, as digits, numbered by who comes first; NULL: it is refused. */
static const struct { const char *text, *nodes; } maps[] = {
    { "(vector,(0,1,6))", "000000" }, { "(vector,(0,1,1))", "000000" },
    { "(vector,(0,2,3))", "000111" }, { "(vector,(0,3,1))", "012012" },
    { "(vector,(5,1,1),(0,2,1))", "012012" }, { "(vector,(0,1,4),(1,1,2))", "000011" },
    { "(vector,(1,1,1),(0,1,1))", "010101" }, { "(vector,(0,4194304,1))", "012345" },
    { "(vector,(0,6,2))", "001122" }, { "", NULL }, { "(vector)", NULL }, { "(vector,())", NULL },
    { "(vector,(0,0,1))", NULL }, { "(vector,(0,1,0))", NULL }, { "(vector,(0,1,2)", NULL },
    { "(vector,(0,1,2),", NULL }, { "(vector,(-1,1,2))", NULL }, { "vector,(0,1,6)", NULL },
    { "(vector,(99999999999,1,6))", NULL }, { "(vector,(0,1,1)x)", NULL },
};

static void check_map(const char *text, const char *want)
{
    uint32_t node[6], leader[6];
    ck_assert_msg(mpi_pmi_mapping_read(text, node, 6) == (want ? 0 : -EPROTO), "%s", text);
    if (!want)
        return;
    unsigned nodes = mpi_pmi_mapping_number(node, leader, 6), most = 0;
    for (unsigned r = 0; r < 6; r++) {
        ck_assert_uint_eq(node[r], (unsigned)(want[r] - '0'));
        most = node[r] > most ? node[r] : most;
        ck_assert_uint_le(leader[node[r]], r);
        ck_assert_uint_eq(node[leader[node[r]]], node[r]);
    }
    ck_assert_uint_eq(nodes, most + 1);
}

START_TEST(map_of_nodes)
{
    for (unsigned i = 0; i < sizeof maps / sizeof *maps; i++)
        check_map(maps[i].text, maps[i].nodes);
}
END_TEST

START_TEST(letters)
{
    char text[1400];
    uint8_t back[1000];
    for (size_t n = 0; n <= 1000; n += n < 20 ? 1 : 49) {
        make_noise(n + 99);
        mpi_pmi_letters_write(text, noise, n);
        ck_assert_uint_eq(strlen(text), mpi_pmi_letters_of(n));
        ck_assert_uint_eq(strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                 "0123456789-_"), strlen(text));
        ck_assert_int_eq(mpi_pmi_letters_read(text, back, n), (int)n);
        ck_assert_mem_eq(back, noise, n);
        if (n)
            ck_assert_int_eq(mpi_pmi_letters_read(text, back, n - 1), -1);
    }
    ck_assert_int_eq(mpi_pmi_letters_read("AA=A", back, 9), -1);
    ck_assert_int_eq(mpi_pmi_letters_read("AA\377A", back, 9), -1);
}
END_TEST

static const struct { const char *fd, *rank, *size; int error; } environments[] = {
    { NULL, "0", "1", -ENOENT }, { "x", "0", "1", -EINVAL }, { "", "0", "1", -EINVAL },
    { "-1", "0", "1", -EINVAL }, { "0", "1", "1", -EINVAL }, { "0", "-1", "1", -EINVAL },
    { "0", "0", "0", -EINVAL }, { "0", "0", "99999999999", -EINVAL }, { "0", NULL, "1", -EINVAL },
    { "0", "0", NULL, -EINVAL }, { "987654", "0", "1", -EBADF }, { "0", "0 ", "1", -EINVAL },
};

static void set(const char *name, const char *value)
{
    value ? setenv(name, value, 1) : unsetenv(name);
}

START_TEST(environment)
{
    struct mpi_pmi *p;
    unsetenv("PMI_JOBID");
    for (unsigned i = 0; i < sizeof environments / sizeof *environments; i++) {
        set("PMI_FD", environments[i].fd);
        set("PMI_RANK", environments[i].rank);
        set("PMI_SIZE", environments[i].size);
        ck_assert_int_eq(mpi_pmi_open(&p), environments[i].error);
        ck_assert_uint_gt(strlen(mpi_pmi_why()), 0);
    }
}
END_TEST

/* The memory of a job, through /proc and through the socket, and what is not that job's. */
START_TEST(memory)
{
    const struct nic_job_config config = { .ranks = 2, .cores = 1, .heap = NIC_HEAP_OFF };
    struct nic_job *job, *other;
    struct pmi_address address;
    struct pmi_offer *offer;
    ck_assert_int_eq(nic_job_create(&config, &job), 0);
    ck_assert_int_eq(mpi_pmi_offer_begin(job, &address, &offer), 0);
    for (int way = 0; way < 2; way++) {
        struct pmi_address a = address;
        a.fd = way ? 987654 : a.fd;
        ck_assert_int_eq(mpi_pmi_offer_reach(&a, &other), 0);
        nic_job_set_abort(job, (unsigned)way, 5);
        ck_assert(nic_job_aborted(other, NULL, NULL));
        nic_job_close(other);
        a.token ^= 1;
        ck_assert_int_eq(mpi_pmi_offer_reach(&a, &other), -EHOSTUNREACH);
    }
    mpi_pmi_offer_end(offer);
    address.process = 0;
    ck_assert_int_eq(mpi_pmi_offer_reach(&address, &other), -EHOSTUNREACH);
    nic_job_close(job);
}
END_TEST

/* A rank's process, which is bound to one processor; ends when it is killed. */
static void be_rank_one(struct nic_job *job, int told)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(1, &one);
    sched_setaffinity(0, sizeof one, &one);
    nic_job_add_cpus(job);
    if (nic_job_hold(job, 1) || fork() == 0)        /* a child of it is not it */
        for (;;)
            pause();
    if (write(told, "", 1) == 1)
        for (;;)
            pause();
}

/* Who lives, and the processors of all, as other processes have told. */
START_TEST(others)
{
    const struct nic_job_config config = { .ranks = 3, .cores = 1, .heap = NIC_HEAP_OFF };
    struct nic_job *job;
    cpu_set_t all;
    char byte;
    int told[2];
    ck_assert(!sched_getaffinity(0, sizeof all, &all));
    ck_assert_int_eq(nic_job_create(&config, &job), 0);
    ck_assert(!nic_job_held(job, 1));
    ck_assert(!pipe(told));
    pid_t rank = fork();
    if (!rank) {
        setpgid(0, 0);
        be_rank_one(job, told[1]);
    }
    ck_assert_int_eq(read(told[0], &byte, 1), 1);
    ck_assert(nic_job_held(job, 1));
    ck_assert(!nic_job_held(job, 0) && !nic_job_held(job, 2));
    ck_assert_int_eq(nic_job_holder(job, 1), rank);
    kill(rank, SIGKILL);
    waitpid(rank, NULL, 0);
    ck_assert(!nic_job_held(job, 1));
    kill(-rank, SIGKILL);
    nic_job_add_cpus(job);
    nic_job_count_cpus(job);
    ck_assert_uint_eq(nic_job_cores(job), (unsigned)CPU_COUNT(&all));
    nic_job_close(job);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("pmi");
    TCase *tcase = tcase_create("pmi");
    tcase_add_loop_test(tcase, conversation, 0, WAYS);
    tcase_add_loop_test(tcase, end_of_all, 0, WAYS);
    tcase_add_loop_test(tcase, death, 0, 4);
    tcase_add_loop_test(tcase, answers_of_no_sense, 0, 4);
    tcase_add_test(tcase, messages_of_no_sense);
    tcase_add_test(tcase, fields);
    tcase_add_test(tcase, map_of_nodes);
    tcase_add_test(tcase, letters);
    tcase_add_test(tcase, environment);
    tcase_add_test(tcase, memory);
    tcase_add_test(tcase, others);
    suite_add_tcase(suite, tcase);
    return alone_run(suite);
}
