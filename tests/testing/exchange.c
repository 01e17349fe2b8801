#include "testing/exchange.h"

#include <string.h>

void testing_table_open(struct testing_table *table, uint32_t worker_count)
{
    *table = (struct testing_table){.worker_count = worker_count};
    pthread_mutex_init(&table->mutex, NULL);
    pthread_cond_init(&table->changed, NULL);
}

void testing_table_close(struct testing_table *table)
{
    pthread_mutex_destroy(&table->mutex);
    pthread_cond_destroy(&table->changed);
}

/* Copies the words of all workers from `offset` on. */
static enum shw_result meet(struct testing_table *table, uint32_t worker, const uint32_t *mine, size_t offset,
                            size_t word_count, uint32_t *all)
{
    bool arrived = false;
    enum shw_result result = SHW_OK;

    pthread_mutex_lock(&table->mutex);
    while (table->left > 0 && !table->broken) /* of the round before */
        pthread_cond_wait(&table->changed, &table->mutex);
    if (!table->broken) {
        table->words[worker] = mine;
        if (++table->arrived == table->worker_count)
            table->left = table->worker_count;
        pthread_cond_broadcast(&table->changed);
        while (table->left == 0 && !table->broken)
            pthread_cond_wait(&table->changed, &table->mutex);
        arrived = true;
    }
    if (!arrived || table->left == 0) { /* in the second case nobody else has come */
        result = SHW_ERROR_IO;
    } else {
        for (uint32_t w = 0; w < table->worker_count; w++)
            memcpy(all + w * word_count, table->words[w] + offset, word_count * sizeof *all);
        /* words stay until all have them */
        table->arrived--;
        pthread_cond_broadcast(&table->changed);
        while (table->arrived > 0)
            pthread_cond_wait(&table->changed, &table->mutex);
        table->left--;
        pthread_cond_broadcast(&table->changed);
    }
    pthread_mutex_unlock(&table->mutex);
    return result;
}

enum shw_result testing_table_gather(struct testing_table *table, uint32_t worker, const uint32_t *mine,
                                     size_t word_count, uint32_t *all)
{
    return meet(table, worker, mine, 0, word_count, all);
}

enum shw_result testing_table_scatter(struct testing_table *table, uint32_t worker, const uint32_t *mine,
                                      size_t word_count, uint32_t *parts)
{
    return meet(table, worker, mine, worker * word_count, word_count, parts);
}

void testing_table_leave(struct testing_table *table, bool finished)
{
    pthread_mutex_lock(&table->mutex);
    table->broken |= !finished;
    pthread_cond_broadcast(&table->changed);
    pthread_mutex_unlock(&table->mutex);
}
