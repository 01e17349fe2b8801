/* What a server makes of messages, without a connection: pixels that it has forgotten are asked for again. */
#include "serving.h"

#include <stdlib.h>
#include <string.h>

#include "files/project/training_tiles.h"
#include "files/serve/pack.h"
#include "files/serve/session.h"
#include "testing/painting.h"

enum { WIDTH = 300, HEIGHT = 200 };

/* A client that says of every square that was sent before that it was sent. */
struct client {
    struct shw_session *session;
    uint8_t *pixels;
    unsigned asked, forced, inputs, with_pixels;
    bool sent[6];
};

static struct shw_message message_of(enum shw_message_type type, const struct shw_pack *pack)
{
    return (struct shw_message){.type = type, .request = 1, .length = (uint32_t)pack->size, .contents = pack->bytes};
}

static enum shw_result take(struct shw_session *session, enum shw_message_type type, struct shw_pack *pack)
{
    const struct shw_message message = message_of(type, pack);
    const enum shw_result result = shw_session_take(session, &message);

    assert_false(pack->failed);
    free(pack->bytes);
    *pack = (struct shw_pack){NULL, 0, 0, false};
    return result;
}

static void pack_square(const struct client *client, struct shw_pack *pack, uint32_t square, bool with_pixels)
{
    const struct shw_rect rect = shw_square_rect(square, WIDTH, HEIGHT);
    struct shw_pack pixels = {NULL, 0, 0, false};
    struct shw_square_digest digest;

    for (int32_t y = rect.y0; y < rect.y1; y++)
        shw_pack_bytes(&pixels, client->pixels + ((size_t)y * WIDTH + (size_t)rect.x0) * 3,
                       (size_t)(rect.x1 - rect.x0) * 3);
    digest = shw_square_digest_of(pixels.bytes, pixels.size);
    shw_pack_u32(pack, 7);
    shw_pack_u32(pack, square);
    shw_pack_u64(pack, digest.low);
    shw_pack_u64(pack, digest.high);
    if (with_pixels)
        shw_pack_bytes(pack, pixels.bytes, pixels.size);
    free(pixels.bytes);
}

static enum shw_result answer(void *user, const void *want, size_t size)
{
    struct client *client = user;
    struct shw_unpack unpack = {want, size, false};
    uint32_t flags;
    bool complete = false;

    assert_int_equal(shw_unpack_u32(&unpack), 7);
    flags = shw_unpack_u32(&unpack);
    if (flags & SHW_WANT_INPUTS) {
        struct shw_pack pack = {NULL, 0, 0, false};
        struct shw_message message;

        client->inputs++;
        shw_pack_u32(&pack, 7);
        shw_pack_u32(&pack, 1);
        shw_pack_text(&pack, SHW_COLOUR);
        shw_pack_u32(&pack, SHW_PIXEL_RGB8);
        for (int i = 0; i < 4; i++)
            shw_pack_u32(&pack, 0);
        message = message_of(SHW_MESSAGE_INPUTS, &pack);
        assert_int_equal(shw_session_take_pixels(client->session, &message, &complete), SHW_OK);
        free(pack.bytes);
    }
    while (unpack.left > 0) {
        const uint32_t square = shw_unpack_u32(&unpack);
        const bool with_pixels = (flags & SHW_WANT_PIXELS) != 0 || !client->sent[square];
        struct shw_pack pack = {NULL, 0, 0, false};
        struct shw_message message;

        assert_false(complete);
        pack_square(client, &pack, square, with_pixels);
        client->asked++;
        client->forced += (flags & SHW_WANT_PIXELS) != 0;
        client->with_pixels += with_pixels;
        client->sent[square] = true;
        message = message_of(SHW_MESSAGE_PIXELS, &pack);
        assert_int_equal(shw_session_take_pixels(client->session, &message, &complete), SHW_OK);
        free(pack.bytes);
    }
    assert_true(complete);
    return SHW_OK;
}

static void give_settings(struct shw_session *session)
{
    struct shw_pack pack = {NULL, 0, 0, false};

    shw_pack_text(&pack, "rgb");
    for (int i = 0; i < 6; i++)
        shw_pack_u32(&pack, 0);
    shw_pack_u64(&pack, 0);
    shw_pack_u8(&pack, 0);
    shw_pack_text(&pack, "");
    shw_pack_u32(&pack, 2);
    for (int c = 0; c < 2; c++) {
        shw_pack_text(&pack, c == 0 ? "a" : "b");
        shw_pack_bytes(&pack, "rgb", 3);
    }
    shw_pack_u32(&pack, 0);
    assert_int_equal(take(session, SHW_MESSAGE_SETTINGS, &pack), SHW_OK);
}

