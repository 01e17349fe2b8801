/* Colours that names of classes suggest: grass is green, and the sky is blue. */
#ifndef VIEW_TEACH_CLASS_COLOURS_H
#define VIEW_TEACH_CLASS_COLOURS_H

#include <stdbool.h>
#include <stdint.h>

/* The words of one meaning, and the default colour (files/dataset/palette.h) that fits them: by its number, because
 * default colours are told from each other, also by colour-blind people if they are shown so. */
struct view_class_meaning {
    const char *words; /* in lower case, between blanks */
    uint32_t number;
};
extern const struct view_class_meaning view_class_meanings[]; /* ends with one without words */

/* The number of the default colour that fits a name, of which each word is looked up, the last one first; false: none
 * is known. */
bool view_class_colour_of(const char *name, uint32_t *number);

#endif
