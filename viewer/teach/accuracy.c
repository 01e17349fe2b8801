#include "teach/accuracy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/atomic_file.h"
#include "base/log.h"
#include "base/text.h"

static void tell_why_not(const struct shw_held_out *accuracy, uint32_t number, char text[VIEW_ACCURACY_TEXT])
{
    uint32_t strokes = accuracy->classes[number].painted_strokes;

    if (accuracy->kept_pictures > 0)
        snprintf(text, VIEW_ACCURACY_TEXT, "none in the pictures kept for testing: paint it there to measure it");
    else if (strokes == 0)
        snprintf(text, VIEW_ACCURACY_TEXT, "not painted");
    else
        snprintf(text, VIEW_ACCURACY_TEXT, "1 stroke: paint another to measure it");
}

void view_accuracy_of_class(const struct shw_held_out *accuracy, uint32_t number, char text[VIEW_ACCURACY_TEXT])
{
    static const char *const kinds[] = {[SHW_HELD_OUT_NONE] = "",
                                        [SHW_HELD_OUT_STROKES] = "strokes held out",
                                        [SHW_HELD_OUT_PICTURES] = "pictures held out",
                                        [SHW_HELD_OUT_KEPT] = "pictures kept for testing"};
    const struct shw_held_out_class *class = &accuracy->classes[number];

    if (class->pixels == 0) {
        tell_why_not(accuracy, number, text);
        return;
    }
    snprintf(text, VIEW_ACCURACY_TEXT, "%.1f %% of %llu pixels, %u of %u strokes; %s",
             100.0 * (double)class->right / (double)class->pixels, (unsigned long long)class->pixels,
             class->strokes_right, class->strokes, kinds[class->by]);
}

void view_accuracy_of_all(const struct shw_held_out *accuracy, char text[VIEW_ACCURACY_TEXT])
{
    double mean = shw_held_out_mean(accuracy);
    uint32_t measured = 0;

    for (uint32_t c = 0; c < accuracy->class_count; c++)
        measured += accuracy->classes[c].pixels > 0;
    if (isnan(mean))
        snprintf(text, VIEW_ACCURACY_TEXT, "nothing could be held out: paint a second stroke of each class");
    else if (accuracy->kept_pictures > 0)
        snprintf(text, VIEW_ACCURACY_TEXT, "mean of %u classes %.1f %%, on %u picture%s kept for testing", measured,
                 100.0 * mean, accuracy->kept_pictures, accuracy->kept_pictures > 1 ? "s" : "");
    else
        snprintf(text, VIEW_ACCURACY_TEXT,
                 "mean of %u classes %.1f %%, by %u forests, each measured on what it was not trained on", measured,
                 100.0 * mean, accuracy->folds);
}

static void print_head(FILE *stream, const struct shw_held_out *accuracy, const struct shw_class *classes)
{
    fputs("class,held out,strokes,strokes right,pixels,pixels right,accuracy", stream);
    for (uint32_t c = 0; c < accuracy->class_count; c++) {
        fputs(",", stream);
        shw_print_csv_text(stream, classes[c].name);
    }
    fputs(SHW_CSV_END, stream);
}

static void print_row(FILE *stream, const struct shw_held_out *accuracy, const struct shw_class *classes,
                      uint32_t number)
{
    static const char *const kinds[] = {[SHW_HELD_OUT_NONE] = "nothing",
                                        [SHW_HELD_OUT_STROKES] = "strokes",
                                        [SHW_HELD_OUT_PICTURES] = "pictures",
                                        [SHW_HELD_OUT_KEPT] = "pictures kept for testing"};
    const struct shw_held_out_class *class = &accuracy->classes[number];

    shw_print_csv_text(stream, classes[number].name);
    fprintf(stream, ",%s,%u,%u,%llu,%llu,", kinds[class->by], class->strokes, class->strokes_right,
            (unsigned long long)class->pixels, (unsigned long long)class->right);
    if (class->pixels > 0)
        fprintf(stream, "%.9g", (double)class->right / (double)class->pixels);
    for (uint32_t c = 0; c < accuracy->class_count; c++)
        fprintf(stream, ",%llu",
                (unsigned long long)accuracy->matrix.confusion[(size_t)number * accuracy->class_count + c]);
    fputs(SHW_CSV_END, stream);
}

enum shw_result view_accuracy_write(const struct shw_held_out *accuracy, const struct shw_class *classes,
                                    const char *path, const struct shw_log *log)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    bool complete;
    enum shw_result result;

    if (stream == NULL)
        return shw_fail_memory(log, path);
    print_head(stream, accuracy, classes);
    for (uint32_t c = 0; c < accuracy->class_count; c++)
        print_row(stream, accuracy, classes, c);
    complete = ferror(stream) == 0;
    complete = fclose(stream) == 0 && complete;
    result = complete ? shw_atomic_file_write(path, text, size, log) : shw_fail_memory(log, path);
    free(text);
    return result;
}
