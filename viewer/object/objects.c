#include "object/objects.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "files/image/image_write.h"
#include "files/io/image_paths.h"
#include "files/objects/object_files.h"
#include "files/objects/outline.h"
#include "files/project/project_objects.h"
#include "source/file_place.h"

#define CORNERS_MAX (1u << 20) /* that are drawn */

static int compare_areas(const void *one, const void *two)
{
    const struct shw_object *a = *(const struct shw_object *const *)one, *b = *(const struct shw_object *const *)two;

    if (a->area != b->area)
        return a->area > b->area ? -1 : 1;
    return (a > b) - (a < b);
}

/* The numbers of objects, by falling area; NULL if memory is exhausted. */
static uint32_t *sort_by_area(const struct shw_objects *objects)
{
    const struct shw_object **sorted = malloc((objects->count + (size_t)1) * sizeof *sorted);
    uint32_t *numbers = malloc((objects->count + (size_t)1) * sizeof *numbers);

    if (sorted == NULL || numbers == NULL) {
        free(sorted);
        free(numbers);
        return NULL;
    }
    for (uint32_t i = 0; i < objects->count; i++)
        sorted[i] = &objects->list[i];
    qsort(sorted, objects->count, sizeof *sorted, compare_areas);
    for (uint32_t i = 0; i < objects->count; i++)
        numbers[i] = (uint32_t)(sorted[i] - objects->list) + 1;
    free(sorted);
    return numbers;
}

static void count_corner(void *user, uint32_t x, uint32_t y)
{
    (void)x, (void)y;
    ++*(uint32_t *)user;
}

/* Corners being collected. */
struct collection {
    struct view_corner *corners;
    uint32_t count;
};

static void add_corner(void *user, uint32_t x, uint32_t y)
{
    struct collection *collection = user;

    collection->corners[collection->count++] = (struct view_corner){x, y};
}

/* Decides whose outlines are drawn, the largest objects first: the others' corners become 0. Returns the corners. */
static uint32_t choose(struct view_found *found, const uint32_t *sorted, uint32_t *corners)
{
    uint32_t sum = 0, i = 0;

    for (; i < found->objects.count && sum + (uint64_t)corners[sorted[i]] <= CORNERS_MAX; i++)
        sum += corners[sorted[i]];
    found->without_outline = found->objects.count - i;
    for (; i < found->objects.count; i++)
        corners[sorted[i]] = 0;
    return sum;
}

static enum shw_result collect(struct view_found *found, const struct shw_object_outlines *outlines,
                               const uint32_t *corners, uint32_t corner_count)
{
    struct collection collection = {malloc((corner_count + (size_t)1) * sizeof *collection.corners), 0};
    const struct shw_outline_walk walk = {.corner = add_corner, .user = &collection};

    found->corners = collection.corners;
    found->contours = malloc((outlines->rings.count + (size_t)1) * sizeof *found->contours);
    if (found->corners == NULL || found->contours == NULL)
        return SHW_ERROR_MEMORY;
    for (uint32_t r = 0; r < outlines->rings.count; r++) {
        const struct shw_outline_ring *ring = &outlines->rings.list[r];
        uint32_t object = found->objects.numbers[ring->start], first = collection.count;

        if (corners[object] == 0)
            continue;
        shw_walk_outline(&outlines->plane, ring, &walk);
        found->contours[found->contour_count++] = (struct view_contour){object, first, collection.count - first};
    }
    return SHW_OK;
}

static enum shw_result outline(struct view_found *found, const uint32_t *sorted, const struct shw_log *log)
{
    struct shw_object_outlines outlines;
    uint32_t *corners = calloc(found->objects.count + (size_t)1, sizeof *corners);
    enum shw_result result =
        corners != NULL ? shw_object_outlines_find(&found->objects, log, &outlines) : SHW_ERROR_MEMORY;

    if (corners == NULL)
        return result;
    for (uint32_t r = 0; result == SHW_OK && r < outlines.rings.count; r++) {
        const struct shw_outline_ring *ring = &outlines.rings.list[r];
        const struct shw_outline_walk walk = {.corner = count_corner,
                                              .user = &corners[found->objects.numbers[ring->start]]};

        shw_walk_outline(&outlines.plane, ring, &walk);
    }
    if (result == SHW_OK)
        result = collect(found, &outlines, corners, choose(found, sorted, corners));
    shw_object_outlines_free(&outlines);
    free(corners);
    return result;
}

