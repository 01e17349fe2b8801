/* Detections as text: rows of CSV tables, and results as COCO's tools read them. */
#ifndef SHW_FILES_OUTPUT_DETECTION_TEXT_H
#define SHW_FILES_OUTPUT_DETECTION_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include <shadewood/detect.h>

/* Errors of writing are for the owner of the stream. Any thread. */

/* A score with `fraction_bits` in decimal notation, exactly, without superfluous zeros: "-3.5", "0". */
#define SHW_SCORE_TEXT_SIZE 64
void shw_score_text(int32_t score, uint32_t fraction_bits, char text[SHW_SCORE_TEXT_SIZE]);

/* An angle in degrees, from 0 to below 360; the same. */
void shw_angle_text(uint32_t angle, char text[SHW_SCORE_TEXT_SIZE]);

/* Where detections were found: an image, or a frame of a video. */
struct shw_detection_place {
    const char *name;
    uint64_t frame;        /* of a video, from 0; otherwise not used */
    uint32_t milliseconds; /* when it is shown; the same */
    const char *label;     /* what is found */
};

/* The columns of a table. */
struct shw_detection_columns {
    bool frames;  /* of a video: frame and seconds */
    bool windows; /* as found: the level in the place of neighbours */
    uint32_t fraction_bits;
    bool labels; /* of several cascades: what is found */
};

void shw_print_detection_header(FILE *stream, const struct shw_detection_columns *columns);
void shw_print_detection_row(FILE *stream, const struct shw_detection_columns *columns,
                             const struct shw_detection_place *place, const struct shw_detection *detection);

#endif
