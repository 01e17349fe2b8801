#include "files/shader/channels.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/input.h>

#include "dense/channels/channel_maker.h"
#include "dense/channels/plane_range.h"
#include "files/code/files.h"
#include "files/code/text.h"

struct making {
    struct shw_shader_channels *made;
    char *why;
    jmp_buf failed;
};

static _Noreturn void refuse(struct making *making, const char *format, const char *name)
{
    snprintf(making->why, 512, format, name);
    longjmp(making->failed, 1);
}

struct shw_shader_name shw_shader_name(const char *input)
{
    struct shw_shader_name name;

    snprintf(name.text, sizeof name.text, "%s", input);
    for (char *at = name.text; *at != '\0'; at++)
        *at = *at == '-' ? '_' : *at;
    return name;
}

/* In capital letters. */
static struct shw_shader_name macro_name(const char *input)
{
    struct shw_shader_name name = shw_shader_name(input);

    for (char *at = name.text; *at != '\0'; at++)
        *at = (char)toupper((unsigned char)*at);
    return name;
}

static uint32_t view_of(struct making *making, uint32_t input, enum shw_shader_view view)
{
    struct shw_shader_channels *made = making->made;
    uint32_t v = 0;

    while (v < made->view_count && (made->views[v].input != input || made->views[v].view != view))
        v++;
    if (v == made->view_count) {
        if (v == SHW_SHADER_VIEWS_MAX)
            refuse(making, "%s", "too many planes");
        made->views[v].input = input;
        made->views[v].view = view;
        made->view_count++;
    }
    return v;
}

bool shw_shader_reads(const struct shw_shader_channels *made, uint32_t input)
{
    for (uint32_t v = 0; v < made->view_count; v++)
        if (made->views[v].input == input)
            return true;
    return false;
}

static bool is_colour(const struct shw_shader_channels *made, uint32_t input)
{
    return input == 0 || strcmp(made->list->inputs[input], SHW_PREVIOUS) == 0;
}

bool shw_shader_has_range(const struct shw_shader_channels *made, uint32_t input)
{
    return made->list->is_plane[input] && shw_plane_range_is_stated(&made->list->ranges[input]);
}

const char *shw_shader_input_format(const struct shw_shader_channels *made, uint32_t input)
{
    if (is_colour(made, input))
        return "VK_FORMAT_R8G8B8A8_UNORM";
    return shw_shader_has_range(made, input) ? "VK_FORMAT_R32_SFLOAT" : "VK_FORMAT_R16_UINT";
}

/* --- Filters --- */

static uint32_t base_layer(struct making *making, const struct shw_filter_bank *bank, uint32_t base)
{
    struct shw_shader_channels *made = making->made;
    const uint32_t first = made->has_colour_base ? SHW_BASE_COUNT : 0;
    uint32_t number = 0;

    if (base < SHW_BASE_COUNT)
        return base;
    while (number < made->plane_base_count && made->base_planes[number] != bank->planes[base - SHW_BASE_COUNT])
        number++;
    if (number == made->plane_base_count)
        made->base_planes[made->plane_base_count++] = bank->planes[base - SHW_BASE_COUNT];
    return first + number;
}

static uint32_t row_of(struct making *making, const struct shw_filter_bank *bank, uint32_t row)
{
    struct shw_shader_channels *made = making->made;
    const uint32_t base = base_layer(making, bank, bank->rows[row].base), kernel = bank->rows[row].kernel;
    uint32_t r = 0;

    while (r < made->row_count && (made->rows[r].base != base || made->rows[r].kernel != kernel))
        r++;
    if (r == made->row_count)
        made->rows[made->row_count++] = (struct shw_shader_row){base, kernel};
    return r;
}

static void make_filters(struct making *making)
{
    struct shw_shader_channels *made = making->made;

    shw_derived_plan_make(made->list, 0, made->list->channel_count, &made->derived);
    shw_filter_bank_make(made->list, 0, made->list->channel_count, &made->banks[0]);
    shw_filter_bank_make(&made->derived.filters, 0, made->derived.filters.channel_count, &made->banks[1]);
    made->has_colour_base = made->banks[0].reads_colour || made->banks[1].reads_colour;
    for (uint32_t b = 0; b < 2; b++) {
        const struct shw_filter_bank *bank = &made->banks[b];
        for (uint32_t r = 0; r < bank->row_count; r++) {
            row_of(making, bank, r);
            made->weights[bank->rows[r].kernel] = 0;
        }
        for (uint32_t c = 0; c < bank->column_count; c++)
            for (uint32_t t = 0; t < bank->columns[c].term_count; t++)
                made->weights[bank->columns[c].terms[t].kernel] = 0;
    }
    made->base_count = (made->has_colour_base ? SHW_BASE_COUNT : 0) + made->plane_base_count;
}

