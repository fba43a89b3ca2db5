/* Layouts, packing and signatures of datatypes, against maps that list each byte. */
#include "suite.h"

#include <string.h>

#include "type/layout.h"
#include "type/pack.h"
#include "type/signature.h"

enum { MAP = 6000, BUFFER = 1 << 17, MIDDLE = BUFFER / 2 };

/* The oracle: where each byte of the stream stands, and which basic type it is of. */
struct map { int count; ptrdiff_t at[MAP]; };

static uint64_t state;

static unsigned draw(unsigned below)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(state >> 33) % below;
}

static void append(struct map *m, const struct map *other, ptrdiff_t by)
{
    ck_assert(m->count + other->count <= MAP);
    for (int i = 0; i < other->count; i++)
        m->at[m->count++] = other->at[i] + by;
}

/* -- random layouts to depth 4, each with its map */

static struct mpi_placed make(struct map *m, int depth);

static struct mpi_placed make_run(struct map *m)
{
    static const size_t sizes[] = { 0, 1, 2, 3, 4, 8, 8, 12, 16, 31, 64 };
    size_t bytes = sizes[draw(11)];
    ptrdiff_t at = (ptrdiff_t)draw(40) - 20;
    for (size_t i = 0; i < bytes; i++)
        m->at[m->count++] = at + (ptrdiff_t)i;
    return mpi_layout_run(at, bytes);
}

static struct mpi_placed make_repeat(struct map *m, int depth)
{
    static struct map inner[8];
    inner[depth].count = 0;
    struct mpi_placed p = make(&inner[depth], depth - 1);
    size_t count = draw(6);
    ptrdiff_t stride = draw(3) ? (ptrdiff_t)draw(200) - 60 : (ptrdiff_t)p.layout->bytes;
    while (count * (size_t)inner[depth].count > MAP / 8)
        count--;
    for (size_t i = 0; i < count; i++)
        append(m, &inner[depth], (ptrdiff_t)i * stride);
    struct mpi_placed all = mpi_layout_repeat(p, count, stride);
    mpi_layout_drop(p.layout);
    return all;
}

static struct mpi_placed make_join(struct map *m, int depth)
{
    static struct map inner[8];
    struct mpi_placed p[6] = { 0 };
    size_t count = draw(6), used = 0;
    for (size_t i = 0; i < count && m->count < MAP / 8; i++) {
        inner[depth].count = 0;
        p[used] = make(&inner[depth], depth - 1);
        if (used && !draw(3)) {             /* the one before once more */
            mpi_layout_drop(p[used].layout);
            p[used] = (struct mpi_placed){ mpi_layout_hold(p[used - 1].layout),
                                           p[used - 1].at + (ptrdiff_t)draw(90) };
            struct map again = { .count = (int)p[used].layout->bytes };
            for (int b = 0; b < again.count; b++)
                again.at[b] = m->at[m->count - again.count + b] + p[used].at - p[used - 1].at;
            append(m, &again, 0);
        } else {
            ptrdiff_t by = (ptrdiff_t)draw(300) - 100;
            p[used].at += by;
            append(m, &inner[depth], by);
        }
        used++;
    }
    struct mpi_placed all = mpi_layout_join(p, used);
    for (size_t i = 0; i < used; i++)
        mpi_layout_drop(p[i].layout);
    return all;
}

static struct mpi_placed make(struct map *m, int depth)
{
    unsigned kind = depth ? draw(5) : 0;
    return kind < 1 ? make_run(m) : kind < 3 ? make_repeat(m, depth) : make_join(m, depth);
}

/* -- what is done with them */

static unsigned char buffer[BUFFER], copy[BUFFER], stream[8 * MAP], wanted[8 * MAP];

