/* The model clock: what is sent to a rank that has gone is lost, and its ring, which nobody
 * empties, holds nobody up. */
#include <pthread.h>

#include "model/state.h"
#include "modelled.h"

enum { MESSAGES = 5000 };

static const struct nic_program program = { .name = "gone", IDLE_PROGRAM };
static struct nic *nic[2];

static void *leaves(void *argument)
{
    nic_close(nic[1]);
    return argument;
}

static void *sends(void *argument)
{
    struct nic_tx m = { .type = 7, .data = loop_payload(1), .data_bytes = 40 };
    nic_enter(nic[0]);
    while (nic_job_rank_state(argument, 1) == NIC_RANK_OPEN)
        nic_step(nic[0]);
    for (unsigned i = 0; i < MESSAGES; i++)
        must(nic_send(nic[0], 1, &m) == 0);
    nic_leave(nic[0]);
    nic_close(nic[0]);
    return NULL;
}

START_TEST(messages_are_lost)
{
    void *(*const scripts[])(void *argument) = { sends, leaves };
    pthread_t thread[2];
    struct nic_job *job = model_job(2, _i, NULL);
    loop_payload(0);
    for (unsigned r = 0; r < 2; r++)
        nic[r] = loop_nic(job, r, NIC_PROGRESS_AUTO, &program, NULL);
    for (unsigned r = 0; r < 2; r++)
        must(!pthread_create(&thread[r], NULL, scripts[r], job));
    for (unsigned r = 0; r < 2; r++)
        must(!pthread_join(thread[r], NULL));
    nic_job_close(job);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model_gone");
    TCase *tcase = tcase_create("model_gone");

    tcase_add_loop_test(tcase, messages_are_lost, 0, 2);
    suite_add_tcase(suite, tcase);
    return loop_run(suite);
}
