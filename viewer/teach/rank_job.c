#include "teach/rank_job.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "job/job.h"
#include "source/spec.h"
#include "teach/uncertain.h"

#define PIXELS_MAX 65536u               /* evaluated of a picture */
#define MEMORY     (UINT64_C(64) << 20) /* bytes of channels and integral images */

struct view_rank_job {
    struct shw_log log;
    struct view_job job;
    char *spec;
    struct view_other_inputs others;
    struct view_choice choice;
    uint32_t count;
    struct shw_picture_labels **labels;
    struct view_shared_forest *forest;
    struct shw_labeller *labeller;
    double *values; /* under the lock, like the next */
    uint32_t done;
};

static enum shw_result open_reader(struct view_rank_job *job, struct view_spec *spec, struct view_reader *reader)
{
    struct view_files_params files = {
        .others = &job->others, .choice = &job->choice, .stop = &job->job.stop, .log = &job->log};

    SHW_PROPAGATE(view_spec_find(job->spec, &job->log, spec));
    files.pages = spec->pages;
    if (spec->kind == VIEW_SOURCE_IMAGE || spec->kind == VIEW_SOURCE_FOLDER) {
        SHW_PROPAGATE(view_read_files(&spec->paths, &files, reader));
    } else {
        spec->dataset.log = job->log;
        if (job->others.count > 0) {
            spec->dataset.inputs = job->others.files;
            spec->dataset.input_count = job->others.count;
        }
        SHW_PROPAGATE(view_read_dataset(&spec->dataset, &files, reader));
    }
    return reader->count == job->count
               ? SHW_OK
               : shw_fail(&job->log, SHW_ERROR_IO, SHW_LOG_DATASET,
                          "%s has other pictures than when it was opened: open it again", job->spec);
}

/* The smallest step that leaves few enough pixels. */
static struct shw_part choose_part(const struct shw_image *image)
{
    struct shw_part part = {.step = 1, .width = image->width, .height = image->height};

    while ((uint64_t)part.width * part.height > PIXELS_MAX) {
        part.step++;
        part.width = (image->width + part.step - 1) / part.step;
        part.height = (image->height + part.step - 1) / part.step;
    }
    return part;
}

static enum shw_result measure(struct view_rank_job *job, const struct view_picture *picture,
                               struct shw_picture_labels *labels, double *value)
{
    const struct shw_forest_info *info = shw_forest_get_info(job->forest->forest);
    const struct shw_image *image = &picture->image;
    struct view_distributions of = {.class_count = info->class_count, .part = choose_part(image)};
    size_t size = (size_t)of.part.width * of.part.height * info->class_count;
    uint16_t *planes = malloc(size * sizeof *planes);
    struct shw_input input[SHW_INPUTS_MAX];
    const struct shw_inputs inputs = view_picture_inputs(picture, info->channel_list, input);
    enum shw_result result;

    if (planes == NULL)
        return shw_fail_memory(&job->log, picture->name);
    if (labels != NULL && labels->width == image->width && labels->height == image->height)
        of.labels = labels;
    of.planes = planes;
    result = shw_labeller_run_part(job->labeller, &inputs, &of.part, &(struct shw_labelling){.distribution = planes});
    if (result == SHW_OK)
        *value = view_mean_uncertainty(&of);
    free(planes);
    return result;
}

/* A picture that cannot be read has no value; the reader has logged why. */
static enum shw_result rank(struct view_rank_job *job, const struct view_reader *reader, uint32_t number)
{
    struct view_picture *picture = reader->one(reader->user, number);
    double value = -1.0;
    enum shw_result result = picture != NULL ? measure(job, picture, job->labels[number], &value) : SHW_OK;

    view_picture_free(picture);
    view_job_lock(&job->job);
    job->values[number] = value;
    job->done = number + 1;
    view_job_unlock(&job->job);
    return result;
}

