/* Rendezvous: each protocol, posted before and after, with too little room; many at once; and a
 * storm of everything. */
#include "rndv.h"

START_TEST(each_way)
{
    unsigned seed = 0;

    ranks_open_as(2, NIC_PROGRESS_HOST, ways[_i].protocol, ways[_i].rdma);
    for (unsigned i = 0; i < SIZES; i++)
        for (int posted_first = 0; posted_first < 2; posted_first++) {
            size_t rooms[] = { sizes[i], sizes[i] - 1, sizes[i] / 3, 1, 0 };
            for (unsigned k = 0; k < sizeof rooms / sizeof *rooms; k++)
                one_message(sizes[i], rooms[k], seed++, posted_first);
        }
    ranks_end(0);
}
END_TEST

/* What was forced is what ran. */
START_TEST(forced)
{
    const struct fw_protocol *want = mpi_fw_protocol_by_name(ways[_i].protocol);
    bool staged = ways[_i].rdma;

    ranks_open_as(2, NIC_PROGRESS_HOST, ways[_i].protocol, ways[_i].rdma);
    struct fw_req *recv = start_recv(1, 0, 1, sink, LONGEST),
        *send = start_send(0, 1, 1, source, LONGEST);
    wait_done(recv);
    if (staged && want == &mpi_fw_protocol_both_ends)
        want = NULL;        /* it cannot work without RDMA */
    if (want)
        ck_assert_ptr_eq(recv->protocol, want);
    else
        ck_assert_ptr_eq(recv->protocol, staged ? &mpi_fw_protocol_staged
                         : &mpi_fw_protocol_both_ends);
    finish_recv(1, recv, LONGEST, 0, 1, source, LONGEST);
    finish_send(0, send);
    ranks_end(0);
}
END_TEST

START_TEST(names)
{
    ck_assert_ptr_null(mpi_fw_protocol_by_name(NULL));
    ck_assert_ptr_null(mpi_fw_protocol_by_name(""));
    ck_assert_ptr_null(mpi_fw_protocol_by_name("pigeon"));
    for (unsigned i = 0; i < FW_PROTOCOL_COUNT; i++)
        ck_assert_ptr_eq(mpi_fw_protocol_by_name(mpi_fw_protocols[i]->name), mpi_fw_protocols[i]);
}
END_TEST

/* To oneself: whatever is forced. */
START_TEST(self)
{
    ranks_open_as(1, NIC_PROGRESS_HOST, ways[_i].protocol, ways[_i].rdma);
    for (unsigned i = 0; i < SIZES; i++) {
        struct fw_req *send = start_send(0, 0, i, from_source(i), sizes[i]);
        finish_recv(0, start_recv(0, 0, (int)i, sink, LONGEST), LONGEST, 0, i, from_source(i),
                    sizes[i]);
        finish_send(0, send);
    }
    ranks_end(0);
}
END_TEST

/* A matched probe takes the envelope; the bytes come when it is received. */
START_TEST(extracted)
{
    uint64_t found;
    size_t bytes = 0;

    ranks_open_as(2, NIC_PROGRESS_HOST, ways[_i].protocol, ways[_i].rdma);
    struct fw_req *send = start_send(0, 1, 1, source, 200000),
        *recv = new_request(1, FW_RECV, sink, 100000);
    settle();
    nic_enter(at[1].nic);
    struct fw_unexpected *m = mpi_fw_extract(at[1].fw, match_of(0, 1), 0, &found, &bytes);
    ck_assert_ptr_nonnull(m);
    ck_assert_uint_eq(bytes, 200000);
    nic_leave(at[1].nic);
    settle();
    ck_assert(!fw_req_done(send));
    nic_enter(at[1].nic);
    mpi_fw_receive_message(at[1].fw, m, recv);
    nic_leave(at[1].nic);
    finish_recv(1, recv, 100000, 0, 1, source, 200000);
    finish_send(0, send);
    ranks_end(0);
}
END_TEST

/* -- many at once: more than there are claim words and staging buffers, in both directions */

