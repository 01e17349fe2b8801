/* Which pictures of the source a forest is most uncertain about. For the main thread. */
#ifndef VIEW_TEACH_RANKING_H
#define VIEW_TEACH_RANKING_H

#include "label/scene.h"
#include "teach/picture_list.h"

struct view_ranking {
    struct view_rank_job *job;         /* in progress; NULL: none */
    struct view_shared_forest *forest; /* of the job, or of the values */
    uint64_t opened;                   /* source (view_player.opened) of both */
    uint32_t count;                    /* pictures; 0: nothing is known */
    double *values;                    /* [count] of the last complete pass; NULL: none */
    bool *visited;                     /* [count]: shown by view_ranking_go() since then */
    uint32_t reported;                 /* progress that is shown */
    bool wanted;                       /* the most uncertain picture is shown when the pass is complete */
    bool failed;                       /* the last pass */
};

/* Ranks the pictures of the source by the shown forest, in the background, unless that has been done or is in progress.
 * Errors: ARGUMENT (no forest, or a source without numbered pictures), MEMORY. */
enum shw_result view_ranking_begin(struct view_ranking *ranking, const struct view_scene *scene,
                                   const struct view_picture_list *list, const struct view_project *project);

/* Shows the most uncertain listed picture that it has not shown since the last complete pass, apart from the one that
 * is shown already, and begins another pass if the forest has changed; the first time, when the first pass is complete.
 * If all have been shown, it begins again. Errors: as above; ARGUMENT if no picture is listed. */
enum shw_result view_ranking_go(struct view_ranking *ranking, const struct view_scene *scene,
                                const struct view_picture_list *list, const struct view_project *project);

bool view_ranking_is_running(const struct view_ranking *ranking);
/* Pictures that have been ranked in the pass in progress, of `count`. */
uint32_t view_ranking_done(const struct view_ranking *ranking);

/* The uncertainty of a picture of the source, from 0 to 1; negative: not known. */
double view_ranking_value(const struct view_ranking *ranking, uint32_t entry);

/* Takes the results of a pass; *changed: something that is shown has changed. Errors: those of the job. */
enum shw_result view_ranking_poll(struct view_ranking *ranking, const struct view_scene *scene,
                                  const struct view_picture_list *list, bool *changed);

/* Stops the pass in progress. Accepts zero-initialised ones. */
void view_ranking_drop(struct view_ranking *ranking);

#endif
