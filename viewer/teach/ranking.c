#include "teach/ranking.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"

void view_ranking_drop(struct view_ranking *ranking)
{
    view_rank_job_end(&ranking->job);
    view_shared_forest_release(&ranking->forest);
    free(ranking->values);
    free(ranking->visited);
    *ranking = (struct view_ranking){0};
}

bool view_ranking_is_under_way(const struct view_ranking *ranking)
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
            labels[i] = NULL; /* told; the mean is that of all pixels then */
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
    *changed = ranking->told != view_ranking_done(ranking);
    ranking->told = view_ranking_done(ranking);
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