START_TEST(many)
{
    enum { COUNT = 90, EACH = 70000 };
    static unsigned char into[2][COUNT][EACH];
    struct fw_req *send[2][COUNT], *recv[2][COUNT];

    ranks_open_as(2, NIC_PROGRESS_HOST, ways[_i].protocol, ways[_i].rdma);
    for (unsigned i = 0; i < COUNT; i++)
        for (unsigned r = 0; r < 2; r++)
            send[r][i] = start_send(r, 1 - r, i, from_source(i + r), EACH - i);
    settle();
    for (unsigned i = COUNT; i--;)          /* the last first */
        for (unsigned r = 0; r < 2; r++)
            recv[r][i] = start_recv(r, 1 - (int)r, (int)i, into[r][i], EACH);
    for (unsigned i = 0; i < COUNT; i++)
        for (unsigned r = 0; r < 2; r++) {
            finish_recv(r, recv[r][i], EACH, 1 - r, i, from_source(i + 1 - r), EACH - i);
            finish_send(r, send[r][i]);
        }
    ranks_end(0);
}
END_TEST

/* Requests that the host forgets. */
START_TEST(detached)
{
    ranks_open_as(2, NIC_PROGRESS_HOST, ways[_i].protocol, ways[_i].rdma);
    for (int i = 0; i < 4; i++) {
        memset(sink, 0, LONGEST);
        struct fw_req *send = start_send(0, 1, 1, from_source((unsigned)i), 300000);
        nic_enter(at[0].nic);
        mpi_fw_detach(at[0].fw, send);
        nic_leave(at[0].nic);
        struct fw_req *recv = start_recv(1, 0, 1, sink, 300000);
        nic_enter(at[1].nic);
        mpi_fw_detach(at[1].fw, recv);
        nic_leave(at[1].nic);
        settle();
        ck_assert_uint_eq(retired_count, 2 * ((unsigned)i + 1));
        ck_assert_mem_eq(sink, from_source((unsigned)i), 300000);
    }
    ranks_end(0);
}
END_TEST

/* Behind a full inbox: RTS and what follows wait for room,
 * eager messages behind them do not overtake. */
START_TEST(behind_a_full_inbox)
{
    enum { SMALL = 3000 };
    struct fw_req *small[SMALL], *last;

    ranks_open_as(2, NIC_PROGRESS_HOST, ways[_i].protocol, ways[_i].rdma);
    for (unsigned i = 0; i < SMALL; i++)
        small[i] = start_send(0, 1, 1, from_source(i), 8);
    struct fw_req *send = start_send(0, 1, 1, source, LONGEST);
    last = start_send(0, 1, 1, from_source(3), 16);
    for (unsigned i = 0; i < SMALL; i++)
        finish_recv(1, start_recv(1, 0, 1, sink, 100), 100, 0, 1, from_source(i), 8);
    finish_recv(1, start_recv(1, 0, 1, sink, LONGEST), LONGEST, 0, 1, source, LONGEST);
    finish_recv(1, start_recv(1, 0, 1, sink, 100), 100, 0, 1, from_source(3), 16);
    for (unsigned i = 0; i < SMALL; i++)
        finish_send(0, small[i]);
    finish_send(0, send);
    finish_send(0, last);
    ranks_end(0);
}
END_TEST

/* A sender whose scratchpad is taken stages through the receiver's inbox; when there is room again
 * it uses that. */
