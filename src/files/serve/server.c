#include "files/serve/server.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <shadewood/forest.h>
#include <shadewood/version.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"
#include "files/project/teacher.h"
#include "files/serve/accuracy_message.h"
#include "files/serve/link.h"
#include "files/serve/pack.h"
#include "files/serve/session.h"

#define WAIT_SECONDS     0.1  /* between two looks at whether it was interrupted */
#define PROGRESS_SECONDS 0.05 /* between two messages about progress */
#define FLUSH_SECONDS    2.0  /* for the last messages */
#define END_SECONDS      60u  /* for what is in progress at the end: nobody is left to end a driver that hangs */

struct server {
    struct shw_server_params params;
    struct shw_link *link;
    struct shw_session *session;
    struct shw_teacher teacher;
    atomic_uint cancelled;    /* requests up to this one */
    atomic_bool ended;        /* there will be no more messages */
    uint32_t request;         /* that is being fulfilled; 0: none */
    bool broken;              /* something has come that is not valid */
    double told;              /* when progress was sent last */
    struct shw_taught taught; /* the last full forest */
};

/* On the reading thread. */
static bool take_at_once(void *user, const struct shw_message *message)
{
    struct server *server = user;

    if (message->type != SHW_MESSAGE_CANCEL)
        return false;
    if (message->request > atomic_load(&server->cancelled)) /* which this thread alone writes */
        atomic_store(&server->cancelled, message->request);
    shw_teacher_interrupt(&server->teacher);
    shw_link_wake(server->link);
    return true;
}

static void note_end(void *user)
{
    struct server *server = user;

    atomic_store(&server->ended, true);
    shw_teacher_interrupt(&server->teacher);
    alarm(END_SECONDS);
}

static bool is_cancelled(const struct server *server)
{
    return atomic_load(&server->ended) || atomic_load(&server->cancelled) >= server->request;
}

static bool go_on(void *user)
{
    const struct server *server = user;

    return !is_cancelled(server) && !server->params.interrupted();
}

static enum shw_result send(struct server *server, enum shw_message_type type, const void *contents, size_t size)
{
    const struct shw_patience patience = {go_on, server};

    return shw_link_send(server->link, type, server->request, contents, size, false, &patience);
}

/* Sends what was packed, and frees it. */
static enum shw_result send_pack(struct server *server, enum shw_message_type type, struct shw_pack *pack)
{
    const enum shw_result result =
        pack->failed ? shw_fail_memory(&server->params.log, "a message") : send(server, type, pack->bytes, pack->size);

    free(pack->bytes);
    return result;
}

static void tell_progress(void *user, double fraction)
{
    struct server *server = user;
    struct shw_pack pack = {NULL, 0, 0, false};

    if (shw_clock() - server->told < PROGRESS_SECONDS)
        return;
    server->told = shw_clock();
    shw_pack_f32(&pack, (float)fmin(1, fmax(0, fraction)));
    (void)send_pack(server, SHW_MESSAGE_PROGRESS, &pack);
}

/* Asks for squares, and waits for them. Other messages may only come after the request was cancelled. */
static enum shw_result fetch(void *user, const void *want, size_t size)
{
    struct server *server = user;
    bool complete = false;

    SHW_PROPAGATE(send(server, SHW_MESSAGE_WANT, want, size));
    while (!complete) {
        struct shw_message *message;
        enum shw_result result = shw_link_receive(server->link, WAIT_SECONDS, &message);
        const bool is_pixels =
            message != NULL && (message->type == SHW_MESSAGE_INPUTS || message->type == SHW_MESSAGE_PIXELS);

        if (message != NULL && is_pixels && message->request == server->request && !is_cancelled(server)) {
            result = shw_session_take_pixels(server->session, message, &complete);
            server->broken = result == SHW_ERROR_FORMAT;
            shw_message_free(&message);
        } else if (message != NULL && is_pixels) {
            shw_message_free(&message); /* it comes too late */
        } else if (message != NULL && !is_cancelled(server)) {
            server->broken = true;
            result = shw_fail(&server->params.log, SHW_ERROR_FORMAT, SHW_LOG_PROJECT,
                              "a message %s has come where pixels were wanted",
                              shw_message_find((uint32_t)message->type)->name);
            shw_message_free(&message);
        } else if (message != NULL) {
            shw_link_return(server->link, message);
        }
        SHW_PROPAGATE(result);
        if (!complete && !go_on(server))
            return SHW_ERROR_CANCELLED;
    }
    return SHW_OK;
}

