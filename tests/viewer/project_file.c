/* The file of a project: what others have changed since it was read is kept. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "output/output_files.h"
#include "teach/project_file.h"
#include "testing/testing.h"

static const uint8_t grey[3] = {90, 90, 90};

static void write_with_class(const char *path, const char *class)
{
    struct shw_project *project = NULL;

    assert_int_equal(shw_project_create(NULL, &project), SHW_OK);
    assert_int_equal(shw_project_add_class(project, class, grey), SHW_OK);
    assert_int_equal(shw_project_write(project, path), SHW_OK);
    shw_project_destroy(&project);
}

static const char *first_class(const char *path)
{
    static char name[64];
    struct shw_project *project = NULL;

    assert_int_equal(shw_project_read(path, NULL, &project), SHW_OK);
    snprintf(name, sizeof name, "%s", shw_project_get_class(project, 0)->name);
    shw_project_destroy(&project);
    return name;
}

static enum shw_result save(struct view_project *project, const char *path, bool overwrite, struct testing_log *memory)
{
    struct shw_log log = testing_log(memory);
    struct shw_output_files files = {.overwrite = overwrite, .hint = "the word", .log = log};
    enum shw_result result = view_project_write(project, path, &files, &log);

    shw_output_files_free(&files);
    return result;
}

static void changes_of_others_are_kept(void **state)
{
    char path[512], other[512], link[512];
    struct view_project project;
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);

    (void)state;
    snprintf(path, sizeof path, "%s", testing_path("shared.json"));
    snprintf(other, sizeof other, "%s", testing_path("other.json"));
    snprintf(link, sizeof link, "%s", testing_path("link.json"));
    write_with_class(path, "first");
    assert_int_equal(symlink(path, link), 0);
    assert_int_equal(view_project_read(path, &log, &project), SHW_OK);
    assert_int_equal(save(&project, NULL, false, &memory), SHW_OK); /* nobody has changed it */
    assert_int_equal(save(&project, path, false, &memory), SHW_OK); /* but we */

    write_with_class(path, "of another program");
    assert_true(view_project_is_changed_elsewhere(&project));
    assert_int_equal(save(&project, NULL, false, &memory), SHW_ERROR_IO);
    assert_non_null(strstr(memory.last, "shared.json was changed by another program"));
    assert_non_null(strstr(memory.last, "the word"));
    assert_int_equal(save(&project, link, false, &memory), SHW_ERROR_IO);
    assert_string_equal(first_class(path), "of another program");

    assert_int_equal(save(&project, other, false, &memory), SHW_OK); /* it is the project's file from then on */
    assert_string_equal(first_class(other), "first");
    assert_string_equal(first_class(path), "of another program");
    write_with_class(other, "again");
    assert_int_equal(save(&project, NULL, true, &memory), SHW_OK); /* on purpose */
    assert_string_equal(first_class(other), "first");
    assert_int_equal(unlink(other), 0);
    assert_int_equal(save(&project, NULL, false, &memory), SHW_OK);
    view_project_close(&project);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(changes_of_others_are_kept)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
