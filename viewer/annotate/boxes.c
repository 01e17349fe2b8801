#include "annotate/boxes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/atomic_file.h"
#include "base/log.h"
#include "base/text.h"
#include "files/dataset/annotations.h"
#include "files/image/image_write.h"
#include "files/io/image_paths.h"
#include "files/io/mark.h"
#include "source/file_place.h"

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

bool view_box_is_false_alarm(const struct view_boxes *boxes, const struct view_box *box)
{
    return strcmp(view_boxes_label_name(boxes, box->label), SHW_FALSE_ALARM) == 0;
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

/* The same without history, for files that are read. */
static enum shw_result view_boxes_set(struct view_boxes *boxes, uint32_t picture, const struct view_box *items,
                                      uint32_t count)
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

static const struct shw_file_kind kind = {NULL, "a table of rectangles", NULL, false};

bool view_is_table(const char *path)
{
    return shw_name_ends_with(path, ".csv");
}

/* The boxes that the picture has, with space for `more`; NULL if memory is exhausted. */
static struct view_box *copy_boxes(const struct view_boxes *boxes, uint32_t picture, uint32_t more, uint32_t *count)
{
    const struct view_boxes_picture *from = &boxes->pictures[picture];
    struct view_box *items = malloc(((size_t)from->count + more + 1) * sizeof *items);

    *count = from->count;
    if (items != NULL && from->count > 0)
        memcpy(items, from->items, from->count * sizeof *items);
    return items;
}

/* Takes an image of a file with its objects, which may be there by another name; those of a crowd are counted instead.
 */
static enum shw_result take_image(const struct shw_annotations *from, const struct shw_annotated_image *image,
                                  struct view_real_folder *folder, struct view_boxes *boxes, uint32_t *crowds)
{
    char *place = view_real_place(image->path, folder);
    struct view_box *items = NULL;
    uint32_t picture = place != NULL ? view_boxes_find(boxes, place) : VIEW_NO_BOX, count = 0;
    enum shw_result result = SHW_ERROR_MEMORY;

    if (picture == VIEW_NO_BOX && place != NULL)
        picture = view_boxes_add(boxes, place, NULL, NULL);
    if (picture != VIEW_NO_BOX)
        items = copy_boxes(boxes, picture, image->object_count, &count);
    for (uint32_t o = 0; items != NULL && o < image->object_count; o++) {
        const struct shw_annotated_object *object = &from->objects[image->first_object + o];
        const char *label = object->label != SHW_NO_OBJECT_LABEL ? from->labels[object->label] : "";

        *crowds += object->is_crowd;
        if (!object->is_crowd)
            items[count++] =
                (struct view_box){object->x, object->y, object->width, object->height, view_boxes_label(boxes, label)};
    }
    if (items != NULL)
        result = view_boxes_set(boxes, picture, items, count);
    if (result == SHW_OK)
        boxes->pictures[picture].listed = true;
    free(items);
    free(place);
    return result;
}

enum shw_result view_boxes_read(const char *path, const struct shw_log *log, struct view_boxes *boxes)
{
    struct shw_annotations read;
    struct view_real_folder folder = {0};
    uint32_t crowds = 0;
    enum shw_result result = SHW_OK;

    SHW_PROPAGATE(shw_annotations_read(path, NULL, NULL, log, &read));
    for (uint32_t i = 0; i < read.image_count && result == SHW_OK; i++)
        result = take_image(&read, &read.images[i], &folder, boxes, &crowds);
    view_real_folder_free(&folder);
    shw_annotations_free(&read);
    if (result != SHW_OK) {
        view_boxes_free(boxes);
        return shw_fail_memory(log, path);
    }
    if (crowds > 0)
        shw_log_message(log, SHW_LOG_WARNING, SHW_LOG_DATASET,
                        "%s: %u crowd regions, which are not single objects, are left out", path, crowds);
    return SHW_OK;
}

/* Whether the file is another picture's. */
static bool is_taken(const struct view_boxes *boxes, const char *place, const struct shw_image *image)
{
    return view_boxes_find(boxes, place) != VIEW_NO_BOX || !view_frame_may_be(place, image);
}

/* Writes the pixels of a picture without a file, which has one then. */
static enum shw_result keep_frame(struct view_boxes *boxes, struct view_boxes_picture *picture, const char *path,
                                  const char *folder, const struct shw_log *log)
{
    char *place = NULL;
    enum shw_result result;

    for (uint32_t number = 1; place == NULL; number++) {
        char *name = view_frame_name(path, picture->frame, number);

        place = name != NULL ? shw_path_in(folder, name) : NULL;
        free(name);
        if (place == NULL)
            return shw_fail_memory(log, picture->frame);
        if (is_taken(boxes, place, &picture->kept->image)) {
            free(place);
            place = NULL;
        }
    }
    SHW_TRY(view_make_folder_of(place, log));
    SHW_TRY(shw_png_write_marked(place, SHW_MARK_FRAME, &picture->kept->image, log));
    picture->place = place;
    place = NULL;

fail:
    free(place);
    return result;
}

static enum shw_result keep_frames(struct view_boxes *boxes, const char *path, const char *folder,
                                   const struct shw_log *log)
{
    for (uint32_t p = 0; p < boxes->picture_count; p++) {
        struct view_boxes_picture *picture = &boxes->pictures[p];

        if (picture->place == NULL && picture->kept != NULL && view_boxes_is_listed(boxes, p))
            SHW_PROPAGATE(keep_frame(boxes, picture, path, folder, log));
    }
    return SHW_OK;
}

/* A name as a field; in quotation marks also where a line that begins so would be a comment. */
static void print_name(FILE *stream, const char *name)
{
    if (name[0] == '#' && strchr(name, '"') == NULL)
        fprintf(stream, "\"%s\"", name);
    else
        shw_print_csv_text(stream, name);
}

static void print_picture(FILE *stream, const struct view_boxes *boxes, const struct view_boxes_picture *picture,
                          const char *name)
{
    for (uint32_t b = 0; b < picture->count; b++) {
        const struct view_box *box = &picture->items[b];

        print_name(stream, name);
        fprintf(stream, ",%d,%d,%u,%u,", box->x, box->y, box->width, box->height);
        shw_print_csv_text(stream, view_boxes_label_name(boxes, box->label));
        fputs(SHW_CSV_END, stream);
    }
    if (picture->count == 0) {
        print_name(stream, name);
        fputs(",,,,," SHW_CSV_END, stream);
    }
}

/* Names with line breaks would be read as others. */
static enum shw_result check_names(const struct view_boxes *boxes, const struct shw_log *log)
{
    const char *wrong = NULL;

    for (uint32_t p = 0; p < boxes->picture_count; p++)
        if (boxes->pictures[p].place != NULL && strpbrk(boxes->pictures[p].place, "\r\n") != NULL)
            wrong = boxes->pictures[p].place;
    for (uint32_t l = 0; l < boxes->label_count; l++)
        if (strpbrk(boxes->labels[l], "\r\n") != NULL)
            wrong = boxes->labels[l];
    return wrong == NULL ? SHW_OK
                         : shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_FILE_WRITE,
                                    "tables of rectangles cannot have names with line breaks: %s", wrong);
}

