#include "files/serve/remote.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/text.h"
#include "files/serve/accuracy_message.h"
#include "files/serve/child.h"
#include "files/serve/link.h"
#include "files/serve/pack.h"
#include "files/serve/sync.h"

#define WAIT_SECONDS   0.02 /* between two looks at whether to go on */
#define STATUS_SECONDS 1.0  /* for its exit status */
#define FOREST_MAX     (UINT64_C(1) << 31)

struct shw_remote {
    char *command;
    struct shw_log log;
    struct shw_child child;
    struct shw_link *link;
    struct shw_sync sync;           /* of whose request is in progress, like the next */
    struct shw_training_set *grown; /* what the last forest was trained on, a full one; NULL: none, or a small one */
    pthread_mutex_t lock;           /* of what follows */
    pthread_cond_t changed;
    bool busy;
    bool ready;                 /* READY has come */
    uint32_t request, requests; /* in progress, 0: none; so far */
    double begun;
    bool sending;
    char host[SHW_REMOTE_NAME_SIZE], trainer[SHW_REMOTE_NAME_SIZE];
    char reason[SHW_MESSAGE_SIZE]; /* that the server has given for ending the connection; or "" */
};

/* On the reading thread. */

static void take_name(struct shw_unpack *unpack, char name[SHW_REMOTE_NAME_SIZE])
{
    char *text = shw_unpack_text(unpack, SHW_MESSAGE_SIZE);

    snprintf(name, SHW_REMOTE_NAME_SIZE, "%s", text != NULL ? text : "");
    shw_make_printable(name);
    free(text);
}

/* Of everybody's messages only those of the request in progress are wanted. */
static bool take_at_once(void *user, const struct shw_message *message)
{
    struct shw_remote *remote = user;
    struct shw_unpack unpack = {message->contents, message->length, false};
    bool unwanted;

    pthread_mutex_lock(&remote->lock);
    if (message->type == SHW_MESSAGE_READY && !remote->ready) {
        take_name(&unpack, remote->host);
        take_name(&unpack, remote->trainer);
        remote->ready = true;
        pthread_cond_broadcast(&remote->changed);
    }
    if (message->type == SHW_MESSAGE_FAILED && message->request == 0) {
        char *text;

        (void)shw_unpack_u32(&unpack);
        text = shw_unpack_text(&unpack, SHW_MESSAGE_SIZE);
        snprintf(remote->reason, sizeof remote->reason, "%s", text != NULL ? text : "");
        free(text);
    }
    unwanted = message->request == 0 || message->request != remote->request;
    pthread_mutex_unlock(&remote->lock);
    return unwanted;
}

/* How the program has ended, in words; "" if it has not. */
static void tell_exit(struct shw_remote *remote, char text[64])
{
    int status;

    text[0] = '\0';
    if (!shw_child_wait(&remote->child, STATUS_SECONDS, &status))
        return;
    if (WIFSIGNALED(status))
        snprintf(text, 64, "; it was ended by signal %d", WTERMSIG(status));
    else
        snprintf(text, 64, "; its exit status is %d", WEXITSTATUS(status));
}

static void note_end(void *user)
{
    struct shw_remote *remote = user;
    char why[SHW_LINK_WHY_SIZE], status[64];
    bool explained;

    pthread_mutex_lock(&remote->lock);
    explained = remote->reason[0] != '\0';
    pthread_cond_broadcast(&remote->changed);
    pthread_mutex_unlock(&remote->lock);
    shw_link_why(remote->link, why);
    if (why[0] == '\0') /* this side has ended it */
        return;
    tell_exit(remote, status);
    shw_log_message(&remote->log, SHW_LOG_ERROR, SHW_LOG_PROJECT, "the trainer '%s': %s%s", remote->command,
                    explained ? remote->reason : why, status);
}

/* A request. */

struct request {
    struct shw_remote *remote;
    const struct shw_teacher_watch *watch;
    uint32_t number;
    bool prepared; /* which has been told */
};