static void check_span(struct mpi_placed p, const struct map *m)
{
    ptrdiff_t begin, end, least = 0, most = 0;
    for (int i = 0; i < m->count; i++) {
        least = !i || m->at[i] < least ? m->at[i] : least;
        most = !i || m->at[i] + 1 > most ? m->at[i] + 1 : most;
    }
    mpi_layout_span(p, &begin, &end);
    ck_assert_int_eq(begin, least);
    ck_assert_int_eq(end, most);
}

static void check_order(struct mpi_placed p, const struct map *m)
{
    bool ascends = true;
    for (int i = 1; i < m->count; i++)
        ascends &= m->at[i] > m->at[i - 1];
    ck_assert_int_eq(p.layout->ascends, ascends);
}

static void check_pack(const struct mpi_data *d, size_t from, size_t to)
{
    memset(stream, 0xee, sizeof stream);
    mpi_data_pack(d, from, to, stream + 8);
    ck_assert(!memcmp(stream + 8, wanted + from, to - from));
    bool kept = true;    /* one assertion of check for all: each is a system call */
    for (int i = 0; i < 8; i++)
        kept &= stream[i] == 0xee && stream[8 + to - from + (size_t)i] == 0xee;
    ck_assert(kept);
}

/* Only the bytes that the map names change, and to what the stream has.  Where two bytes of the
 * stream stand in one place, the later one counts. */
static void check_unpack(const struct mpi_data *d, const struct map *m, size_t from, size_t to)
{
    memset(buffer, 0x55, sizeof buffer);
    memset(copy, 0x55, sizeof copy);
    for (size_t i = from; i < to; i++) {
        size_t element = i / (size_t)m->count;
        copy[MIDDLE + m->at[i % (size_t)m->count] + (ptrdiff_t)element * d->extent] = wanted[i];
    }
    mpi_data_unpack(d, from, to, wanted + from);
    ck_assert(!memcmp(buffer, copy, sizeof buffer));
}

struct gather { size_t at; size_t runs, most; bool empty; };

static bool take_run(void *context, void *at, size_t bytes)
{
    struct gather *g = context;
    memcpy(stream + g->at, at, bytes);
    g->at += bytes;
    g->empty |= !bytes;
    return ++g->runs < g->most;
}

static void check_runs(const struct mpi_data *d, size_t from, size_t to)
{
    struct gather g = { .most = SIZE_MAX }, few = { .most = 2 };
    mpi_data_runs(d, from, to, take_run, &g);
    ck_assert_uint_eq(g.at, to - from);
    ck_assert(!memcmp(stream, wanted + from, to - from));
    ck_assert_uint_le(g.runs, d->count * d->placed.layout->runs);
    ck_assert(!g.empty);
    mpi_data_runs(d, from, to, take_run, &few);
    ck_assert_uint_le(few.runs, 2);
}

START_TEST(random_layouts)
{
    static struct map m;
    state = (uint64_t)_i * 977 + 5;
    m.count = 0;
    struct mpi_placed p = make(&m, 4);
    ck_assert_ptr_nonnull(p.layout);
    ck_assert_uint_eq(p.layout->bytes, m.count);
    check_span(p, &m);
    check_order(p, &m);
    struct mpi_data d = { p, buffer + MIDDLE, 1 + draw(3), (ptrdiff_t)draw(2000) - 500 };
    size_t total = d.count * (size_t)m.count;
    for (size_t i = 0; i < sizeof buffer; i++)
        buffer[i] = (unsigned char)(i * 7 + i / 251);
    for (size_t i = 0; i < total; i++)
        wanted[i] = buffer[MIDDLE + m.at[i % (size_t)m.count]
                           + (ptrdiff_t)(i / (size_t)m.count) * d.extent];
    check_pack(&d, 0, total);
    check_runs(&d, 0, total);
    for (int i = 0; i < 20 && total; i++) {
        size_t from = draw((unsigned)total), to = from + draw((unsigned)(total - from) + 1);
        check_pack(&d, from, to);
        check_runs(&d, from, to);
    }
    check_unpack(&d, &m, 0, total);
    for (int i = 0; i < 3 && total; i++) {
        size_t from = draw((unsigned)total);
        check_unpack(&d, &m, from, from + draw((unsigned)(total - from) + 1));
    }
    mpi_layout_drop(p.layout);
}
END_TEST

