/* Windows on memory of the program's, which is moved into the heap meanwhile: variables, memory of
 * malloc in small pieces and large, several windows on one page and on one array, neighbours that
 * come and go, memory freed before its window, attached memory, memory that has to stay where it
 * is.  Whatever happens to the pages, all data stay.  argument: how memory is reached. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "moved.h"

/* -- variables */

/* Where the library is part of the program variables may be its own. */
static enum stay variables_stay(void) { return has_loaded("libmpi_abi") ? MOVES : STAYS; }

static int64_t word;
static unsigned char before_small[100], small[40], behind_small[100];
static unsigned char large[20000] = { 1, 2, 3 };    /* with a file behind it */
static double zeros[3000];

static void variables(void)
{
    int64_t local[4] = { 1, 2, 3, 4 };
    const enum stay stay = variables_stay();
    t_fill(before_small, sizeof before_small, 1);
    t_fill(behind_small, sizeof behind_small, 2);
    MPI_Win win = make(&word, sizeof word, stay);
    use(win, (void *)&word, sizeof word, 3);
    OK(MPI_Win_free(&win));
    win = make(small, sizeof small, stay);
    use(win, small, sizeof small, 4);
    OK(MPI_Win_free(&win));
    DATA(before_small, sizeof before_small, 1);
    DATA(behind_small, sizeof behind_small, 2);
    SAME(large[2], 3);
    win = make(large, sizeof large, stay);
    SAME(large[1], 2);
    use(win, large, sizeof large, 5);
    OK(MPI_Win_free(&win));
    SAME(large[0], t_byte(5 + (unsigned)t_prev(), 0));
    win = make(zeros, sizeof zeros, stay);
    use(win, (void *)zeros, sizeof zeros, 6);
    OK(MPI_Win_free(&win));
    win = make(local, sizeof local, STAYS);
    use(win, (void *)local, sizeof local, 7);
    OK(MPI_Win_free(&win));
    win = make(NULL, 0, MOVES + 2);             /* neither */
    OK(MPI_Win_free(&win));
}

/* What the program's file has in pages that nobody has read yet is there, before and after. */
static unsigned char distant[5 << 20] = { [500000] = 7, [3 << 20] = 8, [(5 << 20) - 1] = 9 };

static void untouched(void)
{
    unsigned char got[3] = { 0 };
    MPI_Win win = make(distant, sizeof distant, variables_stay());
    OK(MPI_Win_fence(0, win));
    OK(MPI_Get(&got[0], 1, MPI_BYTE, t_prev(), 500000, 1, MPI_BYTE, win));
    OK(MPI_Get(&got[1], 1, MPI_BYTE, t_prev(), 3 << 20, 1, MPI_BYTE, win));
    OK(MPI_Get(&got[2], 1, MPI_BYTE, t_prev(), sizeof distant - 1, 1, MPI_BYTE, win));
    OK(MPI_Win_fence(0, win));
    SAME(got[0], 7);
    SAME(got[1], 8);
    SAME(got[2], 9);
    OK(MPI_Win_free(&win));
    SAME(distant[500000], 7);
    SAME(distant[3 << 20], 8);
    SAME(distant[sizeof distant - 1], 9);
    SAME(distant[0], 0);
}

/* -- memory of malloc */

enum { PIECES = 60 };
static unsigned char *piece[PIECES];
static size_t piece_bytes(int i) { return 24 + (size_t)(i * 797 % 9000); }

static void fill_pieces(void)
{
    for (int i = 0; i < PIECES; i++)
        t_fill(piece[i] = t_alloc(piece_bytes(i)), piece_bytes(i), (unsigned)i);
}

static void check_piece(int i)
{
    DATA(piece[i], piece_bytes(i), (unsigned)i);
}

static void free_pieces(void)
{
    for (int i = 0; i < PIECES; i++) {
        check_piece(i);
        free(piece[i]);
    }
}

