#include "cli/detect.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/image.h"
#include "base/integers.h"
#include "base/log.h"
#include "base/text.h"
#include "files/image/draw.h"
#include "files/image/image_write.h"
#include "files/io/image_paths.h"
#include "files/output/detection_text.h"

#define NONE UINT32_MAX

/* Images that are searched, and annotated ones. */
struct matching {
    struct cli_report *report;
    struct cli_truth *truth;
    struct shw_image_list *images;
    char **real;     /* of the images that are searched */
    json_t *numbers; /* of files, in either list */
};

static int fail_memory(struct matching *matching)
{
    return cli_fail(matching->report, "not enough memory for the names of the images");
}

/* Removes images that are the same file as one before. */
static int remove_twice(struct matching *matching)
{
    struct shw_image_list *images = matching->images;
    const struct shw_log log = cli_log(matching->report);
    uint32_t count = images->count, kept = 0;

    for (uint32_t i = 0; i < count; i++) {
        struct shw_image_entry image = images->list[i];
        char *real = shw_image_real_path(image.path);
        const json_t *known = real != NULL ? json_object_get(matching->numbers, real) : NULL;

        images->list[i] = (struct shw_image_entry){0};
        if (known != NULL) {
            shw_log_message(&log, SHW_LOG_WARNING, SHW_LOG_DATASET, "%s is the same image as %s, and counts once",
                            image.path, images->list[json_integer_value(known)].path);
            free(image.path);
            free(image.place);
            free(real);
            continue;
        }
        matching->real[kept] = real;
        images->list[kept] = image;
        if (real != NULL && json_object_set_new_nocheck(matching->numbers, real, json_integer(kept)) != 0)
            return fail_memory(matching);
        kept++;
    }
    images->count = kept;
    return SHW_CONTINUE;
}

/* Matches images of the same file. Returns how many of the annotated images exist as files. */
static uint32_t match_files(struct matching *matching)
{
    struct cli_truth *truth = matching->truth;
    uint32_t count = 0;

    for (uint32_t e = 0; e < truth->annotations.image_count; e++) {
        const char *real = truth->annotations.images[e].real;
        const json_t *searched = real != NULL ? json_object_get(matching->numbers, real) : NULL;

        count += real != NULL;
        if (searched != NULL)
            truth->annotated[json_integer_value(searched)] = e;
    }
    return count;
}

/* The last name in `path` before *end, which moves in front of it; "" at the beginning. Names of "." do not count. */
static const char *step_back(const char *path, size_t *end, size_t *length)
{
    size_t first;

    do {
        while (*end > 0 && path[*end - 1] == '/')
            --*end;
        first = *end;
        while (first > 0 && path[first - 1] != '/')
            first--;
        *length = *end - first;
        *end = first;
    } while (*length == 1 && path[first] == '.');
    return path + first;
}

/* How many names at the end two paths have in common. */
static uint32_t count_common(const char *a, const char *b)
{
    size_t end_a = strlen(a), end_b = strlen(b);

    for (uint32_t count = 0;; count++) {
        size_t length_a, length_b;
        const char *name_a = step_back(a, &end_a, &length_a), *name_b = step_back(b, &end_b, &length_b);
        if (length_a == 0 || length_a != length_b || memcmp(name_a, name_b, length_a) != 0)
            return count;
    }
}

/* The same for a searched image, by its path as given or with links resolved, and an annotated one. */
static uint32_t compare(const struct matching *matching, uint32_t image, uint32_t annotated)
{
    const char *name = matching->truth->annotations.images[annotated].name;
    uint32_t given = count_common(matching->images->list[image].path, name);

    return matching->real[image] != NULL ? shw_max_u32(given, count_common(matching->real[image], name)) : given;
}

/* The annotated image whose name shares the longest end with the path of the image. */
static int match_image(struct matching *matching, uint32_t image)
{
    struct cli_truth *truth = matching->truth;
    const struct shw_annotated_image *entries = truth->annotations.images;
    uint32_t best = 0, found = NONE, other = NONE;

    for (uint32_t e = 0; e < truth->annotations.image_count; e++) {
        uint32_t common = compare(matching, image, e);
        if (common == 0 || common < best)
            continue;
        other = common == best ? found : NONE;
        best = common;
        found = e;
    }
    if (other != NONE)
        return cli_fail(matching->report,
                        "%s could be %s or %s of %s, whose names match its path equally well: put the annotations into "
                        "the folder to which their names are relative",
                        matching->images->list[image].path, entries[other].name, entries[found].name, truth->path);
    truth->annotated[image] = found;
    return SHW_CONTINUE;
}