/* -- merging */

static struct mpi_placed vector(size_t count, size_t bytes, ptrdiff_t stride)
{
    struct mpi_placed run = mpi_layout_run(0, bytes);
    struct mpi_placed all = mpi_layout_repeat(run, count, stride);
    mpi_layout_drop(run.layout);
    return all;
}

START_TEST(what_adjoins_is_one_run)
{
    struct mpi_placed dense = vector(10, 8, 8), gaps = vector(10, 8, 16);
    ck_assert(dense.layout->kind == MPI_LAYOUT_RUN && dense.layout->bytes == 80);
    ck_assert(gaps.layout->kind == MPI_LAYOUT_REPEAT && gaps.layout->runs == 10);
    /* a vector of vectors that goes on is a longer one; one that does not has two strides */
    struct mpi_placed longer = mpi_layout_repeat(gaps, 5, 160);
    ck_assert(longer.layout->count == 50 && longer.layout->child->kind == MPI_LAYOUT_RUN);
    struct mpi_placed plane = mpi_layout_repeat(gaps, 5, 1000);
    ck_assert(plane.layout->count == 5 && plane.layout->child == gaps.layout);
    /* equal blocks that are spelt out are found to be a vector, adjoining ones a run */
    struct mpi_placed b[3];
    for (int i = 0; i < 3; i++)
        b[i] = mpi_layout_run(24 * i, 8);
    struct mpi_placed spelt = mpi_layout_join(b, 3);
    ck_assert(spelt.layout->kind == MPI_LAYOUT_REPEAT && spelt.layout->stride == 24);
    for (int i = 0; i < 3; i++)
        b[i].at = 5 + 8 * i;
    struct mpi_placed one = mpi_layout_join(b, 3);
    ck_assert(one.layout->kind == MPI_LAYOUT_RUN && one.layout->bytes == 24 && one.at == 5);
    const struct mpi_layout *all[] = { dense.layout, gaps.layout, longer.layout, plane.layout,
                                       spelt.layout, one.layout, b[0].layout, b[1].layout,
                                       b[2].layout };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        mpi_layout_drop(all[i]);
}
END_TEST

/* Columns of a matrix, side by side: short blocks far apart, the next time's beside them. */
/* Two long parts, the second one so many bytes behind the first. */
static bool both_ascend(ptrdiff_t second)
{
    struct mpi_placed p[2] = { vector(1000, 8, 16), vector(500, 4, 32) };
    p[1].at = second;
    struct mpi_placed all = mpi_layout_join(p, 2);
    ck_assert_int_eq(all.layout->kind, MPI_LAYOUT_PARTS);
    const bool ascends = all.layout->ascends;
    mpi_layout_drop(all.layout);
    mpi_layout_drop(p[0].layout);
    mpi_layout_drop(p[1].layout);
    return ascends;
}

START_TEST(order_of_parts)
{
    const ptrdiff_t end = 999 * 16 + 8;
    ck_assert(both_ascend(end));
    ck_assert(both_ascend(end + 100));
    ck_assert(!both_ascend(end - 1));
    ck_assert(!both_ascend(8));             /* between the others */
    ck_assert(!both_ascend(-100000));
}
END_TEST