static bool go_on(void *user)
{
    const struct request *request = user;

    return request->watch->go_on == NULL || request->watch->go_on(request->watch->user);
}

static void wait_a_little(struct shw_remote *remote)
{
    const double end = shw_clock() + WAIT_SECONDS;
    const struct timespec until = {.tv_sec = (time_t)end, .tv_nsec = (long)(1e9 * (end - (double)(time_t)end))};

    pthread_cond_timedwait(&remote->changed, &remote->lock, &until);
}

/* Waits until there is an answer to the greeting and no other request, and begins one. */
static enum shw_result begin(struct request *request)
{
    struct shw_remote *remote = request->remote;
    bool goes_on = true, open = true;

    pthread_mutex_lock(&remote->lock);
    while ((remote->busy || !remote->ready) && goes_on && open) {
        wait_a_little(remote);
        pthread_mutex_unlock(&remote->lock);
        goes_on = go_on(request);
        open = shw_link_is_open(remote->link);
        pthread_mutex_lock(&remote->lock);
    }
    if (goes_on && open) {
        remote->busy = remote->sending = true;
        remote->request = request->number = ++remote->requests;
        remote->begun = shw_clock();
    }
    pthread_mutex_unlock(&remote->lock);
    return !goes_on ? SHW_ERROR_CANCELLED : !open ? SHW_ERROR_IO : SHW_OK;
}

/* A request that is not wanted any more is cancelled, and nothing of its answer is waited for. */
static void end(struct request *request, bool cancelled)
{
    struct shw_remote *remote = request->remote;
    struct shw_message *rest;

    if (cancelled)
        (void)shw_link_send(remote->link, SHW_MESSAGE_CANCEL, request->number, NULL, 0, true, NULL);
    pthread_mutex_lock(&remote->lock);
    remote->request = 0;
    pthread_mutex_unlock(&remote->lock);
    do {
        (void)shw_link_receive(remote->link, 0, &rest);
    } while (rest != NULL && (shw_message_free(&rest), true));
    pthread_mutex_lock(&remote->lock);
    remote->busy = remote->sending = false;
    remote->begun = 0;
    pthread_cond_broadcast(&remote->changed);
    pthread_mutex_unlock(&remote->lock);
}

static enum shw_result ask(struct request *request, enum shw_message_type type, const void *contents, size_t size)
{
    const struct shw_patience patience = {go_on, request};
    const enum shw_result result =
        shw_link_send(request->remote->link, type, request->number, contents, size, false, &patience);

    pthread_mutex_lock(&request->remote->lock);
    request->remote->sending = false;
    pthread_mutex_unlock(&request->remote->lock);
    return result;
}

static enum shw_result refuse(const struct shw_remote *remote, const char *why)
{
    return shw_fail(&remote->log, SHW_ERROR_FORMAT, SHW_LOG_PROJECT, "the trainer '%s': an answer is not valid: %s",
                    remote->command, why);
}

static void take_progress(struct request *request, const struct shw_message *message)
{
    struct shw_unpack unpack = {message->contents, message->length, false};
    const float fraction = shw_unpack_f32(&unpack);

    if (!request->prepared && request->watch->prepared != NULL)
        request->watch->prepared(request->watch->user);
    request->prepared = true;
    if (request->watch->progress != NULL && fraction >= 0 && fraction <= 1)
        request->watch->progress(request->watch->user, (double)fraction);
}

/* It was told to end by somebody on its machine: nobody here has cancelled anything. */
static enum shw_result take_stop(const struct shw_remote *remote)
{
    return shw_fail(&remote->log, SHW_ERROR_IO, SHW_LOG_PROJECT, "the trainer %s was told to end", remote->host);
}

