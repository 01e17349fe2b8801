/* Labelling in shards (files/io/shard.h): what a shard's journal says at its end, by which the tables of all shards are
 * merged into those of one call. */
#ifndef SHW_FILES_OUTPUT_LABEL_SHARDS_H
#define SHW_FILES_OUTPUT_LABEL_SHARDS_H

#include "files/output/label_job.h"

/* Notes that a call begins, unless everything is up to date and the journal's end is about the same list. Errors: IO,
 * MEMORY. */
enum shw_result shw_label_shard_begin(struct shw_label_job *job, const struct shw_image_list *images);

/* Notes which images of the shard are labelled, where they are in the whole list, and which failed. Errors: IO, MEMORY.
 */
enum shw_result shw_label_shard_end(struct shw_label_job *job, const struct shw_image_list *images, const bool *done);

/* The journals of shards. */
struct shw_label_shards {
    struct shw_label_shard *list;
    uint32_t count, capacity;
    uint64_t pictures, failed; /* of all */
};

/* Finds the journals of shards in folders, of `count` shards or, if that is 0, of any number, which must be one. Free
 * them in either case. Errors: ARGUMENT for shards that are missing, there twice, have not ended, were made by other
 * forests or with other options, or saw other lists of images; each by its number. IO, MEMORY. */
enum shw_result shw_label_shards_find(char **folders, int folder_count, uint32_t count, const struct shw_log *log,
                                      struct shw_label_shards *shards);

/* Whether the shards have a table of objects. */
bool shw_label_shards_have_objects(const struct shw_label_shards *shards);

/* Writes the tables of all shards into a folder, as one call would: `outputs` has them, checked, and `journal` is that
 * of the folder. Says which images failed. Errors: IO, also if a file of an image is missing; MEMORY. */
enum shw_result shw_label_shards_merge(struct shw_label_shards *shards, const char *folder,
                                       struct shw_label_journal *journal, struct shw_output_files *outputs,
                                       const struct shw_log *log);

/* Accepts zero-initialised and freed ones. */
void shw_label_shards_free(struct shw_label_shards *shards);

#endif