static const char *kernel_name(uint32_t kernel)
{
    static const char *const names[] = {"Gaussian", "second derivative", "first derivative"};

    return names[kernel / SHW_KERNEL_SCALES];
}

static void put_weights(struct making *making)
{
    struct shw_shader_channels *made = making->made;
    struct shw_code_buffer *out = &made->weight_text;
    uint32_t count = 0, last = 0;

    for (uint32_t k = 0; k < SHW_KERNEL_COUNT; k++)
        if (made->weights[k] != UINT32_MAX) {
            made->weights[k] = count;
            count += 2 * shw_filter_kernels[k].radius + 1;
            last = k;
        }
    if (count == 0)
        return;
    shw_code_put(out, "const int shw_weights[%u] = int[%u](\n", count, count);
    for (uint32_t k = 0; k < SHW_KERNEL_COUNT; k++) {
        const struct shw_filter_kernel *kernel = &shw_filter_kernels[k];
        if (made->weights[k] == UINT32_MAX)
            continue;
        shw_code_put(out, "    /* %u: %s, sigma %u */", made->weights[k], kernel_name(k), 1u << k % SHW_KERNEL_SCALES);
        for (uint32_t i = 0; i <= 2 * kernel->radius; i++)
            shw_code_put(out, "%s%d%s", i % 13 == 0 ? "\n    " : " ", kernel->weights[i],
                         k == last && i == 2 * kernel->radius ? "" : ",");
        shw_code_put(out, "\n");
    }
    shw_code_put(out, ");\n");
}

/* A filter of a plane as a word: its layer, the radius, the first weight; bit 31 for a magnitude. */
static uint32_t word_of(const struct making *making, uint32_t plane, uint32_t kernel, bool is_magnitude)
{
    return plane | shw_filter_kernels[kernel].radius << 8 | making->made->weights[kernel] << 16 |
           (uint32_t)is_magnitude << 31;
}

static void put_words(struct making *making, const char *name, const uint32_t *words, uint32_t count)
{
    struct shw_code_buffer *out = &making->made->weight_text;

    shw_code_put(out, "const uint %s[%u] = uint[%u](", name, count, count);
    for (uint32_t i = 0; i < count; i++)
        shw_code_put(out, "%s%s0x%xu", i > 0 ? "," : "", i % 8 == 0 ? "\n    " : " ", words[i]);
    shw_code_put(out, "\n);\n");
}

static void put_rows(struct making *making)
{
    const struct shw_shader_channels *made = making->made;
    uint32_t words[SHW_SHADER_ROWS_MAX + 3] = {0};

    for (uint32_t r = 0; r < made->row_count; r++)
        words[r] = word_of(making, made->rows[r].base, made->rows[r].kernel, false);
    shw_code_put(&making->made->weight_text, "/* Of each filtered row: plane, radius << 8, first weight << 16. */\n");
    put_words(making, "shw_row_filters", words, (made->row_count + 3) & ~3u);
}

/* The filters of a bank's outputs; of others, zeros. */
static void put_columns(struct making *making, uint32_t which, const char *name, uint32_t count)
{
    const struct shw_filter_bank *bank = &making->made->banks[which];
    uint32_t words[2 * SHW_COLUMN_FILTERS_MAX + 8] = {0};

    for (uint32_t c = 0; c < bank->column_count; c++) {
        const struct shw_column_filter *column = &bank->columns[c];
        for (uint32_t t = 0; t < column->term_count; t++) {
            const uint32_t row = row_of(making, bank, column->terms[t].row), kernel = column->terms[t].kernel;
            if (column->output != SHW_NO_OUTPUT)
                words[2 * column->output + t] = word_of(making, row, kernel, false);
            if (column->magnitude != SHW_NO_OUTPUT)
                words[2 * column->magnitude + t] = word_of(making, row, kernel, true);
        }
    }
    shw_code_put(
        &making->made->weight_text,
        "/* The same along columns of rows, one or two for each value; bit 31: the magnitude of the sum. */\n");
    put_words(making, name, words, 2 * ((count + 3) & ~3u));
}

