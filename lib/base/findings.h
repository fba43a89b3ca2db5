/* How a rank under mpirun --check tells what it has found: lines "RANK MARK TEXT", each written at
 * once.  MARK: the job fails of it, it does not, or nothing was found yet, but somebody looks. */
#ifndef LIB_FINDINGS_H
#define LIB_FINDINGS_H

#include <stdbool.h>
#include <string.h>

/* The number of the descriptor. */
#define FINDINGS_ENV_FD "MPILITE_CHECK_FD"

/* What is looked for, the words of --check=sync,errors: sends wait for their receives; nothing is
 * said of what is legal. */
#define CHECK_ENV "MPILITE_CHECK"
#define CHECK_SYNC "sync"
#define CHECK_ERRORS "errors"

static inline bool findings_wants(const char *words, const char *word)
{
    size_t length = strlen(word);

    for (; words; words = strchr(words, ',')) {
        words += *words == ',';
        if (!strncmp(words, word, length) && (!words[length] || words[length] == ','))
            return true;
    }
    return false;
}

enum { FINDING_WRONG = '!', FINDING_REMARK = '-', FINDING_NONE = '+' };

/* Of a line; less than a pipe takes at once. */
enum { FINDING_BYTES = 2048 };

#endif
