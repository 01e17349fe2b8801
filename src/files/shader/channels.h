/* The channels of a forest as passes of a shader: what shaders/dense/export/forest.glsl includes. */
#ifndef SHW_FILES_SHADER_CHANNELS_H
#define SHW_FILES_SHADER_CHANNELS_H

#include <shadewood/channels.h>

#include "dense/channels/derived_kind.h"
#include "dense/channels/filter_bank.h"
#include "files/code/reader.h"
#include "files/shader/flatten.h"

/* How an input is read: as R, G, B and luma, as stored, as samples of 16 bits, or as those made base values. */
enum shw_shader_view { SHW_VIEW_COLOURS, SHW_VIEW_STORED, SHW_VIEW_SAMPLE, SHW_VIEW_GREY };

#define SHW_SHADER_VIEWS_MAX (2 * SHW_INPUTS_MAX)
#define SHW_SHADER_ROWS_MAX  (2 * SHW_ROW_FILTERS_MAX)
#define SHW_SHADER_KINDS_MAX SHW_CHANNELS_MAX

/* A filtered row of the union of both banks. */
struct shw_shader_row {
    uint32_t base, kernel; /* layer of the base planes; enum shw_kernel */
};

struct shw_shader_channels {
    const struct shw_channel_list *list;
    struct shw_derived_plan derived;
    struct shw_filter_bank banks[2]; /* of the channels, and of what derived kinds read */
    bool has_colour_base, is_direct, has_kinds;
    uint32_t base_count, row_count, view_count;
    uint32_t base_planes[SHW_INPUTS_MAX]; /* inputs, after the colours if there are any */
    uint32_t plane_base_count;
    struct shw_shader_row rows[SHW_SHADER_ROWS_MAX];
    struct {
        uint32_t input;
        enum shw_shader_view view;
    } views[SHW_SHADER_VIEWS_MAX];
    uint32_t input_uses;   /* inputs in use */
    const uint32_t *table; /* of a kind; NULL: none has one */
    uint32_t table_count;
    uint32_t weights[SHW_KERNEL_COUNT];               /* number of the first weight; UINT32_MAX: not in use */
    struct shw_flat_file kinds[SHW_SHADER_KINDS_MAX]; /* headers of texts; owned names and texts */
    uint32_t kind_count;

    /* What is included. */
    struct shw_code_buffer definitions, bindings, inputs, base, weight_text, kind_text, channels;
};

/* `why` names what a shader cannot do. False for that, or if memory runs out. Free it in either case. */
bool shw_shader_channels_make(const struct shw_channel_list *list, struct shw_shader_channels *channels, char why[512]);
void shw_shader_channels_free(struct shw_shader_channels *channels);

/* An input in names of the shader: "nir_2" of "nir-2". */
struct shw_shader_name {
    char text[SHW_INPUT_NAME_SIZE];
};
struct shw_shader_name shw_shader_name(const char *input);

/* Whether an input is read, and as which format: VkFormat's name. */
bool shw_shader_reads(const struct shw_shader_channels *channels, uint32_t input);
const char *shw_shader_input_format(const struct shw_shader_channels *channels, uint32_t input);
bool shw_shader_has_range(const struct shw_shader_channels *channels, uint32_t input);

#define SHW_SHADER_FIRST_INPUT 6u /* binding */

#endif
