/* Which libraries a program is linked with stands in its dynamic section; what it loads besides is
 * seen while it runs, see loaded.c. */
#include "launch/report/foreign.h"
#include "launch/ranks/job.h"
#include "launch/base/say.h"
#include "launch/report/script.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* What a program holds that has all of such a library inside. */
static const struct { const char *text, *who; } inside[] = {
    { "ompi_mpi_init", "Open MPI" }, { "MPIR_CVAR_", "MPICH" },
};
enum { INSIDE = sizeof inside / sizeof *inside, INSIDE_MOST = 256 << 20 };

/* A file of which no offset is believed. */
struct image {
    const unsigned char *data;
    size_t size;
};

static const struct { const char *prefix, *who; } libraries[] = {
    { "libmpich.so.", "MPICH" }, { "libmpichfort.so.", "MPICH" }, { "libmpichcxx.so.", "MPICH" },
    { "libmpifort.so.", "MPICH's ABI" }, { "libmpicxx.so.", "MPICH's ABI" },
    { "libmpi.so.12", "MPICH's ABI" }, { "libmpi.so.", "Open MPI" },
    { "libmpi_mpifh.so.", "Open MPI" }, { "libmpi_usempi", "Open MPI" },
    { "libmpi_cxx.so.", "Open MPI" },
};
enum { LIBRARIES = sizeof libraries / sizeof *libraries };

static const void *at(const struct image *image, uint64_t offset, size_t bytes)
{
    return offset <= image->size && bytes <= image->size - offset ? image->data + offset : NULL;
}

static const Elf64_Phdr *header(const struct image *image, unsigned i)
{
    const Elf64_Ehdr *e = at(image, 0, sizeof *e);

    if (!e || memcmp(e->e_ident, ELFMAG, SELFMAG) || e->e_ident[EI_CLASS] != ELFCLASS64
        || i >= e->e_phnum || e->e_phoff % 8)
        return NULL;
    return at(image, e->e_phoff + i * sizeof(Elf64_Phdr), sizeof(Elf64_Phdr));
}

/* Where in the file a byte of the program's memory stands; the file's end if nowhere. */
static uint64_t offset_of(const struct image *image, uint64_t address)
{
    const Elf64_Phdr *h;

    for (unsigned i = 0; (h = header(image, i)); i++)
        if (h->p_type == PT_LOAD && address >= h->p_vaddr && address - h->p_vaddr < h->p_filesz)
            return h->p_offset + (address - h->p_vaddr);
    return image->size;
}

const char *foreign_name(const char *name)
{
    for (unsigned i = 0; i < LIBRARIES; i++)
        if (strncmp(name, libraries[i].prefix, strlen(libraries[i].prefix)) == 0)
            return libraries[i].who;
    return NULL;
}

/* Reads the dynamic section, which has `count` entries. */
static bool find(const struct image *image, const Elf64_Dyn *entry, size_t count, char *name,
                 size_t size)
{
    uint64_t strings = image->size;

    for (size_t i = 0; i < count; i++)
        if (entry[i].d_tag == DT_STRTAB)
            strings = offset_of(image, entry[i].d_un.d_ptr);
    for (size_t i = 0; i < count && entry[i].d_tag != DT_NULL; i++) {
        const char *text = entry[i].d_tag == DT_NEEDED
                           ? at(image, strings + entry[i].d_un.d_val, 1) : NULL;
        if (!text
            || !memchr(text, 0, image->size - (size_t)((const unsigned char *)text - image->data))
                || !foreign_name(text))
            continue;
        snprintf(name, size, "%s of %s", text, foreign_name(text));
        return true;
    }
    return false;
}

/* Of a program that loads no libraries. */
static bool find_inside(const struct image *image, char *name, size_t size)
{
    for (unsigned i = 0; i < INSIDE && image->size <= INSIDE_MOST; i++)
        if (memmem(image->data, image->size, inside[i].text, strlen(inside[i].text))) {
            snprintf(name, size, "the static library of %s", inside[i].who);
            return true;
        }
    return false;
}

