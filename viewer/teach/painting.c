#include "teach/painting.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/image.h"
#include "base/log.h"
#include "files/dataset/examples.h"
#include "files/image/image_file.h"
#include "files/io/image_paths.h"
#include "gpu/frames.h"
#include "gpu/gpu.h"
#include "teach/frames_before.h"
#include "teach/project_file.h"

#define ROUND 256u /* sizes of images that may be larger are multiples of this */

void view_painted_destroy(const struct view_gpu *gpu, struct view_painted *painted)
{
    view_image_destroy(gpu, &painted->image);
    for (uint32_t s = 0; s < VIEW_SLOTS; s++)
        view_buffer_destroy(gpu, &painted->staging[s]);
    *painted = (struct view_painted){0};
}

static void view_painted_mark_all(struct view_painted *painted)
{
    view_painted_mark(painted, 0, 0, UINT32_MAX, UINT32_MAX);
}

static enum shw_result create(const struct view_gpu *gpu, const struct shw_part *part, bool larger,
                              struct view_painted *painted)
{
    VkExtent2D extent = {part->width, part->height};

    view_image_retire(gpu, &painted->image);
    painted->filled = false;
    if (larger)
        extent = (VkExtent2D){(extent.width + ROUND - 1) / ROUND * ROUND, (extent.height + ROUND - 1) / ROUND * ROUND};
    return view_image_create(gpu, VK_FORMAT_R16_UINT, extent, 0,
                             VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT, &painted->image);
}

enum shw_result view_painted_fit(const struct view_gpu *gpu, const struct shw_part *part, bool larger,
                                 struct view_painted *painted)
{
    VkDeviceSize bytes = (VkDeviceSize)part->width * part->height * sizeof(uint16_t);

    painted->part = (struct shw_part){0};
    if (!view_image_holds(&painted->image, (VkExtent2D){part->width, part->height}, larger))
        SHW_PROPAGATE(create(gpu, part, larger, painted));
    for (uint32_t s = 0; s < VIEW_SLOTS; s++)
        if (painted->staging[s].size < bytes) {
            view_buffer_retire(gpu, &painted->staging[s]);
            SHW_PROPAGATE(
                view_buffer_create(gpu, bytes, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, false, &painted->staging[s]));
        }
    painted->part = *part;
    painted->left = painted->top = painted->right = painted->bottom = 0;
    view_painted_mark_all(painted);
    return SHW_OK;
}

/* Along one side: the first pixel of the part at or after `place`. */
static uint32_t clip(int64_t place, uint32_t first, uint32_t count, uint32_t step)
{
    int64_t steps = place <= (int64_t)first ? 0 : (place - first + step - 1) / step;

    return steps > (int64_t)count ? count : (uint32_t)steps;
}

static bool is_empty(const struct view_painted *painted)
{
    return painted->left >= painted->right || painted->top >= painted->bottom;
}

void view_painted_mark(struct view_painted *painted, int64_t left, int64_t top, int64_t right, int64_t bottom)
{
    const struct shw_part *part = &painted->part;
    struct view_painted all = *painted;

    if (part->width == 0)
        return;
    all.left = clip(left, part->x, part->width, part->step);
    all.top = clip(top, part->y, part->height, part->step);
    all.right = clip(right, part->x, part->width, part->step);
    all.bottom = clip(bottom, part->y, part->height, part->step);
    if (is_empty(&all))
        return;
    if (!is_empty(painted)) {
        all.left = painted->left < all.left ? painted->left : all.left;
        all.top = painted->top < all.top ? painted->top : all.top;
        all.right = painted->right > all.right ? painted->right : all.right;
        all.bottom = painted->bottom > all.bottom ? painted->bottom : all.bottom;
    }
    *painted = all;
}

