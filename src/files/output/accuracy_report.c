#include "files/output/accuracy_report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_text.h"
#include "base/text.h"
#include "dense/metrics/accuracy.h"

/* The variants of accuracy, if there is a background. */
static const struct {
    const char *name, *key;
    bool with_void, without_background;
} variants[] = {{"all pixels", "all", true, false},
                {"without background", "without_background", true, true},
                {"without void", "without_void", false, false},
                {"without background and void", "without_background_and_void", false, true}};
#define VARIANT_COUNT (sizeof variants / sizeof *variants)

/* What is measured of a forest: a list of fractions. */
enum measure {
    PIXEL,
    MEAN_CLASS,
    MEAN_IOU,
    VOID_SHARE,
    CALIBRATION_ERROR,
    CONFIDENCE,
    BRIER,
    VARIANTS,                               /* pixel and mean class accuracy of each */
    CLASSES = VARIANTS + 2 * VARIANT_COUNT, /* recall, precision and IoU of each */
};

static uint32_t measure_count(const struct shw_accuracy_report *report)
{
    return CLASSES + 3 * report->class_count;
}

static void measure(const struct shw_accuracy_report *report, const struct shw_measured *measured, double *values)
{
    const struct shw_accuracy *accuracy = &measured->accuracy;
    const struct shw_reliability_summary reliability = shw_reliability_summarise(&measured->reliability);
    const struct shw_accuracy_summary summary = shw_accuracy_summarise(accuracy);

    values[PIXEL] = summary.pixel;
    values[MEAN_CLASS] = summary.mean_class;
    values[MEAN_IOU] = summary.mean_iou;
    values[VOID_SHARE] = summary.void_share;
    values[CALIBRATION_ERROR] = reliability.calibration_error;
    values[CONFIDENCE] = reliability.confidence;
    values[BRIER] = reliability.brier;
    for (size_t v = 0; v < VARIANT_COUNT; v++) {
        struct shw_accuracy_values of_variant = shw_accuracy_of_variant(
            accuracy,
            (struct shw_accuracy_variant){variants[v].with_void, variants[v].without_background, report->background});

        values[VARIANTS + 2 * v] = of_variant.pixel;
        values[VARIANTS + 2 * v + 1] = of_variant.mean_class;
    }
    for (uint32_t c = 0; c < report->class_count; c++) {
        struct shw_class_accuracy of_class = shw_accuracy_of_class(accuracy, c);

        values[CLASSES + 3 * c] = of_class.recall;
        values[CLASSES + 3 * c + 1] = of_class.precision;
        values[CLASSES + 3 * c + 2] = of_class.iou;
    }
}

/* The measures of all forests, one list after the other, then their means and deviations; NULL if memory is exhausted.
 */
static double *measure_all(const struct shw_accuracy_report *report)
{
    uint32_t length = measure_count(report);
    double *values = calloc((report->count + (size_t)2) * length, sizeof *values);

    for (uint32_t f = 0; values != NULL && f < report->count; f++)
        measure(report, &report->measured[f], values + (size_t)f * length);
    for (uint32_t i = 0; values != NULL && i < length; i++) {
        struct shw_spread spread = shw_spread_of(values + i, report->count, length);

        values[(size_t)report->count * length + i] = spread.mean;
        values[((size_t)report->count + 1) * length + i] = spread.deviation;
    }
    return values;
}

static void print_percent(double fraction, int width)
{
    if (isnan(fraction))
        printf("%*s", width, "-");
    else
        printf("%*.1f", width, 100 * fraction);
}

static const char *percent(double fraction, char text[16])
{
    snprintf(text, 16, isnan(fraction) ? "-" : "%.2f", 100 * fraction);
    return text;
}

/* Prints the measure of one forest, or the mean and deviation of several. `width`: of the former; 0: no more than it
 * takes. */
static void print_measure(const struct shw_accuracy_report *report, const double *means, size_t index, int width)
{
    char mean[16], deviation[16];

    if (report->count == 1)
        print_percent(means[index], width);
    else
        printf("%*s ± %*s", width > 0 ? width : 0, percent(means[index], mean), width > 0 ? 5 : 0,
               percent(means[measure_count(report) + index], deviation));
}

