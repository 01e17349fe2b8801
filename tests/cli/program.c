#include "program.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "files/image/image_write.h"

static const char *folder(void)
{
    static char path[512];

    if (path[0] == '\0') {
        snprintf(path, sizeof path, "%s", testing_path("work"));
        assert_int_equal(mkdir(path, 0777), 0);
    }
    return path;
}

const char *place(const char *name)
{
    static char paths[8][1024];
    static unsigned next;
    char *path = paths[next++ % 8];

    snprintf(path, sizeof paths[0], "%s/%s", folder(), name);
    return path;
}

static char *slurp(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *bytes = calloc(1, (1u << 20) + 1);

    assert_non_null(file);
    assert_non_null(bytes);
    *size = fread(bytes, 1, 1u << 20, file);
    fclose(file);
    return bytes;
}

static struct run run_line(const char *before, const char *format, va_list arguments)
{
    static char *out, *err;
    char line[4096], command[8192], out_path[512], err_path[512];
    const char *program = getenv("SHADEWOOD_PROGRAM");
    size_t size;
    int status;

    assert_non_null(program);
    free(out);
    free(err);
    vsnprintf(line, sizeof line, format, arguments);
    snprintf(out_path, sizeof out_path, "%s", testing_path("stdout"));
    snprintf(err_path, sizeof err_path, "%s", testing_path("stderr"));
    /* calibrations of the user's own are out of sight; Mesa's shaders stay where they are */
    snprintf(command, sizeof command,
             "export MESA_SHADER_CACHE_DIR=\"${MESA_SHADER_CACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}}\" "
             "XDG_CACHE_HOME='%s'\n"
             "shadewood() { %s '%s' \"$@\"; }; cd '%s' || exit 99; { %s\n} >'%s' 2>'%s' </dev/null",
             place("cache"), before, program, folder(), line, out_path, err_path);
    status = system(command);
    out = slurp(out_path, &size);
    err = slurp(err_path, &size);
    return (struct run){WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), out, err};
}

struct run run(const char *format, ...)
{
    struct run result;
    va_list arguments;

    va_start(arguments, format);
    result = run_line("", format, arguments);
    va_end(arguments);
    return result;
}

struct run run_blind(const char *format, ...)
{
    struct run result;
    va_list arguments;

    va_start(arguments, format);
    result = run_line("env VK_ICD_FILENAMES=/nonexistent VK_DRIVER_FILES=/nonexistent", format, arguments);
    va_end(arguments);
    return result;
}

void need_mpirun(void)
{
    if (is_for_windows() || run("command -v mpirun").code != 0)
        testing_skip("no mpirun");
    setenv("MPI_OPTIONS", "--allow-run-as-root --oversubscribe --mca btl_vader_single_copy_mechanism none", 1);
    setenv("OMPI_MCA_plm", "isolated", 1);
}

void need_device(void)
{
    if (run("shadewood devices").code != 0)
        testing_skip("no Vulkan device");
}

bool is_for_windows(void)
{
    const char *system = getenv("SHADEWOOD_SYSTEM");

    return system != NULL && strcmp(system, "windows") == 0;
}

void skip_on_windows(const char *reason)
{
    if (!is_for_windows())
        return;
    printf("# skipped: Windows, or Wine: %s\n", reason);
    fflush(stdout);
    skip();
}

void assert_one_line(struct run result, int code, ...)
{
    const char *newline = strchr(result.err, '\n'), *text;
    va_list texts;

    if (result.code != code)
        fail_msg("exit code %d, not %d: %s", result.code, code, result.err);
    if (result.out[0] != '\0')
        fail_msg("standard output has: %s", result.out);
    if (newline == NULL || newline[1] != '\0' || strncmp(result.err, "shadewood", 9) != 0)
        fail_msg("not one line that begins with the program's name: %s", result.err);
    va_start(texts, code);
    while ((text = va_arg(texts, const char *)) != NULL)
        if (strstr(result.err, text) == NULL)
            fail_msg("'%s' is not in: %s", text, result.err);
    va_end(texts);
}

void assert_success(struct run result)
{
    if (result.code != 0)
        fail_msg("exit code %d: %s", result.code, result.err);
}

