/* What the program remembers: written and read again, and what is wrong with a file. */
#include "shell/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "testing/testing.h"

static const char *file_path(void)
{
    static char path[512];

    snprintf(path, sizeof path, "%s", testing_path("new/folders/viewer.json"));
    return path;
}

TESTING_CASE(what_is_written_is_read_again)
{
    struct view_settings written = {.window = {-7, 20, 1234, 777},
                                    .panels_off = true,
                                    .colour_blind = true,
                                    .words = true,
                                    .columns = {0.0f, 333.5f},
                                    .sizes = {{21, true}, {3, false}},
                                    .sizes_known = true,
                                    .column_states = {VIEW_COLUMN_SHOWN, VIEW_COLUMN_AUTO},
                                    .scale = 1.5f},
                         settings;

    written.path = strdup(file_path());
    strcpy(written.panels[0].name, "overlay");
    written.panels[0].open = true;
    written.panels[0].side = VIEW_SIDE_RIGHT;
    strcpy(written.panels[1].name, "teach");
    written.panels[1].shown = true;
    written.panels[1].side = VIEW_SIDES;
    written.panel_count = 2;
    view_settings_opened(&written, "open", "/nowhere/pictures of \"it\"");
    view_settings_opened(&written, "forest", "/nowhere/f\xc3\xbcr.ktx2");
    assert_int_equal(view_settings_save(&written, NULL), SHW_OK);
    assert_int_equal(view_settings_load(file_path(), NULL, &settings), SHW_OK);
    assert_int_equal(settings.window.x, -7);
    assert_int_equal(settings.window.y, 20);
    assert_int_equal(settings.window.width, 1234);
    assert_int_equal(settings.window.height, 777);
    assert_true(settings.scale == 1.5f && settings.colour_blind && settings.words);
    assert_true(settings.columns[VIEW_SIDE_LEFT] == 0.0f && settings.columns[VIEW_SIDE_RIGHT] == 333.5f);
    assert_true(settings.sizes_known);
    assert_true(settings.sizes[0].radius == 21 && settings.sizes[0].screen);
    assert_true(settings.sizes[1].radius == 3 && !settings.sizes[1].screen);
    assert_int_equal(settings.column_states[VIEW_SIDE_LEFT], VIEW_COLUMN_SHOWN);
    assert_int_equal(settings.column_states[VIEW_SIDE_RIGHT], VIEW_COLUMN_AUTO);
    assert_int_equal(settings.panels[0].side, VIEW_SIDE_RIGHT);
    assert_int_equal(settings.panels[1].side, VIEW_SIDES);
    assert_int_equal(settings.recent_count, 2);
    assert_string_equal(settings.recent[0], "forest /nowhere/f\xc3\xbcr.ktx2");
    assert_string_equal(settings.recent[1], "open /nowhere/pictures of \"it\"");
    assert_int_equal(settings.panel_count, 2);
    assert_string_equal(settings.panels[1].name, "teach");
    assert_true(settings.panels[1].shown && !settings.panels[1].open && settings.panels[0].open && settings.panels_off);
    view_settings_free(&settings);
    view_settings_free(&written);
}

static struct view_settings load(void)
{
    struct view_settings settings;

    assert_int_equal(view_settings_load(file_path(), NULL, &settings), SHW_OK);
    return settings;
}

static void assert_recent(const struct view_settings *settings, const char *const *lines, uint32_t count)
{
    assert_int_equal(settings->recent_count, count);
    for (uint32_t i = 0; i < count; i++)
        assert_string_equal(settings->recent[i], lines[i]);
}

/* Two programs keep what the other one has opened, and what one has removed stays so. */
TESTING_CASE(two_programs_share_a_list)
{
    const char *const both[] = {"open /nowhere/third", "open /nowhere/second", "open /nowhere/first"};
    struct view_settings one, other, read;

    unlink(file_path());
    one = load();
    other = load();
    view_settings_opened(&one, "open", "/nowhere/first");
    one.recent_times[0] = 1000;
    assert_int_equal(view_settings_save(&one, NULL), SHW_OK);
    view_settings_opened(&other, "open", "/nowhere/second");
    other.recent_times[0] = 2000;
    view_export_folders_note(&other.exports, file_path(), "/tmp");
    assert_int_equal(view_settings_save(&other, NULL), SHW_OK);
    view_settings_opened(&one, "open", "/nowhere/third");
    one.recent_times[0] = 3000;
    view_export_folders_note(&one.exports, NULL, "/");
    assert_int_equal(view_settings_save(&one, NULL), SHW_OK);
    read = load();
    assert_recent(&read, both, 3);
    assert_int_equal(read.exports.count, 2);
    view_settings_free(&read);

    view_settings_forget(&one, 1);
    assert_int_equal(view_settings_save(&one, NULL), SHW_OK);
    other.colour_blind = true; /* a change, after which it is written */
    assert_int_equal(view_settings_save(&other, NULL), SHW_OK);
    read = load();
    assert_recent(&read, (const char *const[]){both[0], both[2]}, 2);
    view_settings_free(&read);
    view_settings_free(&one);
    view_settings_free(&other);
}

