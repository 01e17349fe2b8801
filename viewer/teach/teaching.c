#include "teach/teaching.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/machine.h"
#include "base/text.h"
#include "source/browser.h"
#include "teach/planes.h"

enum shw_result view_teaching_begin_output(const struct view_teaching *teaching, const char *path,
                                           const struct shw_file_kind *kind, struct shw_output_files *files)
{
    view_outputs_begin(teaching->scene, files);
    view_project_list_files(&teaching->project, true, files);
    shw_output_files_write(files, path, kind);
    return shw_output_files_check(files);
}

enum shw_result view_teaching_check_output(const struct view_teaching *teaching, const char *path,
                                           const struct shw_file_kind *kind)
{
    struct shw_output_files files;
    enum shw_result result = view_teaching_begin_output(teaching, path, kind, &files);

    shw_output_files_free(&files);
    return result;
}

/* For the project's file; without memory, it is not known there. */
static void note_shown(struct view_teaching *teaching)
{
    const struct view_picture *picture = teaching->scene->picture;

    free(teaching->project.shown);
    teaching->project.shown = picture != NULL && picture->name != NULL ? strdup(picture->name) : NULL;
}

/* Pictures of the project that are files come with the inputs that are theirs; `again`: also the shown one, at once. */
static enum shw_result take_own_inputs(const struct view_teaching *teaching, bool again)
{
    struct shw_own_inputs own = {0};

    SHW_PROPAGATE(shw_project_list_own_inputs(teaching->project.data, true, &own));
    return view_player_read_own(teaching->scene->player, &own, again);
}

enum shw_result view_teaching_save(struct view_teaching *teaching, const char *path, bool replace)
{
    struct shw_output_files files;
    enum shw_result result;

    SHW_PROPAGATE(view_project_need(&teaching->project, &teaching->scene->log));
    view_teaching_end_stroke(teaching);
    view_outputs_begin(teaching->scene, &files);
    files.overwrite = files.overwrite || replace;
    view_project_list_files(&teaching->project, false, &files);
    note_shown(teaching);
    result = view_project_write(&teaching->project, path, &files, &teaching->scene->log);
    shw_output_files_free(&files);
    teaching->saves += result == SHW_OK;
    return result == SHW_OK ? take_own_inputs(teaching, false) : result;
}

#define FRAME_SECONDS 0.008  /* of a frame, for training */
#define PAUSE_SECONDS 0.002  /* that the trainer may take between two slices before the frame continues */
#define POLL_SECONDS  0.0005 /* in which most slices of the first forest are over on a graphics card */
#define STROKES       70u    /* opacity, percent */
#define RADIUS        6u     /* of brush and eraser at first, on the screen: pictures have any number of pixels */

const char *const view_trainer_names[VIEW_TRAINER_COUNT] = {"auto", "device", "cpu"};

enum shw_result view_teaching_create(struct view_scene *scene, const struct view_cursor *cursor,
                                     struct view_annotating *annotating, struct view_teaching *teaching)
{
    const struct view_gpu *gpu = scene->labelling.params.gpu;
    VkCommandBufferAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                            .commandPool = gpu->pool,
                                            .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                            .commandBufferCount = 1};
    VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};

    *teaching = (struct view_teaching){
        .scene = scene, .cursor = cursor, .annotating = annotating, .brush = {RADIUS, true}, .eraser = {RADIUS, true}};
    teaching->painting.scene = scene;
    teaching->painting.project = &teaching->project;
    teaching->painting.slice = VIEW_PAINTING_SLICE;
    teaching->painting.picture = UINT32_MAX;
    VIEW_PROPAGATE(gpu, vkAllocateCommandBuffers, gpu->device, &allocate, &teaching->commands);
    VIEW_PROPAGATE(gpu, vkCreateFence, gpu->device, &fence, NULL, &teaching->fence);
    return SHW_OK;
}

static void free_classes(struct view_teaching *teaching)
{
    for (uint32_t c = 0; c < teaching->class_count; c++)
        free((char *)(uintptr_t)teaching->classes[c].name);
    free(teaching->classes);
    teaching->classes = NULL;
    teaching->class_count = 0;
    teaching->scene->project = (struct view_classes){0};
}

/* Another picture or tool, or other classes: what is in progress on the shown picture ends. */
static void give_up_tools(struct view_teaching *teaching)
{
    if (teaching->outline.count > 1)
        shw_log_message(&teaching->scene->log, SHW_LOG_WARNING, SHW_LOG_PROJECT,
                        "the outline that was not closed was given up");
    if (teaching->wand.waits)
        shw_log_message(&teaching->scene->log, SHW_LOG_WARNING, SHW_LOG_PROJECT,
                        "the wand was given up before all was labelled that it waited for");
    teaching->approach.on = false;
    view_annotating_give_up(teaching->annotating);
    view_outline_drop(&teaching->outline);
    view_wand_give_up(&teaching->wand);
}

