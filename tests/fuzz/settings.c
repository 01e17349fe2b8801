/* Fuzz target: the viewer's settings. Whatever is in them, they can be used, and are the same again after saving. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/messages.h"
#include "fuzz/scratch.h"
#include "fuzz/target.h"
#include "shell/settings.h"
#include "testing/testing.h"

static void check_bounds(const struct view_settings *settings)
{
    bool sized = settings->window.width > 0;

    if (sized != (settings->window.height > 0) || settings->window.width > VIEW_SETTINGS_SIDE_MAX ||
        settings->window.height > VIEW_SETTINGS_SIDE_MAX || settings->recent_count > VIEW_RECENTS ||
        settings->panel_count > VIEW_PANELS_MAX)
        abort();
    if (settings->scale != 0 && !(settings->scale >= VIEW_SCALE_MIN && settings->scale <= VIEW_SCALE_MAX))
        abort();
    for (uint32_t i = 0; i < settings->recent_count; i++)
        if (strlen(settings->recent[i]) >= VIEW_SETTINGS_LINE || strchr(settings->recent[i], ' ') == NULL)
            abort();
}

static void save_and_load(struct view_settings *settings, const char *path)
{
    struct view_settings again;

    view_settings_opened(settings, "open", "/nowhere/more.png");
    free(settings->path);
    settings->path = strdup(path);
    if (settings->path == NULL || view_settings_save(settings, NULL) != SHW_OK ||
        view_settings_load(path, NULL, &again) != SHW_OK)
        abort();
    if (again.recent_count != settings->recent_count || again.panel_count != settings->panel_count ||
        again.window.width != settings->window.width || again.panels_off != settings->panels_off)
        abort();
    for (uint32_t i = 0; i < again.recent_count; i++)
        if (strcmp(again.recent[i], settings->recent[i]) != 0)
            abort();
    view_settings_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char path[512], copy[512];
    struct fuzz_messages messages;
    struct shw_log log = fuzz_log(&messages);
    struct view_settings settings;

    if (path[0] == '\0') {
        snprintf(path, sizeof path, "%s", testing_path(FUZZ_NAME));
        snprintf(copy, sizeof copy, "%s", testing_path("copy.json"));
    }
    fuzz_write(path, data, size);
    if (view_settings_load(path, &log, &settings) != SHW_OK || messages.errors + messages.nameless > 0)
        abort();
    fuzz_accepted += settings.recent_count > 0 || settings.panel_count > 0;
    check_bounds(&settings);
    save_and_load(&settings, copy);
    view_settings_free(&settings);
    return 0;
}