/* The width of a column of measures under its heading. */
static int column_width(const struct shw_accuracy_report *report, int width)
{
    return report->count == 1 ? width : width + 8;
}

static void print_matrix(const struct shw_accuracy_report *report, const struct shw_accuracy *sum)
{
    uint32_t classes = report->class_count;
    bool has_void = shw_accuracy_summarise(sum).void_predictions > 0;
    int width = report->counts ? 10 : 6;

    printf("confusion matrix, %s%s; rows are labelled classes, columns predicted classes\n\n%20s",
           report->counts ? "pixels" : "percent of the row", report->count > 1 ? " of all forests" : "", "");
    for (uint32_t c = 0; c < classes; c++)
        printf(" %*.*s", width - 1, width - 1, report->classes[c].name);
    printf(has_void ? " %*s\n" : "\n", width - 1, "void");
    for (uint32_t r = 0; r < classes; r++) {
        uint64_t row = shw_accuracy_of_class(sum, r).labelled;
        printf("%-20.20s", report->classes[r].name);
        for (uint32_t c = 0; c < classes + has_void; c++) {
            uint64_t count = c < classes ? sum->confusion[(size_t)r * classes + c] : sum->void_predictions[r];
            if (report->counts)
                printf("%*llu", width, (unsigned long long)count);
            else
                print_percent(row > 0 ? (double)count / (double)row : NAN, width);
        }
        printf("\n");
    }
}

static void print_forests(const struct shw_accuracy_report *report, const double *values)
{
    int longest = 20;

    for (uint32_t f = 0; f < report->count; f++) {
        int length = (int)strlen(shw_printable(report->measured[f].path).text);
        longest = length > longest ? length : longest;
    }
    printf("\n%-*s%10s%16s%10s\n", longest, "forest", "pixels", "mean of classes", "mean IoU");
    for (uint32_t f = 0; f < report->count; f++) {
        const double *of_forest = values + (size_t)f * measure_count(report);

        printf("%-*s", longest, shw_printable(report->measured[f].path).text);
        print_percent(of_forest[PIXEL], 10);
        print_percent(of_forest[MEAN_CLASS], 16);
        print_percent(of_forest[MEAN_IOU], 10);
        printf("\n");
    }
}

static void print_classes(const struct shw_accuracy_report *report, const double *means)
{
    int width = column_width(report, 10);

    printf("\n%-20s%12s%*s%*s%*s\n", "class", "pixels", width, "accuracy", width, "precision", width, "IoU");
    for (uint32_t c = 0; c < report->class_count; c++) {
        uint64_t pixels = shw_accuracy_of_class(&report->measured[0].accuracy, c).labelled;

        printf("%-20.20s%12llu", report->classes[c].name, (unsigned long long)pixels);
        for (size_t m = 0; m < 3; m++)
            print_measure(report, means, CLASSES + 3 * c + m, 10);
        printf("\n");
    }
}

static void print_variants(const struct shw_accuracy_report *report, const double *means)
{
    int width = column_width(report, 12);

    printf("\nbackground: %s\n%-28s%*s%*s\n", report->classes[report->background].name, "accuracy of", width, "pixels",
           width + 6, "mean of classes");
    for (size_t v = 0; v < VARIANT_COUNT; v++) {
        printf("%-28s", variants[v].name);
        print_measure(report, means, VARIANTS + 2 * v, 12);
        print_measure(report, means, VARIANTS + 2 * v + 1, 18);
        printf("\n");
    }
}

/* Of all forests together. */
static void print_reliability(const struct shw_accuracy_report *report)
{
    printf("\n%-20s%12s%20s%11s\n", "probability", "pixels", "mean probability", "accuracy");
    for (uint32_t b = 0; b < SHW_RELIABILITY_BINS; b++) {
        struct shw_reliability_bin sum = {0};
        double pixels;

        for (uint32_t f = 0; f < report->count; f++) {
            const struct shw_reliability_bin *bin = &report->measured[f].reliability.bins[b];

            sum.pixels += bin->pixels;
            sum.correct += bin->correct;
            sum.confidence += bin->confidence;
        }
        pixels = sum.pixels > 0 ? (double)sum.pixels : (double)NAN;
        printf("%3u to %3u %%        %12llu", 100 * b / SHW_RELIABILITY_BINS, 100 * (b + 1) / SHW_RELIABILITY_BINS,
               (unsigned long long)sum.pixels);
        print_percent((double)sum.confidence / 65535 / pixels, 20);
        print_percent((double)sum.correct / pixels, 11);
        printf("\n");
    }
}

