/* Pixels of the client's pictures: rectangles are put together from squares, those that are in the cache and those that
 * the client is asked for. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/input.h>

#include "base/array.h"
#include "base/integers.h"
#include "base/log.h"
#include "files/project/pixels.h"
#include "files/serve/pack.h"
#include "files/serve/session_state.h"

#define ASKED_MAX      4096u /* squares of one message */
#define INPUT_NAME_MAX 31u

struct served_origin {
    struct shw_session *session;
    uint32_t number, width, height;
    bool known; /* INPUTS have come */
    uint32_t input_count;
    char names[SHW_INPUTS_MAX][INPUT_NAME_MAX + 1];
    struct shw_input inputs[SHW_INPUTS_MAX]; /* without pixels */
    uint32_t pixel_size;                     /* bytes, of all inputs */
    struct shw_square_digest *digests;       /* of each square; zero: it is not known */
};

/* A rectangle that is being put together. */
struct served_fetch {
    struct served_origin *origin;
    struct shw_rect rect;
    struct served_memory *memory; /* NULL until the inputs are known */
    uint32_t *squares;            /* that are still to come, in the order in which they were asked for */
    uint32_t count, taken, asked; /* taken: of those asked for */
    bool forced;                  /* with pixels in any case */
    uint32_t *again;              /* those whose pixels the client thinks are here */
    uint32_t again_count;
};

/* The pixels of a part. */
struct served_memory {
    struct shw_session *session;
    uint64_t bytes;
    uint8_t *pixels[SHW_INPUTS_MAX];
    uint8_t all[];
};

static void release_memory(void *owner)
{
    struct served_memory *memory = owner;

    memory->session->pixel_bytes -= memory->bytes;
    free(memory);
}

static uint32_t width_of(struct shw_rect rect)
{
    return (uint32_t)(rect.x1 - rect.x0);
}

static uint32_t height_of(struct shw_rect rect)
{
    return (uint32_t)(rect.y1 - rect.y0);
}

static enum shw_result make_memory(struct served_fetch *fetch)
{
    const struct served_origin *origin = fetch->origin;
    struct shw_session *session = origin->session;
    const uint64_t pixels = (uint64_t)width_of(fetch->rect) * height_of(fetch->rect);
    uint64_t bytes = 0, at = 0;

    for (uint32_t i = 0; i < origin->input_count; i++)
        bytes += shw_align_up(pixels * shw_pixel_size(origin->inputs[i].image.format), 16);
    if (bytes > session->params.pixels_max - shw_min_u64(session->pixel_bytes, session->params.pixels_max))
        return shw_fail(&session->params.log, SHW_ERROR_LIMIT, SHW_LOG_PROJECT,
                        "the pixels need more than the %llu MiB that --memory leaves for them",
                        (unsigned long long)(session->params.pixels_max >> 20));
    fetch->memory = malloc(sizeof *fetch->memory + bytes);
    if (fetch->memory == NULL)
        return shw_fail_memory(&session->params.log, "pixels");
    fetch->memory->session = session;
    fetch->memory->bytes = bytes;
    session->pixel_bytes += bytes;
    for (uint32_t i = 0; i < origin->input_count; i++) {
        fetch->memory->pixels[i] = fetch->memory->all + at;
        at += shw_align_up(pixels * shw_pixel_size(origin->inputs[i].image.format), 16);
    }
    return SHW_OK;
}

/* Copies what of a square is in the rectangle. */
static void copy_square(const struct served_fetch *fetch, struct shw_rect square, const uint8_t *pixels)
{
    const struct shw_rect rect = fetch->rect;
    const struct shw_rect both = {shw_max_i32(rect.x0, square.x0), shw_max_i32(rect.y0, square.y0),
                                  shw_min_i32(rect.x1, square.x1), shw_min_i32(rect.y1, square.y1)};

    for (uint32_t i = 0; i < fetch->origin->input_count; i++) {
        const size_t size = shw_pixel_size(fetch->origin->inputs[i].image.format);
        const size_t row = width_of(square) * size;

        for (int32_t y = both.y0; y < both.y1; y++)
            memcpy(fetch->memory->pixels[i] +
                       ((size_t)(y - rect.y0) * width_of(rect) + (size_t)(both.x0 - rect.x0)) * size,
                   pixels + (size_t)(y - square.y0) * row + (size_t)(both.x0 - square.x0) * size,
                   width_of(both) * size);
        pixels += row * height_of(square);
    }
}

/* Copies it if it is in the cache. */
static bool copy_cached(const struct served_fetch *fetch, uint32_t number, struct shw_square_digest digest)
{
    const struct served_origin *origin = fetch->origin;
    const struct shw_rect square = shw_square_rect(number, origin->width, origin->height);
    const struct shw_square *cached = shw_squares_find(&origin->session->cache, digest);

    if (cached == NULL || cached->size != (uint64_t)width_of(square) * height_of(square) * origin->pixel_size)
        return false;
    copy_square(fetch, square, cached->pixels);
    return true;
}

/* What has come. */

