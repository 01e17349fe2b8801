/* Labelling several images at a time, on several devices (shw_label_job.at_once). */
#ifndef SHW_FILES_OUTPUT_LABEL_TEAM_H
#define SHW_FILES_OUTPUT_LABEL_TEAM_H

#include "files/output/label_job.h"

/* What a thread has made of an image, until it is reported. */
struct shw_label_made {
    enum shw_result result;
    uint32_t width, height;
    double seconds;
    uint64_t memory;
    struct shw_objects objects;
};

/* Labels an image, which is not up to date, writes its files, and adds it to the journal. With `resume.shared`, this
 * may be done by several threads at a time, each with a copy of the job. Free what is made in either case. */
void shw_label_job_make(struct shw_label_job *job, const struct shw_image_entry *image, struct shw_label_made *made);
void shw_label_made_free(struct shw_label_made *made);

/* Does what comes after shw_label_job_make(), or instead of it for an image that is up to date, in the order of the
 * images: reports it, also if it failed, and notes in done[i] and the tally how it went. */
void shw_label_job_report(struct shw_label_job *job, const struct shw_image_list *images, uint32_t i,
                          const struct shw_label_made *made, bool *done, struct shw_label_tally *tally);

/* Makes and ends all images. Messages come in the order of the images. Errors: MEMORY. */
enum shw_result shw_label_team_run(struct shw_label_job *job, const struct shw_image_list *images, bool *done,
                                   struct shw_label_tally *tally);

#endif
