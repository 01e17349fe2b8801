/* Reading masks and label images in the background: first their values, then, when it is known what those mean, their
 * labels, one file after the other. */
#ifndef VIEW_IMPORT_IMPORT_JOB_H
#define VIEW_IMPORT_IMPORT_JOB_H

#include "import/import_values.h"
#include "job/job.h"

/* A picture that files may belong to. */
struct view_import_picture {
    char *path;             /* or its name */
    char *name;             /* in the project */
    char *stem;             /* what the names of its files begin with */
    uint32_t width, height; /* 0 x 0: it is read */
};

struct view_import_file {
    char *path;
    const struct view_import_picture *picture; /* NULL: it belongs to none, or perhaps to several */
    char *class_name;       /* what a mask says of itself, or the file's name after the picture's; or NULL */
    uint32_t width, height; /* of the picture */
    uint16_t class_number;  /* of a mask that an export wrote; SHW_LABEL_VOID for other files */
    bool is_mask;           /* an export wrote it, of that class, which the project may not have yet */
    bool failed;
};

struct view_import_job {
    struct shw_log log; /* used on the thread */
    struct view_import_file *files;
    uint32_t count;
    struct view_import_picture *pictures;
    uint32_t picture_count;
    char *folder;       /* of the files; NULL: the one file goes onto the one picture */
    uint32_t unmatched; /* files without a picture */
    struct view_import_values values;
    struct shw_palette list; /* of classes, next to the files; without entries: there is none */
    uint32_t others;         /* files that are other results: passed over */
    bool unsure;             /* numbers may mean something else than the list or the project say */
    bool ours;               /* the values are those of label images that this program wrote */
    uint16_t *numbers;       /* of the class that each value means; NULL: values are only collected */
    uint32_t class_count;

    struct view_job job;
    bool ended;                  /* and what was read is taken */
    struct shw_label_runs found; /* of the file `current`, for the main thread to take; width 0: none. Under the lock */
    uint32_t current;
    enum shw_result result; /* the last failure */
};

/* `files` must be filled in. */
void view_import_job_init(struct view_import_job *job, const struct shw_log *log);
/* Stops the thread. Accepts zero-initialised ones. */
void view_import_job_free(struct view_import_job *job);

/* Appends a file. Errors: MEMORY. */
enum shw_result view_import_job_add(struct view_import_job *job, const char *path);

/* Begins to read. What was begun before must have ended. Errors: MEMORY. */
enum shw_result view_import_job_begin(struct view_import_job *job);

/* Whether all is read, and all labels are taken. */
bool view_import_job_ended(struct view_import_job *job);

/* The next labels, to be freed, and the number of their file; false: there are none now. The thread goes on. */
bool view_import_job_take(struct view_import_job *job, uint32_t *file, struct shw_label_runs *runs);

#endif