static enum shw_result make_labeller(struct view_rank_job *job)
{
    const struct shw_labeller_params params = {.forest = job->forest->forest,
                                               .outputs = SHW_OUTPUT_DISTRIBUTION,
                                               .channels = SHW_TECHNIQUE_CPU,
                                               .integrate = SHW_TECHNIQUE_CPU,
                                               .evaluate = SHW_TECHNIQUE_CPU,
                                               .threads = 1,
                                               .memory = MEMORY,
                                               .log = job->log};

    return shw_labeller_create(&params, &job->labeller);
}

static void interrupt(void *labeller)
{
    shw_labeller_interrupt(labeller);
}

static enum shw_result work(void *user)
{
    struct view_rank_job *job = user;
    struct view_spec spec = {0};
    struct view_reader reader = {0};
    enum shw_result result;

    SHW_TRY(make_labeller(job));
    view_job_may_interrupt(&job->job, interrupt, job->labeller);
    SHW_TRY(open_reader(job, &spec, &reader));
    for (uint32_t i = 0; i < job->count && !view_job_is_stopped(&job->job); i++)
        SHW_TRY(rank(job, &reader, i));

fail:
    view_job_may_interrupt(&job->job, NULL, NULL);
    if (reader.close != NULL)
        reader.close(reader.user);
    view_spec_free(&spec);
    return result;
}

static enum shw_result copy_params(const struct view_rank_params *params, struct view_rank_job *job)
{
    job->log = params->log;
    job->count = params->count;
    job->forest = view_shared_forest_share(params->forest);
    job->others.files = params->others->files;
    job->others.count = params->others->count;
    job->others.frames = params->others->frames;
    atomic_init(&job->others.previous, atomic_load(&params->others->previous));
    job->spec = strdup(params->spec);
    job->values = calloc(params->count + (size_t)1, sizeof *job->values);
    job->labels = calloc(params->count + (size_t)1, sizeof(struct shw_picture_labels *));
    if (job->spec == NULL || job->values == NULL || job->labels == NULL)
        return shw_fail_memory(&job->log, "a ranking");
    for (uint32_t i = 0; i < params->count; i++) {
        job->values[i] = -1.0;
        job->labels[i] = params->labels[i] != NULL ? shw_picture_labels_share(params->labels[i]) : NULL;
    }
    return SHW_OK;
}

enum shw_result view_rank_job_begin(const struct view_rank_params *params, struct view_rank_job **job)
{
    static const struct view_job_kind kind = {"the ranking", SHW_PRIORITY_BACKGROUND, work, NULL};
    struct view_rank_job *made = calloc(1, sizeof *made);
    enum shw_result result;

    if (made == NULL)
        return shw_fail_memory(&params->log, "a ranking");
    view_job_init(&made->job, &kind, made);
    view_choice_init(&made->choice, &params->choice);
    result = copy_params(params, made);
    if (result == SHW_OK)
        result = view_job_begin(&made->job, &params->log);
    if (result == SHW_OK)
        *job = made;
    else
        view_rank_job_end(&made);
    return result;
}

void view_rank_job_end(struct view_rank_job **handle)
{
    struct view_rank_job *job = *handle;

    if (job == NULL)
        return;
    *handle = NULL;
    view_job_free(&job->job);
    shw_labeller_destroy(&job->labeller);
    view_shared_forest_release(&job->forest);
    for (uint32_t i = 0; job->labels != NULL && i < job->count; i++)
        shw_picture_labels_release(&job->labels[i]);
    view_choice_destroy(&job->choice);
    free(job->labels);
    free(job->values);
    free(job->spec);
    free(job);
}

uint32_t view_rank_job_done(struct view_rank_job *job)
{
    uint32_t done;

    view_job_lock(&job->job);
    done = job->done;
    view_job_unlock(&job->job);
    return done;
}

double view_rank_job_value(struct view_rank_job *job, uint32_t picture)
{
    double value;

    view_job_lock(&job->job);
    value = picture < job->count ? job->values[picture] : -1.0;
    view_job_unlock(&job->job);
    return value;
}

bool view_rank_job_has_ended(struct view_rank_job *job, enum shw_result *result)
{
    if (!view_job_is_done(&job->job))
        return false;
    *result = view_job_take(&job->job);
    return true;
}
