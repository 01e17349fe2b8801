#define _GNU_SOURCE /* memmem() */
#include "files/shader/forest_shader.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file_bytes.h"
#include "base/json_text.h"
#include "base/log.h"
#include "base/text.h"
#include "dense/forest/forest.h"
#include "files/code/text.h"
#include "files/io/mark.h"
#include "files/shader/channels.h"

#define BEFORE_MARK "// Shadewood shader "
#define AFTER_MARK  ""
#define SOURCE      "shaders/dense/export/forest.glsl"

struct making {
    const struct shw_forest *forest;
    const struct shw_forest_info *info;
    const char *path;
    const struct shw_log *log;
    struct shw_forest_shader *shader;
    struct shw_shader_channels channels;
    struct shw_forest_texture table;
    bool has_integrals, is_direct;
    char capitals[64];
    char *feature; /* the text that is included as feature_type.h */
};

#define REFUSE(making, ...) shw_fail((making)->log, SHW_ERROR_UNSUPPORTED, SHW_LOG_FEATURE_TYPE, __VA_ARGS__)

/* --- The forest --- */

/* Letters and digits of the file's name; a name of the language has no two '_' in a row, and begins with a letter. */
static void set_name(const char *path, struct shw_forest_shader *shader, char capitals[64])
{
    const char *slash = strrchr(path, '/'), *begin = slash != NULL ? slash + 1 : path, *dot = strrchr(begin, '.');
    char *to = shader->name;

    for (const char *at = begin; *at != '\0' && (dot == NULL || dot == begin || at < dot) && to < shader->name + 40;
         at++) {
        const bool is_letter = isalnum((unsigned char)*at) && (unsigned char)*at < 128;
        if (to == shader->name && !(is_letter && isalpha((unsigned char)*at)))
            to += (size_t)sprintf(to, "forest_");
        if (is_letter)
            *to++ = (char)tolower((unsigned char)*at);
        else if (to[-1] != '_')
            *to++ = '_';
    }
    while (to > shader->name && to[-1] == '_')
        to--;
    *to = '\0';
    if (to == shader->name)
        strcpy(shader->name, "forest");
    if (strncmp(shader->name, "gl_", 3) == 0 || strncmp(shader->name, "shw", 3) == 0)
        shader->name[0] = 'x';
    for (size_t i = 0; i <= strlen(shader->name); i++)
        capitals[i] = (char)toupper((unsigned char)shader->name[i]);
}

static enum shw_result set_feature(struct making *making)
{
    const struct shw_feature_type *type = making->info->feature;
    struct shw_code_buffer out = {0};
    struct shw_code_text *text = NULL;

    if (type->text != NULL) {
        SHW_PROPAGATE(shw_code_text_read(type->name, type->text, strlen(type->text), making->log, &text));
        making->feature = shw_code_text_header(text);
        shw_code_text_free(&text);
    } else if (shw_feature_type_by_name(type->name) == type) {
        const struct shw_shader_name name = shw_shader_name(type->name);
        shw_code_put(&out, "#include \"dense/feature/%s.h\"\n", name.text);
        making->feature = out.text;
    } else {
        return REFUSE(making, "%s: the feature type %s is compiled, and there is no text of it for a shader",
                      making->path, type->name);
    }
    return making->feature != NULL ? SHW_OK : shw_fail_memory(making->log, making->path);
}

static enum shw_result check(const struct making *making)
{
    const struct shw_forest_info *info = making->info;

    if (info->below != NULL)
        return REFUSE(making, "%s has %u levels; a shader is of one, which reads no other", making->path, info->levels);
    if (info->smoothing.radius > 0)
        return REFUSE(making,
                      "%s smooths what it labels, which a shader does not: --smooth 0 leaves that out, as of label",
                      making->path);
    if (info->fill == SHW_FILL_SIMPLE)
        return REFUSE(making,
                      "%s fills missing depth, which a shader does not: --fill none leaves that out, as of label",
                      making->path);
    return SHW_OK;
}

/* --- The source --- */