static enum shw_result take_failure(const struct shw_remote *remote, const struct shw_message *message)
{
    struct shw_unpack unpack = {message->contents, message->length, false};
    const uint32_t code = shw_unpack_u32(&unpack);
    char *text = shw_unpack_text(&unpack, message->length);
    enum shw_result result;

    if (text == NULL || code < 1 || code > (uint32_t)-SHW_ERROR_CANCELLED)
        result = refuse(remote, "FAILED");
    else if ((enum shw_result)(-(int)code) == SHW_ERROR_CANCELLED)
        result = take_stop(remote);
    else
        result = shw_fail(&remote->log, (enum shw_result)(-(int)code), SHW_LOG_PROJECT, "the trainer %s: %s",
                          remote->host, text);
    free(text);
    return result;
}

static enum shw_result answer_want(struct request *request, const struct shw_message *message)
{
    const struct shw_patience patience = {go_on, request};
    struct shw_remote *remote = request->remote;

    return shw_sync_answer(&remote->sync, remote->link, message, &remote->log, &patience);
}

/* The next message that is not about the request's progress; handles those that are. */
static enum shw_result receive(struct request *request, struct shw_message **message)
{
    enum shw_result result = SHW_OK;

    while (result == SHW_OK) {
        if (!go_on(request))
            return SHW_ERROR_CANCELLED;
        result = shw_link_receive(request->remote->link, WAIT_SECONDS, message);
        if (result != SHW_OK || *message == NULL)
            continue;
        if ((*message)->request != request->number &&
            (*message)->request != 0) { /* late, of a request that has ended */
            shw_message_free(message);
            continue;
        }
        switch ((*message)->type) {
        case SHW_MESSAGE_WANT: result = answer_want(request, *message); break;
        case SHW_MESSAGE_PROGRESS: take_progress(request, *message); break;
        case SHW_MESSAGE_FAILED: result = take_failure(request->remote, *message); break;
        case SHW_MESSAGE_CANCELLED: result = go_on(request) ? take_stop(request->remote) : SHW_ERROR_CANCELLED; break;
        default: return SHW_OK;
        }
        shw_message_free(message);
    }
    return result;
}

/* Forests. */

/* The bytes of a forest file. Memory grows as they come. */
static enum shw_result receive_file(struct request *request, const struct shw_message *head, struct shw_pack *file)
{
    struct shw_unpack unpack = {head->contents, head->length, false};
    const uint64_t size = shw_unpack_u64(&unpack), hash = shw_unpack_u64(&unpack);
    enum shw_result result = size <= FOREST_MAX ? SHW_OK : refuse(request->remote, "a forest of more than 2 GiB");

    while (result == SHW_OK && file->size < size) {
        struct shw_message *part = NULL;

        result = receive(request, &part);
        if (result == SHW_OK && (part->type != SHW_MESSAGE_PART || part->length > size - file->size))
            result = refuse(request->remote, "a part of a forest");
        if (result == SHW_OK)
            shw_pack_bytes(file, part->contents, part->length);
        if (file->failed)
            result = shw_fail_memory(&request->remote->log, "forest");
        shw_message_free(&part);
    }
    if (result == SHW_OK && XXH3_64bits(file->bytes, file->size) != hash)
        result = refuse(request->remote, "the checksum of a forest");
    return result;
}

/* The set has what the forest needs of texts. */
static enum shw_result load(const struct shw_remote *remote, const struct shw_training_set *set,
                            const struct shw_pack *file, struct shw_forest **forest)
{
    const struct shw_trainer_params params = shw_training_set_params(set);
    const struct shw_forest_load_params load = {.log = remote->log,
                                                .features = &params.feature,
                                                .feature_count = params.feature != NULL,
                                                .kinds = params.kinds};

    if (file->size == 0)
        return refuse(remote, "a forest without bytes");
    SHW_PROPAGATE(shw_forest_load_memory(file->bytes, file->size, "the trainer's forest", &load, forest));
    if (shw_forest_get_info(*forest)->class_count == set->class_count)
        return SHW_OK;
    shw_forest_destroy(forest);
    return refuse(remote, "a forest of other classes");
}

