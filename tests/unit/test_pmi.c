/* Talking to launchers: what they say in any order, what they have not got, nonsense, and their
 * death at any moment. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "alone.h"
#include "nicemu/job.h"
#include "nicemu/sizes.h"
#include "pmi/channel.h"
#include "pmi/join.h"
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
    server.at_barrier = NULL;
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
    /* of 379 bytes the last one is missing: that is not nothing */
    for (int i = 0; i < server.keys; i++)
        if (!strcmp(server.key[i], "n6-1-1"))
            strcpy(server.key[i], "gone");
    ck_assert_int_eq(mpi_pmi_get(p, 1, "n6", back, sizeof back), -EPROTO);
    ck_assert(!mpi_pmi_gone(p));
    ck_assert_int_eq(mpi_pmi_close(p), 0);
    ck_assert_int_eq(fcntl(server.ends[0], F_GETFD), -1);      /* it is closed */
    pmi_fake_end(&server, true);
    ck_assert(server.finalized);
}
END_TEST

/* Where the launcher says nothing of nodes, or nothing in it, there is one. */
START_TEST(one_node)
{
    make_server(_i);
    for (unsigned i = 0; i < 2; i++) {
        server.map = i ? "" : NULL;
        if (i && server.version == 2)
            continue;
        pmi_fake_begin(&server);
        struct mpi_pmi *p = opened();
        ck_assert_uint_eq(mpi_pmi_nodes(p), 1);
        for (unsigned r = 0; r < 4; r++)
            ck_assert_uint_eq(mpi_pmi_node_of(p, r), 0);
        ck_assert_uint_eq(mpi_pmi_leader(p, 0), 0);
        ck_assert_int_eq(mpi_pmi_close(p), 0);
        pmi_fake_end(&server, true);
    }
}
END_TEST

/* What this rank starts does not have its connection. */
START_TEST(not_inherited)
{
    make_server(_i);
    pmi_fake_begin(&server);
    ck_assert(!(fcntl(server.ends[0], F_GETFD) & FD_CLOEXEC));
    struct mpi_pmi *p = opened();
    ck_assert(fcntl(server.ends[0], F_GETFD) & FD_CLOEXEC);
    ck_assert_int_eq(mpi_pmi_close(p), 0);
    pmi_fake_end(&server, true);
}
END_TEST

/* A step of Slurm's in which mpiexec.hydra runs: it is the one that has started us. */
START_TEST(hydra_in_slurm)
{
    make_server(0);
    pmi_fake_begin(&server);
    setenv("PMI_JOBID", "7.0", 1);
    setenv("HYDI_CONTROL_FD", "9", 1);
    struct mpi_pmi *p = opened();
    unsetenv("HYDI_CONTROL_FD");
    ck_assert_str_eq(mpi_pmi_name(p), "PMI-1");
    ck_assert_int_eq(mpi_pmi_close(p), 0);
    pmi_fake_end(&server, true);
}
END_TEST

/* A server that is heard no more has gone, even if it still listens. */
START_TEST(half_gone)
{
    make_server(_i);
    pmi_fake_begin(&server);
    struct mpi_pmi *p = opened();
    ck_assert(!mpi_pmi_gone(p));
    shutdown(server.ends[1], SHUT_WR);
    ck_assert(mpi_pmi_gone(p));
    mpi_pmi_close(p);
    pmi_fake_end(&server, true);
}
END_TEST

/* -- last words: how often an abort waits for whoever reads them, who does at the third time, or
 * goes then */

static struct { bool counts, goes; unsigned waits; int reader; } words;

int nanosleep(const struct timespec *time, struct timespec *rest)
{
    char text[64];
    if (words.counts && ++words.waits == 3)
        ck_assert(words.goes ? !close(words.reader)
                  : read(words.reader, text, sizeof text) == 4);
    return clock_nanosleep(CLOCK_MONOTONIC, 0, time, rest) ? -1 : 0;
}