bool view_painted_upload(struct view_painted *painted, const struct shw_picture_labels *labels,
                         VkCommandBuffer commands, uint32_t slot)
{
    const struct view_buffer *staging = &painted->staging[slot];
    const struct shw_part *part = &painted->part;
    uint32_t width = painted->right - painted->left, height = painted->bottom - painted->top;
    VkBufferImageCopy region = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                .imageOffset = {(int32_t)painted->left, (int32_t)painted->top, 0},
                                .imageExtent = {width, height, 1}};

    if (is_empty(painted))
        return false;
    if (labels == NULL)
        memset(staging->mapped, 0xff, (size_t)width * height * sizeof(uint16_t)); /* SHW_LABEL_VOID */
    else
        shw_picture_labels_copy(labels, part->x + (int64_t)painted->left * part->step,
                                part->y + (int64_t)painted->top * part->step, width, height, part->step,
                                staging->mapped);
    view_image_barrier(commands, &painted->image, painted->filled ? view_use_shown : view_use_nothing,
                       view_use_copied_to);
    vkCmdCopyBufferToImage(commands, staging->handle, painted->image.handle, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1,
                           &region);
    view_image_barrier(commands, &painted->image, view_use_copied_to, view_use_shown);
    painted->filled = true;
    painted->left = painted->top = painted->right = painted->bottom = 0;
    return true;
}

void view_painting_destroy(struct view_painting *painting)
{
    free(painting->counts);
    shw_picture_labels_release(&painting->labels);
    if (painting->scene != NULL)
        for (uint32_t l = 0; l < VIEW_LAYERS; l++)
            view_painted_destroy(painting->scene->labelling.params.gpu, &painting->painted[l]);
}

void view_painting_reset(struct view_painting *painting)
{
    free(painting->counts);
    painting->counts = NULL;
    shw_picture_labels_release(&painting->labels);
    painting->picture = UINT32_MAX;
    painting->picture_count = painting->marked = 0;
    painting->prepared = UINT64_MAX;
}

/* The index of the shown picture in the project; UINT32_MAX if it is not there. */
static uint32_t find_picture(const struct view_painting *painting)
{
    const struct view_picture *shown = painting->scene->picture;
    char *name = view_project_shown_name(painting->project, shown);
    uint32_t found = UINT32_MAX;

    for (uint32_t p = 0; name != NULL && p < shw_project_get_picture_count(painting->project->data); p++) {
        struct shw_project_picture picture = shw_project_get_picture(painting->project->data, p);
        if (strcmp(picture.name, name) == 0 && picture.width == shown->image.width &&
            picture.height == shown->image.height)
            found = p;
    }
    free(name);
    return found;
}

/* Whether the shown picture has been read as is chosen now; otherwise it is being read again. */
static bool is_as_chosen(const struct view_painting *painting)
{
    const struct view_picture *shown = painting->scene->picture;
    struct shw_image_choice choice = view_player_get_choice(painting->scene->player);

    if (!shw_pixel_is_wide(shown->image.format))
        choice.range = shown->choice.range; /* which does not matter */
    return !shown->is_file || shw_image_choice_equal(&choice, &shown->choice);
}

/* The project reads its pictures as the shown one is read, as soon as something is painted; from then on, that is
 * chosen for all pictures that are opened. */
static enum shw_result keep_choice(const struct view_painting *painting)
{
    struct view_player *player = painting->scene->player;
    struct shw_image_choice choice = view_player_get_choice(player);

    if (!painting->scene->picture->is_file || !is_as_chosen(painting))
        return SHW_OK;
    SHW_PROPAGATE(shw_project_set_choice(painting->project->data, &choice));
    player->chosen = choice;
    return SHW_OK;
}

enum shw_result view_painting_keep_choice(const struct view_painting *painting)
{
    const struct shw_project *project = painting->project->data;

    return project != NULL && painting->scene->picture != NULL && shw_project_get_picture_count(project) > 0
               ? keep_choice(painting)
               : SHW_OK;
}

enum shw_result view_painting_follow(struct view_painting *painting)
{
    struct view_scene *scene = painting->scene;
    struct view_painted *painted = &painting->painted[VIEW_OVERVIEW];
    const struct shw_part part = view_scene_part(scene, VIEW_OVERVIEW);
    bool blank = painting->picture == UINT32_MAX && view_part_equals(&painted->part, &part);

