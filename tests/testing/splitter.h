/* A splitter that watches another. */
#ifndef SHW_TESTING_SPLITTER_H
#define SHW_TESTING_SPLITTER_H

#include <shadewood/splitter.h>

/* Checks with assertions that everything is handed over as <shadewood/splitter.h> says, and hashes it, wherever pieces
 * are cut. */
struct testing_watcher {
    struct shw_splitter splitter; /* what the trainer gets */
    struct shw_splitter inner;    /* what chooses */
    uint64_t hash;
    uint32_t rounds, calls;   /* of all rounds; of `histograms` in all rounds */
    uint32_t unusable;        /* candidates */
    uint64_t undefined;       /* samples, of all candidates */
    uint32_t node, candidate; /* that come next */
};

/* `watcher` must stay where it is. It is released with its inner splitter. */
void testing_watch(struct testing_watcher *watcher, struct shw_splitter inner);

#endif
