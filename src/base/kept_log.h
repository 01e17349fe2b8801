/* Messages that are kept until somebody wants them. */
#ifndef SHW_BASE_KEPT_LOG_H
#define SHW_BASE_KEPT_LOG_H

#include <pthread.h>
#include <stdint.h>

#include <shadewood/log.h>

struct shw_kept_message;

struct shw_kept_log {
    pthread_mutex_t mutex;
    struct shw_kept_message *messages;
    uint32_t count, capacity;
};

void shw_kept_log_init(struct shw_kept_log *kept);
void shw_kept_log_destroy(struct shw_kept_log *kept);

/* A log that keeps what `to` would receive; any thread. A message for which there is no memory is lost. */
struct shw_log shw_kept_log_of(struct shw_kept_log *kept, const struct shw_log *to);

/* Sends them to `to`, in the order in which they came, and keeps them no more. */
void shw_kept_log_pass(struct shw_kept_log *kept, const struct shw_log *to);

#endif