/* Every third one is a window's, and its neighbours are others' or come and go. */
static void pieces(void)
{
    MPI_Win win[PIECES];
    fill_pieces();
    for (int i = 0; i < PIECES; i += 3)
        win[i] = make(piece[i], piece_bytes(i), MOVES);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < PIECES; i++)
            check_piece(i);
        for (int i = 1; i < PIECES; i += 3) {
            piece[i] = realloc(piece[i], 3 * piece_bytes(i));
            check_piece(i);
            free(piece[i + 1]);
            piece[i + 1] = calloc(1, 100000);
            for (int k = 0; k < 100000; k += 500)
                SAME(piece[i + 1][k], 0);
            free(piece[i + 1]);
            t_fill(piece[i + 1] = t_alloc(piece_bytes(i + 1)), piece_bytes(i + 1),
                   (unsigned)(i + 1));
        }
        malloc_trim(0);
        OK(MPI_Win_fence(0, win[0]));
        use(win[3 * (round + 2)], piece[3 * (round + 2)], piece_bytes(3 * (round + 2)), 9);
        t_fill(piece[3 * (round + 2)], piece_bytes(3 * (round + 2)), 3 * ((unsigned)round + 2));
        OK(MPI_Barrier(MPI_COMM_WORLD));
    }
    for (int i = PIECES - PIECES % 3 - 3; i >= 0; i -= 3) {
        use(win[i], piece[i], piece_bytes(i), 10);
        OK(MPI_Win_free(&win[i]));
        t_fill(piece[i], piece_bytes(i), (unsigned)i);
    }
    free_pieces();
}

/* Windows on one array: the same, parts, across its ends. */
static void overlapping(void)
{
    enum { WORDS = 5000 };
    int64_t *array = t_alloc(WORDS * sizeof *array);
    unsigned char *at = (void *)array;
    MPI_Win a = make(at + 8, 800, MOVES), b = make(at, WORDS * sizeof *array, MOVES),
            c = make(at + 16000, 16000, MOVES), d = make(at, WORDS * sizeof *array, MOVES);
    use(a, at + 8, 800, 11);
    use(b, at, WORDS * sizeof *array, 12);
    OK(MPI_Win_free(&b));
    use(c, at + 16000, 16000, 13);
    OK(MPI_Win_free(&a));
    use(d, at, WORDS * sizeof *array, 14);
    OK(MPI_Win_free(&c));
    use(d, at, WORDS * sizeof *array, 15);
    OK(MPI_Win_free(&d));
    SAME(at[0], t_byte(15 + (unsigned)t_prev(), 0));
    free(array);
}

static void sow(unsigned char *array, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += 5000)
        array[i] = t_byte(16, i);
}

UNWATCHED static size_t find_stray(const unsigned char *array, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (array[i] != (i % 5000 ? 0 : t_byte(16, i)))
            return i;
    return bytes;
}

/* Beyond brk, at any place in it; again and again. */
static void long_ones(void)
{
    const size_t bytes = 3 << 20;
    unsigned char *array = calloc(bytes, 1);
    sow(array, bytes);
    for (int turn = 0; turn < 3; turn++) {
        MPI_Win win = make(array + 1001 * turn, bytes - 4000, MOVES);
        all_read(array, bytes);
        const size_t stray = find_stray(array, bytes);
        if (stray < bytes)
            FAIL("turn %d: byte %zu is %d", turn, stray, array[stray]);
        use(win, array + 1001 * turn, bytes - 4000, 17);
        OK(MPI_Win_free(&win));
        SAME(array[1001 * turn + 77], t_byte(17 + (unsigned)t_prev(), 77));
        memset(array, 0, bytes);
        sow(array, bytes);
    }
    array = realloc(array, 2 * bytes);          /* mappings that are still moved about */
    SAME(array[5000], t_byte(16, 5000));
    free(array);
}

/* Of what nobody touches no memory is taken. */
static void sparse(void)
{
    const size_t bytes = 40 << 20;
    struct rusage first, second;
    unsigned char *array = pages_apart(bytes);
    array[10 << 20] = 7;
    getrusage(RUSAGE_SELF, &first);
    MPI_Win win = make(array, bytes, MOVES);
    SAME(array[10 << 20], 7);
    SAME(array[20 << 20], 0);
    use(win, array, 100, 18);
    OK(MPI_Win_free(&win));
    getrusage(RUSAGE_SELF, &second);
    SAME(array[10 << 20], 7);
    SAME(array[30 << 20], 0);
    if (moves)
        CHECK(second.ru_minflt - first.ru_minflt < 2000);
    munmap(array, bytes);
}

/* What was one mapping is one again behind its window, which the program may enlarge: all of it was
 * touched, or what comes late in it alone. */