static uint32_t layers_of(uint32_t planes)
{
    return (planes + 3) & ~3u;
}

static uint32_t base_groups(const struct shw_shader_channels *channels)
{
    return (channels->has_colour_base ? 1 : 0) + (channels->plane_base_count + 3) / 4;
}

static uint32_t shift_of(uint32_t width)
{
    return width > 1 ? 1 + shift_of(width / 2) : 0;
}

static void put_definitions(const struct making *making, struct shw_code_buffer *out)
{
    const struct shw_shader_channels *channels = &making->channels;

    shw_code_put(out, "#define SHW_LOOP\n#define SHW_TREES %uu\n#define SHW_CLASSES %uu\n#define SHW_TABLE_SHIFT %uu\n",
                 making->info->tree_count, making->info->class_count, shift_of(making->table.width));
    shw_code_put(out, "#define IS_ARRAY %d\n#define HAS_INTEGRALS %d\n#define HAS_BASE %d\n#define HAS_FILTERED %d\n",
                 making->table.layers > 1, making->has_integrals, channels->row_count > 0,
                 channels->derived.filters.channel_count > 0);
    shw_code_put(out, "#define HAS_KINDS %d\n#define HAS_TABLE %d\n#define IS_DIRECT %d\n", channels->has_kinds,
                 channels->table != NULL, making->is_direct);
}

static void put_classes(const struct making *making, struct shw_code_buffer *out)
{
    for (uint32_t c = 0; c < making->info->class_count && c < 100; c++) {
        struct shw_printable name = shw_printable(making->info->classes[c].name);

        for (char *at = strstr(name.text, "*/"); at != NULL; at = strstr(at, "*/"))
            at[1] = ' ';
        shw_code_put(out, "%s%u %.80s", c == 0 ? " * Classes: " : c % 6 == 0 ? ",\n *     " : ", ", c, name.text);
    }
    shw_code_put(out, making->info->class_count > 100 ? ", ...\n" : "\n");
}

static void put_head(const struct making *making, struct shw_code_buffer *out)
{
    const char *name = making->shader->name, *macro = making->capitals;
    const struct shw_shader_channels *channels = &making->channels;
    const struct shw_printable path = shw_printable(making->path);
    const char *slash = strrchr(path.text, '/');

    shw_code_put(out, "/* A forest of %s and %s,", shw_counted(making->info->tree_count, "tree", "trees").text,
                 shw_counted(making->info->class_count, "class", "classes").text);
    shw_code_put(out, " made from %.200s by shadewood export --to glsl.\n *\n", slash != NULL ? slash + 1 : path.text);
    shw_code_put(out,
                 " * Include it in a shader (GLSL 4.50) and call\n"
                 " *     int %s_label(ivec2 pixel)   the most probable class; -1: the pixel has no depth\n"
                 " * or, for probabilities,\n"
                 " *     uint leaves[%s_TREES];\n"
                 " *     %s_leaves(pixel, leaves);\n"
                 " *     %s_label_of(leaves), %s_probability(leaves, class)   0 to 65535\n"
                 " * Textures are found by %s_AT(binding), in set %s_SET; macros that exist before are kept.\n",
                 name, macro, name, name, name, macro, macro);
    shw_code_put(out,
                 " * The table %s.ktx2 (or %s.rgba32ui, the texels alone) is a texture of %u x %u%s texels of\n"
                 " * VK_FORMAT_R32G32B32A32_UINT.\n",
                 name, name, making->table.width, making->table.height,
                 making->table.layers > 1 ? " and several layers" : "");
    shw_code_put(out,
                 " * %s Each pass is this file with %s_PASS defined, 1 to 7, as %s.frag and\n"
                 " * %s.comp have it; %s.json lists what they read and write. Channels:\n *     %.3000s\n",
                 making->is_direct ? "It reads the inputs where tests ask for them; passes are not necessary."
                                   : "Passes make what it reads.",
                 macro, name, name, name, channels->list->name);
    put_classes(making, out);
    shw_code_put(out, " */\n");
}