static enum shw_result make(const struct shw_object_picture *picture, const struct shw_image *image,
                            const struct shw_object_settings *settings, const struct shw_log *log,
                            struct view_found *found)
{
    SHW_PROPAGATE(shw_objects_find(picture, settings, log, &found->objects));
    found->values = malloc((found->objects.count + (size_t)1) * SHW_OBJECT_ATTRIBUTES * sizeof *found->values);
    if (found->values == NULL)
        return shw_fail_memory(log, "attributes of objects");
    SHW_PROPAGATE(shw_object_attributes_measure(&found->objects, image, picture->distribution, log, found->values));
    found->class_count = picture->class_count;
    found->counts = calloc(picture->class_count, sizeof *found->counts);
    found->largest = sort_by_area(&found->objects);
    found->listed = malloc(VIEW_LARGEST_MAX * sizeof *found->listed);
    if (found->counts == NULL || found->largest == NULL || found->listed == NULL)
        return shw_fail_memory(log, "objects");
    for (uint32_t n = 0; n < found->objects.count; n++)
        found->counts[found->objects.list[n].label]++;
    return outline(found, found->largest, log);
}

/* Accepts a pointer to NULL. Any thread. */
static void found_destroy(struct view_found **found)
{
    struct view_found *gone = *found;

    if (gone == NULL)
        return;
    shw_objects_free(&gone->objects);
    free(gone->values);
    free(gone->counts);
    free(gone->largest);
    free(gone->listed);
    free(gone->contours);
    free(gone->corners);
    free(gone);
    *found = NULL;
}

/* Finds objects, and what is shown of them. NULL on failure. Any thread. Errors: ARGUMENT, MEMORY. */
static enum shw_result found_make(const struct shw_object_picture *picture, const struct shw_image *image,
                                  const struct shw_object_settings *settings, const struct shw_log *log,
                                  struct view_found **made)
{
    enum shw_result result;

    *made = calloc(1, sizeof **made);
    if (*made == NULL)
        return shw_fail_memory(log, "objects");
    result = make(picture, image, settings, log, *made);
    if (result != SHW_OK)
        found_destroy(made);
    return result;
}

uint32_t view_found_at(const struct view_found *found, uint32_t x, uint32_t y)
{
    const struct shw_objects *objects = &found->objects;

    return x < objects->width && y < objects->height ? objects->numbers[(size_t)y * objects->width + x] : 0;
}

#define ALL_FILES ((1u << SHW_OBJECT_FILES) - 1)

static enum shw_result write_table(const struct view_objects_saving *saving, const char *path)
{
    const char *slash = strrchr(path, '/');
    char *files = strdup(slash != NULL ? slash + 1 : path);
    struct shw_object_table table;
    enum shw_result result;

    if (files == NULL)
        return shw_fail_memory(&saving->files.log, path);
    files[strlen(files) - strlen(shw_object_files[SHW_OBJECT_TABLE].ending)] = '\0';
    result = shw_object_table_open(&table, path, &saving->columns, &saving->files.log);
    if (result == SHW_OK)
        shw_object_table_add(&table, saving->picture, files, &saving->objects, saving->info->classes);
    free(files);
    return result == SHW_OK ? shw_object_table_commit(&table, &saving->files.log) : result;
}

static enum shw_result write_files(const struct view_objects_saving *saving, const struct shw_object_paths *made)
{
    for (uint32_t f = 0; f < SHW_OBJECT_FILES; f++)
        SHW_PROPAGATE(shw_output_files_look_again(&saving->files, made->paths[f]));
    SHW_PROPAGATE(write_table(saving, made->paths[SHW_OBJECT_TABLE]));
    return shw_object_files_write(made, &saving->objects, saving->info->classes, saving->info->class_count,
                                  &saving->columns, &saving->files.log);
}

static enum shw_result work(void *user)
{
    struct view_objects_saving *saving = user;
    struct shw_object_paths made;
    enum shw_result result = shw_object_paths_make(saving->stem, ALL_FILES, &saving->files.log, &made);

    if (result == SHW_OK)
        result = write_files(saving, &made);
    shw_object_paths_free(&made);
    return result;
}