static enum shw_result give_picture(struct shw_session *session, uint32_t number, uint32_t width, uint32_t height,
                                    uint32_t generation, const char *name)
{
    struct shw_pack pack = {NULL, 0, 0, false};

    shw_pack_u32(&pack, number);
    shw_pack_u32(&pack, width);
    shw_pack_u32(&pack, height);
    shw_pack_u8(&pack, 0);
    shw_pack_u32(&pack, generation);
    shw_pack_text(&pack, name);
    return take(session, SHW_MESSAGE_PICTURE, &pack);
}

static enum shw_result give_strokes(struct shw_session *session, uint32_t number, uint32_t keep, uint32_t count)
{
    struct shw_pack pack = {NULL, 0, 0, false};

    shw_pack_u32(&pack, number);
    shw_pack_u32(&pack, keep);
    for (uint32_t s = 0; s < count; s++)
        shw_pack_u16(&pack, (uint16_t)(s % 2));
    return take(session, SHW_MESSAGE_STROKES, &pack);
}

/* The first pixels of a block, one each of the strokes from 1 on. */
static enum shw_result give_labels(struct shw_session *session, uint32_t number, uint32_t block, uint32_t strokes)
{
    struct shw_pack pack = {NULL, 0, 0, false};

    shw_pack_u32(&pack, number);
    shw_pack_varint(&pack, block);
    for (uint32_t s = 1; s <= strokes; s++) {
        shw_pack_varint(&pack, 1);
        shw_pack_varint(&pack, s);
    }
    shw_pack_varint(&pack, 4096 - strokes);
    shw_pack_varint(&pack, 0);
    return take(session, SHW_MESSAGE_LABELS, &pack);
}

static struct shw_session *make_session(struct client *client, uint64_t labels, uint64_t cache)
{
    const struct shw_session_params params = {.labels_max = labels,
                                              .cache_max = cache,
                                              .pixels_max = UINT64_C(1) << 30,
                                              .log = heard_log(),
                                              .fetch = answer,
                                              .user = client};
    struct shw_session *session = NULL;

    assert_int_equal(shw_session_create(&params, &session), SHW_OK);
    client->session = session;
    return session;
}

/* Takes the whole picture, which must be what the client has. */
static void assert_whole(struct client *client)
{
    struct shw_training_set *set = NULL;
    struct shw_training_tiles *tiles = NULL;

    assert_int_equal(shw_session_make_set(client->session, &set), SHW_OK);
    assert_int_equal(shw_training_tiles_make(set, UINT32_MAX, NULL, NULL, &tiles), SHW_OK);
    assert_int_equal(tiles->count, 1);
    assert_int_equal(tiles->tiles[0].pixels->input[0].image.width, WIDTH);
    assert_memory_equal(tiles->tiles[0].pixels->input[0].image.pixels, client->pixels, WIDTH * HEIGHT * 3);
    shw_training_tiles_release(&tiles);
    shw_training_set_destroy(&set);
}

TESTING_CASE(forgotten_squares_are_asked_for_again)
{
    for (int small = 0; small < 2; small++) {
        struct client client = {.pixels = testing_paint_scene(testing_path("s.png"), WIDTH, HEIGHT, 3)};
        struct shw_session *session = make_session(&client, 1 << 20, small ? 1 : 1 << 20);

        give_settings(session);
        assert_int_equal(give_picture(session, 7, WIDTH, HEIGHT, 1, "p"), SHW_OK);
        assert_int_equal(give_strokes(session, 7, 0, 2), SHW_OK);
        assert_int_equal(give_labels(session, 7, 0, 2), SHW_OK);
        assert_whole(&client);
        assert_int_equal(client.asked, 6);
        assert_int_equal(client.with_pixels, 6);
        assert_int_equal(client.forced, 0);
        assert_int_equal(give_picture(session, 7, WIDTH, HEIGHT, 2, "p"),
                         SHW_OK); /* other pixels, which are the same */
        assert_whole(&client);
        assert_int_equal(client.inputs, 2);
        assert_int_equal(client.asked, small ? 18 : 12);
        assert_int_equal(client.forced, small ? 6 : 0);
        shw_session_destroy(&session);
        free(client.pixels);
    }
}

