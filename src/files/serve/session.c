#include "files/serve/session.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/class.h"
#include "base/log.h"
#include "files/code/code.h"
#include "files/code/text.h"
#include "files/project/project_texts.h"
#include "files/serve/pack.h"
#include "files/serve/session_state.h"

#define NOTES_MAX     (1u << 20)
#define TEXT_NAME_MAX 4096u

static enum shw_result refuse(const struct shw_session *session, const struct shw_message *message, const char *why)
{
    return shw_fail(&session->params.log, SHW_ERROR_FORMAT, SHW_LOG_PROJECT, "a message %s is not valid: %s",
                    shw_message_find((uint32_t)message->type)->name, why);
}

/* Counts bytes that stay. */
static enum shw_result count(struct shw_session *session, uint64_t bytes)
{
    session->bytes += bytes;
    if (session->bytes <= session->params.labels_max)
        return SHW_OK;
    return shw_fail(&session->params.log, SHW_ERROR_LIMIT, SHW_LOG_PROJECT,
                    "the labels need more than the %llu MiB that --memory leaves for them",
                    (unsigned long long)(session->params.labels_max >> 20));
}

enum shw_result shw_session_create(const struct shw_session_params *params, struct shw_session **session)
{
    struct shw_session *made = calloc(1, sizeof *made);

    if (made == NULL)
        return shw_fail_memory(&params->log, "the connection");
    made->params = *params;
    made->cache.limit = params->cache_max;
    made->pictures = calloc(SHW_SESSION_PICTURES_MAX, sizeof(struct served_picture *));
    if (made->pictures == NULL) {
        free(made);
        return shw_fail_memory(&params->log, "the connection");
    }
    *session = made;
    return SHW_OK;
}

/* Settings. */

static void free_settings(struct served_settings *settings)
{
    for (uint32_t c = 0; c < settings->class_count; c++)
        free((char *)(uintptr_t)settings->classes[c].name);
    for (uint32_t t = 0; t < settings->text_count; t++)
        shw_code_let_go(&settings->texts[t]);
    free(settings->classes);
    free(settings->notes);
    *settings = (struct served_settings){.given = false};
}

static void read_training(struct shw_unpack *unpack, struct shw_project_training *training)
{
    char *channels = shw_unpack_text(unpack, sizeof training->channels - 1);

    if (channels != NULL)
        strcpy(training->channels, channels);
    free(channels);
    training->tree_count = shw_unpack_u32(unpack);
    training->depth = shw_unpack_u32(unpack);
    training->candidates = shw_unpack_u32(unpack);
    training->offset = shw_unpack_u32(unpack);
    training->smooth = shw_unpack_u32(unpack);
    training->levels = shw_unpack_u32(unpack);
    training->seed = shw_unpack_u64(unpack);
}

static void read_notes(struct shw_unpack *unpack, struct served_settings *settings)
{
    const uint8_t given = shw_unpack_u8(unpack);
    char *notes = shw_unpack_text(unpack, NOTES_MAX);

    unpack->failed = unpack->failed || given > 1 || (given == 0 && *notes != '\0');
    if (given == 1)
        settings->notes = notes;
    else
        free(notes);
}

/* Returns what is wrong, or NULL. */
static const char *read_classes(struct shw_unpack *unpack, struct served_settings *settings)
{
    const uint32_t count = shw_unpack_u32(unpack);

    if (count < 1 || count > SHW_PROJECT_CLASSES_MAX)
        return "there can be 1 to 1024 classes";
    settings->classes = calloc(count, sizeof *settings->classes);
    while (settings->classes != NULL && settings->class_count < count && !unpack->failed) {
        struct shw_class *class = &settings->classes[settings->class_count++];

        class->name = shw_unpack_text(unpack, SHW_CLASS_NAME_MAX);
        for (unsigned i = 0; i < 3; i++)
            class->colour[i] = shw_unpack_u8(unpack);
        if (!shw_class_name_is_valid(class->name))
            return "the name of a class cannot be stored";
    }
    return settings->classes == NULL ? "not enough memory" : NULL;
}

/* Texts are compiled here: they are programs of the user who has started this one. If that fails, the next request
 * does. */