/* Two images, which may be links, must not match the same annotated one. */
static int check_images(struct matching *matching)
{
    struct cli_truth *truth = matching->truth;
    uint32_t *images = malloc((truth->annotations.image_count + (size_t)1) * sizeof *images);
    int code = SHW_CONTINUE;

    if (images == NULL)
        return fail_memory(matching);
    memset(images, 0xff, truth->annotations.image_count * sizeof *images);
    for (uint32_t i = 0; i < matching->images->count && code == SHW_CONTINUE; i++) {
        uint32_t e = truth->annotated[i];

        if (e == NONE)
            continue;
        if (images[e] != NONE)
            code = cli_fail(matching->report,
                            "%s and %s could both be %s of %s, whose name matches their paths equally well: put the "
                            "annotations into the folder to which their names are relative",
                            matching->images->list[images[e]].path, matching->images->list[i].path,
                            truth->annotations.images[e].name, truth->path);
        images[e] = i;
    }
    free(images);
    return code;
}

/* Matches images that lie elsewhere than the annotations by the ends of their paths. */
static int match_names(struct matching *matching)
{
    const struct shw_annotations *annotations = &matching->truth->annotations;
    const struct shw_log log = cli_log(matching->report);
    int code = SHW_CONTINUE;

    for (uint32_t i = 0; i < matching->images->count && code == SHW_CONTINUE; i++)
        code = match_image(matching, i);
    code = code == SHW_CONTINUE ? check_images(matching) : code;
    if (code == SHW_CONTINUE)
        shw_log_message(&log, SHW_LOG_WARNING, SHW_LOG_DATASET,
                        "%s: none of its images is at its path (%s): they are found by the ends of their paths",
                        matching->truth->path, annotations->images[0].path);
    return code;
}

int cli_truth_match_images(struct cli_report *report, struct cli_truth *truth, struct shw_image_list *images)
{
    struct matching matching = {.report = report, .truth = truth, .images = images, .numbers = json_object()};
    uint32_t given = images->count;
    int code = SHW_CONTINUE;

    truth->annotated = malloc((given + (size_t)1) * sizeof *truth->annotated);
    matching.real = calloc(given + (size_t)1, sizeof *matching.real);
    if (truth->annotated == NULL || matching.real == NULL) {
        code = fail_memory(&matching);
    } else {
        memset(truth->annotated, 0xff, given * sizeof *truth->annotated);
        code = remove_twice(&matching);
        if (code == SHW_CONTINUE && match_files(&matching) == 0 && json_object_size(matching.numbers) > 0)
            code = match_names(&matching);
    }
    truth->images = images;
    for (uint32_t i = 0; matching.real != NULL && i < given; i++)
        free(matching.real[i]);
    free(matching.real);
    json_decref(matching.numbers);
    return code;
}

enum file { MATCHES, IMAGES, CURVE, PRECISION, ROC, FILES };

static const struct {
    const char *name;
    const struct shw_file_kind *kind;
} written[FILES] = {{"matches.csv", &shw_file_table},
                    {"images.csv", &shw_file_table},
                    {"curve.csv", &shw_file_table},
                    {"precision-recall.png", &shw_file_plot},
                    {"roc.png", &shw_file_plot}};

/* UINT32_MAX: there is no such label. */
static uint32_t find_label(const struct shw_annotations *annotations, const char *name)
{
    for (uint32_t i = 0; i < annotations->label_count; i++)
        if (strcmp(annotations->labels[i], name) == 0)
            return i;
    return UINT32_MAX;
}

/* The number that results have for their category, as COCO's tools compare it. */
static int64_t find_category(const struct cli_truth *truth, const char *name)
{
    const struct shw_annotations *annotations = &truth->annotations;
    uint32_t label = find_label(annotations, truth->label != NULL ? truth->label : name);

    if (annotations->label_ids == NULL || annotations->label_count == 0)
        return 1;
    return annotations->label_ids[label != UINT32_MAX ? label : 0];
}