TESTING_CASE(what_was_opened_last_comes_first)
{
    struct view_settings settings = {0};
    char path[64], expected[4096];

    for (unsigned i = 0; i < VIEW_RECENTS + 3; i++) {
        snprintf(path, sizeof path, "/nowhere/%u.png", i);
        view_settings_opened(&settings, "open", path);
    }
    assert_int_equal(settings.recent_count, VIEW_RECENTS);
    assert_string_equal(settings.recent[0], "open /nowhere/14.png");
    assert_string_equal(settings.recent[VIEW_RECENTS - 1], "open /nowhere/3.png");
    view_settings_opened(&settings, "open", "/nowhere/12.png");
    assert_int_equal(settings.recent_count, VIEW_RECENTS);
    assert_string_equal(settings.recent[0], "open /nowhere/12.png");
    assert_string_equal(settings.recent[1], "open /nowhere/14.png");
    assert_string_equal(settings.recent[2], "open /nowhere/13.png");
    assert_string_equal(settings.recent[3], "open /nowhere/11.png");
    view_settings_opened(&settings, "zoom", "fit");
    view_settings_opened(&settings, "project", "new");
    view_settings_opened(&settings, "save", "");
    assert_string_equal(settings.recent[0], "open /nowhere/12.png");
    assert_non_null(getcwd(path, sizeof path));
    view_settings_opened(&settings, "open", "dataset:.");
    snprintf(expected, sizeof expected, "open dataset:%s", path);
    assert_string_equal(settings.recent[0], expected);
    view_settings_opened(&settings, "save", "/nowhere/p.json");
    assert_string_equal(settings.recent[0], "project /nowhere/p.json");
    view_settings_free(&settings);
}

static void write_file(const char *text, size_t size)
{
    FILE *file = fopen(testing_path("wrong.json"), "wb");

    assert_non_null(file);
    fwrite(text, 1, size, file);
    fclose(file);
}

#define START "{\"format\": \"shadewood-viewer-settings\", \"version\": 1, "

TESTING_CASE(what_makes_no_sense_is_left_out)
{
    static const char *const texts[] = {
        START "\"window\": {\"x\": 0, \"y\": 0, \"width\": 0, \"height\": 400}}",
        START "\"window\": {\"x\": 0, \"y\": 0, \"width\": 99999999999, \"height\": 400}}",
        START "\"window\": {\"x\": \"0\", \"y\": 0, \"width\": 500, \"height\": 400}}",
        START "\"scale\": 0, \"colour-blind\": 1, \"words\": 1}",
        START "\"scale\": 1e300}",
        START "\"scale\": \"2\", \"window\": [1, 2], \"panels\": 7, \"recent\": {\"a\": 1}}",
        START "\"recent\": [7, null, \"quit\", \"open \", \"screenshot /etc/passwd\", \"open a\\nquit\", []]}",
        START "\"panels\": {\"left\": 219.9, \"right\": 1e9}}",
        START "\"panels\": {\"left\": \"300\", \"right\": -300}}",
        START "\"panels\": {\"on\": 1, \"panels\": {\"overlay\": {\"shown\": 1, \"open\": true}, \"b\": null, "
              "\"a name that is longer than any panel has one\": {\"shown\": true, \"open\": true}}}}"};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct testing_log memory;
        struct shw_log log = testing_log(&memory);
        struct view_settings settings;
        write_file(texts[i], strlen(texts[i]));
        assert_int_equal(view_settings_load(testing_path("wrong.json"), &log, &settings), SHW_OK);
        assert_int_equal(memory.count[SHW_LOG_FILE_READ], 0);
        assert_int_equal(settings.window.width, 0);
        assert_true(settings.scale == 0.0f);
        assert_int_equal(settings.recent_count, 0);
        assert_int_equal(settings.panel_count, 0);
        assert_false(settings.panels_off || settings.colour_blind || settings.words);
        assert_true(settings.columns[0] == 0.0f && settings.columns[1] == 0.0f);
        view_settings_free(&settings);
    }
}