static void read_texts(const struct shw_session *session, struct shw_unpack *unpack, struct served_settings *settings)
{
    const uint32_t count = shw_unpack_u32(unpack);

    if (count > SHW_PROJECT_TEXTS_MAX)
        unpack->failed = true;
    settings->refused = count > 0 && !session->params.trusts_code;
    for (uint32_t t = 0; t < count && !unpack->failed; t++) {
        char *name = shw_unpack_text(unpack, TEXT_NAME_MAX), *text = shw_unpack_text(unpack, SHW_CODE_SIZE_MAX);

        if (!unpack->failed && !settings->refused && settings->failed == SHW_OK) {
            settings->failed = shw_code_make(name, text, strlen(text), SHW_CODE_RUN, &session->params.log,
                                             &settings->texts[settings->text_count]);
            settings->text_count += settings->failed == SHW_OK;
        }
        free(name);
        free(text);
    }
}

static enum shw_result take_settings(struct shw_session *session, const struct shw_message *message)
{
    struct shw_unpack unpack = {message->contents, message->length, false};
    struct served_settings settings = {.given = true};
    const char *why;

    read_training(&unpack, &settings.training);
    read_notes(&unpack, &settings);
    why = unpack.failed ? "it is too short" : read_classes(&unpack, &settings);
    if (why == NULL)
        read_texts(session, &unpack, &settings);
    if (why == NULL && !shw_unpack_ended(&unpack))
        why = "it has another length than its contents";
    if (why != NULL) {
        free_settings(&settings);
        return refuse(session, message, why);
    }
    free_settings(&session->settings);
    session->settings = settings;
    return SHW_OK;
}

/* Pictures. */

static struct served_picture *find(struct shw_session *session, uint32_t number)
{
    return number < SHW_SESSION_PICTURES_MAX ? session->pictures[number] : NULL;
}

/* What a picture's labels take beside their blocks. */
static uint64_t table_bytes(const struct served_picture *picture)
{
    return (uint64_t)picture->top.columns * picture->top.rows * sizeof(void *) + sizeof *picture +
           (uint64_t)shw_squares_across(picture->width) * shw_squares_across(picture->height) *
               sizeof(struct shw_square_digest);
}

static void drop_labels(struct served_picture *picture)
{
    shw_picture_labels_release(&picture->labels);
}

static void clear_strokes(struct shw_session *session, struct served_picture *picture)
{
    session->bytes -= picture->bytes;
    picture->bytes = 0;
    drop_labels(picture);
    shw_top_strokes_free(&picture->top);
    free(picture->classes);
    picture->classes = NULL;
    picture->stroke_count = picture->stroke_capacity = 0;
}

static void forget(struct shw_session *session, uint32_t number)
{
    struct served_picture *picture = session->pictures[number];

    if (picture == NULL)
        return;
    clear_strokes(session, picture);
    shw_pixels_release(&picture->pixels);
    session->bytes -= picture->name_bytes;
    free(picture->name);
    free(picture);
    session->pictures[number] = NULL;
    session->picture_count--;
}

static bool is_name_taken(const struct shw_session *session, const char *name, uint32_t but)
{
    for (uint32_t p = 0; p < session->numbers_end; p++)
        if (p != but && session->pictures[p] != NULL && strcmp(session->pictures[p]->name, name) == 0)
            return true;
    return false;
}

static enum shw_result begin_picture(struct shw_session *session, struct served_picture *picture, uint32_t width,
                                     uint32_t height)
{
    clear_strokes(session, picture);
    picture->width = width;
    picture->height = height;
    picture->top = shw_top_strokes_make(width, height);
    picture->bytes = table_bytes(picture);
    return count(session, picture->bytes);
}

/* Its pixels are others than before, or new. */
static enum shw_result begin_pixels(struct shw_session *session, struct served_picture *picture, uint32_t number,
                                    uint32_t generation)
{
    shw_pixels_release(&picture->pixels);
    picture->pixels = shw_served_pixels_create(session, number, picture->width, picture->height, &picture->origin);
    picture->generation = generation;
    return picture->pixels != NULL ? SHW_OK : shw_fail_memory(&session->params.log, picture->name);
}

static enum shw_result take_picture(struct shw_session *session, const struct shw_message *message)
{
    struct shw_unpack unpack = {message->contents, message->length, false};
    const uint32_t number = shw_unpack_u32(&unpack), width = shw_unpack_u32(&unpack);
    const uint32_t height = shw_unpack_u32(&unpack);
    const uint8_t kept = shw_unpack_u8(&unpack);
    const uint32_t generation = shw_unpack_u32(&unpack);
    char *name = shw_unpack_text(&unpack, message->length);
    struct served_picture *picture;
    bool fresh, resized;