void view_teaching_end_preview(struct view_teaching *teaching)
{
    if (!teaching->preview.on)
        return;
    free(teaching->preview.depth);
    memset(&teaching->preview, 0, sizeof teaching->preview);
    view_scene_compare_with(teaching->scene, NULL);
}

static void close_project(struct view_teaching *teaching)
{
    give_up_tools(teaching);
    view_teaching_end_preview(teaching);
    view_ranking_drop(&teaching->ranking);
    view_frames_before_end(&teaching->frames_before);
    view_train_worker_destroy(&teaching->worker);
    shw_held_out_free(&teaching->accuracy);
    teaching->measurements = 0;
    view_project_close(&teaching->project);
    teaching->opened++;
    view_painting_reset(&teaching->painting);
    free_classes(teaching);
    teaching->renumbered = 0;
    memset(&teaching->fields, 0, sizeof teaching->fields);
    teaching->wait = VIEW_WAIT_NONE;
    teaching->times = (struct view_stroke_times){0};
    view_question_end(&teaching->question, false);
    view_autosave_update(teaching->autosave, &teaching->project, view_clock());
}

void view_teaching_destroy(struct view_teaching *teaching)
{
    const struct view_gpu *gpu;

    if (teaching->scene == NULL)
        return;
    gpu = teaching->scene->labelling.params.gpu;
    if (teaching->rescue) {
        view_autosave_rescue(teaching->autosave, &teaching->project);
        view_autosave_destroy(&teaching->autosave, false);
    }
    close_project(teaching);
    shw_remote_destroy(&teaching->away.remote, VIEW_AWAY_PATIENCE);
    view_autosave_destroy(&teaching->autosave, false);
    view_left_free(&teaching->recovered);
    view_question_free(&teaching->question);
    view_search_destroy(&teaching->search);
    view_picture_list_free(&teaching->list);
    view_box_marks_free(&teaching->box_marks);
    view_thumbnails_free(&teaching->thumbnails);
    view_painting_destroy(&teaching->painting);
    vkDestroyFence(gpu->device, teaching->fence, NULL);
    if (teaching->commands != VK_NULL_HANDLE)
        vkFreeCommandBuffers(gpu->device, gpu->pool, 1, &teaching->commands);
    teaching->scene = NULL;
}

/* Responses per slice: a few milliseconds' work, or on a CPU as few as are worth a submission. */
static uint64_t slice_work(const struct view_gpu *gpu)
{
    switch (gpu->properties.deviceType) {
    case VK_PHYSICAL_DEVICE_TYPE_CPU: return (uint64_t)1 << 20;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU: return (uint64_t)1 << 24;
    default: return (uint64_t)1 << 26;
    }
}

/* Whether frames record training, in slices. */
static bool is_recorded(const struct view_gpu *gpu, enum view_trainer trainer)
{
    return trainer == VIEW_TRAINER_DEVICE ||
           (trainer == VIEW_TRAINER_AUTO && gpu->properties.deviceType != VK_PHYSICAL_DEVICE_TYPE_CPU);
}

bool view_teaching_is_recorded(const struct view_teaching *teaching)
{
    return is_recorded(teaching->scene->labelling.params.gpu, teaching->trainer);
}

/* Training, whose trainer is kept, and measuring accuracy share the host's memory equally. */
static enum shw_result make_worker(const struct view_teaching *teaching, enum view_trainer trainer, uint64_t memory,
                                   struct view_train_worker **worker)
{
    const struct view_gpu *gpu = teaching->scene->labelling.params.gpu;
    bool recorded = is_recorded(gpu, trainer);
    uint64_t half = (memory > 0 ? memory : shw_machine_memory() / 4) / 2;
    struct view_train_worker_params params = {.device = recorded ? gpu->shadewood : NULL,
                                              .recorded = recorded,
                                              .remote = teaching->away.remote,
                                              .judges = true,
                                              .work_max = recorded ? slice_work(gpu) : 0,
                                              .memory = recorded ? 0 : half,
                                              .judge_memory = half,
                                              .log = teaching->scene->log};

    return view_train_worker_create(&params, worker);
}

/* Replaces the worker. */
static void take_worker(struct view_teaching *teaching, struct view_train_worker *worker)
{
    view_train_worker_destroy(&teaching->worker);
    shw_held_out_free(&teaching->accuracy);
    teaching->worker = worker;
    teaching->number = teaching->measurements = 0;
}

static enum shw_result restart(struct view_teaching *teaching, enum view_trainer trainer, uint64_t memory)
{
    struct view_train_worker *worker;

    if (teaching->project.data == NULL)
        return SHW_OK;
    SHW_PROPAGATE(make_worker(teaching, trainer, memory, &worker));
    take_worker(teaching, worker);
    return SHW_OK;
}

