/* What the Python module needs beside the public headers: messages that wait until Python asks for them, data sets of
 * arrays, and what the programs share with it. cffi declares all of this (declarations.py). */
#ifndef SHW_PYTHON_NATIVE_H
#define SHW_PYTHON_NATIVE_H

#include <stdbool.h>
#include <stdint.h>

#include <shadewood/shadewood.h>

#include "base/class.h"
#include "dense/train/params.h"
#include "files/project/project_data.h"
#include "files/project/project_texts.h"

/* Messages of any number of threads, in order. A log only adds to them, so that no thread of the library waits for
 * Python's lock. */
struct shw_python_messages;

struct shw_python_message {
    enum shw_log_level level;
    enum shw_log_item item;
    char text[1024];
};

/* NULL: out of memory. */
struct shw_python_messages *shw_python_messages_create(void);
void shw_python_messages_destroy(struct shw_python_messages *messages);

/* A log that keeps warnings and errors in `messages`, which must outlive it. */
struct shw_log shw_python_messages_log(struct shw_python_messages *messages);

/* Moves the oldest message to *message; false: there is none. */
bool shw_python_messages_take(struct shw_python_messages *messages, struct shw_python_message *message);

/* A data set of images for a cascade; all are borrowed. */
struct shw_cascade_dataset shw_python_cascade_dataset(const struct shw_image *images, uint32_t count,
                                                      const bool *backgrounds, const struct shw_cascade_object *objects,
                                                      uint32_t object_count);

/* The last round of a training, for its parameters' `progress`; `user` is one of these. */
struct shw_python_round {
    bool ended; /* one has, since this was set to false */
    struct shw_train_progress progress;
};
bool shw_python_keep_round(void *user, const struct shw_train_progress *progress);

/* Painted projects. */

/* Class `number` of a project; its name is valid until the project changes. */
struct shw_class shw_python_project_class(const struct shw_project *project, uint32_t number);

struct shw_python_picture {
    const char *name; /* from the project's folder; valid until the project changes */
    uint32_t width, height;
    uint32_t stroke_count;
    bool kept; /* for testing */
};
struct shw_python_picture shw_python_project_picture(const struct shw_project *project, uint32_t picture);

/* What the project is trained on and by which parameters, which are valid as long as the data; free it in either case.
 * Errors: those of shw_project_data_make(), MEMORY. */
struct shw_project_data;
enum shw_result shw_python_project_data(struct shw_project *project, const struct shw_log *log,
                                        struct shw_trainer_params *params, struct shw_project_data **data);
const struct shw_dataset *shw_python_project_dataset(const struct shw_project_data *data);
void shw_python_project_data_free(struct shw_project_data **data);

/* Functions of the library that are not public, as their headers declare them: a difference does not compile. */

void shw_class_colour(uint32_t number, uint8_t colour[3]);
struct shw_trainer_params shw_level_params(const struct shw_trainer_params *params, const struct shw_forest *below);
enum shw_result shw_levels_check(const struct shw_trainer_params *params, const struct shw_dataset *dataset);
struct shw_project;
enum shw_result shw_project_read(const char *path, const struct shw_log *log, struct shw_project **project);
void shw_project_destroy(struct shw_project **project);
uint32_t shw_project_get_class_count(const struct shw_project *project);
uint32_t shw_project_get_picture_count(const struct shw_project *project);
enum shw_result shw_project_copy_labels(struct shw_project *project, uint32_t picture, int64_t x, int64_t y,
                                        uint32_t width, uint32_t height, uint32_t step, uint16_t *labels);
bool shw_project_is_held_back(const struct shw_project *project);
enum shw_result shw_project_refuse_texts(const struct shw_project *project, const char *name,
                                         const struct shw_log *log);
struct shw_code_patience;
enum shw_result shw_project_run_texts(struct shw_project *project, const struct shw_code_patience *patience,
                                      const struct shw_log *log);

#endif