START_TEST(no_staging_buffers)
{
    enum { PIECES = 20 };
    uint64_t piece[PIECES];
    unsigned pieces = 0;
    struct nic_spad_usage usage;

    ranks_open_as(2, NIC_PROGRESS_HOST, NULL, "buffers");
    nic_enter(at[0].nic);
    for (size_t bytes; (bytes = nic_spad_largest(at[0].nic, 64)); pieces++) {
        must(pieces < PIECES);
        piece[pieces] = nic_spad_alloc(at[0].nic, NIC_SPAD_USER, bytes, 64);
        must(piece[pieces] != NIC_SPAD_NONE);
    }
    nic_leave(at[0].nic);
    for (unsigned i = 0; i < SIZES; i++)
        for (int posted_first = 0; posted_first < 2; posted_first++)
            one_message(sizes[i], sizes[i] - i, i, posted_first);
    ck_assert_uint_eq(at[0].fw->stages_all, 0);
    nic_enter(at[0].nic);
    nic_spad_used(at[0].nic, NIC_SPAD_BUFFERS, &usage);
    ck_assert_uint_eq(usage.bytes, 0);
    ck_assert_uint_gt(usage.refusals, 0);
    while (pieces)
        nic_spad_free(at[0].nic, piece[--pieces]);
    nic_leave(at[0].nic);
    one_message(LONGEST, LONGEST, 3, true);
    ck_assert_uint_eq(at[0].fw->stages_all, FW_STAGE_BUFFERS);
    ranks_end(0);
}
END_TEST

/* Scratchpads of every size: what there is decides how many buffers
 * and claim words, never whether it works. */
START_TEST(scratchpads)
{
    static const size_t scratchpads[] = { 4096, 8192, 16384, 32768, 65536, 81920, 131072, 200000,
                                          524288, 8 << 20 };
    struct nic_spad_usage usage;

    for (unsigned k = 0; k < sizeof scratchpads / sizeof *scratchpads; k++) {
        ranks_scratchpad = scratchpads[k];
        ranks_open_as(2, NIC_PROGRESS_HOST, ways[_i].protocol, ways[_i].rdma);
        for (unsigned i = 0; i < SIZES; i++)
            one_message(sizes[i], sizes[i] - i % 2, i + k, k % 2);
        for (unsigned r = 0; r < 2; r++) {
            nic_enter(at[r].nic);
            nic_spad_used(at[r].nic, NIC_SPAD_BUFFERS, &usage);
            must(usage.bytes == (uint64_t)at[r].fw->stages_all * at[r].fw->stage_bytes
                 && usage.bytes <= nic_spad_size(at[r].nic) / 4);
            nic_spad_used(at[r].nic, NIC_SPAD_CLAIMS, &usage);
            must(usage.bytes <= nic_spad_size(at[r].nic) / 8 + nic_spad_size(at[r].nic) / 16);
            nic_leave(at[r].nic);
        }
        ranks_end(0);
    }
    ranks_scratchpad = 0;
}
END_TEST

/* Where the kernel forbids its copy, what lies in a heap at either end needs no buffers: whoever
 * reaches it copies. */
START_TEST(heaps)
{
    enum { BYTES = 300000 };
    unsigned char *heap[2], *from, *to;

    ranks_open_as(2, NIC_PROGRESS_HOST, ways[_i].protocol, "staged");
    for (unsigned r = 0; r < 2; r++)
        must((heap[r] = nic_heap_at(at[r].nic, r, nic_heap_alloc(at[r].nic, BYTES, 64), BYTES)));
    for (unsigned where = 0; where < 4; where++)
        for (size_t bytes = 2000; bytes <= BYTES; bytes = bytes * 3 + 1) {
            from = where & 1 ? heap[0] : source;
            to = where & 2 ? heap[1] : sink;
            if (from == heap[0])
                memcpy(from, from_source(where + 1), bytes);
            memset(to, 0, bytes);
            struct fw_req *recv = start_recv(1, 0, 1, to, bytes),
                *send = start_send(0, 1, 1, from, bytes);
            wait_done(recv);
            if (!ways[_i].protocol)
                ck_assert_str_eq(recv->protocol->name,
                                 where & 1 ? (bytes < 65536 ? "get" : "both") : where & 2 ? "put"
                                     : "staged");
            finish_recv(1, recv, bytes, 0, 1, from, bytes);
            finish_send(0, send);
        }
    ranks_end(0);
}
END_TEST

/* More sends at once than there are credits, in the smallest
 * scratchpad, to several ranks and back. */
