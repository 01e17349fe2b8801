/* Inputs that single images have, besides what is said of all of them. */
#ifndef SHW_FILES_DATASET_OWN_INPUTS_H
#define SHW_FILES_DATASET_OWN_INPUTS_H

#include <stdbool.h>

#include <shadewood/log.h>

#include "files/dataset/examples.h"

struct shw_own_input {
    char *image;      /* its file, without links, and its page */
    const char *name; /* of the input, for good */
    char *path;       /* of the input's file */
};

/* In any order until they are sorted; zero-initialised at first. */
struct shw_own_inputs {
    struct shw_own_input *list;
    uint32_t count, room;
};

/* Adds an input of an image; nothing if there is no such image. Errors: MEMORY, not logged. */
enum shw_result shw_own_inputs_add(struct shw_own_inputs *own, const char *image, const char *name, const char *path);

/* What follows wants them sorted. */
void shw_own_inputs_sort(struct shw_own_inputs *own);

bool shw_own_inputs_equal(const struct shw_own_inputs *one, const struct shw_own_inputs *other);

/* The files of an image: the first `given` of `files`, which hold for every image, its own, and the others, which hold
 * where it has none of its own. Returns their number. `own` may be NULL. Paths are borrowed. */
uint32_t shw_own_inputs_apply(const struct shw_own_inputs *own, const char *image, const struct shw_input_file *files,
                              uint32_t given, uint32_t count, struct shw_input_file applied[SHW_INPUTS_MAX]);

/* Whether the image has an input of that name. `own` may be NULL. */
bool shw_own_inputs_have(const struct shw_own_inputs *own, const char *image, const char *name);

/* Whether an image file is but an input of an image: depth or heights, or the previous frame that was kept beside it as
 * NAME-previous.png. */
bool shw_own_inputs_are(const struct shw_own_inputs *own, const char *file);

void shw_own_inputs_free(struct shw_own_inputs *own);

#endif
