#include "source/thumbnails.h"

#include <stdlib.h>
#include <string.h>

#include "base/image.h"
#include "base/log.h"
#include "job/job.h"
#include "source/reader.h"
#include "source/spec.h"

#define KEPT    512u /* thumbnails, of which each has about 3.6 KB */
#define WANTED  32u  /* at once, more than are seen */
#define SAMPLES 6u   /* in each direction, of the pixels that one of a thumbnail stands for */

static uint8_t narrow(uint16_t sample, const struct view_display_range *range)
{
    if (sample <= range->low)
        return 0;
    if (sample >= range->high)
        return 255;
    return (uint8_t)((sample - range->low) * 255u / (uint32_t)(range->high - range->low));
}

/* The colour of a pixel, as it is shown. */
static void read_pixel(const struct view_picture *picture, uint32_t x, uint32_t y, uint8_t colour[3])
{
    const struct shw_image *image = &picture->image;
    const size_t size = shw_pixel_size(image->format),
                 stride = image->stride != 0 ? image->stride : image->width * size;
    const uint8_t *pixel = (const uint8_t *)image->pixels + y * stride + x * size;
    const bool wide = shw_pixel_is_wide(image->format);
    const bool grey = size == (wide ? 2u : 1u);

    for (size_t c = 0; c < 3; c++) {
        const size_t part = grey ? 0 : c;
        uint16_t sample;

        if (wide) {
            memcpy(&sample, pixel + 2 * part, sizeof sample);
            colour[c] = narrow(sample, &picture->range);
        } else {
            colour[c] = pixel[part];
        }
    }
}

/* The mean of some of the pixels from one place to another. */
static void average(const struct view_picture *picture, const uint32_t from[2], const uint32_t to[2], uint8_t mean[3])
{
    const uint32_t width = to[0] > from[0] ? to[0] - from[0] : 1, height = to[1] > from[1] ? to[1] - from[1] : 1;
    const uint32_t across = width < SAMPLES ? width : SAMPLES, down = height < SAMPLES ? height : SAMPLES;
    uint32_t sum[3] = {0};

    for (uint32_t v = 0; v < down; v++)
        for (uint32_t u = 0; u < across; u++) {
            uint8_t colour[3];
            read_pixel(picture, from[0] + (uint32_t)((uint64_t)width * u / across),
                       from[1] + (uint32_t)((uint64_t)height * v / down), colour);
            for (int c = 0; c < 3; c++)
                sum[c] += colour[c];
        }
    for (int c = 0; c < 3; c++)
        mean[c] = (uint8_t)((sum[c] + across * down / 2) / (across * down));
}

void view_picture_fit(const struct view_picture *picture, uint32_t size[2])
{
    const uint64_t width = picture->image.width, height = picture->image.height;
    const bool wide = width * size[1] > height * size[0];
    uint64_t across = wide ? size[0] : width * size[1] / height;
    uint64_t down = wide ? height * size[0] / width : size[1];

    across = across < 1 ? 1 : across > width ? width : across;
    down = down < 1 ? 1 : down > height ? height : down;
    size[0] = (uint32_t)across;
    size[1] = (uint32_t)down;
}

void view_picture_shrink(const struct view_picture *picture, const uint32_t size[2], uint8_t (*colours)[3])
{
    const uint64_t width = picture->image.width, height = picture->image.height, across = size[0], down = size[1];

    for (uint64_t y = 0; y < down; y++)
        for (uint64_t x = 0; x < across; x++)
            average(picture, (uint32_t[]){(uint32_t)(x * width / across), (uint32_t)(y * height / down)},
                    (uint32_t[]){(uint32_t)((x + 1) * width / across), (uint32_t)((y + 1) * height / down)},
                    colours[y * across + x]);
}

void view_thumbnail_make(const struct view_picture *picture, struct view_thumbnail *thumbnail)
{
    uint32_t size[2] = {VIEW_THUMBNAIL_WIDTH, VIEW_THUMBNAIL_HEIGHT};

    view_picture_fit(picture, size);
    view_picture_shrink(picture, size, thumbnail->pixels);
    thumbnail->width = size[0];
    thumbnail->height = size[1];
}

/* One that is kept, or is being made. */
struct kept {
    uint32_t entry;
    uint64_t asked; /* number of the last question for it */
    struct view_thumbnail thumbnail;
};

