#include "files/output/label_job.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/integers.h"
#include "base/log.h"
#include "base/machine.h"
#include "dense/input/inputs.h"
#include "files/image/resolution.h"
#include "files/io/image_paths.h"
#include "files/output/classes_file.h"
#include "files/output/label_pieces.h"
#include "files/output/label_tables.h"
#include "files/output/label_team.h"
#include "formats/kinect.h"

/* The result for one image. */
struct result {
    struct shw_label_results images;
    struct shw_label_made *made;
};

uint64_t shw_label_job_memory(const struct shw_label_job *job)
{
    return job->memory > 0 ? job->memory : shw_max_u64(shw_machine_memory() / 4, (uint64_t)256 << 20);
}

uint32_t shw_label_job_outputs(const struct shw_label_job *job)
{
    return shw_picture_outputs(&job->each) | (job->resume.journal != NULL ? SHW_OUTPUT_ARGMAX : 0u);
}

/* The files of an image; to be freed in either case. */
static enum shw_result make_files(const struct shw_label_job *job, const struct shw_image_entry *image,
                                  struct shw_picture_files *files)
{
    char *place = shw_path_in(job->output, image->place);
    enum shw_result result;

    *files = (struct shw_picture_files){0};
    result = place != NULL ? shw_picture_files_make(&job->each, place, &job->outputs.log, files)
                           : shw_fail_memory(&job->outputs.log, "the names of files");
    free(place);
    return result;
}

enum shw_result shw_label_job_visit_outputs(const struct shw_label_job *job, const struct shw_image_entry *image,
                                            shw_visit_file *visit, void *user)
{
    struct shw_picture_files files;
    enum shw_result result = make_files(job, image, &files);

    if (result == SHW_OK)
        result = shw_picture_files_visit(&job->each, &files, visit, user);
    shw_picture_files_free(&job->each, &files);
    return result;
}

static struct shw_output_files *outputs_of(struct shw_label_job *job)
{
    return job->single != NULL ? job->single : &job->outputs;
}

static void add_input(void *outputs, const char *path)
{
    shw_output_files_read(outputs, path);
}

static enum shw_result add_output(void *user, const char *path, const struct shw_file_kind *kind)
{
    struct shw_label_job *job = user;

    if (kind->is_ours == NULL && shw_resume_owns(&job->resume, path))
        shw_output_files_replace(outputs_of(job), path, kind);
    else
        shw_output_files_write(outputs_of(job), path, kind);
    return SHW_OK;
}

/* Immediately before the files of an image are written. */
static enum shw_result look_again(void *user, const char *path, const struct shw_file_kind *kind)
{
    struct shw_label_job *job = user;

    SHW_PROPAGATE(shw_output_files_look_again(outputs_of(job), path));
    return job->resume.journal != NULL && kind->is_ours == NULL ? shw_resume_note(&job->resume, path) : SHW_OK;
}

/* All files are looked at again before the first is written. */
static enum shw_result write_result(struct shw_label_job *job, const struct shw_image_entry *image,
                                    const struct result *result)
{
    struct shw_picture_files files;
    uint32_t count = 0;
    enum shw_result written = make_files(job, image, &files);

    if (written == SHW_OK)
        written = shw_picture_files_visit(&job->each, &files, look_again, job);
    if (written == SHW_OK)
        written = shw_picture_files_write(&job->each, &files, &result->images, &result->made->objects, NULL, NULL,
                                          &job->log, &count);
    shw_picture_files_free(&job->each, &files);
    return written;
}

uint32_t shw_label_job_inputs(const struct shw_label_job *job, const char *image,
                              struct shw_input_file inputs[SHW_INPUTS_MAX])
{
    return shw_own_inputs_apply(job->own, image, job->inputs, job->given_inputs, job->input_count, inputs);
}

/* Adds what is read and what is going to be written for an image, unless it is up to date. */
static enum shw_result add_image(struct shw_label_job *job, const struct shw_image_entry *image, bool up_to_date)
{
    struct shw_input_file inputs[SHW_INPUTS_MAX];
    const uint32_t count = shw_label_job_inputs(job, image->path, inputs);

    SHW_PROPAGATE(shw_image_inputs_list(image->path, inputs, count, add_input, outputs_of(job), &job->log));
    return up_to_date ? SHW_OK : shw_label_job_visit_outputs(job, image, add_output, job);
}

static enum shw_result add_table(struct shw_label_job *job, const char *name)
{
    char *path = shw_path_in(job->output, name);
    enum shw_result result =
        path != NULL ? add_output(job, path, &shw_file_table) : shw_fail_memory(&job->log, "the names of files");