static enum shw_result check(struct view_objects_saving *saving)
{
    struct shw_object_paths made;
    enum shw_result result = shw_object_paths_make(saving->stem, ALL_FILES, &saving->files.log, &made);

    for (uint32_t f = 0; result == SHW_OK && f < SHW_OBJECT_FILES; f++)
        shw_output_files_write(&saving->files, made.paths[f], shw_object_files[f].kind);
    shw_object_paths_free(&made);
    return result == SHW_OK ? shw_output_files_check(&saving->files) : result;
}

static void forget(struct view_objects_saving *saving)
{
    shw_objects_free(&saving->objects);
    shw_output_files_free(&saving->files);
    free(saving->stem);
    saving->stem = NULL;
}

/* Checks what is to be written, and begins: NAME_objects.csv, NAME_objects.geojson and NAME_instances.png into the
 * folder. Everything must stay until it is collected. Errors: ARGUMENT, IO, MEMORY. */
static enum shw_result view_objects_save(struct view_objects_saving *saving, const struct view_scene *scene,
                                         const char *picture, const struct shw_forest_info *info)
{
    static const struct view_job_kind kind = {"saving objects", (enum shw_priority)0, work, NULL};
    char name[SHW_BASE_NAME_SIZE];
    enum shw_result result;

    saving->wanted = saving->written = false;
    saving->picture = picture;
    saving->info = info;
    saving->stem = shw_path_in(saving->folder, shw_image_base_name(picture, name));
    view_outputs_begin(scene, &saving->files);
    SHW_TRY(saving->stem != NULL ? SHW_OK : shw_fail_memory(&scene->log, "file names"));
    SHW_TRY(view_make_folder(saving->folder, &scene->log));
    SHW_TRY(check(saving));
    if (saving->job.kind == NULL)
        view_job_init(&saving->job, &kind, saving);
    SHW_TRY(view_job_begin(&saving->job, &scene->log));
    saving->running = true;
    return SHW_OK;

fail:
    forget(saving);
    return result;
}

/* Whether it has ended; then *result is how. */
static bool view_objects_saved(struct view_objects_saving *saving, enum shw_result *result)
{
    if (!view_job_is_done(&saving->job))
        return false;
    *result = view_job_take(&saving->job);
    saving->running = false;
    saving->written = *result == SHW_OK;
    forget(saving);
    return true;
}

/* Waits for the end. */
static void view_objects_saving_destroy(struct view_objects_saving *saving)
{
    view_job_free(&saving->job);
    forget(saving);
    free(saving->folder);
    saving->folder = NULL;
}

#define PATIENCE   0.7                 /* seconds until objects of a forest are found that the next one may replace */
#define PLANES_MAX (UINT64_C(1) << 30) /* bytes of probabilities; without them for larger pictures */

void view_objects_init(struct view_scene *scene, const struct view_cursor *cursor, struct view_teaching *teaching,
                       struct view_objects *objects)
{
    *objects = (struct view_objects){.scene = scene, .cursor = cursor};
    view_kinds_init(teaching, &scene->log, &objects->kinds);
}

static void forget_found(struct view_objects *objects)
{
    found_destroy(&objects->found);
    view_shared_forest_release(&objects->shown.forest);
    free(objects->picture_name);
    objects->picture_name = NULL;
    objects->chosen = 0;
}

void view_objects_destroy(struct view_objects *objects)
{
    view_objects_saving_destroy(&objects->saving);
    view_label_worker_destroy(&objects->worker);
    view_kinds_destroy(&objects->kinds);
    view_picture_free(objects->pixels);
    forget_found(objects);
    found_destroy(&objects->made);
    view_shared_forest_release(&objects->begun.forest);
    free(objects->class_name);
    free(objects->kind_name);
    free(objects->classes);
    memset(objects, 0, sizeof *objects);
}

/* Whether that is what the scene shows, with the present settings. */
static bool is_current(const struct view_objects *objects, const struct view_objects_of *of)
{
    const struct view_scene *scene = objects->scene;

    return of->forest != NULL && of->forest == scene->forest && of->picture == scene->picture_count &&
           of->settings == objects->settings_count;
}

bool view_objects_are_current(const struct view_objects *objects)
{
    return objects->found != NULL && is_current(objects, &objects->shown);
}

bool view_objects_are_awaited(const struct view_objects *objects)
{
    return objects->awaited || objects->list_wanted || objects->saving.wanted || objects->saving.running;
}

