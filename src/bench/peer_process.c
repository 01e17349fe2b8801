#define _GNU_SOURCE
#include "bench/peer_process.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define ANSWER_MAX 65536u /* bytes of a line */

extern char **environ;

bool shw_peer_start(const char *const *arguments, struct shw_peer_process *peer)
{
    posix_spawn_file_actions_t actions;
    int ends[2], failed;

    *peer = (struct shw_peer_process){.requests = -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return false;
    failed = posix_spawn_file_actions_init(&actions);
    if (failed == 0) {
        failed = posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
        if (failed == 0)
            failed = posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
        if (failed == 0)
            failed = posix_spawnp(&peer->process, arguments[0], &actions, NULL, (char *const *)(uintptr_t)arguments,
                                  environ);
        posix_spawn_file_actions_destroy(&actions);
    }
    close(ends[1]);
    peer->requests = ends[0];
    peer->answers = failed == 0 ? fdopen(ends[0], "rb") : NULL;
    if (peer->answers != NULL)
        return true;
    if (failed != 0)
        peer->process = 0;
    shw_peer_stop(peer);
    return false;
}

void shw_peer_stop(struct shw_peer_process *peer)
{
    if (peer->answers != NULL)
        fclose(peer->answers);
    else if (peer->requests > 0)
        close(peer->requests);
    if (peer->process > 0) {
        kill(peer->process, SIGTERM);
        while (waitpid(peer->process, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    *peer = (struct shw_peer_process){.requests = -1};
}

bool shw_peer_send(const struct shw_peer_process *peer, const void *bytes, size_t size)
{
    const char *at = bytes;

    while (size > 0) {
        ssize_t sent = send(peer->requests, at, size, MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR)
            return false;
        at += sent > 0 ? sent : 0;
        size -= sent > 0 ? (size_t)sent : 0;
    }
    return true;
}

bool shw_peer_ask(const struct shw_peer_process *peer, const json_t *request)
{
    char *line = json_dumps(request, JSON_COMPACT);
    bool done = line != NULL && shw_peer_send(peer, line, strlen(line)) && shw_peer_send(peer, "\n", 1);

    free(line);
    return done;
}

json_t *shw_peer_answer(const struct shw_peer_process *peer)
{
    char *line = malloc(ANSWER_MAX);
    json_t *answer = NULL;

    if (line != NULL && fgets(line, ANSWER_MAX, peer->answers) != NULL)
        answer = json_loads(line, 0, NULL);
    free(line);
    return answer;
}

bool shw_peer_read(const struct shw_peer_process *peer, void *bytes, size_t size)
{
    return fread(bytes, 1, size, peer->answers) == size;
}
