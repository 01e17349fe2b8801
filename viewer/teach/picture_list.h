/* The pictures of the source as a list: what is painted on each, which ones a filter lets through, and which a forest
 * is most uncertain about. For the main thread. */
#ifndef VIEW_TEACH_PICTURE_LIST_H
#define VIEW_TEACH_PICTURE_LIST_H

#include "label/scene.h"
#include "source/source.h"
#include "teach/project_file.h"

enum view_list_filter { VIEW_LIST_ALL, VIEW_LIST_PAINTED, VIEW_LIST_UNPAINTED, VIEW_LIST_KEPT, VIEW_LIST_CLASS };

struct view_picture_list {
    enum view_list_filter filter;
    uint32_t class_number; /* of the filter */
    char name[128];        /* part of the name, in letters of either case; "": any */

    uint32_t count;     /* pictures of the source */
    uint32_t *of_entry; /* [count]: the project's picture, or UINT32_MAX */
    uint32_t *rows;     /* the pictures that the filter lets through, by number */
    uint32_t row_count;
    uint32_t picture_count, class_count; /* of the project */
    uint32_t *strokes;                   /* [picture_count] */
    bool *classes;                       /* [picture_count][class_count]: whether pixels have the class */
    bool *kept;                          /* [picture_count]: for testing */
    struct {
        uint64_t opened, revision, saved;
        const struct shw_project *project;
    } made;          /* for what */
    bool stale;      /* the filter has changed */
    bool incomplete; /* classes are not known of all pictures yet */
};

/* Brings it up to date with the source and the project, which may have no data; cheap if nothing has changed. Not while
 * a stroke is in progress. Of pictures whose labels are not painted yet no classes are known. If memory is short, the
 * list has no rows. */
void view_picture_list_update(struct view_picture_list *list, const struct view_player *player,
                              const struct view_project *project);
/* Accepts zero-initialised and freed ones. */
void view_picture_list_free(struct view_picture_list *list);

/* The row of a picture of the source; UINT32_MAX if the filter hides it. */
uint32_t view_picture_list_row(const struct view_picture_list *list, uint32_t entry);

/* What is painted on a picture of the source: the number of strokes, and [class_count] whether pixels have the class;
 * NULL: nothing is known of it. */
const bool *view_picture_list_marks(const struct view_picture_list *list, uint32_t entry, uint32_t *strokes);

/* Whether a picture of the source is kept for testing. */
bool view_picture_list_is_kept(const struct view_picture_list *list, uint32_t entry);

/* Part of a path after its last slash. */
const char *view_picture_list_base(const char *path);

/* Which pictures of the source a forest is most uncertain about. */
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