const struct shw_forest_info *view_objects_info(const struct view_objects *objects)
{
    return shw_forest_get_info(objects->shown.forest->forest);
}

uint32_t view_objects_kind(const struct view_objects *objects)
{
    return objects->kind_name != NULL && objects->kinds.forest != NULL
               ? shw_object_forest_find(objects->kinds.forest, objects->kind_name)
               : UINT32_MAX;
}

bool view_objects_shows(const struct view_objects *objects, uint32_t object)
{
    const uint32_t kind = view_objects_kind(objects);

    return kind == UINT32_MAX || objects->found->objects.list[object - 1].kind == kind + 1;
}

/* Lists the largest of the objects that are shown. */
static void list_shown(struct view_objects *objects)
{
    struct view_found *found = objects->found;

    found->listed_count = found->shown_count = 0;
    for (uint32_t i = 0; i < found->objects.count; i++) {
        if (!view_objects_shows(objects, found->largest[i]))
            continue;
        if (found->listed_count < VIEW_LARGEST_MAX)
            found->listed[found->listed_count++] = found->largest[i];
        found->shown_count++;
    }
}

uint32_t view_objects_below(const struct view_objects *objects)
{
    double across, down;

    if (objects->found == NULL || !objects->cursor->on_picture ||
        !view_scene_find_place(objects->scene, objects->cursor->x, objects->cursor->y, &across, &down))
        return 0;
    return view_found_at(objects->found, (uint32_t)across, (uint32_t)down);
}

/* On the worker's thread. */
static void find(void *user, const uint16_t *results)
{
    struct view_objects *objects = user;
    struct shw_object_picture picture = objects->picture;

    picture.labels = results;
    picture.distribution = objects->with_planes ? results + (size_t)picture.width * picture.height : NULL;
    objects->result =
        found_make(&picture, &objects->pixels->image, &objects->searched, &objects->scene->log, &objects->made);
}

static uint32_t find_class(const char *name, const struct shw_forest_info *info)
{
    uint32_t number = 0;

    while (number < info->class_count && strcmp(info->classes[number].name, name) != 0)
        number++;
    return number < info->class_count ? number : UINT32_MAX;
}

enum shw_result view_object_classes(const char *class_name, const struct shw_forest_info *info,
                                    const struct shw_log *log, bool **chosen, struct shw_object_settings *settings)
{
    uint32_t number;

    if (class_name == NULL)
        return SHW_OK;
    free(*chosen);
    *chosen = calloc(info->class_count, sizeof **chosen);
    if (*chosen == NULL)
        return shw_fail_memory(log, "classes");
    settings->classes = *chosen;
    number = find_class(class_name, info);
    if (number != UINT32_MAX) {
        (*chosen)[number] = true;
        return SHW_OK;
    }
    return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "the forest has no class %s, whose objects are wanted",
                    class_name);
}

static enum shw_result begin(struct view_objects *objects)
{
    const struct view_scene *scene = objects->scene;
    const struct shw_forest_info *info = shw_forest_get_info(scene->forest->forest);
    const struct shw_image *image = &scene->picture->image;
    uint64_t plane = (uint64_t)image->width * image->height * sizeof(uint16_t);
    struct view_label_job job = {.forest = scene->forest, .then = find, .user = objects};
    struct shw_input inputs[SHW_INPUTS_MAX];

    view_shared_forest_release(&objects->begun.forest);
    objects->begun = (struct view_objects_of){scene->picture_count, view_shared_forest_share(scene->forest),
                                              objects->settings_count};
    objects->searched = objects->settings;
    SHW_PROPAGATE(view_object_classes(objects->class_name, info, &scene->log, &objects->classes, &objects->searched));
    job.inputs = view_picture_inputs(scene->picture, info->channel_list, inputs);
    job.planes = plane * info->class_count <= PLANES_MAX ? info->class_count : 0;
    objects->picture =
        (struct shw_object_picture){.width = image->width, .height = image->height, .class_count = info->class_count};
    objects->with_planes = job.planes > 0;
    view_picture_free(objects->pixels);
    objects->pixels = view_picture_share(scene->picture);
    for (uint32_t s = 0; s < SHW_STAGE_COUNT; s++)
        job.techniques[s] = SHW_TECHNIQUE_CPU;
    if (objects->worker == NULL)
        SHW_PROPAGATE(view_label_worker_create(&scene->log, &objects->worker));
    objects->result = SHW_OK;
    job.memory = view_parts_tile_memory(&scene->labelling, false);
    view_labelling_give(scene->picture, &job);
    SHW_PROPAGATE(view_label_worker_begin(objects->worker, &job));
    objects->running = true;
    return SHW_OK;
}