enum shw_result view_teaching_restart(struct view_teaching *teaching)
{
    return restart(teaching, teaching->trainer, teaching->memory);
}

enum shw_result view_teaching_set_trainer(struct view_teaching *teaching, enum view_trainer trainer)
{
    SHW_PROPAGATE(restart(teaching, trainer, teaching->memory));
    teaching->trainer = trainer;
    return SHW_OK;
}

enum shw_result view_teaching_set_memory(struct view_teaching *teaching, uint64_t bytes)
{
    SHW_PROPAGATE(restart(teaching, teaching->trainer, bytes));
    teaching->memory = bytes;
    return SHW_OK;
}

/* A project that has pictures says how they are read. */
static void take_choice(struct view_teaching *teaching)
{
    if (shw_project_get_picture_count(teaching->project.data) > 0)
        teaching->scene->player->chosen = shw_project_get_choice(teaching->project.data);
}

/* Pictures come with the other inputs that the project is trained on; `keeps`: and with those that the shown forest may
 * read, if that reads more. */
static enum shw_result take_inputs(struct view_teaching *teaching, bool keeps)
{
    struct view_scene *scene = teaching->scene;
    struct view_player *player = scene->player;
    struct shw_project *project = teaching->project.data;
    const bool moves = shw_project_reads(project, SHW_PREVIOUS);
    struct shw_input_file beside[SHW_INPUTS_MAX];
    struct shw_project_files files;
    uint32_t count = 0;
    enum shw_result result = SHW_OK;

    SHW_PROPAGATE(take_own_inputs(teaching, true));
    SHW_PROPAGATE(shw_project_list_inputs(project, UINT32_MAX, &files));
    scene->taught_planes.count = 0;
    for (uint32_t i = 0; i < files.count; i++)
        if (files.files[i].of_image)
            scene->taught_planes.names[scene->taught_planes.count++] = files.files[i].name;
        else
            beside[count++] = files.files[i];
    if (!keeps || count >= player->others.beside)
        result = view_player_read_beside(player, beside, count, moves || (keeps && player->others.frames));
    shw_project_files_free(&files);
    view_scene_teach_motion(scene, moves);
    return result == SHW_OK ? view_scene_follow_planes(scene) : result;
}

enum shw_result view_teaching_set_plane_files(struct view_teaching *teaching, const char *name, const char *pattern)
{
    struct shw_project *project = teaching->project.data;
    char *before;
    enum shw_result result;

    if (!shw_text_copy(shw_project_get_input(project, name), &before))
        return shw_fail_memory(&teaching->scene->log, name);
    view_teaching_end_stroke(teaching);
    result = shw_project_set_input(project, name, pattern);
    if (result == SHW_OK) {
        result = shw_project_check_files(project, &teaching->scene->log);
        if (result != SHW_OK)
            shw_project_set_input(project, name, before);
    }
    free(before);
    return result == SHW_OK ? take_inputs(teaching, true) : result;
}

/* The pictures of the folder that is open know the frames before them. */
static enum shw_result keep_frames(const struct view_teaching *teaching)
{
    const struct view_source_info info = view_player_info(teaching->scene->player);
    enum shw_result result = SHW_OK;

    for (uint32_t i = 0; info.kind == VIEW_SOURCE_FOLDER && i < info.count && result == SHW_OK; i++)
        result = view_painting_keep_previous(&teaching->painting, i);
    return result;
}

enum shw_result view_teaching_set_training(struct view_teaching *teaching, const struct shw_project_training *training,
                                           const char *depth)
{
    struct shw_project *project = teaching->project.data;
    const struct shw_project_training before = shw_project_get_training(project);
    const char *given = shw_project_get_input(project, SHW_DEPTH);
    char *pattern = given != NULL ? strdup(given) : NULL;
    enum shw_result result = pattern != NULL || given == NULL ? SHW_OK : shw_fail_memory(&teaching->scene->log, given);

    view_teaching_end_stroke(teaching);
    if (result == SHW_OK && depth != NULL)
        result = shw_project_set_input(project, SHW_DEPTH, *depth != '\0' ? depth : NULL);
    if (result == SHW_OK)
        result = shw_project_set_training(project, training);
    if (result == SHW_OK) {
        result = shw_project_check_files(project, &teaching->scene->log);
        if (result != SHW_OK)
            shw_project_set_training(project, &before);
    }
    if (result != SHW_OK && depth != NULL)
        shw_project_set_input(project, SHW_DEPTH, pattern);
    free(pattern);
    if (result == SHW_OK && shw_project_reads(project, SHW_PREVIOUS))
        result = keep_frames(teaching);
    return result == SHW_OK ? take_inputs(teaching, true) : result;
}

