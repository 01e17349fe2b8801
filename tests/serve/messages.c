/* What comes from a client is not trusted: its messages, changed at random, end the connection or a request, and
 * nothing else. */
#include "serving.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "files/serve/message.h"
#include "files/serve/pack.h"
#include "files/serve/server.h"
#include "testing/painting.h"

#define MESSAGES_MAX 256u

/* A connection's bytes, as messages after the greeting. */
struct stream {
    uint8_t *bytes;
    size_t size;
};

struct part {
    uint32_t type, request, length;
    const uint8_t *contents;
};

static struct stream read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    struct stream stream = {malloc(1 << 20), 0};

    assert_non_null(file);
    stream.size = fread(stream.bytes, 1, 1 << 20, file);
    fclose(file);
    return stream;
}

/* What a client sends for two forests and the accuracy of one: that of a set, and of the same with another stroke. */
static struct stream record(void)
{
    const struct shw_teacher_watch watch = {NULL};
    struct shw_project *project = testing_paint_project(40, 30, NULL);
    struct shw_project_training training = {SHW_CHANNELS_RGB, 1, 3, 8, 11, 0, 0, 0};
    struct shw_taught taught = {NULL, NULL};
    struct shw_held_out held_out = {0};
    struct shw_training_set *set;
    struct shw_teacher teacher;
    struct shw_remote *remote;
    char command[2048];
    size_t size;

    assert_int_equal(shw_project_set_training(project, &training), SHW_OK);
    for (uint32_t c = 0; c < 3; c++)
        testing_paint_area(project, 1, c, 20);
    snprintf(command, sizeof command, "sh -c 'tee \"%s\" | \"%s\" serve -t cpu'", testing_path("recorded"),
             getenv("SHADEWOOD_PROGRAM"));
    remote = connect_to(command);
    teacher = shw_remote_teacher(remote);
    for (int forest = 0; forest < 2; forest++) {
        set = set_of(project);
        shw_taught_release(&taught);
        free(grow_bytes(&teacher, set, SHW_LESSON_FULL, &taught, &size));
        shw_training_set_destroy(&set);
        testing_paint_area(project, 0, 1, 70);
    }
    assert_int_equal(shw_teacher_measure(&teacher, &taught, &watch, &held_out), SHW_OK);
    shw_held_out_free(&held_out);
    shw_taught_release(&taught);
    shw_remote_destroy(&remote, 10);
    shw_project_destroy(&project);
    return read_file(testing_path("recorded"));
}

static uint32_t split(const struct stream *stream, struct part parts[MESSAGES_MAX])
{
    size_t at = SHW_SERVE_GREETING_SIZE;
    uint32_t count = 0;

    while (at + SHW_SERVE_HEADER_SIZE <= stream->size && count < MESSAGES_MAX) {
        const uint8_t *header = stream->bytes + at;

        parts[count] = (struct part){shw_get_u32(header), shw_get_u32(header + 8), shw_get_u32(header + 4),
                                     header + SHW_SERVE_HEADER_SIZE};
        at += SHW_SERVE_HEADER_SIZE + parts[count].length;
        assert_true(at <= stream->size);
        count++;
    }
    assert_int_equal(at, stream->size);
    return count;
}

/* A server in a thread, and what it says. */
struct served {
    struct shw_server_params params;
    enum shw_result result;
    int said; /* the other end of what it says */
    pthread_mutex_t lock;
    unsigned answers, forests;
    bool ended;
};

static bool never(void)
{
    return false;
}

static void *serve(void *user)
{
    struct served *served = user;

    served->result = shw_serve(&served->params);
    close(served->params.out);
    return NULL;
}

/* Reads until the server has ended, and counts final answers. */
static void *listen(void *user)
{
    struct served *served = user;
    uint8_t *bytes = malloc(1 << 22);
    size_t size = 0, at = SHW_SERVE_GREETING_SIZE;
    ssize_t count;

    while ((count = read(served->said, bytes + size, (1 << 22) - size)) > 0) {
        size += (size_t)count;
        pthread_mutex_lock(&served->lock);
        while (at + SHW_SERVE_HEADER_SIZE <= size && at + SHW_SERVE_HEADER_SIZE + shw_get_u32(bytes + at + 4) <= size) {
            const uint32_t type = shw_get_u32(bytes + at);

            served->forests += type == SHW_MESSAGE_FOREST;
            served->answers += type == SHW_MESSAGE_FOREST || type == SHW_MESSAGE_FAILED ||
                               type == SHW_MESSAGE_ACCURACY || type == SHW_MESSAGE_CANCELLED;
            at += SHW_SERVE_HEADER_SIZE + shw_get_u32(bytes + at + 4);
        }
        pthread_mutex_unlock(&served->lock);
    }
    pthread_mutex_lock(&served->lock);
    served->ended = true;
    pthread_mutex_unlock(&served->lock);
    free(bytes);
    return NULL;
}