/* Takes what was found if it is still of use. */
static enum shw_result take(struct view_objects *objects)
{
    const uint16_t *results;
    double milliseconds;
    enum shw_result result = view_label_worker_take(objects->worker, &results, &milliseconds);
    struct view_found *made = objects->made;

    view_picture_free(objects->pixels);
    objects->pixels = NULL;
    objects->running = false;
    objects->made = NULL;
    result = result == SHW_OK ? objects->result : result;
    if (made == NULL || objects->begun.picture != objects->scene->picture_count) {
        found_destroy(&made);
        return result;
    }
    forget_found(objects);
    made->serial = ++objects->serial;
    made->kinds = UINT64_MAX; /* none yet */
    objects->found = made;
    objects->shown = objects->begun;
    objects->shown.forest = view_shared_forest_share(objects->begun.forest);
    objects->picture_name = strdup(objects->scene->picture->name);
    objects->scene->redraw = true;
    return objects->picture_name != NULL ? result : shw_fail_memory(&objects->scene->log, "a name");
}

/* Whether the forest of a project has yet to learn of its class whose objects are wanted, after a change of classes. */
static bool is_class_to_come(const struct view_objects *objects)
{
    const struct shw_project *project = objects->kinds.teaching->project.data;
    bool comes = false;

    for (uint32_t c = 0; objects->class_name != NULL && project != NULL && c < shw_project_get_class_count(project);
         c++)
        comes = comes || strcmp(shw_project_get_class(project, c)->name, objects->class_name) == 0;
    return comes && objects->scene->forest->path == NULL &&
           find_class(objects->class_name, shw_forest_get_info(objects->scene->forest->forest)) == UINT32_MAX;
}

/* Whether a search is worth while: the labels are there, and nothing newer is about to come. */
static bool is_due(struct view_objects *objects)
{
    const struct view_scene *scene = objects->scene;

    if (objects->seen != scene->forest) {
        objects->seen = scene->forest;
        objects->changed = view_clock();
    }
    if ((!objects->on && !view_objects_are_awaited(objects)) || scene->forest == NULL || scene->picture == NULL ||
        is_current(objects, &objects->begun) || !view_scene_is_current(scene) ||
        view_player_info(scene->player).playing || is_class_to_come(objects))
        return false;
    return scene->forest->full || view_clock() - objects->changed > PATIENCE;
}

static void print_list(const struct view_objects *objects)
{
    const struct view_found *found = objects->found;
    const struct shw_forest_info *info = view_objects_info(objects);

    for (uint32_t c = 0; c < found->class_count; c++)
        if (objects->class_name == NULL || strcmp(objects->class_name, info->classes[c].name) == 0)
            printf("%s: %u\n", shw_printable(info->classes[c].name).text, found->counts[c]);
    for (uint32_t i = 0; i < found->listed_count; i++) {
        const struct shw_object *object = &found->objects.list[found->listed[i] - 1];

        printf("object %u: %s, %u px, box %u %u %u %u", found->listed[i],
               shw_printable(info->classes[object->label].name).text, object->area, object->x, object->y, object->width,
               object->height);
        if (object->kind > 0)
            printf(", %s %.3f", shw_printable(view_objects_columns(objects).kinds[object->kind - 1].name).text,
                   object->kind_probability / 1e5);
        putchar('\n');
    }
    fflush(stdout);
}

/* The objects that are shown, for files. */
static enum shw_result copy_shown(const struct view_objects *objects, struct shw_objects *copy)
{
    const struct shw_objects *found = &objects->found->objects;
    const size_t pixels = (size_t)found->width * found->height;
    bool *kept = malloc(found->count + (size_t)1);
    enum shw_result result = SHW_OK;