static void put_base(struct making *making)
{
    const struct shw_shader_channels *made = making->made;
    const uint32_t count = made->plane_base_count, first = made->has_colour_base ? 1 : 0;
    struct shw_code_buffer *out = &making->made->base;

    if (made->has_colour_base)
        shw_code_put(out, "    if (group == 0u)\n        return shw_input(at, uvec2(%uu), 0u, 0, 0);\n",
                     view_of(making, 0, SHW_VIEW_COLOURS));
    for (uint32_t i = 0; i < count; i++) {
        shw_code_put(out, i % 4 == 0 ? "    if (group == %uu)\n        return ivec4(" : ", ", first + i / 4);
        shw_code_put(out, "shw_input(at, uvec2(%uu), 0u, 0, 0).x",
                     view_of(making, made->base_planes[i], SHW_VIEW_GREY));
        for (uint32_t rest = i + 1; i + 1 == count && rest % 4 != 0; rest++)
            shw_code_put(out, ", 0");
        if (i % 4 == 3 || i + 1 == count)
            shw_code_put(out, ");\n");
    }
}

/* --- Kinds that read inputs or filtered planes --- */

static const char code_environment[] = "#define shw_int4 ivec4\n"
                                       "#define SHW_INT4(x, y, z, w) ivec4(x, y, z, w)\n"
                                       "#define SHW_CHANNEL_PARAMETER ivec2 at, uvec2 inputs,\n"
                                       "#define SHW_CHANNEL at, inputs,\n"
                                       "#define SHW_INPUT_COLOUR 0u\n"
                                       "#define SHW_INPUT_FIRST 0u\n"
                                       "#define SHW_INPUT_PREVIOUS 1u\n"
                                       "#define SHW_INPUT_PLANE 1u\n"
                                       "#define SHW_INPUT_SECOND 1u\n"
                                       "#include \"shared/base_planes.h\"\n";
static const char derived_environment[] = "#define shw_int4 ivec4\n"
                                          "#define SHW_INT4(x, y, z, w) ivec4(x, y, z, w)\n"
                                          "#define SHW_DERIVED_PARAMETER ivec2 at, uvec3 inputs,\n"
                                          "#define SHW_DERIVED at, inputs,\n"
                                          "#include \"types.h\"\n";

static void add_file(struct making *making, const char *name, char *text, const char *word)
{
    struct shw_shader_channels *made = making->made;

    if (text == NULL || made->kind_count == SHW_SHADER_KINDS_MAX) {
        free(text);
        refuse(making, "%s", text == NULL ? "not enough memory" : "too many channel kinds");
    }
    made->kinds[made->kind_count++] = (struct shw_flat_file){strdup(name), text, word != NULL ? strdup(word) : NULL};
}

static char *text_header(struct making *making, const struct shw_channel_kind *kind)
{
    struct shw_code_text *text = NULL;
    char *header;

    if (shw_code_text_read(kind->name, kind->text, strlen(kind->text), NULL, &text) != SHW_OK)
        refuse(making, "the text of the channel kind %s cannot be read", kind->name);
    header = shw_code_text_header(text);
    shw_code_text_free(&text);
    return header;
}

/* Includes the header of a kind once, and notes whether it reads the colours. */
static bool include_kind(struct making *making, const struct shw_channel_kind *kind, bool is_derived)
{
    struct shw_code_buffer *out = &making->made->kind_text;
    const struct shw_shader_name word = shw_shader_name(kind->name);
    const char *name = strcmp(kind->name, SHW_HEIGHT) == 0 ? SHW_DEPTH : word.text, *function, *before;
    const struct shw_code_file *file;
    char path[128], line[128];

    snprintf(path, sizeof path, "shaders/dense/channels/%s/%s.h", is_derived ? "derived" : "kind", name);
    file = shw_code_file_find(path);
    if (kind->text == NULL && file == NULL)
        refuse(making, "the channel kind %s is compiled, and there is no text of it", kind->name);
    function = is_derived ? "shw_derived_values" : "shw_channel_values";
    snprintf(line, sizeof line, "#define %s shw_values_%s\n", function, name);
    before = out->text != NULL ? strstr(out->text, line) : NULL;
    if (before == NULL) {
        shw_code_put(out, "%s#include \"%s\"\n#undef %s\n", line, kind->text != NULL ? kind->name : path + 8, function);
        if (kind->text != NULL)
            add_file(making, kind->name, text_header(making, kind), word.text);
    }
    return kind->text != NULL || strstr(file->text, "SHW_INPUT_COLOUR") != NULL;
}

