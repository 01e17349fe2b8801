/* What may be written: the rule about files that exist, and where results go that cannot be written there. */
#include "testing/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/document.h"
#include "files/image/image_write.h"
#include "files/io/output_files.h"
#include "files/project/project.h"

#define WIDTH  70
#define HEIGHT 50

static uint8_t pixels[WIDTH * HEIGHT * 3];
static const struct shw_image image = {.pixels = pixels, .width = WIDTH, .height = HEIGHT, .format = SHW_PIXEL_RGB8};

/* Every test has an empty folder of its own as the current one. */
static int setup(void **state)
{
    static unsigned number;
    char name[32];

    (void)state;
    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (uint8_t)(i * i >> 3);
    snprintf(name, sizeof name, "folder%u", number++);
    return mkdir(testing_path(name), 0777) != 0 || chdir(testing_path(name)) != 0;
}

static void make(const char *path, const char *text)
{
    FILE *stream = fopen(path, "w");

    assert_non_null(stream);
    fputs(text, stream);
    assert_int_equal(fclose(stream), 0);
}

struct check {
    struct shw_output_files files;
    struct testing_log memory;
};

static void begin(struct check *check, bool overwrite)
{
    *check = (struct check){.files = {.overwrite = overwrite, .hint = "--hint"}};
    check->files.log = testing_log(&check->memory);
}

/* Ends with the result, and a message with the part. */
static void end(struct check *check, enum shw_result expected, const char *part)
{
    enum shw_result result = shw_output_files_check(&check->files);

    assert_int_equal(result, expected);
    assert_int_equal(check->memory.errors, expected != SHW_OK);
    if (part != NULL && strstr(check->memory.last, part) == NULL)
        fail_msg("'%s' is not in: %s", part, check->memory.last);
    shw_output_files_free(&check->files);
}

static void check_one(const char *path, const struct shw_file_kind *kind, bool overwrite, enum shw_result expected,
                      const char *part)
{
    struct check check;

    begin(&check, overwrite);
    shw_output_files_write(&check.files, path, kind);
    end(&check, expected, part);
}

TESTING_CASE_WITH(test_what_may_be_replaced, setup, NULL)
{
    check_one("new.png", &shw_file_overlay, false, SHW_OK, NULL);
    assert_int_equal(access("new.png", F_OK), -1);
    make("empty.png", "");
    check_one("-", &shw_file_overlay, true, SHW_ERROR_ARGUMENT, "an overlay is written to a file, not to standard");
    check_one("empty.png", &shw_file_overlay, false, SHW_OK, NULL);
    make("mine.png", "mine");
    check_one("mine.png", &shw_file_overlay, false, SHW_ERROR_IO, "mine.png exists, and is not an overlay");
    check_one("mine.png", &shw_file_overlay, false, SHW_ERROR_IO, "--hint");
    check_one("mine.png", &shw_file_overlay, true, SHW_OK, NULL);
    make("mine.npy", "mine");
    check_one("mine.npy", &shw_file_array, false, SHW_ERROR_IO, "mine.npy exists: ");
    check_one("mine.npy", &shw_file_array, true, SHW_OK, NULL);
    assert_int_equal(shw_png_write_marked("ours.png", shw_file_overlay.name, &image, NULL), SHW_OK);
    check_one("ours.png", &shw_file_overlay, false, SHW_OK, NULL);
    check_one("ours.png", &shw_file_labels, false, SHW_ERROR_IO, "is not a label image");
    check_one("ours.png", &shw_file_forest, false, SHW_ERROR_IO, "is not a forest");
    make("p.json", "{\"format\": \"shadewood-project\"}");
    check_one("p.json", &shw_file_project, false, SHW_OK, NULL);
    check_one("p.json", &shw_file_bench_report, false, SHW_ERROR_IO, "p.json");
    check_one("p.json", &shw_file_forest, false, SHW_ERROR_IO, "p.json");
    make("log.jsonl", "{\"event\": \"start\", \"version\": \"1\"}\n{}\n");
    check_one("log.jsonl", &shw_file_training_log, false, SHW_OK, NULL);
    check_one("mine.png", &shw_file_training_log, false, SHW_ERROR_IO, "is not a training log");
    for (unsigned i = 0; i < 2; i++) { /* pages of a TIFF */
        assert_int_equal(shw_tiff_write_pages("p.tif", NULL, (const uint16_t *)(const void *)pixels, 1, 20, 20, NULL),
                         SHW_OK);
        check_one("p.tif", &shw_file_probability_pages, false, SHW_OK, NULL);
    }
    check_one("p.tif", &shw_file_probabilities, false, SHW_ERROR_IO, "p.tif");
}

