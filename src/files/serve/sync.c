#include "files/serve/sync.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/image.h"
#include "base/log.h"
#include "files/project/project_texts.h"

#define LABELS_BYTES (512u << 10) /* of one message, about */
#define BLOCK_PIXELS (SHW_TOP_STROKES_SIDE * SHW_TOP_STROKES_SIDE)
#define BLOCK_BYTES  (BLOCK_PIXELS * 10u + 10u) /* at most */

struct sending {
    struct shw_sync *sync;
    struct shw_link *link;
    const struct shw_training_set *set;
    const struct shw_patience *patience;
};

static enum shw_result send(const struct sending *sending, enum shw_message_type type, const struct shw_pack *pack)
{
    return pack->failed ? shw_fail_memory(&sending->set->log, "a message")
                        : shw_link_send(sending->link, type, 0, pack->bytes, pack->size, false, sending->patience);
}

/* Settings. */

static void pack_settings(const struct shw_training_set *set, struct shw_pack *pack)
{
    const struct shw_project_training *training = &set->training;
    const uint32_t texts = shw_training_set_text_count(set);

    shw_pack_text(pack, training->channels);
    shw_pack_u32(pack, training->tree_count);
    shw_pack_u32(pack, training->depth);
    shw_pack_u32(pack, training->candidates);
    shw_pack_u32(pack, training->offset);
    shw_pack_u32(pack, training->smooth);
    shw_pack_u32(pack, training->levels);
    shw_pack_u64(pack, training->seed);
    shw_pack_u8(pack, set->notes != NULL);
    shw_pack_text(pack, set->notes != NULL ? set->notes : "");
    shw_pack_u32(pack, set->class_count);
    for (uint32_t c = 0; c < set->class_count; c++) {
        shw_pack_text(pack, set->classes[c].name);
        shw_pack_bytes(pack, set->classes[c].colour, 3);
    }
    shw_pack_u32(pack, texts);
    for (uint32_t t = 0; t < texts; t++) {
        const char *name, *text = shw_training_set_text(set, t, &name);

        shw_pack_text(pack, name);
        shw_pack_text(pack, text);
    }
}

static enum shw_result send_settings(const struct sending *sending)
{
    struct shw_pack *known = &sending->sync->settings, pack = {NULL, 0, 0, false};
    enum shw_result result = SHW_OK;

    pack_settings(sending->set, &pack);
    if (pack.failed || pack.size != known->size || memcmp(pack.bytes, known->bytes, pack.size) != 0)
        result = send(sending, SHW_MESSAGE_SETTINGS, &pack);
    if (result == SHW_OK) {
        free(known->bytes);
        *known = pack;
    } else {
        free(pack.bytes);
    }
    return result;
}

/* Pictures. */