/* Answers. */

static enum shw_result answer_failure(struct server *server, uint32_t request, enum shw_result failure)
{
    struct shw_pack pack = {NULL, 0, 0, false};
    char text[SHW_MESSAGE_SIZE];

    snprintf(text, sizeof text, "%s", shw_last_error());
    shw_pack_u32(&pack, (uint32_t)-failure);
    shw_pack_text(&pack, text[0] != '\0' ? text : shw_result_string(failure));
    server->request = request;
    return send_pack(server, SHW_MESSAGE_FAILED, &pack);
}

static enum shw_result answer_forest(struct server *server, const struct shw_forest *forest)
{
    const uint32_t part = shw_message_find(SHW_MESSAGE_PART)->most;
    struct shw_pack head = {NULL, 0, 0, false};
    void *bytes = NULL;
    size_t size, done = 0;
    enum shw_result result = shw_forest_save_memory(forest, &bytes, &size);

    if (result != SHW_OK)
        return result;
    shw_pack_u64(&head, size);
    shw_pack_u64(&head, XXH3_64bits(bytes, size));
    result = send_pack(server, SHW_MESSAGE_FOREST, &head);
    while (result == SHW_OK && done < size) {
        const size_t length = size - done < part ? size - done : part;
        result = send(server, SHW_MESSAGE_PART, (const uint8_t *)bytes + done, length);
        done += length;
    }
    free(bytes);
    return result;
}

static enum shw_result train(struct server *server, const struct shw_message *message)
{
    const struct shw_teacher_watch watch = {.go_on = go_on, .progress = tell_progress, .user = server};
    const uint32_t lesson = shw_get_u32(message->contents);
    struct shw_training_set *set = NULL;
    struct shw_forest *forest = NULL;
    enum shw_result result;

    shw_taught_release(&server->taught);
    if (lesson > SHW_LESSON_FULL)
        return shw_fail(&server->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_PROJECT, "there is no forest number %u",
                        lesson);
    server->told = shw_clock();
    SHW_PROPAGATE(shw_session_make_set(server->session, &set));
    result = shw_teacher_grow(&server->teacher, set, (enum shw_lesson)lesson, &watch, &forest, &server->taught);
    if (result == SHW_OK)
        result = answer_forest(server, forest);
    shw_forest_destroy(&forest);
    shw_training_set_destroy(&set);
    return result;
}

static enum shw_result measure(struct server *server)
{
    const struct shw_teacher_watch watch = {.go_on = go_on, .user = server};
    struct shw_pack pack = {NULL, 0, 0, false};
    struct shw_held_out held_out = {0};

    if (server->taught.set == NULL)
        return shw_fail(&server->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_PROJECT,
                        "no forest was trained whose accuracy could be measured");
    SHW_PROPAGATE(shw_teacher_measure(&server->teacher, &server->taught, &watch, &held_out));
    shw_accuracy_pack(&held_out, &pack);
    shw_held_out_free(&held_out);
    return send_pack(server, SHW_MESSAGE_ACCURACY, &pack);
}

/* What ends the connection, and not only the request. */
static bool is_fatal(const struct server *server, enum shw_result result)
{
    return server->broken || result == SHW_ERROR_DEVICE_LOST ||
           (result == SHW_ERROR_IO && !shw_link_is_open(server->link));
}

/* Fulfils a request. What has come of pixels, and is not valid, ends the connection, like everything that is not. */
static enum shw_result fulfil(struct server *server, const struct shw_message *message)
{
    enum shw_result result;

    if (message->request == 0)
        return shw_fail(&server->params.log, SHW_ERROR_FORMAT, SHW_LOG_PROJECT, "a request has no number");
    server->request = message->request;
    result = message->type == SHW_MESSAGE_TRAIN ? train(server, message) : measure(server);
    if (result == SHW_ERROR_CANCELLED)
        (void)shw_link_send(server->link, SHW_MESSAGE_CANCELLED, server->request, NULL, 0, true, NULL);
    else if (result != SHW_OK && !is_fatal(server, result))
        (void)answer_failure(server, server->request, result);
    server->request = 0;
    return is_fatal(server, result) ? result : SHW_OK;
}

/* Takes a message; an error ends the connection. */
static enum shw_result take(struct server *server, const struct shw_message *message)
{
    switch (message->type) {
    case SHW_MESSAGE_TRAIN:
    case SHW_MESSAGE_MEASURE: return fulfil(server, message);
    case SHW_MESSAGE_INPUTS:
    case SHW_MESSAGE_PIXELS: return SHW_OK; /* of a request that was cancelled */
    default: return shw_session_take(server->session, message);
    }
}

