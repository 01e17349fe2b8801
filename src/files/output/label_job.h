/* A job that labels images into a folder: it reads each image and its inputs, labels it, finds its objects, writes the
 * files, and notes in a journal what is up to date. */
#ifndef SHW_FILES_OUTPUT_LABEL_JOB_H
#define SHW_FILES_OUTPUT_LABEL_JOB_H

#include "files/dataset/image_inputs.h"
#include "files/dataset/own_inputs.h"
#include "files/io/output_files.h"
#include "files/output/calibrated.h"
#include "files/output/image_list.h"
#include "files/output/labellers.h"
#include "files/output/picture_files.h"
#include "files/output/resume.h"

/* What was done with an image. */
struct shw_label_done {
    bool up_to_date; /* nothing: the journal has it, and the rest is not known */
    uint32_t width, height;
    double seconds;
    uint64_t memory;                   /* bytes of the process while the results were in memory, with notes_memory */
    const struct shw_objects *objects; /* none unless they are wanted */
};

struct shw_label_job {
    struct shw_log log;
    const char *output; /* the folder */
    struct shw_label_files_params content;
    struct shw_picture_content each;              /* of each image; its labels are the job's own */
    struct shw_input_file inputs[SHW_INPUTS_MAX]; /* of each image, besides itself */
    uint32_t input_count;
    uint32_t given_inputs;            /* the first of them, which hold also for images that have others of their own */
    const struct shw_own_inputs *own; /* of single images; or NULL */
    bool frames;                      /* each image is labelled with the previous one of its folder */
    struct shw_image_params params;   /* how images are read */
    const struct shw_forest *forest;  /* that of the labellers */
    struct shw_labellers *labellers;  /* of shw_label_job_outputs(), at least one */
    uint32_t at_once;                 /* images that are read, labelled and written at a time; 0 is 1. Not of frames */
    uint64_t memory;                  /* bytes that the images at a time may take; larger ones are labelled in pieces
                                         if they can be (label_pieces.h). 0: a quarter of the machine's */
    struct shw_smoothing smoothing;   /* the labeller's, which the journal notes */
    struct shw_resume resume;         /* shw_label_job_resume(); without a journal, every image is labelled; otherwise
                                         also shares.csv is written, but by a shard, which gets an end instead */
    struct shw_digest model;          /* of files that results depend on besides forest and images; or empty */
    const struct shw_power *power;    /* of probabilities; or NULL */
    struct shw_output_files outputs;  /* what is read and written */
    bool notes_memory;                /* shw_label_done.memory is wanted */

    /* Any of these may be NULL: before an image is read; after it was labelled or found up to date; and after it, also
     * if it failed. */
    void *user;
    void (*begin)(void *user);
    void (*report)(void *user, const struct shw_image_entry *image, const struct shw_label_done *done);
    void (*progress)(void *user, uint32_t ended, uint32_t count);

    /* The job's own. */
    const struct shw_forest_info *info;
    char *classes;                   /* the path of that file */
    bool has_classes;                /* it is written, or cannot be */
    bool is_settled;                 /* the range that images share is that of an image that was read */
    struct shw_output_files *single; /* of an image that is labelled by itself; NULL: `outputs` */
    bool focal_warned;
    const char *frame_path; /* the previous image, or NULL */
    struct shw_image_file frame;
    struct shw_object_table table; /* without a journal */
};

/* How the images went. */
struct shw_label_tally {
    uint32_t failed, up_to_date;
    enum shw_result image; /* of the last image that failed */
    enum shw_result tables;
};

/* Bytes that the images at a time may take. */
uint64_t shw_label_job_memory(const struct shw_label_job *job);

/* Chooses the files of each image, with the classes and the number of trees in `content`, whose classes must stay; may
 * be called again with others. Errors: MEMORY. */
enum shw_result shw_label_job_choose(struct shw_label_job *job);

/* The outputs (enum shw_output) that the labeller needs. */
uint32_t shw_label_job_outputs(const struct shw_label_job *job);

/* How labelling asks what is up to date: sets the first members of job->resume, whose `user` is the job, which must not
 * move. `log` and `output` are the job's. */
void shw_label_job_resume(struct shw_label_job *job);

/* Chooses the range that images share, and looks at them; after shw_label_job_choose(), with the forest and the
 * journal. Errors: MEMORY. */
enum shw_result shw_label_job_look(struct shw_label_job *job, const struct shw_image_list *images);

/* Calls `visit` for each file that is written for an image, until it fails. Errors: those of `visit`, MEMORY. */
enum shw_result shw_label_job_visit_outputs(const struct shw_label_job *job, const struct shw_image_entry *image,
                                            shw_visit_file *visit, void *user);

/* Adds to `outputs` what is read and going to be written; nothing is, of images that were found to be up to date.
 * `model`: a file that is read. Errors: MEMORY. */
enum shw_result shw_label_job_list_files(struct shw_label_job *job, const char *model,
                                         const struct shw_image_list *images);

/* Applies the job's power, if there is one, to probabilities that were labelled. */
void shw_label_job_calibrate(const struct shw_label_job *job, struct shw_label_results *results);

/* Writes the file of classes, once something is labelled: the first call does. Of several shards, each writes the same.
 * Errors: IO, MEMORY. */
enum shw_result shw_label_job_write_classes(struct shw_label_job *job);

/* The files of an image's inputs. Returns their number. */
uint32_t shw_label_job_inputs(const struct shw_label_job *job, const char *image,
                              struct shw_input_file inputs[SHW_INPUTS_MAX]);

/* Labels the images, writes and reports everything. An image that fails does not stop the others. Errors, before the
 * first image: IO, MEMORY. */
enum shw_result shw_label_job_run(struct shw_label_job *job, const struct shw_image_list *images,
                                  struct shw_label_tally *tally);

/* For images whose names become known one after the other: begin, after the files that are listed without images were
 * checked; label any number, each as if it were among the images of a call; end. Files of an image are checked when it
 * is labelled. `images`: those of which a journal has rows now. Errors: those of the image, or of the tables. */
enum shw_result shw_label_job_begin(struct shw_label_job *job);
enum shw_result shw_label_job_single(struct shw_label_job *job, const struct shw_image_entry *image);
enum shw_result shw_label_job_end(struct shw_label_job *job, const struct shw_image_list *images);

/* Chooses the range that images share, unless it was. */
void shw_label_job_settle(struct shw_label_job *job, const struct shw_image_list *images);

/* Frees what was allocated by the functions above. */
void shw_label_job_free(struct shw_label_job *job);

#endif
