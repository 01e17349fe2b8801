/* The journals of shards (files/io/shard.h), which say at their end what was done, and by which the tables of all
 * shards are merged into those of one call. */
#ifndef SHW_FILES_OUTPUT_RESULT_SHARDS_H
#define SHW_FILES_OUTPUT_RESULT_SHARDS_H

#include "files/output/result_tables.h"

struct shw_result_shards {
    const struct shw_result_tables_kind *kind;
    struct shw_result_shard *list;
    uint32_t count, capacity;
    uint64_t pictures, failed; /* of all */
};

/* Finds the journals of a command's shards in folders, of `count` shards or, if that is 0, of any number, which must be
 * one. There may be none. Free them in either case. Errors: ARGUMENT for shards that are missing, there twice, have not
 * ended, were made by other forests or with other options, or saw other lists of images; each by its number. IO,
 * MEMORY.
 */
enum shw_result shw_result_shards_find(const struct shw_result_tables_kind *kind, char **folders, int folder_count,
                                       uint32_t count, const struct shw_log *log, struct shw_result_shards *shards);

/* What the command says of the tables; borrowed. There must be shards. */
const json_t *shw_result_shards_columns(const struct shw_result_shards *shards);

/* Writes the tables of all shards into a folder, as one call would: `outputs` has them, checked, and `journal` is that
 * of the folder. Says which images failed. Errors: IO, also if a file of an image is missing; MEMORY. */
enum shw_result shw_result_shards_merge(struct shw_result_shards *shards, const char *folder,
                                        struct shw_result_journal *journal, struct shw_output_files *outputs,
                                        const struct shw_log *log);

/* Accepts zero-initialised and freed ones. */
void shw_result_shards_free(struct shw_result_shards *shards);

#endif
