/* Requests in a row, linked by their `next`: each is in one list at most. */
#ifndef FW_REQ_LIST_H
#define FW_REQ_LIST_H

#include "fw/state.h"

static inline void fw_req_list_init(struct fw_req_list *l)
{
    l->first = NULL;
    l->end = &l->first;
}

static inline void fw_req_list_append(struct fw_req_list *l, struct fw_req *r)
{
    r->next = NULL;
    *l->end = r;
    l->end = &r->next;
}

/* In front of the others of a list that is not empty. */
static inline void fw_req_list_push(struct fw_req_list *l, struct fw_req *r)
{
    r->next = l->first;
    l->first = r;
}

/* The first, which is in the list no more; NULL: there is none. */
static inline struct fw_req *fw_req_list_take(struct fw_req_list *l)
{
    struct fw_req *r = l->first;
    if (r && !(l->first = r->next))
        l->end = &l->first;
    return r;
}

/* One that is in the list. */
static inline void fw_req_list_remove(struct fw_req_list *l, struct fw_req *r)
{
    struct fw_req **at = &l->first;
    while (*at != r)
        at = &(*at)->next;
    if (!(*at = r->next))
        l->end = at;
}

#endif
