/* Values of variables that each rank would refuse by itself, for who can refuse them once. */
#include <stdio.h>
#include <string.h>

#include "model/flow_boot.h"
#include "nicemu.h"
#include "nicemu/sizes.h"
#include "nicemu/variables.h"
#include "reliable/fault.h"

static bool fault(const char *value, unsigned ranks, char *why, size_t room)
{
    struct nic_fault f = { .seed = 0 };
    (void)ranks;
    return !nic_fault_parse(&f, value, why, room);
}

static bool boot(const char *value, unsigned ranks, char *why, size_t room)
{
    if (nic_flow_boots_fit(value, ranks))
        return true;
    snprintf(why, room, NIC_FLOW_BOOTS_WRONG, value);
    return false;
}

static bool machines(const char *value, unsigned ranks, char *why, size_t room)
{
    (void)ranks;
    if (strspn(value, "0123456789") == strlen(value))
        return true;
    snprintf(why, room, "'%s' is no number of machines: it must be a whole number", value);
    return false;
}

static const struct {
    const char *name;
    bool (*takes)(const char *value, unsigned ranks, char *why, size_t room);
} checks[] = {
    { "NICEMU_FAULT", fault }, { "NICEMU_BOOT", boot }, { "NICEMU_MACHINES", machines },
};

bool nic_variable_takes(const char *name, const char *value, unsigned ranks, char *why, size_t room)
{
    struct nic_job_config sizes = { .ranks = ranks };
    char wrong[256];
    if (*value && (!strcmp(name, NIC_ENV_HEAP) || !strcmp(name, NIC_ENV_SCRATCHPAD)))
        return !nic_job_config_set(&sizes, name, value, why, room);
    for (unsigned i = 0; *value && i < sizeof checks / sizeof *checks; i++) {
        if (strcmp(checks[i].name, name) || checks[i].takes(value, ranks, wrong, sizeof wrong))
            continue;
        snprintf(why, room, "%s: %s", name, wrong);
        return false;
    }
    return true;
}
