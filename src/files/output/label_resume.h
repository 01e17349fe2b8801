/* Which images are up to date, by the journal of a job, and by those that other calls have left in the folder. An image
 * is, if its entry has the digest of what its results depend on (shw_label_key()) and its files have the digests with
 * which they were written. Neither is computed again if the system says the same as then of all its files, those that
 * are read and those that were written: size, and times of the last change of contents and of anything. */
#ifndef SHW_FILES_OUTPUT_LABEL_RESUME_H
#define SHW_FILES_OUTPUT_LABEL_RESUME_H

#include "files/output/label_job.h"

/* Fills in job->looks, after shw_label_job_choose(), with the forest and the journal; writes nothing. Says which images
 * were changed, and how many were labelled with other settings. Errors: MEMORY. */
enum shw_result shw_label_job_look(struct shw_label_job *job, const struct shw_image_list *images);

/* Whether image i was found to be up to date. False if nobody has looked. */
bool shw_label_job_is_up_to_date(const struct shw_label_job *job, uint32_t i);

/* Adds an entry for an image that is up to date to the journal, if that has none, or one that does not say what the
 * system says now. Errors: IO, MEMORY. */
enum shw_result shw_label_job_renew(struct shw_label_job *job, const struct shw_image_entry *image, uint32_t i);

/* Before an image is read. Its digests are empty if a file cannot be read. */
struct shw_label_stamp shw_label_stamp_make(const struct shw_label_job *job, const char *image);

/* What the system says of all files of an image, now that they are written. Empty: that does not tell later changes. */
struct shw_digest shw_label_seen(const struct shw_label_job *job, const struct shw_image_entry *image,
                                 const struct shw_label_stamp *stamp);

#endif
