#define _GNU_SOURCE /* pipe2() */
#include "files/serve/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/log.h"

extern char **environ;

/* Words. */

static bool is_space(char character)
{
    return character != '\0' && strchr(" \t\r\n", character) != NULL;
}

/* Copies the next word to `to`, and returns where it ends; NULL: a quotation mark has no other. */
static const char *copy_word(const char *from, char *to)
{
    char quote = '\0';

    for (; *from != '\0' && (quote != '\0' || !is_space(*from)); from++) {
        if (quote == '\0' && (*from == '\'' || *from == '"'))
            quote = *from;
        else if (*from == quote && quote != '\0')
            quote = '\0';
        else if (*from == '\\' && quote != '\'' && from[1] != '\0' &&
                 (quote == '\0' || from[1] == '"' || from[1] == '\\'))
            *to++ = *++from;
        else
            *to++ = *from;
    }
    *to = '\0';
    return quote == '\0' ? from : NULL;
}

void shw_words_free(char ***words)
{
    for (size_t i = 0; *words != NULL && (*words)[i] != NULL; i++)
        free((*words)[i]);
    free(*words);
    *words = NULL;
}

enum shw_result shw_words_split(const char *command, const struct shw_log *log, char ***words)
{
    const char *at = command;
    char **list = NULL;
    uint32_t count = 0, capacity = 0;
    enum shw_result result = SHW_OK;

    while (result == SHW_OK) {
        char *word = NULL;

        while (is_space(*at))
            at++;
        if (!SHW_RESERVE(list, capacity, count + 1u) || (*at != '\0' && (word = malloc(strlen(at) + 1)) == NULL))
            result = shw_fail_memory(log, command);
        if (result != SHW_OK)
            break;
        list[count++] = word;
        if (word == NULL)
            break;
        at = copy_word(at, word);
        if (at == NULL) {
            list[count - 1] = NULL;
            free(word);
            result = shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                              "the command '%s' has a quotation mark without its other", command);
        }
    }
    if (result == SHW_OK && list[0] == NULL)
        result = shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "the command is empty");
    if (result == SHW_OK)
        *words = list;
    else
        for (uint32_t i = 0; i < count; i++)
            free(list[i]);
    if (result != SHW_OK)
        free(list);
    return result;
}

/* Programs. */

static void close_both(const int pipe[2])
{
    close(pipe[0]);
    close(pipe[1]);
}

/* The child has the usual signals, whatever this program does with them. */
static int spawn(char *const *words, int in, int out, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, usual;
    int error = posix_spawn_file_actions_init(&actions);

    if (error != 0)
        return error;
    error = posix_spawnattr_init(&attributes);
    if (error != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return error;
    }
    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    sigaddset(&usual, SIGTERM);
    sigaddset(&usual, SIGINT);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    error = posix_spawnp(pid, words[0], &actions, &attributes, words, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

enum shw_result shw_child_start(char *const *words, const struct shw_log *log, struct shw_child *child)
{
    int to[2], from[2], error;

    if (pipe2(to, O_CLOEXEC) != 0)
        return shw_fail(log, SHW_ERROR_IO, SHW_LOG_FILE_OPEN, "cannot start %s: %s", words[0], strerror(errno));
    if (pipe2(from, O_CLOEXEC) != 0) {
        error = errno;
        close_both(to);
        return shw_fail(log, SHW_ERROR_IO, SHW_LOG_FILE_OPEN, "cannot start %s: %s", words[0], strerror(error));
    }
    error = spawn(words, to[0], from[1], &child->pid);
    close(to[0]);
    close(from[1]);
    if (error != 0) {
        close(to[1]);
        close(from[0]);
        child->pid = 0;
        return shw_fail(log, SHW_ERROR_IO, SHW_LOG_FILE_OPEN, "cannot start %s: %s", words[0], strerror(error));
    }
    child->in = from[0];
    child->out = to[1];
    return SHW_OK;
}

bool shw_child_wait(struct shw_child *child, double seconds, int *status)
{
    const double end = shw_clock() + seconds;

    while (child->pid != 0) {
        const pid_t waited = waitpid(child->pid, status, WNOHANG);

        if (waited == child->pid || (waited < 0 && errno != EINTR)) {
            child->pid = 0;
            return waited > 0;
        }
        if (shw_clock() >= end)
            return false;
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
    return false;
}

void shw_child_end(struct shw_child *child, double seconds)
{
    int status;

    if (child->in >= 0)
        close(child->in);
    if (child->out >= 0)
        close(child->out);
    child->in = child->out = -1;
    if (child->pid == 0 || shw_child_wait(child, seconds, &status) || child->pid == 0)
        return;
    kill(child->pid, SIGTERM);
    if (shw_child_wait(child, seconds, &status) || child->pid == 0)
        return;
    kill(child->pid, SIGKILL);
    shw_child_wait(child, 10, &status);
}
