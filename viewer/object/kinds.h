/* Object classes of the shown picture's objects: taught by clicks on objects, stored in the project, predicted by a
 * record forest that is trained on a thread whenever something was taught. For the main thread. */
#ifndef VIEW_OBJECT_KINDS_H
#define VIEW_OBJECT_KINDS_H

#include "files/objects/object_forest.h"
#include "job/job.h"
#include "teach/teaching.h"

struct view_found;

#define VIEW_NO_KIND     UINT32_MAX       /* nothing is in hand: clicks choose objects */
#define VIEW_FORGET_KIND (UINT32_MAX - 1) /* clicked objects are taught no longer */

struct view_kinds {
    struct view_teaching *teaching; /* borrowed */
    uint32_t hand;                  /* the number of an object class, or one of the above */
    uint32_t project;               /* view_teaching.opened of the project that all this is of */
    uint64_t begun;                 /* of the training in progress or the last one: the revision; 0: none */
    bool running;
    struct view_job job;
    struct shw_log log;
    struct shw_object_lessons lessons; /* used by the job, like the next */
    struct shw_object_forest *made;
    struct shw_object_forest *forest; /* NULL: too little has been taught */
    uint64_t number;                  /* of the forest; increases, also without one */
    uint64_t measured;                /* the revision at which examples were measured last, in view_found.serial */
    uint64_t measured_found;
    char add[128], rename[128], file[512]; /* text fields of the panel */
    bool more;                             /* `add` is to get the focus: another one may follow */
};

void view_kinds_init(struct view_teaching *teaching, const struct shw_log *log, struct view_kinds *kinds);
/* Waits for the training in progress. Accepts zero-initialised ones. */
void view_kinds_destroy(struct view_kinds *kinds);

/* Another project is open, or none: forgets everything. */
void view_kinds_reset(struct view_kinds *kinds);

/* Measures the examples in the shown picture again if `settled`, trains, and gives the objects their object classes.
 * Not while `found` (or NULL) must stay. *changed: something else is to be drawn. Errors: those of training, logged. */
enum shw_result view_kinds_poll(struct view_kinds *kinds, struct view_found *found, bool settled, bool *changed);

/* Whether the objects have the classes that are predicted after everything that was taught. */
bool view_kinds_are_current(const struct view_kinds *kinds, const struct view_found *found);

/* Trains another forest of all that is taught, for another thread; NULL: too little is. Errors: those of training. */
enum shw_result view_kinds_train(const struct view_kinds *kinds, const struct shw_log *log,
                                 struct shw_object_forest **forest);

/* The project's object classes; 0 without a project. And one of them. */
uint32_t view_kinds_count(const struct view_kinds *kinds);
const struct shw_project_class *view_kinds_get(const struct view_kinds *kinds, uint32_t number);
/* Finds it by its name or #NUMBER. */
bool view_kinds_find(const struct view_kinds *kinds, const char *text, uint32_t *number);

/* The object class that an object was taught, as an example that counts; VIEW_NO_KIND: none. */
uint32_t view_kinds_taught(const struct view_kinds *kinds, const struct view_found *found, uint32_t object);

/* Errors: ARGUMENT (nothing is in hand). */
enum shw_result view_kinds_need_hand(const struct view_kinds *kinds);

/* Teaches the object at a pixel of the shown picture what is in hand. Errors: ARGUMENT (nothing is in hand, no object),
 * LIMIT, MEMORY. */
enum shw_result view_kinds_teach(struct view_kinds *kinds, const struct view_found *found, uint32_t x, uint32_t y);

#endif