/* The inputs of an entry's kind as text: "uvec2(0u, 1u)". */
static void put_inputs(struct making *making, const struct shw_channel_entry *entry, bool reads_colour,
                       struct shw_code_buffer *out)
{
    const struct shw_channel_code *code = entry->kind->code;
    uint32_t first = UINT32_MAX, second = UINT32_MAX;

    if (code->samples > 0)
        first = view_of(making, entry->source, SHW_VIEW_SAMPLE);
    else if (entry->source != 0)
        first = view_of(making, entry->source, SHW_VIEW_GREY);
    else if (reads_colour)
        first = view_of(making, 0, SHW_VIEW_COLOURS);
    if (code->samples > 1)
        second = view_of(making, entry->input, SHW_VIEW_SAMPLE);
    else if (code->reads_previous)
        second = view_of(making, entry->input, SHW_VIEW_COLOURS);
    else if (code->reads_plane)
        second = view_of(making, entry->input, SHW_VIEW_STORED);
    first = first != UINT32_MAX ? first : second != UINT32_MAX ? second : 0;
    second = second != UINT32_MAX ? second : first;
    shw_code_put(out, "uvec2(%uu, %uu)", first, second);
}

static const struct shw_derived_step *step_of(const struct shw_shader_channels *made, uint32_t first)
{
    for (uint32_t s = 0; s < made->derived.step_count; s++)
        if (made->derived.steps[s].entry.first == first)
            return &made->derived.steps[s];
    return NULL;
}

/* The variable that holds what a pass of an entry's kind makes; its name begins with `v`. */
static void put_variable(struct making *making, uint32_t number, uint32_t pass, struct shw_code_buffer *out)
{
    struct shw_shader_channels *made = making->made;
    const struct shw_channel_entry *entry = &made->list->entries[number];
    const struct shw_derived_step *step = step_of(made, entry->first);
    const struct shw_channel_kind *kind = entry->kind;
    const struct shw_shader_name word = shw_shader_name(strcmp(kind->name, SHW_HEIGHT) == 0 ? SHW_DEPTH : kind->name);
    bool reads_colour;

    if (step != NULL) {
        include_kind(making, kind, true);
        shw_code_put(out, "        ivec4 v%u_%u = shw_values_%s(at, uvec3(%uu, %uu, %uu), %uu, %uu);\n", number, pass,
                     word.text, step->inputs[0], step->inputs[1], step->inputs[2], entry->parameter, pass);
        return;
    }
    if (kind->code == NULL || (entry->input != 0 && strncmp(made->list->inputs[entry->input], "posterior", 9) == 0))
        refuse(making, "the channel kind %s reads a level below", kind->name);
    if (kind->code->pass_count > 0)
        refuse(making, "the channel kind %s has passes, which exported shaders do not make", kind->name);
    reads_colour = include_kind(making, kind, false);
    made->has_kinds = true;
    made->is_direct &= kind->code->radius == 0;
    if (kind->code->has_table)
        made->table = kind->get_table(&made->table_count);
    shw_code_put(out, "        ivec4 v%u_%u = shw_values_%s(at, ", number, pass, word.text);
    put_inputs(making, entry, reads_colour, out);
    shw_code_put(out, ", %uu);\n", entry->parameter);
}

/* The channels of a pass of a kind that does not consist of filters; 0: it does. */
static uint32_t per_pass(const struct shw_shader_channels *made, const struct shw_channel_entry *entry)
{
    const struct shw_derived_step *step = step_of(made, entry->first);

    if (step != NULL)
        return step->code->channel_count / step->code->pass_count;
    return shw_channel_maker_of(entry->kind) == &shw_filter_bank_maker ? 0 : entry->kind->channel_count;
}