enum shw_result view_teaching_put_text(struct view_teaching *teaching, const char *file,
                                       const struct shw_code_made *made)
{
    struct shw_project *project = teaching->project.data;
    const char *folder = teaching->project.folder != NULL ? teaching->project.folder : "";
    char *path = view_name_from(folder, file);
    struct shw_project_texts *before = NULL;
    enum shw_result result;

    view_teaching_end_stroke(teaching);
    if (path == NULL || !shw_project_keep_texts(project, &before)) {
        shw_code_let_go(made);
        free(path);
        return shw_fail_memory(&teaching->scene->log, file);
    }
    result = shw_project_put_text(project, path, made);
    free(path);
    if (result == SHW_OK) {
        result = shw_project_check_files(project, &teaching->scene->log);
        if (result != SHW_OK)
            shw_project_return_texts(project, &before);
    }
    shw_project_forget_texts(&before);
    return result == SHW_OK ? take_inputs(teaching, true) : result;
}

enum shw_result view_teaching_remove_text(struct view_teaching *teaching, uint32_t index)
{
    view_teaching_end_stroke(teaching);
    shw_project_remove_text(teaching->project.data, index);
    return take_inputs(teaching, true);
}

/* Opens a project in place of the current one and takes ownership. */
static enum shw_result use(struct view_teaching *teaching, struct view_project *project)
{
    struct view_train_worker *worker;
    enum shw_result result = make_worker(teaching, teaching->trainer, teaching->memory, &worker);

    if (result != SHW_OK) { /* the current project stays open */
        view_project_close(project);
        return result;
    }
    close_project(teaching);
    teaching->project = *project;
    take_worker(teaching, worker);
    take_choice(teaching);
    teaching->scene->taught_planes.all = false;
    SHW_PROPAGATE(view_scene_show_planes(teaching->scene, shw_project_get_shown_planes(project->data)));
    SHW_PROPAGATE(take_inputs(teaching, false));
    SHW_PROPAGATE(view_teaching_classes_changed(teaching));
    SHW_PROPAGATE(view_scene_set_forest(teaching->scene, NULL));
    SHW_PROPAGATE(view_scene_smooth(teaching->scene, false, 0));
    view_teaching_take_in_hand(teaching, VIEW_HAND_BRUSH);
    return view_teaching_follow(teaching);
}

enum shw_result view_teaching_new(struct view_teaching *teaching)
{
    struct view_project project = {0};

    SHW_PROPAGATE(shw_project_create(&teaching->scene->log, &project.data));
    shw_project_set_shown_planes(project.data, &teaching->scene->display.planes);
    project.saved = shw_project_get_edition(project.data);
    SHW_PROPAGATE(use(teaching, &project));
    teaching->fields.more = true; /* classes are needed first */
    return SHW_OK;
}

enum shw_result view_teaching_close(struct view_teaching *teaching)
{
    struct view_scene *scene = teaching->scene;
    const bool loaded = scene->forest != NULL && scene->forest->path != NULL;

    view_teaching_end_stroke(teaching);
    close_project(teaching);
    teaching->number = 0;
    scene->project = (struct view_classes){.count = 0};
    scene->settings.chosen = 0;
    view_scene_teach_motion(scene, false);
    scene->taught_planes.count = 0;
    scene->taught_planes.all = false;
    view_teaching_take_in_hand(teaching, VIEW_HAND_PAN);
    SHW_PROPAGATE(view_player_read_beside(scene->player, NULL, 0, false));
    SHW_PROPAGATE(view_teaching_follow(teaching));
    return loaded ? view_scene_update_classes(scene) : view_scene_set_forest(scene, NULL);
}

enum shw_result view_teaching_add_pictures(struct view_teaching *teaching, const char *path)
{
    const struct shw_log *log = &teaching->scene->log;

    SHW_PROPAGATE(view_project_need(&teaching->project, log));
    if (strcmp(view_opening_action(path), "open") != 0)
        return view_action_refuse(log, "a picture, a folder of pictures, a data set, a video or a camera", path);
    SHW_PROPAGATE(view_player_open(teaching->scene->player, path));
    snprintf(teaching->said, sizeof teaching->said, "what is painted on pictures of %.600s is added to the project",
             path);
    return SHW_OK;
}

enum shw_result view_teaching_open(struct view_teaching *teaching, const char *path)
{
    struct view_project project;

    SHW_PROPAGATE(view_project_read(path, &teaching->scene->log, &project));
    SHW_PROPAGATE(use(teaching, &project));
    if (view_project_is_open_elsewhere(teaching->autosave, path))
        shw_log_message(&teaching->scene->log, SHW_LOG_WARNING, SHW_LOG_PROJECT,
                        "%s is open in another viewer, too: what one saves, the other would replace", path);
    return view_project_has_files(&teaching->project) ? view_player_open(teaching->scene->player, path) : SHW_OK;
}

enum shw_result view_teaching_keep_copies(struct view_teaching *teaching, const char *folder)
{
    SHW_PROPAGATE(view_autosave_create(&view_project_autosave, folder, &teaching->scene->log, &teaching->autosave));
    return view_left_find(&view_project_autosave, folder, &teaching->scene->log, &teaching->recovered);
}