static enum shw_result refuse(const struct served_origin *origin, const char *why)
{
    return shw_fail(&origin->session->params.log, SHW_ERROR_FORMAT, SHW_LOG_PROJECT, "pixels are not valid: %s", why);
}

static bool read_depth(struct shw_unpack *unpack, struct shw_depth *depth)
{
    const uint32_t kind = shw_unpack_u32(unpack);

    depth->kind = (enum shw_depth_kind)kind;
    depth->unit = shw_unpack_f32(unpack);
    depth->near_plane = shw_unpack_f32(unpack);
    depth->far_plane = shw_unpack_f32(unpack);
    return kind <= SHW_DEPTH_RANGE;
}

/* Colours are first, and no name is there twice. What channels need of inputs, training checks. */
static bool read_input(struct shw_unpack *unpack, struct served_origin *origin, uint32_t number)
{
    struct shw_input *input = &origin->inputs[number];
    char *name = shw_unpack_text(unpack, INPUT_NAME_MAX);
    const uint32_t format = shw_unpack_u32(unpack);
    bool fine = name != NULL && *name != '\0' && format > SHW_PIXEL_NONE && format <= SHW_PIXEL_GREY32_FLOAT;

    if (fine)
        strcpy(origin->names[number], name);
    free(name);
    for (uint32_t i = 0; fine && i < number; i++)
        fine = strcmp(origin->names[i], origin->names[number]) != 0;
    input->name = origin->names[number];
    input->image.format = (enum shw_pixel_format)format;
    fine = read_depth(unpack, &input->depth) && fine;
    origin->pixel_size += fine ? (uint32_t)shw_pixel_size(input->image.format) : 0;
    return fine && !unpack->failed && (strcmp(input->name, SHW_COLOUR) == 0) == (number == 0);
}

static enum shw_result take_inputs(struct served_fetch *fetch, struct shw_unpack *unpack)
{
    struct served_origin *origin = fetch->origin;
    const uint32_t count = shw_unpack_u32(unpack);

    if (origin->known || count < 1 || count > SHW_INPUTS_MAX)
        return refuse(origin, "INPUTS twice, or of another number than 1 to 68");
    for (origin->input_count = 0; origin->input_count < count; origin->input_count++)
        if (!read_input(unpack, origin, origin->input_count))
            return refuse(origin, "an input's name, format or depth");
    if (!shw_unpack_ended(unpack))
        return refuse(origin, "the length of INPUTS");
    origin->known = true;
    return make_memory(fetch);
}

static enum shw_result take_square(struct served_fetch *fetch, struct shw_unpack *unpack)
{
    struct served_origin *origin = fetch->origin;
    const uint32_t number = shw_unpack_u32(unpack);
    struct shw_square_digest digest;
    struct shw_rect square;

    digest.low = shw_unpack_u64(unpack);
    digest.high = shw_unpack_u64(unpack);
    if (!origin->known || fetch->taken >= fetch->asked || number != fetch->squares[fetch->taken])
        return refuse(origin, "a square that was not asked for");
    square = shw_square_rect(number, origin->width, origin->height);
    origin->digests[number] = digest;
    fetch->taken++;
    if (unpack->left == 0 && !fetch->forced) {
        if (!copy_cached(fetch, number, digest))
            fetch->again[fetch->again_count++] = number;
        return SHW_OK;
    }
    if (unpack->left != (uint64_t)width_of(square) * height_of(square) * origin->pixel_size ||
        !shw_square_digest_is_same(digest, shw_square_digest_of(unpack->at, unpack->left)))
        return refuse(origin, "a square has another size or digest than it should");
    copy_square(fetch, square, unpack->at);
    if (shw_squares_find(&origin->session->cache, digest) == NULL &&
        !shw_squares_add(&origin->session->cache, digest, unpack->at, unpack->left))
        return shw_fail_memory(&origin->session->params.log, "pixels");
    return SHW_OK;
}

enum shw_result shw_session_take_pixels(struct shw_session *session, const struct shw_message *message, bool *complete)
{
    struct served_fetch *fetch = session->fetching;
    struct shw_unpack unpack = {message->contents, message->length, false};
    const uint32_t picture = shw_unpack_u32(&unpack);
    enum shw_result result;

    if (picture != fetch->origin->number)
        return refuse(fetch->origin, "of a picture that was not asked for");
    result = message->type == SHW_MESSAGE_INPUTS ? take_inputs(fetch, &unpack) : take_square(fetch, &unpack);
    *complete = fetch->taken == fetch->asked;
    return result;
}

/* Asking. */

/* Asks for the squares, in as many messages as that takes. */
static enum shw_result ask(struct served_fetch *fetch)
{
    const struct shw_session *session = fetch->origin->session;
    enum shw_result result = SHW_OK;

