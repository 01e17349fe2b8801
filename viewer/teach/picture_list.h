/* The pictures of the source as a list: what is painted on each, and which ones a filter lets through. For the main
 * thread. */
#ifndef VIEW_TEACH_PICTURE_LIST_H
#define VIEW_TEACH_PICTURE_LIST_H

#include "source/player.h"
#include "teach/project_file.h"

enum view_list_filter { VIEW_LIST_ALL, VIEW_LIST_PAINTED, VIEW_LIST_UNPAINTED, VIEW_LIST_KEPT, VIEW_LIST_CLASS };

struct view_picture_list {
    enum view_list_filter filter;
    uint32_t class_number; /* of the filter */
    char name[128];        /* part of the name, in letters of either case; "": any */

    uint32_t count;     /* pictures of the source */
    uint32_t *of_entry; /* [count]: the project's picture, or UINT32_MAX */
    uint32_t *rows;     /* the pictures that the filter lets through, by number */
    uint32_t row_count;
    uint32_t picture_count, class_count; /* of the project */
    uint32_t *strokes;                   /* [picture_count] */
    bool *classes;                       /* [picture_count][class_count]: whether pixels have the class */
    bool *kept;                          /* [picture_count]: for testing */
    struct {
        uint64_t opened, revision, saved;
        const struct shw_project *project;
    } made;          /* for what */
    bool stale;      /* the filter has changed */
    bool incomplete; /* classes are not known of all pictures yet */
};

/* Brings it up to date with the source and the project, which may have no data; cheap if nothing has changed. Not while
 * a stroke is in progress. Of pictures whose labels are not painted yet no classes are known. If memory is short, the
 * list has no rows. */
void view_picture_list_update(struct view_picture_list *list, const struct view_player *player,
                              const struct view_project *project);
/* Accepts zero-initialised and freed ones. */
void view_picture_list_free(struct view_picture_list *list);

/* The row of a picture of the source; UINT32_MAX if the filter hides it. */
uint32_t view_picture_list_row(const struct view_picture_list *list, uint32_t entry);

/* What is painted on a picture of the source: the number of strokes, and [class_count] whether pixels have the class;
 * NULL: nothing is known of it. */
const bool *view_picture_list_marks(const struct view_picture_list *list, uint32_t entry, uint32_t *strokes);

/* Whether a picture of the source is kept for testing. */
bool view_picture_list_is_kept(const struct view_picture_list *list, uint32_t entry);

/* Part of a path after its last slash. */
const char *view_picture_list_base(const char *path);

#endif
