#include "viewer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "files/image/image_file.h"
#include "files/image/image_write.h"
#include "forked.h"
#include "testing/random_forest.h"

static char text[65536], output[16384];

void write_forest_and_picture(uint32_t width, uint32_t height, char forest_path[FILE_PATH],
                              char picture_path[FILE_PATH])
{
    struct random_forest_params params = {.seed = 3, .classes = 5, .trees = 2, .depth = 4, .split_percent = 90};
    struct testing_random random = {1};
    struct shw_image image = testing_image(&random, width, height, SHW_PIXEL_RGB8, 0);
    struct shw_forest *forest = random_forest(&params);

    snprintf(forest_path, FILE_PATH, "%s", testing_path("forest.ktx2"));
    snprintf(picture_path, FILE_PATH, "%s", testing_path("picture.png"));
    assert_int_equal(shw_forest_save(forest, forest_path, NULL), SHW_OK);
    assert_int_equal(shw_png_write(picture_path, &image, NULL), SHW_OK);
    shw_forest_destroy(&forest);
    free((void *)(uintptr_t)image.pixels);
}

void script(const char *format, ...)
{
    size_t length = strlen(text);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text + length, sizeof text - length - 1, format, arguments);
    va_end(arguments);
    strcat(text, "\n");
}

static void write_script(const char *path)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    text[0] = '\0';
}

int start_script(const char *options, uint32_t width, uint32_t height)
{
    char path[512], command[4096];
    pid_t child;

    snprintf(path, sizeof path, "%s", testing_path("script"));
    write_script(path);
    snprintf(command, sizeof command, "exec '%s' --headless %s --size %ux%u --script '%s' </dev/null",
             SHADEWOOD_VIEWER_PROGRAM, options, width, height, path);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    return (int)child;
}

