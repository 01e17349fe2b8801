#define _GNU_SOURCE /* pipe2() */
#include "files/serve/link.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"

#define QUEUED_MAX     (2u << 20)  /* bytes that wait to be written before the sender has to wait */
#define ARRIVED_MAX    (64u << 20) /* the same of messages that nobody has received */
#define STEP           (64u << 10) /* bytes by which memory for contents grows */
#define LOOK_SECONDS   1.0         /* between two looks at the clock while nothing arrives */
#define READER_SECONDS 1.0         /* for the reader to find out why nothing can be written */
#define POLL_SECONDS   0.05        /* the same while nothing can be written */

struct outgoing {
    struct outgoing *next;
    size_t size;
    uint8_t bytes[];
};

struct shw_link {
    struct shw_link_params params;
    pthread_t reader, writer;
    bool reading, writing; /* there are these threads */
    bool begun;            /* a message has come; used by the reader */
    int wake[2];           /* a pipe, which has a byte once the connection has ended */
    int in_flags, out_flags;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t changed;
    struct outgoing *queue, **queue_end;
    size_t queued;
    struct shw_message *arrived, **arrived_end;
    size_t arrived_bytes;
    uint64_t sent, received, wakes;
    double wrote;    /* when a byte was written last */
    double deadline; /* until when the writer goes on; 0: as long as the connection is open */
    bool ended, greeted, finished;
    char why[SHW_LINK_WHY_SIZE];
};

void shw_message_free(struct shw_message **message)
{
    if (*message != NULL)
        free((*message)->contents);
    free(*message);
    *message = NULL;
}

static double alive_seconds(const struct shw_link *link)
{
    return link->params.alive > 0 ? link->params.alive : SHW_LINK_ALIVE_SECONDS;
}

static double silent_seconds(const struct shw_link *link)
{
    return link->params.silent > 0 ? link->params.silent : SHW_LINK_SILENT_SECONDS;
}

static double greeting_seconds(const struct shw_link *link)
{
    return link->params.silent > 0 ? link->params.silent : SHW_LINK_GREETING_SECONDS;
}

/* Between two looks at the clock while nothing arrives. */
static double look_seconds(const struct shw_link *link)
{
    const double alive = alive_seconds(link) / 4, silent = silent_seconds(link) / 4;
    const double least = alive < silent ? alive : silent;

    return least < LOOK_SECONDS ? least : LOOK_SECONDS;
}

/* Under the lock. */
static void end(struct shw_link *link, const char *why)
{
    if (!link->ended && why != NULL)
        snprintf(link->why, sizeof link->why, "%s", why);
    if (!link->ended)
        (void)!write(link->wake[1], "", 1);
    link->ended = true;
    pthread_cond_broadcast(&link->changed);
}

void shw_link_end(struct shw_link *link, const char *why, double seconds)
{
    pthread_mutex_lock(&link->lock);
    if (!link->ended)
        link->deadline = shw_clock() + seconds;
    end(link, why);
    pthread_mutex_unlock(&link->lock);
}

/* Any thread. */
static void fail(struct shw_link *link, const char *format, ...) SHW_PRINTF(2, 3);
static void fail(struct shw_link *link, const char *format, ...)
{
    char why[SHW_LINK_WHY_SIZE];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    shw_make_printable(why);
    shw_link_end(link, why, 1.0); /* what was sent may explain it to the peer */
}

static void sleep_until(struct shw_link *link, double time)
{
    struct timespec until = {.tv_sec = (time_t)time, .tv_nsec = (long)(1e9 * (time - (double)(time_t)time))};

    pthread_cond_timedwait(&link->changed, &link->lock, &until);
}

bool shw_link_is_open(struct shw_link *link)
{
    bool open;

    pthread_mutex_lock(&link->lock);
    open = !link->ended;
    pthread_mutex_unlock(&link->lock);
    return open;
}