    painting->picture_count = scene->picture_count;
    if (painting->project->data == NULL || scene->picture == NULL)
        return SHW_OK;
    SHW_PROPAGATE(view_painting_keep_choice(painting)); /* before it is saved, even if no frame is drawn */
    painting->picture = find_picture(painting);
    if (painting->picture != UINT32_MAX && shw_project_reads(painting->project->data, SHW_PREVIOUS))
        SHW_PROPAGATE(view_frames_before_take(painting->project, painting->picture, scene->picture, &scene->log));
    if (blank && painting->picture == UINT32_MAX) /* neither this picture nor the previous one is painted on: most
                                                     frames of videos */
        return SHW_OK;
    painting->painted[VIEW_DETAIL].part.width = 0;
    return view_painted_fit(scene->labelling.params.gpu, &part, false, painted);
}

enum shw_result view_painting_follow_detail(struct view_painting *painting)
{
    struct view_painted *painted = &painting->painted[VIEW_DETAIL];
    const struct shw_part part = view_scene_part(painting->scene, VIEW_DETAIL);

    if (painting->project->data == NULL || part.width == 0 || view_part_equals(&part, &painted->part))
        return SHW_OK;
    return view_painted_fit(painting->scene->labelling.params.gpu, &part, true, painted);
}

static void free_picture(void *picture)
{
    view_picture_free(picture);
}

/* Without the planes of the shown picture that the project does not read; these are in its file. */
static struct shw_inputs leave_out_planes(const struct view_painting *painting, struct shw_inputs given,
                                          struct shw_input input[SHW_INPUTS_MAX])
{
    uint32_t count = 1;

    for (uint32_t i = 1; i < given.count; i++)
        if (shw_project_keeps_input(input[i].name) || shw_project_reads(painting->project->data, input[i].name))
            input[count++] = input[i];
    return (struct shw_inputs){count, input};
}

/* Shares the shown picture with the project. */
static enum shw_result lend(const struct view_painting *painting, uint32_t picture)
{
    struct view_picture *shown = painting->scene->picture;
    struct shw_input input[SHW_INPUTS_MAX];
    const struct shw_inputs inputs = leave_out_planes(painting, view_picture_inputs(shown, NULL, input), input);
    struct shw_pixels_part *whole = shw_pixels_part_lend(&inputs, view_picture_share(shown), free_picture);
    enum shw_result result = whole != NULL ? shw_project_lend_pixels(painting->project->data, picture, whole)
                                           : shw_fail_memory(&painting->scene->log, shown->name);

    shw_project_set_pixel_side(painting->project->data, picture, shown->pixel_side);
    shw_pixels_part_release(&whole);
    return result;
}

enum shw_result view_painting_keep_previous(const struct view_painting *painting, uint32_t entry)
{
    struct view_source *source = painting->scene->player->source;
    struct shw_project *project = painting->project->data;
    const char *folder = painting->project->folder != NULL ? painting->project->folder : "";
    const char *name = view_source_name(source, entry),
               *before = entry > 0 ? view_source_name(source, entry - 1) : NULL;
    const uint32_t picture = name != NULL ? view_project_seek(painting->project, name) : UINT32_MAX;
    enum shw_result result;
    char *path;

    if (picture == UINT32_MAX || before == NULL || !shw_image_has_file(before) ||
        !shw_names_same_folder(name, before) || shw_project_get_picture_input(project, picture, SHW_PREVIOUS) != NULL)
        return SHW_OK;
    path = view_name_from(folder, before);
    result = path != NULL ? shw_project_set_picture_input(project, picture, SHW_PREVIOUS, path)
                          : shw_fail_memory(&painting->scene->log, before);
    free(path);
    return result;
}

/* The shown picture's, if it is a file of a folder. */
static enum shw_result keep_previous(const struct view_painting *painting)
{
    const struct view_player *player = painting->scene->player;
    const struct view_source_info info = view_player_info(player);
    const char *shown = painting->scene->picture->name;
    uint32_t entry = info.index;

