#include "files/output/detection_text.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

static void exact_text(double value, int digits, char text[SHW_SCORE_TEXT_SIZE])
{
    char *end;

    snprintf(text, SHW_SCORE_TEXT_SIZE, "%.*f", digits, value);
    if (strchr(text, '.') == NULL)
        return;
    end = text + strlen(text);
    while (end[-1] == '0')
        *--end = '\0';
    if (end[-1] == '.')
        end[-1] = '\0';
}

void shw_score_text(int32_t score, uint32_t fraction_bits, char text[SHW_SCORE_TEXT_SIZE])
{
    exact_text(ldexp(score, -(int)fraction_bits), (int)fraction_bits, text);
}

void shw_angle_text(uint32_t angle, char text[SHW_SCORE_TEXT_SIZE])
{
    exact_text(angle * (360.0 / 32), 2, text);
}

void shw_print_detection_header(FILE *stream, const struct shw_detection_columns *columns)
{
    fprintf(stream, "%s,x,y,width,height,score,angle,%s%s" SHW_CSV_END, columns->frames ? "frame,seconds" : "image",
            columns->windows ? "level" : "neighbours", columns->labels ? ",label" : "");
}

void shw_print_detection_row(FILE *stream, const struct shw_detection_columns *columns,
                             const struct shw_detection_place *place, const struct shw_detection *detection)
{
    char score[SHW_SCORE_TEXT_SIZE], angle[SHW_SCORE_TEXT_SIZE];

    shw_score_text(detection->score, columns->fraction_bits, score);
    shw_angle_text(detection->angle, angle);
    if (columns->frames)
        fprintf(stream, "%llu,%u.%03u", (unsigned long long)place->frame, place->milliseconds / 1000,
                place->milliseconds % 1000);
    else
        shw_print_csv_text(stream, place->name);
    fprintf(stream, ",%d,%d,%u,%u,%s,%s,%u", detection->x, detection->y, detection->width, detection->height, score,
            angle, columns->windows ? detection->level : detection->neighbours);
    if (columns->labels) {
        fputc(',', stream);
        shw_print_csv_text(stream, place->label);
    }
    fputs(SHW_CSV_END, stream);
}
