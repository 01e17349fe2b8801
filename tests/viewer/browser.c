/* The list of what a folder has to open. */
#include "testing/testing.h"

#include <stdio.h>
#include <sys/stat.h>

#include "source/browser.h"

TESTING_CASE(test_order)
{
    static const char *const made[] = {"f10.png",  "F9.png",  "f8.png",    "f08.png",
                                       "notes.md", ".f1.png", "f100.json", "f99.ktx2"};
    static const char *const entries[] = {"n9",     "N10",     "f08.png",  "f8.png",
                                          "F9.png", "f10.png", "f99.ktx2", "f100.json"};
    struct view_browser browser = {0};
    char folder[512], path[600];

    snprintf(folder, sizeof folder, "%s", testing_path("folder"));
    mkdir(folder, 0777);
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, entries[1 - i]);
        mkdir(path, 0777);
    }
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        FILE *stream;

        snprintf(path, sizeof path, "%s/%s", folder, made[i]);
        stream = fopen(path, "w");
        assert_non_null(stream);
        fclose(stream);
    }
    assert_true(view_browser_go(&browser, folder));
    assert_int_equal(browser.count, sizeof entries / sizeof *entries);
    for (uint32_t i = 0; i < browser.count; i++) {
        assert_string_equal(browser.entries[i].name, entries[i]);
        assert_int_equal(browser.entries[i].folder, i < 2);
    }
    view_browser_free(&browser);
}