static bool look(const struct image *image, char *name, size_t size)
{
    const Elf64_Phdr *h;

    for (unsigned i = 0; (h = header(image, i)); i++) {
        if (h->p_type != PT_DYNAMIC || h->p_offset % 8)
            continue;
        const Elf64_Dyn *entry = at(image, h->p_offset, h->p_filesz);
        return entry && find(image, entry, h->p_filesz / sizeof *entry, name, size);
    }
    return header(image, 0) && find_inside(image, name, size);
}

const char *foreign_library(const char *dir, const char *path, char *name, size_t size)
{
    int folder = dir ? open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC) : AT_FDCWD;
    int fd = openat(folder, path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    bool found = false;

    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
        struct image image = { .size = (size_t)st.st_size };
        void *data = mmap(NULL, image.size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (data != MAP_FAILED) {
            image.data = data;
            found = look(&image, name, size);
            munmap(data, image.size);
        }
    }
    if (fd >= 0)
        close(fd);
    if (folder >= 0)
        close(folder);
    return found ? name : NULL;
}

/* Whether a rank of these ended by itself, and never opened its NIC. */
static bool any_without(const struct job *job, unsigned first, unsigned count)
{
    for (unsigned i = first; i < first + count; i++)
        if (job->rank[i].without_nic)
            return true;
    return false;
}

/* A program that is linked with the library of another MPI. */
struct found {
    const char *dir;
    char program[PATH_MAX], name[128];
};

static bool is_foreign(struct found *f, const char *path)
{
    return foreign_library(f->dir, path, f->name, sizeof f->name);
}

/* As a shell finds it. */
static bool is_foreign_command(const char *word, void *context)
{
    struct found *f = context;
    const char *path = strchr(word, '/') ? NULL : getenv("PATH");
    char file[PATH_MAX];
    bool found = !path && *word && is_foreign(f, word);

    for (size_t n; path && *path && *word && !found; path += n + (path[n] == ':')) {
        n = strcspn(path, ":");
        snprintf(file, sizeof file, "%.*s/%s", (int)n, path, word);
        if (access(file, X_OK) == 0) {
            found = is_foreign(f, file);
            break;
        }
    }
    if (found)
        snprintf(f->program, sizeof f->program, "%s", word);
    return found;
}

static bool app_is_foreign(struct found *f, const struct app *app, const char *path)
{
    f->dir = app->dir;
    snprintf(f->program, sizeof f->program, "%s", app->argv[0]);
    return is_foreign(f, path) || script_commands(app->argv, is_foreign_command, f);
}

bool foreign_tell(const struct options *o)
{
    struct found found;

    for (unsigned i = 0; i < o->apps && o->ranks > 1 && !o->quiet; i++) {
        const char *program = o->app[i].argv[0], *of;
        found.dir = o->app[i].dir;
        if (strchr(program, '/') ? !is_foreign(&found, program)
                                 : !is_foreign_command(program, &found))
            continue;
        of = strstr(found.name, " of ") + strlen(" of ");
        say("warning: %s is linked with %s, not with libmpi_abi.so.1 of libmpi-lite: its ranks "
            "will know nothing of each other (compile it with the mpicc beside this mpirun, or "
            "start it with the mpirun of %s)", program, found.name,
            strncmp(of, "MPICH", strlen("MPICH")) ? of : "MPICH");
        return true;
    }
    return false;
}

/* Says so if the program is linked with such a library, or has been seen to load one. */
static bool warn_of(const struct job *job, unsigned app)
{
    const struct app *a = &job->options->app[app];
    struct found found;

    if (app_is_foreign(&found, a, job->path[app]))
        say("warning: %s is linked with %s, not with libmpi_abi.so.1 of libmpi-lite: its ranks "
            "knew nothing of each other", found.program, found.name);
    else if (job->loaded.name[0] && job->loaded.app == app)
        say("warning: %s has loaded %s, not libmpi_abi.so.1 of libmpi-lite: its ranks knew "
            "nothing of each other (what it loads, as mpi4py, is to be built with the mpicc beside "
            "this mpirun)", a->argv[0], job->loaded.name);
    else
        return false;
    return true;
}

void foreign_warn(const struct job *job)
{
    const struct options *o = job->options;

    if (o->ranks < 2 || o->quiet)
        return;
    for (unsigned i = 0, first = 0; i < o->apps; first += o->app[i++].ranks)
        if (any_without(job, first, o->app[i].ranks) && warn_of(job, i))
            return;
}