static enum shw_result say_who(struct server *server)
{
    struct shw_pack pack = {NULL, 0, 0, false};
    char host[256] = "", version[32];
    enum shw_result result;

    if (gethostname(host, sizeof host - 1) != 0)
        host[0] = '\0';
    snprintf(version, sizeof version, "%d.%d.%d", SHW_VERSION_MAJOR, SHW_VERSION_MINOR, SHW_VERSION_PATCH);
    shw_pack_text(&pack, host);
    shw_pack_text(&pack, server->params.name);
    shw_pack_text(&pack, version);
    result = pack.failed ? shw_fail_memory(&server->params.log, "a message")
                         : shw_link_send(server->link, SHW_MESSAGE_READY, 0, pack.bytes, pack.size, false, NULL);
    free(pack.bytes);
    return result;
}

/* Until the connection ends. */
static enum shw_result run(struct server *server)
{
    enum shw_result result = SHW_OK;

    while (result == SHW_OK) {
        struct shw_message *message = NULL;

        if (server->params.interrupted())
            return SHW_ERROR_CANCELLED;
        result = shw_link_receive(server->link, WAIT_SECONDS, &message);
        if (message != NULL)
            result = take(server, message);
        shw_message_free(&message);
    }
    return result;
}

/* What the end of the connection means for the program. */
static enum shw_result tell_end(struct server *server, enum shw_result result)
{
    char why[SHW_LINK_WHY_SIZE];

    if (result == SHW_ERROR_CANCELLED)
        return shw_fail(&server->params.log, result, SHW_LOG_PROJECT, "interrupted");
    if (!shw_link_is_open(server->link)) {
        shw_link_why(server->link, why);
        return shw_link_is_finished(server->link)
                   ? SHW_OK
                   : shw_fail(&server->params.log, SHW_ERROR_IO, SHW_LOG_PROJECT, "%s", why);
    }
    (void)answer_failure(server, 0, result);
    return result;
}

/* That a training was stopped is no news: somebody wanted it. */
static void tell(void *user, enum shw_log_level level, enum shw_log_item item, const char *text)
{
    const struct server *server = user;
    const struct shw_log *log = &server->params.log;

    if (item != SHW_LOG_PROGRESS && log->function != NULL)
        log->function(log->user, level, item, text);
}

static enum shw_result make_parts(struct server *server)
{
    const struct shw_server_params *params = &server->params;
    const struct shw_log log = {tell, server, params->log.level};
    const struct shw_local_teacher_params teacher = {.device = params->device,
                                                     .technique = params->technique,
                                                     .memory = params->memory / 4,
                                                     .judge_memory = params->memory / 4,
                                                     .threads = params->threads,
                                                     .log = log};
    const struct shw_session_params session = {.labels_max = params->memory / 8,
                                               .cache_max = params->memory / 8,
                                               .pixels_max = params->memory / 4,
                                               .trusts_code = params->trusts_code,
                                               .log = log,
                                               .fetch = fetch,
                                               .user = server};
    const struct shw_link_params link = {.in = params->in,
                                         .out = params->out,
                                         .side = SHW_SERVER,
                                         .arrived = take_at_once,
                                         .ended = note_end,
                                         .user = server};

    SHW_PROPAGATE(shw_local_teacher_create(&teacher, &server->teacher));
    SHW_PROPAGATE(shw_session_create(&session, &server->session));
    return shw_link_create(&link, &server->link) == SHW_OK ? SHW_OK : shw_fail_memory(&params->log, "the connection");
}

enum shw_result shw_serve(const struct shw_server_params *params)
{
    struct server server = {.params = *params};
    enum shw_result result = shw_message_is_usual() ? make_parts(&server)
                                                    : shw_fail(&params->log, SHW_ERROR_UNSUPPORTED, SHW_LOG_ARGUMENT,
                                                               "a machine whose numbers are not little-endian cannot "
                                                               "train for another");

    if (result == SHW_OK) {
        result = say_who(&server);
        if (result == SHW_OK) {
            shw_local_teacher_warm_up(&server.teacher);
            result = run(&server);
        }
        result = tell_end(&server, result);
    }
    shw_link_destroy(&server.link, FLUSH_SECONDS);
    shw_teacher_destroy(&server.teacher);
    shw_taught_release(&server.taught);
    shw_session_destroy(&server.session);
    alarm(0);
    return result;
}