    for (uint32_t begin = 0; begin < fetch->count && result == SHW_OK; begin += ASKED_MAX) {
        struct shw_pack want = {NULL, 0, 0, false};

        fetch->asked = shw_min_u32(begin + ASKED_MAX, fetch->count);
        shw_pack_u32(&want, fetch->origin->number);
        shw_pack_u32(&want, (fetch->forced ? SHW_WANT_PIXELS : 0u) | (fetch->origin->known ? 0u : SHW_WANT_INPUTS));
        for (uint32_t i = begin; i < fetch->asked; i++)
            shw_pack_u32(&want, fetch->squares[i]);
        result = want.failed ? shw_fail_memory(&session->params.log, "pixels")
                             : session->params.fetch(session->params.user, want.bytes, want.size);
        free(want.bytes);
    }
    return result;
}

/* The squares that the rectangle touches and that are not in the cache; copies those that are. */
static void look_up(struct served_fetch *fetch)
{
    const struct served_origin *origin = fetch->origin;
    const uint32_t side = SHW_SQUARE_SIDE, columns = shw_squares_across(origin->width);
    const uint32_t right = shw_squares_across((uint32_t)fetch->rect.x1);
    const uint32_t bottom = shw_squares_across((uint32_t)fetch->rect.y1);

    for (uint32_t row = (uint32_t)fetch->rect.y0 / side; row < bottom; row++)
        for (uint32_t column = (uint32_t)fetch->rect.x0 / side; column < right; column++) {
            const uint32_t number = row * columns + column;
            const struct shw_square_digest digest = origin->digests[number];
            const bool known = origin->known && !shw_square_digest_is_same(digest, (struct shw_square_digest){0, 0});

            if (!known || !copy_cached(fetch, number, digest))
                fetch->squares[fetch->count++] = number;
        }
}

static enum shw_result fetch_all(struct served_fetch *fetch)
{
    struct served_origin *origin = fetch->origin;
    enum shw_result result = SHW_OK;

    if (origin->known)
        result = make_memory(fetch);
    if (result != SHW_OK)
        return result;
    look_up(fetch);
    result = ask(fetch);
    if (result != SHW_OK || fetch->again_count == 0)
        return result;
    memcpy(fetch->squares, fetch->again, fetch->again_count * sizeof *fetch->again);
    fetch->count = fetch->again_count;
    fetch->again_count = fetch->taken = fetch->asked = 0;
    fetch->forced = true;
    return ask(fetch);
}

/* A part of what has been put together. */
static struct shw_pixels_part *make_part(struct served_fetch *fetch)
{
    const struct served_origin *origin = fetch->origin;
    struct shw_input inputs[SHW_INPUTS_MAX];
    struct served_memory *memory = fetch->memory;
    struct shw_pixels_part *part;

    for (uint32_t i = 0; i < origin->input_count; i++) {
        inputs[i] = origin->inputs[i];
        inputs[i].image.pixels = memory->pixels[i];
        inputs[i].image.width = width_of(fetch->rect);
        inputs[i].image.height = height_of(fetch->rect);
    }
    fetch->memory = NULL;
    part = shw_pixels_part_lend(&(struct shw_inputs){origin->input_count, inputs}, memory, release_memory);
    if (part != NULL)
        part->rect = fetch->rect;
    return part;
}

static enum shw_result read_pixels(void *user, struct shw_rect rect, const struct shw_log *log,
                                   struct shw_pixels_part **part)
{
    struct served_origin *origin = user;
    const uint64_t across = shw_squares_across(width_of(rect)) + 1u, down = shw_squares_across(height_of(rect)) + 1u;
    struct served_fetch fetch = {.origin = origin,
                                 .rect = rect,
                                 .squares = calloc(across * down, sizeof *fetch.squares),
                                 .again = calloc(across * down, sizeof *fetch.again)};
    enum shw_result result = SHW_OK;

    if (origin->digests == NULL)
        origin->digests = calloc((size_t)shw_squares_across(origin->width) * shw_squares_across(origin->height),
                                 sizeof *origin->digests);
    if (fetch.squares == NULL || fetch.again == NULL || origin->digests == NULL)
        result = shw_fail_memory(log, "pixels");
    origin->session->fetching = &fetch;
    if (result == SHW_OK)
        result = fetch_all(&fetch);
    origin->session->fetching = NULL;
    if (result == SHW_OK) {
        *part = make_part(&fetch);
        result = *part != NULL ? SHW_OK : shw_fail_memory(log, "pixels");
    }
    if (fetch.memory != NULL)
        release_memory(fetch.memory);
    free(fetch.squares);
    free(fetch.again);
    return result;
}

static void release_origin(void *user)
{
    struct served_origin *origin = user;

    free(origin->digests);
    free(origin);
}

struct shw_pixels *shw_served_pixels_create(struct shw_session *session, uint32_t number, uint32_t width,
                                            uint32_t height, struct served_origin **origin)
{
    const struct shw_pixels_source source = {
        .read = read_pixels, .release = release_origin, .width = width, .height = height};
    struct shw_pixels_source made = source;
    struct served_origin *own = calloc(1, sizeof *own);

    if (own == NULL)
        return NULL;
    *own = (struct served_origin){.session = session, .number = number, .width = width, .height = height};
    made.user = own;
    *origin = own;
    return shw_pixels_from_source(&made);
}
