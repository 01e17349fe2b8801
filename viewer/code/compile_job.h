/* Compiling texts on a thread. */
#ifndef VIEW_CODE_COMPILE_JOB_H
#define VIEW_CODE_COMPILE_JOB_H

#include "files/code/code.h"
#include "files/project/project_texts.h"
#include "job/job.h"

/* After this time a text is given up; the C compiler has a limit of processor time besides. */
#define VIEW_CODE_SECONDS 180.0

/* What is compiled for. */
enum view_code_want {
    VIEW_CODE_ADD,     /* a file that is added to the project */
    VIEW_CODE_CHANGED, /* a file of the project's that has been saved */
    VIEW_CODE_PROJECT, /* texts that came inside a project */
    VIEW_CODE_FOREST   /* texts that came inside a forest */
};

struct view_code_item {
    char *name;  /* begins messages */
    char *text;  /* NULL: it is read from the file `name` */
    size_t size; /* of the text */
    struct shw_code_made made;
};

/* What is wrong with a text. */
struct view_code_error {
    char message[1200]; /* "FILE:LINE: ..."; "": nothing */
    uint32_t line;      /* 0: none in particular */
    char text[200];     /* of that line */
};

struct view_code_job {
    struct view_job job;
    enum view_code_want want;
    struct view_code_item items[SHW_PROJECT_TEXTS_MAX];
    uint32_t count;
    double begun;                /* in seconds of view_clock() */
    struct shw_code_needs needs; /* of what labels and trains */
    struct view_code_error error;
};

void view_code_job_init(struct view_code_job *job);
/* Gives up what is being compiled. */
void view_code_job_free(struct view_code_job *job);

/* Adds a text to what the next piece compiles; *text NULL: that of the file. Takes the text. False: out of memory, or
 * there are too many. */
bool view_code_job_add(struct view_code_job *job, const char *name, char **text);

/* Begins. Errors: MEMORY, logged. */
enum shw_result view_code_job_begin(struct view_code_job *job, enum view_code_want want, struct shw_code_needs needs,
                                    const struct shw_log *log);

/* Whether something is being compiled, or has been and was not taken. */
bool view_code_job_is_busy(const struct view_code_job *job);

/* When it is done: what it has come to. Then the items, whose holds are the caller's if it takes them (`made` is to be
 * zero then), and the error can be looked at until view_code_job_clear(). */
enum shw_result view_code_job_take(struct view_code_job *job);
void view_code_job_clear(struct view_code_job *job);

#endif
