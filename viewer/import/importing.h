/* Import of masks and label images as strokes. What their values mean is asked, unless it is known.
 *
 * For the main thread. Functions that fail have logged the reason. */
#ifndef VIEW_IMPORT_IMPORTING_H
#define VIEW_IMPORT_IMPORTING_H

#include <stdbool.h>
#include <stdint.h>

#include <shadewood/log.h>

#include "files/dataset/palette.h"
#include "files/image/image_file.h"
#include "files/project/project.h"
#include "job/job.h"
#include "teach/teaching.h"

/* Reading masks and label images in the background: first their values, then, when it is known what those mean, their
 * labels, one file after the other. */

/* The values or colours of masks and label images, and what each of them means. */

#define VIEW_IMPORT_VALUES_MAX 1024u

struct view_import_value {
    bool is_colour;
    uint16_t number;   /* the value, unless it is a colour */
    uint8_t colour[3]; /* otherwise */
    uint64_t pixels;
    const char *file; /* the first one that has it, as it was given; borrowed */
    char *class_name; /* "": none */
    bool chosen;      /* by the user */
    bool proposed;    /* a guess, which is asked about */
};

struct view_import_values {
    struct view_import_value *list; /* in order of number or colour */
    uint32_t count;
};

/* Reads 255 or #RRGGBB. False: it is neither. */
bool view_import_value_parse(const char *text, struct view_import_value *value);
/* And writes it. */
void view_import_value_print(const struct view_import_value *value, char text[16]);

/* Sets what a value means; adds it if it is missing. The name is copied. Errors: MEMORY, not logged. */
enum shw_result view_import_values_choose(struct view_import_values *values, const struct view_import_value *value,
                                          const char *class_name);

/* What each value means: as `chosen` says (which may have others, too). If all are in the list of classes, what
 * they are called there, whatever numbers the project's classes have; without a list, if all are numbers or colours of
 * classes of the project, those; nothing for the number after the last class, for SHW_LABEL_VOID, and for black if no
 * class has it. Otherwise there are proposals for all of them. Where somebody `asks`, also if there are two values, one
 * of them 0, unless the files are label images of this program with their list; of these the other one is proposed to
 * be `class_name`; and for classes that the project does not have. If it is `unsure` what the files are, there are
 * proposals in any case. Errors: MEMORY, not logged. */
struct view_import_rules {
    const struct shw_project *project;
    const struct view_import_values *chosen;
    const struct shw_palette *list; /* without entries: there is none */
    bool unsure, ours, asks;
    const char *class_name;
};
enum shw_result view_import_values_interpret(struct view_import_values *values, const struct view_import_rules *rules);

/* Whether a meaning is only proposed. */
bool view_import_values_are_open(const struct view_import_values *values);

/* Accepts zero-initialised ones. */
void view_import_values_free(struct view_import_values *values);

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
    uint64_t covered;                  /* painted pixels that have another class since */
    bool awaited;                      /* by a script; not while there is a question */
    enum shw_result outcome;           /* of the last import */
    char said[1024];                   /* the summary, for the shell to show and reset */
    char field[512];                   /* text field of the panel */
    char new_name[128];                /* text field of the question */
};

void view_importing_init(struct view_teaching *teaching, struct view_importing *importing);
/* Accepts zero-initialised ones. */
void view_importing_destroy(struct view_importing *importing);

/* Whether files are being read. */
bool view_importing_is_busy(const struct view_importing *importing);

void view_importing_poll(struct view_importing *importing);

/* Actions, on a struct view_importing. */
extern const struct view_action_group view_import_group;

#endif
