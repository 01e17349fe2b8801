/* Measures how uncertain a forest is on each picture of a source, on a thread of low priority. For the main thread,
 * except where it says otherwise. */
#ifndef VIEW_TEACH_RANK_JOB_H
#define VIEW_TEACH_RANK_JOB_H

#include "files/project/picture_labels.h"
#include "label/shared_forest.h"
#include "source/picture.h"

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

/* Reads one picture at a time, and evaluates at most 65536 of its pixels, evenly spaced. Errors: MEMORY. */
enum shw_result view_rank_job_begin(const struct view_rank_params *params, struct view_rank_job **job);

/* How many pictures are done, and the mean uncertainty of one (view_mean_uncertainty()); negative: it is not known, or
 * the picture cannot be read. */
uint32_t view_rank_job_done(struct view_rank_job *job);
double view_rank_job_value(struct view_rank_job *job, uint32_t picture);

/* Whether it has ended, with *result: the errors of opening the source and of labellers, which have been logged. */
bool view_rank_job_has_ended(struct view_rank_job *job, enum shw_result *result);

/* Stops it, waits for the picture that is being read, and sets *job to NULL; accepts NULL in it. */
void view_rank_job_end(struct view_rank_job **job);

#endif
