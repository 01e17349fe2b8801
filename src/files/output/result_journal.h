/* The journal of `shadewood label` and `detect` with `--resume` and `--shard`, and of `label PROJECT`, kept with the
 * results: which forest was trained from what, and which image was labelled or searched with what, so that the next
 * call does only the rest. A text of JSON objects, one per line, to which lines are appended; unfinished lines of a
 * killed program and lines that do not match their checksum are skipped. The file is locked: one program at a time. */
#ifndef SHW_FILES_OUTPUT_RESULT_JOURNAL_H
#define SHW_FILES_OUTPUT_RESULT_JOURNAL_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include <shadewood/log.h>

#include "base/file_bytes.h"
#include "files/io/image_paths.h"
#include "files/io/shard.h"
#include "files/output/listed_files.h"

#define SHW_EXPORT_JOURNAL ".shadewood-export.jsonl" /* of the viewer's exports: an entry for each file */

/* The name of the journal of a command in the output folder: "shadewood-label.jsonl", and that of a shard:
 * "shadewood-label-3-of-16.jsonl". */
struct shw_result_journal_name {
    char text[64];
};
struct shw_result_journal_name shw_result_journal_name(const char *command, struct shw_shard shard);
/* The shard of a journal of that name; false: it is none of the command. */
bool shw_result_journal_parse_name(const char *command, const char *name, struct shw_shard *shard);
/* Appends the journals of a command in a folder, those of shards included; none, and errno is set, if it cannot be
 * read. False if memory is exhausted. */
bool shw_result_journals_list(const char *command, const char *folder, struct shw_image_paths *journals);

struct shw_result_journal;

/* Opens the journal of that name in a folder, which is there, or begins one; close it in either case. Errors: ARGUMENT
 * (the file may not be written: files/io/output_files.h), IO, MEMORY. */
enum shw_result shw_result_journal_open(const struct shw_log *log, const char *folder, const char *name, bool overwrite,
                                        struct shw_result_journal **journal);
/* To read it only, also while another program writes. NULL if there is none, or it cannot be read. */
struct shw_result_journal *shw_result_journal_look(const char *folder, const char *name);
/* Opens a journal that was looked at, to which others may have added since; close it in either case. Errors: as those
 * of opening. */
enum shw_result shw_result_journal_take(struct shw_result_journal *journal, const struct shw_log *log, bool overwrite);
/* Accepts a pointer to NULL. */
void shw_result_journal_close(struct shw_result_journal **journal);

/* The hash of the forest that was trained from what has that digest; 0: none is known. */
uint64_t shw_result_journal_forest(const struct shw_result_journal *journal, const struct shw_digest *from);
enum shw_result shw_result_journal_add_forest(struct shw_result_journal *journal, const struct shw_digest *from,
                                              uint64_t hash);

/* Whether an image was labelled with what has the digest `key`, and its files are as they were written. Warns if what
 * is said of it is damaged. */
bool shw_result_journal_has(const struct shw_result_journal *journal, const char *place, const struct shw_digest *key);

/* What is said of an image: nothing, that it was labelled with what has the digest `key`, or with something else. Its
 * files are not looked at. */
enum shw_result_known { SHW_RESULT_UNKNOWN, SHW_RESULT_SAME, SHW_RESULT_OTHER };
enum shw_result_known shw_result_journal_knows(const struct shw_result_journal *journal, const char *place,
                                               const struct shw_digest *key);

/* Whether there is an entry, be it damaged. */
bool shw_result_journal_has_entry(const struct shw_result_journal *journal, const char *place);

/* Whether there is an entry, and its files are as they were written. */
bool shw_result_journal_is_unchanged(const struct shw_result_journal *journal, const char *place);

/* What an image was labelled with besides its files, as the entry's member "way" says, and the digest of what the
 * system said of them then, "seen" (resume.h). NULL if the entry has none, or no sum. Borrowed until the next
 * entry. */
const char *shw_result_journal_way(const struct shw_result_journal *journal, const char *place);
const char *shw_result_journal_seen(const struct shw_result_journal *journal, const char *place);

/* What the last call said at its end, to be released; NULL if something was begun or added since. */
json_t *shw_result_journal_end(const struct shw_result_journal *journal);
/* Notes that a call begins, or has ended, with what it says. Errors: IO, MEMORY. */
enum shw_result shw_result_journal_add_begin(struct shw_result_journal *journal);
enum shw_result shw_result_journal_add_end(struct shw_result_journal *journal, json_t *end);

/* What was found in files that were listed; borrowed. */
const struct shw_listed_files *shw_result_journal_listed(const struct shw_result_journal *journal);
/* Adds those that were asked for in this process and are not known to the journal. Errors: IO, MEMORY. */
enum shw_result shw_result_journal_add_listed(struct shw_result_journal *journal, const struct shw_listed_files *files);

/* Lets further messages go to `log`; returns where they went before. Accepts NULL. */
struct shw_log shw_result_journal_set_log(struct shw_result_journal *journal, struct shw_log log);

/* The warning that what is said of an image cannot be right. */
void shw_result_journal_warn(const struct shw_result_journal *journal, const char *place);

/* Its entry, to be released; NULL if it cannot be read. */
json_t *shw_result_journal_read(const struct shw_result_journal *journal, const char *place);

/* The places of all images that it has, in natural order, to be freed with free(); the texts are borrowed until the
 * next entry. NULL if memory is exhausted. */
const char **shw_result_journal_places(const struct shw_result_journal *journal, uint32_t *count);

/* Greater for an image that was added later; 0 if it is not known. */
uint64_t shw_result_journal_order(const struct shw_result_journal *journal, const char *place);

/* Whether the files of an entry still exist. */
bool shw_result_journal_has_files(const struct shw_result_journal *journal, const json_t *entry);

/* Adds an entry, which may be that of another journal: "key" is the digest, "files" an object of paths in the folder
 * with their digests, "way" and "seen" as above, and other members are the caller's. What was known of the image is
 * forgotten. Errors: IO, MEMORY. */
enum shw_result shw_result_journal_add(struct shw_result_journal *journal, const char *place, json_t *entry);

/* Files without a mark, by which they would be known as ours: to be noted before one is written, with its digest, or
 * NULL if that is not known yet; then it is ours in any case. `path` begins with the folder. Errors: IO, MEMORY. */
enum shw_result shw_result_journal_note(struct shw_result_journal *journal, const char *path,
                                        const struct shw_digest *digest);
bool shw_result_journal_owns(const struct shw_result_journal *journal, const char *path);

#endif