    if (!shw_project_reads(painting->project->data, SHW_PREVIOUS) || info.kind != VIEW_SOURCE_FOLDER || shown == NULL)
        return SHW_OK;
    if (view_source_name(player->source, entry) == NULL || strcmp(view_source_name(player->source, entry), shown) != 0)
        for (entry = 0; entry < info.count && strcmp(view_source_name(player->source, entry), shown) != 0;)
            entry++;
    return entry < info.count ? view_painting_keep_previous(painting, entry) : SHW_OK;
}

/* The pixels are in memory here, and those of a video frame nowhere else. */
enum shw_result view_painting_need_picture(struct view_painting *painting)
{
    const struct shw_log *log = &painting->scene->log;
    const struct view_picture *shown = painting->scene->picture;
    struct shw_project *project = painting->project->data;
    struct shw_input input[SHW_INPUTS_MAX];
    struct shw_inputs inputs;
    uint32_t picture;
    char *name;
    enum shw_result result;

    SHW_PROPAGATE(view_project_need(painting->project, log));
    if (shown == NULL)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "there is no picture to paint on");
    SHW_PROPAGATE(keep_choice(painting));
    if (painting->picture != UINT32_MAX && shw_project_has_pixels(project, painting->picture))
        return SHW_OK;
    inputs = view_picture_inputs(shown, NULL, input);
    SHW_PROPAGATE(shw_project_check_inputs(project, shown->name != NULL ? shown->name : "the picture", &inputs, log));
    name = view_project_shown_name(painting->project, shown);
    if (name == NULL)
        return shw_fail_memory(log, "the picture");
    result = shw_project_find_picture(project, name, shown->image.width, shown->image.height, &picture);
    free(name);
    if (result == SHW_OK)
        result = keep_previous(painting);
    if (result == SHW_OK && !shw_project_has_pixels(project, picture) && is_as_chosen(painting))
        result = lend(painting, picture);
    if (result == SHW_OK)
        painting->picture = picture;
    return result;
}

static bool prepare(struct view_painting *painting, double seconds)
{
    struct shw_project *project = painting->project->data;

    if (view_painting_is_prepared(painting))
        return true;
    if (!shw_project_prepare_labels(project, painting->picture, seconds)) {
        painting->prepared = UINT64_MAX;
        return false;
    }
    if (painting->prepared == UINT64_MAX) /* they were awaited */
        painting->scene->redraw = true;
    painting->prepared = shw_project_get_revision(project);
    return true;
}

bool view_painting_prepare(struct view_painting *painting)
{
    return prepare(painting, painting->scene->labelling.budget <= 0.0 ? INFINITY : painting->slice);
}

void view_painting_finish(struct view_painting *painting)
{
    prepare(painting, INFINITY);
}

bool view_painting_is_prepared(const struct view_painting *painting)
{
    const struct shw_project *project = painting->project->data;

    return project == NULL || painting->prepared == shw_project_get_revision(project);
}

struct shw_picture_labels *view_painting_ready_labels(struct view_painting *painting, bool *later)
{
    *later = painting->project->data != NULL && painting->picture != UINT32_MAX &&
             !shw_project_has_labels(painting->project->data, painting->picture);
    return *later ? NULL : view_painting_labels(painting);
}

struct shw_picture_labels *view_painting_labels(struct view_painting *painting)
{
    shw_picture_labels_release(&painting->labels);
    if (painting->project->data == NULL || painting->picture == UINT32_MAX ||
        shw_project_share_labels(painting->project->data, painting->picture, &painting->labels) != SHW_OK)
        return NULL;
    return painting->labels;
}

const uint64_t *view_painting_count_labels(struct view_painting *painting)
{
    struct shw_project *project = painting->project->data;
    uint32_t classes = shw_project_get_class_count(project);
    uint64_t *more;

    if (painting->counts != NULL &&
        (painting->counted == shw_project_get_revision(project) || shw_project_is_painting(project)))
        return painting->counts;
    free(painting->counts);
    painting->counts = calloc(2 * (classes + (size_t)1), sizeof *painting->counts);
    if (painting->counts == NULL) {
        shw_fail_memory(&painting->scene->log, "labels");
        return NULL;
    }
    more = painting->counts + classes + 1;
    for (uint32_t p = 0; p < shw_project_get_picture_count(project); p++) {
        if (shw_project_get_picture(project, p).stroke_count == 0 ||
            shw_project_count_labels(project, p, more) != SHW_OK)
            continue;
        for (uint32_t c = 0; c < classes; c++)
            painting->counts[c] += more[c];
    }
    painting->counted = shw_project_get_revision(project);
    return painting->counts;
}

