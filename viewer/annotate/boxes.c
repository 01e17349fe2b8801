#include "annotate/boxes.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* The rectangles of a picture before and after; they change places when the edit is undone or redone. */
struct view_boxes_edit {
    uint64_t number;
    uint32_t picture, count;
    struct view_box *other; /* what the picture has not now */
};

static void free_edits(struct view_boxes *boxes, uint32_t first)
{
    for (uint32_t e = first; e < boxes->edit_count; e++)
        free(boxes->edits[e].other);
    boxes->edit_count = first;
}

void view_boxes_free(struct view_boxes *boxes)
{
    free_edits(boxes, 0);
    for (uint32_t p = 0; p < boxes->picture_count; p++) {
        free(boxes->pictures[p].place);
        free(boxes->pictures[p].frame);
        free(boxes->pictures[p].items);
        view_picture_free(boxes->pictures[p].kept);
    }
    for (uint32_t l = 0; l < boxes->label_count; l++)
        free(boxes->labels[l]);
    free(boxes->pictures);
    free(boxes->labels);
    free(boxes->edits);
    *boxes = (struct view_boxes){0};
}

uint32_t view_boxes_label(struct view_boxes *boxes, const char *name)
{
    char *copy;

    if (name[0] == '\0')
        return VIEW_NO_BOX;
    for (uint32_t l = 0; l < boxes->label_count; l++)
        if (strcmp(boxes->labels[l], name) == 0)
            return l;
    copy = strdup(name);
    if (copy == NULL || !SHW_RESERVE(boxes->labels, boxes->label_capacity, (size_t)boxes->label_count + 1)) {
        free(copy);
        return VIEW_NO_BOX;
    }
    boxes->labels[boxes->label_count] = copy;
    return boxes->label_count++;
}

const char *view_boxes_label_name(const struct view_boxes *boxes, uint32_t label)
{
    return label < boxes->label_count ? boxes->labels[label] : "";
}

uint32_t view_boxes_find(const struct view_boxes *boxes, const char *place)
{
    for (uint32_t p = 0; p < boxes->picture_count; p++)
        if (boxes->pictures[p].place != NULL && strcmp(boxes->pictures[p].place, place) == 0)
            return p;
    return VIEW_NO_BOX;
}

uint32_t view_boxes_add(struct view_boxes *boxes, const char *place, const char *frame, struct view_picture *kept)
{
    struct view_boxes_picture made = {.place = place != NULL ? strdup(place) : NULL,
                                      .frame = frame != NULL ? strdup(frame) : NULL};

    if ((made.place == NULL) != (place == NULL) || (made.frame == NULL) != (frame == NULL) ||
        !SHW_RESERVE(boxes->pictures, boxes->picture_capacity, (size_t)boxes->picture_count + 1)) {
        free(made.place);
        free(made.frame);
        return VIEW_NO_BOX;
    }
    made.kept = kept != NULL ? view_picture_share(kept) : NULL;
    boxes->pictures[boxes->picture_count] = made;
    return boxes->picture_count++;
}

static struct view_box *copy_of(const struct view_box *items, uint32_t count)
{
    struct view_box *copy = malloc((count + (size_t)1) * sizeof *copy);

    if (copy != NULL && count > 0)
        memcpy(copy, items, count * sizeof *copy);
    return copy;
}

enum shw_result view_boxes_set(struct view_boxes *boxes, uint32_t picture, const struct view_box *items, uint32_t count)
{
    struct view_boxes_picture *changed = &boxes->pictures[picture];
    struct view_box *copy = copy_of(items, count);

    if (copy == NULL)
        return SHW_ERROR_MEMORY;
    free(changed->items);
    changed->items = copy;
    changed->count = count;
    return SHW_OK;
}

/* What the picture has and what the edit has change places. */
static void swap(struct view_boxes *boxes, struct view_boxes_edit *edit)
{
    struct view_boxes_picture *picture = &boxes->pictures[edit->picture];
    struct view_box *items = picture->items;
    uint32_t count = picture->count;

    picture->items = edit->other;
    picture->count = edit->count;
    edit->other = items;
    edit->count = count;
}

enum shw_result view_boxes_change(struct view_boxes *boxes, uint32_t picture, const struct view_box *items,
                                  uint32_t count)
{
    struct view_box *copy = copy_of(items, count);

    if (copy == NULL || !SHW_RESERVE(boxes->edits, boxes->edit_capacity, (size_t)boxes->done + 1)) {
        free(copy);
        return SHW_ERROR_MEMORY;
    }
    free_edits(boxes, boxes->done);
    boxes->edits[boxes->done] = (struct view_boxes_edit){++boxes->last, picture, count, copy};
    swap(boxes, &boxes->edits[boxes->done]);
    boxes->edit_count = ++boxes->done;
    return SHW_OK;
}

uint32_t view_boxes_undo(struct view_boxes *boxes, bool redo)
{
    struct view_boxes_edit *edit;

    if (redo ? boxes->done == boxes->edit_count : boxes->done == 0)
        return VIEW_NO_BOX;
    edit = &boxes->edits[redo ? boxes->done : boxes->done - 1];
    swap(boxes, edit);
    boxes->done = redo ? boxes->done + 1 : boxes->done - 1;
    return edit->picture;
}

bool view_boxes_is_listed(const struct view_boxes *boxes, uint32_t picture)
{
    bool listed = boxes->pictures[picture].listed;

    for (uint32_t e = 0; e < boxes->done && !listed; e++)
        listed = boxes->edits[e].picture == picture;
    return listed;
}

uint64_t view_boxes_state(const struct view_boxes *boxes)
{
    return boxes->done > 0 ? boxes->edits[boxes->done - 1].number : 0;
}

uint32_t view_boxes_count(const struct view_boxes *boxes, uint32_t *pictures)
{
    uint32_t sum = 0;

    *pictures = 0;
    for (uint32_t p = 0; p < boxes->picture_count; p++) {
        sum += boxes->pictures[p].count;
        *pictures += boxes->pictures[p].count > 0;
    }
    return sum;
}
