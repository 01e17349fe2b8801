#include <stdio.h>
#include <stdlib.h>

#include <math.h>

#include "base/log.h"
#include "files/formats/csv_cascade.h"
#include "shared/detect.h"

/* Digits enough that reading gives every 32-bit number and a half between two again. */
#define NUMBER "%.12g"

static void write_settings(FILE *stream, const struct shw_cascade_info *info)
{
    fprintf(stream,
            "name,%s\nwindow_width,%u\nwindow_height,%u\nshrink,%u\nlevels_per_octave,%u\nblur_before,%d\n"
            "blur_after,%d\noctaves,%d\nfraction_bits,%u\nscore_base," NUMBER "\n",
            info->name, info->window_width, info->window_height, info->planes.shrink, info->levels_per_octave,
            info->planes.blur_before, info->planes.blur_after, info->planes.octaves, info->fraction_bits,
            ldexp(info->score_base, -(int)info->fraction_bits));
    if (info->has_min_score)
        fprintf(stream, "min_score," NUMBER "\n", ldexp(info->min_score, -(int)info->fraction_bits));
}

/* A score passes if it is greater: thresholds lie between the greatest that is rejected and the least that passes. */
static void write_stages(FILE *stream, const struct shw_cascade_info *info)
{
    fprintf(stream, "# first tree, last tree, threshold\n");
    for (uint32_t s = 0; s < info->stage_count; s++) {
        const struct shw_cascade_stage *stage = &info->stages[s];
        fprintf(stream, "%u,%u," NUMBER "\n", stage->first_tree, stage->first_tree + stage->tree_count - 1,
                ldexp(stage->threshold - 0.5, -(int)info->fraction_bits));
    }
}

/* A field of a leaf's test or of a split's value is 0. */
static double field_of(const struct shw_cascade_info *info, const struct shw_cascade_node *node, uint32_t tree_count,
                       enum shw_csv_file file)
{
    double area = (double)info->planes.shrink * info->planes.shrink;

    switch (file) {
    case SHW_CSV_CHILDREN: return node->is_split ? node->left : -1.0;
    case SHW_CSV_PROB: return ldexp((double)node->value * tree_count, -(int)info->fraction_bits);
    case SHW_CSV_THR: return node->is_split ? (node->threshold + 0.5) * area / SHW_DETECT_ONE : 0;
    case SHW_CSV_Y1: return node->y1;
    case SHW_CSV_X1: return node->x1;
    case SHW_CSV_Y2: return node->y2;
    case SHW_CSV_X2: return node->x2;
    case SHW_CSV_CASCADE:
    case SHW_CSV_STAGES:
    case SHW_CSV_Z1:
    case SHW_CSV_Z2:
    case SHW_CSV_FILE_COUNT: break;
    }
    return 0;
}

static void write_field(FILE *stream, const struct shw_cascade_info *info, enum shw_csv_file file)
{
    for (uint32_t s = 0; s < info->stage_count; s++)
        for (uint32_t t = 0; t < info->stages[s].tree_count; t++) {
            const struct shw_cascade_tree *tree = &info->trees[info->stages[s].first_tree + t];
            for (uint32_t n = 0; n < tree->node_count; n++)
                fprintf(stream, "%s" NUMBER, n > 0 ? "," : "",
                        field_of(info, &info->nodes[tree->first_node + n], info->stages[s].tree_count, file));
            putc('\n', stream);
        }
}

static enum shw_result check(const struct shw_cascade_info *info, const char *name, const struct shw_log *log)
{
    if (info->kind != SHW_CASCADE_PIXELS)
        return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_CASCADE,
                        "%s: a cascade of the kind %s; CSV files hold those of the kind %s", name,
                        shw_cascade_kind_name(info->kind), shw_cascade_kind_name(SHW_CASCADE_PIXELS));
    if (info->restarts)
        return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_CASCADE,
                        "%s: its scores restart in each stage; those of CSV files run on", name);
    return SHW_OK;
}

enum shw_result shw_csv_cascade_format(const struct shw_cascade *cascade, enum shw_csv_file file, const char *name,
                                       const struct shw_log *log, char **text)
{
    const struct shw_cascade_info *info = shw_cascade_get_info(cascade);
    char *bytes = NULL;
    size_t size;
    FILE *stream;
    bool failed;

    SHW_PROPAGATE(check(info, name, log));
    stream = open_memstream(&bytes, &size);
    if (stream == NULL)
        return shw_fail_memory(log, name);
    if (file == SHW_CSV_CASCADE)
        write_settings(stream, info);
    else if (file == SHW_CSV_STAGES)
        write_stages(stream, info);
    else
        write_field(stream, info, file);
    failed = ferror(stream) != 0;
    if (fclose(stream) != 0 || failed) {
        free(bytes);
        return shw_fail_memory(log, name);
    }
    *text = bytes;
    return SHW_OK;
}