enum shw_result view_teaching_recover(struct view_teaching *teaching, uint32_t item)
{
    struct view_project project;

    SHW_PROPAGATE(view_project_left_read(&teaching->recovered.items[item], &teaching->scene->log, &project));
    SHW_PROPAGATE(use(teaching, &project));
    if (view_autosave_rescue(teaching->autosave, &teaching->project) == SHW_OK) /* otherwise the other copy stays */
        view_left_delete(&teaching->recovered, item);
    return view_teaching_show_pictures(teaching);
}

bool view_teaching_asks(const struct view_teaching *teaching)
{
    return teaching->question.kind != VIEW_QUESTION_NONE || (teaching->careful && teaching->recovered.count > 0);
}

enum shw_result view_teaching_follow(struct view_teaching *teaching)
{
    SHW_PROPAGATE(view_planes_follow(teaching));
    SHW_PROPAGATE(view_painting_follow_detail(&teaching->painting));
    if (teaching->painting.picture_count == teaching->scene->picture_count)
        return SHW_OK;
    view_search_give_up(&teaching->search);
    view_teaching_end_stroke(teaching);
    give_up_tools(teaching);
    return view_painting_follow(&teaching->painting);
}

/* Whether class numbers have changed their meaning. */
static bool is_renumbered(const struct view_teaching *teaching)
{
    uint32_t count = shw_project_get_class_count(teaching->project.data);
    bool renumbered = count < teaching->class_count;

    for (uint32_t c = 0; count > teaching->class_count && c < teaching->class_count; c++)
        renumbered |= strcmp(shw_project_get_class(teaching->project.data, c)->name, teaching->classes[c].name) != 0;
    return renumbered;
}

enum shw_result view_teaching_classes_changed(struct view_teaching *teaching)
{
    struct view_scene *scene = teaching->scene;
    uint32_t count = shw_project_get_class_count(teaching->project.data);
    bool renumbered = is_renumbered(teaching);

    free_classes(teaching);
    teaching->classes = calloc(count + 1u, sizeof *teaching->classes);
    if (teaching->classes == NULL)
        return shw_fail_memory(&scene->log, "the classes");
    for (; teaching->class_count < count; teaching->class_count++) {
        const struct shw_project_class *class = shw_project_get_class(teaching->project.data, teaching->class_count);
        struct shw_class *shown = &teaching->classes[teaching->class_count];
        memcpy(shown->colour, class->colour, sizeof shown->colour);
        shown->name = strdup(class->name);
        if (shown->name == NULL)
            return shw_fail_memory(&scene->log, "the classes");
    }
    scene->project = (struct view_classes){teaching->classes, count};
    if (renumbered) {
        give_up_tools(teaching);
        view_teaching_end_preview(teaching);
    }
    if (renumbered)
        teaching->renumbered = shw_project_get_taught(teaching->project.data);
    if (scene->settings.chosen >= count)
        scene->settings.chosen = count > 0 ? count - 1 : 0;
    return renumbered ? view_scene_set_forest(scene, NULL) : view_scene_update_classes(scene);
}

/* Waits for a slice. Being woken up takes a fifth of a short one's time, so that its end is looked for at first; not
 * where the processor that would look is needed for the work itself. */
static enum shw_result await_slice(const struct view_teaching *teaching)
{
    const struct view_gpu *gpu = teaching->scene->labelling.params.gpu;
    const bool polls = gpu->properties.deviceType != VK_PHYSICAL_DEVICE_TYPE_CPU;
    double waits = view_block_begin(), end = view_clock() + POLL_SECONDS;

    while (polls && view_clock() < end && vkGetFenceStatus(gpu->device, teaching->fence) == VK_NOT_READY)
        continue;
    VIEW_PROPAGATE(gpu, vkWaitForFences, gpu->device, 1, &teaching->fence, VK_TRUE, UINT64_MAX);
    view_block_end(VIEW_BLOCK_SLICE, waits);
    return SHW_OK;
}

/* Records and submits a slice and waits for it; *recorded: there was one. */
static enum shw_result run_slice(struct view_teaching *teaching, bool *recorded)
{
    const struct view_gpu *gpu = teaching->scene->labelling.params.gpu;
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                      .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &teaching->commands};
    double start = view_clock();

    VIEW_PROPAGATE(gpu, vkBeginCommandBuffer, teaching->commands, &begin);
    view_train_worker_record(teaching->worker, teaching->commands, recorded);
    VIEW_PROPAGATE(gpu, vkEndCommandBuffer, teaching->commands);
    if (!*recorded)
        return SHW_OK;
    VIEW_PROPAGATE(gpu, vkQueueSubmit, gpu->queue, 1, &submit, teaching->fence);
    SHW_PROPAGATE(await_slice(teaching));
    VIEW_PROPAGATE(gpu, vkResetFences, gpu->device, 1, &teaching->fence);
    view_train_worker_complete(teaching->worker);
    if (teaching->times.training.begun == 0) {
        teaching->times.slices++;
        teaching->times.slice_seconds += view_clock() - start;
    }
    return SHW_OK;
}