struct view_thumbnails {
    struct view_job job;
    struct shw_log log; /* says nothing: whoever shows a picture says why that is not possible */
    char *spec;         /* opens the source again */
    struct view_other_inputs others;
    struct view_choice choice;
    uint64_t opened; /* the player's source */
    uint32_t count;
    struct shw_image_choice chosen; /* how its pictures were read */
    struct view_spec opened_spec;   /* on the thread, like the reader */
    struct view_reader reader;
    bool is_open, cannot_open;

    struct kept *kept;
    uint32_t kept_count;
    uint64_t questions;
    uint64_t renewed; /* number of the last picture that was compared */
    uint32_t wanted[WANTED];
    uint32_t wanted_count;

    struct kept *made; /* [made_count], by the piece in progress, which has as many to make */
    uint32_t made_count, done;
    bool busy;
};

static enum shw_result open_reader(struct view_thumbnails *thumbnails)
{
    struct view_spec *spec = &thumbnails->opened_spec;
    struct view_files_params files = {.others = &thumbnails->others,
                                      .choice = &thumbnails->choice,
                                      .stop = &thumbnails->job.stop,
                                      .log = &thumbnails->log};

    SHW_PROPAGATE(view_spec_find(thumbnails->spec, &thumbnails->log, spec));
    files.pages = spec->pages;
    if (spec->kind == VIEW_SOURCE_IMAGE || spec->kind == VIEW_SOURCE_FOLDER) {
        SHW_PROPAGATE(view_read_files(&spec->paths, &files, &thumbnails->reader));
    } else if (spec->kind == VIEW_SOURCE_DATASET) {
        spec->dataset.log = thumbnails->log;
        SHW_PROPAGATE(view_read_dataset(&spec->dataset, &files, &thumbnails->reader));
    } else {
        return SHW_ERROR_UNSUPPORTED;
    }
    thumbnails->is_open = true;
    return thumbnails->reader.count == thumbnails->count ? SHW_OK : SHW_ERROR_IO; /* it has other pictures by now */
}

static enum shw_result work(void *user)
{
    struct view_thumbnails *thumbnails = user;

    if (!thumbnails->is_open && !thumbnails->cannot_open)
        thumbnails->cannot_open = open_reader(thumbnails) != SHW_OK;
    for (uint32_t i = 0; i < thumbnails->made_count && !view_job_is_stopped(&thumbnails->job); i++) {
        struct kept *made = &thumbnails->made[i];
        struct view_picture *picture = NULL;

        if (!thumbnails->cannot_open)
            picture = thumbnails->reader.one(thumbnails->reader.user, made->entry);
        if (picture != NULL) {
            (void)view_display_range_find(&picture->image, VIEW_DISPLAY_CUT, &picture->range); /* or the full one */
            view_thumbnail_make(picture, &made->thumbnail);
        }
        view_picture_free(picture);
        if (picture != NULL || !view_job_is_stopped(&thumbnails->job)) /* otherwise reading was given up */
            thumbnails->done = i + 1;
    }
    return SHW_OK;
}

void view_thumbnails_free(struct view_thumbnails **handle)
{
    struct view_thumbnails *thumbnails = *handle;

    *handle = NULL;
    if (thumbnails == NULL)
        return;
    view_job_free(&thumbnails->job);
    if (thumbnails->reader.close != NULL)
        thumbnails->reader.close(thumbnails->reader.user);
    view_spec_free(&thumbnails->opened_spec);
    view_choice_destroy(&thumbnails->choice);
    free(thumbnails->spec);
    free(thumbnails->kept);
    free(thumbnails->made);
    free(thumbnails);
}

static struct view_thumbnails *create(const struct view_player *player, uint32_t count)
{
    static const struct view_job_kind kind = {"small copies of pictures", SHW_PRIORITY_BACKGROUND, work, NULL};
    struct view_thumbnails *made = calloc(1, sizeof *made);

    if (made == NULL)
        return NULL;
    made->chosen = view_player_get_choice(player);
    made->opened = player->opened;
    made->count = count;
    view_job_init(&made->job, &kind, made);
    view_choice_init(&made->choice, &made->chosen);
    made->spec = view_source_spec(player->source);
    made->kept = calloc(KEPT, sizeof *made->kept);
    made->made = calloc(WANTED, sizeof *made->made);
    if (made->spec == NULL || made->kept == NULL || made->made == NULL)
        view_thumbnails_free(&made);
    return made;
}

