/* Asking addr2line where an address is. */
#include "launch/report/source.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/object.h"
#include "base/printable.h"
#include "launch/base/say.h"
#include "launch/report/ask.h"

enum { NAME_SIZE = 256, ANSWER_SIZE = 4096, DIGITS_MAX = 16 };

/* -- the file */

/* The path in a line of /proc/PID/maps, if the file is still there. */
static char *mapped_path(char *line)
{
    static const char gone[] = " (deleted)";
    char *path = strchr(line, '/');
    size_t size = path ? strcspn(path, "\n") : 0;

    if (!path)
        return NULL;
    path[size] = 0;
    return size >= sizeof gone && !strcmp(path + size - (sizeof gone - 1), gone) ? NULL : path;
}

/* The path of a file of that name that the process has mapped, to be freed; NULL: it has none. */
static char *find_file(pid_t process, const char *name)
{
    char maps[64], *line = NULL, *path = NULL;
    size_t room = 0;

    snprintf(maps, sizeof maps, "/proc/%d/maps", (int)process);
    FILE *in = process > 0 ? fopen(maps, "re") : NULL;
    while (in && !path && getline(&line, &room, in) > 0) {
        char *found = mapped_path(line);
        if (found && !strcmp(strrchr(found, '/') + 1, name))
            path = strdup(found);
    }
    if (in)
        fclose(in);
    free(line);
    return path;
}

/* -- asking */

static void ask(const char *path, uint64_t address, char *line, size_t size, int64_t until)
{
    char text[32];
    const char *argv[] = { "addr2line", "-e", path, text, NULL };

    snprintf(text, sizeof text, "0x%llx", (unsigned long long)address);
    ask_line(argv, line, size, until);
}

bool source_has_names(const char *path)
{
    FILE *in = fopen(path, "re");
    ElfW(Ehdr) head;
    ElfW(Shdr) section;
    bool found = false;

    bool read = in && fread(&head, sizeof head, 1, in) == 1
        && head.e_shentsize == sizeof section && !fseek(in, (long)head.e_shoff, SEEK_SET);
    for (unsigned i = 0; read && !found && i < head.e_shnum; i++)
        found = fread(&section, sizeof section, 1, in) == 1 && section.sh_type == SHT_SYMTAB;
    if (in)
        fclose(in);
    return found;
}

char *source_frames(const char *path, char *const *addresses, unsigned count, int64_t *left_ns)
{
    static const char *const options[] = { "addr2line", "-a", "-f", "-C", "-i", "-e" };
    enum { OPTIONS = sizeof options / sizeof *options };
    const char **argv = need(calloc(OPTIONS + count + 2, sizeof *argv));
    int64_t begin = now_ns();

    memcpy(argv, options, sizeof options);
    argv[OPTIONS] = path;
    memcpy(argv + OPTIONS + 1, addresses, count * sizeof *argv);
    char *text = *left_ns > 0 ? ask_all(argv, begin + *left_ns) : NULL;
    *left_ns -= now_ns() - begin;
    free(argv);
    return text;
}

/* -- the answer */

/* Prints where that is; false: nobody knows. */
static bool print_place(FILE *out, pid_t process, const char *name, uint64_t address,
                        int64_t *left_ns)
{
    char line[ANSWER_SIZE], plain[NAME_SIZE], *place = NULL;
    int64_t begin = now_ns();
    char *path = *left_ns > 0 ? find_file(process, name) : NULL;

    if (path) {
        ask(path, address, line, sizeof line, begin + *left_ns);
        *left_ns -= now_ns() - begin;
        place = mpi_object_line(line);
    }
    free(path);
    if (place)
        fputs(printable(plain, sizeof plain, place, ""), out);
    return place;
}

/* -- texts */

/* "NAME+0xADDRESS" at the beginning of a text: how long it is, 0: there is none.  One that ends
 * where the text does may have been cut off. */
static size_t parse(const char *text, char *name, uint64_t *address)
{
    const char *plus = strstr(text, "+0x"), *digits = plus ? plus + 3 : NULL;
    size_t count = plus ? strspn(digits, "0123456789abcdef") : 0;

    if (!count || count > DIGITS_MAX || (size_t)(plus - text) >= NAME_SIZE || !digits[count]
        || isalnum((unsigned char)digits[count]) || digits[count] == '.')
        return 0;
    memcpy(name, text, (size_t)(plus - text));
    name[plus - text] = 0;
    *address = strtoull(digits, NULL, 16);
    return (size_t)(digits + count - text);
}

void source_print(FILE *out, const char *text, pid_t process, int64_t *left_ns)
{
    static const char made[] = ", made at ";
    char name[NAME_SIZE];
    uint64_t address;

    for (const char *at; (at = strstr(text, made)); text = at) {
        at += sizeof made - 1;
        fwrite(text, 1, (size_t)(at - text), out);
        size_t size = parse(at, name, &address);
        if (size && print_place(out, process, name, address, left_ns)) {
            fprintf(out, " (%.*s)", (int)size, at);
            at += size;
        }
    }
    fputs(text, out);
}
