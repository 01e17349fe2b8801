/* How rectangles look over the picture. */
#include "annotate/annotating.h"
#include "files/dataset/palette.h"
#include "label/shown_colour.h"

bool view_annotating_is_drawn(const struct view_annotating *annotating)
{
    return !annotating->hidden && !annotating->scene->instead.on && annotating->scene->picture != NULL;
}

const struct view_box *view_annotating_drawn_box(const struct view_annotating *annotating, uint32_t number)
{
    uint32_t count;
    const struct view_box *boxes = view_annotating_boxes(annotating, &count);

    return number == annotating->chosen && annotating->drag.kind > VIEW_DRAG_NEW ? &annotating->drag.now
                                                                                 : &boxes[number];
}

void view_annotating_colour(const struct view_annotating *annotating, uint32_t label, uint8_t colour[3])
{
    uint8_t own[3];

    shw_palette_default_colour(label == VIEW_NO_BOX ? 0 : label, own);
    view_shown_colour(annotating->scene->colour_blind, own, colour);
}

void view_annotating_draw(const struct view_annotating *annotating, struct view_borders *borders)
{
    const struct view_box *fresh = &annotating->drag.now;
    uint32_t count;
    const struct view_box *boxes = view_annotating_boxes(annotating, &count);
    uint8_t colour[3];

    if (!view_annotating_is_drawn(annotating))
        return;
    for (uint32_t b = 0; b < count; b++) {
        const struct view_box *box = view_annotating_drawn_box(annotating, b);

        view_annotating_colour(annotating, boxes[b].label, colour);
        view_borders_add(borders, box->x, box->y, box->width, box->height, colour, b == annotating->chosen ? 3 : 2);
    }
    if (annotating->drag.kind == VIEW_DRAG_NEW && fresh->width > 0) {
        view_annotating_colour(annotating, VIEW_NO_BOX, colour);
        view_borders_add(borders, fresh->x, fresh->y, fresh->width, fresh->height, colour, 2);
    }
}