/* Joins images of the same file. Only the category of the labels was needed. */
static enum shw_result join(struct cli_truth *truth, const struct shw_log *log)
{
    struct shw_annotations joined;

    SHW_PROPAGATE(shw_annotations_join(&truth->annotations, 1, log, &joined));
    shw_annotations_free(&truth->annotations);
    truth->annotations = joined;
    truth->searched = calloc(joined.image_count + (size_t)1, sizeof *truth->searched);
    return truth->searched != NULL ? SHW_OK : shw_fail_memory(log, truth->path);
}

int cli_truth_read(struct cli_report *report, struct cli_truth *truth, const char *name)
{
    struct shw_annotations *annotations = &truth->annotations;
    const struct shw_log log = cli_log(report);
    enum shw_result result = shw_annotations_read(truth->path, NULL, truth->label, &log, annotations);

    if (result == SHW_OK && truth->label == NULL && annotations->label_count > 1) {
        if (find_label(annotations, name) != UINT32_MAX) {
            shw_annotations_free(annotations);
            result = shw_annotations_read(truth->path, NULL, name, &log, annotations);
        } else {
            shw_log_message(&log, SHW_LOG_WARNING, SHW_LOG_DATASET,
                            "%s has objects with %u labels, none of which is '%s', and all count: --label chooses one",
                            truth->path, annotations->label_count, name);
        }
    }
    if (result != SHW_OK)
        return shw_exit_code(result);
    truth->category = find_category(truth, name);
    result = join(truth, &log);
    return result == SHW_OK ? SHW_CONTINUE : shw_exit_code(result);
}

/* Where the results of an annotated image go, in the output folder. */
static char *place_of(const char *name)
{
    const char *last = strrchr(name, '/'), *dot = strrchr(last != NULL ? last : name, '.');
    char base[SHW_BASE_NAME_SIZE];

    if (shw_path_is_absolute(name) || strstr(name, "..") != NULL || dot == NULL || dot == name || dot[-1] == '/')
        return strdup(shw_image_base_name(name, base));
    return strndup(name, (size_t)(dot - name));
}

int cli_truth_list_images(struct cli_report *report, const struct cli_truth *truth, struct shw_image_list *list)
{
    const struct shw_annotations *annotations = &truth->annotations;

    *list = (struct shw_image_list){0};
    if (!SHW_RESERVE(list->list, list->capacity, annotations->image_count))
        return cli_fail(report, "not enough memory for the names of the images");
    for (uint32_t i = 0; i < annotations->image_count; i++) {
        struct shw_image_entry *image = &list->list[list->count++];

        *image = (struct shw_image_entry){.path = strdup(annotations->images[i].path),
                                          .place = place_of(annotations->images[i].name)};
        if (image->path == NULL || image->place == NULL)
            return cli_fail(report, "not enough memory for the names of the images");
    }
    return SHW_CONTINUE;
}

int cli_truth_name_files(struct cli_report *report, struct cli_truth *truth, const char *folder,
                         struct shw_output_files *files)
{
    shw_output_files_read(files, truth->path);
    for (int i = 0; i < FILES; i++) {
        truth->paths[i] = shw_path_in(folder, written[i].name);
        if (truth->paths[i] == NULL)
            return cli_fail(report, "not enough memory for the names of files");
        shw_output_files_write(files, truth->paths[i], written[i].kind);
    }
    return SHW_CONTINUE;
}

enum shw_result cli_truth_begin(struct cli_truth *truth, uint32_t fraction_bits, const struct shw_log *log)
{
    truth->fraction_bits = fraction_bits;
    SHW_PROPAGATE(shw_atomic_file_open(&truth->matches_table, truth->paths[MATCHES], log));
    SHW_PROPAGATE(shw_atomic_file_open(&truth->images_table, truth->paths[IMAGES], log));
    fputs("image,result,x,y,width,height,score,overlap" SHW_CSV_END, truth->matches_table.stream);
    fputs("image,annotated,windows,objects,found,missed,false" SHW_CSV_END, truth->images_table.stream);
    return SHW_OK;
}