static enum shw_result make_source(struct making *making)
{
    struct shw_shader_channels *channels = &making->channels;
    struct shw_code_buffer definitions = {0}, out = {0};
    struct shw_flat_file files[SHW_SHADER_KINDS_MAX + 16] = {
        {"export_bindings", channels->bindings.text, NULL}, {"export_inputs", channels->inputs.text, NULL},
        {"export_base", channels->base.text, NULL},         {"export_weights", channels->weight_text.text, NULL},
        {"export_kinds", channels->kind_text.text, NULL},   {"export_channels", channels->channels.text, NULL},
        {"feature_type.h", making->feature, "feature"},
    };
    struct shw_flat_input input = {.path = SOURCE, .files = files, .file_count = 7, .prefix = making->shader->name};
    enum shw_result result;
    char *text = NULL;

    for (uint32_t i = 0; i < 6; i++)
        files[i].text = files[i].text != NULL ? files[i].text : "";
    if (making->info->feature->text == NULL)
        files[6].word = NULL;
    for (uint32_t i = 0; i < channels->kind_count; i++)
        files[input.file_count++] = channels->kinds[i];
    put_definitions(making, &definitions);
    input.definitions = definitions.text;
    result = definitions.text != NULL ? shw_flatten(&input, making->log, &text) : SHW_ERROR_MEMORY;
    free(definitions.text);
    if (result != SHW_OK)
        return result;
    put_head(making, &out);
    shw_code_put(&out, "%s", text);
    free(text);
    if (out.failed)
        return shw_fail_memory(making->log, making->path);
    making->shader->files[SHW_SHADER_SOURCE].bytes = out.text;
    making->shader->files[SHW_SHADER_SOURCE].size = out.length;
    for (const char *at = out.text; (at = strchr(at, '\n')) != NULL; at++)
        making->shader->lines++;
    return SHW_OK;
}

static enum shw_result make_stage(struct making *making, enum shw_shader_file file)
{
    const char *name = making->shader->name, *macro = making->capitals;
    const bool is_compute = file == SHW_SHADER_COMPUTE;
    struct shw_code_buffer out = {0};

    shw_code_put(&out,
                 "#version 450\n"
                 "#extension GL_GOOGLE_include_directive : require\n"
                 "/* A pass: glslangValidator -V -D%s_PASS=1 %s.%s -o %s-1.%s.spv, and likewise the others. */\n",
                 macro, name, is_compute ? "comp" : "frag", name, is_compute ? "comp" : "frag");
    if (is_compute)
        shw_code_put(&out, "#define %s_COMPUTE\n", macro);
    shw_code_put(&out, "#include \"%s.glsl\"\n", name);
    if (out.failed)
        return shw_fail_memory(making->log, making->path);
    making->shader->files[file].bytes = out.text;
    making->shader->files[file].size = out.length;
    return SHW_OK;
}

/* --- The description --- */

static json_t *image(const char *name, const char *format, uint32_t layers, uint32_t larger)
{
    return json_pack("{s:s, s:s, s:i, s:i}", "name", name, "format", format, "layers", (int)layers, "larger",
                     (int)larger);
}

/* The bindings of shaders/dense/export/forest.glsl, by the middle words of their macros. */
enum binding { TABLE, PLANES, LAB, FILTER, FILTERED, OUT };
static const char *const bindings[] = {"TABLE", "PLANES", "LAB", "FILTER", "FILTERED", "OUT"};

static json_t *read_by(const struct making *making, const char *image, const char *word, uint32_t binding)
{
    char macro[128];

    snprintf(macro, sizeof macro, "%s_%s_BINDING", making->capitals, word);
    for (char *at = macro; *at != '\0'; at++)
        *at = (char)toupper((unsigned char)*at);
    return json_pack("{s:s, s:s, s:i}", "image", image, "macro", macro, "binding", (int)binding);
}

static json_t *read_of(const struct making *making, const char *image, enum binding binding)
{
    return read_by(making, image, bindings[binding], binding);
}

