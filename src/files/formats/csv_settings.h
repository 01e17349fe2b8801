/* cascade.csv: what a cascade in CSV files is beside its stages and nodes. */
#ifndef SHW_FILES_FORMATS_CSV_SETTINGS_H
#define SHW_FILES_FORMATS_CSV_SETTINGS_H

#include <stdbool.h>

#include <shadewood/cascade.h>

#include "base/class.h"
#include "files/formats/csv_cascade.h"

struct shw_csv_settings {
    char name[SHW_CLASS_NAME_MAX + 1]; /* "" if the file has none */
    uint32_t window_width, window_height, levels_per_octave;
    struct shw_cascade_planes planes;
    bool has_fraction_bits;
    uint32_t fraction_bits;
    double score_base;
    bool has_min_score;
    double min_score;
};

/* Errors: FORMAT. */
enum shw_result shw_csv_settings_parse(const struct shw_csv_text *file, const struct shw_log *log,
                                       struct shw_csv_settings *settings);

#endif