/* While this rank ends the job `fd` is the write end of a pipe, or of sockets, and the other stream
 * goes nowhere. */
static void abort_with(int fd, int other, bool sockets, bool goes)
{
    int ends[2], before = dup(fd), other_before = dup(other), none = open("/dev/null", O_WRONLY);
    ck_assert(!(sockets ? socketpair(AF_UNIX, SOCK_STREAM, 0, ends) : pipe(ends)));
    make_server(0);
    pmi_fake_begin(&server);
    struct mpi_pmi *p = opened();
    fflush(NULL);
    ck_assert(dup2(none, other) == other && dup2(ends[1], fd) == fd && write(fd, "last", 4) == 4);
    words.counts = true;
    words.goes = goes;
    words.waits = 0;
    words.reader = ends[0];
    mpi_pmi_abort(p, 7, "why");
    words.counts = false;
    ck_assert(dup2(before, fd) == fd && dup2(other_before, other) == other);
    close(before), close(other_before), close(none);
    ck_assert_uint_eq(words.waits, 3);
    pthread_join(server.thread, NULL);
    ck_assert_int_eq(server.aborted, 7);
    mpi_pmi_close(p);
    close(server.ends[1]), close(ends[1]);
    if (!goes)
        close(ends[0]);
}

/* What the rank has written is read first, whichever stream it went to, if anybody is there. */
START_TEST(last_words)
{
    abort_with(STDOUT_FILENO, STDERR_FILENO, _i % 2, _i / 2);
    abort_with(STDERR_FILENO, STDOUT_FILENO, _i % 2, _i / 2);
}
END_TEST

/* The text of an abort stands in a field: what would end that does not go there. */
START_TEST(text_of_abort)
{
    static const char *const texts[] = { "a;b", "a=b", "a\nb", "a b" };
    for (unsigned i = 0; i < 4; i++) {
        make_server(1);
        pmi_fake_begin(&server);
        struct mpi_pmi *p = opened();
        mpi_pmi_abort(p, 7, texts[i]);
        pthread_join(server.thread, NULL);
        ck_assert_int_eq(server.aborted, 1);
        ck_assert_str_eq(server.asked, i < 3 ? "cmd=abort;isworld=TRUE;msg=aborted (exit code 7);"
                         : "cmd=abort;isworld=TRUE;msg=a b (exit code 7);");
        mpi_pmi_close(p);
        close(server.ends[1]);
    }
}
END_TEST

/* Of a code a launcher keeps eight bits, of which a failure needs one. */
START_TEST(code_of_abort)
{
    static const int codes[][2] = { { 0, 0 }, { 255, 255 }, { 256, 1 }, { 257, 257 }, { -1, -1 },
                                    { -256, 1 }, { 65536, 1 } };
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        make_server(0);
        pmi_fake_begin(&server);
        struct mpi_pmi *p = opened();
        mpi_pmi_abort(p, codes[i][0], "why");
        pthread_join(server.thread, NULL);
        ck_assert_int_eq(server.aborted, codes[i][1]);
        mpi_pmi_close(p);
        close(server.ends[1]);
    }
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
    "cmd=maxes keylen_max=64 vallen_max=100", "cmd=maxes keylen_max=63 vallen_max=1024",
    "cmd=maxes keylen_max=64 vallen_max=512", "cmd=my_kvsname", "cmd=barrier_out rc=-1",
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
            /* who cannot join ends the others, which would wait for him */
            bool lost = server.version == 2 && !i;      /* from there on it is framed, or not */
            ck_assert_msg(closed || lost || server.aborted == 1, "answer %d: %s", i, nonsense[n]);
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