static void add_inputs(const struct making *making, json_t *reads)
{
    const struct shw_channel_list *list = making->channels.list;

    for (uint32_t i = 0; i < list->input_count; i++)
        if (shw_shader_reads(&making->channels, i)) {
            const struct shw_shader_name name = shw_shader_name(list->inputs[i]);

            json_array_append_new(reads, read_by(making, list->inputs[i], name.text, SHW_SHADER_FIRST_INPUT + i));
        }
    if (making->channels.table != NULL)
        json_array_append_new(reads, read_of(making, "lab", LAB));
}

static json_t *pass(int number, const char *name, json_t *reads, const char *writes, uint32_t groups)
{
    return json_pack("{s:i, s:s, s:o, s:s, s:i, s:i}", "pass", number, "name", name, "reads", reads, "writes", writes,
                     "binding", OUT, "groups", (int)groups);
}

static void put_passes(const struct making *making, json_t *passes, json_t *images)
{
    const struct shw_shader_channels *channels = &making->channels;
    const uint32_t count = channels->list->channel_count, filtered = channels->derived.filters.channel_count;
    json_t *reads = json_array();

    if (channels->row_count > 0) {
        add_inputs(making, reads);
        json_array_append_new(images, image("base", "VK_FORMAT_R16_SINT", 4 * base_groups(channels), 0));
        json_array_append_new(passes, pass(1, "base", reads, "base", base_groups(channels)));
        json_array_append_new(images, image("rows", "VK_FORMAT_R16_SINT", layers_of(channels->row_count), 0));
        json_array_append_new(passes, pass(2, "rows", json_pack("[o]", read_of(making, "base", FILTER)), "rows",
                                           layers_of(channels->row_count) / 4));
        reads = json_pack("[o]", read_of(making, "rows", FILTER));
    }
    if (filtered > 0) {
        json_array_append_new(images, image("filtered", "VK_FORMAT_R16_SINT", layers_of(filtered), 0));
        json_array_append_new(passes, pass(3, "filtered", json_deep_copy(reads), "filtered", layers_of(filtered) / 4));
        json_array_append_new(reads, read_of(making, "filtered", FILTERED));
    }
    if (channels->has_kinds || channels->row_count == 0)
        add_inputs(making, reads);
    json_array_append_new(images, image("channels", "VK_FORMAT_R16_SINT", layers_of(count), 0));
    json_array_append_new(passes, pass(4, "channels", reads, "channels", layers_of(count) / 4));
    if (making->has_integrals) {
        json_array_append_new(images, image("sums", "VK_FORMAT_R32_UINT", layers_of(count), 1));
        json_array_append_new(passes, pass(5, "sums", json_pack("[o]", read_of(making, "channels", PLANES)), "sums",
                                           layers_of(count) / 4));
        json_array_append_new(passes, pass(6, "more sums", json_pack("[o]", read_of(making, "sums", PLANES)), "sums",
                                           layers_of(count) / 4));
    }
    json_array_append_new(images, image("labels", "VK_FORMAT_R16_UINT", 1, 0));
    reads = json_pack("[o, o]", read_of(making, "table", TABLE),
                      read_of(making, making->has_integrals ? "sums" : "channels", PLANES));
    if (making->is_direct)
        add_inputs(making, reads);
    json_array_append_new(passes, pass(7, "labels", reads, "labels", 1));
}

static json_t *pack_inputs(const struct making *making)
{
    const struct shw_channel_list *list = making->channels.list;
    json_t *inputs = json_array();

    for (uint32_t i = 0; i < list->input_count; i++)
        if (shw_shader_reads(&making->channels, i))
            json_array_append_new(inputs, json_pack("{s:s, s:s, s:i}", "name", list->inputs[i], "format",
                                                    shw_shader_input_format(&making->channels, i), "binding",
                                                    (int)(SHW_SHADER_FIRST_INPUT + i)));
    return inputs;
}

static json_t *pack_table(const char *raw, const char *ktx2, uint32_t width, uint32_t height, uint32_t layers, int at)
{
    return json_pack("{s:s*, s:s, s:s, s:i, s:i, s:i, s:i}", "ktx2", ktx2, "raw", raw, "format",
                     "VK_FORMAT_R32G32B32A32_UINT", "width", (int)width, "height", (int)height, "layers", (int)layers,
                     "binding", at);
}