static void print_line(const struct shw_accuracy_report *report, const double *means, const char *name, size_t index,
                       const char *unit)
{
    printf("%-20s ", name);
    print_measure(report, means, index, 0);
    printf(" %s\n", unit);
}

static void print_summary(const struct shw_accuracy_report *report, const struct shw_accuracy *sum, const double *means)
{
    const struct shw_accuracy *one = &report->measured[0].accuracy;
    double seconds = 0;

    for (uint32_t f = 0; f < report->count; f++)
        seconds += report->measured[f].seconds;
    if (report->count > 1)
        printf("\nmeans ± sample standard deviations over %u forests\n", report->count);
    printf("\nimages               %u, %.1f/s\npixels               %llu, and %llu void\n", report->images,
           report->images * (double)report->count / seconds, (unsigned long long)shw_accuracy_summarise(one).pixels,
           (unsigned long long)one->void_pixels);
    if (shw_accuracy_summarise(sum).void_predictions > 0)
        print_line(report, means, "predicted void", VOID_SHARE, "% of the pixels");
    print_line(report, means, "pixel accuracy", PIXEL, "%");
    print_line(report, means, "mean class accuracy", MEAN_CLASS, "%");
    print_line(report, means, "mean IoU", MEAN_IOU, "%");
    if (!report->reliability)
        return;
    print_line(report, means, "mean probability", CONFIDENCE, "%");
    print_line(report, means, "calibration error", CALIBRATION_ERROR, "%");
    print_line(report, means, "Brier score * 100", BRIER, "");
}

bool shw_print_accuracy(const struct shw_accuracy_report *report)
{
    double *values = measure_all(report);
    const double *means = values != NULL ? values + (size_t)report->count * measure_count(report) : NULL;
    struct shw_accuracy sum = {0};
    bool fine = values != NULL && shw_accuracy_copy(&report->measured[0].accuracy, &sum);

    if (fine) {
        for (uint32_t f = 1; f < report->count; f++)
            shw_accuracy_merge(&sum, &report->measured[f].accuracy);
        print_matrix(report, &sum);
        print_classes(report, means);
        if (report->background != SHW_NO_BACKGROUND)
            print_variants(report, means);
        if (report->count > 1)
            print_forests(report, values);
        if (report->reliability)
            print_reliability(report);
        print_summary(report, &sum, means);
    }
    shw_accuracy_destroy(&sum);
    free(values);
    return fine;
}

static json_t *number(double value)
{
    return isnan(value) ? json_null() : json_real(value);
}

static json_t *pack_variants(const struct shw_accuracy_report *report, const double *values)
{
    json_t *list = json_object();

    for (size_t v = 0; v < VARIANT_COUNT; v++)
        json_object_set_new(list, variants[v].key,
                            json_pack("{s:o, s:o}", "pixel_accuracy", number(values[VARIANTS + 2 * v]),
                                      "mean_class_accuracy", number(values[VARIANTS + 2 * v + 1])));
    json_object_set_new(list, "background", json_string(report->classes[report->background].name));
    return list;
}

