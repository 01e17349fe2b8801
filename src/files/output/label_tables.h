/* The tables of labelled images: of objects, and with a journal, of the shares of classes. The journal has the rows of
 * each image, so that tables are complete whatever this call has labelled. */
#ifndef SHW_FILES_OUTPUT_LABEL_TABLES_H
#define SHW_FILES_OUTPUT_LABEL_TABLES_H

#include "files/output/label_job.h"

#define SHW_SHARES_TABLE "shares.csv"

/* What tables have of an image. */
struct shw_label_rows {
    uint32_t width, height, class_count;
    const uint16_t *labels;
    const uint64_t *counts;            /* instead of labels: the pixels of each class */
    const struct shw_objects *objects; /* or NULL */
};

/* An entry of the journal, to be completed. NULL if memory is exhausted. */
json_t *shw_label_rows_pack(const struct shw_label_rows *rows);

/* Whether there can be such an entry, which may be NULL, with the options and classes of the job. */
bool shw_label_rows_are_sound(const struct shw_label_job *job, const json_t *entry);

/* The digest of everything that the results of an image depend on: forest, options, and the bytes of its files. Empty
 * if one of them cannot be read. */
struct shw_digest shw_label_key(const struct shw_label_job *job, const char *image);

/* The digest of what they depend on besides the image: tables have rows of images for which it is the same. */
struct shw_digest shw_label_settings_digest(const struct shw_label_job *job);

/* What tables need besides rows; to be released. */
json_t *shw_label_columns_pack(const struct shw_label_job *job);

/* shares.csv, and objects.csv if objects have a table. */
extern const struct shw_result_tables_kind shw_tables_of_label;

/* Without a journal, the table of objects is open while images are labelled; otherwise both tables are made at the end
 * from the journal (resume.h). Errors: IO, MEMORY. */
enum shw_result shw_label_tables_open(struct shw_label_job *job);
enum shw_result shw_label_tables_write(struct shw_label_job *job, const struct shw_image_list *images,
                                       const bool *done);

#endif