static enum shw_result run_slices(struct view_teaching *teaching)
{
    double begun = view_clock(), end = begun + FRAME_SECONDS;
    bool recorded = true, any = false;

    while (recorded && view_clock() < end) {
        view_teaching_notice(teaching, PAUSE_SECONDS); /* while the trainer prepares, not after the wait for it */
        if (!view_train_worker_wait(teaching->worker, teaching->number, PAUSE_SECONDS))
            break;
        view_teaching_notice(teaching, FRAME_SECONDS); /* the slice would only wait for that frame */
        SHW_PROPAGATE(run_slice(teaching, &recorded));
        any = any || recorded;
    }
    if (any)
        view_times_add(&teaching->scene->labelling.params.frames->times, VIEW_TIME_TRAIN, (view_clock() - begun) * 1e3);
    return SHW_OK;
}

/* Whether the shown picture is about to be replaced, perhaps by the same with more inputs, which the forest reads. */
static bool is_opening(const struct view_player *player)
{
    const struct view_source_info info = view_player_info(player);

    return player->opening && info.state != VIEW_SOURCE_FAILED && !info.at_end;
}

static enum shw_result take_forest(struct view_teaching *teaching)
{
    struct view_train_status status;
    struct view_shared_forest *forest;

    view_train_worker_get_status(teaching->worker, &status);
    if (status.number == teaching->number || is_opening(teaching->scene->player))
        return SHW_OK;
    forest = view_train_worker_share_forest(teaching->worker);
    teaching->number = status.number;
    if (forest->revision < teaching->renumbered) { /* a class has been deleted meanwhile */
        view_shared_forest_release(&forest);
        return SHW_OK;
    }
    if (teaching->times.ended > 0 && teaching->times.training.begun == 0 &&
        forest->revision >= teaching->times.revision)
        teaching->times.training = status.times;
    teaching->scene->redraw = true;
    return view_scene_set_forest(teaching->scene, forest);
}

void view_teaching_set_strokes(struct view_teaching *teaching)
{
    teaching->scene->settings.strokes = teaching->hide_strokes ? 0 : STROKES;
}

enum shw_result view_teaching_frame(struct view_teaching *teaching)
{

    if (teaching->project.data == NULL)
        return SHW_OK;
    teaching->drawn = view_clock();
    view_teaching_notice(teaching, 0.0);
    SHW_PROPAGATE(view_painting_keep_choice(&teaching->painting));
    if (view_painting_prepare(&teaching->painting))
        SHW_PROPAGATE(view_train_worker_update(teaching->worker, teaching->project.data));
    SHW_PROPAGATE(run_slices(teaching));
    SHW_PROPAGATE(take_forest(teaching));
    view_painting_update(&teaching->painting);
    view_teaching_set_strokes(teaching);
    return SHW_OK;
}

void view_teaching_shown(struct view_teaching *teaching)
{
    struct view_stroke_times *times = &teaching->times;

    if (times->frames == 0 && times->training.begun > 0 && view_scene_is_current(teaching->scene))
        times->frames = teaching->scene->labelling.params.frames->count;
}

static bool view_teaching_is_about_to_show(const struct view_teaching *teaching)
{
    return teaching->times.frames > 0 && teaching->times.shown == 0;
}

void view_teaching_notice(struct view_teaching *teaching, double seconds)
{
    const struct view_labelling_params *params = &teaching->scene->labelling.params;
    struct view_stroke_times *times = &teaching->times;

    if (times->sketched && times->covered == 0 && view_labelling_is_covered(&teaching->scene->labelling) &&
        !view_scene_is_current(teaching->scene))
        times->covered = view_clock();
    if (!view_teaching_is_about_to_show(teaching) ||
        !view_frames_is_over(params->gpu, params->frames, times->frames - 1, seconds))
        return;
    times->shown = view_clock();
    teaching->scene->redraw = true;
}

/* From here to the screen. */
static void begin_times(struct view_teaching *teaching)
{
    teaching->times = (struct view_stroke_times){.revision = shw_project_get_taught(teaching->project.data),
                                                 .ended = view_clock(),
                                                 .sketched = !view_labelling_is_covered(&teaching->scene->labelling)};
}

void view_teaching_end_stroke(struct view_teaching *teaching)
{
    if (view_painting_end(&teaching->painting))
        begin_times(teaching);
}

enum shw_result view_teaching_add_area(struct view_teaching *teaching, uint32_t number, const struct view_runs *runs)
{
    SHW_PROPAGATE(view_painting_add(&teaching->painting, number, runs));
    begin_times(teaching);
    return SHW_OK;
}

