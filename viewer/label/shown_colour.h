/* The colours in which classes are shown. */
#ifndef VIEW_LABEL_SHOWN_COLOUR_H
#define VIEW_LABEL_SHOWN_COLOUR_H

#include <stdbool.h>
#include <stdint.h>

/* The colour in which a class is shown: its own one, `stored`, or with `colour_blind` another one in place of each of
 * the first 24 default colours (base/class.h). Under simulated protanopia, deuteranopia and tritanopia (Machado,
 * Oliveira and Fernandes 2009), as in normal vision, any two of the first 12 differ by at least 15.3 (CIEDE2000), any
 * two of the 24 by at least 8.4. Colours that people have chosen stay. */
void view_shown_colour(bool colour_blind, const uint8_t stored[3], uint8_t shown[3]);

#endif