    shw_objects_free(copy);
    *copy = *found;
    copy->list = malloc((found->count + (size_t)1) * sizeof *copy->list);
    copy->numbers = malloc(pixels * sizeof *copy->numbers);
    copy->labels = malloc(pixels * sizeof *copy->labels);
    if (kept == NULL || copy->list == NULL || copy->numbers == NULL || copy->labels == NULL) {
        free(kept);
        shw_objects_free(copy);
        return shw_fail_memory(&objects->scene->log, "objects");
    }
    memcpy(copy->list, found->list, found->count * sizeof *copy->list);
    memcpy(copy->numbers, found->numbers, pixels * sizeof *copy->numbers);
    memcpy(copy->labels, found->labels, pixels * sizeof *copy->labels);
    for (uint32_t n = 1; n <= found->count; n++)
        kept[n - 1] = view_objects_shows(objects, n);
    if (view_objects_kind(objects) != UINT32_MAX)
        result = shw_objects_keep(copy, kept, &objects->scene->log);
    free(kept);
    return result;
}

/* What scripts and the panel asked for is done once the objects are there. */
static enum shw_result serve(struct view_objects *objects)
{
    if (!view_objects_are_current(objects) || !view_kinds_are_current(&objects->kinds, objects->found))
        return SHW_OK;
    if (objects->list_wanted)
        print_list(objects);
    objects->list_wanted = objects->awaited = false;
    objects->saving.columns = view_objects_columns(objects);
    objects->found->objects.pixel_size = view_objects_pixel_side(objects);
    if (!objects->saving.wanted)
        return SHW_OK;
    SHW_PROPAGATE(copy_shown(objects, &objects->saving.objects));
    return view_objects_save(&objects->saving, objects->scene, objects->picture_name, view_objects_info(objects));
}

/* A failure ends what is awaited. */
static enum shw_result give_up(struct view_objects *objects, enum shw_result result)
{
    if (result != SHW_OK)
        objects->awaited = objects->list_wanted = objects->saving.wanted = false;
    return result;
}

/* As the shown picture's file states it. */
static double stated_side(const struct view_objects *objects)
{
    return objects->scene->picture != NULL ? objects->scene->picture->pixel_side : 0.0;
}

struct shw_pixel_size view_objects_pixel_size(const struct view_objects *objects)
{
    struct shw_pixel_size size = objects->pixel_size;

    if (size.source == SHW_PIXEL_SIZE_UNSET && stated_side(objects) > 0.0)
        size.source = SHW_PIXEL_SIZE_FILE;
    return size;
}

double view_objects_pixel_side(const struct view_objects *objects)
{
    const struct shw_pixel_size size = view_objects_pixel_size(objects);

    return shw_pixel_size_of(&size, stated_side(objects));
}

double view_objects_scale_side(const struct view_objects *objects)
{
    return objects->scale_bar ? view_objects_pixel_side(objects) : 0.0;
}

struct shw_object_columns view_objects_columns(const struct view_objects *objects)
{
    const struct shw_pixel_size size = view_objects_pixel_size(objects);
    struct shw_object_columns columns = {.units = shw_pixel_size_has_units(&size)};

    if (objects->kinds.forest != NULL)
        columns.kinds = shw_object_forest_classes(objects->kinds.forest, &columns.kind_count);
    return columns;
}

static enum shw_result take_name(const struct view_objects *objects, const char *name, char **taken)
{
    char *copy = name != NULL ? strdup(name) : NULL;

    if (name != NULL && copy == NULL)
        return shw_fail_memory(&objects->scene->log, "the settings of objects");
    free(*taken);
    *taken = copy;
    return SHW_OK;
}

static enum shw_result take_settings(struct view_objects *objects, const struct shw_project_objects *kept)
{
    SHW_PROPAGATE(take_name(objects, kept->class_name, &objects->class_name));
    SHW_PROPAGATE(take_name(objects, kept->kind_name, &objects->kind_name));
    objects->settings = (struct shw_object_settings){.smooth = kept->smooth,
                                                     .four = kept->four,
                                                     .hole_max = kept->hole_max,
                                                     .area_min = kept->area_min,
                                                     .area_max = kept->area_max};
    objects->pixel_size = kept->pixel_size;
    objects->size_field[0] = '\0';
    objects->kept_count = ++objects->settings_count;
    return SHW_OK;
}

/* The settings of another project. One that says nothing has the usual ones, but one that is begun in a window without
 * a project, as by painting, those of the window. */
