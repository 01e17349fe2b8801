/* The messages of readers: one error for a failure, which names the file, and none for a success. */
#ifndef SHW_FUZZ_MESSAGES_H
#define SHW_FUZZ_MESSAGES_H

#include <shadewood/log.h>

/* How targets call what they read. */
#define FUZZ_NAME "mutant-file"

struct fuzz_messages {
    unsigned errors, nameless; /* nameless: errors and warnings without FUZZ_NAME */
};

/* A log that counts, and reads every character. */
struct shw_log fuzz_log(struct fuzz_messages *messages);

/* Files that were read without an error: if hardly any is, damage does not come far. */
extern unsigned fuzz_accepted;

/* Aborts where the messages are not as said above; without memory, a message needs no name. Counts a
 * success in fuzz_accepted. */
void fuzz_check(enum shw_result result, const struct fuzz_messages *messages);

#endif
