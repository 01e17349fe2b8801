/* Things that several threads make, each as soon as a thread is free, and that one thread takes in order. */
#ifndef SHW_BASE_IN_ORDER_H
#define SHW_BASE_IN_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include <shadewood/log.h>

/* Thing i is in slot i mod `slots` from its begin to its take. */
struct shw_in_order {
    uint32_t threads; /* that make, besides the calling one: at least 1 */
    uint32_t slots;   /* at least 1; fewer than threads leave some idle */
    void *user;
    /* In order, one at a time, on a thread that then makes it. False: there are no more, and it is neither made nor
     * taken. */
    bool (*begin)(void *user, uint32_t slot);
    /* `thread` is below `threads`, and differs between concurrent calls. */
    void (*make)(void *user, uint32_t slot, uint32_t thread);
    /* In order, on the calling thread. False: no more are begun; those that were begun are still made and taken. */
    bool (*take)(void *user, uint32_t slot);
};

/* Returns when all are taken. Errors: MEMORY if no thread can be created; nothing was begun then. */
enum shw_result shw_in_order_run(const struct shw_in_order *things, const struct shw_log *log);

#endif
