/* How detections look over the picture. */
#include "detect/detecting.h"
#include "label/shown_colour.h"

#define WINDOWS_MAX 4000u /* that are drawn */

/* Told apart by colour-blind people, too (Okabe and Ito). */
const uint8_t view_detect_right[3] = {0, 180, 120}, view_detect_wrong[3] = {230, 80, 20},
              view_detect_missed[3] = {240, 228, 66};

const struct view_found_windows *view_detecting_drawn(const struct view_detecting *detecting)
{
    return detecting->on && !detecting->scene->instead.on ? view_detecting_found(detecting) : NULL;
}

uint32_t view_detecting_chosen(const struct view_detecting *detecting, const struct view_found_windows *found)
{
    return detecting->chosen_picture == found->picture && detecting->chosen < found->groups.count ? detecting->chosen
                                                                                                  : VIEW_NO_DETECTION;
}

void view_detecting_colour(const struct view_detecting *detecting, bool compared, uint32_t group, uint8_t colour[3])
{
    const uint8_t *own = !compared                                                 ? detecting->colour
                         : detecting->matches.list[group].object != SHW_MATCH_NONE ? view_detect_right
                                                                                   : view_detect_wrong;

    view_shown_colour(detecting->scene->colour_blind && !compared, own, colour);
}

static void draw_windows(const struct view_found_windows *found, struct view_borders *borders)
{
    static const uint8_t grey[3] = {190, 190, 190};
    const uint32_t count = found->windows.count < WINDOWS_MAX ? found->windows.count : WINDOWS_MAX;

    for (uint32_t w = 0; w < count; w++) {
        const struct shw_detection *item = &found->windows.items[w];

        view_borders_add(borders, item->x, item->y, item->width, item->height, grey, 1);
    }
}

/* Rectangles that nothing has found, around what is drawn of them as ground truth. */
static void draw_missed(const struct view_detecting *detecting, struct view_borders *borders)
{
    uint32_t count;
    const struct view_box *boxes = view_annotating_boxes(detecting->annotating, &count);

    for (uint32_t b = 0; b < count && b < detecting->matches.boxes; b++)
        if (!detecting->matches.found[b])
            view_borders_add(borders, boxes[b].x, boxes[b].y, boxes[b].width, boxes[b].height, view_detect_missed, 4);
}

void view_detecting_draw(struct view_detecting *detecting, struct view_borders *borders)
{
    const struct view_found_windows *found = view_detecting_drawn(detecting);
    bool compared;

    if (found == NULL)
        return;
    compared = view_detecting_compare(detecting);
    if (detecting->windows)
        draw_windows(found, borders);
    if (compared)
        draw_missed(detecting, borders);
    for (uint32_t g = 0; g < found->groups.count; g++) {
        const struct shw_detection *item = &found->groups.items[g];
        uint8_t colour[3];

        view_detecting_colour(detecting, compared, g, colour);
        view_borders_add(borders, item->x, item->y, item->width, item->height, colour,
                         g == view_detecting_chosen(detecting, found) ? 4 : 2);
    }
}
