/* Feature types and channel kinds as text (docs/shader-features.md): the head, and the functions. Nothing here runs the
 * text; what it says about reach, bound and words is evaluated here, not compiled. */
#ifndef SHW_FILES_CODE_TEXT_H
#define SHW_FILES_CODE_TEXT_H

#include <shadewood/channel_kind.h>
#include <shadewood/feature.h>
#include <shadewood/log.h>

#define SHW_CODE_SIZE_MAX     65536u /* bytes of a text */
#define SHW_CODE_PARAMS_MAX   8u
#define SHW_CODE_NAME_MAX     31u
#define SHW_CODE_WORK_MAX     65536u /* steps of a response */
#define SHW_CODE_CODE_MAX     4096u  /* operations of its code, with all functions in their places */
#define SHW_CODE_WHY_SIZE     512
#define SHW_CODE_ELEMENTS_MAX 1024u /* of all arrays */
#define SHW_CODE_RADIUS_MAX   8u    /* of channel kinds' reading of inputs */
#define SHW_CODE_NODES_MAX    64u   /* of an expression of the head */
#define SHW_CODE_MAXIMUM_MAX  65536 /* of numbers that are drawn, either way */

enum shw_code_subject { SHW_CODE_FEATURE, SHW_CODE_CHANNEL };

enum shw_code_type {
    SHW_CODE_INT,
    SHW_CODE_SIZE,
    SHW_CODE_CHANNEL_OF,
    SHW_CODE_RECTANGLE,
    SHW_CODE_OFFSET,
    SHW_CODE_SINGLE
};

struct shw_code_param {
    char name[SHW_CODE_NAME_MAX + 1];
    uint32_t line;
    enum shw_code_type type;
    bool has_min, has_max;
    int32_t min, max; /* INT, SIZE; of a RECTANGLE the greatest side, if has_max */
    char of[SHW_CODE_NAME_MAX + 1];
    int32_t channel;      /* RECTANGLE: of whose values sums are bounded: number of a parameter, or -1: of all */
    uint32_t word, shift; /* where it is in a feature; word 0 is the head */
    uint32_t bits;        /* INT, SIZE */
};

/* An integer expression of the head, over the parameters. */
struct shw_code_expression {
    uint32_t count; /* nodes, the last of which is the root; 0: not given */
    struct shw_code_node {
        char
            operation; /* '#' number, 'p' parameter, + - * / m(in) M(ax) n(egative), 'g': greatest value of a channel */
        uint8_t a, b;  /* nodes; of 'p', parameter and member; of 'g', parameter */
        int64_t number;
    } nodes[SHW_CODE_NODES_MAX];
};

struct shw_code_output {
    char name[SHW_CODE_NAME_MAX + 1], function[SHW_CODE_NAME_MAX + 1];
    uint32_t line;
    uint32_t max_abs, fraction_bits;
    enum shw_channel_mirror mirrored;
};

/* Of a channel kind, before the pass that makes its outputs. */
struct shw_code_pass {
    char name[SHW_CODE_NAME_MAX + 1], function[SHW_CODE_NAME_MAX + 1];
    uint32_t line, reach_line;
    uint32_t max_abs;
    struct shw_code_expression reach;
    struct shw_channel_reading reading;
};

struct shw_code_text {
    const char *file; /* for messages; owned */
    const char *text; /* owned */
    size_t size;
    enum shw_code_subject subject;
    char name[SHW_CODE_NAME_MAX + 1], label[64];
    enum shw_feature_reads reads;
    uint32_t param_count, output_count;
    struct shw_code_param params[SHW_CODE_PARAMS_MAX];
    struct shw_code_output outputs[SHW_CHANNEL_COUNT_MAX];
    uint32_t pass_count;
    struct shw_code_pass passes[SHW_CHANNEL_PASSES_MAX];
    struct shw_channel_reading reading; /* of all outputs */
    char input[SHW_CODE_NAME_MAX + 1];  /* of a channel kind, besides the colour image; or "" */
    bool reaches_all;
    uint32_t reach_count; /* 0, 1 or 4 */
    uint32_t reach_line, bound_line;
    uint32_t summing_line; /* where sum_at() or mean_at() is called; 0: nowhere */
    struct shw_code_expression reach[4], bound;
    uint32_t radius; /* of a channel kind: at which its passes read inputs */
    bool has_rectangle;
    bool may_be_undefined;
    bool is_of_regions; /* reads only rectangles, each of the channel that is named by //!OF, and no other parameter */
    char *tables;       /* constant arrays in the common subset; owned */
    char *body;         /* the functions in the common subset of C and GLSL, on the lines of the text; owned */
};

/* Parses a text of `size` bytes, which is copied. `file` begins messages, as "FILE:LINE: ...". Errors: FORMAT, MEMORY.
 */
enum shw_result shw_code_text_read(const char *file, const char *bytes, size_t size, const struct shw_log *log,
                                   struct shw_code_text **text);
void shw_code_text_free(struct shw_code_text **text);

/* The header that is compiled, for C and GLSL, to be freed with free(); NULL if memory runs out. */
char *shw_code_text_header(const struct shw_code_text *text);

/* Whether responses follow from the values of rectangles alone, so that these can be read in faster ways. */
bool shw_code_text_is_of_regions(const struct shw_code_text *text);

/* What struct shw_feature_type asks. */
bool shw_code_text_check(const struct shw_code_text *text, const struct shw_feature *feature,
                         const struct shw_channel_list *channels, char why[SHW_WHY_SIZE]);
bool shw_code_text_can_draw(const struct shw_code_text *text, const struct shw_channel_list *channels,
                            const struct shw_draw_limits *limits, char why[SHW_WHY_SIZE]);
uint64_t shw_code_text_bound(const struct shw_code_text *text, const struct shw_feature *feature,
                             const struct shw_channel_list *channels);
struct shw_reach shw_code_text_reach(const struct shw_code_text *text, const struct shw_feature *feature);
uint32_t shw_code_text_regions(const struct shw_code_text *text, const struct shw_feature *feature,
                               struct shw_feature_region regions[SHW_FEATURE_REGIONS_MAX]);

/* What struct shw_channel_kind asks. */
struct shw_channel_info shw_code_text_info(const struct shw_code_text *text, uint32_t parameter, uint32_t channel);

#endif