char *view_boxes_frame_copy(const char *stem, uint32_t picture)
{
    char ending[32];

    snprintf(ending, sizeof ending, "-%u.png", picture);
    return shw_path_join(stem, ending, "");
}

enum shw_result view_boxes_print(FILE *stream, const struct view_boxes *boxes, const char *folder, const char *stem,
                                 const struct shw_log *log)
{
    SHW_PROPAGATE(check_names(boxes, log));
    fputs("image,x,y,width,height,label" SHW_CSV_END, stream);
    for (uint32_t p = 0; p < boxes->picture_count; p++) {
        const struct view_boxes_picture *picture = &boxes->pictures[p];
        char *name;

        if (!view_boxes_is_listed(boxes, p) || (picture->place == NULL && stem == NULL))
            continue;
        name = picture->place != NULL ? view_name_from(folder, picture->place) : view_boxes_frame_copy(stem, p);
        if (name == NULL)
            return shw_fail_memory(log, "a table of rectangles");
        print_picture(stream, boxes, picture, name);
        free(name);
    }
    return SHW_OK;
}

static enum shw_result write_table(const struct view_boxes *boxes, const char *path, const char *folder,
                                   const struct shw_log *log)
{
    struct shw_atomic_file file;
    enum shw_result result;

    SHW_PROPAGATE(shw_atomic_file_open(&file, path, log));
    result = view_boxes_print(file.stream, boxes, folder, NULL, log);
    if (result == SHW_OK)
        return shw_atomic_file_commit(&file, log);
    shw_atomic_file_abandon(&file);
    return result;
}

enum shw_result view_boxes_write(struct view_boxes *boxes, const char *path, bool own, struct shw_output_files *files,
                                 const struct shw_log *log)
{
    char *folder;
    enum shw_result result;

    if (!view_is_table(path))
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "%s: files of rectangles must end with .csv", path);
    folder = view_folder_of(path);
    if (folder == NULL)
        return shw_fail(log, SHW_ERROR_IO, SHW_LOG_FILE_WRITE, "cannot write %s: there is no such folder", path);
    if (own)
        shw_output_files_replace(files, path, &kind);
    else
        shw_output_files_write(files, path, &kind);
    SHW_TRY(shw_output_files_check(files));
    SHW_TRY(keep_frames(boxes, path, folder, log));
    SHW_TRY(write_table(boxes, path, folder, log));

fail:
    free(folder);
    return result;
}
