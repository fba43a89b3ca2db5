/* What the reliability protocol's packets are protected by: checksums, and datagrams with them. */
#include <stdlib.h>
#include <string.h>

#include "reliable/crc32.h"
#include "reliable/datagram.h"
#include "suite.h"

/* Where ck_assert, which writes a line each time, would take longer than all the rest. */
#define must(x) do { if (!(x)) ck_abort_msg("%s", #x); } while (0)

static uint32_t bit_by_bit(const unsigned char *p, size_t bytes)
{
    uint32_t c = UINT32_MAX;
    for (size_t i = 0; i < bytes; i++) {
        c ^= p[i];
        for (int bit = 0; bit < 8; bit++)
            c = c & 1 ? c >> 1 ^ UINT32_C(0xedb88320) : c >> 1;
    }
    return ~c;
}

START_TEST(checksums)
{
    unsigned char data[99];
    ck_assert_uint_eq(nic_crc32(0, "123456789", 9), 0xcbf43926);
    ck_assert_uint_eq(nic_crc32(0, "", 0), 0);
    for (unsigned i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)(i * 37 + 11);
    for (size_t from = 0; from < 9; from++)
        for (size_t bytes = 0; from + bytes <= sizeof data; bytes++) {
            uint32_t crc = nic_crc32(0, data + from, bytes);
            must(crc == bit_by_bit(data + from, bytes));
            must(crc == nic_crc32(nic_crc32(0, data + from, bytes / 3),
                                  data + from + bytes / 3, bytes - bytes / 3));
        }
}
END_TEST

struct whole { struct nic_datagram_head head; unsigned char data[40]; };

static struct whole whole(void)
{
    struct whole w = { .head = { .token = 77, .number = 5, .answered = 6, .bytes = 40, .source = 2,
                                 .kind = NIC_DATAGRAM_DATA } };
    memset(w.data, 0xa5, sizeof w.data);
    nic_datagram_seal(&w.head);
    return w;
}

/* Any bit that is wrong, any byte too few or too many, another token, nobody's rank. */
START_TEST(frames)
{
    struct whole w = whole();
    ck_assert(nic_datagram_is_sound(&w, sizeof w, 77, 3));
    ck_assert(!nic_datagram_is_sound(&w, sizeof w, 78, 3));
    ck_assert(!nic_datagram_is_sound(&w, sizeof w, 77, 2));
    for (size_t bytes = 0; bytes < sizeof w; bytes++)
        ck_assert(!nic_datagram_is_sound(&w, bytes, 77, 3));
    for (size_t bit = 0; bit < 8 * sizeof w; bit++) {
        ((unsigned char *)&w)[bit / 8] ^= (unsigned char)(1u << bit % 8);
        must(!nic_datagram_is_sound(&w, sizeof w, 77, 3));
        ((unsigned char *)&w)[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    w.head.kind = NIC_DATAGRAM_ANSWER;     /* which has no bytes */
    nic_datagram_seal(&w.head);
    ck_assert(!nic_datagram_is_sound(&w, sizeof w, 77, 3));
    w.head.bytes = 0;
    nic_datagram_seal(&w.head);
    ck_assert(nic_datagram_is_sound(&w.head, sizeof w.head, 77, 3));
    w.head.kind = 3;
    nic_datagram_seal(&w.head);
    ck_assert(!nic_datagram_is_sound(&w.head, sizeof w.head, 77, 3));
}
END_TEST

int main(void)
{
    Suite *s = suite_create("frames");
    TCase *t = tcase_create("frames");
    tcase_add_test(t, checksums);
    tcase_add_test(t, frames);
    suite_add_tcase(s, t);
    return suite_run(s);
}