    if (!shw_unpack_ended(&unpack) || number >= SHW_SESSION_PICTURES_MAX || width < 1 || height < 1 ||
        width > SHW_SESSION_SIDE_MAX || height > SHW_SESSION_SIDE_MAX || kept > 1 || *name == '\0' ||
        is_name_taken(session, name, number)) {
        free(name);
        return refuse(session, message, "number, size, name or length");
    }
    picture = session->pictures[number];
    fresh = picture == NULL;
    if (fresh)
        picture = session->pictures[number] = calloc(1, sizeof *picture);
    if (picture == NULL) {
        free(name);
        return shw_fail_memory(&session->params.log, "a picture");
    }
    session->picture_count += fresh;
    session->numbers_end = number >= session->numbers_end ? number + 1 : session->numbers_end;
    free(picture->name);
    picture->name = name;
    session->bytes -= picture->name_bytes;
    picture->name_bytes = strlen(name) + 1;
    picture->kept = kept == 1;
    resized = fresh || picture->width != width || picture->height != height;
    SHW_PROPAGATE(count(session, picture->name_bytes));
    if (resized)
        SHW_PROPAGATE(begin_picture(session, picture, width, height));
    return resized || picture->generation != generation ? begin_pixels(session, picture, number, generation) : SHW_OK;
}

static enum shw_result take_strokes(struct shw_session *session, const struct shw_message *message)
{
    struct shw_unpack unpack = {message->contents, message->length, false};
    struct served_picture *picture = find(session, shw_unpack_u32(&unpack));
    const uint32_t keep = shw_unpack_u32(&unpack), more = (uint32_t)(unpack.left / 2);
    uint32_t before;

    if (picture == NULL || keep > picture->stroke_count || unpack.left % 2 != 0 || more > UINT32_MAX - 1 - keep)
        return refuse(session, message, "there is no such picture, or it has fewer strokes");
    drop_labels(picture);
    before = picture->stroke_capacity;
    if (!SHW_RESERVE(picture->classes, picture->stroke_capacity, keep + (size_t)more))
        return shw_fail_memory(&session->params.log, picture->name);
    picture->bytes += (uint64_t)(picture->stroke_capacity - before) * sizeof *picture->classes;
    SHW_PROPAGATE(count(session, (uint64_t)(picture->stroke_capacity - before) * sizeof *picture->classes));
    for (uint32_t s = 0; s < more; s++)
        picture->classes[keep + s] = shw_unpack_u16(&unpack);
    picture->stroke_count = keep + more;
    return SHW_OK;
}

/* The runs of a block. False: they are not valid. */
static bool read_runs(struct shw_unpack *unpack, uint32_t *strokes, uint32_t *labelled)
{
    const uint32_t all = SHW_TOP_STROKES_SIDE * SHW_TOP_STROKES_SIDE;
    uint32_t filled = 0;

    *labelled = 0;
    while (filled < all) {
        const uint32_t length = shw_unpack_varint(unpack), stroke = shw_unpack_varint(unpack);

        if (unpack->failed || length < 1 || length > all - filled)
            return false;
        for (uint32_t i = 0; i < length; i++)
            strokes[filled + i] = stroke;
        filled += length;
        *labelled += stroke > 0 ? length : 0;
    }
    return true;
}

/* Replaces a block. */
static enum shw_result put_block(struct shw_session *session, struct served_picture *picture, uint32_t number,
                                 const uint32_t *strokes, uint32_t labelled)
{
    const uint32_t side = SHW_TOP_STROKES_SIDE;
    const uint32_t x = number % picture->top.columns * side, y = number / picture->top.columns * side;
    const struct shw_rect rect = {(int32_t)x, (int32_t)y, (int32_t)(x + side), (int32_t)(y + side)};
    const bool was =
        shw_top_strokes_block(&picture->top, number % picture->top.columns, number / picture->top.columns) != NULL;
    struct shw_top_strokes_block *block;

    if (labelled == 0) {
        if (was) {
            shw_top_strokes_clear(&picture->top, shw_top_strokes_cover(&picture->top, rect));
            picture->bytes -= sizeof *block;
            session->bytes -= sizeof *block;
        }
        return SHW_OK;
    }
    if (!was) {
        picture->bytes += sizeof *block;
        SHW_PROPAGATE(count(session, sizeof *block));
    }
    block = shw_top_strokes_change(&picture->top, x, y);
    if (block == NULL)
        return shw_fail_memory(&session->params.log, picture->name);
    memcpy(block->strokes, strokes, sizeof block->strokes);
    block->count = labelled;
    return SHW_OK;
}

