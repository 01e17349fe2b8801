#include "teach/box_marks.h"

#include <stdlib.h>
#include <string.h>

#include "source/file_place.h"

void view_box_marks_free(struct view_box_marks *marks)
{
    free(marks->counts);
    *marks = (struct view_box_marks){0};
}

static int by_place(const void *a, const void *b)
{
    return strcmp((*(const struct view_boxes_picture *const *)a)->place,
                  (*(const struct view_boxes_picture *const *)b)->place);
}

/* The pictures that have rectangles and a file, by path; NULL: out of memory. */
static const struct view_boxes_picture **sort(const struct view_boxes *boxes, size_t *count)
{
    const struct view_boxes_picture **sorted = calloc(boxes->picture_count + (size_t)1, sizeof *sorted);

    *count = 0;
    for (uint32_t p = 0; sorted != NULL && p < boxes->picture_count; p++)
        if (boxes->pictures[p].place != NULL && boxes->pictures[p].count > 0)
            sorted[(*count)++] = &boxes->pictures[p];
    if (sorted != NULL)
        qsort(sorted, *count, sizeof *sorted, by_place);
    return sorted;
}

static void count(struct view_box_marks *marks, struct view_source *source, const struct view_boxes *boxes)
{
    struct view_real_folder folder = {0};
    size_t known;
    const struct view_boxes_picture **sorted = sort(boxes, &known);

    if (sorted != NULL && known > 0)
        marks->counts = calloc(marks->count + (size_t)1, sizeof *marks->counts);
    for (uint32_t i = 0; marks->counts != NULL && i < marks->count; i++) {
        char *file = view_source_file(source, i);
        struct view_boxes_picture wanted = {.place = file != NULL ? view_real_place(file, &folder) : NULL};
        const struct view_boxes_picture *key = &wanted, *const *found = NULL;

        if (wanted.place != NULL)
            found = bsearch(&key, sorted, known, sizeof *sorted, by_place);
        marks->counts[i] = found != NULL ? (*found)->count : 0;
        free(wanted.place);
        free(file);
    }
    view_real_folder_free(&folder);
    free(sorted);
}

void view_box_marks_update(struct view_box_marks *marks, const struct view_player *player,
                           const struct view_boxes *boxes)
{
    struct view_box_marks made = {.count = view_player_info(player).count};

    made.made.opened = player->opened;
    made.made.state = view_boxes_state(boxes);
    made.made.pictures = boxes->picture_count;
    made.made.list = boxes->pictures;
    if (made.count == marks->count && memcmp(&made.made, &marks->made, sizeof made.made) == 0)
        return;
    count(&made, player->source, boxes);
    view_box_marks_free(marks);
    *marks = made;
}

uint32_t view_box_marks_count(const struct view_box_marks *marks, uint32_t entry)
{
    return marks->counts != NULL && entry < marks->count ? marks->counts[entry] : 0;
}
