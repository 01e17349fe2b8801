#include "teach/ranking.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "files/project/picture_labels.h"
#include "job/job.h"
#include "label/shared_forest.h"
#include "source/picture.h"
#include "source/spec.h"
#include "teach/uncertain.h"

struct view_rank_job;

struct view_rank_params {
    const char *spec;                       /* opens the source again (view_source_spec()); copied */
    const struct view_other_inputs *others; /* what its pictures come with; copied, except names and paths */
    struct shw_image_choice choice;         /* how image files are read */
    uint32_t count;                         /* pictures, in the source's order */
    struct shw_picture_labels **labels;     /* [count]: what is painted on each, or NULL; the job takes shares */
    struct view_shared_forest *forest;      /* the job takes a share */
    struct shw_log log;                     /* used on the job's thread, too */
};

/* Stops it, waits for the picture that is being read, and sets *job to NULL; accepts NULL in it. */
static void view_rank_job_end(struct view_rank_job **job);

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

/* Reads one picture at a time, and evaluates at most 65536 of its pixels, evenly spaced. Errors: MEMORY. */
static enum shw_result view_rank_job_begin(const struct view_rank_params *params, struct view_rank_job **job)
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

static void view_rank_job_end(struct view_rank_job **handle)
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

/* How many pictures are done, and the mean uncertainty of one (view_mean_uncertainty()); negative: it is not known, or
 * the picture cannot be read. */
static uint32_t view_rank_job_done(struct view_rank_job *job)
{
    uint32_t done;

    view_job_lock(&job->job);
    done = job->done;
    view_job_unlock(&job->job);
    return done;
}

static double view_rank_job_value(struct view_rank_job *job, uint32_t picture)
{
    double value;

    view_job_lock(&job->job);
    value = picture < job->count ? job->values[picture] : -1.0;
    view_job_unlock(&job->job);
    return value;
}

/* Whether it has ended, with *result: the errors of opening the source and of labellers, which have been logged. */
static bool view_rank_job_has_ended(struct view_rank_job *job, enum shw_result *result)
{
    if (!view_job_is_done(&job->job))
        return false;
    *result = view_job_take(&job->job);
    return true;
}

void view_ranking_drop(struct view_ranking *ranking)
{
    view_rank_job_end(&ranking->job);
    view_shared_forest_release(&ranking->forest);
    free(ranking->values);
    free(ranking->visited);
    *ranking = (struct view_ranking){0};
}

bool view_ranking_is_running(const struct view_ranking *ranking)
{
    return ranking->job != NULL;
}

uint32_t view_ranking_done(const struct view_ranking *ranking)
{
    return ranking->job != NULL ? view_rank_job_done(ranking->job) : 0;
}

double view_ranking_value(const struct view_ranking *ranking, uint32_t entry)
{
    double value = ranking->job != NULL ? view_rank_job_value(ranking->job, entry) : -1.0;

    return value < 0.0 && ranking->values != NULL && entry < ranking->count ? ranking->values[entry] : value;
}

static enum shw_result check_source(const struct view_scene *scene)
{
    const struct view_source_info info = view_player_info(scene->player);

    return info.state == VIEW_SOURCE_READY && info.count > 0
               ? SHW_OK
               : shw_fail(&scene->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                          "only the pictures of a folder, a project or a data set are ranked");
}

/* Forgets what is known of another source. */
static void follow_source(struct view_ranking *ranking, const struct view_player *player)
{
    if (ranking->opened != player->opened)
        view_ranking_drop(ranking);
    ranking->opened = player->opened;
}

/* What is painted on the pictures; NULL if out of memory. To be released with free_labels(). */
static struct shw_picture_labels **share_labels(const struct view_picture_list *list,
                                                const struct view_project *project)
{
    struct shw_picture_labels **labels = calloc(list->count + (size_t)1, sizeof(struct shw_picture_labels *));

    for (uint32_t i = 0; labels != NULL && i < list->count; i++)
        if (list->of_entry[i] < list->picture_count && list->strokes[list->of_entry[i]] > 0 &&
            shw_project_share_labels(project->data, list->of_entry[i], &labels[i]) != SHW_OK)
            labels[i] = NULL; /* has been reported; the mean is that of all pixels then */
    return labels;
}

static void free_labels(struct shw_picture_labels **labels, uint32_t count)
{
    for (uint32_t i = 0; labels != NULL && i < count; i++)
        shw_picture_labels_release(&labels[i]);
    free(labels);
}