    free(path);
    return result;
}

static struct shw_digest settings_of(const void *job)
{
    return shw_label_settings_digest(job);
}

static struct shw_digest key_of(const void *job, const char *image)
{
    return shw_label_key(job, image);
}

static enum shw_result visit_inputs(const void *user, const char *image, void (*visit)(void *visitor, const char *path),
                                    void *visitor)
{
    struct shw_input_file inputs[SHW_INPUTS_MAX];
    const uint32_t count = shw_label_job_inputs(user, image, inputs);

    return shw_image_inputs_list(image, inputs, count, visit, visitor, NULL);
}

static enum shw_result visit_outputs(const void *job, const struct shw_image_entry *image, shw_visit_file *visit,
                                     void *visitor)
{
    return shw_label_job_visit_outputs(job, image, visit, visitor);
}

static bool is_sound(const void *job, const json_t *entry)
{
    return shw_label_rows_are_sound(job, entry);
}

static json_t *columns_of(const void *job)
{
    return shw_label_columns_pack(job);
}

void shw_label_job_resume(struct shw_label_job *job)
{
    static const struct shw_resume_kind kind = {.tables = &shw_tables_of_label,
                                                .done = "labelled",
                                                .model = "forest",
                                                .settings = settings_of,
                                                .key = key_of,
                                                .visit_inputs = visit_inputs,
                                                .visit_outputs = visit_outputs,
                                                .is_sound = is_sound,
                                                .columns = columns_of};

    job->resume.kind = &kind;
    job->resume.user = job;
    job->resume.log = job->log;
    job->resume.output = job->output;
}

enum shw_result shw_label_job_look(struct shw_label_job *job, const struct shw_image_list *images)
{
    shw_label_job_settle(job, images);
    return shw_resume_look(&job->resume, images);
}

enum shw_result shw_label_job_choose(struct shw_label_job *job)
{
    shw_label_files_free(&job->each.labels);
    free(job->classes);
    job->classes = shw_path_in(job->output, SHW_CLASSES_FILE);
    if (job->classes == NULL)
        return shw_fail_memory(&job->log, "the names of files");
    job->each.objects.names = job->content.classes;
    job->each.objects.class_count = job->content.class_count;
    return shw_label_files_make(&job->content, &job->log, &job->each.labels);
}

enum shw_result shw_label_job_list_files(struct shw_label_job *job, const char *model,
                                         const struct shw_image_list *images)
{
    shw_output_files_read(&job->outputs, model);
    shw_output_files_write(&job->outputs, job->classes, &shw_file_classes);
    if (job->each.objects.table && job->resume.shard.count == 0)
        SHW_PROPAGATE(add_table(job, SHW_OBJECTS_TABLE));
    if (job->resume.journal != NULL && job->resume.shard.count == 0)
        SHW_PROPAGATE(add_table(job, SHW_SHARES_TABLE));
    for (uint32_t i = 0; i < images->count; i++)
        SHW_PROPAGATE(add_image(job, &images->list[i], shw_resume_is_up_to_date(&job->resume, i)));
    return SHW_OK;
}

static void keep_frame(struct shw_label_job *job, const char *path, struct shw_image_inputs *inputs)
{
    shw_image_file_free(&job->frame);
    job->frame = inputs->files[0];
    job->frame_path = path;
    inputs->files[0] = (struct shw_image_file){0};
}

/* Adds the previous frame, which must be as large as the image. */
static enum shw_result add_frame(struct shw_label_job *job, const char *path, struct shw_image_inputs *inputs)
{
    const struct shw_image *image = &inputs->files[0].image, *frame = &job->frame.image;

    if (!job->frames || job->frame_path == NULL || shw_inputs_find(&inputs->all, SHW_PREVIOUS) != NULL ||
        !shw_names_same_folder(job->frame_path, path))
        return SHW_OK;
    if (frame->width != image->width || frame->height != image->height) {
        return shw_fail(&job->log, SHW_ERROR_FORMAT, SHW_LOG_ARGUMENT,
                        "%s: the frame has %u x %u pixels, the previous one %u x %u", path, image->width, image->height,
                        frame->width, frame->height);
    }
    inputs->input[inputs->all.count++] = (struct shw_input){.name = SHW_PREVIOUS, .image = *frame};
    return SHW_OK;
}

enum shw_result shw_label_job_write_classes(struct shw_label_job *job)
{
    const struct shw_classes_file file = {
        .classes = job->info->classes, .count = job->info->class_count, .forest = job->forest};