/* Whether they are of the player's source, read as it is now. */
static bool are_current(const struct view_thumbnails *thumbnails, const struct view_player *player)
{
    const struct shw_image_choice choice = view_player_get_choice(player);

    return thumbnails->opened == player->opened && shw_image_choice_equal(&thumbnails->chosen, &choice);
}

static struct kept *find(struct view_thumbnails *thumbnails, uint32_t entry)
{
    for (uint32_t i = 0; i < thumbnails->kept_count; i++)
        if (thumbnails->kept[i].entry == entry)
            return &thumbnails->kept[i];
    return NULL;
}

const struct view_thumbnail *view_thumbnails_get(struct view_thumbnails **handle, const struct view_player *player,
                                                 uint32_t entry)
{
    const struct view_source_info info = view_player_info(player);
    struct view_thumbnails *thumbnails = *handle;
    struct kept *kept;

    if (info.state != VIEW_SOURCE_READY || entry >= info.count || info.pending)
        return NULL;
    if (thumbnails != NULL && !are_current(thumbnails, player))
        view_thumbnails_free(handle);
    if (*handle == NULL)
        *handle = create(player, info.count);
    thumbnails = *handle;
    if (thumbnails == NULL)
        return NULL;
    kept = find(thumbnails, entry);
    if (kept != NULL) {
        kept->asked = ++thumbnails->questions;
        return &kept->thumbnail;
    }
    if (thumbnails->wanted_count < WANTED)
        thumbnails->wanted[thumbnails->wanted_count++] = entry;
    return NULL;
}

/* Keeps one, in the place of that which nobody has asked for longest. */
static void keep(struct view_thumbnails *thumbnails, const struct kept *made)
{
    struct kept *place = thumbnails->kept;

    if (thumbnails->kept_count < KEPT) {
        place = &thumbnails->kept[thumbnails->kept_count++];
    } else {
        for (uint32_t i = 1; i < KEPT; i++)
            if (thumbnails->kept[i].asked < place->asked)
                place = &thumbnails->kept[i];
    }
    *place = *made;
    place->asked = ++thumbnails->questions;
}

static bool take(struct view_thumbnails *thumbnails)
{
    if (!thumbnails->busy || !view_job_is_done(&thumbnails->job))
        return false;
    view_job_take(&thumbnails->job);
    thumbnails->busy = false;
    for (uint32_t i = 0; i < thumbnails->done; i++)
        keep(thumbnails, &thumbnails->made[i]);
    return thumbnails->done > 0;
}

bool view_thumbnails_poll(struct view_thumbnails *thumbnails)
{
    bool changed;

    if (thumbnails == NULL)
        return false;
    changed = take(thumbnails);
    if (!thumbnails->busy && thumbnails->wanted_count > 0) {
        thumbnails->made_count = thumbnails->done = 0;
        for (uint32_t i = 0; i < thumbnails->wanted_count; i++)
            if (find(thumbnails, thumbnails->wanted[i]) == NULL)
                thumbnails->made[thumbnails->made_count++] = (struct kept){.entry = thumbnails->wanted[i]};
        thumbnails->busy = thumbnails->made_count > 0 && view_job_begin(&thumbnails->job, &thumbnails->log) == SHW_OK;
    }
    thumbnails->wanted_count = 0;
    return changed;
}

bool view_thumbnails_renew(struct view_thumbnails *thumbnails, const struct view_player *player,
                           const struct view_picture *shown)
{
    const struct view_source_info info = view_player_info(player);
    const char *name = thumbnails != NULL ? view_source_name(player->source, info.index) : NULL;
    struct view_thumbnail made = {0};
    struct kept *kept;

    if (name == NULL || shown == NULL || shown->name == NULL || shown->number == thumbnails->renewed || info.playing ||
        info.pending || strcmp(name, shown->name) != 0 || !are_current(thumbnails, player))
        return false;
    kept = find(thumbnails, info.index);
    if (kept == NULL)
        return false;
    thumbnails->renewed = shown->number;
    view_thumbnail_make(shown, &made);
    if (made.width == kept->thumbnail.width && made.height == kept->thumbnail.height &&
        memcmp(made.pixels, kept->thumbnail.pixels, (size_t)made.width * made.height * 3) == 0)
        return false;
    kept->thumbnail = made;
    return true;
}

bool view_thumbnails_are_busy(const struct view_thumbnails *thumbnails)
{
    return thumbnails != NULL && thumbnails->busy;
}
