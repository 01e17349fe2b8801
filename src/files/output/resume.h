/* Work on images of which a part was done before: which of them are up to date, by the journal of this call, and by
 * those that other calls have left in the folder. An image is, if its entry has the digest of what its results depend
 * on and its files have the digests with which they were written. Neither is computed again if the system says the same
 * as then of all its files, those that are read and those that were written: size, and times of the last change of
 * contents and of anything.
 *
 * What is done with images is a kind: labelling (label_job.h), detection (cli/detect_parts.h). */
#ifndef SHW_FILES_OUTPUT_RESUME_H
#define SHW_FILES_OUTPUT_RESUME_H

#include <jansson.h>
#include <pthread.h>

#include "files/output/image_list.h"
#include "files/output/picture_files.h"
#include "files/output/result_journal.h"
#include "files/output/result_tables.h"

/* What is asked of the one who does the work, `user`. */
struct shw_resume_kind {
    const struct shw_result_tables_kind *tables;
    const char *done, *model; /* "labelled" by a "forest", in messages */

    /* The digest of what results depend on besides the image; and with the bytes of the image's files, or empty if one
     * of them cannot be read. */
    struct shw_digest (*settings)(const void *user);
    struct shw_digest (*key)(const void *user, const char *image);

    /* Calls `visit` for each file that is read for an image, or that is written. Errors: those of `visit`, MEMORY. */
    enum shw_result (*visit_inputs)(const void *user, const char *image, void (*visit)(void *visitor, const char *path),
                                    void *visitor);
    enum shw_result (*visit_outputs)(const void *user, const struct shw_image_entry *image, shw_visit_file *visit,
                                     void *visitor);

    /* Whether there can be such an entry, which may be NULL. */
    bool (*is_sound)(const void *user, const json_t *entry);

    /* What the tables need besides rows; to be released. */
    json_t *(*columns)(const void *user);
};

/* Whether an image is up to date: which journal says so, and whether that of this call must still learn it. */
struct shw_resume_look {
    bool done, renew;
    struct shw_result_journal *from;
};

/* Zero-initialise it, and set the first members. */
struct shw_resume {
    const struct shw_resume_kind *kind;
    const void *user;
    struct shw_log log;
    const char *output;                 /* the folder */
    struct shw_shard shard;             /* of which the images are; none: all */
    struct shw_result_journal *journal; /* NULL: nothing is noted */
    struct shw_result_journal **others; /* of other calls in the folder, which are read only */
    uint32_t other_count;
    struct shw_resume_look *looks; /* of each image; NULL: nobody has looked */
    pthread_mutex_t *shared;       /* held while journals are used by several threads; NULL: there is one */
};

/* What an image's results depend on, and what the system says of its files before they are read. Empty if a file cannot
 * be read. */
struct shw_resume_stamp {
    struct shw_digest key, inputs;
};

/* Looks at all images; writes nothing. Says which were changed, and how many were done with other settings. Errors:
 * MEMORY. */
enum shw_result shw_resume_look(struct shw_resume *resume, const struct shw_image_list *images);

/* Whether image i was found to be up to date. False if nobody has looked. */
bool shw_resume_is_up_to_date(const struct shw_resume *resume, uint32_t i);

/* Adds an entry for an image that is up to date to the journal, if that has none, or one that does not say what the
 * system says now. Errors: IO, MEMORY. */
enum shw_result shw_resume_renew(struct shw_resume *resume, const struct shw_image_entry *image, uint32_t i);

/* Before an image is read. */
struct shw_resume_stamp shw_resume_stamp(const struct shw_resume *resume, const char *image);

/* Adds an image whose files are complete to the journal. `entry`: its rows, which are released. Errors: IO, MEMORY. */
enum shw_result shw_resume_add(struct shw_resume *resume, const struct shw_image_entry *image,
                               const struct shw_resume_stamp *stamp, json_t *entry);

/* Notes a file without a mark that is going to be written. Errors: IO, MEMORY. */
enum shw_result shw_resume_note(struct shw_resume *resume, const char *path);

/* Whether one of the journals has a file that has no mark. */
bool shw_resume_owns(const struct shw_resume *resume, const char *path);

/* Which picture a path means: the file by the real path of its folder, and the page. */
struct shw_digest shw_picture_digest(const char *path);

/* Notes that the call of a shard begins, unless everything is up to date and the journal's end is about the same list.
 * Errors: IO, MEMORY. */
enum shw_result shw_resume_begin_shard(struct shw_resume *resume, const struct shw_image_list *images);

/* Notes which images of the shard are done, where they are in the whole list, and which failed. Errors: IO, MEMORY. */
enum shw_result shw_resume_end_shard(struct shw_resume *resume, const struct shw_image_list *images, const bool *done);

/* Writes the tables of a call without shards, with rows of the images that are `done`, and then of others that were
 * done into the folder with the same settings; a picture that was done under several places is listed once. `outputs`
 * has the tables, checked. Errors: IO, MEMORY. */
enum shw_result shw_resume_write_tables(struct shw_resume *resume, const struct shw_image_list *images,
                                        const bool *done, const struct shw_output_files *outputs);

/* Closes the journals, and frees the rest. */
void shw_resume_close(struct shw_resume *resume);

#endif