const struct shw_held_out *view_teaching_accuracy(struct view_teaching *teaching)
{
    struct view_train_status status;

    if (teaching->project.data == NULL)
        return NULL;
    view_train_worker_get_status(teaching->worker, &status);
    if (status.measurements != teaching->measurements) {
        shw_held_out_free(&teaching->accuracy);
        view_train_worker_get_accuracy(teaching->worker, &teaching->accuracy, &teaching->judged);
        teaching->measurements = status.measurements;
    }
    /* after that, a class has been deleted */
    return teaching->accuracy.classes != NULL && teaching->judged >= teaching->renumbered ? &teaching->accuracy : NULL;
}

/* Undoes or redoes a step, whose picture may not be the one shown. */
/* A change of a picture that is not shown is not made behind the user's back: goes there, and says so. */
static void go_where_changed(struct view_teaching *teaching, uint32_t picture, bool redo)
{
    const char *name = shw_project_get_picture(teaching->project.data, picture).name;
    struct view_real_folder folder = {0};
    char *place = view_project_picture_place(&teaching->project, picture, &folder);
    bool gone = view_player_go_to(teaching->scene->player, place, name);

    snprintf(teaching->said, sizeof teaching->said, "%s on %s%s", redo ? "redone" : "undone",
             view_picture_list_base(name), gone ? "" : ", which is not among the pictures that are open");
    free(place);
    view_real_folder_free(&folder);
}

enum shw_result view_teaching_undo(struct view_teaching *teaching, bool redo)
{
    struct shw_project *project = teaching->project.data;
    uint32_t picture = 0;
    bool done;

    SHW_PROPAGATE(view_project_need(&teaching->project, &teaching->scene->log));
    view_teaching_end_stroke(teaching);
    done = redo ? shw_project_redo(project, &picture) : shw_project_undo(project, &picture);
    teaching->scene->redraw = true;
    if (done && picture != UINT32_MAX && picture != teaching->painting.picture)
        go_where_changed(teaching, picture, redo);
    return done && picture == UINT32_MAX ? view_teaching_classes_changed(teaching) : SHW_OK;
}

const char *view_teaching_learned(const struct view_teaching *teaching)
{
    return teaching->number > 0 ? "the project's strokes have been learned" : "no stroke has been learned yet";
}

void view_teaching_take_in_hand(struct view_teaching *teaching, enum view_hand hand)
{
    view_teaching_end_stroke(teaching); /* with another tool, its end would not be noticed */
    give_up_tools(teaching);
    teaching->hand = hand;
    teaching->annotating->wants_panel = hand == VIEW_HAND_RECTANGLE;
    teaching->scene->redraw = true;
}

/* What teaching waits for: work in the background, frames, and scripts. */

#define PROGRESS_SECONDS 0.1 /* between two frames that show training progress */

/* Failures have been logged, and end nothing. */
static void poll_wand(struct view_teaching *teaching)
{
    const uint32_t number = teaching->wand.number;
    struct view_runs runs = {0};
    bool found;

    if (view_wand_poll(&teaching->wand, teaching->scene, &runs, &found) == SHW_OK && found)
        view_teaching_add_area(teaching, number, &runs);
    view_runs_free(&runs);
}

/* As above. */
static void poll_ranking(struct view_teaching *teaching)
{
    bool changed;

    if (!view_ranking_is_running(&teaching->ranking))
        return;
    view_picture_list_update(&teaching->list, teaching->scene->player, &teaching->project);
    view_ranking_poll(&teaching->ranking, teaching->scene, &teaching->list, &changed);
    teaching->scene->redraw = teaching->scene->redraw || changed;
}

/* A measurement ends without a new forest: panels show it in a frame of its own. */
static void announce_accuracy(struct view_teaching *teaching)
{
    struct view_train_status status;

    if (teaching->project.data == NULL)
        return;
    view_train_worker_get_status(teaching->worker, &status);
    teaching->scene->redraw = teaching->scene->redraw || status.measurements != teaching->announced;
    teaching->announced = status.measurements;
}

enum shw_result view_teaching_poll(struct view_teaching *teaching)
{
    struct shw_picture_labels *labels;
    bool later;

    view_autosave_update(teaching->autosave, &teaching->project, view_clock());
    view_teaching_notice(teaching, 0.0);
    poll_wand(teaching);
    poll_ranking(teaching);
    view_frames_before_poll(&teaching->frames_before, &teaching->project, &teaching->scene->log);
    teaching->scene->redraw = view_thumbnails_poll(teaching->thumbnails) || teaching->scene->redraw;
    teaching->scene->redraw =
        view_thumbnails_renew(teaching->thumbnails, teaching->scene->player, teaching->scene->picture) ||
        teaching->scene->redraw;
    announce_accuracy(teaching);
    teaching->scene->redraw = view_away_has_changed(&teaching->away) || teaching->scene->redraw;
    view_painting_prepare(&teaching->painting);
    labels = view_painting_ready_labels(&teaching->painting, &later);
    return later ? SHW_OK : view_search_poll(&teaching->search, teaching->scene, labels);
}