static enum shw_result take_labels(struct shw_session *session, const struct shw_message *message)
{
    struct shw_unpack unpack = {message->contents, message->length, false};
    struct served_picture *picture = find(session, shw_unpack_u32(&unpack));
    uint32_t strokes[SHW_TOP_STROKES_SIDE * SHW_TOP_STROKES_SIDE], labelled;

    if (picture == NULL)
        return refuse(session, message, "there is no such picture");
    drop_labels(picture);
    while (unpack.left > 0) {
        const uint32_t number = shw_unpack_varint(&unpack);

        if (unpack.failed || number >= (uint64_t)picture->top.columns * picture->top.rows ||
            !read_runs(&unpack, strokes, &labelled))
            return refuse(session, message, "a block is not in the picture, or has other than 4096 pixels");
        SHW_PROPAGATE(put_block(session, picture, number, strokes, labelled));
    }
    return SHW_OK;
}

enum shw_result shw_session_take(struct shw_session *session, const struct shw_message *message)
{
    uint32_t number;

    switch (message->type) {
    case SHW_MESSAGE_SETTINGS: return take_settings(session, message);
    case SHW_MESSAGE_PICTURE: return take_picture(session, message);
    case SHW_MESSAGE_STROKES: return take_strokes(session, message);
    case SHW_MESSAGE_LABELS: return take_labels(session, message);
    case SHW_MESSAGE_FORGET:
        number = shw_get_u32(message->contents);
        if (find(session, number) == NULL)
            return refuse(session, message, "there is no such picture");
        forget(session, number);
        return SHW_OK;
    default: return refuse(session, message, "it does not belong here");
    }
}

/* Training sets. */

static enum shw_result make_labels(struct shw_session *session, struct served_picture *picture)
{
    enum shw_result result = SHW_OK;

    if (picture->labels == NULL)
        result = shw_picture_labels_make(&picture->top, picture->classes, picture->stroke_count, &picture->labels);
    if (result == SHW_ERROR_MEMORY)
        return shw_fail_memory(&session->params.log, picture->name);
    return result == SHW_OK
               ? SHW_OK
               : shw_fail(&session->params.log, SHW_ERROR_FORMAT, SHW_LOG_PROJECT,
                          "%s has a labelled pixel outside, or of a stroke that there is not", picture->name);
}

static enum shw_result check_settings(const struct shw_session *session)
{
    const struct served_settings *settings = &session->settings;

    if (!settings->given)
        return shw_fail(&session->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_PROJECT, "there are no settings yet");
    if (settings->refused)
        return shw_fail(&session->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_PROJECT,
                        "the project brings code that this trainer does not run: start it with --trust-code");
    if (settings->failed != SHW_OK)
        return shw_fail(&session->params.log, settings->failed, SHW_LOG_PROJECT,
                        "the project brings code that cannot be compiled here");
    return SHW_OK;
}

enum shw_result shw_session_make_set(struct shw_session *session, struct shw_training_set **set)
{
    const struct served_settings *settings = &session->settings;
    struct shw_training_part *list = shw_zeros(session->picture_count, sizeof *list);
    struct shw_training_parts parts = {.training = settings->training,
                                       .texts = settings->texts,
                                       .text_count = settings->text_count,
                                       .notes = settings->notes,
                                       .classes = settings->classes,
                                       .class_count = settings->class_count,
                                       .pictures = list};
    enum shw_result result = list != NULL ? check_settings(session) : shw_fail_memory(&session->params.log, "strokes");

    for (uint32_t p = 0; p < session->numbers_end && result == SHW_OK; p++) {
        struct served_picture *picture = session->pictures[p];

        if (picture == NULL)
            continue;
        result = make_labels(session, picture);
        list[parts.picture_count++] =
            (struct shw_training_part){picture->name, picture->kept, picture->labels, picture->pixels};
    }
    if (result == SHW_OK)
        result = shw_training_set_build(&parts, &session->params.log, set);
    free(list);
    return result;
}

void shw_session_destroy(struct shw_session **session)
{
    struct shw_session *gone = session != NULL ? *session : NULL;

    if (gone == NULL)
        return;
    *session = NULL;
    for (uint32_t p = 0; p < gone->numbers_end; p++)
        forget(gone, p);
    free_settings(&gone->settings);
    shw_squares_free(&gone->cache);
    free(gone->pictures);
    free(gone);
}
