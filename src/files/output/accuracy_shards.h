/* What `evaluate --shard` has counted, as a file, and the sum of all shards. */
#ifndef SHW_FILES_OUTPUT_ACCURACY_SHARDS_H
#define SHW_FILES_OUTPUT_ACCURACY_SHARDS_H

#include "base/file_bytes.h"
#include "files/io/shard.h"
#include "files/output/accuracy_report.h"

struct shw_accuracy_part {
    struct shw_shard shard;
    struct shw_digest list;     /* of the names of all images of the data set */
    struct shw_digest settings; /* of the options that counts depend on, besides the forests */
};

/* Writes the file atomically. Errors: IO, MEMORY. */
enum shw_result shw_accuracy_part_write(const char *path, const struct shw_accuracy_part *part,
                                        const struct shw_accuracy_report *report, const struct shw_log *log);

/* The report of all shards, with what it borrows. */
struct shw_accuracy_sum {
    struct shw_accuracy_report report;
    uint32_t shards;
    struct shw_class *classes;
    struct shw_measured *measured;
    void *first; /* the document of the first shard, whose texts are borrowed */
};

/* Adds the files of all shards, in any order. Free it in either case. Errors: ARGUMENT for shards that are missing or
 * there twice, or are of other data, forests or options; FORMAT for other files; IO, MEMORY. */
enum shw_result shw_accuracy_parts_add(char **paths, int count, const struct shw_log *log,
                                       struct shw_accuracy_sum *sum);

/* Accepts a zero-initialised one. */
void shw_accuracy_sum_free(struct shw_accuracy_sum *sum);

#endif
