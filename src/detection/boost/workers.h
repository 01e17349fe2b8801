/* Workers that train one cascade together (shw_cascade_trainer_params.exchange). An image belongs to one of them, which
 * reads it, cuts its objects and mines it; the candidates of each level of a tree are divided among all. */
#ifndef SHW_DETECTION_BOOST_WORKERS_H
#define SHW_DETECTION_BOOST_WORKERS_H

#include <shadewood/log.h>
#include <shadewood/train.h>

struct shw_boost_workers {
    const struct shw_train_exchange *exchange; /* NULL: one trainer has everything */
    struct shw_log log;
};

static inline uint32_t shw_boost_workers_count(const struct shw_boost_workers *workers)
{
    return workers->exchange != NULL ? workers->exchange->worker_count : 1;
}

/* Images that follow each other belong to different workers. */
static inline uint32_t shw_boost_image_owner(const struct shw_boost_workers *workers, uint32_t image)
{
    return image % shw_boost_workers_count(workers);
}

/* Whether it is this worker's. */
static inline bool shw_boost_owns_image(const struct shw_boost_workers *workers, uint32_t image)
{
    return workers->exchange == NULL || shw_boost_image_owner(workers, image) == workers->exchange->worker;
}

/* The first of this worker's candidates of `count`, and the first after them. */
void shw_boost_share(const struct shw_boost_workers *workers, uint32_t count, uint32_t *begin, uint32_t *end);

/* The words of all workers, in the order of their numbers. `all` has as many as there are workers times `count`.
 * Errors: those of the exchange. */
enum shw_result shw_boost_gather(const struct shw_boost_workers *workers, const uint32_t *mine, size_t count,
                                 uint32_t *all);

/* Adds up the numbers of all workers. Errors: MEMORY, those of the exchange. */
enum shw_result shw_boost_add_up(const struct shw_boost_workers *workers, uint64_t *numbers, uint32_t count);

/* Gives all workers the rows of all: each has filled in those it owns of `data`, and gets the others. `owners`: of each
 * row. Little at a time is copied. Errors: MEMORY, those of the exchange. */
enum shw_result shw_boost_share_rows(const struct shw_boost_workers *workers, const uint32_t *owners, uint32_t rows,
                                     size_t row_size, void *data);

/* Fails with ARGUMENT unless all workers pass the same hash. `what`: what is not the same. */
enum shw_result shw_boost_agree(const struct shw_boost_workers *workers, uint64_t hash, const char *what);

#endif
