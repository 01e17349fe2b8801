/* The record beside the results of `shadewood label PROJECT`: which forest was trained from what, and which image was
 * labelled with what, so that the next call does the rest. A text of JSON objects, one per line, to which lines are
 * added; a line that a killed program left unfinished is passed over, and so is one that does not fit its sum. One
 * program at a time: the file is locked. */
#ifndef SHW_CLI_LABEL_JOURNAL_H
#define SHW_CLI_LABEL_JOURNAL_H

#include "cli/report.h"
#include "files/io/digest.h"

#define CLI_LABEL_JOURNAL "shadewood-label.jsonl" /* in the output folder */

struct cli_label_journal;

/* Opens the record of a folder, which is there, or begins one. Returns SHW_CONTINUE or the exit code. */
int cli_label_journal_open(struct cli_report *report, const char *folder, bool overwrite,
                           struct cli_label_journal **record);
/* Accepts a pointer to NULL. */
void cli_label_journal_close(struct cli_label_journal **record);

/* The hash of the forest that was trained from what has that digest; 0: none is known. */
uint64_t cli_label_journal_forest(const struct cli_label_journal *record, const struct shw_digest *from);
enum shw_result cli_label_journal_add_forest(struct cli_label_journal *record, const struct shw_digest *from,
                                             uint64_t hash);

/* Whether an image was labelled with what has the digest `key`, and its files are as they were written. Warns if what
 * is said of it is damaged. */
bool cli_label_journal_has(const struct cli_label_journal *record, const char *place, const struct shw_digest *key);

/* The warning that what is said of an image cannot be right. */
void cli_label_journal_warn(const struct cli_label_journal *record, const char *place);

/* Its entry, to be released; NULL if it cannot be read. */
json_t *cli_label_journal_read(const struct cli_label_journal *record, const char *place);

/* The places of all images that it has, in natural order, to be freed with free(); the texts are borrowed until the
 * next entry. NULL if memory is exhausted. */
const char **cli_label_journal_places(const struct cli_label_journal *record, uint32_t *count);

/* Greater for an image that was added later; 0 if it is not known. */
uint64_t cli_label_journal_order(const struct cli_label_journal *record, const char *place);

/* Whether the files of an entry still exist. */
bool cli_label_journal_has_files(const struct cli_label_journal *record, const json_t *entry);

/* Adds an entry: "key" is the digest, "files" an object of paths in the folder with their digests, other members are
 * the caller's. What was known of the image is forgotten. Errors: IO, MEMORY. */
enum shw_result cli_label_journal_add(struct cli_label_journal *record, const char *place, json_t *entry);

/* Files without a mark, by which they would be known as ours: to be noted before one is written, with its digest, or
 * NULL if that is not known yet; then it is ours in any case. `path` begins with the folder. Errors: IO, MEMORY. */
enum shw_result cli_label_journal_note(struct cli_label_journal *record, const char *path,
                                       const struct shw_digest *digest);
bool cli_label_journal_owns(const struct cli_label_journal *record, const char *path);

#endif
