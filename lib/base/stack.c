/* Who called whom, line by line.  Nothing here takes memory, as signal handlers call it; what could
 * wait for a lock of the loader (dladdr) has an alarm of theirs behind it. */
#define _GNU_SOURCE
#include "base/stack.h"

#include "base/object.h"

#include <dlfcn.h>
#include <string.h>
#include <unistd.h>
#include <unwind.h>

enum { NAME_BYTES = 96 };

/* -- text */

void mpi_stack_put(struct mpi_stack_text *t, const char *s, size_t most)
{
    for (size_t i = 0; s[i] && i < most && t->used < sizeof t->buf - 1; i++) {
        bool prints = (unsigned char)s[i] >= 0x20 && s[i] != 0x7f;
        t->buf[t->used++] = prints || s[i] == '\n' ? s[i] : '?';
    }
}

void mpi_stack_put_words(struct mpi_stack_text *t, const char *s)
{
    mpi_stack_put(t, s, sizeof t->buf);
}

void mpi_stack_put_number(struct mpi_stack_text *t, uint64_t n, unsigned base)
{
    char digits[24], *d = digits + sizeof digits - 1;

    *d = 0;
    do
        *--d = "0123456789abcdef"[n % base];
    while (n /= base);
    mpi_stack_put_words(t, base == 16 ? "0x" : "");
    mpi_stack_put_words(t, d);
}

/* -- frames */

uintptr_t mpi_stack_pointer(const ucontext_t *u)
{
#if defined __x86_64__
    return (uintptr_t)u->uc_mcontext.gregs[REG_RSP];
#elif defined __aarch64__
    return u->uc_mcontext.sp;
#else
    return (void)u, 0;
#endif
}

uintptr_t mpi_stack_counter(const ucontext_t *u)
{
#if defined __x86_64__
    return (uintptr_t)u->uc_mcontext.gregs[REG_RIP];
#elif defined __aarch64__
    return u->uc_mcontext.pc;
#else
    return (void)u, 0;
#endif
}

/* inside: of what is of interest. */
struct walk { struct mpi_stack_text *text; unsigned count; bool inside; };

/* The program itself has no path in the loader's list, where dladdr gives argv[0]: that is on the
 * stack, and may be damaged. */
static const char *path_of(const struct link_map *object)
{
    static char self[CRASH_BYTES / 4];
    bool has_path = object && object->l_name && object->l_name[0];
    ssize_t n = has_path ? -1 : readlink("/proc/self/exe", self, sizeof self - 1);

    if (n <= 0)
        return has_path ? object->l_name : "";
    self[n] = 0;
    return self;
}

/* " (/path/of/program+0x1234)" */
static void put_place(struct mpi_stack_text *t, const Dl_info *object, const struct link_map *map,
                      uintptr_t at)
{
    mpi_stack_put_words(t, " (");
    mpi_stack_put_words(t, path_of(map));
    mpi_stack_put_words(t, "+");
    mpi_stack_put_number(t, at - mpi_object_base(object), 16);
    mpi_stack_put_words(t, ")\n");
}

void mpi_stack_put_made(struct mpi_stack_text *t, const char *what, const void *maker)
{
    uintptr_t at = (uintptr_t)maker - 1;        /* in the call, not behind it */
    struct link_map *map = NULL;
    Dl_info object;

    if (!maker || !dladdr1((void *)at, &object, (void **)&map, RTLD_DL_LINKMAP))
        return;
    mpi_stack_put_words(t, "  #@ ");
    mpi_stack_put(t, what, NAME_BYTES);
    put_place(t, &object, map, at);
}

