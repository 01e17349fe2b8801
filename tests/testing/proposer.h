/* Proposers for tests, which depend only on the round. */
#ifndef SHW_TESTING_PROPOSER_H
#define SHW_TESTING_PROPOSER_H

#include <shadewood/proposer.h>

enum testing_proposing {
    TESTING_PROPOSE_DRAWN, /* what the library would draw */
    TESTING_PROPOSE_MIXED, /* other numbers of candidates and bins from round to round: some drawn, some changed from
                              what the tree has chosen, some several times, one constant, some with intervals */
    TESTING_PROPOSE_FAR    /* rectangles as far away as offset_max lets them be, with intervals */
};

struct testing_proposer {
    struct shw_proposer proposer; /* what the trainer gets */
    enum testing_proposing how;
    uint32_t number; /* other candidates for another number */
    uint32_t calls;
    /* The call, counted from 1, that fails, and how; 0: none. */
    uint32_t fail_at;
    enum shw_result fail_with;
    const char *why;
};

/* `proposer` must stay where it is. */
void testing_propose(struct testing_proposer *proposer, enum testing_proposing how);

#endif
