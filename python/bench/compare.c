/* The other side of compare.py: labels an image, or evaluates records, whenever a line arrives on standard input, and
 * prints the seconds that it took, and those of all processors together.
 *
 * usage: python_bench pixels FOREST RAW WIDTH HEIGHT | records FOREST RAW RECORDS ATTRIBUTES
 *
 * RAW has the bytes of an RGB image, or float32 row by row. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <shadewood/shadewood.h>

struct moment {
    double wall, processors;
};

static double read_clock(clockid_t clock)
{
    struct timespec time;

    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static struct moment now(void)
{
    return (struct moment){read_clock(CLOCK_MONOTONIC), read_clock(CLOCK_PROCESS_CPUTIME_ID)};
}

static void *read_raw(const char *path, size_t size)
{
    FILE *file = fopen(path, "rb");
    void *bytes = malloc(size);

    if (file == NULL || bytes == NULL || fread(bytes, 1, size, file) != size)
        exit(2);
    fclose(file);
    return bytes;
}

static bool wait_for_line(void)
{
    char line[16];

    return fgets(line, sizeof line, stdin) != NULL;
}

static void answer(enum shw_result result, struct moment begin)
{
    const struct moment end = now();

    if (result != SHW_OK)
        exit(2);
    printf("%.9f %.9f\n", end.wall - begin.wall, end.processors - begin.processors);
    fflush(stdout);
}

/* Results are allocated each time, as NumPy's are. */
static void label(const char *forest_path, const char *raw, uint32_t width, uint32_t height)
{
    struct shw_labeller_params params = {.outputs = SHW_OUTPUT_ARGMAX,
                                         .channels = SHW_TECHNIQUE_CPU,
                                         .integrate = SHW_TECHNIQUE_CPU,
                                         .evaluate = SHW_TECHNIQUE_CPU};
    struct shw_image image = {read_raw(raw, (size_t)3 * width * height), width, height, 0, SHW_PIXEL_RGB8};
    struct shw_labeller *labeller;
    struct shw_forest *forest;

    if (shw_forest_load(forest_path, NULL, &forest) != SHW_OK)
        exit(2);
    params.forest = forest;
    if (shw_labeller_create(&params, &labeller) != SHW_OK)
        exit(2);
    while (wait_for_line()) {
        const struct moment begin = now();
        struct shw_labelling labelling = {.argmax = malloc(sizeof(uint16_t) * width * height)};
        answer(shw_labeller_run(labeller, SHW_COLOUR_IMAGE(image), &labelling), begin);
        free(labelling.argmax);
    }
    shw_labeller_destroy(&labeller);
    shw_forest_destroy(&forest);
    free((void *)(uintptr_t)image.pixels);
}

static void evaluate(const char *forest_path, const char *raw, uint64_t count, uint32_t attributes)
{
    struct shw_record_evaluator_params params = {.technique = SHW_RECORD_CPU};
    struct shw_records records = {
        .values = read_raw(raw, sizeof(float) * count * attributes), .count = count, .attribute_count = attributes};
    struct shw_record_evaluator *evaluator;
    struct shw_record_forest *forest;

    if (shw_record_forest_load(forest_path, NULL, &forest) != SHW_OK)
        exit(2);
    params.forest = forest;
    if (shw_record_evaluator_create(&params, &evaluator) != SHW_OK)
        exit(2);
    while (wait_for_line()) {
        const struct moment begin = now();
        struct shw_record_results results = {.classes = malloc(sizeof(uint32_t) * count)};
        answer(shw_record_evaluator_run(evaluator, &records, &results), begin);
        free(results.classes);
    }
    shw_record_evaluator_destroy(&evaluator);
    shw_record_forest_destroy(&forest);
    free((void *)(uintptr_t)records.values);
}

int main(int argc, char **argv)
{
    if (argc != 6)
        return 2;
    if (strcmp(argv[1], "pixels") == 0)
        label(argv[2], argv[3], (uint32_t)atoi(argv[4]), (uint32_t)atoi(argv[5]));
    else
        evaluate(argv[2], argv[3], (uint64_t)atoll(argv[4]), (uint32_t)atoi(argv[5]));
    return 0;
}
