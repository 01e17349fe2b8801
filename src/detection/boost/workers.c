#include "detection/boost/workers.h"

#include <stdlib.h>
#include <string.h>

#include "base/integers.h"
#include "base/log.h"

#define CHUNK_BYTES ((size_t)4 << 20) /* of the rows that are exchanged at a time, at least one row */

void shw_boost_share(const struct shw_boost_workers *workers, uint32_t count, uint32_t *begin, uint32_t *end)
{
    const uint32_t worker = workers->exchange != NULL ? workers->exchange->worker : 0;

    *begin = (uint32_t)((uint64_t)count * worker / shw_boost_workers_count(workers));
    *end = (uint32_t)((uint64_t)count * (worker + 1) / shw_boost_workers_count(workers));
}

enum shw_result shw_boost_gather(const struct shw_boost_workers *workers, const uint32_t *mine, size_t count,
                                 uint32_t *all)
{
    if (workers->exchange != NULL)
        return workers->exchange->gather(workers->exchange->user, mine, count, all);
    memcpy(all, mine, count * sizeof *all);
    return SHW_OK;
}

/* Those of all workers, to be freed. Errors: MEMORY, those of the exchange. */
static enum shw_result gather_numbers(const struct shw_boost_workers *workers, const uint64_t *numbers, uint32_t count,
                                      uint64_t **all)
{
    const size_t words = sizeof *numbers / sizeof(uint32_t) * count, total = words * shw_boost_workers_count(workers);
    uint32_t *sent = malloc((words + total) * sizeof *sent);
    enum shw_result result;

    *all = malloc(total * sizeof *sent);
    if (sent == NULL || *all == NULL) {
        result = shw_fail_memory(&workers->log, "numbers of all workers");
        goto fail;
    }
    memcpy(sent, numbers, words * sizeof *sent);
    SHW_TRY(shw_boost_gather(workers, sent, words, sent + words));
    memcpy(*all, sent + words, total * sizeof *sent);

fail:
    free(sent);
    if (result != SHW_OK)
        free(*all);
    return result;
}

enum shw_result shw_boost_add_up(const struct shw_boost_workers *workers, uint64_t *numbers, uint32_t count)
{
    uint64_t *all;

    if (workers->exchange == NULL)
        return SHW_OK;
    SHW_PROPAGATE(gather_numbers(workers, numbers, count, &all));
    memset(numbers, 0, count * sizeof *numbers);
    for (uint32_t i = 0; i < shw_boost_workers_count(workers) * count; i++)
        numbers[i % count] += all[i];
    free(all);
    return SHW_OK;
}

/* The most rows that one worker has of `count`. */
static uint32_t most_rows(const struct shw_boost_workers *workers, const uint32_t *owners, uint32_t count)
{
    uint32_t most = 0;

    for (uint32_t w = 0; w < workers->exchange->worker_count; w++) {
        uint32_t has = 0;

        for (uint32_t r = 0; r < count; r++)
            has += owners[r] == w;
        most = shw_max_u32(most, has);
    }
    return most;
}

/* The rows of each worker one after the other, as many words for each. */
static enum shw_result share_chunk(const struct shw_boost_workers *workers, const uint32_t *owners, uint32_t count,
                                   size_t row_size, uint8_t *rows)
{
    const struct shw_train_exchange *exchange = workers->exchange;
    const size_t words = (most_rows(workers, owners, count) * row_size + sizeof(uint32_t) - 1) / sizeof(uint32_t);
    uint32_t *mine = calloc((size_t)(exchange->worker_count + 1) * words + 1, sizeof *mine), *all = mine + words;
    uint8_t *to = (uint8_t *)mine;
    enum shw_result result;

    if (mine == NULL)
        return shw_fail_memory(&workers->log, "what workers exchange");
    for (uint32_t r = 0; r < count; r++)
        if (owners[r] == exchange->worker) {
            memcpy(to, rows + r * row_size, row_size);
            to += row_size;
        }
    result = shw_boost_gather(workers, mine, words, all);
    for (uint32_t w = 0; result == SHW_OK && w < exchange->worker_count; w++) {
        const uint8_t *from = (const uint8_t *)(all + w * words);

        for (uint32_t r = 0; r < count; r++)
            if (owners[r] == w) {
                memcpy(rows + r * row_size, from, row_size);
                from += row_size;
            }
    }
    free(mine);
    return result;
}

enum shw_result shw_boost_share_rows(const struct shw_boost_workers *workers, const uint32_t *owners, uint32_t rows,
                                     size_t row_size, void *data)
{
    const uint32_t at_once = (uint32_t)shw_clamp_i64((int64_t)(CHUNK_BYTES / row_size), 1, UINT32_MAX);

    for (uint32_t begin = 0; workers->exchange != NULL && begin < rows;) {
        const uint32_t count = shw_min_u32(rows - begin, at_once);

        SHW_PROPAGATE(share_chunk(workers, owners + begin, count, row_size, (uint8_t *)data + begin * row_size));
        begin += count;
    }
    return SHW_OK;
}

enum shw_result shw_boost_agree(const struct shw_boost_workers *workers, uint64_t hash, const char *what)
{
    uint64_t *all;
    enum shw_result result = SHW_OK;

    if (workers->exchange == NULL)
        return SHW_OK;
    SHW_PROPAGATE(gather_numbers(workers, &hash, 1, &all));
    for (uint32_t w = 0; result == SHW_OK && w < shw_boost_workers_count(workers); w++)
        if (all[w] != hash)
            result = shw_fail(&workers->log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER,
                              "worker %u trains another cascade, with other %s: give all workers the same images and "
                              "parameters, and each its own number",
                              w, what);
    free(all);
    return result;
}