static void enlarged(void)
{
    const size_t bytes = 5 << 20, begin[] = { 0, 3 << 20 };
    for (int i = 0; i < 2; i++) {
        unsigned char *array = pages_apart(bytes);
        t_fill(array + begin[i], bytes - begin[i], 19);
        MPI_Win win = make(array, bytes, MOVES);
        OK(MPI_Win_free(&win));
        array = mremap(array, bytes, 2 * bytes, MREMAP_MAYMOVE);
        CHECK(array != MAP_FAILED);
        DATA(array + begin[i], bytes - begin[i], 19);
        SAME(array[2 * bytes - 1], 0);
        munmap(array, 2 * bytes);
    }
}

/* -- freed before its window, and something else there */

static void freed_first(void)
{
    const size_t bytes = 300000;
    unsigned char *array = t_alloc(bytes), *other;
    MPI_Win win = make(array, bytes, MOVES), second;
    t_fill(array, bytes, 19);
    free(array);                                    /* unmapped */
    OK(MPI_Win_free(&win));
    array = t_alloc(bytes);
    win = make(array, bytes, MOVES);
    free(array);
    other = t_alloc(bytes);                         /* at the same place, mostly */
    t_fill(other, bytes, 19);
    OK(MPI_Win_free(&win));
    DATA(other, bytes, 19);
    free(other);
    array = t_alloc(bytes);
    win = make(array, bytes, MOVES);
    free(array);
    other = t_alloc(bytes);
    t_fill(other, bytes, 20);
    OK(MPI_Win_create(other, (MPI_Aint)bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &second));
    OK(MPI_Win_free(&win));
    DATA(other, bytes, 20);
    use(second, other, bytes, 21);
    OK(MPI_Win_free(&second));
    SAME(other[99], t_byte(21 + (unsigned)t_prev(), 99));
    free(other);
    array = t_alloc(2000);                          /* small: its page stays */
    win = make(array, 2000, MOVES);
    free(array);
    other = t_alloc(1500);
    t_fill(other, 1500, 22);
    OK(MPI_Win_free(&win));
    DATA(other, 1500, 22);
    free(other);
}

/* -- of which the program takes rights away while a window has it: they stay so, and the data */

static bool may_write(void *at) { return syscall(SYS_getrandom, at, 1, 0) == 1; }

static void protected(void)
{
    const size_t bytes = 5 * PAGE;
    unsigned char *at = pages_apart(bytes);
    MPI_Win win = make(at, bytes, MOVES);
    use(win, at, bytes, 29);
    t_fill(at, bytes, 30);
    CHECK(!mprotect(at + PAGE, PAGE, PROT_READ) && !mprotect(at + 3 * PAGE, PAGE, PROT_NONE));
    MPI_Win second = make(at + 100, 2 * PAGE, STAYS);       /* puts to it have to fail */
    OK(MPI_Win_free(&second));
    OK(MPI_Win_free(&win));
    if (moves)
        CHECK(may_write(at) && !may_write(at + PAGE) && !may_write(at + 3 * PAGE));
    CHECK(!mprotect(at + 3 * PAGE, PAGE, PROT_READ | PROT_WRITE));
    for (size_t i = 1; i < bytes; i++)
        SAME(at[i], t_byte(30, i));
    CHECK(!mprotect(at, bytes, PROT_READ | PROT_WRITE));
    win = make(at, bytes, MOVES);
    use(win, at, bytes, 31);
    OK(MPI_Win_free(&win));
    munmap(at, bytes);
}

/* -- dynamic windows */

enum { PART = 1000 };       /* words: nothing ends with a page */

static MPI_Aint share(const void *at)
{
    static MPI_Aint address[64];
    MPI_Aint own;
    OK(MPI_Get_address(at, &own));
    OK(MPI_Allgather(&own, 1, MPI_AINT, address, 1, MPI_AINT, MPI_COMM_WORLD));
    return address[t_next()];
}

