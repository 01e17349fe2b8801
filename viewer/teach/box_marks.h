/* How many rectangles each picture of the source has, for the list of pictures. For the main thread. */
#ifndef VIEW_TEACH_BOX_MARKS_H
#define VIEW_TEACH_BOX_MARKS_H

#include "annotate/boxes.h"
#include "source/source.h"

struct view_box_marks {
    uint32_t *counts; /* [count], by the source's pictures; NULL: none has any */
    uint32_t count;
    struct {
        uint64_t opened, state, pictures;
        const struct view_boxes_picture *list;
    } made; /* for what */
};

/* Brings them up to date; cheap if nothing has changed. If memory is short, there are none. */
void view_box_marks_update(struct view_box_marks *marks, const struct view_player *player,
                           const struct view_boxes *boxes);
/* Accepts zero-initialised and freed ones. */
void view_box_marks_free(struct view_box_marks *marks);

/* Of a picture of the source. */
uint32_t view_box_marks_count(const struct view_box_marks *marks, uint32_t entry);

#endif
