#include "teach/picture_list.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "files/project/picture_labels.h"
#include "job/job.h"
#include "label/label_worker.h"
#include "source/picture.h"
#include "source/spec.h"
#include "teach/project_file.h"
#include "teach/uncertain.h"

/* A name that a picture of the project may have in a source. */
struct known {
    char *path;
    uint32_t picture;
};

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct known *)a)->path, ((const struct known *)b)->path);
}

const char *view_picture_list_base(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

void view_picture_list_free(struct view_picture_list *list)
{
    free(list->of_entry);
    free(list->rows);
    free(list->strokes);
    free(list->classes);
    free(list->kept);
    *list = (struct view_picture_list){0};
}

static void free_known(struct known *known, uint32_t count)
{
    for (uint32_t i = 0; known != NULL && i < count; i++)
        free(known[i].path);
    free(known);
}

/* The pictures of the project by path; NULL if out of memory. */
static struct known *know_pictures(const struct view_project *project, uint32_t count)
{
    struct known *known = calloc(count + (size_t)1, sizeof *known);
    struct view_real_folder folder = {0};
    bool fine = known != NULL;

    for (uint32_t p = 0; fine && p < count; p++) {
        known[p] = (struct known){view_project_picture_place(project, p, &folder), p};
        fine = known[p].path != NULL;
    }
    view_real_folder_free(&folder);
    if (!fine) {
        free_known(known, count);
        return NULL;
    }
    qsort(known, count, sizeof *known, by_path);
    return known;
}

static void find_entries(struct view_picture_list *list, struct view_source *source, const struct known *known)
{
    struct view_real_folder folder = {0};

    for (uint32_t i = 0; i < list->count; i++) {
        const char *name = view_source_name(source, i);
        struct known wanted = {name != NULL ? view_real_place(name, &folder) : NULL, 0};
        const struct known *found = NULL;

        if (wanted.path != NULL && list->picture_count > 0)
            found = bsearch(&wanted, known, list->picture_count, sizeof *known, by_path);
        list->of_entry[i] = found != NULL ? found->picture : UINT32_MAX;
        free(wanted.path);
    }
    view_real_folder_free(&folder);
}

static bool mark_pictures(struct view_picture_list *list, struct shw_project *project)
{
    uint64_t *counts = calloc(list->class_count + (size_t)1, sizeof *counts);

    for (uint32_t p = 0; counts != NULL && p < list->picture_count; p++) {
        list->strokes[p] = shw_project_get_picture(project, p).stroke_count;
        list->kept[p] = shw_project_get_picture(project, p).kept;
        list->incomplete = list->incomplete || !shw_project_has_labels(project, p);
        if (list->strokes[p] == 0 || !shw_project_has_labels(project, p) ||
            shw_project_count_labels(project, p, counts) != SHW_OK)
            continue;
        for (uint32_t c = 0; c < list->class_count; c++)
            list->classes[(size_t)p * list->class_count + c] = counts[c] > 0;
    }
    free(counts);
    return counts != NULL;
}

/* False: out of memory. */
static bool make(struct view_picture_list *list, const struct view_player *player, const struct view_project *project)
{
    struct known *known;
    bool fine;

    list->picture_count = project->data != NULL ? shw_project_get_picture_count(project->data) : 0;
    list->class_count = project->data != NULL ? shw_project_get_class_count(project->data) : 0;
    list->of_entry = calloc(list->count + (size_t)1, sizeof *list->of_entry);
    list->rows = calloc(list->count + (size_t)1, sizeof *list->rows);
    list->strokes = calloc(list->picture_count + (size_t)1, sizeof *list->strokes);
    list->classes = calloc((size_t)list->picture_count * list->class_count + 1, sizeof *list->classes);
    list->kept = calloc(list->picture_count + (size_t)1, sizeof *list->kept);
    known = know_pictures(project, list->picture_count);
    fine = list->of_entry != NULL && list->rows != NULL && list->strokes != NULL && list->classes != NULL &&
           list->kept != NULL && known != NULL && mark_pictures(list, project->data);
    if (fine)
        find_entries(list, player->source, known);
    free_known(known, list->picture_count);
    return fine;
}

static bool has_name(const char *name, const char *part)
{
    size_t length = strlen(part);

    for (; strlen(name) >= length; name++) {
        size_t same = 0;
        while (same < length && tolower((unsigned char)name[same]) == tolower((unsigned char)part[same]))
            same++;
        if (same == length)
            return true;
    }
    return false;
}

static bool lets_through(const struct view_picture_list *list, struct view_source *source, uint32_t entry)
{
    const char *name = list->name[0] != '\0' ? view_source_name(source, entry) : NULL;
    uint32_t strokes;
    const bool *classes = view_picture_list_marks(list, entry, &strokes);

    if (list->name[0] != '\0' && (name == NULL || !has_name(view_picture_list_base(name), list->name)))
        return false;
    switch (list->filter) {
    case VIEW_LIST_ALL: break;
    case VIEW_LIST_PAINTED: return strokes > 0;
    case VIEW_LIST_UNPAINTED: return strokes == 0;
    case VIEW_LIST_KEPT: return view_picture_list_is_kept(list, entry);
    case VIEW_LIST_CLASS:
        return classes != NULL && list->class_number < list->class_count && classes[list->class_number];
    }
    return true;
}

static void choose_rows(struct view_picture_list *list, struct view_source *source)
{
    list->row_count = 0;
    for (uint32_t i = 0; i < list->count; i++)
        if (lets_through(list, source, i))
            list->rows[list->row_count++] = i;
    list->stale = false;
}

static bool has_all_labels(const struct shw_project *project)
{
    for (uint32_t p = 0; p < shw_project_get_picture_count(project); p++)
        if (!shw_project_has_labels(project, p))
            return false;
    return true;
}

void view_picture_list_update(struct view_picture_list *list, const struct view_player *player,
                              const struct view_project *project)
{
    const uint32_t count = view_player_info(player).count;
    struct view_picture_list made = {.filter = list->filter, .class_number = list->class_number, .count = count};

    if (project->data != NULL && shw_project_is_painting(project->data))
        return;
    made.made.opened = player->opened;
    made.made.project = project->data;
    made.made.revision = project->data != NULL ? shw_project_get_revision(project->data) : 0;
    made.made.saved = project->saved;
    if (list->count != count || (list->incomplete && has_all_labels(project->data)) ||
        memcmp(&list->made, &made.made, sizeof made.made) != 0) {
        memcpy(made.name, list->name, sizeof made.name);
        if (!make(&made, player, project)) {
            view_picture_list_free(&made);
            made = (struct view_picture_list){.made = made.made};
        }
        view_picture_list_free(list);
        *list = made;
        list->stale = true;
    }
    if (list->stale)
        choose_rows(list, player->source);
}

uint32_t view_picture_list_row(const struct view_picture_list *list, uint32_t entry)
{
    uint32_t low = 0, high = list->row_count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (list->rows[middle] < entry)
            low = middle + 1;
        else
            high = middle;
    }
    return low < list->row_count && list->rows[low] == entry ? low : UINT32_MAX;
}