enum shw_result cli_truth_find(const struct cli_truth *truth, const struct shw_image_entry *which, uint32_t width,
                               uint32_t height, const struct shw_log *log, struct cli_true_objects *found)
{
    const struct shw_annotated_image *image;

    *found = (struct cli_true_objects){.image = truth->annotated[which - truth->images->list]};
    if (found->image == UINT32_MAX)
        return SHW_OK;
    image = &truth->annotations.images[found->image];
    found->objects = malloc((image->object_count + (size_t)1) * sizeof *found->objects);
    if (found->objects == NULL)
        return shw_fail_memory(log, which->path);
    shw_annotations_report_outside(&truth->annotations, image, width, height, log);
    for (uint32_t o = 0; o < image->object_count; o++) {
        const struct shw_annotated_object *object = &truth->annotations.objects[image->first_object + o];
        if (!shw_rectangle_is_outside(object->x, object->y, object->width, object->height, width, height))
            found->objects[found->count++] =
                (struct shw_true_object){object->x, object->y, object->width, object->height, object->is_crowd};
    }
    return SHW_OK;
}

int64_t cli_truth_image_id(const struct cli_truth *truth, const struct cli_true_objects *objects, uint32_t number)
{
    int64_t largest = 0;

    if (objects->image != UINT32_MAX)
        return truth->annotations.images[objects->image].id;
    for (uint32_t i = 0; i < truth->annotations.image_count; i++)
        if (truth->annotations.images[i].id > largest)
            largest = truth->annotations.images[i].id;
    return largest < INT64_MAX - number ? largest + number + 1 : INT64_MAX;
}

static void print_detection(const struct cli_truth *truth, const char *path, const struct shw_detection *detection,
                            const struct shw_match *match)
{
    const char *result = match->ignored ? "ignored" : match->object != SHW_MATCH_NONE ? "found" : "false";
    char score[SHW_SCORE_TEXT_SIZE];

    shw_score_text(detection->score, truth->fraction_bits, score);
    shw_print_csv_text(truth->matches_table.stream, path);
    fprintf(truth->matches_table.stream, ",%s,%d,%d,%u,%u,%s,%.4f" SHW_CSV_END, result, detection->x, detection->y,
            detection->width, detection->height, score, match->overlap);
}

static void print_missed(const struct cli_truth *truth, const char *path, const struct shw_true_object *object)
{
    shw_print_csv_text(truth->matches_table.stream, path);
    fprintf(truth->matches_table.stream, ",missed,%d,%d,%u,%u,," SHW_CSV_END, object->x, object->y, object->width,
            object->height);
}

enum shw_result cli_truth_add(struct cli_truth *truth, const char *path, const struct cli_true_objects *objects,
                              const struct shw_detections *found, const struct shw_match *matches, uint64_t windows,
                              const struct shw_log *log)
{
    bool *is_found = calloc(objects->count + (size_t)1, sizeof *is_found);
    uint32_t right = 0, wrong = 0, missed = 0;

    if (is_found == NULL)
        return shw_fail_memory(log, path);
    for (uint32_t i = 0; i < found->count; i++) {
        print_detection(truth, path, &found->items[i], &matches[i]);
        if (matches[i].object != SHW_MATCH_NONE)
            is_found[matches[i].object] = true;
        right += matches[i].object != SHW_MATCH_NONE && !matches[i].ignored;
        wrong += matches[i].object == SHW_MATCH_NONE;
    }
    for (uint32_t k = 0; k < objects->count; k++)
        if (!objects->objects[k].ignored && !is_found[k]) {
            print_missed(truth, path, &objects->objects[k]);
            missed++;
        }
    free(is_found);
    shw_print_csv_text(truth->images_table.stream, path);
    fprintf(truth->images_table.stream, ",%s,%llu,%u,%u,%u,%u" SHW_CSV_END, objects->image != UINT32_MAX ? "yes" : "no",
            (unsigned long long)windows, right + missed, right, missed, wrong);
    if (objects->image != UINT32_MAX)
        truth->searched[objects->image] = true;
    return shw_detection_tally_add(&truth->tally, found->items, matches, found->count, objects->objects, objects->count,
                                   windows, log);
}

/* A quotient, or nothing if it is undefined. */
static void print_rate(FILE *stream, double rate)
{
    putc(',', stream);
    if (!isnan(rate))
        fprintf(stream, "%.9g", rate);
}

