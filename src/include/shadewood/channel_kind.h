/* Channel kinds: how channels are made from inputs. Part of Shadewood; MIT licence, see LICENSE.
 *
 * A custom kind is one header in the common subset of C and GLSL, compiled by the CMake function
 * shadewood_channel_kind(), and one struct; docs/extending.md has an example. */
#ifndef SHADEWOOD_CHANNEL_KIND_H
#define SHADEWOOD_CHANNEL_KIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <shadewood/channels.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of struct shw_channel_kind, for its member `version`. */
#define SHW_CHANNEL_KIND_VERSION 6u

#define SHW_CHANNEL_COUNT_MAX 4u /* channels per entry of a kind that is compiled from a header */

/* A row of pixels on the CPU, as the functions of shaders/dense/channels/channel.h read it. */
struct shw_channel_row;

/* SPIR-V; `size` in bytes. */
struct shw_channel_shader {
    const uint32_t *words;
    const size_t *size;
};

/* The variants of a shader, by the views that it reads: 0 if they are normalised, + 1 if the colour image's view is of
 * integers, + 2 if that of the other input is. */
#define SHW_CHANNEL_VIEWS 4u

#define SHW_CHANNEL_PASSES_MAX       6u  /* of a kind, besides the one that makes its channels */
#define SHW_CHANNEL_REACH_MAX        24u /* at which planes of passes are read */
#define SHW_CHANNEL_TOTAL_RADIUS_MAX 32u /* of all passes of a kind, one after the other */

/* What a pass reads; planes of passes are clamped to the border, as inputs are. */
struct shw_channel_reading {
    bool inputs;     /* it reads inputs, at most as far away as the radius of the code */
    uint32_t reach;  /* the largest distance at which it reads anything */
    uint32_t planes; /* the sum of 1 << number of the passes whose planes it reads, which come before it */
};

/* A pass of a kind that is a text: it makes one plane of 16-bit numbers, which later passes of the kind read. */
struct shw_channel_pass {
    struct shw_channel_reading reading;
    void (*fill_row)(const struct shw_channel_row *row, uint32_t parameter, int16_t *const *plane);
    struct shw_channel_shader fragment[SHW_CHANNEL_VIEWS], compute[SHW_CHANNEL_VIEWS];
};

/* shw_channel_code_NAME, which shadewood_channel_kind() compiles from a header. */
struct shw_channel_code {
    uint32_t channel_count, radius; /* the latter of all passes */
    bool has_table;
    bool reads_previous, reads_plane; /* in addition to the colour image; at most one */
    bool reads_grey;                  /* it may read a plane instead of the colour image */
    uint32_t samples;                 /* planes that it reads instead of the colour image: 0, 1 or 2 */
    void (*fill_row)(const struct shw_channel_row *row, uint32_t parameter, int16_t *const *channels);
    struct shw_channel_shader fragment[SHW_CHANNEL_VIEWS], compute[SHW_CHANNEL_VIEWS];
    uint32_t pass_count;                /* before the one that makes the channels; 0 for headers */
    struct shw_channel_reading reading; /* of the latter, if there are others */
    struct shw_channel_pass passes[SHW_CHANNEL_PASSES_MAX];
    /* Instead of all of these, where shaders are made when something asks for them: the first `views` of one of the two
     * of a pass, or of the one that makes the channels for pass_count, which last as long as the kind. NULL: `fragment`
     * and `compute` have them. Any thread. Errors: MEMORY, UNSUPPORTED, FORMAT; logged. */
    enum shw_result (*get_shaders)(const struct shw_channel_code *code, uint32_t pass, bool is_fragment, uint32_t views,
                                   const struct shw_log *log, struct shw_channel_shader *shaders);
};

/* How an entry of a list names the planes that a kind reads instead of the colour image. */
enum shw_channel_naming {
    SHW_NAMES_NONE = 0, /* "kind", "kind:parameter" */
    SHW_NAMES_AT = 1,   /* "kind@plane", "kind:parameter@plane"; the header defines SHW_CHANNEL_GREY */
    SHW_NAMES_ONE = 2,  /* "kind:plane"; SHW_CHANNEL_SAMPLES is 1, and there is no parameter */
    SHW_NAMES_TWO = 3   /* "kind:plane,plane"; SHW_CHANNEL_SAMPLES is 2, and there is no parameter */
};

struct shw_channel_maker; /* for kinds that share work; built-in ones only */

/* Immutable; must outlive everything created with it: channel lists, forests, trainers and readers keep a pointer.
 * Passed in struct shw_channel_kinds (shadewood/channels.h). All functions may be called from any thread. */
struct shw_channel_kind {
    uint32_t version;                           /* SHW_CHANNEL_KIND_VERSION */
    const char *name;                           /* in lists: 1 to 15 lower-case letters, digits and '-' */
    uint32_t parameter_min, parameter_max;      /* both 0: no parameter */
    bool (*accepts)(uint32_t parameter);        /* NULL: everything from parameter_min to parameter_max */
    uint32_t channel_count;                     /* per entry */
    uint32_t (*get_radius)(uint32_t parameter); /* at most that of the header and its passes; NULL: that one */
    /* Describes channel `channel` < channel_count of an entry; its bound max_abs, 1 to 32767, holds for all inputs. */
    struct shw_channel_info (*get_info)(uint32_t parameter, uint32_t channel);
    const struct shw_channel_info *channels; /* instead of get_info, if they are the same for every parameter */
    /* Numbers that the header reads with shw_table(), the same in every call; required if code->has_table. */
    const uint32_t *(*get_table)(uint32_t *count);
    /* The name of the plane that the header reads as SHW_INPUT_PLANE: SHW_DEPTH or a custom one (shadewood/input.h);
       NULL if code->reads_plane is false. */
    const char *input;
    const struct shw_channel_code *code;   /* either this */
    const struct shw_channel_maker *maker; /* or this */
    const void *user;                      /* for the maker */
    /* If a mirror image exchanges channels of an entry, as it does those of opposite orientations: the number of the
       one whose values channel `channel` < channel_count has in the mirror image, in the form of `mirrored`. Two such
       channels name each other, and have the same bound, content and form. NULL: its own. */
    uint32_t (*get_partner)(uint32_t channel);
    /* Channels are named after what get_info() or `channels` say, and the planes. */
    enum shw_channel_naming naming;
    const char *text; /* from which it was made while the program runs, for files of forests; NULL: there is none */
};

/* The function that a shared object for the option --plugin of programs exports under this name. It returns `*count`
 * kinds, which must be valid as long as the object is loaded. */
#define SHW_CHANNEL_KINDS_SYMBOL "shadewood_channel_kinds"
typedef const struct shw_channel_kind *const *(*shw_channel_kinds_function)(uint32_t *count);

#ifdef __cplusplus
}
#endif
#endif