static enum shw_result open_settings(struct view_objects *objects)
{
    const struct view_project *open = &objects->kinds.teaching->project;
    const struct shw_project_objects kept =
        open->data != NULL ? shw_project_get_objects(open->data) : (struct shw_project_objects){0};
    const bool begun = open->data != NULL && open->path == NULL && !objects->of_project;

    if (kept.set || objects->of_project || (open->data != NULL && !begun))
        SHW_PROPAGATE(take_settings(objects, &kept));
    objects->of_project = open->data != NULL;
    return SHW_OK;
}

static enum shw_result keep_settings(struct view_objects *objects, struct shw_project *project)
{
    const struct shw_object_settings *settings = &objects->settings;
    const struct shw_project_objects kept = {.set = true,
                                             .class_name = objects->class_name,
                                             .kind_name = objects->kind_name,
                                             .smooth = settings->smooth,
                                             .hole_max = settings->hole_max,
                                             .area_min = settings->area_min,
                                             .area_max = settings->area_max,
                                             .four = settings->four,
                                             .pixel_size = objects->pixel_size};

    if (objects->kept_count == objects->settings_count &&
        (shw_project_get_objects(project).set || view_kinds_count(&objects->kinds) == 0))
        return SHW_OK;
    objects->kept_count = objects->settings_count;
    return shw_project_set_objects(project, &kept);
}

/* The project's classes may have been renamed, deleted or brought back. */
static enum shw_result follow_names(struct view_objects *objects, const struct shw_project *project)
{
    const struct shw_project_objects kept = shw_project_get_objects(project);

    if (!kept.set || (shw_text_is_same(kept.class_name, objects->class_name) &&
                      shw_text_is_same(kept.kind_name, objects->kind_name)))
        return SHW_OK;
    objects->scene->redraw = true;
    SHW_PROPAGATE(take_name(objects, kept.class_name, &objects->class_name));
    SHW_PROPAGATE(take_name(objects, kept.kind_name, &objects->kind_name));
    objects->kept_count = ++objects->settings_count;
    return SHW_OK;
}

enum shw_result view_objects_follow(struct view_objects *objects)
{
    struct view_kinds *kinds = &objects->kinds;
    struct shw_project *project = kinds->teaching->project.data;

    if (kinds->project != kinds->teaching->opened) {
        kinds->project = kinds->teaching->opened;
        view_kinds_reset(kinds);
        SHW_PROPAGATE(open_settings(objects));
        objects->on = objects->on || (project != NULL && shw_project_get_objects(project).set);
    }
    if (project == NULL)
        return SHW_OK;
    SHW_PROPAGATE(keep_settings(objects, project));
    return follow_names(objects, project);
}

/* Also what pictures state; object classes are predicted. */
static enum shw_result keep_up(struct view_objects *objects)
{
    const struct view_scene *scene = objects->scene;
    struct view_kinds *kinds = &objects->kinds;

    SHW_PROPAGATE(view_objects_follow(objects));
    if (kinds->hand != VIEW_NO_KIND &&
        (kinds->teaching->project.data == NULL || kinds->teaching->hand != VIEW_HAND_PAN || !objects->on))
        kinds->hand = VIEW_NO_KIND; /* another tool was taken */
    SHW_PROPAGATE(view_kinds_poll(kinds, objects->found, view_objects_are_current(objects) && scene->forest->full,
                                  &objects->scene->redraw));
    if (objects->found != NULL)
        list_shown(objects);
    return SHW_OK;
}

static enum shw_result advance(struct view_objects *objects)
{
    enum shw_result result = SHW_OK;

    if (objects->saving.running) {
        if (!view_objects_saved(&objects->saving, &result))
            return SHW_OK; /* what was found must stay meanwhile */
        objects->scene->redraw = true;
        SHW_PROPAGATE(result);
    }
    if (objects->found != NULL &&
        (objects->shown.picture != objects->scene->picture_count || objects->scene->forest == NULL))
        forget_found(objects);
    if (objects->running && view_label_worker_done(objects->worker))
        SHW_PROPAGATE(take(objects));
    SHW_PROPAGATE(keep_up(objects));
    SHW_PROPAGATE(serve(objects));
    return !objects->running && is_due(objects) ? begin(objects) : SHW_OK;
}

enum shw_result view_objects_poll(struct view_objects *objects)
{
    return give_up(objects, advance(objects));
}
