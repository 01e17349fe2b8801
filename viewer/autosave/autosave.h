/* Autosave: copies of unsaved work, from which it can be recovered after the program was killed.
 *
 * Each running program that has unsaved work keeps a copy of its own, whose lock tells others that the program still
 * runs. Copies are written in the background; everything else is for the main thread. What the work is, and which files
 * a copy has, is up to a kind: projects (teach/autosave_project.h) and rectangles (annotate/annotating.h). */
#ifndef VIEW_AUTOSAVE_AUTOSAVE_H
#define VIEW_AUTOSAVE_AUTOSAVE_H

#include <time.h>

#include "job/job.h"
#include "source/file_place.h"

#define VIEW_AUTOSAVE_SECONDS 1.0 /* from a change until its copy is begun */
#define VIEW_AUTOSAVE_REASON  1024
#define VIEW_AUTOSAVE_PATH    4096u /* bytes of a path in a lock, with its end */

struct view_autosave {
    const struct view_autosave_kind *kind;
    char *base;  /* the folder of all copies */
    char *place; /* of this program's copy: a folder, or the beginning of its files' paths; NULL: there is none yet */
    int lock;    /* -1: none */
    struct shw_log log;
    void *state;     /* the kind's */
    uint64_t copied; /* the revision in the copy, or being written, and one more; 0: there is none */
    double changed;  /* when a later one was seen first; 0: there is none */
    bool failed;     /* the last copy, which has been reported */
    bool asked;      /* somebody waits for the copy in progress, and is told each time */
    struct view_job job;
    void *work; /* what is being written; NULL: nothing */
    char reason[VIEW_AUTOSAVE_REASON];
};

/* A copy that a program left which no longer runs. Nobody else sees it until it is freed. */
struct view_left {
    char *place;
    int lock;
    char *path; /* of the file of the work; NULL: it had none */
    struct view_file_stamp stamp;
    time_t written;
    bool unreadable;                            /* it can only be deleted; nothing below and of the file is known */
    uint32_t count, picture_count, class_count; /* strokes or rectangles; pictures with some */
};
struct view_left_list {
    const struct view_autosave_kind *kind;
    struct view_left *items; /* the most recent first */
    uint32_t count;
};

struct view_autosave_kind {
    const char *work;    /* "unsaved rectangles" */
    const char *warning; /* "unsaved rectangles cannot be kept for recovery; save them soon" */
    const char *file;    /* what the path of a copy's main file has after the place */
    size_t state_size;
    void (*forget)(void *state); /* with the copy; frees what the state owns */

    /* Whether there is unsaved work, and its revision. */
    bool (*is_unsaved)(const void *work, uint64_t *revision);
    /* Before every update; or NULL. */
    void (*note)(struct view_autosave *autosave, const void *work);
    /* Creates the place, and locks it before others can see it. Errors: IO, MEMORY, logged to `log`. */
    enum shw_result (*make_place)(struct view_autosave *autosave, const struct shw_log *log);
    /* Takes what a copy has, for write(), in zeroed memory of `taken_size` bytes; `all`: also pictures that an earlier
     * copy had, which failed. Errors are logged to `log`. */
    size_t taken_size;
    enum shw_result (*take)(struct view_autosave *autosave, const void *work, bool all, const struct shw_log *log,
                            void *taken);
    /* On another thread. */
    enum shw_result (*write)(const void *taken, const char *place, const struct shw_log *log);
    void (*free_taken)(void *taken);

    /* Removes the files of a copy, and nothing else. */
    void (*remove)(const char *place);
    /* Whether a file of the base folder can be a place, and its lock; -1: it is locked, or cannot be. */
    bool (*owns)(const char *name);
    int (*lock)(const char *place);
    /* Reads what is said of a copy: path, stamp and counts. Errors: IO, FORMAT, MEMORY. */
    enum shw_result (*look)(struct view_left *left, const struct shw_log *log);
};

/* `folder`: of all copies, created when it is needed; copied. Errors: MEMORY. */
enum shw_result view_autosave_create(const struct view_autosave_kind *kind, const char *folder,
                                     const struct shw_log *log, struct view_autosave **autosave);
/* Waits until the copy in progress is written, and leaves the copy if there is one, unless `removes`. Sets *autosave to
 * NULL; accepts NULL in it. */
void view_autosave_destroy(struct view_autosave **autosave, bool removes);

/* Begins a copy of unsaved work if one is due, and removes the copy of work that is saved or closed. A copy that cannot
 * be written is tried again, and reported once, until one can be written again. `now`: seconds. Accepts NULL. */
void view_autosave_update(struct view_autosave *autosave, const void *work, double now);
/* Writes a copy now if the last one is older than the work, and waits for it. A failure is reported as above. Accepts
 * NULL. Errors: those of the copy. */
enum shw_result view_autosave_rescue(struct view_autosave *autosave, const void *work);
/* The same because somebody asks for it: every failure is reported, also that there are no copies. */
enum shw_result view_autosave_keep(struct view_autosave *autosave, const void *work, const struct shw_log *log);
/* Removes the copy: there is other work now. Accepts NULL. */
void view_autosave_remove(struct view_autosave *autosave);

/* Finds all of them. Errors: MEMORY. */
enum shw_result view_left_find(const struct view_autosave_kind *kind, const char *folder, const struct shw_log *log,
                               struct view_left_list *list);
void view_left_free(struct view_left_list *list);
/* Removes the copy of an item, and the item from the list. */
void view_left_delete(struct view_left_list *list, uint32_t item);

/* The usual folder of all copies: shadewood/recovery in $XDG_STATE_HOME or ~/.local/state. NULL: there is none, or out
 * of memory. To be freed with free(). */
char *view_autosave_usual_folder(void);

/* Removes the files of a folder that have one of the names, which end with NULL; "NAME*" is each that begins with NAME.
 */
void view_autosave_remove_files(const char *folder, const char *const *names);

#endif