static enum shw_result write_curve(const struct cli_truth *truth, const struct shw_detection_curve *curve,
                                   const struct shw_log *log)
{
    struct shw_atomic_file file;

    SHW_PROPAGATE(shw_atomic_file_open(&file, truth->paths[CURVE], log));
    fputs("score,found,missed,false,precision,recall,false_per_image,false_per_window" SHW_CSV_END, file.stream);
    for (uint32_t i = 0; i < curve->count; i++) {
        const struct shw_detection_point *point = &curve->points[i];
        const struct shw_detection_rates rates = shw_detection_rates_at(curve, point);
        char score[SHW_SCORE_TEXT_SIZE];

        shw_score_text(point->score, truth->fraction_bits, score);
        fprintf(file.stream, "%s,%llu,%llu,%llu", score, (unsigned long long)point->right,
                (unsigned long long)(curve->objects - point->right), (unsigned long long)point->wrong);
        print_rate(file.stream, rates.precision);
        print_rate(file.stream, rates.recall);
        print_rate(file.stream, rates.wrong_per_image);
        print_rate(file.stream, rates.wrong_per_window);
        fputs(SHW_CSV_END, file.stream);
    }
    return shw_atomic_file_commit(&file, log);
}

static enum shw_result write_plot(const char *path, const struct shw_plot *plot, const struct shw_log *log)
{
    uint8_t *pixels = shw_plot_draw(plot);
    const struct shw_image image = {
        .pixels = pixels, .width = SHW_PLOT_WIDTH, .height = SHW_PLOT_HEIGHT, .format = SHW_PIXEL_RGB8};
    enum shw_result result =
        pixels != NULL ? shw_png_write_marked(path, shw_file_plot.name, &image, log) : shw_fail_memory(log, path);

    free(pixels);
    return result;
}

/* The axis of false detections: the decades that occur. */
static struct shw_plot_axis false_axis(const struct shw_detection_curve *curve)
{
    const double images = (double)curve->images;
    const double most = curve->count > 0 ? (double)curve->points[curve->count - 1].wrong : 0.0;

    return (struct shw_plot_axis){"false detections per image", pow(10.0, floor(log10(1.0 / images))),
                                  pow(10.0, fmax(ceil(log10(fmax(most, 1.0) / images)), 0.0)), true};
}

static enum shw_result write_plots(const struct cli_truth *truth, const struct shw_detection_curve *curve,
                                   const struct shw_log *log)
{
    double(*points)[2] = malloc((curve->count + (size_t)1) * sizeof *points);
    struct shw_plot plot = {.x = {"recall", 0.0, 1.0, false},
                            .y = {"precision", 0.0, 1.0, false},
                            .points = (const double(*)[2])points,
                            .count = curve->objects > 0 ? curve->count : 0};
    char title[64] = "precision and recall";
    enum shw_result result;

    if (points == NULL)
        return shw_fail_memory(log, "plots");
    for (uint32_t i = 0; i < plot.count; i++) {
        const struct shw_detection_rates rates = shw_detection_rates_at(curve, &curve->points[i]);
        points[i][0] = rates.recall;
        points[i][1] = rates.precision;
    }
    if (curve->objects > 0)
        snprintf(title, sizeof title, "average precision %.4f", shw_detection_average_precision(curve));
    plot.title = title;
    result = write_plot(truth->paths[PRECISION], &plot, log);
    for (uint32_t i = 0; i < plot.count; i++) {
        const struct shw_detection_rates rates = shw_detection_rates_at(curve, &curve->points[i]);
        points[i][0] = rates.wrong_per_image;
        points[i][1] = rates.recall;
    }
    plot.title = "detection rate";
    plot.x = false_axis(curve);
    plot.y.title = "detection rate";
    if (result == SHW_OK)
        result = write_plot(truth->paths[ROC], &plot, log);
    free(points);
    return result;
}

static enum shw_result write_files(struct cli_truth *truth, const struct shw_detection_curve *curve,
                                   const struct shw_output_files *files, const struct shw_log *log)
{
    for (int i = 0; i < FILES; i++)
        SHW_PROPAGATE(shw_output_files_look_again(files, truth->paths[i]));
    SHW_PROPAGATE(shw_atomic_file_commit(&truth->matches_table, log));
    SHW_PROPAGATE(shw_atomic_file_commit(&truth->images_table, log));
    SHW_PROPAGATE(write_curve(truth, curve, log));
    return write_plots(truth, curve, log);
}

