/* Suggestions for misspelt names. */
#ifndef SHW_CLI_SUGGEST_H
#define SHW_CLI_SUGGEST_H

#include <stdint.h>

/* A search for the nearest of several names; zero-initialised except `wanted`. */
struct cli_suggestion {
    const char *wanted;
    const char *nearest; /* NULL while no name is near enough */
    uint32_t distance;
};

/* Considers another name. Of equally near names the first is kept. */
void cli_suggest(struct cli_suggestion *suggestion, const char *name);

#endif