START_TEST(columns)
{
    enum { ROWS = 20, LEAST = 2, SIZES = 6, WIDTHS = 18 };
    static const size_t rows_of[] = { 400, 512, 2048 };
    static const size_t sizes[] = { 1, 2, 4, 8, 12, 16 };
    size_t bytes = sizes[_i % SIZES], n = (size_t)_i / SIZES % WIDTHS + LEAST, at = 0;
    size_t row = rows_of[_i / (SIZES * WIDTHS)], total = n * ROWS * bytes;
    struct mpi_placed column = vector(ROWS, bytes, (ptrdiff_t)row);
    struct mpi_data d = { column, buffer + MIDDLE, n, (ptrdiff_t)bytes };
    for (size_t i = 0; i < sizeof buffer; i++)
        buffer[i] = (unsigned char)(i * 7 + i / 251);
    for (size_t k = 0; k < n; k++)
        for (size_t r = 0; r < ROWS; r++, at += bytes)
            memcpy(wanted + at, buffer + MIDDLE + r * row + k * bytes, bytes);
    check_pack(&d, 0, total);
    memset(copy, 0x55, sizeof copy);
    memset(buffer, 0x55, sizeof buffer);
    for (size_t k = at = 0; k < n; k++)
        for (size_t r = 0; r < ROWS; r++, at += bytes)
            memcpy(copy + MIDDLE + r * row + k * bytes, wanted + at, bytes);
    mpi_data_unpack(&d, 0, total, wanted);
    ck_assert(!memcmp(buffer, copy, sizeof buffer));
    mpi_layout_drop(column.layout);
}
END_TEST

/* Blocks that share few sets of a cache, which are written some at a time. */
START_TEST(blocks_in_few_sets)
{
    static const ptrdiff_t strides[] = { 512, -512, 1024, 1536, -2048 };
    static const size_t sizes[] = { 1, 3, 8, 12, 16, 24, 32, 64, 100 };
    static const size_t counts[] = { 16, 17, 30 };
    static struct map m;
    ptrdiff_t stride = strides[_i % 5];
    size_t bytes = sizes[_i / 5 % 9], n = counts[_i / 45], total = n * bytes;
    struct mpi_placed p = vector(n, bytes, stride);
    struct mpi_data d = { p, buffer + MIDDLE, 1, 0 };
    m.count = 0;
    for (size_t i = 0; i < total; i++)
        m.at[m.count++] = (ptrdiff_t)(i / bytes) * stride + (ptrdiff_t)(i % bytes);
    for (size_t i = 0; i < sizeof buffer; i++)
        buffer[i] = (unsigned char)(i * 7 + i / 251);
    for (size_t i = 0; i < total; i++)
        wanted[i] = buffer[MIDDLE + m.at[i]];
    check_pack(&d, 0, total);
    check_pack(&d, 1, total - bytes / 2);
    check_unpack(&d, &m, 0, total);
    check_unpack(&d, &m, bytes / 2, total - 1);
    mpi_layout_drop(p.layout);
}
END_TEST

/* 2^40 elements take no more memory than two. */
START_TEST(huge_counts_are_loops)
{
    struct mpi_placed v = vector((size_t)1 << 40, 4, 8), none = vector(SIZE_MAX / 2, 8, 16);
    ptrdiff_t begin, end;
    mpi_layout_span(v, &begin, &end);
    ck_assert(v.layout->bytes == (size_t)1 << 42 && begin == 0);
    ck_assert_int_eq(end, ((ptrdiff_t)1 << 43) - 4);
    ck_assert_ptr_null(none.layout);
    mpi_layout_drop(v.layout);
}
END_TEST

/* -- signatures: {int, double} 3 times, then 5 ints; 4 and 8 bytes */