static enum shw_result train(struct request *request, struct shw_training_set *set, enum shw_lesson lesson,
                             struct shw_forest **forest)
{
    struct shw_remote *remote = request->remote;
    const struct shw_patience patience = {go_on, request};
    struct shw_message *answer = NULL;
    struct shw_pack file = {NULL, 0, 0, false};
    uint8_t which[4];
    enum shw_result result;

    shw_training_set_destroy(&remote->grown);
    shw_put_u32(which, lesson);
    SHW_PROPAGATE(shw_sync_send(&remote->sync, remote->link, set, &patience));
    SHW_PROPAGATE(ask(request, SHW_MESSAGE_TRAIN, which, sizeof which));
    SHW_PROPAGATE(receive(request, &answer));
    result = answer->type == SHW_MESSAGE_FOREST ? receive_file(request, answer, &file)
                                                : refuse(remote, "something else than a forest");
    shw_message_free(&answer);
    if (result == SHW_OK)
        result = load(remote, set, &file, forest);
    free(file.bytes);
    if (result == SHW_OK && lesson == SHW_LESSON_FULL)
        remote->grown = shw_training_set_share(set);
    return result;
}

static enum shw_result grow(void *self, struct shw_training_set *set, enum shw_lesson lesson,
                            const struct shw_teacher_watch *watch, struct shw_forest **forest,
                            struct shw_taught *taught)
{
    struct request request = {.remote = self, .watch = watch};
    enum shw_result result;

    SHW_PROPAGATE(begin(&request));
    result = train(&request, set, lesson, forest);
    end(&request, result != SHW_OK);
    if (result == SHW_OK && taught != NULL)
        *taught = (struct shw_taught){shw_training_set_share(set), NULL};
    return result;
}

static enum shw_result judge(struct request *request, uint32_t class_count, struct shw_held_out *held_out)
{
    struct shw_message *answer = NULL;
    struct shw_unpack unpack;
    enum shw_result result;

    SHW_PROPAGATE(ask(request, SHW_MESSAGE_MEASURE, NULL, 0));
    SHW_PROPAGATE(receive(request, &answer));
    unpack = (struct shw_unpack){answer->contents, answer->length, false};
    result = answer->type == SHW_MESSAGE_ACCURACY ? shw_accuracy_unpack(&unpack, held_out) : SHW_ERROR_FORMAT;
    shw_message_free(&answer);
    if (result == SHW_OK && held_out->class_count != class_count) {
        shw_held_out_free(held_out);
        result = SHW_ERROR_FORMAT;
    }
    return result == SHW_ERROR_FORMAT ? refuse(request->remote, "accuracy") : result;
}

static enum shw_result measure(void *self, const struct shw_taught *taught, const struct shw_teacher_watch *watch,
                               struct shw_held_out *held_out)
{
    struct request request = {.remote = self, .watch = watch};
    enum shw_result result;

    SHW_PROPAGATE(begin(&request));
    /* another forest has been trained meanwhile: nobody waits for this one's accuracy */
    result = request.remote->grown == taught->set ? judge(&request, taught->set->class_count, held_out)
                                                  : SHW_ERROR_CANCELLED;
    end(&request, result != SHW_OK);
    return result;
}

static void interrupt(void *self)
{
    struct shw_remote *remote = self;

    shw_link_wake(remote->link);
}

static void destroy(void *self)
{
    (void)self; /* the connection is not the teacher's */
}

struct shw_teacher shw_remote_teacher(struct shw_remote *remote)
{
    static const struct shw_teacher_kind kind = {grow, measure, interrupt, destroy};

    return (struct shw_teacher){&kind, remote};
}

void shw_remote_interrupt(struct shw_remote *remote)
{
    interrupt(remote);
}

/* The connection. */

