#include <stdlib.h>
#include <string.h>

#include "base/integers.h"
#include "base/log.h"
#include "cli/detect_truth.h"
#include "files/io/image_paths.h"

#define NONE UINT32_MAX

/* Images that are searched, and annotated ones. */
struct matching {
    struct cli_report *report;
    struct cli_truth *truth;
    struct cli_image_list *images;
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
    struct cli_image_list *images = matching->images;
    const struct shw_log log = cli_log(matching->report);
    uint32_t count = images->count, kept = 0;

    for (uint32_t i = 0; i < count; i++) {
        struct cli_image image = images->list[i];
        char *real = shw_image_real_path(image.path);
        const json_t *known = real != NULL ? json_object_get(matching->numbers, real) : NULL;

        images->list[i] = (struct cli_image){0};
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

/* Matches what is the same file. Returns how many of the annotated images there are as files. */
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

/* The same of a searched image, by the path that was given or without links, and an annotated one. */
static uint32_t compare(const struct matching *matching, uint32_t image, uint32_t annotated)
{
    const char *name = matching->truth->annotations.images[annotated].name;
    uint32_t given = count_common(matching->images->list[image].path, name);

    return matching->real[image] != NULL ? shw_max_u32(given, count_common(matching->real[image], name)) : given;
}

/* The annotated image whose name has most in common with the path of the image. */
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
                        "%s can be %s or %s of %s: their names end like its path by as much; the annotations belong "
                        "into the folder to which their names are relative",
                        matching->images->list[image].path, entries[other].name, entries[found].name, truth->path);
    truth->annotated[image] = found;
    return SHW_CONTINUE;
}

/* No two images, which may be links, are the same annotated one. */
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
                            "%s and %s can both be %s of %s: their paths end like its name by as much; the annotations "
                            "belong into the folder to which their names are relative",
                            matching->images->list[images[e]].path, matching->images->list[i].path,
                            truth->annotations.images[e].name, truth->path);
        images[e] = i;
    }
    free(images);
    return code;
}

/* Matches images that are apart from the annotations by the ends of their paths. */
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
                        "%s: none of its images is where it says (%s): they are found by the ends of their paths",
                        matching->truth->path, annotations->images[0].path);
    return code;
}

int cli_truth_match_images(struct cli_report *report, struct cli_truth *truth, struct cli_image_list *images)
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
