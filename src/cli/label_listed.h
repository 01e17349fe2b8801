/* Which images the tables of a folder list: those of this call, and others that earlier calls have labelled there. A
 * picture that was labelled under several places is listed once. */
#ifndef SHW_CLI_LABEL_LISTED_H
#define SHW_CLI_LABEL_LISTED_H

#include "cli/image_list.h"
#include "cli/labelling.h"
#include "files/io/digest.h"

struct cli_listed {
    const char *place;      /* borrowed */
    struct shw_digest file; /* which picture it is */
    uint64_t order;         /* greater for those labelled later, and for those of this call */
    bool alike;             /* labelled as this call would: there are rows for the tables */
    bool chosen;            /* the latest of its picture, of those that are alike if any is */
};

struct cli_listing {
    struct cli_listed *list; /* the images of this call, in its order; then the others, in that of their places */
    uint32_t count;
    uint32_t left_out; /* pictures that are not alike */
    uint32_t repeated; /* further places of pictures that are listed */
    const char **places;
};

/* Which picture a path means: the file by the real path of its folder, and the page. */
struct shw_digest cli_label_file(const char *path);

/* Of this call's images, those that are `done` may be chosen. Errors: MEMORY. */
enum shw_result cli_listing_make(const struct cli_labelling *labelling, const struct cli_image_list *images,
                                 const bool *done, const struct shw_log *log, struct cli_listing *listing);
/* Accepts zero-initialised ones. */
void cli_listing_free(struct cli_listing *listing);

#endif
