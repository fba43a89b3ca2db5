/* Data that the control program copies itself (nicemu/gaps.h): each byte is asked for once, and
 * comes in order, whatever the length, wherever the ring ends. */
#include <errno.h>

#include "core/nic.h"
#include "modelled.h"

/* Sends to the other one what loop_payload(match) says, and takes as much of what comes as fits. */
struct packer {
    struct nic *nic;
    unsigned char asked[LOOP_BYTES];        /* of the message under way */
    unsigned char data[LOOP_BYTES];         /* that came, behind the head */
    size_t capacity, came, bytes;
    unsigned long packets, whole;           /* each has the number of those before as match bits */
};

static void gather(struct nic *nic, void *context, const struct nic_tx *m, size_t place, void *to,
                   size_t bytes)
{
    struct packer *p = context;
    must(nic == p->nic && m->data == p && place + bytes <= m->data_bytes);
    for (size_t i = 0; i < bytes; i++)
        must(!p->asked[place + i]++);
    memcpy(to, loop_payload((unsigned)m->match) + place, bytes);
}

static void scatter(struct nic *nic, void *context, void *cookie, size_t place, const void *from,
                    size_t bytes)
{
    struct packer *p = context;
    must(nic == p->nic && cookie == p && place == p->came && bytes <= p->capacity - place);
    memcpy(p->data + place, from, bytes);
    p->came += bytes;
}

static void is_whole(struct packer *p)
{
    must(p->came == (p->bytes < p->capacity ? p->bytes : p->capacity));
    must(loop_is_payload(p->data, p->came, (unsigned)p->whole));
    p->whole++;
}

/* The head is a number of words, which flags say. */
static void on_packet(struct nic *nic, void *context, const struct nic_packet *k)
{
    struct packer *p = context;
    size_t head = (size_t)k->flags * 8, first = k->head_bytes - head;
    must(loop_is_payload(k->head, head, 9));
    must(p->packets == p->whole && k->match == p->packets);
    p->packets++;
    p->bytes = k->length - head;
    p->came = first < p->capacity ? first : p->capacity;
    memcpy(p->data, (const char *)k->head + head, p->came);
    if (k->length > k->head_bytes)
        nic_receive_scattered(nic, p->came, p->capacity - p->came, p);
    else
        is_whole(p);
}

static void on_landed(struct nic *nic, void *context, void *cookie)
{
    must(context == cookie && nic == ((struct packer *)context)->nic);
    is_whole(context);
}

static const struct nic_gaps gaps = { .gather = gather, .scatter = scatter };
static const struct nic_program packer = { .name = "packer", .gaps = &gaps, .packet = on_packet,
                                           .landed = on_landed, .command = idle_command,
                                           .advance = idle_advance };
static const struct nic_program plain = { .name = "plain", IDLE_PROGRAM };

static struct nic_job *job;
static struct packer at[2];

static void open_both(void)
{
    memset(at, 0, sizeof at);
    job = loop_job(2);
    for (unsigned r = 0; r < 2; r++)
        at[r].nic = loop_nic(job, r, NIC_PROGRESS_HOST, &packer, &at[r]);
}

static void close_both(void)
{
    nic_close(at[0].nic);
    nic_close(at[1].nic);
    nic_job_close(job);
}

static struct nic_tx message(uint64_t match, unsigned words, size_t bytes)
{
    return (struct nic_tx){ .type = 3, .flags = (uint8_t)words, .head_bytes = (uint8_t)(8 * words),
                            .head = loop_payload(9), .match = match, .gathered = true,
                            .data = &at[0], .data_bytes = (uint32_t)bytes };
}

static void check_asked(size_t bytes)
{
    for (size_t i = 0; i < sizeof at[0].asked; i++)
        must(at[0].asked[i] == (i < bytes));
    memset(at[0].asked, 0, sizeof at[0].asked);
}

/* Short and long ones, cut short or not; one in four is plain. */
START_TEST(any_length)
{
    uint64_t random = loop_seed(71);
    open_both();
    for (unsigned i = 0; i < 4000; i++) {
        size_t bytes = loop_below(&random, i % 2 ? 150 : NIC_MESSAGE_BYTES_MAX + 1);
        struct nic_tx m = message(i, loop_below(&random, 5), bytes);
        if (i % 4 == 3) {
            m.gathered = false;
            m.data = loop_payload(i);
        }
        at[1].capacity = i % 3 ? sizeof at[1].data : loop_below(&random, (uint32_t)bytes + 1);
        must(!loop_send(at[0].nic, 1, &m));
        check_asked(m.gathered ? bytes : 0);
        loop_drain(at[1].nic);
        must(at[1].whole == i + 1);
    }
    close_both();
}
END_TEST

/* What finds no room is gathered at once, since the program's data need not stay. */
START_TEST(kept_for_later)
{
    enum { MANY = 600, BYTES = 3000 };
    open_both();
    at[1].capacity = sizeof at[1].data;
    nic_enter(at[0].nic);
    for (unsigned i = 0; i < MANY; i++) {
        struct nic_tx m = message(i, 2, BYTES);
        must(!nic_post(at[0].nic, 1, &m));
        check_asked(BYTES);
    }
    nic_leave(at[0].nic);
    must(at[0].nic->posted > 0);
    while (at[1].whole < MANY) {
        loop_drain(at[1].nic);
        loop_drain(at[0].nic);
    }
    check_asked(0);
    close_both();
}
END_TEST

static void refused(struct nic_job *in, const struct nic_program *program)
{
    struct nic *nic = loop_nic(in, 0, NIC_PROGRESS_HOST, program, &at[0]);
    struct nic_tx m = message(1, 0, 100);
    ck_assert(!nic_gathers(nic));
    nic_enter(nic);
    ck_assert_int_eq(nic_send(nic, 0, &m), -EINVAL);
    ck_assert_int_eq(nic_post(nic, 0, &m), -EINVAL);
    nic_leave(nic);
    nic_close(nic);
    nic_job_close(in);
}

START_TEST(where_it_cannot)
{
    memset(at, 0, sizeof at);
    refused(loop_job(1), &plain);
    refused(model_job(1, 0, NULL), &packer);
    check_asked(0);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("gaps");
    TCase *t = tcase_create("gaps");
    suite_add_tcase(s, t);
    tcase_add_test(t, any_length);
    tcase_add_test(t, kept_for_later);
    tcase_add_test(t, where_it_cannot);
    return loop_run(s);
}