    if (job->has_classes)
        return SHW_OK;
    job->has_classes = true;
    if (job->resume.shard.count > 0 && shw_classes_file_is(job->classes, &file))
        return SHW_OK;
    SHW_PROPAGATE(shw_output_files_look_again(&job->outputs, job->classes));
    return shw_classes_file_write(job->classes, &file, &job->log);
}

/* Adds an image whose files are complete to the journal. `counts`: NULL unless its labels are not in memory. */
static enum shw_result add_to_journal(struct shw_label_job *job, const struct shw_image_entry *image,
                                      const struct shw_resume_stamp *stamp, const struct result *result,
                                      const uint64_t *counts)
{
    const struct shw_label_rows rows = {.width = result->images.width,
                                        .height = result->images.height,
                                        .class_count = job->info->class_count,
                                        .labels = result->images.labelling.argmax,
                                        .counts = counts,
                                        .objects = job->each.objects.wanted ? &result->made->objects : NULL};
    json_t *entry = shw_label_rows_pack(&rows);

    return entry != NULL ? shw_resume_add(&job->resume, image, stamp, entry) : shw_fail_memory(&job->log, image->path);
}

void shw_label_job_calibrate(const struct shw_label_job *job, struct shw_label_results *results)
{
    if (job->power != NULL && results->labelling.distribution != NULL)
        shw_power_apply(job->power, results->labelling.distribution, job->content.class_count,
                        (size_t)results->width * results->height);
}

static enum shw_result label_image(struct shw_label_job *job, const struct shw_image_entry *which,
                                   const struct shw_resume_stamp *stamp, const struct shw_image_inputs *inputs,
                                   struct result *result)
{
    const struct shw_image *image = &inputs->files[0].image;
    struct shw_labeller *labeller = shw_labellers_take(job->labellers, &job->log);
    double start = shw_clock();
    enum shw_result done =
        shw_picture_label(&job->each, shw_label_job_outputs(job), labeller, image, &inputs->all,
                          shw_image_pixel_size(which->path), which->path, &job->log, &result->images);

    shw_labellers_give(job->labellers, labeller);
    if (done != SHW_OK)
        return done;
    result->images.path = which->path;
    shw_label_job_calibrate(job, &result->images);
    result->made->seconds = shw_clock() - start;
    SHW_PROPAGATE(shw_picture_find_objects(&job->each, &result->images, &job->log, &result->made->objects));
    SHW_PROPAGATE(write_result(job, which, result));
    return job->resume.journal != NULL ? add_to_journal(job, which, stamp, result, NULL) : SHW_OK;
}

/* All files are looked at again before the first gets its name. */
static enum shw_result write_pieces(struct shw_label_job *job, const struct shw_image_entry *which,
                                    struct shw_label_pieces *pieces, struct result *result)
{
    const struct shw_label_objects *objects = &job->each.objects;
    const struct shw_object_columns columns = shw_label_objects_columns(objects);
    struct shw_label_writers writers = {0};
    struct shw_picture_files files;
    double start = shw_clock();
    enum shw_result done = make_files(job, which, &files);

    if (done == SHW_OK)
        done = shw_label_pieces_run(job, pieces, &files, &result->images, &writers);
    result->made->seconds = shw_clock() - start;
    if (done == SHW_OK)
        done = shw_picture_find_objects(&job->each, &result->images, &job->log, &result->made->objects);
    if (done == SHW_OK)
        done = shw_picture_files_visit(&job->each, &files, look_again, job);
    if (done == SHW_OK)
        done = shw_label_writers_commit(&writers);
    if (done == SHW_OK)
        done = shw_object_files_write(&files.objects, &result->made->objects, objects->names, objects->class_count,
                                      &columns, &job->log);
    shw_label_writers_abandon(&writers);
    shw_picture_files_free(&job->each, &files);
    return done;
}

/* Before the results are freed. */
static void note_size(const struct shw_label_job *job, const struct result *result)
{
    result->made->width = result->images.width;
    result->made->height = result->images.height;
    result->made->memory = job->notes_memory ? shw_process_memory() : 0;
}

static enum shw_result label_pieces(struct shw_label_job *job, const struct shw_image_entry *which,
                                    const struct shw_resume_stamp *stamp, struct shw_label_pieces *pieces,
                                    struct shw_label_made *made)
{
    const double side = shw_image_pixel_size(which->path);
    const struct shw_pixel_size *pixel_size = &job->each.objects.pixel_size;
    struct result result = {.images = {.side = shw_pixel_size_of(pixel_size, side),
                                       .stated = shw_pixel_size_stated(pixel_size, side),
                                       .name = which->path,
                                       .path = which->path,
                                       .width = pieces->inputs.width,
                                       .height = pieces->inputs.height},
                            .made = made};
    enum shw_result done = write_pieces(job, which, pieces, &result);