/* What the next rank has, in pieces: across all of them, and by single words, at once. */
static void pieces_used(MPI_Win win, int64_t *words, int count)
{
    enum { TURNS = 40 };
    const MPI_Aint there = share(words);
    int64_t *many = t_alloc((size_t)count * sizeof *many), *got = t_alloc((size_t)count * 8), old;
    const int64_t one = 1;
    for (int i = 0; i < count; i++) {
        words[i] = 0;
        many[i] = i + 1;
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_lock_all(0, win));
    OK(MPI_Put(many, count, MPI_INT64_T, t_next(), there, count, MPI_INT64_T, win));
    OK(MPI_Win_flush(t_next(), win));
    OK(MPI_Get(got, count, MPI_INT64_T, t_next(), there, count, MPI_INT64_T, win));
    OK(MPI_Win_flush(t_next(), win));
    CHECK(!memcmp(got, many, (size_t)count * 8));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < count; i++)
        many[i] = 1;
    for (int turn = 0; turn < TURNS; turn++) {
        OK(MPI_Accumulate(many, count, MPI_INT64_T, t_next(), there, count, MPI_INT64_T, MPI_SUM,
                          win));
        for (int i = 0; i < count; i += count / 7) {        /* of one's own, at the same time */
            MPI_Aint here;
            OK(MPI_Get_address(words + i, &here));
            OK(MPI_Fetch_and_op(&one, &old, MPI_INT64_T, t_rank, here, MPI_SUM, win));
        }
    }
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < count; i++)
        if (words[i] != i + 1 + TURNS + (i % (count / 7) ? 0 : TURNS))
            FAIL("word %d is %lld", i, (long long)words[i]);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    free(many);
    free(got);
}

static void attach(MPI_Win win, void *base, size_t bytes, enum stay stay, int line)
{
    look();
    OK(MPI_Win_attach(win, base, (MPI_Aint)bytes));
    const long more = (long)(moved() - was_moved);
    if (more != (moves && stay == MOVES))
        FAIL("what is attached in line %d: %ld moved", line, more);
}

/* Attached while a thread runs: it has to stay. */
static void attach_beside(MPI_Win win, void *base, size_t bytes)
{
    pthread_t thread;
    long number = 0;
    stop = 0;
    turns = 0;
    CHECK(!pthread_create(&thread, NULL, count_up, &number));
    attach(win, base, bytes, STAYS, __LINE__);
    stop = 1;
    join(thread);
}

static void dynamic(void)
{
    int64_t *words = t_alloc(5 * PART * sizeof *words), on_stack[8];
    const size_t part = PART * sizeof *words;
    MPI_Win win;
    OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    attach(win, words, part, MOVES, __LINE__);
    pieces_used(win, words, PART);
    attach(win, words + 2 * PART, part, MOVES, __LINE__);
    attach(win, words + PART, part, MOVES, __LINE__);
    pieces_used(win, words, 3 * PART);
    attach_beside(win, words + 3 * PART, part);
    pieces_used(win, words, 4 * PART);
    pieces_used(win, words + PART, 2 * PART);
    attach(win, words + 4 * PART, part, STAYS, __LINE__);       /* touches one that has stayed */
    pieces_used(win, words + 100, 5 * PART - 200);
    OK(MPI_Win_detach(win, words + 3 * PART));
    OK(MPI_Win_detach(win, words + PART));
    pieces_used(win, words, PART);
    pieces_used(win, words + 4 * PART, PART);
    attach(win, words + PART, part, MOVES, __LINE__);
    pieces_used(win, words, 3 * PART);
    attach(win, on_stack, sizeof on_stack, STAYS, __LINE__);
    pieces_used(win, on_stack, 8);
    OK(MPI_Win_detach(win, words));
    words[0] = 77;
    OK(MPI_Win_detach(win, on_stack));
    OK(MPI_Win_free(&win));
    SAME(words[0], 77);
    free(words);
}

/* Two pieces that touch and find no room side by side in the heap: the second is longer than what
 * is kept there for neighbours of the first. */
static void apart(void)
{
    const size_t bytes = 24 << 20, words = PAGE / 8;
    unsigned char *at = pages_apart(bytes);
    MPI_Win win;
    OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    attach(win, at, PAGE, MOVES, __LINE__);
    OK(MPI_Win_attach(win, at + PAGE, (MPI_Aint)(bytes - PAGE)));
    pieces_used(win, (int64_t *)(void *)(at + PAGE / 2), (int)words);
    pieces_used(win, (int64_t *)(void *)at, (int)(3 * words));
    OK(MPI_Win_free(&win));
    munmap(at, bytes);
}

/* What is attached goes back with its window: all together would not fit into the heap. */
static void never_detached(void)
{
    enum { TURNS = 20, BYTES = 16 << 20 };
    for (int turn = 0; turn < TURNS; turn++) {
        void *at = pages_apart(BYTES);
        MPI_Win win;
        OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
        attach(win, at, BYTES, MOVES, __LINE__);
        OK(MPI_Win_free(&win));
        munmap(at, BYTES);
    }
}

/* -- what it costs */