START_TEST(tiny_and_crowded)
{
    enum { COUNT = 30, EACH = 70000 };
    static unsigned char into[3][3][COUNT][EACH];
    struct fw_req *send[3][3][COUNT], *recv[3][3][COUNT];

    ranks_scratchpad = 4096;
    ranks_open_as(3, NIC_PROGRESS_HOST, ways[_i].protocol, ways[_i].rdma);
    for (unsigned i = 0; i < COUNT; i++)
        for (unsigned from = 0; from < 3; from++)
            for (unsigned to = 0; to < 3; to++)
                send[from][to][i] = start_send(from, to, i, from_source(i + 7 * from + to),
                                               EACH - i);
    for (unsigned i = COUNT; i--;)
        for (unsigned from = 0; from < 3; from++)
            for (unsigned to = 0; to < 3; to++)
                recv[to][from][i] = start_recv(to, (int)from, (int)i, into[to][from][i], EACH);
    for (unsigned i = 0; i < COUNT; i++)
        for (unsigned from = 0; from < 3; from++)
            for (unsigned to = 0; to < 3; to++) {
                finish_recv(to, recv[to][from][i], EACH, from, i, from_source(i + 7 * from + to),
                            EACH - i);
                finish_send(from, send[from][to][i]);
            }
    ranks_end(0);
    ranks_scratchpad = 0;
}
END_TEST

/* Chunks in packets that claim what they are not: nothing is written, nobody is completed. */
START_TEST(wrong_chunks)
{
    static unsigned char guarded[8192], second[8192];
    unsigned char noise[5001];

    ranks_scratchpad = 4096;
    ranks_open_as(2, NIC_PROGRESS_HOST, "staged", NULL);
    memset(noise, 7, sizeof noise);
    struct fw_req *recv = start_recv(1, 0, 1, guarded + 1000, 5000),
        *unmatched = start_recv(1, 0, 2, guarded, 5000);
    struct fw_req *small = start_recv(1, 0, 3, second + 1000, 3000);
    struct fw_rts rts = { .source = 0, .bytes = 5000 };
    struct nic_tx envelope = { .type = FW_PACKET_RTS, .match = match_of(0, 1), .head = &rts,
                                    .head_bytes = sizeof rts };
    must(!loop_send(at[0].nic, 1, &envelope));
    step(1);
    envelope.match = match_of(0, 3);
    must(!loop_send(at[0].nic, 1, &envelope));
    step(1);
    must(recv->protocol == &mpi_fw_protocol_staged && small->protocol == &mpi_fw_protocol_staged
         && small->bytes == 3000);
    const struct { uint64_t request; struct fw_data data; uint32_t bytes; } wrong[] = {
        { fw_req_id(recv), { 1, 500, FW_STAGE_INLINE }, 500 },              /* not the next */
        /* other length than the packet's */
        { fw_req_id(recv), { 0, 501, FW_STAGE_INLINE }, 500 },
        { fw_req_id(recv), { 0, UINT32_MAX, FW_STAGE_INLINE }, 500 },
        { fw_req_id(recv), { 5001, 10, FW_STAGE_INLINE }, 10 },
        /* outside the scratchpad */
        { fw_req_id(recv), { 0, 500, 4096 / FW_STAGE_UNIT }, 0 },
        /* in a buffer and in the packet */
        { fw_req_id(recv), { 0, 500, 0 }, 500 },
        /* longer than the scratchpad */
        { fw_req_id(recv), { 0, 5001, 0 }, 0 },
        /* more than there is room for */
        { fw_req_id(recv), { 0, 5001, FW_STAGE_INLINE }, 5001 },
        { fw_req_id(small), { 0, 3001, 0 }, 0 },
        { fw_req_id(unmatched), { 0, 500, FW_STAGE_INLINE }, 500 },
        { fw_req_id(recv) + (UINT64_C(1) << 32), { 0, 500, FW_STAGE_INLINE }, 500 },
    };
    enum { WRONG = sizeof wrong / sizeof *wrong };
    for (unsigned i = 0; i < WRONG; i++) {
        struct nic_tx m = { .type = FW_PACKET_DATA, .match = wrong[i].request,
                                 .head = &wrong[i].data, .head_bytes = sizeof wrong[i].data,
                                 .data = noise, .data_bytes = wrong[i].bytes };
        must(!loop_send(at[0].nic, 1, &m));
        settle();
        must(!fw_req_done(recv) && !recv->offset && !fw_req_done(small) && !small->offset);
    }
    for (size_t i = 0; i < sizeof guarded; i++)
        must(!guarded[i] && !second[i]);
    struct fw_data whole = { 0, 500, FW_STAGE_INLINE };
    for (; whole.offset < 5000; whole.offset += 500) {
        struct nic_tx m = { .type = FW_PACKET_DATA, .match = fw_req_id(recv), .head = &whole,
                                 .head_bytes = sizeof whole, .data = noise, .data_bytes = 500 };
        must(!loop_send(at[0].nic, 1, &m));
        settle();
    }
    must(fw_req_done(recv));
    /* from the sender's scratchpad, which is all zeros */
    whole = (struct fw_data){ 0, 3000, 0 };
    memset(second, 9, sizeof second);
    struct nic_tx rest = { .type = FW_PACKET_DATA, .match = fw_req_id(small), .head = &whole,
                                .head_bytes = sizeof whole };
    must(!loop_send(at[0].nic, 1, &rest));
    settle();
    must(fw_req_done(small));
    free_request(1, small);
    for (size_t i = 0; i < sizeof second; i++)
        must(second[i] == (i >= 1000 && i < 4000 ? 0 : 9));
    for (size_t i = 0; i < sizeof guarded; i++)
        must(guarded[i] == (i >= 1000 && i < 6000 ? 7 : 0));
    free_request(1, recv);
    nic_enter(at[1].nic);
    must(mpi_fw_cancel(at[1].fw, unmatched));
    nic_leave(at[1].nic);
    free_request(1, unmatched);
    /* and two CTS to sends that there are not, and the credits for eleven chunks that rank 0 knows
     * nothing of */
    ranks_end(WRONG + 13);
    ranks_scratchpad = 0;
}
END_TEST