/* The first line holds all parameters, and the names of all classes. */
TESTING_CASE_WITH(test_logs_with_long_lines, setup, NULL)
{
    FILE *stream = fopen("long.jsonl", "w");

    assert_non_null(stream);
    fputs("{\"event\": \"start\", \"version\": \"1\", \"names\": [\"\"", stream);
    for (int i = 0; i < 20000; i++)
        fprintf(stream, ", \"class %d\"", i);
    fputs("]}\n{}\n", stream);
    assert_int_equal(fclose(stream), 0);
    check_one("long.jsonl", &shw_file_training_log, false, SHW_OK, NULL);
    stream = fopen("long.jsonl", "r+"); /* without an end of the line */
    assert_non_null(stream);
    assert_int_equal(ftruncate(fileno(stream), 200000), 0);
    assert_int_equal(fclose(stream), 0);
    check_one("long.jsonl", &shw_file_training_log, false, SHW_ERROR_IO, "long.jsonl");
}

/* The contents of a file; "" if there is none. */
static const char *text_of(const char *path)
{
    static char text[64];
    FILE *stream = fopen(path, "r");
    size_t size = stream != NULL ? fread(text, 1, sizeof text - 1, stream) : 0;

    text[size] = '\0';
    if (stream != NULL)
        fclose(stream);
    return text;
}

static void begin_job(struct check *check, bool overwrite, const char *path)
{
    begin(check, overwrite);
    shw_output_files_write(&check->files, path, &shw_file_project);
    assert_int_equal(shw_output_files_check(&check->files), SHW_OK);
}

/* Writes what the job made: to the path, or with a message that names both files. */
static void end_job(struct check *check, const char *path, const char *beside)
{
    enum shw_result result = shw_output_files_look_again(&check->files, path);

    assert_int_equal(result, beside == NULL ? SHW_OK : SHW_ERROR_IO);
    result = shw_output_files_save(&check->files, path, NULL, "result", 6);
    assert_int_equal(result, beside == NULL ? SHW_OK : SHW_ERROR_IO);
    assert_int_equal(check->memory.errors, beside == NULL ? 0 : 2);
    if (beside != NULL) {
        assert_non_null(strstr(check->memory.last, path));
        assert_non_null(strstr(check->memory.last, beside));
    }
    assert_string_equal(text_of(beside != NULL ? beside : path), "result");
    shw_output_files_free(&check->files);
}

/* What happens to a file between the check and the end of a long job. */
TESTING_CASE_WITH(test_files_that_appear_meanwhile_are_kept, setup, NULL)
{
    static const char ours[] = "{\"format\": \"shadewood-project\"}", other[] = "{\"format\": \"shadewood-project\" }";
    struct check check;

    begin_job(&check, false, "new.json"); /* nothing */
    end_job(&check, "new.json", NULL);
    assert_int_equal(access("new-2.json", F_OK), -1);

    begin_job(&check, false, "a.json"); /* one appears, even one of Shadewood's */
    make("a.json", ours);
    make("a-2.json", "mine");
    end_job(&check, "a.json", "a-3.json");
    assert_string_equal(text_of("a.json"), ours);
    assert_string_equal(text_of("a-2.json"), "mine");

    begin_job(&check, true, "a.json");
    make("a.json", "mine");
    end_job(&check, "a.json", NULL);

    make("b.json", ours); /* an old result stays, goes, and is changed */
    begin_job(&check, false, "b.json");
    end_job(&check, "b.json", NULL);
    make("b.json", ours);
    begin_job(&check, false, "b.json");
    assert_int_equal(unlink("b.json"), 0);
    end_job(&check, "b.json", NULL);
    make("b.json", ours);
    begin_job(&check, false, "b.json");
    make("c.json", other);
    assert_int_equal(rename("c.json", "b.json"), 0);
    end_job(&check, "b.json", "b-2.json");
    assert_string_equal(text_of("b.json"), other);
    begin_job(&check, false, "./d"); /* no ending */
    assert_int_equal(mkdir("d", 0777), 0);
    end_job(&check, "./d", "./d-2");

    begin_job(&check, false, "f.json");
    assert_int_equal(symlink("missing", "f.json"), 0);
    end_job(&check, "f.json", "f-2.json");

    make("in", "mine"); /* an input takes the place */
    begin(&check, true);
    shw_output_files_read(&check.files, "in");
    shw_output_files_write(&check.files, "e.json", &shw_file_project);
    assert_int_equal(shw_output_files_check(&check.files), SHW_OK);
    assert_int_equal(link("in", "e.json"), 0);
    end_job(&check, "e.json", "e-2.json");
    assert_string_equal(text_of("in"), "mine");
}

