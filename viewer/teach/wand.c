#include "teach/wand.h"

#include "base/log.h"

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
    if (scene->labelling.parted.on)
        return shw_fail(&scene->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "the wand needs the label of every pixel, which pictures of more than %u pixels do not have: "
                        "fill or outline the region",
                        scene->overview_pixels);
    if (scene->forest == NULL || !scene->labelling.front.filled)
        return refuse(scene);
    *wand = (struct view_wand){.wanted = true, .number = number, .pixel = pixel};
    return SHW_OK;
}

void view_wand_give_up(struct view_wand *wand)
{
    *wand = (struct view_wand){0};
}

bool view_wand_is_under_way(const struct view_wand *wand)
{
    return wand->wanted;
}

static uint16_t label_at(const void *user, uint32_t x, uint32_t y)
{
    const struct view_read_labels *read = user;

    return read->labels[(size_t)y * read->width + x];
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
    if (view_label_reading_take(params->gpu, params->frames, &scene->reading, &read)) {
        if (begun.asked) {
            view_wand_give_up(wand);
            result = grow(&begun, &read, &scene->log, runs);
            *found = result == SHW_OK;
        }
        view_label_reading_end(params->gpu, &scene->reading);
    } else if (begun.asked && !view_label_reading_is_under_way(&scene->reading)) {
        view_wand_give_up(wand);
        return refuse(scene);
    }
    if (wand->wanted && !wand->asked && !view_label_reading_is_under_way(&scene->reading)) {
        view_label_reading_want(&scene->reading);
        wand->asked = scene->redraw = true;
    }
    if (result != SHW_OK)
        view_runs_free(runs);
    return result;
}
