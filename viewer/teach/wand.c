#include "teach/wand.h"

#include "base/log.h"

static bool has_labels(const struct view_scene *scene)
{
    return scene->picture != NULL && scene->forest != NULL && view_labelling_has_labels(&scene->labelling);
}

static enum shw_result refuse(const struct view_scene *scene)
{
    return shw_fail(&scene->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                    "the wand needs labels, and none are shown yet: paint and train a forest, or load one");
}

enum shw_result view_wand_begin(struct view_wand *wand, struct view_scene *scene, uint32_t number,
                                struct shw_point pixel)
{
    const struct view_picture *picture = scene->picture;

    if (picture == NULL || pixel.x < 0 || pixel.y < 0 || pixel.x >= (int32_t)picture->image.width ||
        pixel.y >= (int32_t)picture->image.height)
        return shw_fail(&scene->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "the picture has no pixel %d %d", pixel.x,
                        pixel.y);
    if (!has_labels(scene))
        return refuse(scene);
    *wand = (struct view_wand){.wanted = true, .number = number, .pixel = pixel};
    return SHW_OK;
}

void view_wand_give_up(struct view_wand *wand)
{
    *wand = (struct view_wand){0};
}

bool view_wand_is_running(const struct view_wand *wand)
{
    return wand->wanted;
}

bool view_wand_needs_frames(const struct view_wand *wand)
{
    return wand->wanted && !wand->waits;
}

static uint16_t label_at(const void *user, uint32_t x, uint32_t y)
{
    const struct view_read_labels *read = user;

    return read->labels[(size_t)y * read->width + x];
}

/* The labels of a large picture, which are on the host. */
struct parted_labels {
    const struct view_parted *parted;
    bool *open; /* set when labels that are not exact have been looked at */
};

/* As fine as they are seen, where that is known. */
static uint16_t part_label_at(const void *user, uint32_t x, uint32_t y)
{
    const struct parted_labels *labels = user;
    const struct view_parted *parted = labels->parted;

    for (uint32_t l = parted->has_detail ? VIEW_LAYERS : 1; l > 0; l--) {
        const struct view_part_labels *layer = &parted->layers[l - 1];
        const struct shw_part *part = &layer->part;
        uint32_t i, j;

        if (!layer->known || x < part->x || y < part->y)
            continue;
        i = (x - part->x) / part->step;
        j = (y - part->y) / part->step;
        if (i < part->width && j < part->height && layer->argmax[(size_t)j * part->width + i] != VIEW_NO_LABEL) {
            *labels->open = *labels->open || !view_part_labels_is_exact(layer, i, j);
            return layer->argmax[(size_t)j * part->width + i];
        }
    }
    *labels->open = true;
    return VIEW_NO_LABEL;
}

static void warn(const struct view_scene *scene, const char *text)
{
    shw_log_message(&scene->log, SHW_LOG_WARNING, SHW_LOG_PROJECT, "the wand waits until %s", text);
}

/* Without exact labels the region would end where nothing is labelled yet. It waits for those of what is seen, and only
 * if it goes beyond that, for those of the whole picture. */
static enum shw_result poll_parts(struct view_wand *wand, const struct view_scene *scene, struct view_runs *runs,
                                  bool *found)
{
    const struct shw_image *image = &scene->picture->image;
    bool exact = wand->far ? view_scene_is_complete(scene) : view_scene_is_current(scene), open = false;
    const struct parted_labels labels = {&scene->labelling.parted, &open};
    const struct view_values values = {image->width, image->height, part_label_at, &labels};
    unsigned sides;
    enum shw_result result;

    if (!exact && !wand->waits)
        warn(scene, "what is seen is labelled");
    wand->waits = !exact;
    if (!exact)
        return SHW_OK;
    result = view_region_grow(&values, (uint32_t)wand->pixel.x, (uint32_t)wand->pixel.y, 0, runs, &sides);
    if (open && !wand->far) {
        warn(scene, "all of the picture is labelled: the region goes beyond what is seen");
        view_runs_free(runs);
        wand->far = wand->waits = true;
        return SHW_OK;
    }
    view_wand_give_up(wand);
    *found = result == SHW_OK;
    if (result != SHW_OK)
        view_runs_free(runs);
    return view_runs_check(result, &scene->log);
}

static enum shw_result grow(const struct view_wand *wand, const struct view_read_labels *read,
                            const struct shw_log *log, struct view_runs *runs)
{
    const struct view_values values = {read->width, read->height, label_at, read};
    unsigned sides;
    enum shw_result result =
        view_region_grow(&values, (uint32_t)wand->pixel.x, (uint32_t)wand->pixel.y, 0, runs, &sides);

    return view_runs_check(result, log);
}

/* Labels for an earlier wand, which was given up, are only released: the device may still have been writing them. */
enum shw_result view_wand_poll(struct view_wand *wand, struct view_scene *scene, struct view_runs *runs, bool *found)
{
    const struct view_labelling_params *params = &scene->labelling.params;
    const struct view_wand begun = *wand;
    struct view_read_labels read;
    enum shw_result result = SHW_OK;

    *found = false;
    if (begun.wanted && !begun.asked && !has_labels(scene)) {
        view_wand_give_up(wand);
        return refuse(scene);
    }
    if (begun.wanted && !begun.asked && scene->labelling.parted.on)
        return poll_parts(wand, scene, runs, found);
    if (view_label_reading_take(params->gpu, params->frames, &scene->reading, &read)) {
        if (begun.asked) {
            view_wand_give_up(wand);
            result = grow(&begun, &read, &scene->log, runs);
            *found = result == SHW_OK;
        }
        view_label_reading_end(params->gpu, &scene->reading);
    } else if (begun.asked && !view_label_reading_is_running(&scene->reading)) {
        view_wand_give_up(wand);
        return refuse(scene);
    }
    if (wand->wanted && !wand->asked && !view_label_reading_is_running(&scene->reading)) {
        view_label_reading_want(&scene->reading);
        wand->asked = scene->redraw = true;
    }
    if (result != SHW_OK)
        view_runs_free(runs);
    return result;
}