/* Whether the answers have come, or the server has ended. */
static bool is_done(struct served *served, unsigned answers)
{
    bool done;

    pthread_mutex_lock(&served->lock);
    done = served->ended || served->answers >= answers;
    pthread_mutex_unlock(&served->lock);
    return done;
}

/* Gives it the bytes, and closes the connection after so many answers, or after `seconds`: some bytes have none. */
static enum shw_result replay(const struct stream *stream, unsigned answers, double seconds, unsigned *forests)
{
    struct served served = {
        .params = {
            .name = "cpu", .memory = (uint64_t)256 << 20, .threads = 1, .interrupted = never, .log = heard_log()}};
    pthread_t server, listener;
    double end;
    size_t done = 0;
    int in[2], out[2];

    assert_int_equal(pipe(in), 0);
    assert_int_equal(pipe(out), 0);
    assert_int_equal(pthread_mutex_init(&served.lock, NULL), 0);
    served.params.in = in[0];
    served.params.out = out[1];
    served.said = out[0];
    fcntl(in[1], F_SETFL, O_NONBLOCK);
    assert_int_equal(pthread_create(&server, NULL, serve, &served), 0);
    assert_int_equal(pthread_create(&listener, NULL, listen, &served), 0);
    while (done < stream->size && !is_done(&served, UINT32_MAX)) {
        const ssize_t count = write(in[1], stream->bytes + done, stream->size - done);

        done += count > 0 ? (size_t)count : 0;
        if (count < 0)
            nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
    }
    end = shw_clock() + seconds;
    while (!is_done(&served, answers) && shw_clock() < end)
        nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
    close(in[1]);
    pthread_join(server, NULL);
    pthread_join(listener, NULL);
    close(in[0]);
    close(out[0]);
    pthread_mutex_destroy(&served.lock);
    *forests = served.forests;
    return served.result;
}

static void put_part(struct shw_pack *pack, const struct part *part, bool damaged)
{
    uint8_t header[SHW_SERVE_HEADER_SIZE];

    shw_message_head(header, part->type, part->request, part->contents, part->length);
    if (damaged)
        header[12] ^= 1;
    shw_pack_bytes(pack, header, sizeof header);
    shw_pack_bytes(pack, part->contents, part->length);
}

/* Changes the contents in one of several ways; `room` is that of a copy of them. */
static void mutate(struct part *part, uint8_t *room, struct testing_random *random)
{
    static const uint32_t numbers[] = {0, 1, 0xff, 0x7fffffff, 0x80000000, 0xffffffff, 65535, 16384, 4096, 131072};
    const uint32_t at = testing_random_below(random, part->length + 1);

    memcpy(room, part->contents, part->length);
    part->contents = room;
    switch (testing_random_below(random, 7)) {
    case 0: room[at] ^= (uint8_t)(1u << testing_random_below(random, 8)); break;
    case 1: room[at] = (uint8_t)testing_random_below(random, 256); break;
    case 2: shw_put_u32(room + at / 4 * 4, numbers[testing_random_below(random, 10)]); break;
    case 3: part->length = at; break;
    case 4: part->length += testing_random_below(random, 64); break;
    case 5: part->type = 16 + testing_random_below(random, 10); break;
    default: part->request += testing_random_below(random, 3) - 1; break;
    }
}

/* One or two changes: of contents, whose checksum is right nearly always, of the order of messages, of bytes. */
static struct stream make_mutant(const struct stream *stream, const struct part *parts, uint32_t count,
                                 struct testing_random *random)
{
    static uint8_t room[2][1 << 17];
    struct part list[MESSAGES_MAX + 1];
    struct shw_pack pack = {NULL, 0, 0, false};
    const uint32_t changes = 1 + testing_random_below(random, 2);
    const bool damaged = testing_random_below(random, 12) == 0;
    const uint32_t hurt = testing_random_below(random, count);
    uint32_t length = count;

