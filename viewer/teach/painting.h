/* Strokes on the shown picture, and their display. For the main thread. */
#ifndef VIEW_TEACH_PAINTING_H
#define VIEW_TEACH_PAINTING_H

#include "files/project/picture_labels.h"
#include "gpu/gpu.h"
#include "label/scene.h"
#include "label/shown.h"
#include "teach/project_file.h"
#include "teach/region.h"

struct view_painted {
    struct shw_part part;    /* what the image shows; width 0: nothing */
    struct view_image image; /* R16, at least as large */
    struct view_buffer staging[VIEW_SLOTS];
    bool filled;
    uint32_t left, top, right, bottom; /* of the part, what has changed on the host; right and bottom are exclusive */
};

/* Makes room for a part of a picture, and marks all of it as changed. `larger`: the image may be larger. Errors:
 * UNSUPPORTED, MEMORY, DEVICE_MEMORY; then there is none. */
enum shw_result view_painted_fit(const struct view_gpu *gpu, const struct shw_part *part, bool larger,
                                 struct view_painted *painted);
void view_painted_destroy(const struct view_gpu *gpu, struct view_painted *painted);

/* Marks labels of the picture's pixels from (left, top) to before (right, bottom) as changed; those outside the part
 * are ignored. */
void view_painted_mark(struct view_painted *painted, int64_t left, int64_t top, int64_t right, int64_t bottom);

/* Records the upload of changes from the labels of the picture (NULL: void), through the slot's staging buffer, whose
 * last frame must have finished. Returns whether there were any. */
bool view_painted_upload(struct view_painted *painted, const struct shw_picture_labels *labels,
                         VkCommandBuffer commands, uint32_t slot);

#define VIEW_PAINTING_SLICE 0.008

struct view_painting {
    struct view_scene *scene; /* borrowed, like the next */
    struct view_project *project;
    struct view_painted painted[VIEW_LAYERS];
    uint32_t picture;                  /* index of the shown picture in the project; UINT32_MAX: not painted on */
    uint64_t picture_count;            /* the scene's count when `picture` was found */
    uint64_t marked;                   /* revision of the project in `painted` */
    struct shw_point last;             /* of the stroke in progress */
    uint32_t radius;                   /* of that stroke */
    struct shw_picture_labels *labels; /* see view_painting_labels() */
    uint64_t *counts;                  /* see view_painting_count_labels() */
    uint64_t counted;                  /* the revision of `counts` */
    uint64_t prepared;                 /* the revision of which all labels are painted; UINT64_MAX: none */
    double slice;                      /* seconds in which labels are painted before the window is looked at */
};

void view_painting_destroy(struct view_painting *painting);

/* Must be called when another project is open, or none. */
void view_painting_reset(struct view_painting *painting);

/* Updates everything for the scene's picture. Errors: those of view_painted_fit(). */
enum shw_result view_painting_follow(struct view_painting *painting);

/* Before a frame: a project with pictures reads them as the shown one is read. Errors: MEMORY. */
enum shw_result view_painting_keep_choice(const struct view_painting *painting);

/* Before a frame: shows strokes on what is drawn now of a large picture. Errors: as above. */
enum shw_result view_painting_follow_detail(struct view_painting *painting);

/* If a picture of the source is one of the project's, that keeps the frame before it: the file before it in its folder.
 * Errors: MEMORY. */
enum shw_result view_painting_keep_previous(const struct view_painting *painting, uint32_t entry);

/* Adds the shown picture to the project. Errors: ARGUMENT (no project or picture), MEMORY. */
enum shw_result view_painting_need_picture(struct view_painting *painting);

/* Paints on the shown picture; `number` is a class or SHW_LABEL_VOID. Pauses a video. */
enum shw_result view_painting_begin(struct view_painting *painting, uint32_t number, uint32_t radius,
                                    struct shw_point point);
enum shw_result view_painting_extend(struct view_painting *painting, struct shw_point point);
/* Labels runs of pixels of the shown picture as one stroke. Pauses a video. */
enum shw_result view_painting_add(struct view_painting *painting, uint32_t number, const struct view_runs *runs);

/* Where the last stroke on the shown picture ended, areas apart; false: there is none. */
bool view_painting_last_point(const struct view_painting *painting, struct shw_point *point);

/* Ends the stroke; false if there was none. */
bool view_painting_end(struct view_painting *painting);

/* Paints labels, of the shown picture first, for a moment, or all of them where every frame is complete: a project with
 * many strokes has been opened, or many strokes were changed at once. Returns whether everything is painted, so that
 * what needs the labels of all pictures takes no time. finish: all of them. */
bool view_painting_prepare(struct view_painting *painting);
void view_painting_finish(struct view_painting *painting);
/* Whether the last of these calls has painted everything, and nothing has changed. */
bool view_painting_is_prepared(const struct view_painting *painting);

/* The shown picture's labels, valid until the next call; NULL if nothing is painted on it. */
struct shw_picture_labels *view_painting_labels(struct view_painting *painting);
/* The same if they are painted already; *later: they are not. */
struct shw_picture_labels *view_painting_ready_labels(struct view_painting *painting, bool *later);

/* Pixels of each class in all pictures at the end of the last stroke; valid until the project changes. NULL, logged, if
 * out of memory. Takes long before everything is prepared. */
const uint64_t *view_painting_count_labels(struct view_painting *painting);

/* Before a frame: marks changes of the strokes for upload. */
void view_painting_update(struct view_painting *painting);

#endif