/* Marks what a change of one revision has painted: everything within `reach` of the points. The revision differs by
 * more if something else has changed, too. */
static void take_mark(struct view_painting *painting, const struct shw_point *points, uint32_t count, uint32_t reach,
                      uint64_t before)
{
    int64_t left = INT32_MAX, top = INT32_MAX, right = INT32_MIN, bottom = INT32_MIN;

    painting->scene->redraw = true;
    if (painting->marked != before)
        return;
    for (uint32_t p = 0; p < count; p++) {
        left = points[p].x < left ? points[p].x : left;
        top = points[p].y < top ? points[p].y : top;
        right = points[p].x > right ? points[p].x : right;
        bottom = points[p].y > bottom ? points[p].y : bottom;
    }
    for (uint32_t l = 0; l < VIEW_LAYERS; l++)
        view_painted_mark(&painting->painted[l], left - reach, top - reach, right + reach + 1, bottom + reach + 1);
    painting->marked = shw_project_get_revision(painting->project->data);
}

enum shw_result view_painting_begin(struct view_painting *painting, uint32_t number, uint32_t radius,
                                    struct shw_point point)
{
    uint64_t before;

    SHW_PROPAGATE(view_painting_need_picture(painting));
    view_scene_keep(painting->scene);
    before = shw_project_get_revision(painting->project->data);
    SHW_PROPAGATE(shw_project_begin_stroke(painting->project->data, painting->picture, number, radius, point));
    painting->radius = radius;
    take_mark(painting, &point, 1, radius, before);
    painting->last = point;
    return SHW_OK;
}

enum shw_result view_painting_extend(struct view_painting *painting, struct shw_point point)
{
    struct shw_project *project = painting->project->data;
    uint64_t before = shw_project_get_revision(project);
    const struct shw_point segment[2] = {painting->last, point};

    SHW_PROPAGATE(view_painting_need_picture(painting)); /* training may have forgotten the whole picture */
    SHW_PROPAGATE(shw_project_extend_stroke(project, point));
    if (shw_project_get_revision(project) == before)
        return SHW_OK;
    take_mark(painting, segment, 2, painting->radius, before);
    painting->last = point;
    return SHW_OK;
}

enum shw_result view_painting_add(struct view_painting *painting, uint32_t number, const struct view_runs *runs)
{
    uint64_t before;

    SHW_PROPAGATE(view_painting_need_picture(painting));
    view_scene_keep(painting->scene);
    before = shw_project_get_revision(painting->project->data);
    SHW_PROPAGATE(
        shw_project_add_area(painting->project->data, painting->picture, number, runs->points, runs->count / 2));
    take_mark(painting, runs->points, runs->count, 0, before);
    return SHW_OK;
}

bool view_painting_last_point(const struct view_painting *painting, struct shw_point *point)
{
    struct shw_project_picture picture = {0};

    if (painting->project->data != NULL && painting->picture != UINT32_MAX)
        picture = shw_project_get_picture(painting->project->data, painting->picture);
    for (uint32_t s = picture.stroke_count; s > 0; s--) {
        const struct shw_stroke *stroke = &picture.strokes[s - 1];
        if (stroke->area)
            continue;
        *point = stroke->points[stroke->point_count - 1];
        return true;
    }
    return false;
}

bool view_painting_end(struct view_painting *painting)
{
    struct shw_project *project = painting->project->data;

    if (project == NULL || !shw_project_is_painting(project))
        return false;
    shw_project_end_stroke(project);
    painting->scene->redraw = true;
    return true;
}

void view_painting_update(struct view_painting *painting)
{
    uint64_t revision = shw_project_get_revision(painting->project->data);

    for (uint32_t l = 0; painting->marked != revision && l < VIEW_LAYERS; l++)
        view_painted_mark_all(&painting->painted[l]);
    painting->marked = revision;
}