const bool *view_picture_list_marks(const struct view_picture_list *list, uint32_t entry, uint32_t *strokes)
{
    uint32_t picture = entry < list->count ? list->of_entry[entry] : UINT32_MAX;

    *strokes = picture < list->picture_count ? list->strokes[picture] : 0;
    return picture < list->picture_count ? list->classes + (size_t)picture * list->class_count : NULL;
}

bool view_picture_list_is_kept(const struct view_picture_list *list, uint32_t entry)
{
    uint32_t picture = entry < list->count ? list->of_entry[entry] : UINT32_MAX;

    return picture < list->picture_count && list->kept[picture];
}

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

/* A picture that cannot be read has no value; the reader has logged why. Nor has one without depth that the forest
 * reads. */
static enum shw_result rank(struct view_rank_job *job, const struct view_reader *reader, uint32_t number)
{
    struct view_picture *picture = reader->one(reader->user, number);
    double value = -1.0;
    const struct shw_channel_list *list = shw_forest_get_info(job->forest->forest)->channel_list;
    enum shw_result result = picture != NULL && view_picture_lacks(picture, list) == NULL
                                 ? measure(job, picture, job->labels[number], &value)
                                 : SHW_OK;

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
                                               .smoothing = view_shared_forest_smoothing(job->forest),
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
    job->others.beside = params->others->beside;
    job->others.frames = params->others->frames;
    atomic_init(&job->others.own, atomic_load(&params->others->own));
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