static int run(const char *before, const char *program, const char *option, uint32_t width, uint32_t height,
               const char **messages)
{
    static char said[16384];
    char path[512], errors[512], printed[512], folder[512], size[64] = "", line[4096], command[6144];
    const bool is_plain = before[0] == '\0' && strcmp(program, SHADEWOOD_VIEWER_PROGRAM) == 0;
    FILE *file;
    int status;

    snprintf(folder, sizeof folder, "%s", testing_path("."));
    snprintf(path, sizeof path, "%s", testing_path("script"));
    snprintf(errors, sizeof errors, "%s", testing_path("errors"));
    snprintf(printed, sizeof printed, "%s", testing_path("output"));
    write_script(path);
    if (width > 0)
        snprintf(size, sizeof size, "--size %ux%u", width, height);
    snprintf(line, sizeof line,
             "XDG_CACHE_HOME='%s/cache' XDG_CONFIG_HOME='%s/config' XDG_DATA_HOME='%s/data' XDG_STATE_HOME='%s/state' "
             "%s '%s' %s %s %s --script '%s'",
             folder, folder, folder, folder, before, program, option, TESTING_VALIDATION ? "--validation" : "", size,
             path);
    if (!is_plain || !forked_viewer_run(line, printed, errors, &status)) {
        snprintf(command, sizeof command, "%s >'%s' 2>'%s' </dev/null", line, printed, errors);
        status = system(command);
    }
    file = fopen(errors, "r");
    assert_non_null(file);
    said[fread(said, 1, sizeof said - 1, file)] = '\0';
    fclose(file);
    file = fopen(printed, "r");
    assert_non_null(file);
    output[fread(output, 1, sizeof output - 1, file)] = '\0';
    fclose(file);
    if (strstr(said, "not installed") != NULL || strstr(said, "no Vulkan d") != NULL)
        testing_skip("%s", said);
    if (messages != NULL)
        *messages = said;
    else if (said[0] != '\0')
        print_message("# %s", said);
    else if (status != 0)
        print_message("# status %d without a message, after this output: %s\n", status, output);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

const char *script_output(void)
{
    return output;
}

int run_script_with(const char *options, uint32_t width, uint32_t height, const char **messages)
{
    char all[2048];

    snprintf(all, sizeof all, "--headless %s", options);
    return run("", SHADEWOOD_VIEWER_PROGRAM, all, width, height, messages);
}

int run_script_by(const char *program, uint32_t width, uint32_t height, const char **messages)
{
    return run("", program, "--headless", width, height, messages);
}

int run_script(uint32_t width, uint32_t height, const char **messages)
{
    return run_script_with("", width, height, messages);
}

int run_script_in_window(uint32_t width, uint32_t height, const char **messages)
{
    char command[600];

    if (system("command -v xvfb-run >/dev/null && command -v xauth >/dev/null") != 0)
        testing_skip("xvfb-run and xauth are not installed");
    /* with an authority file of its own: xvfb-run makes no folder then, whose removal may fail while the server ends */
    snprintf(command, sizeof command, "xvfb-run -a -f '%s'", testing_path("Xauthority"));
    return run(command, SHADEWOOD_VIEWER_PROGRAM, "", width, height, messages);
}

void view_fit(struct view *view)
{
    int64_t across = view->width * 256 / view->image->width, down = view->height * 256 / view->image->height;

    view->zoom = across < down ? across : down;
    view->zoom = view->zoom > 64 * 256 ? 64 * 256 : view->zoom;
    view->offset_x = (view->width * 256 - view->zoom * view->image->width) / 2;
    view->offset_y = (view->height * 256 - view->zoom * view->image->height) / 2;
}

void view_zoom(struct view *view, int64_t zoom)
{
    int64_t x = view->width / 2 * 256, y = view->height / 2 * 256;

    view->offset_x = x - (x - view->offset_x) * zoom / view->zoom;
    view->offset_y = y - (y - view->offset_y) * zoom / view->zoom;
    view->zoom = zoom;
}

/* One sample of the picture, 0..255. */
static uint32_t shown(const struct view *view, uint32_t x, uint32_t y, uint32_t component)
{
    const struct shw_image *image = view->image;
    bool grey = image->format == SHW_PIXEL_GREY8 || image->format == SHW_PIXEL_GREY16;
    size_t stride = image->stride > 0 ? image->stride : image->width * shw_pixel_size(image->format);
    const char *pixel = (const char *)image->pixels + y * stride + x * shw_pixel_size(image->format);
    double value;

    if (image->format < SHW_PIXEL_GREY16)
        return ((const uint8_t *)pixel)[grey ? 0 : component];
    value =
        (((const uint16_t *)(const void *)pixel)[grey ? 0 : component] - (double)view->low) / (view->high - view->low);
    return (uint32_t)floor(fmin(fmax(value, 0.0), 1.0) * 255.0 + 0.5);
}

static void heat(double share, double colour[3])
{
    double level = floor(share * 255.0 + 0.5);

    for (int k = 0; k < 3; k++)
        colour[k] = fmin(fmax(3.0 * level - 255.0 * k, 0.0), 255.0);
}

static uint32_t label(const struct view *view, size_t i)
{
    return strcmp(view->mode, "truth") == 0 ? view->truth[i] : view->labels->out.argmax[i];
}

static bool visible(const struct view *view, uint32_t number)
{
    return number < view->classes && (view->hidden == NULL || !view->hidden[number]);
}

static bool contour(const struct view *view, uint32_t x, uint32_t y)
{
    size_t i = (size_t)y * view->image->width + x;

    return view->contours && visible(view, label(view, i)) &&
           ((x + 1 < view->image->width && label(view, i + 1) != label(view, i)) ||
            (y + 1 < view->image->height && label(view, i + view->image->width) != label(view, i)));
}

static void class_colour(const struct view *view, uint32_t number, double colour[3])
{
    for (int k = 0; k < 3; k++)
        colour[k] = view->colours[number][k];
}

/* The overlay's colour at pixel i, and how much of it there is, 0..255. */
static double overlay(const struct view *view, size_t i, double colour[3])
{
    size_t pixels = (size_t)view->image->width * view->image->height;
    double opacity = floor(view->opacity * 255.0 / 100.0 + 0.5), weight = 0.0, sum[3] = {0.0, 0.0, 0.0};
    const uint16_t *probability = view->labels != NULL ? view->labels->out.distribution + i : NULL;

    if (strcmp(view->mode, "channel") == 0 || strcmp(view->mode, "integral") == 0 || strcmp(view->mode, "depth") == 0) {
        for (int k = 0; k < 3; k++)
            colour[k] = floor(fmin(fmax(view->plane[i], 0.0), 1.0) * 255.0 + 0.5);
        return 255.0;
    }
    if (strcmp(view->mode, "argmax") == 0 || strcmp(view->mode, "truth") == 0) {
        if (!visible(view, label(view, i)))
            return 0.0;
        class_colour(view, label(view, i), colour);
        return opacity;
    }
    if (strcmp(view->mode, "heat") == 0) {
        heat(probability[view->chosen * pixels] / 65535.0, colour);
        return opacity;
    }
    if (strcmp(view->mode, "errors") == 0) {
        colour[0] = 213.0, colour[1] = 94.0, colour[2] = 0.0;
        return view->truth[i] < view->classes && view->truth[i] != label(view, i) ? opacity : 0.0;
    }
    if (strcmp(view->mode, "entropy") == 0) {
        for (uint32_t c = 0; c < view->classes; c++) {
            double p = (probability[c * pixels] >> 4) / 4095.0;
            weight += p > 0.0 ? floor(-p * log(p) / log(view->classes) * 1048576.0 + 0.5) : 0.0;
        }
        heat(fmin(weight, 1048576.0) / 1048576.0, colour);
        return opacity;
    }
    assert_string_equal(view->mode, "blend");
    for (uint32_t c = 0; c < view->classes; c++)
        if (visible(view, c)) {
            weight += probability[c * pixels];
            for (int k = 0; k < 3; k++)
                sum[k] += (double)probability[c * pixels] * view->colours[c][k];
        }
    for (int k = 0; k < 3 && weight > 0.0; k++)
        colour[k] = floor((sum[k] + floor(weight / 2.0)) / weight);
    return floor((opacity * fmin(weight, 65535.0) + 32767.0) / 65535.0);
}

static void expected(const struct view *view, uint32_t px, uint32_t py, uint8_t pixel[3])
{
    int64_t x = px * 256 + 128 - view->offset_x, y = py * 256 + 128 - view->offset_y;
    uint32_t edge = view->width * view->wipe / 100;
    double colour[3] = {0.0, 0.0, 0.0}, alpha = 0.0;
    size_t i;

    memset(pixel, edge > 0 && px == edge ? 255 : 32, 3);
    if ((edge > 0 && px == edge) || x < 0 || y < 0 || x / view->zoom >= view->image->width ||
        y / view->zoom >= view->image->height)
        return;
    x /= view->zoom;
    y /= view->zoom;
    i = (size_t)y * view->image->width + (size_t)x;
    if (strcmp(view->mode, "none") != 0 && px >= edge) {
        alpha = overlay(view, i, colour);
        if (view->plane == NULL && contour(view, (uint32_t)x, (uint32_t)y)) {
            class_colour(view, label(view, i), colour);
            alpha = 255.0;
        }
    }
    for (uint32_t k = 0; k < 3; k++)
        pixel[k] = (uint8_t)floor(
            (shown(view, (uint32_t)x, (uint32_t)y, k) * (255.0 - alpha) + colour[k] * alpha + 127.0) / 255.0);
    for (uint32_t k = 0; k < 3 && view->painted != NULL && view->painted[i] < view->classes && px >= edge; k++)
        pixel[k] =
            (uint8_t)floor((pixel[k] * (255.0 - 179.0) + view->colours[view->painted[i]][k] * 179.0 + 127.0) / 255.0);
}

/* Pixel p of the canvas is of a pixel of the picture if its centre is: the first and last one of such a range. */
static void range_of(int64_t first, int64_t end, int64_t offset, int64_t zoom, int64_t *low, int64_t *high)
{
    *low = (int64_t)ceil((double)(first * zoom + offset - 128) / 256.0);
    *high = (int64_t)ceil((double)(end * zoom + offset - 128) / 256.0) - 1;
    *high = *high < *low ? *low : *high;
}

static void draw_outlines(const struct view *view, int64_t px, int64_t py, uint8_t pixel[3])
{
    for (uint32_t i = 0; i < view->outline_count; i++) {
        const struct outline *outline = &view->outlines[i];
        int64_t left, right, top, bottom;
        range_of(outline->x0, outline->x1, view->offset_x, view->zoom, &left, &right);
        range_of(outline->y0, outline->y1, view->offset_y, view->zoom, &top, &bottom);
        if (px < left - 1 || px > right + 1 || py < top - 1 || py > bottom + 1)
            continue;
        if (px < left || px > right || py < top || py > bottom)
            memset(pixel, 0, 3);
        else if (px == left || px == right || py == top || py == bottom)
            memcpy(pixel, outline->colour, 3);
    }
}

void assert_view(const char *path, const struct view *view)
{
    struct shw_image_file file;
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    const uint8_t *got;

    assert_int_equal(shw_image_file_read(path, NULL, &log, &file), SHW_OK);
    assert_int_equal(file.image.format, SHW_PIXEL_RGB8);
    assert_int_equal(file.image.width, view->width);
    assert_int_equal(file.image.height, view->height);
    got = file.pixels;
    for (uint32_t y = 0; y < view->height; y++)
        for (uint32_t x = 0; x < view->width; x++, got += 3) {
            uint8_t pixel[3];
            expected(view, x, y, pixel);
            draw_outlines(view, x, y, pixel);
            if (memcmp(got, pixel, 3) != 0)
                fail_msg("%s: pixel (%u, %u) of %s is %u %u %u, not %u %u %u", path, x, y, view->mode, got[0], got[1],
                         got[2], pixel[0], pixel[1], pixel[2]);
        }
    shw_image_file_free(&file);
}
