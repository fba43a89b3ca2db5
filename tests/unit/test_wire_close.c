/* NICs of several machines that close while one of them is cut off. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machines.h"
#include "wire/state.h"

/* -- the wire of rank 0: while it is cut, frames that have been sent are under way */

static struct {
    const struct nic_wire_ops *behind;
    struct nic_wire_ops ops;
    _Atomic bool cut;
    struct nic_wire_frame *first, **end;
    uint64_t peer;
} gate;

static int gate_send(struct nic_wire *w, uint64_t peer, struct nic_wire_frame *f)
{
    if (!atomic_load(&gate.cut) && !gate.first)
        return gate.behind->send(w, peer, f);
    gate.peer = peer;
    f->told = true;
    f->next = NULL;
    *gate.end = f;
    gate.end = &f->next;
    return 0;
}

static struct nic_wire_frame *take_first(void)
{
    struct nic_wire_frame *f = gate.first;
    if (!(gate.first = f->next))
        gate.end = &gate.first;
    return f;
}

static unsigned gate_poll(struct nic_wire *w, struct nic_wire_event *events, unsigned most)
{
    while (gate.first && !atomic_load(&gate.cut))
        must(gate.behind->send(w, gate.peer, take_first()) == 0);
    return gate.behind->poll(w, events, most);
}

static void gate_close(struct nic_wire *w)
{
    while (gate.first)
        gate.behind->drop(w, take_first());
    gate.behind->close(w);
}

/* Two that have talked to each other, and that do not give each other up. */
static void open_gate(struct machines *m)
{
    struct nic_tx t = { .type = 1, .data = loop_payload(1), .data_bytes = 100 };
    setenv("NICEMU_WIRE_PATIENCE", "600000", 1);
    machines_open(m, 2, 2, NIC_PROGRESS_HOST);
    struct nic_wires *w = m->nic[0]->wires;
    memset(&gate, 0, sizeof gate);
    gate.behind = w->ops;
    gate.ops = *w->ops;
    gate.ops.send = gate_send;
    gate.ops.poll = gate_poll;
    gate.ops.close = gate_close;
    gate.end = &gate.first;
    w->ops = &gate.ops;
    machines_send(m, 0, 1, &t);
    machines_await(m, 1, 1);
    machines_send(m, 1, 0, &t);
    machines_await(m, 0, 1);
    machines_settle(m);
    atomic_store(&gate.cut, true);
}

static pthread_t close_beside(struct nic *nic)
{
    pthread_t closer;
    must(!pthread_create(&closer, NULL, machines_close_one, nic));
    return closer;
}

static void step_until_bye(struct nic *nic, unsigned peer)
{
    while (!nic->peer[peer].wire->bye)
        machines_step(nic);
}

static void free_all(struct machines *m)
{
    for (unsigned r = 0; r < 2; r++) {
        free(m->catcher[r]);
        nic_job_close(m->job[r]);
    }
}

/* What is under way to a peer that has said good-bye keeps nobody: nobody waits for it, and who
 * would acknowledge it may be gone. */
START_TEST(test_peer_has_closed)
{
    struct machines m;
    struct nic_tx t = { .type = 1, .data = loop_payload(2), .data_bytes = 100 };
    open_gate(&m);
    ck_assert_int_eq(loop_send(m.nic[0], 1, &t), 0);
    ck_assert_uint_eq(m.nic[0]->peer[1].wire->in_flight, 1);
    pthread_t closer = close_beside(m.nic[1]);
    step_until_bye(m.nic[0], 1);
    nic_close(m.nic[0]);
    pthread_join(closer, NULL);
    free_all(&m);
}
END_TEST

/* One that is cut off for longer than a good-bye takes says it when the outage has ended: over a
 * wire that loses its peer would wait for an answer else, as long as the patience lasts. */
START_TEST(test_cut_off)
{
    enum { OUTAGE_US = 1500 * 1000 };
    struct machines m;
    setenv("NICEMU_FAULT", "drop=0%", 0);
    open_gate(&m);
    pthread_t closer = close_beside(m.nic[0]);
    usleep(OUTAGE_US);
    atomic_store(&gate.cut, false);
    step_until_bye(m.nic[1], 0);
    nic_close(m.nic[1]);
    pthread_join(closer, NULL);
    free_all(&m);
}
END_TEST

int main(void)
{
    if (!machines_possible())
        return 77;
    Suite *s = suite_create("wire_close");
    TCase *t = tcase_create("wire_close");
    tcase_add_test(t, test_peer_has_closed);
    tcase_add_test(t, test_cut_off);
    suite_add_tcase(s, t);
    return loop_run(s);
}
