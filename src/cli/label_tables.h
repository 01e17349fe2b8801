/* The tables of labelled images: of objects, and with a record, of the classes' shares. And what the record has of an
 * image, so that tables are complete whatever this call has labelled. */
#ifndef SHW_CLI_LABEL_TABLES_H
#define SHW_CLI_LABEL_TABLES_H

#include "cli/image_list.h"
#include "cli/labelling.h"

#define CLI_SHARES_TABLE "shares.csv"

/* What tables have of an image. */
struct cli_label_rows {
    uint32_t width, height, class_count;
    const uint16_t *labels;
    const struct shw_objects *objects; /* or NULL */
};

/* An entry of the record, to be completed. NULL if memory is exhausted. */
json_t *cli_label_rows_pack(const struct cli_label_rows *rows);

/* Whether there can be such an entry, which may be NULL, with the options and classes of the labelling. */
bool cli_label_rows_are_sound(const struct cli_labelling *labelling, const json_t *entry);

/* The digest of everything that the results of an image depend on: forest, options, and the bytes of its files. Of one
 * that cannot be read it is empty. */
struct shw_digest cli_label_key(const struct cli_labelling *labelling, const char *image);

/* The digest of what they depend on beside the image: tables have rows of images for which it is the same. */
struct shw_digest cli_label_settings_digest(const struct cli_labelling *labelling);

/* Without a record, the table of objects is open while images are labelled; otherwise both tables are made in the end
 * from the record, with rows of the images that are `done`, and then of others that were labelled into the folder in
 * the same way. Return exit codes. */
int cli_label_tables_open(struct cli_labelling *labelling);
int cli_label_tables_write(struct cli_labelling *labelling, const struct cli_image_list *images, const bool *done);

#endif
