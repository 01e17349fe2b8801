#include "export/export_job.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "dense/input/inputs.h"
#include "files/dataset/examples.h"
#include "files/io/image_paths.h"
#include "files/output/calibrated.h"
#include "teach/project_file.h"
#include "teach/teaching.h"

#define LABELLED (VIEW_EXPORT_OF_EACH | VIEW_EXPORT_FOREST | VIEW_EXPORT_VIDEOS)

static enum shw_result copy_list(const struct shw_image_paths *list, const struct shw_log *log,
                                 struct view_export_settings *settings)
{
    settings->list = (struct shw_image_paths){0};
    for (uint32_t i = 0; i < list->count; i++)
        if (!shw_image_paths_add(&settings->list, "", list->paths[i]))
            return shw_fail_memory(log, "a list of pictures");
    return SHW_OK;
}

static enum shw_result copy_classes(const struct view_teaching *teaching, struct view_export_job *job)
{
    uint32_t count = teaching->class_count;

    job->classes = calloc(count + (size_t)1, sizeof *job->classes);
    for (uint32_t c = 0; job->classes != NULL && c < count; c++) {
        job->classes[c] = teaching->classes[c];
        job->classes[c].name = strdup(teaching->classes[c].name);
        if (job->classes[c].name == NULL)
            return shw_fail_memory(&job->log, "the classes");
        job->class_count = c + 1;
    }
    return job->classes != NULL ? SHW_OK : shw_fail_memory(&job->log, "the classes");
}

/* The pictures of the project; pixels are shared if they are in memory. */
static enum shw_result copy_examples(struct shw_project *project, struct view_export_job *job)
{
    uint32_t count = shw_project_get_picture_count(project);

    job->examples = calloc(count + (size_t)1, sizeof *job->examples);
    for (uint32_t p = 0; job->examples != NULL && p < count; p++) {
        struct view_export_example *example = &job->examples[p];
        example->name = strdup(shw_project_get_picture(project, p).name);
        if (shw_project_has_pixels(project, p))
            example->pixels = shw_project_share_pixels(project, p);
        job->example_count = p + 1;
        if (example->name == NULL)
            return shw_fail_memory(&job->log, "a list of pictures");
    }
    return job->examples != NULL ? SHW_OK : shw_fail_memory(&job->log, "a list of pictures");
}

static enum shw_result copy_project(struct view_teaching *teaching, struct view_export_job *job)
{
    if (teaching->project.data == NULL)
        return SHW_OK;
    view_teaching_end_stroke(teaching);
    SHW_PROPAGATE(copy_classes(teaching, job));
    SHW_PROPAGATE(copy_examples(teaching->project.data, job));
    return view_project_copy(&teaching->project, &job->log, &job->project);
}

/* What the shown picture is or would be called in the project. */
static enum shw_result name_shown(const struct view_project *project, struct view_export_job *job)
{
    const struct view_picture *picture = job->shown;

    if (picture == NULL)
        return SHW_OK;
    job->shown_known =
        shw_image_has_file(picture->name) ? strdup(picture->name) : view_project_shown_name(project, picture);
    return job->shown_known != NULL ? SHW_OK : shw_fail_memory(&job->log, picture->name);
}

static enum shw_result copy_source(const struct view_player *player, struct view_export_job *job)
{
    enum view_source_kind kind;

    if (player->source == NULL || (kind = view_player_info(player).kind) == VIEW_SOURCE_CAMERA)
        return SHW_OK;
    job->whole = kind != VIEW_SOURCE_VIDEO;
    job->source = view_source_spec(player->source);
    return job->source != NULL ? SHW_OK : shw_fail_memory(&job->log, "a source");
}

static void copy_other_inputs(const struct view_player *player, struct view_export_job *job)
{
    job->others.files = job->unordered.files = player->others.files;
    job->others.count = job->unordered.count = player->others.count;
    job->others.beside = job->unordered.beside = player->others.beside;
    job->others.frames = player->others.frames;
    atomic_init(&job->others.own, atomic_load(&player->others.own));
    atomic_init(&job->unordered.own, atomic_load(&player->others.own));
    atomic_init(&job->others.planes, atomic_load(&player->others.planes));
    atomic_init(&job->unordered.planes, atomic_load(&player->others.planes));
    atomic_init(&job->others.previous, false);
    atomic_init(&job->unordered.previous, false);
}

