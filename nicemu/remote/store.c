/* Remote stores and messages: a few words into a scratchpad, or to the program of another NIC. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/baton.h"
#include "core/scratchpad.h"
#include "remote/packets.h"
#include "remote/reach.h"
#include "remote/store.h"
#include "nicemu/queue.h"

/* Whether aligned words can be there, in a scratchpad. */
static bool words_fit(struct nic *n, uint32_t rank, uint64_t offset, unsigned bytes, unsigned count)
{
    return (bytes == 4 || bytes == 8) && offset % bytes == 0
           && nic_spad_holds(n, rank, offset, (size_t)bytes * count);
}

/* Their place where it is in reach, or NULL. */
static void *words_at(struct nic *n, uint32_t rank, uint64_t offset, unsigned bytes, unsigned count)
{
    return words_fit(n, rank, offset, bytes, count)
           ? nic_spad_at(n, rank, offset, (size_t)bytes * count) : NULL;
}

/* -- where the scratchpad is in reach.  Edge: M0 release of the (last) word -> acquire of it by
 * whoever waits for it */

int nic_word_store(struct nic *n, uint32_t rank, uint64_t offset, uint64_t value, unsigned bytes)
{
    void *at = words_at(n, rank, offset, bytes, 1);
    if (!at)
        return -EINVAL;
    if (bytes == 4)
        __atomic_store_n((uint32_t *)at, (uint32_t)value, __ATOMIC_RELEASE);   /* M0 */
    else
        __atomic_store_n((uint64_t *)at, value, __ATOMIC_RELEASE);             /* M0 */
    nic_notify(n, rank);
    return 0;
}

static int words_store(struct nic *n, uint32_t rank, uint64_t offset, const uint64_t *words,
                       unsigned count)
{
    uint64_t *at = words_at(n, rank, offset, 8, count);
    if (!at)
        return -EINVAL;
    if (!count)
        return 0;
    NIC_CHARGE(n, STORE, count);
    for (unsigned i = 0; i < count - 1; i++)
        __atomic_store_n(&at[i], words[i], __ATOMIC_RELAXED);
    __atomic_store_n(&at[count - 1], words[count - 1], __ATOMIC_RELEASE);      /* M0 */
    nic_notify(n, rank);
    return 0;
}

/* -- calls */

int nic_store(struct nic *n, uint32_t rank, uint64_t offset, uint64_t value, unsigned bytes)
{
    nic_baton_check(n);
    nic_catch_up(n);
    if (nic_in_reach(n, rank)) {
        NIC_CHARGE(n, STORE, 1);
        return nic_word_store(n, rank, offset, value, bytes);
    }
    uint64_t head[] = { value, bytes };
    if (!words_fit(n, rank, offset, bytes, 1))
        return -EINVAL;
    if (unlikely(n->model != NULL)) {
        const struct nic_tx m = { .type = NIC_HW_STORE, .match = offset, .head = head,
                                  .head_bytes = sizeof head };
        return n->model_ops->store_message(n, rank, &m);
    }
    nic_hw_send(n, rank, NIC_HW_STORE, offset, head, sizeof head, NULL, 0);
    return 0;
}

int nic_message_write(struct nic *n, uint32_t rank, uint64_t offset, const uint64_t *words,
                      unsigned count)
{
    nic_baton_check(n);
    nic_catch_up(n);
    if (count > NIC_WORDS_MAX)
        return -EMSGSIZE;
    if (nic_in_reach(n, rank))
        return words_store(n, rank, offset, words, count);
    if (!words_fit(n, rank, offset, 8, count))
        return -EINVAL;
    if (count)
        nic_hw_send(n, rank, NIC_HW_WRITE, offset, NULL, 0, words, count * sizeof *words);
    return 0;
}

int nic_message_send(struct nic *n, uint32_t rank, const uint64_t *words, unsigned count)
{
    nic_baton_check(n);
    nic_catch_up(n);
    if (count > NIC_WORDS_MAX)
        return -EMSGSIZE;
    if (rank >= n->ranks)
        return -EINVAL;
    nic_hw_send(n, rank, NIC_HW_MESSAGE, n->rank, NULL, 0, words, count * sizeof *words);
    return 0;
}

/* -- packets */

void nic_store_arrived(struct nic *n, const struct nic_packet *p)
{
    uint64_t head[2];
    if (!nic_hw_whole(n, p, nic_store_arrived))
        return;
    if (p->length != sizeof head) {
        nic_hw_drop(n);
        return;
    }
    memcpy(head, p->head, sizeof head);
    if (head[1] > 8 || nic_word_store(n, n->rank, p->match, head[0], (unsigned)head[1]))
        nic_hw_drop(n);
}

/* Words of a packet that is whole; false: no number of words that can be. */
static bool words_of(const struct nic_packet *p, uint64_t *words, unsigned *count)
{
    if (p->length > NIC_WORDS_MAX * sizeof *words || p->length % sizeof *words)
        return false;
    *count = p->length / sizeof *words;
    memcpy(words, p->head, p->length);
    return true;
}

void nic_write_arrived(struct nic *n, const struct nic_packet *p)
{
    uint64_t words[NIC_WORDS_MAX];
    unsigned count;
    if (!nic_hw_whole(n, p, nic_write_arrived))
        return;
    if (!words_of(p, words, &count) || words_store(n, n->rank, p->match, words, count))
        nic_hw_drop(n);
}

void nic_message_arrived(struct nic *n, const struct nic_packet *p)
{
    struct nic_words m = { .source = (uint32_t)p->match };
    if (!nic_hw_whole(n, p, nic_message_arrived))
        return;
    if (p->match >= n->ranks || !n->program->message || !words_of(p, m.word, &m.count))
        nic_hw_drop(n);
    else
        n->program->message(n, n->context, &m);
}

/* -- waiting for a word of one's own */

struct waiting { const void *word; unsigned bytes; uint64_t before, value, offset; };

static bool changed(void *argument)
{
    struct waiting *w = argument;
    w->value = w->bytes == 4 ? __atomic_load_n((const uint32_t *)w->word, __ATOMIC_ACQUIRE)
            : __atomic_load_n((const uint64_t *)w->word, __ATOMIC_ACQUIRE);
    return w->value != w->before;
}

static const char *note(void *argument, char *text, size_t size)
{
    const struct waiting *w = argument;
    snprintf(text, size, "the word at %llu to change from %llu",
             (unsigned long long)w->offset, (unsigned long long)w->before);
    return text;
}

int nic_word_wait(struct nic *n, uint64_t offset, unsigned bytes, uint64_t before, uint64_t *value)
{
    struct waiting waiting = { .word = words_at(n, n->rank, offset, bytes, 1), .bytes = bytes,
                               .before = before, .offset = offset };
    struct nic_wait w = { .note = note, .ready = changed, .argument = &waiting };
    nic_baton_check(n);
    nic_catch_up(n);
    if (!waiting.word)
        return -EINVAL;
    if (bytes == 4)
        waiting.before = (uint32_t)before;
    while (!changed(&waiting))
        nic_wait_turn(n, &w);
    *value = waiting.value;
    return 0;
}
