/* Runs random cascades over random images, and writes files, scans and detections for another implementation to
 * compare with: second_detection.py. usage: detect_dump FOLDER SEED CASES */
#include "testing/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "testing/cascades.h"
#include "testing/cases.h"

enum { SIDE_MAX = 90 };

static void check(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "detect_dump: %s\n", what);
    exit(1);
}

/* As of dump.c: a line, then the numbers. */
static void write_record(FILE *file, const char *name, const char *type, uint32_t rows, uint32_t columns,
                         const void *numbers)
{
    size_t size = (size_t)(type[1] - '0') * rows * columns;

    fprintf(file, "%s %s %u %u\n", name, type, rows, columns);
    check(fwrite(numbers, 1, size, file) == size, "cannot write");
}

/* Noise on slopes that turn over, so that tests go both ways near to each other. */
static void draw_image(struct testing_random *random, uint8_t *pixels, uint32_t width, uint32_t height)
{
    uint32_t noise = 1 + testing_random_below(random, 90), slope = 1 + testing_random_below(random, 9);

    for (uint32_t p = 0; p < width * height; p++)
        pixels[p] = (uint8_t)((p % width * slope + p / width * 3) % 160 + testing_random_below(random, noise));
}

static struct shw_cascade *draw_pixels(struct testing_random *random, struct shw_scan *scan)
{
    bool is_square = random_chance(random, 60);
    struct random_cascade_params params = {.seed = testing_random_next(random),
                                           .kind = SHW_CASCADE_PIXELS,
                                           .window_width = 2 + testing_random_below(random, 14),
                                           .stages = 1 + testing_random_below(random, 10),
                                           .depth = 1 + testing_random_below(random, 5),
                                           .restarts = random_chance(random, 25),
                                           .planes = {.shrink = 1 + testing_random_below(random, 4),
                                                      .blur_before = random_chance(random, 50),
                                                      .blur_after = random_chance(random, 50),
                                                      .octaves = random_chance(random, 50)}};

    params.window_height = is_square ? params.window_width : 2 + testing_random_below(random, 14);
    scan->min_size = random_chance(random, 30) ? 5 + testing_random_below(random, 30) : 1;
    scan->levels_per_octave = 1 + testing_random_below(random, 16);
    scan->step = random_chance(random, 60) ? 1 : 1 + testing_random_below(random, 4);
    scan->angle_count = is_square ? 1 + testing_random_below(random, 3) : 1;
    return random_cascade(&params);
}

static struct shw_cascade *draw_scaled(struct testing_random *random, struct shw_scan *scan)
{
    const struct random_cascade_params params = {.seed = testing_random_next(random),
                                                 .kind = SHW_CASCADE_SCALED,
                                                 .stages = 1 + testing_random_below(random, 20),
                                                 .trees = 1 + testing_random_below(random, 2),
                                                 .depth = 1 + testing_random_below(random, 7),
                                                 .pass_percent = 60 + testing_random_below(random, 40),
                                                 .restarts = random_chance(random, 25)};

    scan->min_size = 4 + testing_random_below(random, 25);
    scan->scale_factor = 1.05 + 0.01 * testing_random_below(random, 60);
    scan->stride = 0.04 + 0.01 * testing_random_below(random, 30);
    scan->angle_count = 1 + testing_random_below(random, 3);
    return random_cascade(&params);
}

/* Upright first, or not at all. */
static void draw_angles(struct testing_random *random, uint32_t angles[3], uint32_t count)
{
    angles[0] = count == 1 || random_chance(random, 50) ? 0 : 1 + testing_random_below(random, 31);
    for (uint32_t a = 1; a < count; a++)
        angles[a] = (angles[a - 1] + 1 + testing_random_below(random, 10)) % 32;
}

static void write_case(FILE *file, const struct shw_cascade *cascade, const struct shw_scan *scan,
                       const struct shw_image *image)
{
    const struct shw_detector_params params = {.cascade = cascade, .technique = SHW_TECHNIQUE_CPU, .scan = *scan};
    const uint32_t sizes[] = {scan->min_size, scan->max_size, scan->levels_per_octave, scan->step};
    const double ratios[] = {scan->scale_factor, scan->stride};
    struct shw_detector *detector = NULL;
    struct shw_detections found;
    void *bytes;
    size_t size;

    check(shw_detector_create(&params, &detector) == SHW_OK && shw_detector_run(detector, image, &found) == SHW_OK &&
              shw_cascade_save_memory(cascade, &bytes, &size) == SHW_OK,
          "cannot detect");
    write_record(file, "cascade", "u1", 1, (uint32_t)size, bytes);
    write_record(file, "image", "u1", image->height, image->width, image->pixels);
    write_record(file, "sizes", "u4", 1, 4, sizes);
    write_record(file, "ratios", "f8", 1, 2, ratios);
    write_record(file, "angles", "u4", 1, scan->angle_count, scan->angles);
    write_record(file, "found", "i4", found.count, sizeof *found.items / sizeof(int32_t), found.items);
    free(bytes);
    free(found.items);
    shw_detector_destroy(&detector);
}

int main(int argc, char **argv)
{
    struct testing_random random;
    uint32_t cases;

    check(argc == 4, "usage: detect_dump FOLDER SEED CASES");
    random.state = strtoull(argv[2], NULL, 10);
    cases = (uint32_t)strtoul(argv[3], NULL, 10);
    for (uint32_t c = 0; c < cases; c++) {
        static uint8_t pixels[SIDE_MAX * SIDE_MAX];
        uint32_t angles[3], width = 10 + testing_random_below(&random, SIDE_MAX - 9),
                            height = 10 + testing_random_below(&random, SIDE_MAX - 9);
        const struct shw_image image = {.pixels = pixels, .width = width, .height = height, .format = SHW_PIXEL_GREY8};
        struct shw_scan scan = {.angles = angles};
        struct shw_cascade *cascade = c % 2 == 0 ? draw_pixels(&random, &scan) : draw_scaled(&random, &scan);
        char path[512];
        FILE *file;
        draw_angles(&random, angles, scan.angle_count);
        draw_image(&random, pixels, width, height);
        scan.max_size = random_chance(&random, 30) ? scan.min_size + testing_random_below(&random, 40) : 0;
        snprintf(path, sizeof path, "%s/%u", argv[1], c);
        file = fopen(path, "wb");
        check(file != NULL, path);
        write_case(file, cascade, &scan, &image);
        check(fclose(file) == 0, path);
        shw_cascade_destroy(&cascade);
    }
    return 0;
}