/* Only objects of an object class, if one was chosen. */
static enum shw_result choose_kinds(const struct view_objects *objects, struct view_export_job *job)
{
    uint32_t count = 0, number;

    if (objects->kind_name == NULL || job->object_forest == NULL)
        return SHW_OK;
    number = shw_object_forest_find(job->object_forest, objects->kind_name);
    if (number == UINT32_MAX)
        return SHW_OK;
    shw_object_forest_classes(job->object_forest, &count);
    job->object_kinds = calloc(count, sizeof *job->object_kinds);
    if (job->object_kinds == NULL)
        return shw_fail_memory(&job->log, "object classes");
    job->object_kinds[number] = true;
    job->each.objects.kinds = job->object_kinds;
    return SHW_OK;
}

/* The size of pixels; with a scale bar, files are asked unless something was said. */
static void take_pixel_size(const struct view_objects *objects, struct view_export_job *job)
{
    struct shw_pixel_size *size = &job->each.objects.pixel_size;

    *size = view_objects_pixel_size(objects);
    job->scale_bar = objects->scale_bar;
    if (job->scale_bar && size->source == SHW_PIXEL_SIZE_UNSET)
        size->source = SHW_PIXEL_SIZE_FILE;
}

/* The settings of the panel. */
static enum shw_result take_objects(const struct view_objects *objects, const struct shw_forest_info *info,
                                    struct view_export_job *job)
{
    job->each.objects = (struct shw_label_objects){.wanted = true,
                                                   .table = true,
                                                   .outlines = true,
                                                   .instances = true,
                                                   .settings = objects->settings,
                                                   .pixel_size = job->each.objects.pixel_size,
                                                   .names = info->classes,
                                                   .class_count = info->class_count};
    SHW_PROPAGATE(view_kinds_train(&objects->kinds, &job->log, &job->object_forest));
    job->each.objects.forest = job->object_forest;
    SHW_PROPAGATE(choose_kinds(objects, job));
    return view_object_classes(objects->class_name, info, &job->log, &job->object_classes, &job->each.objects.settings);
}

/* One list of classes beside the files says what the numbers in all of them mean. */
static enum shw_result check_classes(const struct view_scene *scene, const struct view_export_job *job)
{
    if ((job->content & VIEW_EXPORT_STROKES) == 0 || (job->content & LABELLED) == 0 ||
        view_scene_forest_has_project_classes(scene))
        return SHW_OK;
    return shw_fail(&job->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                    "%s has other classes than the project: export strokes alone, and what the forest labels to "
                    "another folder",
                    scene->forest->path);
}

/* Whether there are pictures to write. */
static enum shw_result check_pictures(const struct view_teaching *teaching, const struct view_export_job *job)
{
    enum view_export_pictures pictures = job->settings.pictures;

    if ((job->content & VIEW_EXPORT_STROKES) != 0 || pictures == VIEW_EXPORT_PROJECT)
        SHW_PROPAGATE(view_project_need(&teaching->project, &job->log));
    if (job->content == VIEW_EXPORT_FOREST)
        return SHW_OK;
    if (pictures == VIEW_EXPORT_SHOWN && job->shown == NULL)
        return shw_fail(&job->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "no picture is shown");
    if (pictures == VIEW_EXPORT_LIST && job->settings.list.count == 0)
        return shw_fail(&job->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "the list of pictures to export is empty: `export-add FILE` adds to it");
    return SHW_OK;
}

/* Makes the power of the forest's probabilities, if any are exported. Errors: ARGUMENT, MEMORY. */
static enum shw_result take_power(struct view_export_job *job)
{
    struct shw_smoothing smoothing;

    if (!job->settings.calibrated || (job->content & (VIEW_EXPORT_PROBABILITIES | VIEW_EXPORT_OBJECTS)) == 0)
        return SHW_OK;
    smoothing = view_shared_forest_smoothing(job->forest);
    return shw_forest_power_make(shw_forest_get_info(job->forest->forest), &smoothing,
                                 job->forest->path != NULL ? job->forest->path : "the project's forest", &job->log,
                                 &job->power);
}

enum shw_result view_export_job_make(struct view_teaching *teaching, const struct view_export_settings *settings,
                                     unsigned content, const char *path, const struct shw_log *log,
                                     struct view_export_job *job)
{
    const struct view_scene *scene = teaching->scene;
    const struct shw_image_choice choice = view_player_get_choice(scene->player);