bool shw_link_is_greeted(struct shw_link *link)
{
    bool greeted;

    pthread_mutex_lock(&link->lock);
    greeted = link->greeted;
    pthread_mutex_unlock(&link->lock);
    return greeted;
}

bool shw_link_is_finished(struct shw_link *link)
{
    bool finished;

    pthread_mutex_lock(&link->lock);
    finished = link->finished;
    pthread_mutex_unlock(&link->lock);
    return finished;
}

void shw_link_why(struct shw_link *link, char why[SHW_LINK_WHY_SIZE])
{
    pthread_mutex_lock(&link->lock);
    memcpy(why, link->why, SHW_LINK_WHY_SIZE);
    pthread_mutex_unlock(&link->lock);
}

void shw_link_count(struct shw_link *link, uint64_t *sent, uint64_t *received)
{
    pthread_mutex_lock(&link->lock);
    *sent = link->sent;
    *received = link->received;
    pthread_mutex_unlock(&link->lock);
}

void shw_link_wake(struct shw_link *link)
{
    pthread_mutex_lock(&link->lock);
    link->wakes++;
    pthread_cond_broadcast(&link->changed);
    pthread_mutex_unlock(&link->lock);
}

/* Reading. */

/* Says that this side is alive if it has said nothing for a while, however much the peer says. */
static void keep_alive(struct shw_link *link)
{
    bool due;

    pthread_mutex_lock(&link->lock);
    due = !link->ended && link->queue == NULL && shw_clock() - link->wrote > alive_seconds(link);
    pthread_mutex_unlock(&link->lock);
    if (due)
        (void)shw_link_send(link, SHW_MESSAGE_ALIVE, 0, NULL, 0, false, NULL);
}

/* Waits for bytes; false: the connection has ended, or the peer is silent for too long. */
static bool await_bytes(struct shw_link *link, double heard)
{
    const double patience = shw_link_is_greeted(link) ? silent_seconds(link) : greeting_seconds(link);
    struct pollfd in[2] = {{.fd = link->params.in, .events = POLLIN}, {.fd = link->wake[0], .events = POLLIN}};
    const double look = look_seconds(link);

    while (shw_link_is_open(link)) {
        int ready;

        keep_alive(link);
        ready = poll(in, 2, (int)(1e3 * look));

        if (ready > 0)
            return true;
        if (ready < 0 && errno != EINTR) {
            fail(link, "waiting for the peer failed: %s", strerror(errno));
            return false;
        }
        if (shw_clock() - heard > patience) {
            fail(link, "the peer was silent for %.0f seconds", patience);
            return false;
        }
    }
    return false;
}

