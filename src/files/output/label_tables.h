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

/* Which picture a path means: the file by the real path of its folder, and the page. */
struct shw_digest shw_label_file_digest(const char *path);

/* The two tables, being made from journals: set the first members, begin, add images, commit, and free in either case.
 * Errors: IO, MEMORY. */
struct shw_label_tables {
    const struct shw_log *log;
    const struct shw_output_files *outputs; /* checked, with the tables */
    struct shw_label_journal *journal;      /* notes what is written */
    const struct shw_class *classes;
    uint32_t class_count;
    bool has_objects; /* otherwise that table is not written */
    struct shw_object_columns columns;

    /* Their own. */
    char *objects_path, *shares_path;
    struct shw_object_table objects;
    struct shw_atomic_file shares;
};
enum shw_result shw_label_tables_begin(struct shw_label_tables *tables, const char *folder);
enum shw_result shw_label_tables_add(struct shw_label_tables *tables, const char *path, const char *place,
                                     const json_t *entry);
enum shw_result shw_label_tables_commit(struct shw_label_tables *tables);
void shw_label_tables_free(struct shw_label_tables *tables);

/* Without a journal, the table of objects is open while images are labelled; otherwise both tables are made at the end
 * from the journal, with rows of the images that are `done`, and then of others that were labelled into the folder with
 * the same settings; a picture that was labelled under several places is listed once. Errors: IO, MEMORY. */
enum shw_result shw_label_tables_open(struct shw_label_job *job);
enum shw_result shw_label_tables_write(struct shw_label_job *job, const struct shw_image_list *images,
                                       const bool *done);

#endif
