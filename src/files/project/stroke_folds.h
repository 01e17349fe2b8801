/* The folds of a project's strokes: of its accuracy, and of what several levels are trained on.
 *
 * Strokes are held out whole, since neighbouring pixels are not independent; where a class is painted in several
 * pictures, pictures are held out whole, since strokes of one picture resemble each other. Picture number p of those
 * with labels, in the order of their names, is in fold p modulo SHW_FOLDS. The strokes of a class whose pictures are
 * all in one fold are distributed one by one instead, in the order of pictures and strokes. A class with one stroke is
 * trained on in every fold, and not measured. */
#ifndef SHW_FILES_PROJECT_STROKE_FOLDS_H
#define SHW_FILES_PROJECT_STROKE_FOLDS_H

#include "files/project/training_tiles.h"

#define SHW_FOLDS 5u

/* What of a class was held out. */
enum shw_held_out_by {
    SHW_HELD_OUT_NONE = 0, /* nothing: it has too few strokes, or none in the pictures that are kept for testing */
    SHW_HELD_OUT_STROKES,
    SHW_HELD_OUT_PICTURES,
    SHW_HELD_OUT_KEPT /* the pictures that are kept for testing */
};

/* The strokes of a set that are trained on come first. */
uint32_t shw_trained_strokes(const struct shw_training_set *set);

/* The folds of the strokes of a set, SHW_FOLDS for those always trained on, and what was held out of each class.
 * `strokes`: flags of those that there are, as if the project had no others; NULL: all. False: out of memory. */
bool shw_stroke_folds(const struct shw_training_set *set, const bool *strokes, uint8_t *folds,
                      enum shw_held_out_by *by);

#endif