static bool is_learning(const struct view_train_status *status)
{
    return !status->stopped && (status->state == VIEW_TRAIN_SMALL || status->state == VIEW_TRAIN_FULL);
}

bool view_teaching_is_busy(const struct view_teaching *teaching)
{
    struct view_train_status status;

    if (teaching->project.data == NULL)
        return false;
    view_train_worker_get_status(teaching->worker, &status);
    return status.number != teaching->number || view_wand_needs_frames(&teaching->wand) ||
           teaching->painting.marked != shw_project_get_revision(teaching->project.data) ||
           (is_learning(&status) &&
            ((view_teaching_is_recorded(teaching) && !view_away_is_connected(&teaching->away)) ||
             view_clock() - teaching->drawn > PROGRESS_SECONDS));
}

bool view_teaching_is_searching(const struct view_teaching *teaching)
{
    return view_search_is_running(&teaching->search) || view_frames_before_are_read(&teaching->frames_before) ||
           view_wand_is_running(&teaching->wand) || view_ranking_is_running(&teaching->ranking);
}

double view_teaching_patience(const struct view_teaching *teaching)
{
    struct view_train_status status = {0};

    if (view_teaching_is_about_to_show(teaching) || view_wand_needs_frames(&teaching->wand) ||
        !view_painting_is_prepared(&teaching->painting))
        return 0.001;
    if (teaching->project.data != NULL)
        view_train_worker_get_status(teaching->worker, &status);
    return view_teaching_is_searching(teaching) || is_learning(&status) ||
                   view_thumbnails_are_busy(teaching->thumbnails)
               ? 0.02
               : 0.1;
}

bool view_teaching_expects_forest(struct view_teaching *teaching, double *fraction)
{
    const struct view_shared_forest *forest = teaching->scene->forest;
    struct view_train_status status;
    bool unseen;

    *fraction = 0.0;
    if (teaching->project.data == NULL || (forest != NULL && forest->path != NULL))
        return false;
    view_train_worker_get_status(teaching->worker, &status);
    if (status.stopped || status.state == VIEW_TRAIN_FAILED)
        return false;
    unseen = !view_painting_is_prepared(&teaching->painting) ||
             teaching->painting.marked != shw_project_get_revision(teaching->project.data);
    *fraction = status.state == VIEW_TRAIN_FULL ? status.fraction : 0.0;
    return unseen || is_learning(&status) || status.number != teaching->number;
}

bool view_teaching_shows_earlier_forest(const struct view_teaching *teaching)
{
    const struct view_shared_forest *forest = teaching->scene->forest;
    struct view_train_status status;

    if (teaching->project.data == NULL || forest == NULL || forest->path != NULL)
        return false;
    view_train_worker_get_status(teaching->worker, &status);
    return !is_learning(&status) && status.state != VIEW_TRAIN_FAILED && status.number == teaching->number &&
           teaching->painting.marked == shw_project_get_revision(teaching->project.data) &&
           forest->revision < shw_project_get_taught(teaching->project.data);
}

enum shw_result view_teaching_waits(struct view_teaching *teaching, bool *waits)
{
    struct view_train_status status;
    bool taught, shown;

    *waits = view_teaching_is_searching(teaching);
    if (teaching->wait == VIEW_WAIT_NONE)
        return SHW_OK;
    view_train_worker_get_status(teaching->worker, &status);
    taught = teaching->scene->forest != NULL &&
             teaching->scene->forest->revision == shw_project_get_taught(teaching->project.data) &&
             status.number == teaching->number && (teaching->wait == VIEW_WAIT_SMALL || teaching->scene->forest->full);
    shown = taught && view_scene_is_current(teaching->scene);
    if (shown && (teaching->wait != VIEW_WAIT_JUDGED || status.state == VIEW_TRAIN_DONE)) {
        teaching->wait = VIEW_WAIT_NONE;
        return SHW_OK;
    }
    *waits = true;
    if (taught && teaching->wait != VIEW_WAIT_JUDGED) /* for its labels */
        return SHW_OK;
    if (status.stopped || status.state == VIEW_TRAIN_FAILED ||
        (status.state == VIEW_TRAIN_IDLE && view_painting_is_prepared(&teaching->painting) &&
         teaching->painting.marked == shw_project_get_revision(teaching->project.data))) {
        teaching->wait = VIEW_WAIT_NONE;
        return shw_fail(&teaching->scene->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "there is no forest to wait for: %s",
                        status.stopped                      ? "training is paused"
                        : status.state == VIEW_TRAIN_FAILED ? "training has failed"
                                                            : "no training is in progress");
    }
    return SHW_OK;
}