    memcpy(list, parts, count * sizeof *parts);
    for (uint32_t c = 0; c < changes; c++) {
        const uint32_t m = testing_random_below(random, length), other = testing_random_below(random, length);
        const struct part was = list[m];

        switch (testing_random_below(random, 8)) {
        case 0: memmove(list + m, list + m + 1, (--length - m) * sizeof *list); break;
        case 1:
            list[m] = list[other];
            list[other] = was;
            break;
        case 2: list[m] = list[other]; break;
        default:
            if (list[m].length < sizeof room[c] - 64)
                mutate(&list[m], room[c], random);
        }
        if (length == 0)
            break;
    }
    shw_pack_bytes(&pack, stream->bytes, SHW_SERVE_GREETING_SIZE);
    for (uint32_t m = 0; m < length; m++)
        put_part(&pack, &list[m], damaged && m == hurt);
    if (testing_random_below(random, 10) == 0)
        pack.size = testing_random_below(random, (uint32_t)pack.size + 1);
    if (testing_random_below(random, 20) == 0 && pack.size > 0)
        pack.bytes[testing_random_below(random, (uint32_t)pack.size)] ^= 0x10;
    assert_false(pack.failed);
    return (struct stream){pack.bytes, pack.size};
}

TESTING_CASE(changed_messages_end_nothing_else)
{
    const unsigned runs = testing_is_slow() ? 6000 : 500;
    struct stream stream = record();
    struct part parts[MESSAGES_MAX];
    const uint32_t count = split(&stream, parts);
    struct testing_random random = {17};
    unsigned forests, fine = 0, refused = 0;

    assert_true(count >= 8 && count < MESSAGES_MAX);
    assert_int_equal(replay(&stream, 3, 600, &forests), SHW_OK);
    assert_int_equal(forests, 2);
    for (unsigned run = 0; run < runs; run++) {
        struct stream mutant = make_mutant(&stream, parts, count, &random);
        const enum shw_result result = replay(&mutant, 3, 0.02, &forests);

        fine += result == SHW_OK;
        refused += result != SHW_OK;
        free(mutant.bytes);
    }
    /* neither is rare */
    assert_true(fine > runs / 20 && refused > runs / 5);
    free(stream.bytes);
}

/* Cut anywhere, the stream ends the connection, and only between messages without an error. */
TESTING_CASE(cut_streams_are_noticed)
{
    struct stream stream = record();
    struct part parts[MESSAGES_MAX];
    const uint32_t count = split(&stream, parts);
    unsigned forests;

    for (uint32_t m = 0; m < count; m += 1 + count / 8) {
        const size_t end = (size_t)(parts[m].contents - stream.bytes) + parts[m].length;

        assert_int_equal(replay(&(struct stream){stream.bytes, end}, 1, 0.001, &forests), SHW_OK);
        assert_int_equal(replay(&(struct stream){stream.bytes, end - 1}, 1, 0.001, &forests), SHW_ERROR_IO);
        assert_non_null(strstr(heard.last, "within"));
    }
    assert_int_equal(replay(&(struct stream){stream.bytes, 9}, 1, 0.001, &forests), SHW_ERROR_IO);
    free(stream.bytes);
}

/* What is packed is unpacked again, and nothing that is not there. */
TESTING_CASE(numbers_and_texts)
{
    static const uint64_t numbers[] = {0, 1, 127, 128, 16383, 16384, UINT32_MAX};
    struct shw_pack pack = {NULL, 0, 0, false};
    struct shw_unpack unpack;
    char *text;

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        shw_pack_varint(&pack, numbers[i]);
    shw_pack_u16(&pack, 0x1234);
    shw_pack_u64(&pack, UINT64_MAX - 1);
    shw_pack_f32(&pack, -0.5f);
    shw_pack_text(&pack, "forest");
    unpack = (struct shw_unpack){pack.bytes, pack.size, false};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        assert_true(shw_unpack_varint(&unpack) == numbers[i]);
    assert_int_equal(shw_unpack_u16(&unpack), 0x1234);
    assert_true(shw_unpack_u64(&unpack) == UINT64_MAX - 1);
    assert_true(shw_unpack_f32(&unpack) == -0.5f);
    text = shw_unpack_text(&unpack, 6);
    assert_string_equal(text, "forest");
    free(text);
    assert_true(shw_unpack_ended(&unpack));
    assert_int_equal(shw_unpack_u8(&unpack), 0);
    assert_false(shw_unpack_ended(&unpack));
    free(pack.bytes);

    unpack = (struct shw_unpack){(const uint8_t *)"\xff\xff\xff\xff\x1f", 5, false}; /* more than 32 bits */
    assert_int_equal(shw_unpack_varint(&unpack), 0);
    assert_true(unpack.failed);
    unpack = (struct shw_unpack){(const uint8_t *)"\x07\0\0\0forest", 10, false}; /* too short */
    assert_null(shw_unpack_text(&unpack, 100));
    unpack = (struct shw_unpack){(const uint8_t *)"\x06\0\0\0fo\0est", 10, false}; /* a zero in it */
    assert_null(shw_unpack_text(&unpack, 100));
    unpack = (struct shw_unpack){(const uint8_t *)"\x06\0\0\0forest", 10, false}; /* longer than allowed */
    assert_null(shw_unpack_text(&unpack, 5));
}