TESTING_CASE(other_files_are_told)
{
    static const char *const texts[] = {"",
                                        "nonsense",
                                        "[]",
                                        "{\"format\": 7}",
                                        "{\"format\": \"shadewood-viewer-settings\"}",
                                        START "\"recent\": [",
                                        "\xff\xfe",
                                        START "\"recent\": [\"open a\\u0000b\"]}"};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct testing_log memory;
        struct shw_log log = testing_log(&memory);
        struct view_settings settings;
        write_file(texts[i], strlen(texts[i]));
        assert_int_equal(view_settings_load(testing_path("wrong.json"), &log, &settings), SHW_OK);
        assert_int_equal(memory.count[SHW_LOG_FILE_READ], 1);
        assert_non_null(strstr(memory.last, "wrong.json is not a settings file"));
        assert_true((settings.path == NULL) ==
                    (*texts[i] != '\0')); /* somebody else's file may have been named by mistake */
        view_settings_free(&settings);
    }
}

TESTING_CASE(later_versions_are_left_alone)
{
    static const char text[] = "{\"format\": \"shadewood-viewer-settings\", \"version\": 2, \"recent\": [\"open /a\"]}";
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    struct view_settings settings;

    write_file(text, sizeof text - 1);
    assert_int_equal(view_settings_load(testing_path("wrong.json"), &log, &settings), SHW_OK);
    assert_non_null(strstr(memory.last, "later version"));
    assert_int_equal(settings.recent_count, 0);
    assert_null(settings.path);
    assert_int_equal(view_settings_save(&settings, &log), SHW_OK);
    view_settings_free(&settings);
}

TESTING_CASE(what_cannot_be_read_is_left_alone)
{
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    struct view_settings settings;

    char path[512];

    snprintf(path, sizeof path, "%s", testing_path("wrong.json"));
    for (int kind = 0; kind < 4; kind++) {
        struct stat before, after;
        remove(path);
        if (kind == 0) {
            assert_int_equal(mkfifo(path, 0600), 0);
        } else if (kind == 1) {
            assert_int_equal(mkdir(path, 0700), 0);
        } else if (kind == 2) {
            assert_int_equal(symlink(path, path), 0); /* whoever runs this may read every file, but not that one */
        } else {
            write_file("{", 1);
            assert_int_equal(truncate(path, (off_t)65 << 20), 0); /* sparse */
        }
        assert_int_equal(lstat(path, &before), 0);
        memory.last[0] = '\0';
        assert_int_equal(view_settings_load(path, &log, &settings), SHW_OK);
        if (strstr(memory.last, "wrong.json cannot be read") == NULL)
            fail_msg("kind %d: %s", kind, memory.last);
        assert_null(settings.path);
        view_settings_opened(&settings, "open", "/nowhere");
        assert_int_equal(view_settings_save(&settings, &log), SHW_OK);
        assert_true(lstat(path, &after) == 0 && after.st_ino == before.st_ino && after.st_size == before.st_size);
        view_settings_free(&settings);
    }
    remove(path);
}

TESTING_CASE(garbage_never_hurts)
{
    static const char text[] =
        START "\"window\": {\"x\": 1, \"y\": 2, \"width\": 300, \"height\": 400}, \"recent\": [\"open /a\"], "
              "\"panels\": {\"on\": true, \"panels\": {\"overlay\": {\"shown\": true, \"open\": true}}}}";
    struct testing_random random = {5};

    for (unsigned i = 0; i < 400; i++) {
        struct testing_log memory;
        struct shw_log log = testing_log(&memory);
        struct view_settings settings;
        char wrong[sizeof text];
        memcpy(wrong, text, sizeof text);
        for (unsigned k = 0; k <= i % 4; k++)
            wrong[testing_random_below(&random, sizeof text - 1)] = (char)testing_random_below(&random, 256);
        write_file(wrong,
                   testing_random_below(&random, 4) > 0 ? sizeof text - 1 : testing_random_below(&random, sizeof text));
        assert_int_equal(view_settings_load(testing_path("wrong.json"), &log, &settings), SHW_OK);
        view_settings_free(&settings);
    }
}