static void put_group(struct making *making, uint32_t group)
{
    const struct shw_shader_channels *made = making->made;
    const uint32_t count = made->list->channel_count;
    struct shw_code_buffer *out = &making->made->channels, before = {0}, values = {0};
    int last = -1;

    for (uint32_t c = 4 * group; c < 4 * group + 4 && c < count; c++) {
        const struct shw_channel_entry *entry = shw_channel_entry_of(made->list, c);
        const uint32_t number = (uint32_t)(entry - made->list->entries), each = per_pass(made, entry);
        if (each == 0)
            continue;
        const uint32_t pass = (c - entry->first) / each;
        if (last != (int)(8 * number + pass))
            put_variable(making, number, pass, &before);
        last = (int)(8 * number + pass);
        shw_code_put(&values, "        values[%u] = v%u_%u.%c;\n", c % 4, number, pass,
                     "xyzw"[(c - entry->first) % each]);
    }
    shw_code_put(out, "    /* %u:", group);
    for (uint32_t c = 4 * group; c < 4 * group + 4 && c < count; c++)
        shw_code_put(out, " %s%s", made->list->channels[c].name, c + 1 < count && c % 4 < 3 ? "," : "");
    shw_code_put(out, " */\n");
    if (before.text != NULL)
        shw_code_put(out, "    if (group == %uu) {\n%s%s    }\n", group, before.text,
                     values.text != NULL ? values.text : "");
    out->failed |= before.failed || values.failed;
    free(before.text);
    free(values.text);
}

/* --- Inputs --- */

static bool has_view(const struct shw_shader_channels *made, uint32_t input, enum shw_shader_view view)
{
    for (uint32_t v = 0; v < made->view_count; v++)
        if (made->views[v].input == input && made->views[v].view == view)
            return true;
    return false;
}

/* Whether an input is read both as it is stored and as a sample of 16 bits, and these can be different. */
static bool has_two_readings(const struct shw_shader_channels *made, uint32_t input)
{
    return !shw_shader_has_range(made, input) && has_view(made, input, SHW_VIEW_STORED) &&
           shw_channel_list_names(made->list, input);
}

static void put_view(struct making *making, uint32_t view, struct shw_code_buffer *out)
{
    const struct shw_shader_channels *made = making->made;
    const uint32_t input = made->views[view].input;
    const struct shw_shader_name macro = macro_name(made->list->inputs[input]);
    const struct shw_plane_range *range = &made->list->ranges[input];
    const bool has_range = shw_shader_has_range(made, input), is_grey = made->views[view].view == SHW_VIEW_GREY;

    shw_code_put(out, "    if (inputs[role] == %uu)\n        return ", view);
    if (made->views[view].view == SHW_VIEW_COLOURS) {
        shw_code_put(out, "shw_colours(SHW_IN_%s(at));\n", macro.text);
        return;
    }
    shw_code_put(out, is_grey ? "ivec4(shw_base_from_16(" : "ivec4(");
    if (has_range) {
        const shw_uint4 scale = shw_plane_range_scale(range->low, range->high);
        shw_code_put(out, "shw_range_code(SHW_SOURCE_FLOAT, floatBitsToUint(SHW_IN_%s(at)), uvec4(%uu, %uu, %uu, %uu))",
                     macro.text, scale.x, scale.y, scale.z, scale.w);
    } else {
        shw_code_put(out, "SHW_IN_%s(at)", macro.text);
        if (has_two_readings(made, input) && made->views[view].view != SHW_VIEW_STORED)
            shw_code_put(out, " * SHW_%s_FACTOR", macro.text);
    }
    shw_code_put(out, is_grey ? "));\n" : ", 0, 0, 0);\n");
}

static void put_input(struct making *making, uint32_t input, struct shw_code_buffer *out)
{
    const struct shw_shader_channels *made = making->made;
    const struct shw_shader_name name = shw_shader_name(made->list->inputs[input]),
                                 macro = macro_name(made->list->inputs[input]);
    const bool has_range = shw_shader_has_range(made, input);

    if (has_two_readings(made, input))
        shw_code_put(out, "@#ifndef SHW_%s_FACTOR\n@#define SHW_%s_FACTOR 1u /* 257u: of 8 bits */\n@#endif\n",
                     macro.text, macro.text);
    shw_code_put(out, "@#ifndef SHW_IN_%s\n", macro.text);
    shw_code_put(out, "@SHW_AT(SHW_%s_BINDING) uniform %s shw_in_%s;\n", macro.text,
                 is_colour(made, input) || has_range ? "SHW_TEXTURE2D" : "SHW_UTEXTURE2D", name.text);
    if (is_colour(made, input))
        shw_code_put(out,
                     "@#define SHW_IN_%s(at) (uvec3(texelFetch(shw_in_%s, at, 0).rgb * 255.0 + 0.5) * 257u) /* "
                     "uvec3: 16 bits; of 8-bit samples, 257 times these */\n",
                     macro.text, name.text);
    else
        shw_code_put(out, "@#define SHW_IN_%s(at) texelFetch(shw_in_%s, at, 0).r /* %s */\n", macro.text, name.text,
                     has_range                                ? "float: the number itself"
                     : has_view(made, input, SHW_VIEW_STORED) ? "uint: as stored; of depth and height, millimetres"
                                                              : "uint: a sample of 16 bits; of 8 bits, 257 times that");
    shw_code_put(out, "@#ifndef SHW_SIZE\n@#define SHW_SIZE (textureSize(shw_in_%s, 0))\n@#endif\n@#endif\n",
                 name.text);
}

