/* CURFIL's trees as a forest of feature type curfil-difference, and back. */
#ifndef SHW_FILES_FORMATS_CURFIL_FOREST_H
#define SHW_FILES_FORMATS_CURFIL_FOREST_H

#include <shadewood/forest.h>

#include "files/formats/curfil_tree.h"

/* Which of CURFIL's two predictions the forest equals: they differ in the depth at the pixel. */
enum shw_curfil_prediction { SHW_CURFIL_AS_TRAINED, SHW_CURFIL_CPU, SHW_CURFIL_GPU };

/* What CURFIL's prediction is told. Zero: what the trees say. */
struct shw_curfil_settings {
    enum shw_curfil_prediction prediction;
    bool has_bias;
    double bias; /* 0 up to but not including 1: this part of a leaf's samples is subtracted from those of each class
                    before they vote, unless nothing would remain (Waldvogel 2013, Eq. 4.10) */
};

/* Makes a forest of `count` trees, which must agree in classes, channels, filling and bias. If they were trained on
 * filled depth, the forest fills it. `training`: its record, a JSON object. `names` are those of the files, for
 * messages. Errors: FORMAT, and those of shw_forest_create(). */
enum shw_result shw_curfil_forest_make(const struct shw_curfil_tree *trees, const char *const *names, uint32_t count,
                                       const struct shw_curfil_settings *settings, const char *training,
                                       const struct shw_log *log, struct shw_forest **forest);

/* The text of tree `tree` of a forest, called `name` in messages, as CURFIL reads it, to be freed with free():
 * shw_curfil_forest_make() makes the same tree of it. Members that CURFIL needs, and the forest does not know, are
 * those of the file that the forest was imported from, or zero. Errors: FORMAT for a forest of another feature type, or
 * of tests that CURFIL does not have; MEMORY. */
enum shw_result shw_curfil_tree_format(const struct shw_forest *forest, const char *name, uint32_t tree,
                                       const struct shw_log *log, char **text);

/* The member of a training record that holds struct shw_curfil_tree.configuration. */
#define SHW_CURFIL_MEMBER "curfil"

/* The scale between CURFIL's responses and those of tests: units of depth in a metre. */
#define SHW_CURFIL_DEPTH_SCALE 16000.0

#endif
