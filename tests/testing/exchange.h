/* Workers that train together, in threads of one program. */
#ifndef SHW_TESTING_EXCHANGE_H
#define SHW_TESTING_EXCHANGE_H

#include <pthread.h>

#include <shadewood/train.h>

#define TESTING_WORKERS_MAX 4

/* Where workers meet. */
struct testing_table {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    uint32_t worker_count, arrived, left;
    const uint32_t *words[TESTING_WORKERS_MAX];
    bool broken; /* a worker has ended early */
};

void testing_table_open(struct testing_table *table, uint32_t worker_count);
void testing_table_close(struct testing_table *table);

/* shw_train_exchange.gather for a worker; IO where another has left early. */
enum shw_result testing_table_gather(struct testing_table *table, uint32_t worker, const uint32_t *mine,
                                     size_t word_count, uint32_t *all);

/* The same for shw_train_exchange.scatter. */
enum shw_result testing_table_scatter(struct testing_table *table, uint32_t worker, const uint32_t *mine,
                                      size_t word_count, uint32_t *parts);

/* A worker's training has ended: without `finished`, the others' ends too. */
void testing_table_leave(struct testing_table *table, bool finished);

#endif
