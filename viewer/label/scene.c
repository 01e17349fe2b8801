#include "label/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "action/action.h"
#include "base/log.h"
#include "dense/input/inputs.h"
#include "files/dataset/input_names.h"
#include "files/dataset/palette.h"
#include "formats/kinect.h"
#include "label/classes.h"

void view_outputs_read(void *files, const char *path)
{
    shw_output_files_read(files, path);
}

void view_outputs_begin(const struct view_scene *scene, struct shw_output_files *files)
{
    *files = (struct shw_output_files){
        .overwrite = scene->outputs.overwrite, .hint = "`overwrite on` or the option --overwrite", .log = scene->log};
    if (scene->player->source != NULL &&
        view_source_list_files(scene->player->source, view_outputs_read, files) != SHW_OK)
        files->incomplete = true;
    shw_output_files_read(files, scene->forest_file);
    shw_output_files_read(files, scene->outputs.script);
    shw_output_files_read(files, scene->outputs.settings);
    for (uint32_t c = 0; c < VIEW_OUTPUT_CASCADES; c++)
        shw_output_files_read(files, scene->outputs.cascades[c]);
    shw_output_files_read(files, scene->outputs.rectangles);
}

enum shw_result view_scene_create(const struct view_labelling_params *params, struct view_player *player,
                                  VkRenderPass pass, struct view_scene *scene)
{
    *scene = (struct view_scene){.log = params->log,
                                 .player = player,
                                 .settings = {.mode = VIEW_MODE_ARGMAX, .opacity = 50},
                                 .overview_pixels = VIEW_OVERVIEW_PIXELS,
                                 .longest = params->gpu->properties.limits.maxImageDimension2D - 1,
                                 .display.range = VIEW_DISPLAY_RANGE_WHOLE,
                                 .place.zoom = VIEW_ZOOM_ONE,
                                 .fitted = true,
                                 .pass = pass};
    view_labelling_init(params, &scene->labelling);
    view_labelling_init(params, &scene->comparison.labelling);
    return view_overlay_create(params->gpu, pass, &scene->overlay);
}

void view_scene_destroy(struct view_scene *scene)
{
    const struct view_gpu *gpu = scene->labelling.params.gpu;

    if (gpu == NULL)
        return;
    free(scene->forest_file);
    view_overlay_destroy(gpu, &scene->overlay);
    view_labelling_destroy(&scene->labelling);
    view_overlay_destroy(gpu, &scene->comparison.overlay);
    view_labelling_destroy(&scene->comparison.labelling);
    view_shared_forest_release(&scene->comparison.other);
    view_shared_forest_release(&scene->comparison.of);
    view_shared_forest_release(&scene->comparison.forest);
    view_class_shares_destroy(gpu, &scene->shares);
    view_label_reading_end(gpu, &scene->reading);
    view_shown_destroy(gpu, &scene->shown);
    view_detail_destroy(gpu, &scene->detail);
    view_shared_forest_release(&scene->forest);
    view_scene_drop_held_forest(scene);
    view_picture_free(scene->picture);
    free(scene->hidden);
    memset(scene, 0, sizeof *scene);
}

/* What the forest reads and the picture lacks, without which it is not labelled; NULL: nothing. */
static const char *lacks(const struct view_scene *scene, const struct view_picture *picture)
{
    return scene->forest != NULL && picture != NULL
               ? view_picture_lacks(picture, shw_forest_get_info(scene->forest->forest)->channel_list)
               : NULL;
}

static bool has_labels(const struct view_scene *scene)
{
    return scene->forest != NULL && scene->picture != NULL && lacks(scene, scene->picture) == NULL;
}

/* Says, once for a picture, that it is shown without labels. */
static void say_what_lacks(struct view_scene *scene)
{
    const char *name = lacks(scene, scene->picture);

    if (name == NULL || scene->lacking == scene->picture_count)
        return;
    scene->lacking = scene->picture_count;
    shw_log_message(&scene->log, SHW_LOG_WARNING, SHW_LOG_DATASET,
                    "%s has no %s%s, which the forest reads: it is shown without labels",
                    scene->picture->name != NULL ? scene->picture->name : "the picture",
                    shw_plane_name_is_valid(name) ? "plane " : "", name);
}