/* A claim word that lies outside the sender's scratchpad
 * is not touched: the receiver pulls alone. */
START_TEST(wrong_ticket)
{
    ranks_open_as(2, NIC_PROGRESS_HOST, "both", NULL);
    /* gives the envelope below a request to end */
    struct fw_req *send = start_send(0, 1, 1, source, 100000);
    struct fw_rts rts = { .source = 0, .claim_word = UINT16_MAX, .request = fw_req_id(send),
                          .bytes = 100000, .address = (uint64_t)(uintptr_t)source };
    struct nic_tx m = { .type = FW_PACKET_RTS, .match = match_of(0, 2), .head = &rts,
                             .head_bytes = sizeof rts };
    must(!loop_send(at[0].nic, 1, &m));
    finish_recv(1, start_recv(1, 0, 2, sink, 100000), 100000, 0, 2, source, 100000);
    finish_send(0, send);
    /* the envelope itself, whose sender has gone: no answer will come */
    struct fw_req *recv = start_recv(1, 0, 1, sink, 100000);
    settle();
    wait_done(recv);
    free_request(1, recv);
    ranks_end(2);
}
END_TEST

/* -- a storm: random messages of three ranks to each other,
 * received by wildcard in order of posting */

enum { STORM = 400, STORM_MAX = 90000 };
struct mark { uint32_t source, number, bytes; };

static struct flying { struct fw_req *request; unsigned char *data; size_t bytes; } sent[3][STORM],
    got[3][STORM];
static unsigned sends[3], receives[3], to_come[3], number_of[3][3];