    if (done == SHW_OK && job->resume.journal != NULL)
        done = add_to_journal(job, which, stamp, &result, pieces->counts);
    note_size(job, &result);
    shw_label_results_free(&result.images);
    return done;
}

static enum shw_result label_whole(struct shw_label_job *job, const struct shw_image_entry *image,
                                   const struct shw_resume_stamp *stamp, const struct shw_input_file *files,
                                   uint32_t count, struct shw_label_made *made)
{
    struct shw_image_inputs inputs;
    struct result result = {.made = made};
    enum shw_result done = shw_image_inputs_read(image->path, files, count, &job->params, &job->log, &inputs);

    if (done == SHW_OK)
        done = shw_image_inputs_complete(job->info->channel_list, image->path, &inputs, &job->log);
    if (done != SHW_OK) {
        shw_image_inputs_free(&inputs);
        job->frame_path = NULL; /* the next frame does not follow the one that is kept */
        return done;
    }
    done = add_frame(job, image->path, &inputs);
    if (done == SHW_OK)
        done = label_image(job, image, stamp, &inputs, &result);
    note_size(job, &result);
    shw_label_results_free(&result.images);
    if (job->frames)
        keep_frame(job, image->path, &inputs);
    shw_image_inputs_free(&inputs);
    return done;
}

void shw_label_job_make(struct shw_label_job *job, const struct shw_image_entry *image, struct shw_label_made *made)
{
    struct shw_resume_stamp stamp = {{""}, {""}};
    struct shw_input_file files[SHW_INPUTS_MAX];
    const uint32_t count = shw_label_job_inputs(job, image->path, files);
    struct shw_label_pieces pieces;
    bool in_pieces;

    *made = (struct shw_label_made){.width = 0};
    if (job->resume.journal != NULL)
        stamp = shw_resume_stamp(&job->resume, image->path);
    made->result = shw_label_pieces_open(job, image->path, files, count, &pieces, &in_pieces);
    if (made->result == SHW_OK && in_pieces)
        made->result = label_pieces(job, image, &stamp, &pieces, made);
    shw_label_pieces_close(&pieces);
    if (made->result == SHW_OK && !in_pieces)
        made->result = label_whole(job, image, &stamp, files, count, made);
}

void shw_label_made_free(struct shw_label_made *made)
{
    shw_objects_free(&made->objects);
    *made = (struct shw_label_made){.width = 0};
}

/* An image that is up to date. */
static enum shw_result pass_over(struct shw_label_job *job, const struct shw_image_entry *image, uint32_t i)
{
    SHW_PROPAGATE(shw_resume_renew(&job->resume, image, i));
    SHW_PROPAGATE(shw_label_job_write_classes(job));
    if (job->report != NULL)
        job->report(job->user, image, &(struct shw_label_done){.up_to_date = true});
    return SHW_OK;
}

/* An image that was labelled is reported, and added to the table. */
static enum shw_result report_image(struct shw_label_job *job, const struct shw_image_entry *which,
                                    const struct shw_label_made *made)
{
    const struct shw_label_done done = {.width = made->width,
                                        .height = made->height,
                                        .seconds = made->seconds,
                                        .memory = made->memory,
                                        .objects = &made->objects};

    SHW_PROPAGATE(made->result);
    if (!job->focal_warned && shw_forest_focal_is_assumed(job->info))
        job->focal_warned = shw_focal_warn(which->path, made->width, "give the camera's with --focal", &job->log);
    SHW_PROPAGATE(shw_label_job_write_classes(job));
    if (job->report != NULL)
        job->report(job->user, which, &done);
    if (job->each.objects.table && job->resume.journal == NULL)
        shw_object_table_add(&job->table, which->path, which->place, &made->objects, job->info->classes);
    return SHW_OK;
}

void shw_label_job_report(struct shw_label_job *job, const struct shw_image_list *images, uint32_t i,
                          const struct shw_label_made *made, bool *done, struct shw_label_tally *tally)
{
    const struct shw_image_entry *image = &images->list[i];
    const bool up_to_date = shw_resume_is_up_to_date(&job->resume, i);
    enum shw_result result;

    result = up_to_date ? pass_over(job, image, i) : report_image(job, image, made);
    tally->up_to_date += up_to_date && result == SHW_OK;
    done[i] = result == SHW_OK;
    if (result != SHW_OK) {
        tally->failed++;
        tally->image = result;
    }
    if (job->progress != NULL)
        job->progress(job->user, i + 1, images->count);
}

