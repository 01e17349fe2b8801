/* A program that is started, and spoken with through its standard input and output. */
#ifndef SHW_FILES_SERVE_CHILD_H
#define SHW_FILES_SERVE_CHILD_H

#include <stdbool.h>

#include <sys/types.h>

#include <shadewood/log.h>

/* Splits a command into words as a shell does: at spaces, tabs and newlines, which '...', "..." and \ keep; nothing
 * else is special. The list ends with NULL and is freed by shw_words_free(). Errors: ARGUMENT (no word, a quotation
 * mark without its other), MEMORY. */
enum shw_result shw_words_split(const char *command, const struct shw_log *log, char ***words);
void shw_words_free(char ***words);

struct shw_child {
    pid_t pid;   /* 0: none */
    int in, out; /* what it says, and what it is told */
};

/* Starts a program; the first word is searched for in PATH. Standard error is this program's. Errors: IO, naming the
 * program. */
enum shw_result shw_child_start(char *const *words, const struct shw_log *log, struct shw_child *child);

/* Waits for its end, for `seconds` at most; *status becomes that of waitpid(). False: it has not ended. */
bool shw_child_wait(struct shw_child *child, double seconds, int *status);

/* Closes the pipes, which should end the program; after `seconds`, SIGTERM does, and after as long again SIGKILL.
 * Accepts one that has ended. */
void shw_child_end(struct shw_child *child, double seconds);

#endif
