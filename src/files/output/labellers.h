/* Labellers of one forest on several devices, of which whoever labels takes one that is free. */
#ifndef SHW_FILES_OUTPUT_LABELLERS_H
#define SHW_FILES_OUTPUT_LABELLERS_H

#include <pthread.h>
#include <stdbool.h>

#include <shadewood/label.h>

#define SHW_LABELLERS_MAX 16u

struct shw_labellers {
    pthread_mutex_t mutex;
    pthread_cond_t given;
    struct shw_one_labeller {
        struct shw_labeller *labeller;
        struct shw_log log, own; /* of who has taken it; of its parameters */
        bool taken;
    } list[SHW_LABELLERS_MAX];
    uint32_t count;
};

void shw_labellers_init(struct shw_labellers *labellers);
void shw_labellers_destroy(struct shw_labellers *labellers);

/* Adds one, of at most SHW_LABELLERS_MAX. Errors: those of creating a labeller. */
enum shw_result shw_labellers_add(struct shw_labellers *labellers, const struct shw_labeller_params *params);

/* Waits until one is free; of several, the first. Its messages go to `log` until it is given back. Any thread. */
struct shw_labeller *shw_labellers_take(struct shw_labellers *labellers, const struct shw_log *log);
void shw_labellers_give(struct shw_labellers *labellers, const struct shw_labeller *labeller);

#endif