/* Adds a name once. False: out of memory. */
static bool want(const char *name, const char *names[SHW_INPUTS_MAX], uint32_t *count)
{
    const char *kept;

    for (uint32_t i = 0; i < *count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    if (*count == SHW_INPUTS_MAX)
        return true;
    kept = shw_input_name_keep(name);
    if (kept != NULL)
        names[(*count)++] = kept;
    return kept != NULL;
}

/* All planes of the picture's file. */
static bool want_all(const struct view_picture *picture, const char *names[SHW_INPUTS_MAX], uint32_t *count)
{
    char name[SHW_INPUT_NAME_SIZE];
    bool fine = true;

    for (uint32_t i = 0; i < picture->planes.count && fine; i++)
        fine = want(shw_plane_list_name_of(&picture->planes, i, name), names, count);
    return fine;
}

/* *again: the shown picture comes again, with planes. */
static enum shw_result want_planes(const struct view_scene *scene, bool *again)
{
    const struct shw_channel_list *list =
        scene->forest != NULL ? shw_forest_get_info(scene->forest->forest)->channel_list : NULL;
    const struct view_picture *picture = scene->picture;
    const struct shw_shown_planes *shown = &scene->display.planes;
    const char *names[SHW_INPUTS_MAX];
    uint32_t count = 0;
    bool fine = true;

    for (uint32_t i = 0; list != NULL && i < list->input_count; i++)
        fine = fine && (!list->is_plane[i] || want(list->inputs[i], names, &count));
    for (uint32_t i = 0; i < scene->taught_planes.count; i++)
        fine = fine && want(scene->taught_planes.names[i], names, &count);
    for (uint32_t i = 0; i < shown->count; i++)
        fine = fine && want(shown->names[i], names, &count);
    if (picture != NULL && shown->count == 0 && view_display_is_automatic(picture))
        for (uint32_t i = 0; i < 3 && i < picture->planes.count; i++)
            fine = fine && want(view_array_planes[i], names, &count);
    if (picture != NULL && scene->taught_planes.all)
        fine = fine && want_all(picture, names, &count);
    if (!fine)
        return shw_fail_memory(&scene->log, "planes");
    return view_player_want_planes(scene->player, names, count, again);
}

enum shw_result view_scene_follow_planes(struct view_scene *scene)
{
    bool again;

    return want_planes(scene, &again);
}

enum shw_result view_scene_show_planes(struct view_scene *scene, const struct shw_shown_planes *shown)
{
    if (memcmp(&scene->display.planes, shown, sizeof *shown) == 0)
        return SHW_OK;
    scene->display.planes = *shown;
    scene->upload = scene->picture != NULL;
    scene->shown.rows = 0;
    scene->redraw = true;
    return view_scene_follow_planes(scene);
}

static struct view_labelled labelled(struct view_scene *scene)
{
    const struct view_shown *detail = view_detail_shown(&scene->detail);
    struct view_labelled of = {.picture = scene->picture,
                               .shown = &scene->shown,
                               .forest = has_labels(scene) ? scene->forest : NULL,
                               .mode = scene->settings.mode,
                               .overview = scene->shown.part,
                               .detail = detail != NULL ? &detail->part : NULL};

    view_part_middle(&scene->place, &scene->area, &of.x, &of.y);
    return of;
}

struct shw_part view_scene_part(const struct view_scene *scene, uint32_t layer)
{
    const struct view_shown *detail = view_detail_shown(&scene->detail);

    if (layer == VIEW_OVERVIEW)
        return scene->shown.part;
    return detail != NULL ? detail->part : (struct shw_part){.step = 1};
}

/* Warns, once for a forest, of a picture of another width than that for which the forest is. */
static void check_width(struct view_scene *scene)
{
    const struct view_picture *picture = scene->picture;

    if (scene->forest != NULL && scene->forest->for_kinect && picture != NULL)
        scene->forest->for_kinect =
            !shw_focal_warn(picture->name != NULL ? picture->name : "the picture", picture->image.width,
                            "import its trees with that of the camera (--focal)", &scene->log);
}

/* Takes a picture for which the images have been made. */
static enum shw_result take(struct view_scene *scene, struct view_picture *picture)
{
    bool again;

    view_picture_free(scene->picture);
    scene->picture = picture;
    scene->picture_count++;
    scene->truth_classes = picture->truth_classes;
    if (!scene->range_given && scene->auto_range != picture->shows_range) {
        scene->auto_range = picture->shows_range;
        scene->display.range = VIEW_DISPLAY_RANGE_WHOLE;
    }
    if (scene->auto_range)
        scene->display.range = picture->range;
    scene->redraw = true;
    check_width(scene);
    SHW_PROPAGATE(want_planes(scene, &again));
    if (!again)
        say_what_lacks(scene);
    return view_scene_update_classes(scene);
}

static uint64_t bytes_of(const struct shw_image *image)
{
    return (uint64_t)image->width * image->height * shw_pixel_size(image->format);
}

/* Refuses pictures that take more memory than there may be. */
static enum shw_result check_memory(const struct view_scene *scene, const struct view_picture *picture)
{
    uint64_t bytes = bytes_of(&picture->image), most = scene->labelling.params.memory;

    for (uint32_t i = 0; i < picture->input_count; i++)
        bytes += bytes_of(&picture->inputs[i].image);
    if (most == 0 || bytes <= most)
        return SHW_OK;
    return shw_fail(&scene->log, SHW_ERROR_LIMIT, SHW_LOG_OUT_OF_MEMORY,
                    "%s: %u x %u pixels take %llu MiB, and pictures with their labels may take %llu (--memory)",
                    picture->name != NULL ? picture->name : "the picture", picture->image.width, picture->image.height,
                    (unsigned long long)(bytes >> 20), (unsigned long long)(most >> 20));
}

enum shw_result view_scene_show(struct view_scene *scene, struct view_picture *picture)
{
    const struct view_labelled before = labelled(scene);
    const struct view_gpu *gpu = scene->labelling.params.gpu;
    bool first = scene->picture == NULL || scene->picture->image.width != picture->image.width ||
                 scene->picture->image.height != picture->image.height;
    struct shw_part overview =
        view_part_overview(picture->image.width, picture->image.height, scene->overview_pixels, scene->longest);
    bool renewed;
    enum shw_result result = check_memory(scene, picture);

    if (result != SHW_OK) {
        view_picture_free(picture);
        return result;
    }
    if (lacks(scene, picture) == NULL && view_labelling_defers(&scene->labelling, &before, picture)) {
        view_labelling_defer(&scene->labelling, picture);
        return SHW_OK;
    }
    view_labelling_clear(&scene->labelling);
    view_labelling_clear(&scene->comparison.labelling);
    result = view_shown_fit(gpu, picture, &overview, false, &scene->shown, &renewed);
    if (result == SHW_OK)
        result = view_overlay_fit(gpu, scene->overlay, VIEW_OVERVIEW, scene->shown.shown.extent);
    if (result != SHW_OK) {
        view_picture_free(picture);
        view_scene_drop_picture(scene);
        return result;
    }
    scene->upload = scene->labelling.wanted = true;
    result = take(scene, picture);
    if (first)
        view_scene_fit(scene);
    return result;
}

void view_scene_drop_picture(struct view_scene *scene)
{
    view_labelling_clear(&scene->labelling);
    view_labelling_clear(&scene->comparison.labelling);
    view_shown_retire(scene->labelling.params.gpu, &scene->shown);
    view_picture_free(scene->picture);
    scene->picture = NULL;
    scene->picture_count++;
    scene->upload = false;
    scene->redraw = true;
}

void view_scene_drop_waiting(struct view_scene *scene)
{
    view_picture_free(scene->labelling.coming);
    scene->labelling.coming = NULL;
}

/* Keeps the shown picture: drops the picture that waits for its labels. */
static void view_scene_stay(struct view_scene *scene)
{
    scene->stays++;
    if (scene->labelling.coming == NULL)
        return;
    view_labelling_give_up(&scene->labelling);
    scene->labelling.wanted = scene->forest != NULL;
}

void view_scene_keep(struct view_scene *scene)
{
    struct view_source *source = scene->player->source;

    if (source != NULL)
        view_source_pause(source);
    view_scene_stay(scene);
    if (source != NULL && scene->picture != NULL && scene->picture->opened == scene->player->opened)
        view_source_return(source, scene->picture);
}

/* The forest with the chosen smoothing. Takes over the caller's share; NULL if out of memory. */
static struct view_shared_forest *smooth(const struct view_scene *scene, struct view_shared_forest *forest)
{
    const uint32_t radius = scene->smoothing.off ? SHW_SMOOTHING_NONE : scene->smoothing.radius;
    const uint32_t epsilon = shw_forest_get_info(forest->forest)->smoothing.epsilon;
    struct view_shared_forest *smoothed;

    if (forest->smoothing.radius == radius)
        return forest;
    smoothed = view_shared_forest_smooth(forest, (struct shw_smoothing){radius, epsilon});
    view_shared_forest_release(&forest);
    return smoothed;
}

uint32_t view_scene_radius(const struct view_scene *scene)
{
    if (scene->smoothing.radius > 0 || scene->forest == NULL)
        return scene->smoothing.radius != SHW_SMOOTHING_NONE ? scene->smoothing.radius : 0;
    return shw_forest_get_info(scene->forest->forest)->smoothing.radius;
}

enum shw_result view_scene_smooth(struct view_scene *scene, bool off, uint32_t radius)
{
    scene->smoothing.off = off;
    scene->smoothing.radius = radius;
    return scene->forest != NULL ? view_scene_set_forest(scene, view_shared_forest_share(scene->forest)) : SHW_OK;
}

/* Whoever reads the previous frame: the forest, or the one that is being taught. */
static void want_previous(const struct view_scene *scene)
{
    const struct shw_forest_info *info = scene->forest != NULL ? shw_forest_get_info(scene->forest->forest) : NULL;

    view_player_want_previous(scene->player, scene->teaches_motion ||
                                                 (info != NULL && shw_channels_read(info->channel_list, SHW_PREVIOUS)));
}

void view_scene_teach_motion(struct view_scene *scene, bool teaches)
{
    scene->teaches_motion = teaches;
    want_previous(scene);
}

/* False if out of memory. */
static bool note_file(struct view_scene *scene, const char *path)
{
    char *copy = path != NULL ? strdup(path) : NULL;

    if (path == NULL)
        return true;
    free(scene->forest_file);
    scene->forest_file = copy;
    return copy != NULL;
}

enum shw_result view_scene_set_forest(struct view_scene *scene, struct view_shared_forest *forest)
{
    bool again;

    if (forest != NULL) {
        forest = smooth(scene, forest);
        if (forest == NULL || !note_file(scene, forest->path)) {
            view_shared_forest_release(&forest);
            return shw_fail_memory(&scene->log, "the forest");
        }
    }
    view_shared_forest_release(&scene->forest);
    scene->forest = forest;
    scene->labelling.wanted = true;
    check_width(scene);
    SHW_PROPAGATE(want_planes(scene, &again));
    if (!again)
        say_what_lacks(scene);
    want_previous(scene);
    return view_scene_update_classes(scene);
}

enum shw_result view_scene_need_forest(const struct view_scene *scene)
{
    return scene->forest != NULL ? SHW_OK
                                 : shw_fail(&scene->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                                            "there is no forest: load one, or paint and train one");
}

static enum shw_result collect_labels(struct view_scene *scene)
{
    const struct view_labelled of = labelled(scene);
    struct view_label_news news;

    SHW_PROPAGATE(view_labelling_collect(&scene->labelling, &of, &news));
    scene->redraw = scene->redraw || news.changed;
    scene->upload = scene->upload || news.upload;
    if (news.upload)
        scene->shown.rows = 0;
    if (news.labelled != NULL) {
        SHW_PROPAGATE(take(scene, news.labelled));
        scene->labelled_count = scene->picture_count;
    }
    return news.unlabelled != NULL ? view_scene_show(scene, news.unlabelled) : SHW_OK;
}

static struct view_look look_of(const struct view_scene *scene)
{
    return (struct view_look){scene->instead.on ? NULL : scene->picture, scene->shown.part.step, scene->longest,
                              &scene->place, &scene->area};
}

/* Loads what is seen of a large picture. */
static enum shw_result update_detail(struct view_scene *scene)
{
    const struct view_gpu *gpu = scene->labelling.params.gpu;
    const struct view_look look = look_of(scene);
    const struct view_shown *shown;

    SHW_PROPAGATE(
        view_detail_update(gpu, &scene->detail, &look, scene->picture_count, scene->upload && scene->shown.rows == 0));
    shown = view_detail_shown(&scene->detail);
    return shown != NULL ? view_overlay_fit(gpu, scene->overlay, VIEW_DETAIL, shown->shown.extent) : SHW_OK;
}

static enum shw_result begin_labels(struct view_scene *scene)
{
    struct view_labelled of = labelled(scene);

    return view_labelling_begin(&scene->labelling, &of);
}

/* Waits for what every frame must have. */
static enum shw_result finish_labels(struct view_scene *scene)
{
    SHW_PROPAGATE(collect_labels(scene));
    while (view_labelling_is_late(&scene->labelling)) {
        SHW_PROPAGATE(begin_labels(scene));
        SHW_PROPAGATE(collect_labels(scene));
    }
    return SHW_OK;
}

/* Makes the overlay, and what it needs of the scene. */
static enum shw_result fit_comparison(struct view_scene *scene)
{
    const struct view_gpu *gpu = scene->labelling.params.gpu;
    const struct view_shown *detail = view_detail_shown(&scene->detail);
    struct view_comparison *comparison = &scene->comparison;

    if (comparison->overlay == NULL) {
        SHW_PROPAGATE(view_overlay_create(gpu, scene->pass, &comparison->overlay));
        comparison->colours = true;
    }
    if (comparison->colours) {
        SHW_PROPAGATE(view_overlay_set_classes(gpu, comparison->overlay, scene->class_count, scene->planes));
        comparison->colours = false;
        view_scene_colour_classes(scene);
    }
    SHW_PROPAGATE(view_overlay_fit(gpu, comparison->overlay, VIEW_OVERVIEW, scene->shown.shown.extent));
    return detail != NULL ? view_overlay_fit(gpu, comparison->overlay, VIEW_DETAIL, detail->shown.extent) : SHW_OK;
}

/* Takes what the scene shows, with its techniques. */
static enum shw_result follow_scene(struct view_scene *scene)
{
    struct view_comparison *comparison = &scene->comparison;
    struct view_labelling *labelling = &comparison->labelling;
    const struct shw_smoothing none = {.radius = SHW_SMOOTHING_NONE};

    labelling->budget = scene->labelling.budget;
    if (memcmp(labelling->techniques, scene->labelling.techniques, sizeof labelling->techniques) != 0) {
        memcpy(labelling->techniques, scene->labelling.techniques, sizeof labelling->techniques);
        labelling->new_techniques = labelling->wanted = true;
    }
    if (comparison->picture != scene->picture_count) {
        view_labelling_clear(labelling);
        labelling->wanted = true;
        comparison->picture = scene->picture_count;
    }
    if (comparison->of == (comparison->other != NULL ? comparison->other : scene->forest))
        return SHW_OK;
    view_shared_forest_release(&comparison->of);
    view_shared_forest_release(&comparison->forest);
    comparison->forest = comparison->other != NULL ? view_shared_forest_share(comparison->other)
                                                   : view_shared_forest_smooth(scene->forest, none);
    if (comparison->forest == NULL)
        return shw_fail_memory(&scene->log, "the forest");
    comparison->of = view_shared_forest_share(comparison->other != NULL ? comparison->other : scene->forest);
    labelling->wanted = true;
    return SHW_OK;
}

static enum shw_result collect_comparison(struct view_scene *scene, const struct view_labelled *of)
{
    struct view_label_news news;

    SHW_PROPAGATE(view_labelling_collect(&scene->comparison.labelling, of, &news));
    scene->redraw = scene->redraw || news.changed;
    return SHW_OK;
}

/* The same as for the scene's labels. */
static enum shw_result update_comparison(struct view_scene *scene)
{
    struct view_comparison *comparison = &scene->comparison;
    struct view_labelling *labelling = &comparison->labelling;
    struct view_labelled of = labelled(scene);

    const bool wanted =
        has_labels(scene) && scene->settings.wipe > 0 &&
        (comparison->other != NULL
             ? shw_forest_get_info(comparison->other->forest)->class_count == scene->planes
             : comparison->on && view_shared_forest_smoothing(scene->forest).radius != SHW_SMOOTHING_NONE);

    comparison->works = false;
    if (!wanted) {
        view_labelling_give_up(labelling);
        labelling->wanted = true;
        return view_labelling_is_busy(labelling) ? collect_comparison(scene, &of) : SHW_OK;
    }
    SHW_PROPAGATE(follow_scene(scene));
    SHW_PROPAGATE(fit_comparison(scene));
    comparison->works = true;
    of.forest = comparison->forest;
    SHW_PROPAGATE(collect_comparison(scene, &of));
    SHW_PROPAGATE(view_labelling_begin(labelling, &of));
    if (labelling->budget > 0.0 || !view_labelling_is_busy(labelling))
        return SHW_OK;
    SHW_PROPAGATE(collect_comparison(scene, &of));
    while (view_labelling_is_late(labelling)) {
        SHW_PROPAGATE(view_labelling_begin(labelling, &of));
        SHW_PROPAGATE(collect_comparison(scene, &of));
    }
    return SHW_OK;
}

void view_scene_open_wipe(struct view_scene *scene, bool open)
{
    if (open && scene->settings.wipe == 0) {
        scene->settings.wipe = 50;
        scene->comparison.wiped = true;
    } else if (!open && scene->comparison.wiped && !scene->comparison.on && scene->comparison.other == NULL) {
        scene->settings.wipe = 0;
        scene->comparison.wiped = false;
    }
}

void view_scene_compare_with(struct view_scene *scene, struct view_shared_forest *other)
{
    view_shared_forest_release(&scene->comparison.other);
    scene->comparison.other = other;
    view_scene_open_wipe(scene, other != NULL);
    scene->redraw = true;
}

bool view_scene_compares(const struct view_scene *scene)
{
    return scene->comparison.works && !scene->instead.on;
}

enum shw_result view_scene_update(struct view_scene *scene)
{
    SHW_PROPAGATE(collect_labels(scene));
    SHW_PROPAGATE(update_detail(scene));
    SHW_PROPAGATE(begin_labels(scene));
    if (scene->labelling.budget <= 0.0 && view_labelling_is_busy(&scene->labelling))
        SHW_PROPAGATE(finish_labels(scene));
    SHW_PROPAGATE(update_comparison(scene));
    return view_label_reading_prepare(scene->labelling.params.gpu, &scene->labelling.front, &scene->reading);
}

static bool is_loaded(const struct view_scene *scene)
{
    const struct view_look look = look_of(scene);

    return !scene->upload && view_detail_is_complete(&scene->detail, &look);
}

static bool is_large(const struct view_scene *scene)
{
    return scene->picture != NULL && scene->shown.part.step > 1;
}

bool view_scene_is_current(const struct view_scene *scene)
{
    return (!is_large(scene) || is_loaded(scene)) &&
           (!has_labels(scene) || view_labelling_is_idle(&scene->labelling)) &&
           (!scene->comparison.works || view_labelling_is_idle(&scene->comparison.labelling));
}

bool view_scene_is_complete(const struct view_scene *scene)
{
    return view_scene_is_current(scene) && (!has_labels(scene) || view_labelling_is_complete(&scene->labelling));
}

bool view_scene_needs_frames(const struct view_scene *scene)
{
    return (is_large(scene) && !is_loaded(scene)) || view_labelling_needs_frames(&scene->labelling) ||
           (scene->comparison.works && view_labelling_needs_frames(&scene->comparison.labelling));
}

bool view_scene_upload(struct view_scene *scene, VkCommandBuffer commands, uint32_t slot)
{
    bool uploaded = false;

    if (scene->upload && scene->picture != NULL) {
        scene->upload = !view_shown_upload(&scene->shown, scene->picture, &scene->display, commands, slot);
        uploaded = true;
    }
    if (scene->picture != NULL)
        uploaded = view_detail_upload(&scene->detail, scene->picture, &scene->display, commands, slot) || uploaded;
    return uploaded;
}

bool view_scene_shares_are_final(const struct view_scene *scene)
{
    return !scene->labelling.parted.on || view_labelling_is_complete(&scene->labelling);
}

enum shw_result view_scene_fit_shares(struct view_scene *scene)
{
    if (scene->class_count == 0 || scene->shares.classes == scene->class_count)
        return SHW_OK;
    return view_class_shares_create(scene->labelling.params.gpu, scene->class_count, &scene->shares);
}

/* The image on the canvas: the picture, or what is shown instead; NULL: none. */
static const struct shw_image *image_of(const struct view_scene *scene)
{
    if (scene->instead.on)
        return scene->instead.image;
    return scene->picture != NULL ? &scene->picture->image : NULL;
}

static int32_t fit_offset(int32_t first, uint32_t room, uint64_t zoom, uint32_t size)
{
    return first * VIEW_ZOOM_ONE + ((int32_t)(room * VIEW_ZOOM_ONE) - (int32_t)(zoom * size)) / 2;
}

void view_scene_fit(struct view_scene *scene)
{
    const struct view_area *area = &scene->area;
    const struct shw_image *image = image_of(scene);
    uint64_t across, down, zoom;

    scene->fitted = true;
    if (image == NULL)
        return;
    across = (uint64_t)area->width * VIEW_ZOOM_ONE / image->width;
    down = (uint64_t)area->height * VIEW_ZOOM_ONE / image->height;
    zoom = across < down ? across : down;
    zoom = zoom < VIEW_ZOOM_MIN ? VIEW_ZOOM_MIN : zoom > VIEW_ZOOM_MAX ? VIEW_ZOOM_MAX : zoom;
    scene->place = (struct view_place){fit_offset(area->x, area->width, zoom, image->width),
                                       fit_offset(area->y, area->height, zoom, image->height), (uint32_t)zoom};
}

void view_scene_set_area(struct view_scene *scene, struct view_area new)
{
    struct view_area old = scene->area;

    scene->area = new;
    if (scene->fitted)
        view_scene_fit(scene);
    else
        view_scene_move(scene, (2 * (int64_t)(new.x - old.x) + new.width - old.width) * VIEW_ZOOM_ONE / 2,
                        (2 * (int64_t)(new.y - old.y) + new.height - old.height) * VIEW_ZOOM_ONE / 2);
    scene->redraw = true;
}

/* Limits how far from the canvas a picture can be. */
static int32_t limit_offset(int64_t offset)
{
    const int64_t limit = INT64_C(0x50000000);

    return (int32_t)(offset < -limit ? -limit : offset > limit ? limit : offset);
}

void view_scene_move(struct view_scene *scene, int64_t x, int64_t y)
{
    struct view_place *place = &scene->place;

    place->offset_x = limit_offset(place->offset_x + x);
    place->offset_y = limit_offset(place->offset_y + y);
    scene->fitted = false;
}

void view_scene_centre(struct view_scene *scene, uint32_t x, uint32_t y)
{
    const struct view_area *area = &scene->area;
    int64_t across = 2 * (int64_t)area->x + area->width, down = 2 * (int64_t)area->y + area->height;

    view_scene_move(scene,
                    across * VIEW_ZOOM_ONE / 2 - (2 * (int64_t)x + 1) * scene->place.zoom / 2 - scene->place.offset_x,
                    down * VIEW_ZOOM_ONE / 2 - (2 * (int64_t)y + 1) * scene->place.zoom / 2 - scene->place.offset_y);
}

void view_scene_zoom(struct view_scene *scene, uint32_t zoom, int32_t x, int32_t y)
{
    struct view_place *place = &scene->place;
    int64_t centre_x = (int64_t)x * VIEW_ZOOM_ONE, centre_y = (int64_t)y * VIEW_ZOOM_ONE;

    zoom = zoom < VIEW_ZOOM_MIN ? VIEW_ZOOM_MIN : zoom > VIEW_ZOOM_MAX ? VIEW_ZOOM_MAX : zoom;
    place->offset_x = limit_offset(centre_x - (centre_x - place->offset_x) * zoom / place->zoom);
    place->offset_y = limit_offset(centre_y - (centre_y - place->offset_y) * zoom / place->zoom);
    place->zoom = zoom;
    scene->fitted = false;
}

bool view_scene_find_place(const struct view_scene *scene, double x, double y, double *across, double *down)
{
    const struct shw_image *image = image_of(scene);

    if (image == NULL)
        return false;
    *across = (x * VIEW_ZOOM_ONE - scene->place.offset_x) / scene->place.zoom;
    *down = (y * VIEW_ZOOM_ONE - scene->place.offset_y) / scene->place.zoom;
    return *across >= 0.0 && *down >= 0.0 && *across < image->width && *down < image->height;
}

uint32_t view_scene_wipe_column(const struct view_scene *scene)
{
    return scene->settings.wipe > 0 ? (uint32_t)scene->area.x + scene->area.width * scene->settings.wipe / 100 : 0;
}

struct view_classes view_scene_classes(const struct view_scene *scene)
{
    const struct shw_forest_info *info = scene->forest != NULL ? shw_forest_get_info(scene->forest->forest) : NULL;
    struct view_classes classes;

    if (scene->project.list != NULL)
        return scene->project;
    if (info != NULL)
        return (struct view_classes){info->classes, info->class_count};
    classes.list = view_player_classes(scene->player, &classes.count);
    if (classes.list != NULL)
        return classes;
    return (struct view_classes){NULL, scene->picture != NULL ? scene->truth_classes : 0};
}

bool view_scene_forest_has_project_classes(const struct view_scene *scene)
{
    const struct shw_forest_info *info = shw_forest_get_info(scene->forest->forest);
    bool same = info->class_count <= scene->project.count;

    if (scene->forest->path == NULL)
        return true;
    for (uint32_t c = 0; same && c < info->class_count; c++)
        same = strcmp(info->classes[c].name, scene->project.list[c].name) == 0;
    return same;
}

const char *view_scene_class_name(const struct view_scene *scene, uint32_t number, char buffer[32])
{
    const struct view_classes classes = view_scene_classes(scene);

    if (classes.list != NULL && number < classes.count)
        return classes.list[number].name;
    snprintf(buffer, 32, "class %u", number);
    return buffer;
}

void view_scene_class_colour(const struct view_scene *scene, uint32_t number, uint8_t colour[3])
{
    const struct view_classes classes = view_scene_classes(scene);
    uint8_t stored[3];

    if (classes.list != NULL && number < classes.count)
        memcpy(stored, classes.list[number].colour, 3);
    else
        shw_palette_default_colour(number, stored);
    view_shown_colour(scene->colour_blind, stored, colour);
}

void view_scene_colour_classes(struct view_scene *scene)
{
    for (uint32_t c = 0; c < scene->class_count; c++) {
        uint8_t colour[3];
        view_scene_class_colour(scene, c, colour);
        view_overlay_set_class(scene->overlay, c, colour, !scene->hidden[c]);
        if (scene->comparison.overlay != NULL && !scene->comparison.colours)
            view_overlay_set_class(scene->comparison.overlay, c, colour, !scene->hidden[c]);
    }
}

static uint32_t count_planes(const struct view_scene *scene)
{
    return scene->forest != NULL ? shw_forest_get_info(scene->forest->forest)->class_count : 0;
}

uint32_t view_scene_class_total(const struct view_scene *scene)
{
    const struct view_classes classes = view_scene_classes(scene);
    const uint32_t planes = count_planes(scene), count = classes.count < planes ? planes : classes.count;

    return classes.list != NULL && count < scene->class_count ? count : scene->class_count;
}

enum shw_result view_scene_update_classes(struct view_scene *scene)
{
    const struct view_labelling_params *params = &scene->labelling.params;
    uint32_t count = view_scene_classes(scene).count, old = scene->class_count;
    uint32_t planes = count_planes(scene);
    bool *hidden;

    count = count < planes ? planes : count;
    if (scene->forest == NULL && count < old)
        count = old;
    if (count != old || planes != scene->planes) {
        hidden = calloc(count + 1, sizeof *hidden);
        if (hidden == NULL)
            return shw_fail_memory(&scene->log, "the classes");
        if (scene->hidden != NULL)
            memcpy(hidden, scene->hidden, (count < old ? count : old) * sizeof *hidden);
        free(scene->hidden);
        scene->hidden = hidden;
        scene->class_count = scene->planes = 0;
        SHW_PROPAGATE(view_overlay_set_classes(params->gpu, scene->overlay, count, planes));
        scene->comparison.colours = true;
        scene->class_count = count;
        scene->planes = planes;
    }
    view_scene_colour_classes(scene);
    return SHW_OK;
}

bool view_scene_find_class(const struct view_scene *scene, const char *text, uint32_t *number)
{
    const struct view_classes classes = view_scene_classes(scene);
    int64_t last = (int64_t)view_scene_class_total(scene) - 1, parsed = 0;
    bool found = text[0] == '#' && view_parse_number(text + 1, 0, last, &parsed);

    for (uint32_t c = 0; !found && classes.list != NULL && c < classes.count && c < scene->class_count; c++)
        if (strcmp(classes.list[c].name, text) == 0) {
            parsed = (int64_t)c;
            found = true;
        }
    if (!found && !view_parse_number(text, 0, last, &parsed))
        return false;
    *number = (uint32_t)parsed;
    return true;
}

/* Labels came with the picture, or are complete by now, or there are none to wait for. */
static bool is_labelled(const struct view_scene *scene)
{
    return scene->labelled_count == scene->picture_count || view_scene_is_current(scene);
}

void view_camera_delay_note(struct view_camera_delay *delay, const struct view_scene *scene)
{
    const struct view_picture *picture = scene->picture;

    if (picture == NULL || picture->captured == 0.0 || delay->measured == scene->picture_count ||
        delay->captured != 0.0 || !is_labelled(scene))
        return;
    delay->measured = scene->picture_count;
    delay->captured = picture->captured;
    delay->frame = scene->labelling.params.frames->count - 1;
}

void view_camera_delay_check(struct view_camera_delay *delay, const struct view_labelling_params *params)
{
    if (delay->captured == 0.0 || !view_frames_is_over(params->gpu, params->frames, delay->frame, 0.0))
        return;
    view_times_add(&params->frames->times, VIEW_TIME_CAMERA, (view_clock() - delay->captured) * 1e3);
    delay->captured = 0.0;
}