/* Reads so many bytes; `what` they are of. At the end of the stream, *some (or NULL) says whether there were any. */
static bool read_bytes(struct shw_link *link, uint8_t *bytes, size_t size, const char *what, size_t *some)
{
    double heard = shw_clock();
    size_t done = 0;

    while (done < size) {
        ssize_t count;

        if (some != NULL)
            *some = done;
        if (!await_bytes(link, heard))
            return false;
        count = read(link->params.in, bytes + done, size - done);
        if (count < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (count < 0) {
            fail(link, "reading failed: %s", strerror(errno));
            return false;
        }
        if (count == 0 && some != NULL)
            return false; /* the caller knows what that means */
        if (count == 0) {
            fail(link, "the peer has ended the connection within %s", what);
            return false;
        }
        heard = shw_clock();
        done += (size_t)count;
        pthread_mutex_lock(&link->lock);
        link->received += (size_t)count;
        pthread_mutex_unlock(&link->lock);
    }
    return true;
}

static void finish(struct shw_link *link)
{
    pthread_mutex_lock(&link->lock);
    link->finished = !link->ended;
    end(link, "the peer has ended the connection");
    pthread_mutex_unlock(&link->lock);
}

/* The end of the stream before a whole greeting: what came instead, or nothing. */
static void refuse_greeting(struct shw_link *link, const uint8_t *bytes, size_t size)
{
    char text[SHW_SERVE_GREETING_SIZE + 1];

    memcpy(text, bytes, size);
    text[size] = '\0';
    if (size == 0)
        fail(link, "the peer has ended the connection without a greeting");
    else if (memcmp(bytes, SHW_SERVE_MAGIC, size < 8 ? size : 8) == 0)
        fail(link, "the peer has ended the connection within its greeting");
    else
        fail(link, "the peer does not speak this protocol: it begins with '%s'", text);
}

static bool read_greeting(struct shw_link *link)
{
    uint8_t greeting[SHW_SERVE_GREETING_SIZE], expected[SHW_SERVE_GREETING_SIZE];
    size_t some = 0;

    if (!read_bytes(link, greeting, sizeof greeting, "its greeting", &some)) {
        if (shw_link_is_open(link))
            refuse_greeting(link, greeting, some);
        return false;
    }
    shw_message_greet(expected);
    if (memcmp(greeting, expected, 8) != 0) {
        refuse_greeting(link, greeting, sizeof greeting);
        return false;
    }
    if (memcmp(greeting, expected, sizeof expected) != 0) {
        fail(link, "the peer speaks version %u of the protocol, and this program version %u", shw_get_u32(greeting + 8),
             SHW_SERVE_VERSION);
        return false;
    }
    pthread_mutex_lock(&link->lock);
    link->greeted = true;
    pthread_cond_broadcast(&link->changed);
    pthread_mutex_unlock(&link->lock);
    return true;
}

/* Memory grows as bytes arrive, since a length alone must not cost any. */
static bool read_contents(struct shw_link *link, struct shw_message *message, const char *name)
{
    size_t done = 0, capacity = 0;

    while (done < message->length) {
        size_t step = message->length - done < STEP ? message->length - done : STEP;

        if (done + step > capacity) {
            const size_t doubled = 2 * capacity < message->length ? 2 * capacity : message->length;
            uint8_t *grown;

            capacity = done + step > doubled ? done + step : doubled;
            grown = realloc(message->contents, capacity);
            if (grown == NULL) {
                fail(link, "not enough memory for a message of %zu bytes", (size_t)message->length);
                return false;
            }
            message->contents = grown;
        }
        if (!read_bytes(link, message->contents + done, step, name, NULL))
            return false;
        done += step;
    }
    return true;
}

static bool check_header(struct shw_link *link, const struct shw_message *message,
                         const struct shw_message_trait *trait)
{
    const unsigned peer = link->params.side == SHW_CLIENT ? SHW_SERVER : SHW_CLIENT;

    if (trait == NULL)
        fail(link, "a message has the unknown type %u", (unsigned)message->type);
    else if ((trait->by & peer) == 0)
        fail(link, "a message %s has come from the side that does not send it", trait->name);
    else if (message->length < trait->least || message->length > trait->most)
        fail(link, "a message %s has %zu bytes, and may have %u to %u", trait->name, (size_t)message->length,
             trait->least, trait->most);
    else if (link->params.side == SHW_CLIENT && !link->begun && trait->type != SHW_MESSAGE_READY)
        fail(link, "the peer begins with a message %s instead of READY", trait->name);
    else
        return true;
    return false;
}

/* Whether another message can come. */
static bool read_message(struct shw_link *link, struct shw_message **read)
{
    uint8_t header[SHW_SERVE_HEADER_SIZE];
    const struct shw_message_trait *trait;
    struct shw_message *message;
    size_t some = 0;

    if (!read_bytes(link, header, sizeof header, "a message", &some)) {
        if (shw_link_is_open(link) && some > 0)
            fail(link, "the peer has ended the connection within a message");
        else if (shw_link_is_open(link))
            finish(link);
        return false;
    }
    message = calloc(1, sizeof *message);
    if (message == NULL) {
        fail(link, "not enough memory for a message");
        return false;
    }
    message->type = (enum shw_message_type)shw_get_u32(header);
    message->length = shw_get_u32(header + 4);
    message->request = shw_get_u32(header + 8);
    trait = shw_message_find(shw_get_u32(header));
    if (check_header(link, message, trait) && read_contents(link, message, trait->name)) {
        if (shw_message_checksum(header, message->contents, message->length) == shw_message_stated(header)) {
            link->begun = true;
            *read = message;
            return true;
        }
        fail(link, "a message %s was damaged on the way: its checksum is another", trait->name);
    }
    shw_message_free(&message);
    return false;
}

/* Hands a message over, once there is room. */
static void deliver(struct shw_link *link, struct shw_message *message)
{
    pthread_mutex_lock(&link->lock);
    while (!link->ended && link->arrived_bytes > 0 && link->arrived_bytes + message->length > ARRIVED_MAX)
        pthread_cond_wait(&link->changed, &link->lock);
    *link->arrived_end = message;
    link->arrived_end = &message->next;
    link->arrived_bytes += message->length + sizeof *message;
    pthread_cond_broadcast(&link->changed);
    pthread_mutex_unlock(&link->lock);
}

static void *read_all(void *user)
{
    struct shw_link *link = user;
    struct shw_message *message = NULL;
    bool goes_on = read_greeting(link);

    while (goes_on && read_message(link, &message)) {
        if (message->type == SHW_MESSAGE_ALIVE ||
            (link->params.arrived != NULL && link->params.arrived(link->params.user, message)))
            shw_message_free(&message);
        else
            deliver(link, message);
    }
    if (link->params.ended != NULL)
        link->params.ended(link->params.user);
    return NULL;
}

/* Writing. */

/* write() without SIGPIPE, which the program need not ignore. */
static ssize_t write_quietly(int out, const void *bytes, size_t size)
{
    sigset_t pipe_signal, before, pending;
    ssize_t count;
    int error;

    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
    count = write(out, bytes, size);
    error = errno;
    if (count < 0 && error == EPIPE && sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 1)
        sigtimedwait(&pipe_signal, NULL, &(struct timespec){0, 0});
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return count;
}

/* Whether the writer is to give up. Under the lock. */
static bool is_over(const struct shw_link *link)
{
    return link->ended && shw_clock() >= link->deadline;
}

/* Why the peer takes nothing any more, the reader may know better. */
static void fail_writing(struct shw_link *link, int error)
{
    const double end_of_patience = shw_clock() + READER_SECONDS;

    pthread_mutex_lock(&link->lock);
    while (!link->ended && shw_clock() < end_of_patience)
        sleep_until(link, end_of_patience);
    pthread_mutex_unlock(&link->lock);
    fail(link, "%s", error == EPIPE ? "the peer has ended the connection" : strerror(error));
}

static bool write_bytes(struct shw_link *link, const uint8_t *bytes, size_t size)
{
    struct pollfd out = {.fd = link->params.out, .events = POLLOUT};
    double moved = shw_clock();
    bool over = false;

    while (size > 0 && !over) {
        ssize_t count = 0;

        if (poll(&out, 1, (int)(1e3 * POLL_SECONDS)) > 0) {
            count = write_quietly(link->params.out, bytes, size);
            if (count < 0 && errno != EAGAIN && errno != EINTR) {
                fail_writing(link, errno);
                return false;
            }
        }
        if (count > 0) {
            bytes += count;
            size -= (size_t)count;
            moved = shw_clock();
        }
        pthread_mutex_lock(&link->lock);
        link->sent += count > 0 ? (size_t)count : 0;
        link->wrote = moved;
        over = is_over(link);
        pthread_mutex_unlock(&link->lock);
        if (!over && shw_clock() - moved > silent_seconds(link)) {
            fail(link, "the peer has taken nothing for %.0f seconds", silent_seconds(link));
            return false;
        }
    }
    return size == 0;
}

/* The next message, to be freed; NULL: there will be none. */
static struct outgoing *take_outgoing(struct shw_link *link)
{
    struct outgoing *next;

    pthread_mutex_lock(&link->lock);
    while (link->queue == NULL && !link->ended)
        pthread_cond_wait(&link->changed, &link->lock);
    next = is_over(link) ? NULL : link->queue;
    if (next != NULL) {
        link->queue = next->next;
        if (link->queue == NULL)
            link->queue_end = &link->queue;
        link->queued -= next->size;
        pthread_cond_broadcast(&link->changed);
    }
    pthread_mutex_unlock(&link->lock);
    return next;
}

static void *write_all(void *user)
{
    struct shw_link *link = user;
    uint8_t greeting[SHW_SERVE_GREETING_SIZE];
    struct outgoing *next;
    bool fine;

    shw_message_greet(greeting);
    fine = write_bytes(link, greeting, sizeof greeting);
    while (fine && (next = take_outgoing(link)) != NULL) {
        fine = write_bytes(link, next->bytes, next->size);
        free(next);
    }
    return NULL;
}

/* Under the lock: whether it may be queued now. */
static bool has_room(const struct shw_link *link)
{
    return link->queued < QUEUED_MAX;
}

/* Waits for room. */
static enum shw_result await_room(struct shw_link *link, const struct shw_patience *patience)
{
    while (!link->ended && !has_room(link)) {
        bool goes_on;

        sleep_until(link, shw_clock() + POLL_SECONDS);
        pthread_mutex_unlock(&link->lock);
        goes_on = patience == NULL || patience->go_on == NULL || patience->go_on(patience->user);
        pthread_mutex_lock(&link->lock);
        if (!goes_on)
            return SHW_ERROR_CANCELLED;
    }
    return link->ended ? SHW_ERROR_IO : SHW_OK;
}

/* Under the lock. */
static void put_outgoing(struct shw_link *link, struct outgoing *message, bool first)
{
    struct outgoing **place = first ? &link->queue : link->queue_end;

    message->next = first ? link->queue : NULL;
    *place = message;
    if (message->next == NULL)
        link->queue_end = &message->next;
}

enum shw_result shw_link_send(struct shw_link *link, enum shw_message_type type, uint32_t request, const void *contents,
                              size_t length, bool first, const struct shw_patience *patience)
{
    struct outgoing *made = malloc(sizeof *made + SHW_SERVE_HEADER_SIZE + length);
    enum shw_result result = SHW_OK;
    bool needed = true;

    if (made == NULL)
        return SHW_ERROR_MEMORY;
    made->size = SHW_SERVE_HEADER_SIZE + length;
    if (length > 0)
        memcpy(made->bytes + SHW_SERVE_HEADER_SIZE, contents, length);
    shw_message_head(made->bytes, type, request, made->bytes + SHW_SERVE_HEADER_SIZE, (uint32_t)length);
    pthread_mutex_lock(&link->lock);
    if (type == SHW_MESSAGE_ALIVE)
        needed = link->queue == NULL && shw_clock() - link->wrote > alive_seconds(link);
    else if (!first)
        result = await_room(link, patience);
    if (link->ended)
        result = SHW_ERROR_IO;
    if (result == SHW_OK && needed) {
        put_outgoing(link, made, first);
        link->queued += made->size;
        pthread_cond_broadcast(&link->changed);
        made = NULL;
    }
    pthread_mutex_unlock(&link->lock);
    free(made);
    return result;
}

enum shw_result shw_link_receive(struct shw_link *link, double seconds, struct shw_message **message)
{
    const double end = shw_clock() + seconds;
    enum shw_result result;
    uint64_t wakes;

    pthread_mutex_lock(&link->lock);
    wakes = link->wakes;
    while (link->arrived == NULL && !link->ended && link->wakes == wakes && shw_clock() < end)
        sleep_until(link, end);
    *message = link->arrived;
    result = link->arrived != NULL || !link->ended ? SHW_OK : SHW_ERROR_IO;
    if (link->arrived != NULL) {
        link->arrived = link->arrived->next;
        if (link->arrived == NULL)
            link->arrived_end = &link->arrived;
        link->arrived_bytes -= (*message)->length + sizeof **message;
        (*message)->next = NULL;
        pthread_cond_broadcast(&link->changed);
    }
    pthread_mutex_unlock(&link->lock);
    return result;
}

void shw_link_return(struct shw_link *link, struct shw_message *message)
{
    pthread_mutex_lock(&link->lock);
    message->next = link->arrived;
    if (link->arrived == NULL)
        link->arrived_end = &message->next;
    link->arrived = message;
    link->arrived_bytes += message->length + sizeof *message;
    pthread_mutex_unlock(&link->lock);
}

/* Its end and its beginning. */

static bool make_lock(struct shw_link *link)
{
    pthread_condattr_t monotonic;
    bool fine;

    if (pthread_mutex_init(&link->lock, NULL) != 0)
        return false;
    fine = pthread_condattr_init(&monotonic) == 0;
    if (fine) {
        fine = pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC) == 0 &&
               pthread_cond_init(&link->changed, &monotonic) == 0;
        pthread_condattr_destroy(&monotonic);
    }
    if (!fine)
        pthread_mutex_destroy(&link->lock);
    return fine;
}