/* The table of a channel kind, four numbers in a texel, as shaders/dense/export/forest.glsl reads it. */
#define LAB_WIDTH 64u

static uint32_t lab_height(const struct shw_shader_channels *channels)
{
    return (channels->table_count + 4 * LAB_WIDTH - 1) / (4 * LAB_WIDTH);
}

static json_t *pack_description(const struct making *making)
{
    const struct shw_forest_texture *table = &making->table;
    json_t *passes = json_array(), *images = json_array(), *classes = json_array(), *document;
    char raw[96], ktx2[96];

    snprintf(raw, sizeof raw, "%s.rgba32ui", making->shader->name);
    snprintf(ktx2, sizeof ktx2, "%s.ktx2", making->shader->name);
    put_passes(making, passes, images);
    for (uint32_t c = 0; c < making->info->class_count; c++)
        json_array_append_new(classes, shw_json_text(making->info->classes[c].name));
    document = json_pack("{s:s, s:s, s:i, s:b, s:o, s:o, s:o, s:o, s:o}", "format", "Shadewood shader", "name",
                         making->shader->name, "trees", (int)making->info->tree_count, "direct", making->is_direct,
                         "classes", classes, "inputs", pack_inputs(making), "images", images, "passes", passes, "table",
                         pack_table(raw, ktx2, table->width, table->height, table->layers, TABLE));
    if (document != NULL && making->channels.table != NULL) {
        snprintf(raw, sizeof raw, "%s-lab.rgba32ui", making->shader->name);
        json_object_set_new(document, "lab", pack_table(raw, NULL, LAB_WIDTH, lab_height(&making->channels), 1, LAB));
    }
    return document;
}

static enum shw_result make_description(struct making *making)
{
    json_t *document = pack_description(making);
    char *text = NULL;

    if (document != NULL && shw_mark_json(document, shw_file_shader_passes.name))
        text = json_dumps(document, JSON_INDENT(2));
    json_decref(document);
    making->shader->files[SHW_SHADER_DESCRIPTION].bytes = text;
    making->shader->files[SHW_SHADER_DESCRIPTION].size = text != NULL ? strlen(text) : 0;
    return text != NULL ? SHW_OK : shw_fail_memory(making->log, making->path);
}

/* --- Tables --- */

static enum shw_result make_tables(struct making *making)
{
    const struct shw_forest_texture *table = &making->table;
    struct shw_forest_shader *shader = making->shader;
    const size_t size = (size_t)16 * table->width * table->height * table->layers,
                 lab_size = (size_t)16 * LAB_WIDTH * lab_height(&making->channels);
    void *bytes = NULL, *raw = malloc(size), *lab = making->channels.table != NULL ? calloc(1, lab_size) : NULL;

    shader->files[SHW_SHADER_RAW_TABLE].bytes = raw;
    shader->files[SHW_SHADER_RAW_TABLE].size = size;
    shader->files[SHW_SHADER_LAB_TABLE].bytes = lab;
    shader->files[SHW_SHADER_LAB_TABLE].size = lab_size;
    if (raw == NULL || (making->channels.table != NULL && lab == NULL))
        return shw_fail_memory(making->log, making->path);
    memcpy(raw, table->texels, size);
    if (lab != NULL)
        memcpy(lab, making->channels.table, (size_t)4 * making->channels.table_count);
    SHW_PROPAGATE(shw_forest_save_memory(making->forest, &bytes, &shader->files[SHW_SHADER_TABLE].size));
    shader->files[SHW_SHADER_TABLE].bytes = bytes;
    return SHW_OK;
}

