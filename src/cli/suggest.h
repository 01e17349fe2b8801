/* The name that somebody probably meant. */
#ifndef SHW_CLI_SUGGEST_H
#define SHW_CLI_SUGGEST_H

#include <stdint.h>

/* A search for the nearest of several names; zero-initialised but for `wanted`. */
struct cli_suggestion {
    const char *wanted;
    const char *nearest; /* NULL while no name is near enough to be meant */
    uint32_t distance;
};

/* Takes one more name into account. Of names equally near, the first stays. */
void cli_suggest(struct cli_suggestion *suggestion, const char *name);

#endif