void shw_link_destroy(struct shw_link **link, double seconds)
{
    struct shw_link *gone = link != NULL ? *link : NULL;

    if (gone == NULL)
        return;
    shw_link_end(gone, NULL, seconds);
    pthread_mutex_lock(&gone->lock);
    if (seconds <= 0)
        gone->deadline = 0;
    pthread_mutex_unlock(&gone->lock);
    if (gone->reading)
        pthread_join(gone->reader, NULL);
    if (gone->writing)
        pthread_join(gone->writer, NULL);
    *link = NULL; /* the threads' callbacks may have used it */
    fcntl(gone->params.in, F_SETFL, gone->in_flags);
    fcntl(gone->params.out, F_SETFL, gone->out_flags);
    while (gone->queue != NULL) {
        struct outgoing *next = gone->queue->next;
        free(gone->queue);
        gone->queue = next;
    }
    while (gone->arrived != NULL) {
        struct shw_message *first = gone->arrived;
        gone->arrived = first->next;
        shw_message_free(&first);
    }
    pthread_cond_destroy(&gone->changed);
    pthread_mutex_destroy(&gone->lock);
    close(gone->wake[0]);
    close(gone->wake[1]);
    free(gone);
}

enum shw_result shw_link_create(const struct shw_link_params *params, struct shw_link **link)
{
    struct shw_link *made = calloc(1, sizeof *made);

    if (made == NULL || pipe2(made->wake, O_CLOEXEC) != 0) {
        free(made);
        return SHW_ERROR_MEMORY;
    }
    if (!make_lock(made)) {
        close(made->wake[0]);
        close(made->wake[1]);
        free(made);
        return SHW_ERROR_MEMORY;
    }
    made->params = *params;
    made->queue_end = &made->queue;
    made->arrived_end = &made->arrived;
    made->wrote = shw_clock();
    made->in_flags = fcntl(params->in, F_GETFL);
    made->out_flags = fcntl(params->out, F_GETFL);
    fcntl(params->in, F_SETFL, made->in_flags | O_NONBLOCK);
    fcntl(params->out, F_SETFL, made->out_flags | O_NONBLOCK);
    *link = made; /* for the callbacks */
    made->writing = pthread_create(&made->writer, NULL, write_all, made) == 0;
    made->reading = made->writing && pthread_create(&made->reader, NULL, read_all, made) == 0;
    if (made->reading)
        return SHW_OK;
    shw_link_destroy(link, 0);
    return SHW_ERROR_MEMORY;
}
