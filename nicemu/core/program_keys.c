#include "core/program_keys.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/program.h"
#include "profile/quantity.h"

static unsigned count(const struct nic_program *p)
{
    unsigned n = 0;
    while (p->keys && p->keys[n].name)
        n++;
    return n;
}

/* As if the table of profiles had it; time in cycles is in the NIC's. */
static struct nic_profile_key as_profile_key(const struct nic_program_key *k)
{
    enum nic_profile_kind kind = !strcmp(k->unit, "ps") ? NIC_KEY_TIME
                                 : !strcmp(k->unit, "bytes") ? NIC_KEY_BYTES : NIC_KEY_COUNT;
    return (struct nic_profile_key){ .section = "own", .name = k->name, .kind = kind,
                                     .least = k->least, .most = k->most, .unit = k->unit };
}

static const char *value_of(const struct nic_profile_key *key, const struct nic_profile *p,
                            const char *text, uint64_t *value)
{
    struct nic_quantity q;
    char with_unit[NIC_PROFILE_OWN_TEXT * 2];
    bool bare = key->kind == NIC_KEY_COUNT && *text && !text[strspn(text, "0123456789")];
    snprintf(with_unit, sizeof with_unit, "%s%s%s", text, bare ? " " : "",
             bare ? key->unit : "");
    const char *wrong = nic_quantity_read(key, with_unit, &q);
    uint64_t hertz = !wrong && q.clock && !strcmp(q.clock, "host") ? p->host.clock
                     : !wrong && q.clock && !strcmp(q.clock, "alpu") ? p->alpu.clock
                     : p->nic.clock;
    if (!wrong)
        wrong = nic_quantity_value(&q, key, hertz, value);
    return wrong ? wrong : *value < key->least || *value > key->most ? "out of range" : NULL;
}

/* "lookup, entries" */
static void list_keys(const struct nic_program *p, char *text, size_t room)
{
    size_t n = 0;
    snprintf(text, room, "none");
    for (unsigned i = 0; i < count(p) && n < room; i++)
        n += (size_t)snprintf(text + n, room - n, "%s%s", i ? ", " : "", p->keys[i].name);
}

static int read_one(struct nic *n, const struct nic_profile *p, const struct nic_profile_own *own)
{
    const struct nic_program *program = n->program;
    char text[NIC_ALLOWED_TEXT];
    for (unsigned i = 0; i < count(program); i++) {
        struct nic_profile_key key = as_profile_key(&program->keys[i]);
        if (strcmp(own->name, key.name))
            continue;
        const char *wrong = value_of(&key, p, own->value, &n->keys[i]);
        if (!wrong)
            return 0;
        nic_profile_allowed(&key, text);
        nic_open_failed("profile '%s': own.%s = %s: %s; allowed: %s", p->name, own->name,
                        own->value, wrong, text);
        return -EINVAL;
    }
    list_keys(program, text, sizeof text);
    nic_open_failed("profile '%s' sets own.%s; keys of control program '%s': %s", p->name,
                    own->name, program->name ? program->name : "?", text);
    return -EINVAL;
}

/* All can be set, and told by their names (nicemu/explain.h). */
static int check_keys(const struct nic_program *p)
{
    const char *name = p->name ? p->name : "?";
    for (unsigned i = 0; i < count(p); i++) {
        size_t length = strlen(p->keys[i].name);
        if (length && length < NIC_PROFILE_OWN_TEXT)
            continue;
        nic_open_failed("control program '%s', key '%s': a name has 1 to %d characters", name,
                        p->keys[i].name, NIC_PROFILE_OWN_TEXT - 1);
        return -EINVAL;
    }
    if (count(p) <= NIC_PROFILE_OWN_MOST)
        return 0;
    nic_open_failed("control program '%s' has %u keys of its own: at most %d are allowed", name,
                    count(p), NIC_PROFILE_OWN_MOST);
    return -EINVAL;
}

int nic_program_keys_open(struct nic *n, const struct nic_profile *p)
{
    unsigned keys = count(n->program);
    int rc = check_keys(n->program);
    if (rc)
        return rc;
    if (keys && !(n->keys = calloc(keys, sizeof *n->keys)))
        return -ENOMEM;
    for (unsigned i = 0; i < keys; i++)
        n->keys[i] = n->program->keys[i].fallback;
    for (unsigned i = 0; p && !rc && i < NIC_PROFILE_OWN_MOST && p->own[i].name[0]; i++)
        rc = read_one(n, p, &p->own[i]);
    return rc;
}

const struct nic_program_key *nic_program_key(const struct nic *n, unsigned index)
{
    return index < count(n->program) ? &n->program->keys[index] : NULL;
}

void nic_program_keys_close(struct nic *n) { free(n->keys); }

uint64_t nic_key(const struct nic *n, unsigned index) { return n->keys[index]; }
