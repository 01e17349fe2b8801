/* Results of the records of a shard, as a file, and the tables of all shards. Records are dealt out in blocks: shard I
 * of N has every N-th block of 4096 records, from the I-th on, so that the tables can be put together again in one
 * pass. */
#ifndef SHW_FILES_TABLES_RESULTS_PART_H
#define SHW_FILES_TABLES_RESULTS_PART_H

#include <jansson.h>
#include <stdio.h>

#include "files/io/output_files.h"
#include "files/io/shard.h"

enum { SHW_RESULTS_BLOCK = 4096, SHW_RESULTS_STREAMS_MAX = 4 };

/* Whether the record of that number, from 0, belongs to a shard. Any thread. */
bool shw_shard_has_record(const struct shw_shard *shard, uint64_t record);

/* The file: a line with its mark, a line of JSON that says what it is, and blocks. */
extern const struct shw_file_kind shw_file_results_part;

/* What a complete file of that kind says it is, to be released; NULL: it is none, or was changed. */
json_t *shw_results_part_read(const char *path);

struct shw_results_part;

/* Begins a file. `about`: what it says, an object with the members "shard", two numbers, and "arrays", each with
 * "name", "type" and "columns" (0: one that is no dimension); none for CSV. Errors: IO, MEMORY. */
enum shw_result shw_results_part_open(const char *path, const json_t *about, const struct shw_log *log,
                                      struct shw_results_part **part);

/* Where the rows of a block are written: as many streams as arrays, or one; until the block ends. NULL if memory is
 * exhausted. */
FILE *shw_results_part_stream(struct shw_results_part *part, uint32_t stream);

/* Ends a block of that many records; the first of CSV is the header, and has none. Errors: IO, MEMORY. */
enum shw_result shw_results_part_end_block(struct shw_results_part *part, uint64_t records);

/* Completes the file; `total`: records of all shards. Errors: IO. */
enum shw_result shw_results_part_commit(struct shw_results_part *part, const struct shw_output_files *files,
                                        uint64_t total);

/* Discards what is not committed. Accepts NULL and a pointer to NULL. */
void shw_results_part_destroy(struct shw_results_part **part);

/* The files of all shards, in any order. */
struct shw_results_parts;

/* Opens them; close them in either case. Errors: ARGUMENT for shards that are missing, there twice, or are of other
 * tables, models or options; FORMAT for other files; IO, MEMORY. */
enum shw_result shw_results_parts_open(char **paths, int count, const struct shw_log *log,
                                       struct shw_results_parts **parts);

/* Names what is going to be written: `output`, or, of several arrays, one for each. Errors: ARGUMENT if that is no name
 * for what the shards have; MEMORY. */
enum shw_result shw_results_parts_name(struct shw_results_parts *parts, const char *output,
                                       struct shw_output_files *files);

/* Writes the tables that one call would have written. Errors: IO, FORMAT. */
enum shw_result shw_results_parts_merge(struct shw_results_parts *parts, const struct shw_output_files *files);

uint32_t shw_results_parts_count(const struct shw_results_parts *parts);
uint64_t shw_results_parts_records(const struct shw_results_parts *parts); /* after merging */

/* Accepts NULL and a pointer to NULL. */
void shw_results_parts_close(struct shw_results_parts **parts);

#endif
