/* A table of text: columns as wide as what is in them, all but those of words to the right. */
#ifndef LAUNCH_TABLE_H
#define LAUNCH_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct table { unsigned columns, at; size_t cells, room; char **cell; bool *words; };

/* Ends with table_print. */
void table_begin(struct table *table, unsigned columns);
/* The next cell, line by line. */
void table_add(struct table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same in a column of words. */
void table_add_words(struct table *table, const char *text);
/* Picoseconds as nanoseconds, all of them. */
void table_add_time(struct table *table, uint64_t picoseconds);
/* Rounded; nothing for 0. */
void table_add_share(struct table *table, uint64_t part, uint64_t whole);
/* Prints it and forgets it. */
void table_print(struct table *table, FILE *out);

#endif