void make_project(const char *name, const char *picture)
{
    char text[2048];
    int length = snprintf(
        text, sizeof text,
        "{\"format\": \"shadewood-project\", \"version\": 1, \"classes\": [{\"name\": \"sky\", \"colour\": [1, 2, 3]}, "
        "{\"name\": \"grass\", \"colour\": [4, 5, 6]}, {\"name\": \"road\", \"colour\": [7, 8, 9]}], \"training\": "
        "{\"trees\": 2, \"depth\": 4, \"candidates\": 10, \"channels\": \"rgb\", \"seed\": \"5\"}, \"pictures\": "
        "[{\"name\": \"%s\", \"width\": 48, \"height\": 40, \"strokes\": ["
        "{\"class\": 0, \"radius\": 2, \"points\": [5, 5, 40, 5]}, {\"class\": 0, \"radius\": 1, \"points\": [9, 9]}, "
        "{\"class\": 1, \"radius\": 2, \"points\": [5, 20, 40, 20]}, {\"class\": 1, \"radius\": 1, \"points\": [9, "
        "16]}, "
        "{\"class\": 2, \"radius\": 2, \"points\": [5, 35, 40, 35]}, {\"class\": 2, \"radius\": 1, \"points\": [9, "
        "31]}]}]}",
        picture);

    assert_in_range(length, 1, sizeof text - 1);
    make_file(name, text, (size_t)length);
}

void make_file(const char *name, const void *bytes, size_t size)
{
    FILE *file = fopen(place(name), "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

char *file_bytes(const char *name, size_t *size)
{
    return slurp(place(name), size);
}

unsigned entry_count(const char *name)
{
    DIR *entries = opendir(place(name));
    unsigned count = 0;
    const struct dirent *entry;

    assert_non_null(entries);
    while ((entry = readdir(entries)) != NULL)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(entries);
    return count;
}

void assert_output_begins(struct run result, const char *text)
{
    assert_success(result);
    if (strncmp(result.out, text, strlen(text)) != 0)
        fail_msg("not '%s' but '%s'", text, result.out);
}

void same_file(const char *name, const char *other)
{
    size_t size, other_size;
    char *bytes = file_bytes(name, &size), *others = file_bytes(other, &other_size);

    assert_int_equal(size, other_size);
    assert_memory_equal(bytes, others, size);
    free(bytes);
    free(others);
}

bool exists(const char *name)
{
    struct stat status;

    return stat(place(name), &status) == 0;
}

json_t *parse_json(const char *text)
{
    json_error_t error;
    json_t *document = json_loads(text, 0, &error);

    if (document == NULL)
        fail_msg("not JSON (%s): %s", error.text, text);
    return document;
}

#define WIDTH  48u
#define HEIGHT 40u

/* Three bands of noisy colours at a height that changes from image to image. */
static void make_example(const char *name, uint32_t index, struct testing_random *random)
{
    static const uint8_t colours[3][3] = {{200, 60, 60}, {60, 200, 60}, {60, 60, 200}};
    static uint8_t pixels[WIDTH * HEIGHT * 3], labels[WIDTH * HEIGHT];
    struct shw_image image = {.pixels = pixels, .width = WIDTH, .height = HEIGHT, .format = SHW_PIXEL_RGB8};
    uint32_t first = 5 + testing_random_below(random, 10), second = 20 + testing_random_below(random, 10);
    char path[256];

    for (uint32_t i = 0; i < WIDTH * HEIGHT; i++) {
        uint32_t y = i / WIDTH;
        labels[i] = (uint8_t)(y < first ? 0 : y < second ? 1 : 2);
        for (int c = 0; c < 3; c++)
            pixels[3 * i + (uint32_t)c] = (uint8_t)(colours[labels[i]][c] + testing_random_range(random, -50, 50));
    }
    snprintf(path, sizeof path, "%s/%02u.png", name, index);
    assert_int_equal(shw_png_write(place(path), &image, NULL), SHW_OK);
    snprintf(path, sizeof path, "%s/%02u_L.png", name, index);
    assert_int_equal(shw_png_write_indexed(place(path), labels, WIDTH, HEIGHT, colours, 3, NULL), SHW_OK);
}

void make_data(const char *name, uint32_t count)
{
    static const char palette[] =
        "{\"classes\": [{\"name\": \"red\", \"colour\": [200, 60, 60]}, "
        "{\"name\": \"green\", \"colour\": [60, 200, 60]}, {\"name\": \"blue\", \"colour\": [60, 60, 200]}]}";
    struct testing_random random = {7};
    char path[256];

    assert_int_equal(mkdir(place(name), 0777), 0);
    for (uint32_t i = 0; i < count; i++)
        make_example(name, i, &random);
    snprintf(path, sizeof path, "%s/palette.json", name);
    make_file(path, palette, sizeof palette - 1);
}
