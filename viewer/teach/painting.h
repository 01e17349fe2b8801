/* Strokes on the shown picture, and what they change on the screen. For the main thread. */
#ifndef VIEW_TEACH_PAINTING_H
#define VIEW_TEACH_PAINTING_H

#include "label/scene.h"
#include "teach/painted.h"
#include "teach/project_file.h"

struct view_painting {
    struct view_scene *scene; /* borrowed, as the next */
    struct view_project *project;
    struct view_painted painted;
    uint32_t picture;       /* of the project, that is shown; UINT32_MAX: not painted on */
    uint64_t picture_count; /* the scene's, that this is for */
    uint64_t marked;        /* revision of the project that `painted` has */
    struct shw_point last;  /* of the stroke that is being painted */
    uint32_t radius;        /* of that */
    uint64_t *counts;       /* see view_painting_count_labels() */
    uint64_t counted;       /* the revision that they are of */
};

void view_painting_destroy(struct view_painting *painting);

/* Another project, or none. */
void view_painting_reset(struct view_painting *painting);

/* Another picture is shown, or may be. Errors: those of view_painted_fit(). */
enum shw_result view_painting_follow(struct view_painting *painting);

/* Makes the shown picture one of the project. Errors: ARGUMENT (no project or picture), MEMORY. */
enum shw_result view_painting_need_picture(struct view_painting *painting);

/* Paints on the shown picture; `number` is a class or SHW_LABEL_VOID. A video stays at its picture from then on. */
enum shw_result view_painting_begin(struct view_painting *painting, uint32_t number, uint32_t radius,
                                    struct shw_point point);
enum shw_result view_painting_extend(struct view_painting *painting, struct shw_point point);
/* False: there was no stroke to end. */
bool view_painting_end(struct view_painting *painting);

/* The shown picture's labels, width * height; NULL where nothing is painted on it. */
const uint16_t *view_painting_labels(const struct view_painting *painting);

/* Pixels of each class over all pictures, as they were when the last stroke had ended: valid until the project changes.
 * NULL, after a message, where memory is short. */
const uint64_t *view_painting_count_labels(struct view_painting *painting);

/* Before a frame: what has changed in the project is to be seen. */
void view_painting_update(struct view_painting *painting);

#endif
