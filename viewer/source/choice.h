/* How the pictures of a source are read: which channels, and which values are black and white
 * (files/image/image_choice.h). Chosen on the main thread, by the user or a project; where no range is chosen, that of
 * the first picture that wants one is found by the source's thread, and holds for all that follow. Any thread. */
#ifndef VIEW_SOURCE_CHOICE_H
#define VIEW_SOURCE_CHOICE_H

#include <pthread.h>

#include "files/image/image_choice.h"

struct view_choice {
    pthread_mutex_t lock;
    struct shw_image_choice chosen;
    struct shw_intensity_range found; /* used while none is chosen */
};

void view_choice_init(struct view_choice *choice, const struct shw_image_choice *chosen);
void view_choice_destroy(struct view_choice *choice);

/* What pictures are to be read with. */
struct shw_image_choice view_choice_get(struct view_choice *choice);

/* Forgets what was found. */
void view_choice_set(struct view_choice *choice, const struct shw_image_choice *chosen);

/* What a picture has been read with: its range is found, unless something else has been chosen since. */
void view_choice_offer(struct view_choice *choice, const struct shw_image_choice *used);

#endif