static void put_inputs_text(struct making *making)
{
    struct shw_shader_channels *made = making->made;
    struct shw_code_buffer *out = &made->inputs;

    if (made->view_count == 0) /* for the size */
        view_of(making, 0, SHW_VIEW_COLOURS);
    for (uint32_t i = 0; i < made->list->input_count; i++)
        if (shw_shader_reads(made, i)) {
            const struct shw_shader_name macro = macro_name(made->list->inputs[i]);
            shw_code_put(&made->bindings, "@#ifndef SHW_%s_BINDING\n@#define SHW_%s_BINDING %u\n@#endif\n", macro.text,
                         macro.text, SHW_SHADER_FIRST_INPUT + i);
            put_input(making, i, out);
        }
    shw_code_put(out, "#include \"shared/base_planes.h\"\n#include \"shared/depth_code.h\"\n"
                      "ivec4 shw_colours(uvec3 samples)\n{\n"
                      "    uvec3 rgb = uvec3(shw_base_from_16(samples.r), shw_base_from_16(samples.g), "
                      "shw_base_from_16(samples.b));\n\n"
                      "    return ivec4(rgb, shw_base_luma(rgb.r, rgb.g, rgb.b));\n}\n\n"
                      "/* What a channel kind's input of that role is at a distance from a pixel. */\n"
                      "ivec4 shw_input(ivec2 at, uvec2 inputs, uint role, int dx, int dy)\n{\n"
                      "    at = clamp(at + ivec2(dx, dy), ivec2(0), SHW_SIZE - 1);\n");
    for (uint32_t v = 0; v < made->view_count; v++)
        put_view(making, v, out);
    shw_code_put(out, "    return ivec4(0);\n}\n");
}

static void make(struct making *making)
{
    struct shw_shader_channels *made = making->made;

    make_filters(making);
    put_weights(making);
    made->is_direct = made->row_count == 0;
    put_base(making);
    if (made->row_count > 0) {
        put_rows(making);
        put_columns(making, 0, "shw_column_filters", made->list->channel_count);
        if (made->derived.filters.channel_count > 0)
            put_columns(making, 1, "shw_derived_filters", made->derived.filters.channel_count);
    }
    for (uint32_t group = 0; 4 * group < made->list->channel_count; group++)
        put_group(making, group);
    put_inputs_text(making);
    add_file(making, "dense/channels/channel.h", strdup(code_environment), NULL);
    add_file(making, "dense/channels/derived.h", strdup(derived_environment), NULL);
}

static struct shw_code_buffer *buffer_of(struct shw_shader_channels *made, int number)
{
    struct shw_code_buffer *const buffers[] = {&made->definitions, &made->bindings,  &made->inputs,  &made->base,
                                               &made->weight_text, &made->kind_text, &made->channels};

    return number < (int)(sizeof buffers / sizeof *buffers) ? buffers[number] : NULL;
}

bool shw_shader_channels_make(const struct shw_channel_list *list, struct shw_shader_channels *channels, char why[512])
{
    struct making making = {.made = channels, .why = why};

    *channels = (struct shw_shader_channels){.list = list};
    memset(channels->weights, 0xff, sizeof channels->weights);
    if (setjmp(making.failed) != 0)
        return false;
    make(&making);
    snprintf(why, 512, "not enough memory");
    for (int i = 0; buffer_of(channels, i) != NULL; i++)
        if (buffer_of(channels, i)->failed)
            return false;
    for (uint32_t i = 0; i < channels->kind_count; i++)
        if (channels->kinds[i].name == NULL)
            return false;
    return true;
}

void shw_shader_channels_free(struct shw_shader_channels *channels)
{
    for (int i = 0; buffer_of(channels, i) != NULL; i++)
        free(buffer_of(channels, i)->text);
    for (uint32_t i = 0; i < channels->kind_count; i++) {
        free((void *)(uintptr_t)channels->kinds[i].name);
        free((void *)(uintptr_t)channels->kinds[i].text);
        free((void *)(uintptr_t)channels->kinds[i].word);
    }
    channels->kind_count = 0;
}
