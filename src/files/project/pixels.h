/* The pixels of a painted picture and of its other inputs, shared by the project and all trainings that use it.
 *
 * Training needs little of a large picture. It takes rectangular parts, which stay in memory as long as the next
 * training takes them too, while the whole picture can be forgotten if it can be read again. */
#ifndef SHW_FILES_PROJECT_PIXELS_H
#define SHW_FILES_PROJECT_PIXELS_H

#include <stdatomic.h>
#include <stdbool.h>

#include <shadewood/input.h>
#include <shadewood/log.h>

#include "files/dataset/examples.h"
#include "files/image/image_choice.h"
#include "shared/rectangle.h"

struct shw_pixels;

/* Pixels of a rectangle of the picture, or of all of it, colour first. Immutable. */
struct shw_pixels_part {
    atomic_uint shares;
    struct shw_rect rect;
    struct shw_inputs inputs;
    struct shw_input input[SHW_INPUTS_MAX + 1]; /* names are borrowed */
    void *owner;                                /* of the pixels */
    void (*release)(void *owner);
};

/* A copy of an image and of its other inputs. NULL if memory is exhausted. */
struct shw_pixels_part *shw_pixels_part_copy(const struct shw_inputs *inputs);
/* The same without copying: release(owner) is called, from any thread, when the pixels are not needed any more; at once
 * if memory is exhausted. */
struct shw_pixels_part *shw_pixels_part_lend(const struct shw_inputs *inputs, void *owner,
                                             void (*release)(void *owner));
/* Releases a share and sets *part to NULL; accepts NULL in it. Any thread. */
void shw_pixels_part_release(struct shw_pixels_part **part);

/* Of an image file, which is read when needed, by the choice, with its other inputs (files/dataset/image_inputs.h),
 * fewer than SHW_INPUTS_MAX. Paths are copied, names borrowed. NULL if memory is exhausted. */
struct shw_pixels *shw_pixels_from_file(const char *path, const struct shw_image_choice *choice,
                                        const struct shw_input_file *inputs, uint32_t input_count);

/* Of a picture whose pixels are somewhere else, from where `read` gets a rectangle whenever that is needed. */
struct shw_pixels_source {
    enum shw_result (*read)(void *user, struct shw_rect rect, const struct shw_log *log, struct shw_pixels_part **part);
    void (*release)(void *user); /* with the last share; also if memory is exhausted */
    void *user;
    uint32_t width, height;
};
struct shw_pixels *shw_pixels_from_source(const struct shw_pixels_source *source);

/* A copy of an image that is not a file, and of its other inputs. NULL if memory is exhausted. */
struct shw_pixels *shw_pixels_copy(const struct shw_inputs *inputs);

/* Gives it the whole picture unless it has it already; takes a share. Any thread. */
void shw_pixels_give(struct shw_pixels *pixels, struct shw_pixels_part *whole);

/* Any thread. */
struct shw_pixels *shw_pixels_share(struct shw_pixels *pixels);

/* Releases a share and sets *pixels to NULL; accepts NULL in it. Any thread. */
void shw_pixels_release(struct shw_pixels **pixels);

/* Whether the whole picture is in memory. Any thread. */
bool shw_pixels_has_whole(struct shw_pixels *pixels);

/* The image and its other inputs, which stay in memory as long as the share. If reading a file fails, the next call
 * tries again. Errors: IO, FORMAT, LIMIT, MEMORY. Any thread. */
enum shw_result shw_pixels_get(struct shw_pixels *pixels, const struct shw_log *log, struct shw_inputs *inputs);

/* The whole picture, to be released. A file that is read for it does not stay in memory. Errors: those of
 * shw_pixels_get(). Any thread. */
enum shw_result shw_pixels_take(struct shw_pixels *pixels, const struct shw_log *log, struct shw_pixels_part **part);

/* Takes rectangles of a picture of that size, each to be released: those that the previous call took, and others from
 * the whole picture, which is read and stays in memory if need be; *fresh: there were others. On failure `parts` are
 * NULL. Errors: those of shw_pixels_get(), FORMAT (another size). Any thread. */
enum shw_result shw_pixels_take_parts(struct shw_pixels *pixels, uint32_t width, uint32_t height,
                                      const struct shw_rect *rects, uint32_t count, const char *name,
                                      const struct shw_log *log, struct shw_pixels_part **parts, bool *fresh);

/* Bytes of the whole picture that shw_pixels_forget() would free: 0 if it is not in memory, or is nowhere else. Any
 * thread. */
size_t shw_pixels_spare(struct shw_pixels *pixels);

/* Removes the whole picture from memory if it can be read again. Any thread. */
void shw_pixels_forget(struct shw_pixels *pixels);

#endif
