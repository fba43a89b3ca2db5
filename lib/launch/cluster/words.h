/* An argument vector that grows. */
#ifndef LAUNCH_WORDS_H
#define LAUNCH_WORDS_H

#include <stddef.h>

/* list is NULL or ends with NULL; its strings are owned. */
struct words {
    char **list;
    size_t count;
};

void words_add(struct words *words, const char *word);
void words_format(struct words *words, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A list that ends with NULL. */
void words_add_all(struct words *words, char *const *list);
void words_free(struct words *words);

/* As a shell would read them, in one string; to be freed. */
char *words_quote(const struct words *words);

#endif