/* Messages that come together are one after the other, and none is longer than room for. */
START_TEST(messages_together)
{
    static const struct { bool framed; const char *text; } raw[] = {
        { false, "one\n\nthree\nfour4\n" }, { true, "     3one0     5     three5    four4" },
    };
    char text[6];
    int ends[2];
    for (unsigned i = 0; i < 2; i++) {
        ck_assert(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
        struct pmi_channel c = { .fd = ends[0], .framed = raw[i].framed };
        size_t bytes = strlen(raw[i].text);
        ck_assert_int_eq(write(ends[1], raw[i].text, bytes), (int)bytes);
        for (unsigned k = 0; k < 4; k++) {
            static const char *const wanted[] = { "one", "", "three" };
            bool fits = k < 3;
            int rc = mpi_pmi_receive(&c, text, fits ? sizeof text : 5);
            ck_assert_int_eq(rc, fits ? 0 : -EPROTO);
            if (fits)
                ck_assert_str_eq(text, wanted[k]);
        }
        close(ends[0]), close(ends[1]);
    }
}
END_TEST

/* The longest that is sent, whole or not at all; by a pipe, too. */
START_TEST(message_lengths)
{
    static char text[PMI_MESSAGE_MAX], back[2 * PMI_MESSAGE_MAX];
    int ends[2];
    bool framed = _i;
    int most = PMI_MESSAGE_MAX - 2 - (framed ? 6 : 0);
    memset(text, 'x', sizeof text);
    ck_assert(!pipe(ends));
    struct pmi_channel c = { .fd = ends[1], .framed = framed };
    ck_assert_int_eq(mpi_pmi_send(&c, "%.*s", most + 1, text), -EMSGSIZE);
    ck_assert_int_eq(mpi_pmi_send(&c, "%.*s", most, text), 0);
    ck_assert_int_eq(read(ends[0], back, sizeof back), most + (framed ? 6 : 1));
    ck_assert_int_eq(memcmp(back + (framed ? 6 : 0), text, (size_t)most), 0);
    if (framed)
        ck_assert_int_eq(memcmp(back, "  4088", 6), 0);
    else
        ck_assert_int_eq(back[most], '\n');
    close(ends[0]), close(ends[1]);
}
END_TEST

/* A server that has died without reading is gone like any other. */
START_TEST(death_unread)
{
    char text[64];
    int ends[2];
    ck_assert(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
    struct pmi_channel c = { .fd = ends[0] };
    ck_assert_int_eq(mpi_pmi_send(&c, "question"), 0);
    close(ends[1]);
    ck_assert_int_eq(mpi_pmi_receive(&c, text, sizeof text), -EPIPE);
    ck_assert_ptr_nonnull(strstr(mpi_pmi_why(), "the launcher is gone"));
    close(ends[0]);
}
END_TEST

/* A program's signals end no wait for an answer. */
static void nothing(int signal) { (void)signal; }

static void *answer_late(void *argument)
{
    const int *ends = argument;
    for (unsigned i = 0; i < 50; i++) {
        kill(getpid(), SIGUSR1);
        usleep(1000);
    }
    ck_assert(write(ends[1], "answer\n", 7) == 7);
    return NULL;
}

START_TEST(signals)
{
    const struct sigaction act = { .sa_handler = nothing };
    struct sigaction before;
    sigset_t usr1;
    pthread_t thread;
    char text[64];
    int ends[2];
    ck_assert(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
    sigaction(SIGUSR1, &act, &before);
    sigemptyset(&usr1);
    sigaddset(&usr1, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &usr1, NULL);    /* the thread's */
    ck_assert(!pthread_create(&thread, NULL, answer_late, ends));
    pthread_sigmask(SIG_UNBLOCK, &usr1, NULL);
    struct pmi_channel c = { .fd = ends[0] };
    ck_assert_int_eq(mpi_pmi_receive(&c, text, sizeof text), 0);
    ck_assert_str_eq(text, "answer");
    pthread_join(thread, NULL);
    sigaction(SIGUSR1, &before, NULL);
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
    ck_assert(mpi_pmi_field_number("a=9", ' ', "a", 0, 9, &n) && n == 9);
    ck_assert(!mpi_pmi_field_number("a=10", ' ', "a", 0, 9, &n));
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

static void unreachable(const struct pmi_address *a)
{
    struct nic_job *other;
    ck_assert_int_eq(mpi_pmi_offer_reach(a, &other), -EHOSTUNREACH);
}

/* Another user's process does not get it. */
static void unreachable_by_others(const struct pmi_address *a)
{
    int status;
    fflush(NULL);
    pid_t child = geteuid() ? 0 : fork();
    if (geteuid())
        return;
    if (!child) {
        struct nic_job *other;
        suite_limit();
        if (setresuid(65534, 65534, 65534))
            _exit(77);
        _exit(mpi_pmi_offer_reach(a, &other) == -EHOSTUNREACH ? 0 : 1);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) != 1, "another user has it");
}

/* What another process has open under that number now may be anything: it is not opened if it is no
 * file, and if it is one that is no job, or not this one, the socket is there. */
START_TEST(memory_elsewhere)
{
    const struct nic_job_config config = { .ranks = 2, .cores = 1, .heap = NIC_HEAP_OFF };
    struct nic_job *job, *other, *found;
    struct pmi_address address, a;
    struct pmi_offer *offer;
    char folder[] = "/tmp/test_pmi.XXXXXX", path[64];
    sigset_t mask, before;
    ck_assert(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/fifo", folder);
    ck_assert(!mkfifo(path, 0600));
    int fifo = open(path, O_RDWR | O_NONBLOCK), watch = inotify_init1(IN_NONBLOCK);
    ck_assert(fifo >= 0 && watch >= 0 && inotify_add_watch(watch, path, IN_OPEN) >= 0);
    FILE *file = tmpfile();
    ck_assert(file && fputs("no job", file) >= 0 && !fflush(file));
    ck_assert_int_eq(nic_job_create(&config, &job), 0);
    ck_assert_int_eq(nic_job_create(&config, &other), 0);
    sigemptyset(&mask);
    pthread_sigmask(SIG_SETMASK, &mask, &before);
    ck_assert_int_eq(mpi_pmi_offer_begin(job, &address, &offer), 0);
    pthread_sigmask(SIG_SETMASK, &before, &mask);
    for (int s = 1; s < SIGRTMIN; s++)
        ck_assert(!sigismember(&mask, s));
    const int fds[] = { fifo, fileno(file), nic_job_fd(other) };
    for (unsigned i = 0; i < 3; i++) {
        a = address;
        a.fd = fds[i];
        ck_assert_int_eq(mpi_pmi_offer_reach(&a, &found), 0);
        nic_job_set_abort(job, i & 1, 5);
        ck_assert(nic_job_aborted(found, NULL, NULL));
        nic_job_close(found);
    }
    char event[4096];
    ck_assert_int_lt(read(watch, event, sizeof event), 0);      /* nobody has opened the fifo */
    unreachable_by_others(&a);
    mpi_pmi_offer_end(offer);
    unreachable(&a);
    nic_job_close(job);
    nic_job_close(other);
    fclose(file);
    close(fifo), close(watch);
    unlink(path), rmdir(folder);
}
END_TEST

/* -- joining */

static void must(bool holds)
{
    if (!holds)
        abort();        /* not in the thread of the tests */
}

static int first_cpu(const cpu_set_t *set)
{
    int cpu = 0;
    while (!CPU_ISSET(cpu, set))
        cpu++;
    return cpu;
}

/* Whether some process of this machine listens for those who look for a job with that token. */
static bool is_offered(uint64_t token)
{
    char name[40], line[512];
    bool found = false;
    FILE *file = fopen("/proc/net/unix", "r");
    snprintf(name, sizeof name, "@mpilite-%016llx", (unsigned long long)token);
    while (file && !found && fgets(line, sizeof line, file))
        found = strstr(line, name);
    if (file)
        fclose(file);
    return found;
}

/* Another rank, which may run on all processors but the first one, comes to the memory in time. */
static void add_others(struct pmi_fake *s, int barrier)
{
    struct pmi_address address;
    struct nic_job *job;
    const char *text = barrier == 2 ? pmi_fake_find(s, "memory-0-0") : NULL;
    if (barrier == 1)
        return;
    must(text && strchr(text, '.'));
    must(mpi_pmi_letters_read(strchr(text, '.') + 1, &address, sizeof address) == sizeof address);
    must(!mpi_pmi_offer_reach(&address, &job));
    cpu_set_t rest;
    must(!sched_getaffinity(0, sizeof rest, &rest));
    CPU_CLR(first_cpu(&rest), &rest);
    sched_setaffinity(0, sizeof rest, &rest);
    nic_job_add_cpus(job);
    nic_job_close(job);
}

/* The only rank of a job: it makes the memory, of which nothing is left to be reached when all have
 * it, knows its processors, and is no launcher's rank for what it starts. */
START_TEST(joining)
{
    struct nic_job *job = NULL;
    unsigned rank = 7;
    cpu_set_t all, first;
    ck_assert(!sched_getaffinity(0, sizeof all, &all));
    make_server(0);
    server.map = "(vector,(0,1,1))";
    server.at_barrier = add_others;
    pmi_fake_begin(&server);
    CPU_ZERO(&first);
    CPU_SET(first_cpu(&all), &first);
    ck_assert(!sched_setaffinity(0, sizeof first, &first));
    setenv("PMI_RANK", "0", 1);
    setenv("PMI_SIZE", "1", 1);
    ck_assert(!mpi_joined());
    ck_assert_msg(!mpi_join(&job, &rank), "%s", mpi_pmi_why());
    ck_assert(mpi_joined());
    ck_assert_uint_eq(rank, 0);
    ck_assert_int_eq(mpi_join_appnum(), 3);
    ck_assert_ptr_nonnull(mpi_join_directory());
    ck_assert_uint_eq(nic_job_ranks(job), 1);
    ck_assert_uint_eq(nic_job_cores(job), (unsigned)CPU_COUNT(&all));
    ck_assert(!sched_setaffinity(0, sizeof all, &all));
    ck_assert(nic_job_token(job) && !is_offered(nic_job_token(job)));
    ck_assert(fcntl(nic_job_fd(job), F_GETFD) & FD_CLOEXEC);
    ck_assert_str_eq(getenv("MPILITE_JOINED"), "1");
    ck_assert(!getenv("PMI_FD") && !getenv("PMIX_NAMESPACE"));
    unsetenv("MPILITE_JOINED");
    mpi_join_leave();
    pmi_fake_end(&server, true);
    ck_assert(server.finalized && !mpi_joined());
    nic_job_close(job);
}
END_TEST

/* Puts down what rank 0 offers. */
static void leave_address(const struct pmi_address *address)
{
    char letters[64];
    mpi_pmi_letters_write(letters, address, sizeof *address);
    strcpy(server.key[0], "memory-0-0");
    snprintf(server.value[0], TEXT, "%zu.%s", sizeof *address, letters);
    server.keys = 1;
}

/* Rank 1 of 4 has the first rank's memory, and tells its own processors. */
START_TEST(joining_another)
{
    const struct nic_job_config config = { .ranks = 4, .heap = NIC_HEAP_OFF };
    struct nic_job *job, *found = NULL;
    struct pmi_address address;
    struct pmi_offer *offer;
    unsigned rank;
    cpu_set_t all, first;
    ck_assert(!sched_getaffinity(0, sizeof all, &all));
    CPU_ZERO(&first);
    CPU_SET(first_cpu(&all), &first);
    ck_assert(!sched_setaffinity(0, sizeof first, &first));
    ck_assert_int_eq(nic_job_create(&config, &job), 0);
    ck_assert(!sched_setaffinity(0, sizeof all, &all));
    ck_assert_int_eq(mpi_pmi_offer_begin(job, &address, &offer), 0);
    make_server(0);
    pmi_fake_begin(&server);
    leave_address(&address);
    ck_assert_msg(!mpi_join(&found, &rank), "%s", mpi_pmi_why());
    ck_assert_uint_eq(rank, 1);
    ck_assert(nic_job_token(found) == address.token);
    ck_assert_uint_eq(nic_job_cores(found), (unsigned)CPU_COUNT(&all));
    unsetenv("MPILITE_JOINED");
    mpi_join_leave();
    pmi_fake_end(&server, true);
    mpi_pmi_offer_end(offer);
    nic_job_close(found);
    nic_job_close(job);
}
END_TEST

/* What the first rank has left for the others, instead of where a job of four is. */
static const struct { const char *text, *why; } addresses[] = {
    { NULL, "nobody has put" }, { "3.AAAA", "rank 0 has left no address" },
    { "job", "rank 1 cannot use the memory of rank 0: it is of another version" },
    { "16.AAAAAAAAAAAAAAAAAAAAAA", "rank 1 cannot reach the memory of rank 0, though" },
};

/* Rank 1 of 4 does not take itself for one that is alone. */
START_TEST(reaching)
{
    const struct nic_job_config config = { .ranks = 2, .cores = 1, .heap = NIC_HEAP_OFF };
    struct nic_job *job, *other = NULL;
    struct pmi_address address;
    struct pmi_offer *offer;
    unsigned rank;
    ck_assert_int_eq(nic_job_create(&config, &job), 0);
    ck_assert_int_eq(mpi_pmi_offer_begin(job, &address, &offer), 0);
    ck_assert(is_offered(address.token));
    make_server(0);
    pmi_fake_begin(&server);
    if (addresses[_i].text) {
        leave_address(&address);
        if (strcmp(addresses[_i].text, "job"))
            snprintf(server.value[0], TEXT, "%s", addresses[_i].text);
    }
    int rc = mpi_join(&other, &rank);
    ck_assert_int_lt(rc, 0);
    ck_assert_int_ne(rc, -ENOENT);
    ck_assert_msg(strstr(mpi_pmi_why(), addresses[_i].why), "%s", mpi_pmi_why());
    unsetenv("MPILITE_JOINED");
    mpi_join_leave();
    pmi_fake_end(&server, true);
    mpi_pmi_offer_end(offer);
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
    tcase_add_loop_test(tcase, one_node, 0, 4);
    tcase_add_loop_test(tcase, not_inherited, 0, 2);
    tcase_add_test(tcase, hydra_in_slurm);
    tcase_add_loop_test(tcase, half_gone, 0, 2);
    tcase_add_loop_test(tcase, last_words, 0, 4);
    tcase_add_test(tcase, text_of_abort);
    tcase_add_test(tcase, code_of_abort);
    tcase_add_loop_test(tcase, end_of_all, 0, WAYS);
    tcase_add_loop_test(tcase, death, 0, 4);
    tcase_add_loop_test(tcase, answers_of_no_sense, 0, 4);
    tcase_add_test(tcase, messages_of_no_sense);
    tcase_add_test(tcase, messages_together);
    tcase_add_loop_test(tcase, message_lengths, 0, 2);
    tcase_add_test(tcase, death_unread);
    tcase_add_test(tcase, signals);
    tcase_add_test(tcase, fields);
    tcase_add_test(tcase, map_of_nodes);
    tcase_add_test(tcase, letters);
    tcase_add_test(tcase, environment);
    tcase_add_test(tcase, memory);
    tcase_add_test(tcase, memory_elsewhere);
    tcase_add_test(tcase, others);
    tcase_add_test(tcase, joining);
    tcase_add_test(tcase, joining_another);
    tcase_add_loop_test(tcase, reaching, 0, sizeof addresses / sizeof *addresses);
    suite_add_tcase(suite, tcase);
    return alone_run(suite);
}