/* Is bounded: behind one long window not much is left for another one, until a multiple of the time
 * that was counted for it has passed. */
static void bounded(void)
{
    enum { BYTES = 76 << 20, MOST_S = 2 };
    const double begin = MPI_Wtime();
    MPI_Win win;
    if (!moves)
        return;
    OK(unsetenv("MPILITE_RMA"));
    void *at = pages_apart(BYTES);
    win = make(at, BYTES, MOVES);
    OK(MPI_Win_free(&win));
    look();
    OK(MPI_Win_create(at, BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    if (MPI_Wtime() < begin + MOST_S)
        SAME(moved() - was_moved, 0);
    OK(MPI_Win_free(&win));
    munmap(at, BYTES);
    OK(setenv("MPILITE_RMA", "moved", 1));
}

/* -- memory that has to stay where it is */

static void stays(void *at, size_t bytes)
{
    MPI_Win win = make(at, bytes, STAYS);
    use(win, at, bytes, 27);
    OK(MPI_Win_free(&win));
}

static void others(void)
{
    const size_t bytes = 4 * PAGE;
    const int rights = PROT_READ | PROT_WRITE;
    char name[] = "/tmp/rma_move.XXXXXX";
    unsigned char *at = mmap(NULL, bytes, rights, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    stays(at, bytes);
    munmap(at, bytes);
    int fd = mkstemp(name);
    CHECK(fd >= 0 && !unlink(name) && !ftruncate(fd, (off_t)bytes));
    at = mmap(NULL, bytes, rights, MAP_PRIVATE, fd, 0);
    stays(at + 100, bytes - 200);
    munmap(at, bytes);
    at = mmap(NULL, bytes, rights, MAP_SHARED, fd, 0);
    stays(at, bytes);
    munmap(at, bytes);
    close(fd);
    at = pages_apart(bytes);
    mprotect(at + PAGE, PAGE, PROT_READ);
    MPI_Win win = make(at, 2 * PAGE, STAYS);
    OK(MPI_Win_free(&win));
    mprotect(at + PAGE, PAGE, rights);
    if (!syscall(SYS_mlock, at, PAGE)) {            /* sanitizers make nothing of mlock */
        stays(at, bytes);
        syscall(SYS_munlock, at, PAGE);
    }
    win = make(at, bytes, MOVES);
    use(win, at, bytes, 28);
    OK(MPI_Win_free(&win));
    munmap(at, bytes);
}

/* A file deep in folders, whose names the kernel spells by four letters for one: its line in the
 * list of mappings is longer than a page; where it lies the list comes to it first. */
static void behind_long_name(void)
{
    enum { DEPTH = 12, NAME = 200 };
    void *const low = (void *)(uintptr_t)0x10000000;
    char top[] = "/tmp/rma_move.XXXXXX", name[NAME + 1] = "";
    const int home = open(".", O_RDONLY);
    memset(name, '\n', NAME);
    CHECK(home >= 0 && mkdtemp(top) && !chdir(top));
    for (int i = 0; i < DEPTH; i++)
        CHECK(!mkdir(name, 0700) && !chdir(name));
    const int fd = open("f", O_RDWR | O_CREAT, 0600);
    CHECK(fd >= 0 && !ftruncate(fd, PAGE));
    void *file = mmap(low, PAGE, PROT_READ, MAP_PRIVATE, fd, 0);
    CHECK(file != MAP_FAILED && !unlink("f"));
    void *at = pages_apart(4 * PAGE);
    MPI_Win win = make(at, 4 * PAGE, MOVES);
    use(win, at, 4 * PAGE, 29);
    OK(MPI_Win_free(&win));
    munmap(at, 4 * PAGE);
    munmap(file, PAGE);
    close(fd);
    for (int i = 0; i < DEPTH; i++)
        CHECK(!chdir("..") && !rmdir(name));
    CHECK(!fchdir(home) && !rmdir(top));
    close(home);
}

/* -- */

int main(int argc, char **argv)
{
    static int64_t left[4];
    begin(&argc, &argv);
    bounded();
    variables();
    untouched();
    pieces();
    overlapping();
    long_ones();
    sparse();
    enlarged();
    freed_first();
    protected();
    dynamic();
    apart();
    never_detached();
    others();
    behind_long_name();
    left[1] = 7;
    make(left, sizeof left, variables_stay());
    const int rc = end();
    left[2] = left[1];
    return rc || left[2] != 7;
}