static void storm_send(uint64_t *random, unsigned from)
{
    unsigned to = loop_below(random, 3), i = sends[from]++;
    struct flying *f = &sent[from][i];

    f->bytes = sizeof(struct mark) + loop_below(random, loop_below(random, 3) ? 1500 : STORM_MAX);
    must((f->data = malloc(f->bytes)));
    for (size_t k = 0; k < f->bytes; k++)
        f->data[k] = (unsigned char)(k * 7 + from * 31 + i);
    struct mark mark = { from, number_of[from][to]++, (uint32_t)f->bytes };
    memcpy(f->data, &mark, sizeof mark);
    f->request = start_send_as(from, to, i, f->data, f->bytes, loop_below(random, 4) == 0);
    to_come[to]++;
}

static void storm_receive(unsigned rank)
{
    struct flying *f = &got[rank][receives[rank]++];

    f->bytes = sizeof(struct mark) + STORM_MAX;
    must((f->data = malloc(f->bytes)));
    f->request = start_recv(rank, ANY, ANY, f->data, f->bytes);
}

/* In order of posting, what came from each rank is in order of sending. */
static void storm_check(unsigned rank)
{
    unsigned next[3] = { 0 };
    struct mark mark;

    for (unsigned i = 0; i < receives[rank]; i++) {
        struct flying *f = &got[rank][i];
        wait_done(f->request);
        memcpy(&mark, f->data, sizeof mark);
        must(f->request->error == FW_OK && mark.source < 3 && mark.number == next[mark.source]);
        next[mark.source]++;
        must(f->request->count == mark.bytes
             && fw_match_source(f->request->match) == (int)mark.source);
        const struct flying *origin = &sent[mark.source][fw_match_tag(f->request->match)];
        must(origin->bytes == mark.bytes && !memcmp(origin->data, f->data, mark.bytes));
        free_request(rank, f->request);
    }
}

START_TEST(storm)
{
    uint64_t random = 1000 + (uint64_t)_i;

    ranks_open_as(3, NIC_PROGRESS_HOST, ways[_i].protocol, ways[_i].rdma);
    memset(sends, 0, sizeof sends);
    memset(receives, 0, sizeof receives);
    memset(to_come, 0, sizeof to_come);
    memset(number_of, 0, sizeof number_of);
    while (sends[0] + sends[1] + sends[2] < STORM) {
        unsigned rank = loop_below(&random, 3), what = loop_below(&random, 8);
        if (what < 2 && receives[rank] < to_come[rank])
            storm_receive(rank);
        else if (what < 4)
            storm_send(&random, rank);
        else
            step(rank);
    }
    for (unsigned rank = 0; rank < 3; rank++)
        while (receives[rank] < to_come[rank])
            storm_receive(rank);
    for (unsigned rank = 0; rank < 3; rank++)
        storm_check(rank);
    for (unsigned rank = 0; rank < 3; rank++) {
        for (unsigned i = 0; i < sends[rank]; i++) {
            finish_send(rank, sent[rank][i].request);
            free(sent[rank][i].data);
        }
        for (unsigned i = 0; i < receives[rank]; i++)
            free(got[rank][i].data);
    }
    ranks_end(0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("rndv");
    TCase *tcase = tcase_create("rndv");

    fill_source();
    tcase_add_loop_test(tcase, each_way, 0, WAYS);
    tcase_add_loop_test(tcase, forced, 0, WAYS);
    tcase_add_test(tcase, names);
    tcase_add_loop_test(tcase, self, 0, WAYS);
    tcase_add_loop_test(tcase, extracted, 0, WAYS);
    tcase_add_loop_test(tcase, many, 0, WAYS);
    tcase_add_loop_test(tcase, detached, 0, WAYS);
    tcase_add_loop_test(tcase, behind_a_full_inbox, 0, WAYS);
    tcase_add_test(tcase, no_staging_buffers);
    tcase_add_loop_test(tcase, scratchpads, 0, WAYS);
    tcase_add_loop_test(tcase, tiny_and_crowded, 0, WAYS);
    tcase_add_loop_test(tcase, heaps, 0, WAYS);
    tcase_add_test(tcase, wrong_chunks);
    tcase_add_test(tcase, wrong_ticket);
    tcase_add_loop_test(tcase, storm, 0, WAYS);
    suite_add_tcase(suite, tcase);
    return suite_single(loop_run(suite));
}