/* A forest whose leaves have votes in place of distributions, so that the mean of them is what a vote gives. */
static enum shw_result copy_with_votes(const struct shw_forest *forest, const struct shw_log *log,
                                       struct shw_forest **copy)
{
    struct shw_forest_params params = {.info = *shw_forest_get_info(forest), .log = *log};
    const uint32_t count = params.info.tree_count, classes = params.info.class_count;
    struct shw_tree *trees = calloc(count, sizeof *trees);
    enum shw_result result = SHW_ERROR_MEMORY;
    uint32_t made = 0;

    while (trees != NULL && made < count && shw_forest_copy_tree(forest, made, &trees[made])) {
        uint16_t *values = (uint16_t *)(uintptr_t)trees[made].distributions;
        for (uint32_t leaf = 0; leaf < trees[made].leaf_count; leaf++)
            memcpy(values + (size_t)leaf * classes, shw_forest_get_values(forest, made, leaf), 2 * (size_t)classes);
        made++;
    }
    params.info.combine = SHW_COMBINE_MEAN;
    params.trees = trees;
    if (made == count)
        result = shw_forest_create(&params, copy);
    else
        shw_fail_memory(log, "a forest");
    shw_forest_free_trees(trees, made);
    return result;
}

/* --- Everything --- */

static enum shw_result make(struct making *making)
{
    char why[512];

    making->info = shw_forest_get_info(making->forest);
    making->table = shw_forest_get_texture(making->forest);
    making->has_integrals = making->info->feature->reads == SHW_FEATURE_READS_INTEGRALS;
    SHW_PROPAGATE(check(making));
    SHW_PROPAGATE(set_feature(making));
    if (!shw_shader_channels_make(making->info->channel_list, &making->channels, why))
        return REFUSE(making, "%s: %s", making->path, why);
    making->is_direct = making->channels.is_direct && !making->has_integrals;
    SHW_PROPAGATE(make_source(making));
    SHW_PROPAGATE(make_stage(making, SHW_SHADER_COMPUTE));
    SHW_PROPAGATE(make_stage(making, SHW_SHADER_FRAGMENT));
    SHW_PROPAGATE(make_description(making));
    return make_tables(making);
}

enum shw_result shw_forest_shader_make(const struct shw_forest *forest, const char *path, const struct shw_log *log,
                                       struct shw_forest_shader *shader)
{
    struct making *making = calloc(1, sizeof *making);
    struct shw_forest *votes = NULL;
    enum shw_result result = SHW_OK;

    *shader = (struct shw_forest_shader){.lines = 0};
    if (making == NULL)
        return shw_fail_memory(log, path);
    *making = (struct making){.forest = forest, .path = path, .log = log, .shader = shader};
    set_name(path, shader, making->capitals);
    if (shw_forest_get_info(forest)->combine == SHW_COMBINE_VOTE)
        result = copy_with_votes(forest, log, &votes);
    if (votes != NULL)
        making->forest = votes;
    if (result == SHW_OK)
        result = make(making);
    shw_shader_channels_free(&making->channels);
    free(making->feature);
    free(making);
    shw_forest_destroy(&votes);
    return result;
}

void shw_forest_shader_free(struct shw_forest_shader *shader)
{
    for (int f = 0; f < SHW_SHADER_FILES; f++)
        free(shader->files[f].bytes);
    *shader = (struct shw_forest_shader){.lines = 0};
}

/* --- Files --- */

#define TABLE_FILE_MAX (UINT64_C(4) << 30)

static bool is_marked(const char *path, const char *name)
{
    (void)name;
    return shw_first_line_is_marked(path, BEFORE_MARK, AFTER_MARK);
}

static const struct shw_file_kind shader_file = {"shader", "an exported shader", is_marked, false};

const struct shw_file_kind *shw_forest_shader_kind(enum shw_shader_file file)
{
    if (file <= SHW_SHADER_FRAGMENT)
        return &shader_file;
    return file == SHW_SHADER_DESCRIPTION ? &shw_file_shader_passes
           : file == SHW_SHADER_TABLE     ? &shw_file_forest
                                          : &shw_file_table;
}