/* pc: in the instruction, or behind it unless `exact`. */
static void put_frame(struct walk *w, uintptr_t pc, bool exact)
{
    uintptr_t at = exact ? pc : pc - 1;
    struct mpi_stack_text *t = w->text;
    struct link_map *map = NULL;
    Dl_info object = { 0 };

    mpi_stack_put_words(t, "  #");
    mpi_stack_put_number(t, w->count++, 10);
    mpi_stack_put_words(t, " ");
    if (!dladdr1((void *)at, &object, (void **)&map, RTLD_DL_LINKMAP)) {
        mpi_stack_put_number(t, pc, 16);
        mpi_stack_put_words(t, "\n");
        return;
    }
    if (object.dli_sname) {
        mpi_stack_put(t, object.dli_sname, NAME_BYTES);
        mpi_stack_put_words(t, "+");
        mpi_stack_put_number(t, at - (uintptr_t)object.dli_saddr, 16);
    } else {
        mpi_stack_put_words(t, "?");
    }
    put_place(t, &object, map, at);
}

static _Unwind_Reason_Code add_frame(struct walk *w, uintptr_t pc, bool exact)
{
    size_t before = w->text->used;

    if (w->count == CRASH_FRAMES || (w->count && !pc))
        return _URC_END_OF_STACK;
    put_frame(w, pc, exact);
    if (w->text->used < sizeof w->text->buf - 1)
        return _URC_NO_REASON;
    w->text->used = before;     /* no part of a line */
    return _URC_END_OF_STACK;
}

/* The handler's own frames come first, up to the one that the signal has interrupted. */
static _Unwind_Reason_Code step(struct _Unwind_Context *context, void *argument)
{
    struct walk *w = argument;
    int exact = 0;
    uintptr_t pc = _Unwind_GetIPInfo(context, &exact);

    w->inside |= exact;
    return w->inside ? add_frame(w, pc, exact) : _URC_NO_REASON;
}

/* To the call that led to where no code is, as if it had been interrupted itself. */
static void step_back(ucontext_t *u)
{
#if defined __x86_64__
    greg_t *r = u->uc_mcontext.gregs;

    r[REG_RIP] = *(greg_t *)r[REG_RSP] - 1;
    r[REG_RSP] += sizeof(greg_t);
#elif defined __aarch64__
    u->uc_mcontext.pc = u->uc_mcontext.regs[30] - 1;
#endif
}

static bool in_object(uintptr_t pc)
{
    Dl_info object;

    return dladdr((void *)pc, &object);
}

/* The unwinder knows of no caller where no code is, and would read there. */
void mpi_stack_put_interrupted(struct mpi_stack_text *t, ucontext_t *u, bool no_code)
{
    struct walk w = { .text = t };
    uintptr_t pc = mpi_stack_counter(u);

    if (no_code || !in_object(pc)) {
        put_frame(&w, pc, true);
        step_back(u);
    }
    if (in_object(mpi_stack_counter(u)))
        _Unwind_Backtrace(step, &w);
    else if (no_code)
        mpi_stack_put_damaged(t);
}

void mpi_stack_put_damaged(struct mpi_stack_text *t)
{
    while (t->used && t->buf[t->used - 1] != '\n')
        t->used--;
    mpi_stack_put_words(t, STACK_DAMAGED "\n");
}

/* Of this library, or of one that stands on it. */
static bool is_library(const Dl_info *object)
{
    const char *path = object->dli_fname ? object->dli_fname : "", *name = strrchr(path, '/');

    name = name ? name + 1 : path;
    return !strncmp(name, "libmpi", 6) || !strncmp(name, "libshmem", 8);
}

/* The calls inside of the library come first. */
static _Unwind_Reason_Code step_outside(struct _Unwind_Context *context, void *argument)
{
    struct walk *w = argument;
    uintptr_t pc = _Unwind_GetIP(context);
    Dl_info object;

    w->inside |= pc && !(dladdr((void *)(pc - 1), &object) && is_library(&object));
    return w->inside ? add_frame(w, pc, false) : _URC_NO_REASON;
}

bool mpi_stack_put_callers(struct mpi_stack_text *t)
{
    struct walk w = { .text = t };
    Dl_info here;

    if (dladdr(__func__, &here) && is_library(&here))
        _Unwind_Backtrace(step_outside, &w);
    return w.count;
}
