/* Messages to the caller's log. */
#ifndef SHW_BASE_LOG_H
#define SHW_BASE_LOG_H

#include <stddef.h>
#include <stdint.h>

#include <shadewood/log.h>
#include <shadewood/version.h>

#if defined(__GNUC__)
#define SHW_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define SHW_PRINTF(text, first)
#endif

/* Sends a message; `log` may be NULL. Messages are truncated to SHW_MESSAGE_SIZE; control characters become '?'. */
void shw_log_message(const struct shw_log *log, enum shw_log_level level, enum shw_log_item item, const char *format,
                     ...) SHW_PRINTF(4, 5);

/* Sends an error and returns `result`: for the return statement of a failing function. */
enum shw_result shw_fail(const struct shw_log *log, enum shw_result result, enum shw_log_item item, const char *format,
                         ...) SHW_PRINTF(4, 5);

/* Fails with a message that the parameter of the function must not be null. */
enum shw_result shw_fail_null(const struct shw_log *log, const char *function, const char *parameter);

/* First in public functions: fails if a pointer that must be given is null. */
#define SHW_REFUSE_NULL(log, pointer)                                                                                  \
    do {                                                                                                               \
        if ((pointer) == NULL)                                                                                         \
            return shw_fail_null(log, __func__, #pointer);                                                             \
    } while (0)

/* Before anything that the caller passes is read: fails if the caller was compiled with other structs. */
#define SHW_REFUSE_ABI(abi)                                                                                            \
    do {                                                                                                               \
        if ((abi) != SHW_ABI)                                                                                          \
            return SHW_ERROR_ABI;                                                                                      \
    } while (0)

/* The message of the last failure of a thread (shw_last_error()), for threads that work for another: how many failures
 * the calling thread has had, modulo 2^32, and making a text its last one. */
uint32_t shw_failure_count(void);
void shw_failure_take(const char *text);

#define SHW_MESSAGE_SIZE 1024u /* with its end */

/* The usual message for a failed allocation. */
enum shw_result shw_fail_memory(const struct shw_log *log, const char *what);

/* Jumps to `fail` if the call fails, with its error in the variable `result`. The call has reported the error. */
#define SHW_TRY(call)                                                                                                  \
    do {                                                                                                               \
        result = (call);                                                                                               \
        if (result != SHW_OK)                                                                                          \
            goto fail;                                                                                                 \
    } while (0)

/* Returns the error if the call fails: for functions that have nothing to release. */
#define SHW_PROPAGATE(call)                                                                                            \
    do {                                                                                                               \
        enum shw_result failure_ = (call);                                                                             \
        if (failure_ != SHW_OK)                                                                                        \
            return failure_;                                                                                           \
    } while (0)

#endif