/* A name of 255 bytes has no room for a number. */
TESTING_CASE_WITH(test_long_names_are_cut, setup, NULL)
{
    char path[300], beside[300];
    struct check check;

    memset(path, 'x', 255);
    memcpy(path, "\xc3\xa4", 2); /* of two bytes, as all the next */
    for (size_t i = 2; i < 248; i += 2)
        memcpy(path + i, "\xc3\xb6", 2);
    strcpy(path + 250, ".json");
    memcpy(beside, path, 248); /* two bytes make room for "-2" */
    strcpy(beside + 248, "-2.json");
    begin_job(&check, false, path);
    make(path, "mine");
    end_job(&check, path, beside);
    assert_string_equal(text_of(path), "mine");

    memcpy(path, "a", 1); /* characters begin at odd places: half of one may not stay */
    for (size_t i = 1; i < 250; i += 2)
        memcpy(path + i, "\xc3\xb6", 2);
    strcpy(path + 249, ".jsonx");
    memcpy(beside, path, 247);
    strcpy(beside + 247, "-2.jsonx");
    begin_job(&check, false, path);
    make(path, "mine");
    end_job(&check, path, beside);

    memset(path, 'x', 255); /* an ending that leaves nothing to cut is cut itself */
    path[1] = '.';
    path[255] = '\0';
    memcpy(beside, path, 253);
    strcpy(beside + 253, "-2");
    begin_job(&check, false, path);
    make(path, "mine");
    end_job(&check, path, beside);
}

/* Writes what the job made after its folder has gone: one message names the path and `place`, or no place takes it. */
static void end_homeless_job(const char *refuge, const char *place)
{
    struct check check;

    assert_int_equal(mkdir("folder", 0777), 0);
    begin_job(&check, false, "folder/a.json");
    assert_int_equal(rmdir("folder"), 0);
    assert_int_equal(shw_output_files_save(&check.files, "folder/a.json", refuge, "result", 6), SHW_ERROR_IO);
    assert_int_equal(check.memory.errors, 1);
    assert_non_null(strstr(check.memory.last, "cannot write folder/a.json: No such file or directory; a project"));
    assert_non_null(strstr(check.memory.last, place));
    assert_string_equal(text_of(place), "result");
    assert_int_equal(unlink(place), 0);
    shw_output_files_free(&check.files);
}

TESTING_CASE_WITH(test_results_go_elsewhere, setup, NULL)
{
    char here[4096], temporary[4200];

    assert_non_null(getcwd(here, sizeof here));
    snprintf(temporary, sizeof temporary, "%s/temporary", here);
    assert_int_equal(mkdir("refuge", 0777), 0);
    assert_int_equal(mkdir(temporary, 0777), 0);
    assert_int_equal(setenv("TMPDIR", temporary, 1), 0);
    end_homeless_job("refuge/b.part", "refuge/a.json");
    make("refuge/a.json", "mine");
    end_homeless_job("refuge/b.part", "refuge/a-2.json");
    assert_string_equal(text_of("refuge/a.json"), "mine");
    end_homeless_job("gone/b.part", "./a.json");
    end_homeless_job(NULL, "./a.json");
    end_homeless_job("b.part", "./a.json");
    assert_int_equal(unsetenv("TMPDIR"), 0);
}

/* The current folder is gone as well. */
TESTING_CASE_WITH(test_results_go_to_the_temporary_folder, setup, NULL)
{
    char here[4096], temporary[4200], place[4300];
    struct check check;

    assert_non_null(getcwd(here, sizeof here));
    snprintf(temporary, sizeof temporary, "%s/temporary/", here);
    snprintf(place, sizeof place, "%sa.json", temporary);
    assert_int_equal(mkdir("temporary", 0777), 0);
    assert_int_equal(mkdir("current", 0777), 0);
    assert_int_equal(chdir("current"), 0);
    begin_job(&check, false, "a.json");
    assert_int_equal(rmdir("../current"), 0);
    assert_int_equal(setenv("TMPDIR", temporary, 1), 0);
    assert_int_equal(shw_output_files_save(&check.files, "a.json", "b.part", "result", 6), SHW_ERROR_IO);
    assert_int_equal(unsetenv("TMPDIR"), 0);
    assert_int_equal(chdir(here), 0);
    assert_int_equal(check.memory.errors, 1);
    assert_non_null(strstr(check.memory.last, place));
    assert_string_equal(text_of(place), "result");
    shw_output_files_free(&check.files);
}

