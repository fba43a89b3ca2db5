/* Lines: the packets of schedules.  One that comes before its schedule is kept; when there are too many it goes back to its sender,
 * who keeps it until he is asked. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "fw/line.h"
#include "fw/sendq.h"
#include "fw/stray.h"

/* A line that waits: at the receiver for its schedule, or at the sender to be asked for again. */
struct fw_kept { struct fw_kept *next; uint32_t peer; uint64_t match; struct fw_line line; };

enum { LINE_HEAD_BYTES = offsetof(struct fw_line, data) };

static void keep(struct fw_kept **list, uint32_t peer, uint64_t match, const struct fw_line *line)
{
    struct fw_kept *k = malloc(sizeof *k);
    if (!k)
        abort();            /* as in sendq.c: there is no way on without it */
    *k = (struct fw_kept){ .next = *list, .peer = peer, .match = match, .line = *line };
    *list = k;
}

static void post(struct fw *fw, uint32_t peer, enum fw_packet type, uint64_t match, const struct fw_line *line)
{
    struct fw_line own = *line;
    own.source = fw->rank;
    struct nic_message m = { .type = (uint8_t)type, .match = match, .data = &own, .data_bytes = LINE_HEAD_BYTES + (uint32_t)own.bytes };
    mpi_fw_post(fw, peer, &m, true, NULL);
}

void mpi_fw_send_line(struct fw *fw, uint32_t peer, uint64_t match, const struct fw_line *line) { post(fw, peer, FW_PACKET_LINE, match, line); }

/* False: not what a peer of ours would send. */
static bool read_line(const struct fw *fw, const struct nic_packet *p, struct fw_line *line)
{
    if (p->length < LINE_HEAD_BYTES || p->length > sizeof *line || p->head_bytes != p->length)
        return false;
    memcpy(line, p->head, p->length);
    return line->source < nic_ranks(fw->nic) && line->bytes == p->length - LINE_HEAD_BYTES;
}

/* -- receiver.  `refusing` has a bit per rank from which a line was refused and not asked for since. */

static bool refuse(struct fw *fw, uint64_t match, const struct fw_line *line)
{
    if (!fw->refusing)
        fw->refusing = calloc((nic_ranks(fw->nic) + 63) / 64, sizeof *fw->refusing);
    if (!fw->refusing)
        return false;       /* then it is kept, past the bound */
    uint64_t *word = &fw->refusing[line->source / 64], bit = UINT64_C(1) << line->source % 64;
    fw->refused_ranks += !(*word & bit);
    *word |= bit;
    FW_COUNT(fw, lines_refused, 1);
    post(fw, line->source, FW_PACKET_REFUSED, match, line);
    return true;
}

void mpi_fw_line_arrived(struct fw *fw, const struct nic_packet *p)
{
    struct fw_line line;
    if (!read_line(fw, p, &line)) {
        fw_stray_packet(fw);
        return;
    }
    if (fw->take_line(fw, p->match, &line) || (fw->lines_kept >= fw->lines_max && refuse(fw, p->match, &line)))
        return;
    keep(&fw->lines, line.source, p->match, &line);
    FW_HIGH_WATER(fw, lines_kept, ++fw->lines_kept);
}

void mpi_fw_ask_again(struct fw *fw, uint32_t source)
{
    uint64_t bit = UINT64_C(1) << source % 64;
    if (!fw->refused_ranks || !(fw->refusing[source / 64] & bit))
        return;
    fw->refusing[source / 64] &= ~bit;
    fw->refused_ranks--;
    mpi_fw_post_control(fw, source, FW_PACKET_AGAIN, fw->rank, NULL, 0);
}

/* There is room again: whoever was refused may try once more. */
static void ask_all(struct fw *fw)
{
    for (uint32_t r = 0; fw->refused_ranks && r < nic_ranks(fw->nic); r++)
        mpi_fw_ask_again(fw, r);
}

void mpi_fw_claim_lines(struct fw *fw, struct fw_sched *s, fw_take_line *take)
{
    for (struct fw_kept **at = &fw->lines; *at;) {
        struct fw_kept *k = *at;
        if (!take(s, k->match, &k->line)) {
            at = &k->next;
            continue;
        }
        *at = k->next;
        free(k);
        fw->lines_kept--;
    }
    if (fw->refused_ranks && fw->lines_kept < fw->lines_max / 2)
        ask_all(fw);
}

/* Those that came early, and wait for their schedule. */
bool mpi_fw_line_unlike(const struct fw *fw, const struct fw_unlike *look, uint64_t *found, size_t *bytes)
{
    for (const struct fw_kept *k = fw->lines; k; k = k->next) {
        if (fw_is_unlike(look, k->match)) {
            *found = k->match;
            *bytes = k->line.bytes;
            return true;
        }
    }
    return false;
}

/* -- sender */

void mpi_fw_refused_arrived(struct fw *fw, const struct nic_packet *p)
{
    struct fw_line line;
    if (read_line(fw, p, &line))
        keep(&fw->refused, line.source, p->match, &line);
    else
        fw_stray_packet(fw);
}

/* The peer that p->match names asks for what it refused. */
void mpi_fw_again_arrived(struct fw *fw, const struct nic_packet *p)
{
    struct fw_kept *again = fw->refused, *next;
    fw->refused = NULL;
    if (p->match >= nic_ranks(fw->nic))
        fw_stray_packet(fw);
    for (; again; again = next) {
        next = again->next;
        if (again->peer == p->match) {
            mpi_fw_send_line(fw, again->peer, again->match, &again->line);
            free(again);
        } else {
            again->next = fw->refused;
            fw->refused = again;
        }
    }
}

void mpi_fw_lines_delete(struct fw *fw)
{
    struct fw_kept *lists[] = { fw->lines, fw->refused };
    for (unsigned i = 0; i < 2; i++)
        for (struct fw_kept *k = lists[i], *next; k; k = next) {
            next = k->next;
            free(k);
        }
    free(fw->refusing);
}