static void assert_invalid(enum shw_result result)
{
    assert_int_equal(result, SHW_ERROR_FORMAT);
}

TESTING_CASE(what_is_not_valid_is_refused)
{
    struct client client = {.pixels = NULL};
    struct shw_session *session = make_session(&client, 1 << 20, 1 << 20);
    struct shw_training_set *set = NULL;
    struct shw_pack pack = {NULL, 0, 0, false};

    assert_int_equal(shw_session_make_set(session, &set), SHW_ERROR_ARGUMENT); /* no settings */
    give_settings(session);
    assert_int_equal(shw_session_make_set(session, &set), SHW_ERROR_FORMAT); /* nothing is painted */
    assert_invalid(give_picture(session, 16384, 9, 9, 1, "p"));
    assert_invalid(give_picture(session, 0, 0, 9, 1, "p"));
    assert_invalid(give_picture(session, 0, 9, 131072, 1, "p"));
    assert_invalid(give_picture(session, 0, 9, 9, 1, ""));
    assert_int_equal(give_picture(session, 0, 100, 70, 1, "p"), SHW_OK);
    assert_invalid(give_picture(session, 1, 100, 70, 1, "p")); /* a name of two pictures */
    assert_invalid(give_strokes(session, 1, 0, 2));
    assert_invalid(give_strokes(session, 0, 1, 2));
    assert_invalid(give_labels(session, 0, 4, 2));
    assert_invalid(give_labels(session, 5, 0, 2));
    assert_int_equal(give_strokes(session, 0, 0, 2), SHW_OK);
    assert_int_equal(give_labels(session, 0, 0, 3), SHW_OK);
    assert_int_equal(shw_session_make_set(session, &set), SHW_ERROR_FORMAT); /* a stroke that there is not */
    assert_int_equal(give_labels(session, 0, 0, 2), SHW_OK);
    assert_int_equal(give_labels(session, 0, 1, 40), SHW_OK); /* pixels outside a picture of 100 pixels */
    assert_int_equal(give_strokes(session, 0, 2, 38), SHW_OK);
    assert_int_equal(shw_session_make_set(session, &set), SHW_ERROR_FORMAT);
    shw_pack_u32(&pack, 9);
    assert_invalid(take(session, SHW_MESSAGE_FORGET, &pack));
    assert_null(set);
    shw_session_destroy(&session);
}

/* Labels do not take more memory than there may be, whatever is said. */
TESTING_CASE(labels_have_a_limit)
{
    struct client client = {.pixels = NULL};
    struct shw_session *session = make_session(&client, 1 << 20, 1 << 20);
    enum shw_result result = SHW_OK;
    uint32_t count = 0;

    assert_int_equal(give_picture(session, 0, 131071, 131071, 1, "large"), SHW_ERROR_LIMIT);
    shw_session_destroy(&session);
    session = make_session(&client, 1 << 20, 1 << 20);
    assert_int_equal(give_picture(session, 0, 1000, 1000, 1, "p"), SHW_OK);
    assert_int_equal(give_strokes(session, 0, 0, 2), SHW_OK);
    while (result == SHW_OK && count < 200)
        result = give_labels(session, 0, count++, 2);
    assert_int_equal(result, SHW_ERROR_LIMIT);
    assert_true(count > 50 && count < 70); /* of 16 KiB each */
    shw_session_destroy(&session);
    /* what was replaced or removed does not count */
    session = make_session(&client, 1 << 20, 1 << 20);
    assert_int_equal(give_picture(session, 0, 1000, 1000, 1, "p"), SHW_OK);
    for (uint32_t i = 0; i < 500; i++) {
        assert_int_equal(give_strokes(session, 0, 0, 1000), SHW_OK);
        assert_int_equal(give_labels(session, 0, i % 40, 2), SHW_OK);
        assert_int_equal(give_labels(session, 0, i % 40, 0), SHW_OK);
        assert_int_equal(give_picture(session, 1, 500 + i, 500, 1, "q"), SHW_OK);
    }
    shw_session_destroy(&session);
}