/* The members that a forest, the means and the deviations have. */
static json_t *pack_measures(const struct shw_accuracy_report *report, const double *values)
{
    json_t *classes = json_array(), *object;

    for (uint32_t c = 0; c < report->class_count; c++)
        json_array_append_new(classes, json_pack("{s:s, s:o, s:o, s:o}", "name", report->classes[c].name, "accuracy",
                                                 number(values[CLASSES + 3 * c]), "precision",
                                                 number(values[CLASSES + 3 * c + 1]), "iou",
                                                 number(values[CLASSES + 3 * c + 2])));
    object = json_pack("{s:o, s:o, s:o, s:o, s:o}", "classes", classes, "pixel_accuracy", number(values[PIXEL]),
                       "mean_class_accuracy", number(values[MEAN_CLASS]), "mean_iou", number(values[MEAN_IOU]),
                       "void_prediction_share", number(values[VOID_SHARE]));
    if (report->background != SHW_NO_BACKGROUND)
        json_object_set_new(object, "variants", pack_variants(report, values));
    if (report->reliability)
        json_object_update_new(object, json_pack("{s:o, s:o, s:o}", "calibration_error",
                                                 number(values[CALIBRATION_ERROR]), "mean_probability",
                                                 number(values[CONFIDENCE]), "brier_score", number(values[BRIER])));
    return object;
}

/* The sums of the bins, as they are counted; "probability" is that of 65535. */
static json_t *pack_reliability(const struct shw_reliability *reliability)
{
    json_t *bins = json_array();

    for (uint32_t b = 0; b < SHW_RELIABILITY_BINS; b++) {
        const struct shw_reliability_bin *bin = &reliability->bins[b];

        json_array_append_new(bins,
                              json_pack("{s:I, s:I, s:I}", "pixels", (json_int_t)bin->pixels, "correct",
                                        (json_int_t)bin->correct, "probability_sum", (json_int_t)bin->confidence));
    }
    return bins;
}

/* Rows of pixels; with a last column of void predictions if there are any. */
static json_t *pack_matrix(const struct shw_accuracy *accuracy)
{
    bool has_void = shw_accuracy_summarise(accuracy).void_predictions > 0;
    json_t *matrix = json_array();

    for (uint32_t r = 0; r < accuracy->class_count; r++) {
        const uint64_t *counts = accuracy->confusion + (size_t)r * accuracy->class_count;
        json_t *row = json_array();

        for (uint32_t c = 0; c < accuracy->class_count; c++)
            json_array_append_new(row, json_integer((json_int_t)counts[c]));
        if (has_void)
            json_array_append_new(row, json_integer((json_int_t)accuracy->void_predictions[r]));
        json_array_append_new(matrix, row);
    }
    return matrix;
}

static json_t *pack_forest(const struct shw_accuracy_report *report, const struct shw_measured *measured,
                           const double *values)
{
    const struct shw_accuracy *accuracy = &measured->accuracy;
    const struct shw_accuracy_summary summary = shw_accuracy_summarise(accuracy);
    json_t *object = pack_measures(report, values), *class;
    char hash[20];
    size_t c;

    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)measured->hash);
    json_array_foreach(json_object_get(object, "classes"), c, class) json_object_set_new(
        class, "pixels", json_integer((json_int_t)shw_accuracy_of_class(accuracy, (uint32_t)c).labelled));
    json_object_update_new(
        object, json_pack("{s:o, s:s, s:i, s:I, s:I, s:I, s:f, s:o}", "forest", shw_json_text(measured->path), "hash",
                          hash, "images", (int)report->images, "pixels", (json_int_t)summary.pixels, "void_pixels",
                          (json_int_t)accuracy->void_pixels, "void_predictions", (json_int_t)summary.void_predictions,
                          "labelling_seconds", measured->seconds, "confusion", pack_matrix(accuracy)));
    if (report->reliability)
        json_object_set_new(object, "reliability", pack_reliability(&measured->reliability));
    return object;
}

json_t *shw_pack_accuracy(const struct shw_accuracy_report *report)
{
    uint32_t length = measure_count(report);
    double *values = measure_all(report);
    json_t *document = NULL, *forests = values != NULL ? json_array() : NULL;

    if (forests != NULL && report->count == 1) {
        document = pack_forest(report, report->measured, values);
    } else if (forests != NULL) {
        const double *means = values + (size_t)report->count * length;

        for (uint32_t f = 0; f < report->count; f++)
            json_array_append_new(forests, pack_forest(report, &report->measured[f], values + (size_t)f * length));
        document = json_pack("{s:O, s:o, s:o}", "forests", forests, "mean", pack_measures(report, means), "deviation",
                             pack_measures(report, means + length));
    }
    json_decref(forests);
    free(values);
    return document;
}