enum shw_result view_ranking_begin(struct view_ranking *ranking, const struct view_scene *scene,
                                   const struct view_picture_list *list, const struct view_project *project)
{
    struct view_rank_params params = {.others = &scene->player->others,
                                      .choice = view_player_get_choice(scene->player),
                                      .count = list->count,
                                      .forest = scene->forest,
                                      .log = scene->log};
    char *spec = NULL;
    enum shw_result result;

    SHW_PROPAGATE(check_source(scene));
    SHW_PROPAGATE(view_scene_need_forest(scene));
    follow_source(ranking, scene->player);
    if (ranking->job != NULL || (ranking->values != NULL && !ranking->failed && ranking->forest == scene->forest))
        return SHW_OK;
    params.spec = spec = view_source_spec(scene->player->source);
    params.labels = share_labels(list, project);
    result = spec != NULL && params.labels != NULL ? view_rank_job_begin(&params, &ranking->job)
                                                   : shw_fail_memory(&scene->log, "a ranking");
    free_labels(params.labels, list->count);
    free(spec);
    if (result != SHW_OK)
        return result;
    view_shared_forest_release(&ranking->forest);
    ranking->forest = view_shared_forest_share(scene->forest);
    ranking->failed = false;
    return SHW_OK;
}

/* The most uncertain listed picture that has not been visited and is not kept for testing; UINT32_MAX: none. */
static uint32_t choose(const struct view_ranking *ranking, const struct view_picture_list *list)
{
    uint32_t best = UINT32_MAX;

    for (uint32_t row = 0; row < list->row_count; row++) {
        uint32_t entry = list->rows[row];

        if (entry < ranking->count && !ranking->visited[entry] && ranking->values[entry] >= 0.0 &&
            !view_picture_list_is_kept(list, entry) &&
            (best == UINT32_MAX || ranking->values[entry] > ranking->values[best]))
            best = entry;
    }
    return best;
}

static enum shw_result show_next(struct view_ranking *ranking, const struct view_scene *scene,
                                 const struct view_picture_list *list)
{
    uint32_t shown = view_player_info(scene->player).index, next;

    ranking->wanted = false;
    if (shown < ranking->count)
        ranking->visited[shown] = true;
    next = choose(ranking, list);
    if (next == UINT32_MAX) {
        memset(ranking->visited, 0, ranking->count * sizeof *ranking->visited);
        if (shown < ranking->count)
            ranking->visited[shown] = list->row_count > 1;
        next = choose(ranking, list);
    }
    if (next == UINT32_MAX)
        return shw_fail(&scene->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "no picture is listed that could be ranked");
    ranking->visited[next] = true;
    scene->player->settle = true;
    return view_source_go_to(scene->player->source, next);
}

enum shw_result view_ranking_go(struct view_ranking *ranking, const struct view_scene *scene,
                                const struct view_picture_list *list, const struct view_project *project)
{
    SHW_PROPAGATE(view_ranking_begin(ranking, scene, list, project));
    ranking->wanted = ranking->values == NULL;
    return ranking->wanted ? SHW_OK : show_next(ranking, scene, list);
}

/* The pass in progress is complete. */
static enum shw_result take_values(struct view_ranking *ranking, const struct view_scene *scene)
{
    uint32_t count = view_player_info(scene->player).count;
    double *values = calloc(count + (size_t)1, sizeof *values);
    bool *visited = calloc(count + (size_t)1, sizeof *visited);

    if (values == NULL || visited == NULL) {
        free(values);
        free(visited);
        return shw_fail_memory(&scene->log, "a ranking");
    }
    for (uint32_t i = 0; i < count; i++)
        values[i] = view_rank_job_value(ranking->job, i);
    free(ranking->values);
    free(ranking->visited);
    ranking->values = values;
    ranking->visited = visited;
    ranking->count = count;
    return SHW_OK;
}

enum shw_result view_ranking_poll(struct view_ranking *ranking, const struct view_scene *scene,
                                  const struct view_picture_list *list, bool *changed)
{
    enum shw_result result = SHW_OK;

    *changed = false;
    if (ranking->job == NULL)
        return SHW_OK;
    follow_source(ranking, scene->player);
    if (ranking->job == NULL)
        return SHW_OK;
    *changed = ranking->reported != view_ranking_done(ranking);
    ranking->reported = view_ranking_done(ranking);
    if (!view_rank_job_has_ended(ranking->job, &result))
        return SHW_OK;
    *changed = true;
    if (result == SHW_OK)
        result = take_values(ranking, scene);
    view_rank_job_end(&ranking->job);
    ranking->failed = result != SHW_OK;
    if (result != SHW_OK)
        ranking->wanted = false;
    return ranking->wanted ? show_next(ranking, scene, list) : SHW_OK;
}