/* A file that is written again and again is its writer's own, until somebody else writes it. */
TESTING_CASE_WITH(test_files_that_are_written_again, setup, NULL)
{
    static const char *const states[] = {"{\"format\": \"shadewood-project\"}", "{\"format\": \"shadewood-project\" }"};
    struct check check;
    const char *place = NULL;

    begin_job(&check, false, "a.json");
    for (int i = 0; i < 3; i++) {
        assert_int_equal(shw_output_files_settle(&check.files, "a.json", &place), SHW_OK);
        assert_string_equal(place, "a.json");
        make("a.json", states[i % 2]);
        shw_output_files_written(&check.files, "a.json");
    }
    make("a.json", "somebody else's");
    assert_int_equal(shw_output_files_settle(&check.files, "a.json", &place), SHW_OK);
    assert_string_equal(place, "a-2.json");
    assert_non_null(strstr(check.memory.last, "a-2.json"));
    for (int i = 0; i < 3; i++) {
        make("a-2.json", states[i % 2]);
        shw_output_files_written(&check.files, place);
        assert_int_equal(shw_output_files_settle(&check.files, place, &place), SHW_OK);
        assert_string_equal(place, "a-2.json");
    }
    assert_int_equal(shw_output_files_look_again(&check.files, place), SHW_OK);
    make("a-2.json", "somebody else's"); /* before it was noted what was written */
    shw_output_files_written(&check.files, place);
    assert_int_equal(shw_output_files_settle(&check.files, place, &place), SHW_OK);
    assert_string_equal(place, "a-2-2.json");
    assert_int_equal(check.memory.errors, 0);
    shw_output_files_free(&check.files);
}

TESTING_CASE_WITH(test_what_cannot_be_written, setup, NULL)
{
    check_one("", &shw_file_forest, true, SHW_ERROR_ARGUMENT, "a forest");
    check_one(".", &shw_file_forest, true, SHW_ERROR_IO, "folder");
    check_one("missing/x", &shw_file_forest, true, SHW_ERROR_IO, "missing/x");
    check_one("missing/", &shw_file_forest, true, SHW_ERROR_IO, "missing/");
    assert_int_equal(symlink("missing", "dangling"), 0);
    check_one("dangling", &shw_file_forest, false, SHW_ERROR_IO, "dangling: it is a dangling link");
    check_one("dangling", &shw_file_array, true, SHW_ERROR_IO, "dangling: it is a dangling link");
    check_one("/dev/null", &shw_file_forest, true, SHW_ERROR_IO, "not a regular file");
    check_one("/dev/null", &shw_file_training_log, false, SHW_OK, NULL);
    check_one(NULL, &shw_file_forest, true, SHW_OK, NULL);
}

TESTING_CASE_WITH(test_one_file_by_two_paths, setup, NULL)
{
    static const char *const inputs[] = {"in", "./in", "link", "hard", "here/in"};
    struct check check;

    make("in", "mine");
    assert_int_equal(symlink("in", "link"), 0);
    assert_int_equal(link("in", "hard"), 0);
    assert_int_equal(symlink(".", "here"), 0);
    for (size_t i = 0; i < 5; i++)
        for (size_t o = 0; o < 5; o++) {
            begin(&check, true);
            shw_output_files_read(&check.files, "elsewhere");
            shw_output_files_write(&check.files, inputs[o], &shw_file_forest);
            shw_output_files_read(&check.files, inputs[i]); /* in any order */
            end(&check, SHW_ERROR_ARGUMENT, "would be overwritten");
            if (i == o)
                continue;
            begin(&check, true);
            shw_output_files_write(&check.files, inputs[i], &shw_file_forest);
            shw_output_files_write(&check.files, inputs[o], &shw_file_forest);
            end(&check, SHW_ERROR_ARGUMENT, "the same file");
        }
    begin(&check, true); /* which do not exist yet */
    shw_output_files_write(&check.files, "new", &shw_file_forest);
    shw_output_files_write(&check.files, "other", &shw_file_forest);
    shw_output_files_write(&check.files, "here/new", &shw_file_forest);
    end(&check, SHW_ERROR_ARGUMENT, "the same file");
    begin(&check, true);
    shw_output_files_write(&check.files, "new", &shw_file_forest);
    shw_output_files_write(&check.files, "new", &shw_file_training_log);
    end(&check, SHW_ERROR_ARGUMENT, "twice");
    begin(&check, true);
    shw_output_files_write(&check.files, "/dev/null", &shw_file_training_log);
    shw_output_files_write(&check.files, "/dev/null", &shw_file_training_log);
    shw_output_files_write(&check.files, "new", &shw_file_forest);
    end(&check, SHW_OK, NULL);
    begin(&check, true);
    shw_output_files_read_folder(&check.files, ".");
    shw_output_files_write(&check.files, "in", &shw_file_forest); /* not an image */
    end(&check, SHW_OK, NULL);
    make("in.png", "mine");
    begin(&check, true);
    shw_output_files_read_folder(&check.files, ".");
    shw_output_files_write(&check.files, "here/in.png", &shw_file_forest);
    end(&check, SHW_ERROR_ARGUMENT, "in.png");
}