    *job = (struct view_export_job){.log = *log, .content = content, .settings = *settings};
    view_choice_init(&job->choice, &choice);
    atomic_init(&job->gives_way, false);
    SHW_PROPAGATE(copy_list(&settings->list, &job->log, &job->settings));
    job->shown = scene->picture != NULL ? view_picture_share(scene->picture) : NULL;
    SHW_PROPAGATE(check_pictures(teaching, job));
    job->path = strdup(path);
    if (job->path == NULL)
        return shw_fail_memory(&job->log, path);
    copy_other_inputs(scene->player, job);
    return copy_source(scene->player, job);
}

bool view_export_job_labels(const struct view_export_job *job)
{
    return (job->content & LABELLED) != 0;
}

static enum shw_result take_forest(const struct view_scene *scene, struct view_export_job *job)
{
    bool previous;

    if (!view_export_job_labels(job))
        return SHW_OK;
    if (scene->forest == NULL)
        return shw_fail(&job->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "there is no forest: load one, or paint and train one");
    job->forest = view_shared_forest_share(scene->forest);
    previous = shw_channels_read(shw_forest_get_info(job->forest->forest)->channel_list, SHW_PREVIOUS);
    atomic_store(&job->others.previous, previous);
    atomic_store(&job->unordered.previous, previous); /* which single pictures may have as their own */
    return take_power(job);
}

enum shw_result view_export_job_take(struct view_teaching *teaching, const struct view_objects *objects,
                                     struct view_export_job *job)
{
    const struct view_scene *scene = teaching->scene;

    SHW_PROPAGATE(take_forest(scene, job));
    SHW_PROPAGATE(check_classes(scene, job));
    take_pixel_size(objects, job);
    if ((job->content & VIEW_EXPORT_OBJECTS) != 0)
        SHW_PROPAGATE(take_objects(objects, shw_forest_get_info(job->forest->forest), job));
    view_outputs_begin(scene, &job->files);
    view_project_list_files(&teaching->project, true, &job->files);
    job->files.log = job->log;
    job->files.overwrite = job->files.overwrite || job->settings.existing == VIEW_EXPORT_REPLACE;
    SHW_PROPAGATE(copy_project(teaching, job));
    return name_shown(&teaching->project, job);
}

static void free_sources(struct view_export_job *job)
{
    for (uint32_t s = 0; s < job->source_count; s++) {
        if (job->sources[s].reader.close != NULL)
            job->sources[s].reader.close(job->sources[s].reader.user);
        view_spec_free(&job->sources[s].spec);
    }
    free(job->sources);
}

static void free_pictures(struct view_export_job *job)
{
    for (uint32_t i = 0; i < job->item_count; i++) {
        free(job->items[i].name);
        free(job->items[i].place);
        shw_pixels_release(&job->items[i].pixels);
    }
    for (uint32_t e = 0; e < job->example_count; e++) {
        free(job->examples[e].name);
        shw_pixels_release(&job->examples[e].pixels);
    }
    for (uint32_t c = 0; c < job->class_count; c++)
        free((char *)(uintptr_t)job->classes[c].name);
    free(job->items);
    free(job->examples);
    free(job->classes);
}

void view_export_job_free(struct view_export_job *job)
{
    view_job_free(&job->job);
    free_sources(job);
    free_pictures(job);
    shw_result_journal_close(&job->journal);
    shw_label_files_free(&job->each.labels);
    shw_object_table_abandon(&job->table);
    shw_object_forest_destroy(&job->object_forest);
    free(job->power);
    free(job->object_classes);
    free(job->object_kinds);
    free(job->table_path);
    shw_output_files_free(&job->files);
    view_project_close(&job->project);
    view_shared_forest_release(&job->forest);
    view_picture_free(job->shown);
    shw_image_paths_free(&job->settings.list);
    shw_image_paths_free(&job->folders);
    free(job->path);
    free(job->shown_known);
    free(job->source);
    free(job->classes_path);
    free(job->forest_path);
    view_choice_destroy(&job->choice);
}

struct view_export_progress view_export_get_progress(struct view_export_job *job)
{
    struct view_export_progress progress;

    view_job_lock(&job->job);
    progress = job->progress;
    view_job_unlock(&job->job);
    return progress;
}