static json_t *rate_json(double rate)
{
    return isnan(rate) ? json_null() : json_real(rate);
}

static void add_json(const struct cli_truth *truth, const struct shw_detection_curve *curve,
                     const struct shw_detection_point *all, uint32_t not_searched, json_t *document)
{
    const struct shw_detection_rates rates = shw_detection_rates_at(curve, all);
    json_t *measured =
        json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:i, s:f}", "images", (json_int_t)curve->images, "windows",
                  (json_int_t)curve->windows, "objects", (json_int_t)curve->objects, "found", (json_int_t)all->right,
                  "missed", (json_int_t)(curve->objects - all->right), "false", (json_int_t)all->wrong,
                  "annotated_images_not_searched", (int)not_searched, "match_overlap", truth->overlap);

    json_object_set_new(measured, "precision", rate_json(rates.precision));
    json_object_set_new(measured, "recall", rate_json(rates.recall));
    json_object_set_new(measured, "false_per_image", rate_json(rates.wrong_per_image));
    json_object_set_new(measured, "false_per_window", rate_json(rates.wrong_per_window));
    json_object_set_new(measured, "average_precision", rate_json(shw_detection_average_precision(curve)));
    json_object_set_new(document, "evaluation", measured);
}

static void print_percent(const char *what, double rate)
{
    if (!isnan(rate))
        printf("%-20s%.2f %%\n", what, 100.0 * rate);
}

static void print_summary(const struct cli_truth *truth, const struct shw_detection_curve *curve,
                          const struct shw_detection_point *all)
{
    const struct shw_detection_rates rates = shw_detection_rates_at(curve, all);

    printf("%-20s%llu in %llu images\n", "objects", (unsigned long long)curve->objects,
           (unsigned long long)curve->images);
    printf("%-20s%llu, with an overlap of %g or more\n", "found", (unsigned long long)all->right, truth->overlap);
    printf("%-20s%llu\n", "missed", (unsigned long long)(curve->objects - all->right));
    printf("%-20s%llu, %.4g per image", "false detections", (unsigned long long)all->wrong, rates.wrong_per_image);
    if (curve->windows > 0)
        printf(", %.3g per window", rates.wrong_per_window);
    putchar('\n');
    print_percent("recall", rates.recall);
    print_percent("precision", rates.precision);
    print_percent("average precision", shw_detection_average_precision(curve));
}

int cli_truth_finish(struct cli_report *report, struct cli_truth *truth, const struct shw_output_files *files,
                     json_t *document)
{
    const struct shw_log log = cli_log(report);
    struct shw_detection_curve curve;
    struct shw_detection_point all = {0};
    uint32_t not_searched = 0;
    enum shw_result result = shw_detection_curve_make(&truth->tally, &log, &curve);

    if (result == SHW_OK && curve.count > 0)
        all = curve.points[curve.count - 1];
    if (result == SHW_OK)
        result = write_files(truth, &curve, files, &log);
    for (uint32_t i = 0; i < truth->annotations.image_count; i++)
        not_searched += !truth->searched[i];
    if (not_searched > 0)
        shw_log_message(&log, SHW_LOG_WARNING, SHW_LOG_DATASET,
                        "%u of the %u images in %s were not searched, and their objects do not count", not_searched,
                        truth->annotations.image_count, truth->path);
    if (result == SHW_OK && report->json)
        add_json(truth, &curve, &all, not_searched, document);
    else if (result == SHW_OK)
        print_summary(truth, &curve, &all);
    shw_detection_curve_free(&curve);
    return shw_exit_code(result);
}

void cli_truth_free(struct cli_truth *truth)
{
    free(truth->annotated);
    free(truth->searched);
    shw_annotations_free(&truth->annotations);
    shw_detection_tally_free(&truth->tally);
    shw_atomic_file_abandon(&truth->matches_table);
    shw_atomic_file_abandon(&truth->images_table);
    for (int i = 0; i < FILES; i++)
        free(truth->paths[i]);
    *truth = (struct cli_truth){0};
}
