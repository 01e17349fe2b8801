/* Another program's process that the bench talks to: lines of JSON, and bytes behind them, over its standard input and
 * output. */
#ifndef SHW_BENCH_PEER_PROCESS_H
#define SHW_BENCH_PEER_PROCESS_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include <jansson.h>

struct shw_peer_process {
    pid_t process; /* 0: none */
    int requests;  /* a socket */
    FILE *answers; /* the same */
};

/* Runs the program, found as execvp() finds it, with its arguments (the first its name; NULL ends them). Whether it
 * could be run. */
bool shw_peer_start(const char *const *arguments, struct shw_peer_process *peer);

/* Ends it. Accepts one that never ran, or has ended. */
void shw_peer_stop(struct shw_peer_process *peer);

/* Each is false, or NULL, when the process has ended or does not answer as it should. */
bool shw_peer_send(const struct shw_peer_process *peer, const void *bytes, size_t size);
bool shw_peer_ask(const struct shw_peer_process *peer, const json_t *request); /* a line */
json_t *shw_peer_answer(const struct shw_peer_process *peer);                  /* a line, to be released */
bool shw_peer_read(const struct shw_peer_process *peer, void *bytes, size_t size);

#endif
