/* The search for the most uncertain pixel of the shown picture, in the background. For the main thread. */
#ifndef VIEW_TEACH_SEARCH_H
#define VIEW_TEACH_SEARCH_H

#include "files/project/picture_labels.h"
#include "label/label_worker.h"
#include "label/scene.h"

struct view_search {
    struct view_label_worker *worker; /* NULL until needed */
    bool wanted;                      /* but not begun yet */
    bool running, given_up;
    uint32_t class_count, margin;
    struct shw_part part;              /* of the picture, where it is searched */
    struct shw_picture_labels *labels; /* painted ones; NULL: none */
    bool found;                        /* by the worker, like the following */
    uint32_t x, y;
    double marked; /* the place is marked until then, in seconds of view_clock() */
};

/* Waits for the search in progress. */
void view_search_destroy(struct view_search *search);

/* Starts a search for the most uncertain unlabelled place of the shown picture, of a large one among the
 * pixels of its overview; view_search_poll() centres the view on
 * it, and marks it for some seconds. Errors: ARGUMENT (no forest or no picture). */
enum shw_result view_search_begin(struct view_search *search, const struct view_scene *scene);

/* Must be called when another picture is shown: discards the result. */
void view_search_give_up(struct view_search *search);

/* Whether the search is pending. */
bool view_search_is_running(const struct view_search *search);

/* Centres the view on the pixel once it is found. `labels` are the picture's; NULL: none. Errors: ARGUMENT (every pixel
 * is labelled), those of labelling. */
enum shw_result view_search_poll(struct view_search *search, struct view_scene *scene,
                                 struct shw_picture_labels *labels);

#endif
