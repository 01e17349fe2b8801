/* Import of masks and label images as strokes. What their values mean is asked, unless it is known.
 *
 * For the main thread. Functions that fail have logged the reason. */
#ifndef VIEW_IMPORT_IMPORTING_H
#define VIEW_IMPORT_IMPORTING_H

#include "import/import_job.h"
#include "teach/teaching.h"

enum view_import_state {
    VIEW_IMPORT_NOTHING,
    VIEW_IMPORT_LOOKING, /* for the values */
    VIEW_IMPORT_ASKING,  /* what they mean */
    VIEW_IMPORT_READING
};

struct view_importing {
    struct view_teaching *teaching; /* borrowed */
    enum view_import_state state;
    struct view_import_job job;
    struct view_import_values chosen;  /* what values mean, as said before */
    const struct shw_project *project; /* that it goes to */
    uint64_t renumbered;               /* of the teaching, at the beginning of READING */
    uint32_t done;                     /* imported */
    bool awaited;                      /* by a script; not while there is a question */
    enum shw_result outcome;           /* of the last import */
    char said[1024];                   /* the summary, for the shell to show and reset */
    char field[512];                   /* text field of the panel */
    char new_name[128];                /* text field of the question */
};

void view_importing_init(struct view_teaching *teaching, struct view_importing *importing);
/* Accepts zero-initialised ones. */
void view_importing_destroy(struct view_importing *importing);

/* Begins to import a file onto the shown picture, or the files of a folder onto the pictures of their names. Errors:
 * ARGUMENT (no project or picture; no images in the folder; another import is in progress), IO, MEMORY. */
enum shw_result view_importing_begin(struct view_importing *importing, const char *path);

/* Says what a value means, of the import in progress and of later ones; NULL: forgets what was said. "" is nothing;
 * other names are those of classes, which are made if necessary. Errors: MEMORY. */
enum shw_result view_importing_choose(struct view_importing *importing, const struct view_import_value *value,
                                      const char *class_name);

/* Ends the question. Errors: ARGUMENT (there is none), and those of new classes. */
enum shw_result view_importing_answer(struct view_importing *importing, bool import);

/* Whether files are being read. */
bool view_importing_is_busy(const struct view_importing *importing);

void view_importing_poll(struct view_importing *importing);

/* Actions, on a struct view_importing. */
extern const struct view_action_group view_import_group;

#endif
