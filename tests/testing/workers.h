/* Workers that train one forest together, in threads of the test. */
#ifndef SHW_TESTING_WORKERS_H
#define SHW_TESTING_WORKERS_H

#include "testing/examples.h"
#include "testing/exchange.h"
#include "testing/testing.h"

struct testing_worker {
    struct testing_table *table;
    struct shw_train_exchange exchange;
    struct shw_trainer_params params;
    const struct testing_examples *examples;
    struct testing_log memory;
    pthread_t thread;
    uint32_t rounds, rounds_max; /* rounds_max: 0, or where it ends early */
    uint32_t steps_max;          /* 0, or after how many rounds of training it ends early */
    const char *checkpoint;      /* where it begins, or NULL */
    const char *save;            /* the checkpoint that it then writes, or NULL */
    enum shw_result result;
    uint64_t hash;
};

/* Worker w goes by technique w of the list, again and again; all divide what is said. */
void testing_workers_prepare(struct testing_table *table, struct testing_worker *workers, uint32_t count,
                             const struct shw_trainer_params *params, const struct testing_examples *examples,
                             const enum shw_technique *techniques, uint32_t technique_count,
                             enum shw_train_division divide);

/* Trains until all have ended; closes the table. */
void testing_workers_run(struct testing_worker *workers, uint32_t count);

/* Fails unless all have this forest. */
void testing_workers_expect(const char *what, uint32_t number, const struct testing_worker *workers, uint32_t count,
                            uint64_t hash);

#endif