bool shw_remote_is_connected(struct shw_remote *remote)
{
    return remote != NULL && shw_link_is_open(remote->link);
}

void shw_remote_disconnect(struct shw_remote *remote)
{
    shw_link_end(remote->link, NULL, 0);
}

void shw_remote_get_status(struct shw_remote *remote, struct shw_remote_status *status)
{
    const bool open = shw_link_is_open(remote->link);

    *status = (struct shw_remote_status){.state = SHW_REMOTE_ENDED};
    shw_link_count(remote->link, &status->sent, &status->received);
    pthread_mutex_lock(&remote->lock);
    if (open)
        status->state = !remote->ready    ? SHW_REMOTE_CONNECTING
                        : !remote->busy   ? SHW_REMOTE_READY
                        : remote->sending ? SHW_REMOTE_SENDING
                                          : SHW_REMOTE_TRAINING;
    memcpy(status->host, remote->host, sizeof status->host);
    memcpy(status->trainer, remote->trainer, sizeof status->trainer);
    status->requests = remote->requests;
    status->seconds = remote->begun > 0 ? shw_clock() - remote->begun : 0;
    pthread_mutex_unlock(&remote->lock);
}

void shw_remote_destroy(struct shw_remote **remote, double seconds)
{
    struct shw_remote *gone = remote != NULL ? *remote : NULL;

    if (gone == NULL)
        return;
    *remote = NULL;
    if (gone->link != NULL) {
        shw_remote_disconnect(gone);
        shw_link_destroy(&gone->link, 0);
    }
    shw_child_end(&gone->child, seconds);
    shw_sync_free(&gone->sync);
    shw_training_set_destroy(&gone->grown);
    pthread_cond_destroy(&gone->changed);
    pthread_mutex_destroy(&gone->lock);
    free(gone->command);
    free(gone);
}

static bool make_lock(struct shw_remote *remote)
{
    pthread_condattr_t monotonic;
    bool fine = pthread_mutex_init(&remote->lock, NULL) == 0;

    if (!fine || pthread_condattr_init(&monotonic) != 0)
        return false;
    fine = pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC) == 0 &&
           pthread_cond_init(&remote->changed, &monotonic) == 0;
    pthread_condattr_destroy(&monotonic);
    return fine;
}

static enum shw_result start(struct shw_remote *remote, char *const *words)
{
    struct shw_link_params params = {.side = SHW_CLIENT, .arrived = take_at_once, .ended = note_end, .user = remote};

    SHW_PROPAGATE(shw_child_start(words, &remote->log, &remote->child));
    params.in = remote->child.in;
    params.out = remote->child.out;
    return shw_link_create(&params, &remote->link) == SHW_OK ? SHW_OK : shw_fail_memory(&remote->log, remote->command);
}

enum shw_result shw_remote_connect(const char *command, const struct shw_log *log, struct shw_remote **remote)
{
    struct shw_remote *made;
    char **words = NULL;
    enum shw_result result;

    if (!shw_message_is_usual())
        return shw_fail(log, SHW_ERROR_UNSUPPORTED, SHW_LOG_ARGUMENT,
                        "another machine cannot train for one whose numbers are not little-endian");
    if (strlen(command) > SHW_REMOTE_COMMAND_MAX)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "the command has more than %u bytes",
                        SHW_REMOTE_COMMAND_MAX);
    SHW_PROPAGATE(shw_words_split(command, log, &words));
    made = calloc(1, sizeof *made);
    if (made == NULL || !make_lock(made)) {
        free(made);
        shw_words_free(&words);
        return shw_fail_memory(log, command);
    }
    made->child = (struct shw_child){0, -1, -1};
    if (log != NULL)
        made->log = *log;
    made->command = strdup(command);
    result = made->command != NULL ? start(made, words) : shw_fail_memory(log, command);
    shw_words_free(&words);
    if (result == SHW_OK)
        *remote = made;
    else
        shw_remote_destroy(&made, 0);
    return result;
}