static void label_each(struct shw_label_job *job, const struct shw_image_list *images, bool *done,
                       struct shw_label_tally *tally)
{
    for (uint32_t i = 0; i < images->count; i++) {
        struct shw_label_made made = {.width = 0};

        if (job->begin != NULL)
            job->begin(job->user);
        if (!shw_resume_is_up_to_date(&job->resume, i))
            shw_label_job_make(job, &images->list[i], &made);
        shw_label_job_report(job, images, i, &made, done, tally);
        shw_label_made_free(&made);
    }
}

void shw_label_job_settle(struct shw_label_job *job, const struct shw_image_list *images)
{
    if (!job->is_settled)
        job->is_settled = shw_image_list_settle_choice(images, &job->params.choice, &job->log);
}

enum shw_result shw_label_job_begin(struct shw_label_job *job)
{
    job->info = shw_forest_get_info(job->forest);
    return shw_label_tables_open(job);
}

static enum shw_result label_all(struct shw_label_job *job, const struct shw_image_list *images, bool *done,
                                 struct shw_label_tally *tally)
{
    SHW_PROPAGATE(shw_label_job_begin(job));
    if (job->resume.shard.count > 0)
        SHW_PROPAGATE(shw_resume_begin_shard(&job->resume, images));
    shw_label_job_settle(job, images);
    if (job->at_once > 1 && !job->frames)
        SHW_PROPAGATE(shw_label_team_run(job, images, done, tally));
    else
        label_each(job, images, done, tally);
    if (job->begin != NULL)
        job->begin(job->user);
    if (job->resume.shard.count > 0)
        tally->tables = shw_resume_end_shard(&job->resume, images, done);
    else if (tally->failed < images->count)
        tally->tables = shw_label_tables_write(job, images, done);
    return SHW_OK;
}

enum shw_result shw_label_job_run(struct shw_label_job *job, const struct shw_image_list *images,
                                  struct shw_label_tally *tally)
{
    bool *done = calloc(images->count + (size_t)1, sizeof *done);
    enum shw_result result = done != NULL ? SHW_OK : shw_fail_memory(&job->log, "the list of images");

    *tally = (struct shw_label_tally){.image = SHW_OK};
    if (result == SHW_OK)
        result = label_all(job, images, done, tally);
    free(done);
    return result;
}

static enum shw_result label_next(struct shw_label_job *job, const struct shw_image_entry *image)
{
    struct shw_label_made made;
    enum shw_result result;

    shw_label_job_make(job, image, &made);
    result = report_image(job, image, &made);
    shw_label_made_free(&made);
    return result;
}

/* As for all images of a call, but of one. */
static enum shw_result label_checked(struct shw_label_job *job, const struct shw_image_entry *image)
{
    const struct shw_image_list one = {.list = (struct shw_image_entry *)(uintptr_t)image, .count = 1};
    bool up_to_date;

    shw_label_job_settle(job, &one);
    if (job->resume.journal != NULL)
        SHW_PROPAGATE(shw_label_job_look(job, &one));
    up_to_date = shw_resume_is_up_to_date(&job->resume, 0);
    SHW_PROPAGATE(add_image(job, image, up_to_date));
    SHW_PROPAGATE(shw_output_files_check(job->single));
    return up_to_date ? pass_over(job, image, 0) : label_next(job, image);
}

enum shw_result shw_label_job_single(struct shw_label_job *job, const struct shw_image_entry *image)
{
    struct shw_output_files files;
    enum shw_result result =
        shw_output_files_copy_inputs(&job->outputs, &files) ? SHW_OK : shw_fail_memory(&job->log, image->path);

    job->single = &files;
    if (job->begin != NULL)
        job->begin(job->user);
    if (result == SHW_OK)
        result = label_checked(job, image);
    job->single = NULL;
    shw_output_files_free(&files);
    return result;
}

enum shw_result shw_label_job_end(struct shw_label_job *job, const struct shw_image_list *images)
{
    bool *done = malloc(images->count + (size_t)1);
    enum shw_result result;

    if (done == NULL)
        return shw_fail_memory(&job->log, "the list of images");
    memset(done, true, images->count);
    if (job->begin != NULL)
        job->begin(job->user);
    result = shw_label_tables_write(job, images, done);
    free(done);
    return result;
}

void shw_label_job_free(struct shw_label_job *job)
{
    shw_object_table_abandon(&job->table);
    shw_label_files_free(&job->each.labels);
    shw_image_file_free(&job->frame);
    job->frame = (struct shw_image_file){0};
    free(job->classes);
    job->classes = NULL;
}