/* Where a picture of that name is, or would be. */
static uint32_t place_of(const struct shw_sync *sync, const char *name, bool *found)
{
    uint32_t low = 0, high = sync->count;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (strcmp(sync->pictures[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *found = low < sync->count && strcmp(sync->pictures[low].name, name) == 0;
    return low;
}

/* A number that no picture has; the number of pictures is one. */
static uint32_t free_number(const struct shw_sync *sync)
{
    uint32_t number = sync->count;
    bool taken = true;

    for (uint32_t tried = 0; taken && tried <= sync->count; tried++) {
        number = tried == 0 ? sync->count : tried - 1;
        taken = false;
        for (uint32_t p = 0; p < sync->count && !taken; p++)
            taken = sync->pictures[p].number == number;
    }
    return number;
}

static void free_picture(struct synced_picture *picture)
{
    free(picture->name);
    shw_picture_labels_release(&picture->labels);
    shw_pixels_release(&picture->pixels);
}

static enum shw_result forget(const struct sending *sending, uint32_t place)
{
    struct shw_sync *sync = sending->sync;
    struct shw_pack pack = {NULL, 0, 0, false};
    enum shw_result result;

    shw_pack_u32(&pack, sync->pictures[place].number);
    result = sync->pictures[place].told ? send(sending, SHW_MESSAGE_FORGET, &pack) : SHW_OK;
    free(pack.bytes);
    if (result != SHW_OK)
        return result;
    free_picture(&sync->pictures[place]);
    memmove(sync->pictures + place, sync->pictures + place + 1, (sync->count - place - 1u) * sizeof *sync->pictures);
    sync->count--;
    return SHW_OK;
}

/* Notes a picture that the server is about to be told of. */
static enum shw_result add(const struct sending *sending, uint32_t place, const char *name)
{
    struct shw_sync *sync = sending->sync;
    struct synced_picture made = {.name = strdup(name), .number = free_number(sync), .doubtful = true};

    if (made.name == NULL || !SHW_RESERVE(sync->pictures, sync->capacity, sync->count + (size_t)1)) {
        free(made.name);
        return shw_fail_memory(&sending->set->log, name);
    }
    memmove(sync->pictures + place + 1, sync->pictures + place, (sync->count - place) * sizeof *sync->pictures);
    sync->pictures[place] = made;
    sync->count++;
    return SHW_OK;
}

static enum shw_result send_picture(const struct sending *sending, struct synced_picture *picture,
                                    const struct shw_taught_picture *taught, bool kept)
{
    struct shw_pack pack = {NULL, 0, 0, false};
    enum shw_result result;

    if (picture->pixels == taught->pixels && picture->kept == kept)
        return SHW_OK;
    if (picture->pixels != taught->pixels) {
        shw_pixels_release(&picture->pixels);
        picture->pixels = shw_pixels_share(taught->pixels);
        picture->generation = ++sending->sync->generation;
    }
    picture->width = taught->width;
    picture->height = taught->height;
    picture->kept = kept;
    shw_pack_u32(&pack, picture->number);
    shw_pack_u32(&pack, picture->width);
    shw_pack_u32(&pack, picture->height);
    shw_pack_u8(&pack, kept);
    shw_pack_u32(&pack, picture->generation);
    shw_pack_text(&pack, picture->name);
    result = send(sending, SHW_MESSAGE_PICTURE, &pack);
    free(pack.bytes);
    picture->told = picture->told || result == SHW_OK;
    picture->doubtful = picture->doubtful || result != SHW_OK;
    return result;
}

/* Labels. */

static enum shw_result send_strokes(const struct sending *sending, const struct synced_picture *picture,
                                    const struct shw_picture_labels *labels)
{
    const struct shw_picture_labels *known = picture->labels;
    const uint32_t both = known == NULL                                ? 0
                          : known->stroke_count < labels->stroke_count ? known->stroke_count
                                                                       : labels->stroke_count;
    const uint32_t most = (shw_message_find(SHW_MESSAGE_STROKES)->most - 8) / 2;
    uint32_t keep = 0;
    enum shw_result result = SHW_OK;

    while (keep < both && known->values[keep + 1] == labels->values[keep + 1])
        keep++;
    if (known != NULL && keep == labels->stroke_count && keep == known->stroke_count)
        return SHW_OK;
    do {
        const uint32_t left = labels->stroke_count - keep, count = left < most ? left : most;
        struct shw_pack pack = {NULL, 0, 0, false};

        shw_pack_u32(&pack, picture->number);
        shw_pack_u32(&pack, keep);
        for (uint32_t s = 0; s < count; s++)
            shw_pack_u16(&pack, labels->values[keep + s + 1]);
        result = send(sending, SHW_MESSAGE_STROKES, &pack);
        free(pack.bytes);
        keep += count;
    } while (result == SHW_OK && keep < labels->stroke_count);
    return result;
}

static void pack_block(struct shw_pack *pack, uint32_t number, const struct shw_top_strokes_block *block)
{
    uint32_t from = 0;

    shw_pack_varint(pack, number);
    while (block != NULL && from < BLOCK_PIXELS) {
        uint32_t to = from + 1;

        while (to < BLOCK_PIXELS && block->strokes[to] == block->strokes[from])
            to++;
        shw_pack_varint(pack, to - from);
        shw_pack_varint(pack, block->strokes[from]);
        from = to;
    }
    if (block == NULL) {
        shw_pack_varint(pack, BLOCK_PIXELS);
        shw_pack_varint(pack, 0);
    }
}

/* The blocks that are not those that the server knows: blocks are never changed while they are shared. */
static enum shw_result send_blocks(const struct sending *sending, const struct synced_picture *picture,
                                   const struct shw_picture_labels *labels)
{
    const struct shw_top_strokes *now = &labels->top, *known = picture->labels != NULL ? &picture->labels->top : NULL;
    struct shw_pack pack = {NULL, 0, 0, false};
    enum shw_result result = SHW_OK;

    shw_pack_u32(&pack, picture->number);
    for (uint32_t row = 0; row < now->rows && result == SHW_OK; row++)
        for (uint32_t column = 0; column < now->columns && result == SHW_OK; column++) {
            const struct shw_top_strokes_block *block = shw_top_strokes_block(now, column, row);

            if (block == (known != NULL ? shw_top_strokes_block(known, column, row) : NULL))
                continue;
            pack_block(&pack, row * now->columns + column, block);
            if (pack.size + BLOCK_BYTES <= LABELS_BYTES)
                continue;
            result = send(sending, SHW_MESSAGE_LABELS, &pack);
            pack.size = 4;
        }
    if (result == SHW_OK && pack.size > 4)
        result = send(sending, SHW_MESSAGE_LABELS, &pack);
    free(pack.bytes);
    return result;
}

static enum shw_result send_labels(const struct sending *sending, struct synced_picture *picture,
                                   const struct shw_taught_picture *taught)
{
    if (picture->labels == taught->labels)
        return SHW_OK;
    picture->doubtful = true; /* until all is sent */
    SHW_PROPAGATE(send_strokes(sending, picture, taught->labels));
    SHW_PROPAGATE(send_blocks(sending, picture, taught->labels));
    shw_picture_labels_release(&picture->labels);
    picture->labels = shw_picture_labels_share(taught->labels);
    picture->doubtful = false;
    return SHW_OK;
}

static enum shw_result send_taught(const struct sending *sending, const struct shw_taught_picture *taught, bool kept)
{
    struct shw_sync *sync = sending->sync;
    const struct synced_picture *known;
    bool found;
    uint32_t place = place_of(sync, taught->name, &found);

    known = found ? &sync->pictures[place] : NULL;
    if (found && (known->doubtful || known->width != taught->width || known->height != taught->height)) {
        SHW_PROPAGATE(forget(sending, place));
        found = false;
    }
    if (!found)
        SHW_PROPAGATE(add(sending, place, taught->name));
    sync->pictures[place].wanted = true;
    SHW_PROPAGATE(send_picture(sending, &sync->pictures[place], taught, kept));
    return send_labels(sending, &sync->pictures[place], taught);
}

enum shw_result shw_sync_send(struct shw_sync *sync, struct shw_link *link, const struct shw_training_set *set,
                              const struct shw_patience *patience)
{
    const struct sending sending = {sync, link, set, patience};

    SHW_PROPAGATE(send_settings(&sending));
    for (uint32_t p = 0; p < sync->count; p++)
        sync->pictures[p].wanted = false;
    for (uint32_t p = 0; p < set->picture_count + set->kept_count; p++) {
        bool found;
        const uint32_t place = place_of(sync, set->pictures[p].name, &found);

        if (found)
            sync->pictures[place].wanted = true;
    }
    for (uint32_t p = sync->count; p-- > 0;)
        if (!sync->pictures[p].wanted)
            SHW_PROPAGATE(forget(&sending, p));
    for (uint32_t p = 0; p < set->picture_count + set->kept_count; p++)
        SHW_PROPAGATE(send_taught(&sending, &set->pictures[p], p >= set->picture_count));
    return SHW_OK;
}

/* Pixels. */

/* The whole picture, of which one at a time stays in memory. */
static enum shw_result need_whole(struct shw_sync *sync, const struct synced_picture *picture,
                                  const struct shw_log *log)
{
    const struct shw_image *image;

    if (sync->read != picture->pixels) {
        shw_pixels_part_release(&sync->whole);
        shw_pixels_release(&sync->read);
        SHW_PROPAGATE(shw_pixels_take(picture->pixels, log, &sync->whole));
        sync->read = shw_pixels_share(picture->pixels);
    }
    image = &sync->whole->input[0].image;
    if (image->width == picture->width && image->height == picture->height)
        return SHW_OK;
    return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "%s is %u x %u, but was painted on at %u x %u",
                    picture->name, image->width, image->height, picture->width, picture->height);
}

static void pack_inputs(struct shw_pack *pack, uint32_t number, const struct shw_inputs *inputs)
{
    shw_pack_u32(pack, number);
    shw_pack_u32(pack, inputs->count);
    for (uint32_t i = 0; i < inputs->count; i++) {
        const struct shw_input *input = &inputs->inputs[i];

        shw_pack_text(pack, input->name != NULL ? input->name : SHW_COLOUR);
        shw_pack_u32(pack, input->image.format);
        shw_pack_u32(pack, input->depth.kind);
        shw_pack_f32(pack, input->depth.unit);
        shw_pack_f32(pack, input->depth.near_plane);
        shw_pack_f32(pack, input->depth.far_plane);
    }
}

static void pack_pixels(struct shw_pack *pack, const struct shw_inputs *inputs, struct shw_rect rect)
{
    for (uint32_t i = 0; i < inputs->count; i++) {
        const struct shw_image *image = &inputs->inputs[i].image;
        const size_t size = shw_pixel_size(image->format), stride = shw_image_stride(image);

        for (int32_t y = rect.y0; y < rect.y1; y++)
            shw_pack_bytes(pack, (const uint8_t *)image->pixels + (size_t)y * stride + (size_t)rect.x0 * size,
                           (size_t)(rect.x1 - rect.x0) * size);
    }
}

#define SQUARE_HEAD 24u /* bytes before the pixels */

static void put_u64(uint8_t *place, uint64_t number)
{
    shw_put_u32(place, (uint32_t)number);
    shw_put_u32(place + 4, (uint32_t)(number >> 32));
}

static enum shw_result send_square(struct shw_sync *sync, struct shw_link *link, const struct shw_message *want,
                                   const struct synced_picture *picture, uint32_t square, bool forced,
                                   const struct shw_patience *patience)
{
    const struct shw_rect rect = shw_square_rect(square, picture->width, picture->height);
    struct shw_pack pack = {NULL, 0, 0, false};
    struct shw_square_digest digest;
    bool known = false;
    enum shw_result result = SHW_ERROR_MEMORY;

    shw_pack_u32(&pack, picture->number);
    shw_pack_u32(&pack, square);
    shw_pack_u64(&pack, 0); /* for the digest */
    shw_pack_u64(&pack, 0);
    pack_pixels(&pack, &sync->whole->inputs, rect);
    if (!pack.failed) {
        digest = shw_square_digest_of(pack.bytes + SQUARE_HEAD, pack.size - SQUARE_HEAD);
        put_u64(pack.bytes + 8, digest.low);
        put_u64(pack.bytes + 16, digest.high);
        known = shw_squares_find(&sync->sent, digest) != NULL;
        result = shw_link_send(link, SHW_MESSAGE_PIXELS, want->request, pack.bytes,
                               known && !forced ? SQUARE_HEAD : pack.size, false, patience);
    }
    if (result == SHW_OK && !known && !shw_squares_add(&sync->sent, digest, NULL, 0))
        result = SHW_ERROR_MEMORY;
    free(pack.bytes);
    return result;
}

enum shw_result shw_sync_answer(struct shw_sync *sync, struct shw_link *link, const struct shw_message *want,
                                const struct shw_log *log, const struct shw_patience *patience)
{
    struct shw_unpack unpack = {want->contents, want->length, false};
    const uint32_t number = shw_unpack_u32(&unpack), flags = shw_unpack_u32(&unpack);
    const struct synced_picture *picture = NULL;
    enum shw_result result = SHW_OK;

    for (uint32_t p = 0; p < sync->count && picture == NULL; p++)
        if (sync->pictures[p].number == number)
            picture = &sync->pictures[p];
    if (picture == NULL || unpack.left % 4 != 0)
        return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_PROJECT, "the trainer asks for a picture that there is not");
    SHW_PROPAGATE(need_whole(sync, picture, log));
    if ((flags & SHW_WANT_INPUTS) != 0) {
        struct shw_pack pack = {NULL, 0, 0, false};

        pack_inputs(&pack, number, &sync->whole->inputs);
        result = pack.failed
                     ? SHW_ERROR_MEMORY
                     : shw_link_send(link, SHW_MESSAGE_INPUTS, want->request, pack.bytes, pack.size, false, patience);
        free(pack.bytes);
    }
    while (result == SHW_OK && unpack.left > 0) {
        const uint32_t square = shw_unpack_u32(&unpack);
        const struct shw_rect rect = shw_square_rect(square, picture->width, picture->height);

        if (rect.x0 >= rect.x1)
            return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_PROJECT, "the trainer asks for pixels outside %s",
                            picture->name);
        if (patience->go_on != NULL && !patience->go_on(patience->user))
            return SHW_ERROR_CANCELLED;
        result = send_square(sync, link, want, picture, square, (flags & SHW_WANT_PIXELS) != 0, patience);
    }
    return result;
}

void shw_sync_free(struct shw_sync *sync)
{
    for (uint32_t p = 0; p < sync->count; p++)
        free_picture(&sync->pictures[p]);
    free(sync->pictures);
    free(sync->settings.bytes);
    shw_squares_free(&sync->sent);
    shw_pixels_part_release(&sync->whole);
    shw_pixels_release(&sync->read);
    *sync = (struct shw_sync){.count = 0};
}