START_TEST(elements_of_bytes)
{
    const struct mpi_signature *i = mpi_signature_basic(1, 4), *d = mpi_signature_basic(2, 8);
    const struct mpi_signature *pair = mpi_signature_join(
        (const struct mpi_signature *[]){ i, d }, (size_t[]){ 1, 1 }, 2);
    const struct mpi_signature *s = mpi_signature_join(
        (const struct mpi_signature *[]){ pair, i, i }, (size_t[]){ 3, 2, 3 }, 3);
    ck_assert_uint_eq(s->bytes, 56);
    ck_assert_uint_eq(s->elements, 11);
    static const struct { uint64_t bytes; int64_t elements; } cases[] = {
        { 0, 0 }, { 4, 1 }, { 8, -1 }, { 12, 2 }, { 16, 3 }, { 24, 4 }, { 36, 6 }, { 40, 7 },
        { 42, -1 }, { 56, 11 }, { 60, 12 }, { 68, 13 }, { 112, 22 }, { 113, -1 },
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        ck_assert_int_eq(mpi_signature_elements(s, cases[c].bytes), cases[c].elements);
        if (cases[c].elements >= 0)
            ck_assert_uint_eq(mpi_signature_bytes(s, (uint64_t)cases[c].elements),
                              cases[c].bytes);
    }
    mpi_signature_drop(i);
    mpi_signature_drop(d);
    mpi_signature_drop(pair);
    mpi_signature_drop(s);
}
END_TEST

static bool list_basics(void *context, unsigned basic, size_t bytes, size_t count)
{
    char *text = context;
    ck_assert_uint_eq(bytes, basic == 1 ? 4 : 8);
    while (count--)
        strcat(text, basic == 1 ? "i" : "d");
    return strlen(text) < 9;
}

/* However a sequence is made, its hash is the same, and another sequence has another one. */
START_TEST(equal_sequences_have_equal_hashes)
{
    const struct mpi_signature *i = mpi_signature_basic(1, 4), *d = mpi_signature_basic(2, 8);
    const struct mpi_signature *id = mpi_signature_join(
        (const struct mpi_signature *[]){ i, d }, (size_t[]){ 1, 1 }, 2);
    const struct mpi_signature *idid = mpi_signature_join(
        (const struct mpi_signature *[]){ i, d, i, d }, (size_t[]){ 1, 1, 1, 1 }, 4);
    const struct mpi_signature *iidd = mpi_signature_join(
        (const struct mpi_signature *[]){ i, d }, (size_t[]){ 2, 2 }, 2);
    const struct mpi_signature *ii = mpi_signature_join(&i, (size_t[]){ 2 }, 1);
    const struct mpi_signature *six = mpi_signature_join(&ii, (size_t[]){ 3 }, 1);
    ck_assert(six->bytes == 24 && six->elements == 6);
    ck_assert(mpi_signature_hash(six, 2) == mpi_signature_hash(i, 12));
    ck_assert(mpi_signature_hash(id, 6) == mpi_signature_hash(idid, 3));
    ck_assert(mpi_signature_hash(iidd, 1) != mpi_signature_hash(idid, 1));
    ck_assert(mpi_signature_hash(ii, 4) == mpi_signature_hash(i, 8));
    ck_assert(mpi_signature_hash(ii, 4) != mpi_signature_hash(i, 7));
    ck_assert(mpi_signature_hash(id, 0) == mpi_signature_hash(i, 0));
    char text[32] = "";
    ck_assert(mpi_signature_walk(idid, 2, list_basics, text));
    ck_assert_str_eq(text, "idididid");
    ck_assert(!mpi_signature_walk(iidd, 2, list_basics, text));
    ck_assert_str_eq(text, "ididididii");
    const struct mpi_signature *all[] = { i, d, id, idid, iidd, ii, six };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        mpi_signature_drop(all[k]);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("layout");
    TCase *tcase = tcase_create("layout");

    tcase_add_loop_test(tcase, random_layouts, 0, 3000);
    tcase_add_test(tcase, order_of_parts);
    tcase_add_test(tcase, what_adjoins_is_one_run);
    tcase_add_loop_test(tcase, columns, 0, 6 * 18 * 3);
    tcase_add_loop_test(tcase, blocks_in_few_sets, 0, 5 * 9 * 3);
    tcase_add_test(tcase, huge_counts_are_loops);
    tcase_add_test(tcase, elements_of_bytes);
    tcase_add_test(tcase, equal_sequences_have_equal_hashes);
    suite_add_tcase(suite, tcase);
    return suite_run(suite);
}
