/* Filling of missing depth, before the stage `channels`. */
#ifndef SHW_DENSE_CHANNELS_FILL_H
#define SHW_DENSE_CHANNELS_FILL_H

#include <stdbool.h>
#include <stddef.h>

#include <shadewood/channels.h>
#include <shadewood/input.h>
#include <shadewood/log.h>
#include <shadewood/stage.h>

#include "shared/rectangle.h"
#include "vulkan/commands.h"
#include "vulkan/planes.h"

/* The fillings: the value of enum shw_fill; the name in options, metadata and provenance, which is also that of
 * shw_fill_NAME(); what the help says; `useDepthFilling` in CURFIL's files, or NULL if CURFIL has no such filling; and
 * how passes on a device are added, or NULL: images on a device are then refused, and the host fills all others. */
#define SHW_FILLINGS(X) X(SIMPLE, simple, "from the nearest pixel of the row", "true", shw_fill_simple_add)

struct shw_fill_size {
    uint32_t width, height; /* of the largest image */
    uint32_t slots, sets;   /* `sets` of planes, which the slots share in turn */
};

/* Passes that fill whole images on a device, with the same bits as on the host. */
struct shw_fill_passes {
    /* Creates everything that recording needs, once the arena is made. Errors: MEMORY, DEVICE_MEMORY, UNSUPPORTED,
     * LIMIT; the passes are then to be destroyed. */
    enum shw_result (*create)(struct shw_fill_passes *passes);
    void (*destroy)(struct shw_fill_passes *passes);
    /* Records filling of an image, and replaces the source SHW_DEPTH by the result. Sources are in the order of the
     * list's inputs, and ready for shw_use_fragment_sampled or shw_use_compute_sampled, and so is the result. */
    void (*record)(struct shw_fill_passes *passes, struct shw_recording *recording, uint32_t slot, uint32_t width,
                   uint32_t height, struct shw_stage_source *sources);
};

/* Makes the pixels of a rectangle of the image, which is whole and has any format and any struct shw_depth that depth
 * can have: millimetres, the rows of the rectangle `stride` elements apart. They may be the image's own pixels, if the
 * rectangle is all of it. Errors: MEMORY (without a message). Any thread. */
typedef enum shw_result shw_fill_make(const struct shw_input *depth, struct shw_rect rect, uint16_t *filled,
                                      size_t stride);

/* Adds planes to an arena, for a list that reads SHW_DEPTH. `form` is IMAGE (fragment passes) or BUFFER (compute).
 * Errors: MEMORY, DEVICE_MEMORY, UNSUPPORTED, LIMIT. */
typedef enum shw_result shw_fill_add(struct shw_arena *arena, const struct shw_channel_list *list,
                                     enum shw_planes_form form, struct shw_fill_size size,
                                     struct shw_fill_passes **passes);

shw_fill_add shw_fill_simple_add;
#define SHW_FILLING_DECLARE(value, name, help, curfil, passes) shw_fill_make shw_fill_##name;
SHW_FILLINGS(SHW_FILLING_DECLARE)
#undef SHW_FILLING_DECLARE

struct shw_filling {
    const char *name;
    const char *curfil;  /* or NULL */
    shw_fill_make *make; /* NULL: depth stays as it is */
    shw_fill_add *add;   /* or NULL */
};

bool shw_fill_is_known(enum shw_fill fill);

/* DEFAULT, and a value that is not known, are as NONE. */
const struct shw_filling *shw_filling_of(enum shw_fill fill);

/* The filling with that name, or with that value of `useDepthFilling`; DEFAULT: there is none. */
enum shw_fill shw_fill_by_name(const char *name);
enum shw_fill shw_fill_by_curfil(const char *flag);

/* All names in the order of enum shw_fill, DEFAULT being "stored", with NULL at the end; and all fillings as a text. */
extern const char *const shw_fill_names[];
#define SHW_FILL_CHOICE(value, name, help, curfil, passes) " or " #name
#define SHW_FILL_CHOICES                                   "none" SHW_FILLINGS(SHW_FILL_CHOICE)
/* What options say about them. */
#define SHW_FILL_HELP_LINE(value, name, help, curfil, passes) ";\n" #name ", " help
#define SHW_FILL_HELP                                         "none" SHW_FILLINGS(SHW_FILL_HELP_LINE)

/* The place of SHW_DEPTH among the list's inputs; 0: it reads none. */
uint32_t shw_fill_input(const struct shw_channel_list *list);

/* Whether channels of the list change by this filling. */
bool shw_fill_affects(enum shw_fill fill, const struct shw_channel_list *list);

#define SHW_FILL_WHY_SIZE (256 + SHW_CHANNEL_LIST_NAME_SIZE) /* it names the channels */

/* Whether `fill` is a value of enum shw_fill that can be used with the list; if not, writes the reason. */
bool shw_fill_check(enum shw_fill fill, const struct shw_channel_list *list, char why[SHW_FILL_WHY_SIZE]);

/* An image of 16-bit millimetres, any part of which is filled depth. */
struct shw_filled_input {
    struct shw_input input;
    uint16_t *pixels;
    size_t capacity; /* pixels */
};

/* Makes the pixels of the rectangle of `depth`; the others of *filled, which has its size, are undefined. *filled is
 * zero or has been made before, of any image. `fill` fills. Errors: MEMORY (without a message). */
enum shw_result shw_filled_input_make(enum shw_fill fill, const struct shw_input *depth, struct shw_rect rect,
                                      struct shw_filled_input *filled);

/* Accepts a zero struct; leaves it zero. */
void shw_filled_input_free(struct shw_filled_input *filled);

#endif