char *shw_forest_shader_path(const struct shw_forest_shader *shader, enum shw_shader_file file, const char *folder)
{
    static const char *const endings[SHW_SHADER_FILES] = {".glsl", ".comp",     ".frag",        ".json",
                                                          ".ktx2", ".rgba32ui", "-lab.rgba32ui"};
    const size_t size = strlen(folder) + sizeof shader->name + 32;
    char *path = malloc(size);

    if (path != NULL)
        snprintf(path, size, "%s/%s%s", folder, shader->name, endings[file]);
    return path;
}

static bool has_bytes(const struct shw_file_bytes *file, const void *bytes, size_t size)
{
    return file->size == size && memcmp(file->bytes, bytes, size) == 0;
}

/* Whether the table beside it, which is ours, has the bytes. */
static bool is_in_table(const struct shw_forest_shader *shader, const char *folder, const struct shw_file_bytes *raw)
{
    char *path = shw_forest_shader_path(shader, SHW_SHADER_TABLE, folder);
    struct shw_file_bytes table;
    bool is_in = false;

    if (path != NULL && shw_file_forest.is_ours(path, shw_file_forest.name) &&
        shw_file_bytes_read(path, TABLE_FILE_MAX, NULL, &table) == SHW_OK) {
        is_in = raw->size > 0 && memmem(table.bytes, table.size, raw->bytes, raw->size) != NULL;
        shw_file_bytes_free(&table);
    }
    free(path);
    return is_in;
}

bool shw_forest_shader_is_known(const struct shw_forest_shader *shader, enum shw_shader_file file, const char *folder)
{
    const bool is_raw = file == SHW_SHADER_RAW_TABLE;
    char *path = is_raw || file == SHW_SHADER_LAB_TABLE ? shw_forest_shader_path(shader, file, folder) : NULL;
    struct shw_file_bytes there;
    bool is_known = false;

    if (path != NULL && shw_file_bytes_read(path, TABLE_FILE_MAX, NULL, &there) == SHW_OK) {
        is_known = has_bytes(&there, shader->files[file].bytes, shader->files[file].size) ||
                   (is_raw && is_in_table(shader, folder, &there));
        shw_file_bytes_free(&there);
    }
    free(path);
    return is_known;
}

/* Everything but the name. On failure there is nothing to close. */
static enum shw_result write_unnamed(const struct shw_forest_shader *shader, enum shw_shader_file file,
                                     const char *path, const struct shw_log *log, struct shw_atomic_file *atomic)
{
    const bool has_mark = file <= SHW_SHADER_FRAGMENT;

    SHW_PROPAGATE(shw_atomic_file_open(atomic, path, log));
    if (has_mark)
        fprintf(atomic->stream, "%s%016d%s\n", BEFORE_MARK, 0, AFTER_MARK);
    fwrite(shader->files[file].bytes, 1, shader->files[file].size, atomic->stream);
    if (has_mark)
        SHW_PROPAGATE(shw_mark_set_digits(atomic, path, sizeof BEFORE_MARK - 1, SHW_OK, log));
    return shw_atomic_file_complete(atomic, log);
}

enum shw_result shw_forest_shader_write(const struct shw_forest_shader *shader, char *const paths[SHW_SHADER_FILES],
                                        enum shw_result (*may_write)(void *user, const char *path), void *user,
                                        const struct shw_log *log)
{
    struct shw_atomic_file files[SHW_SHADER_FILES] = {{NULL, NULL, NULL}};
    enum shw_result result = SHW_OK;

    for (int f = 0; f < SHW_SHADER_FILES && result == SHW_OK; f++)
        if (paths[f] != NULL)
            result = write_unnamed(shader, (enum shw_shader_file)f, paths[f], log, &files[f]);
    for (int f = 0; f < SHW_SHADER_FILES && result == SHW_OK; f++)
        if (paths[f] != NULL)
            result = may_write(user, paths[f]);
    for (int f = 0; f < SHW_SHADER_FILES && result == SHW_OK; f++)
        if (paths[f] != NULL)
            result = shw_atomic_file_commit(&files[f], log);
    for (int f = 0; f < SHW_SHADER_FILES; f++)
        shw_atomic_file_abandon(&files[f]);
    return result;
}
