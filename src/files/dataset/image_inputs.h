/* An image file and the files of its other inputs. */
#ifndef SHW_FILES_DATASET_IMAGE_INPUTS_H
#define SHW_FILES_DATASET_IMAGE_INPUTS_H

#include "base/options.h"
#include "files/dataset/examples.h"
#include "files/image/image_file.h"

/* The image is the first of the files and of the inputs. */
struct shw_image_inputs {
    struct shw_image_file files[SHW_INPUTS_MAX];
    struct shw_input input[SHW_INPUTS_MAX + 1]; /* there is room for the previous frame; names are borrowed */
    struct shw_inputs all;
};

/* Reads them; in the path of an input, {} stands for the image's file name without folder and extension, or for NAME of
 * NAME_colors if only that gives a file. Inputs without a path are left out where there is no file beside the image.
 * `params` may be NULL. Errors: those of shw_image_file_read(), and FORMAT for an input of another size than the
 * image's. Free in either case. Any thread. */
enum shw_result shw_image_inputs_read(const char *image, const struct shw_input_file *inputs, uint32_t count,
                                      const struct shw_image_params *params, const struct shw_log *log,
                                      struct shw_image_inputs *read);

/* Reads the inputs that are planes of the image's own file, and adds them to `read`, of *read_count inputs with as many
 * files. Optional ones that the file does not have are left out, and, with a warning, those that are damaged. Messages
 * name the image and the plane. Errors: those of shw_image_planes_read(). */
enum shw_result shw_image_own_planes_read(const char *image, const struct shw_input_file *inputs, uint32_t count,
                                          const struct shw_image_params *params, const struct shw_log *log,
                                          struct shw_image_file *files, struct shw_input *read, uint32_t *read_count);

/* Calls `visit` with the paths of these files. Errors: MEMORY. */
enum shw_result shw_image_inputs_list(const char *image, const struct shw_input_file *inputs, uint32_t count,
                                      void (*visit)(void *user, const char *path), void *user,
                                      const struct shw_log *log);

/* The path of an input of the image, to be released with free(). NULL without an error: there is none. Errors: MEMORY.
 */
enum shw_result shw_image_input_path(const char *image, const struct shw_input_file *input, const struct shw_log *log,
                                     char **path);

/* Refuses an input of another size than the image's. Errors: FORMAT. */
enum shw_result shw_image_input_check_size(const char *image, uint32_t width, uint32_t height, const char *name,
                                           const char *path, uint32_t got_width, uint32_t got_height,
                                           const struct shw_log *log);

/* Whether the input of that name, which is one of these, has a file. False if out of memory. */
bool shw_image_inputs_are_there(const char *image, const struct shw_input_file *inputs, uint32_t count,
                                const char *name);

void shw_image_inputs_free(struct shw_image_inputs *inputs);

#define SHW_INPUT_OPTION(list, help) SHW_OPTION(SHW_VALUE_LIST, "input", 0, "NAME=PATTERN", &(list), help)

/* Splits NAME=PATTERN, once. Returns SHW_CONTINUE or the exit code. */
int shw_input_files_take(const struct shw_command *command, const struct shw_option_list *list,
                         struct shw_input_file files[SHW_INPUTS_MAX]);

/* Whether one of the inputs has that name. */
bool shw_input_files_have(const struct shw_input_file files[], uint32_t count, const char *name);

/* Adds the inputs that the forest reads and that are not given: as far as they can be beside an image, where they are
 * left out if they are not (files/dataset/pattern.h), and planes, which are to be in the image's file. Their names are
 * those of the list, which must outlive them. */
void shw_input_files_add_beside(const struct shw_channel_list *channels, uint32_t *count,
                                struct shw_input_file files[]);

/* Adds the depth that a 16-bit grey image is itself, for forests that read nothing else, and refuses an image without
 * the depth or the height that the forest reads. Errors, logged: ARGUMENT. */
enum shw_result shw_image_inputs_complete(const struct shw_channel_list *channels, const char *image,
                                          struct shw_image_inputs *inputs, const struct shw_log *log);

#endif