/* `overwrite` is not about them, neither at the check nor later. */
TESTING_CASE_WITH(test_files_apart, setup, NULL)
{
    struct check check;
    const char *place;

    make("mine", "precious");
    begin(&check, true);
    shw_output_files_write_apart(&check.files, "mine", &shw_file_checkpoint);
    end(&check, SHW_ERROR_IO, "mine exists, and is not a checkpoint that Shadewood wrote: choose another name");
    assert_null(strstr(check.memory.last, "--hint"));
    begin(&check, true);
    shw_output_files_write_apart(&check.files, "part", &shw_file_checkpoint);
    shw_output_files_write(&check.files, "forest", &shw_file_forest);
    assert_int_equal(shw_output_files_check(&check.files), SHW_OK);
    make("part", "precious");
    make("forest", "worthless");
    assert_int_equal(shw_output_files_settle(&check.files, "forest", &place), SHW_OK);
    assert_string_equal(place, "forest");
    assert_int_equal(shw_output_files_settle(&check.files, "part", &place), SHW_OK);
    assert_string_equal(place, "part-2");
    shw_output_files_free(&check.files);
}

/* Others of this process are kept out like those of other ones. */
TESTING_CASE_WITH(test_locked_files, setup, NULL)
{
    struct check one, other;
    const char *place;

    begin(&one, false);
    begin(&other, false);
    shw_output_files_write_apart(&one.files, "part", &shw_file_checkpoint);
    shw_output_files_write(&other.files, "./part", &shw_file_forest);
    assert_int_equal(shw_output_files_check(&one.files), SHW_OK);
    assert_int_equal(shw_output_files_check(&other.files), SHW_OK);
    assert_int_equal(shw_output_files_lock(&one.files, "part"), SHW_OK);
    assert_int_equal(shw_output_files_lock(&one.files, "part"), SHW_OK);
    assert_int_equal(shw_output_files_lock(&other.files, "./part"), SHW_ERROR_IO);
    assert_non_null(strstr(other.memory.last, "another shadewood is going to write a forest to ./part: wait until it"));
    /* Where the file goes, the lock goes, too. */
    make("part", "mine");
    assert_int_equal(shw_output_files_settle(&one.files, "part", &place), SHW_OK);
    assert_string_equal(place, "part-2");
    assert_int_equal(access(".part.lock.shadewood", F_OK), -1);
    assert_int_equal(access(".part-2.lock.shadewood", F_OK), 0);
    assert_int_equal(shw_output_files_lock(&other.files, "./part"), SHW_OK);
    shw_output_files_free(&one.files);
    shw_output_files_free(&other.files);
    assert_int_equal(access(".part-2.lock.shadewood", F_OK), -1);
    assert_int_equal(access(".part.lock.shadewood", F_OK), -1);
    /* Where there can be no lock, nobody is kept out. */
    assert_int_equal(symlink("nowhere", ".part-3.lock.shadewood"), 0);
    begin(&one, false);
    shw_output_files_write(&one.files, "part-3", &shw_file_forest);
    assert_int_equal(shw_output_files_check(&one.files), SHW_OK);
    assert_int_equal(shw_output_files_lock(&one.files, "part-3"), SHW_OK);
    assert_non_null(strstr(one.memory.last, "cannot tell whether another shadewood is going to write"));
    assert_int_equal(one.memory.errors, 0);
    shw_output_files_free(&one.files);
}
