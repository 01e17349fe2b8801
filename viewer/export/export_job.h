/* An export: a copy of all that it needs, so that the program may change meanwhile; the pictures and their files; and
 * how far it is.
 *
 * Made on the main thread, then used by the worker's alone, except for what is marked. */
#ifndef VIEW_EXPORT_EXPORT_JOB_H
#define VIEW_EXPORT_EXPORT_JOB_H

#include "export/export_settings.h"
#include "files/output/classes_file.h"
#include "files/output/picture_files.h"
#include "files/output/result_journal.h"
#include "job/job.h"
#include "label/scene.h"
#include "object/objects.h"
#include "source/reader.h"
#include "source/spec.h"
#include "teach/project_file.h"

/* A picture, or a video with all its frames. */
struct view_export_item {
    enum { VIEW_ITEM_SHOWN, VIEW_ITEM_PIXELS, VIEW_ITEM_FILE, VIEW_ITEM_VIDEO } kind;
    char *name;                /* for messages */
    char *place;               /* FOLDER/NAME of its files, without their endings */
    struct shw_pixels *pixels; /* of PIXELS: a share */
    uint32_t source, index;    /* of FILE: which picture of which source; VIDEO: the source */
    uint32_t painted;          /* the picture in `strokes`; UINT32_MAX: nothing is painted on it */
};

/* A list of files, a data set or a video. */
struct view_export_source {
    struct view_spec spec;
    struct view_reader reader; /* close NULL: of a video, which is opened when its turn comes */
};

/* A picture of the project, as it was at the beginning. */
struct view_export_example {
    char *name;
    struct shw_pixels *pixels; /* NULL: read its file */
};

/* How far it is. */
struct view_export_progress {
    uint32_t count, done;    /* pictures */
    double fraction;         /* of the work, 0..1 */
    double seconds;          /* since the beginning */
    char name[256];          /* of the picture in progress */
    uint32_t frames;         /* of the video in progress that are done */
    uint32_t all_frames;     /* of all videos so far */
    uint32_t failed, kept;   /* of `done`: failed, and there already */
    uint64_t files;          /* written, or that would be */
    uint64_t existing;       /* of those that would be written, how many there are */
    uint64_t outdated;       /* and of these, how many another forest has written, or other settings */
    uint32_t strange;        /* of those `kept`: it is not known which forest has written them */
    char failures[300];      /* the first names of failed ones */
    uint32_t failures_named; /* their number */
};

#define VIEW_EXPORT_KEYS 5 /* enum view_export_from */
struct shw_power;

struct view_export_job {
    struct shw_log log; /* used on the worker's thread */
    unsigned content;   /* enum view_export_content */
    struct view_export_settings settings;
    bool look;  /* only count files */
    char *path; /* the folder or, for a forest alone, the file */
    struct view_shared_forest *forest;
    struct shw_power *power; /* of its probabilities; NULL: they stay */
    struct shw_output_files files;
    struct view_project project; /* a copy */
    struct view_export_example *examples;
    uint32_t example_count;
    struct view_picture *shown;                 /* a share of the shown picture, with all its inputs; NULL: none */
    char *shown_known;                          /* what it is or would be called in the project */
    char *source;                               /* opens the source of the scene again; NULL: it cannot be */
    bool whole;                                 /* ALL includes all of that */
    struct view_other_inputs others, unordered; /* of pictures in the order of frames, and of others */

    struct view_choice choice; /* how image files are read */

    struct view_export_source *sources;
    uint32_t source_count;
    struct view_export_item *items;
    uint32_t item_count, item_capacity;
    struct shw_picture_content each;         /* of each picture */
    bool scale_bar;                          /* in overlays */
    struct shw_object_forest *object_forest; /* memory of each.objects.forest */
    bool *object_kinds;                      /* of each.objects.kinds */
    bool *object_classes;                    /* memory of each.objects.settings.classes */
    char *table_path;                        /* of all objects; NULL: none */
    bool has_table;                          /* it is open */
    bool renews;                             /* files of pictures that objects may be found in are written again */
    struct shw_object_table table;
    struct shw_class *classes; /* of the project */
    uint32_t class_count;
    char *classes_path, *forest_path; /* files beside the pictures'; NULL: none */
    struct shw_image_paths folders;   /* that were made */

    struct shw_digest keys[VIEW_EXPORT_KEYS]; /* what files depend on */
    struct shw_result_journal *journal;       /* NULL: there is none */

    struct view_job job;
    atomic_bool gives_way;                /* any thread: the next picture waits a moment for what is more urgent */
    struct view_export_progress progress; /* under the lock */
    struct shw_labeller *labeller;
    double begun;
};

/* Takes the pictures that an export is of. `path` is copied, `log` is used on the worker's thread. Errors: ARGUMENT,
 * MEMORY. Free it in either case. */
struct view_teaching;
enum shw_result view_export_job_make(struct view_teaching *teaching, const struct view_export_settings *settings,
                                     unsigned content, const char *path, const struct shw_log *log,
                                     struct view_export_job *job);

/* Whether it needs a forest. */
bool view_export_job_labels(const struct view_export_job *job);

/* Then, immediately before it begins: takes the forest that is shown, what is painted, and the settings of objects.
 * Errors: ARGUMENT (there is no forest; it has other classes than strokes have), MEMORY. */
enum shw_result view_export_job_take(struct view_teaching *teaching, const struct view_objects *objects,
                                     struct view_export_job *job);
void view_export_job_free(struct view_export_job *job);

/* On the worker's thread: finds the pictures, gives each its place, makes the folders, and checks everything that is
 * going to be written; if that fails, nothing is left. Errors: ARGUMENT, IO, FORMAT, MEMORY, UNSUPPORTED. */
enum shw_result view_export_plan(struct view_export_job *job);

/* The list of classes beside the files; borrowed from the job. */
struct shw_classes_file view_export_classes(const struct view_export_job *job);

/* The files of a picture at `place`: those of strokes if it is painted. Free them in either case. Errors: MEMORY. */
enum shw_result view_export_make_files(const struct view_export_job *job, const char *place, bool painted,
                                       struct shw_picture_files *files);

/* Opens the reader of a video's source. Errors: those of view_read_video(). */
enum shw_result view_export_open_video(struct view_export_job *job, struct view_export_source *source);

/* The place of a frame, from 1; to be freed. NULL if memory is exhausted. */
char *view_export_frame_place(const struct view_export_item *item, uint32_t number);

/* The path of the overlay of a whole video; to be freed. NULL if memory is exhausted. */
char *view_export_film_path(const struct view_export_item *item);

/* On the worker's thread: writes everything. Failures of single pictures do not stop it; the last one is the result.
 * CANCELLED: it was stopped. */
enum shw_result view_export_run(struct view_export_job *job);

/* Any thread. */
struct view_export_progress view_export_get_progress(struct view_export_job *job);

#endif
