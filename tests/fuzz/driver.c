/* Runs a fuzz target without a fuzzer: each file of the corpus, then mutations of them, the same in
 * every run for as long as it has time.
 *
 * driver [-runs=N] [-seconds=S] [-seed=N] [-failure=FILE] FILE|FOLDER...; the first input that
 * fails ends the process and is left in that file. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "fuzz.h"

enum { FILES_MAX = 1024, INPUT_MAX = 2048, MUTATIONS = 6, RUNS = 4000, SECONDS = 4 };

static struct { uint8_t *data; size_t size; } corpus[FILES_MAX];
static unsigned files;
static uint8_t current[INPUT_MAX];
static size_t current_size;
static uint64_t seed = 1, state;
static const char *failure = "fuzz-failure";

static uint64_t next_random(void)
{
    state ^= state << 13, state ^= state >> 7;
    return state ^= state << 17;
}

static size_t below(size_t limit) { return limit ? (size_t)(next_random() >> 11) % limit : 0; }

/* Keeps the input for the debugger. */
static void keep_input(void)
{
    int fd = open(failure, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd >= 0 && write(fd, current, current_size) == (ssize_t)current_size)
        close(fd);
}

static void on_signal(int number)
{
    keep_input();
    signal(number, SIG_DFL);
    raise(number);
}

/* Sanitizers, where there are any, end the process by themselves. */
__attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)(void));

static void watch(void)
{
    signal(SIGABRT, on_signal);
    if (__sanitizer_set_death_callback)
        __sanitizer_set_death_callback(keep_input);
    else
        signal(SIGSEGV, on_signal);
}

static void read_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f || files == FILES_MAX) {
        fprintf(stderr, "%s: not read\n", path);
        exit(1);
    }
    must(corpus[files].data = malloc(INPUT_MAX));
    corpus[files].size = fread(corpus[files].data, 1, INPUT_MAX, f);
    files++;
    fclose(f);
}

static void read_folder(const char *path)
{
    struct dirent **entry;
    /* in an order that no file system chooses */
    int n = scandir(path, &entry, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        char name[4096];
        snprintf(name, sizeof name, "%s/%s", path, entry[i]->d_name);
        if (entry[i]->d_name[0] != '.')
            read_file(name);
        free(entry[i]);
    }
    if (n >= 0)
        free(entry);
}

static void read_path(const char *path)
{
    struct stat st;
    if (!stat(path, &st) && S_ISDIR(st.st_mode))
        read_folder(path);
    else
        read_file(path);
}

/* -- mutations */

static void insert(size_t at, const uint8_t *from, size_t n)
{
    n = n < INPUT_MAX - current_size ? n : INPUT_MAX - current_size;
    memmove(current + at + n, current + at, current_size - at);
    memmove(current + at, from, n);
    current_size += n;
}

static void delete(size_t at, size_t n)
{
    n = n < current_size - at ? n : current_size - at;
    memmove(current + at, current + at + n, current_size - at - n);
    current_size -= n;
}

static void cross(size_t at)
{
    unsigned other = (unsigned)below(files);
    size_t from = below(corpus[other].size);
    insert(at, corpus[other].data + from, below(corpus[other].size - from) % 64 + 1);
}

static void mutate(void)
{
    static const uint8_t edges[] = { 0, 1, 2, 0x7f, 0x80, 0xff };
    uint8_t fresh[8];
    size_t at = below(current_size + 1);
    for (unsigned i = 0; i < sizeof fresh; i++)
        fresh[i] = (uint8_t)next_random();
    switch (below(7)) {
    case 0: if (at < current_size) current[at] ^= (uint8_t)(1u << below(8)); break;
    case 1: if (at < current_size) current[at] = fresh[0]; break;
    case 2: if (at < current_size) current[at] = edges[below(sizeof edges)]; break;
    case 3: insert(at, fresh, 1 + below(sizeof fresh)); break;
    case 4: delete(at, 1 + below(12)); break;
    case 5: if (files) cross(at); break;
    default: if (at < current_size) current[at] = (uint8_t)(current[at] + fresh[0] % 8 - 4);
    }
}

static void start_from(unsigned file)
{
    current_size = 0;
    if (files)
        insert(0, corpus[file % files].data, corpus[file % files].size);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
    unsigned long runs = RUNS, done = 0;
    double seconds = SECONDS, start = now();
    for (int i = 1; i < argc; i++)
        if (!strncmp(argv[i], "-failure=", 9))
            failure = argv[i] + 9;
        else if (sscanf(argv[i], "-runs=%lu", &runs) != 1
                 && sscanf(argv[i], "-seconds=%lf", &seconds) != 1
                     && sscanf(argv[i], "-seed=%lu", &seed) != 1)
            read_path(argv[i]);
    watch();
    state = seed * UINT64_C(0x9e3779b97f4a7c15) | 1;
    printf("seed %lu, %u files\n", (unsigned long)seed, files);
    for (; done < files; done++) {
        start_from((unsigned)done);
        LLVMFuzzerTestOneInput(current, current_size);
    }
    for (; done < files + runs && now() - start < seconds; done++) {
        start_from((unsigned)below(files));
        for (size_t n = 1 + below(MUTATIONS); n; n--)
            mutate();
        LLVMFuzzerTestOneInput(current, current_size);
    }
    printf("%lu inputs\n", done);
    for (unsigned i = 0; i < files; i++)
        free(corpus[i].data);
    return 0;
}
