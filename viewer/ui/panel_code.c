/* Feature types and channel kinds of the project's own, as text; and the question whether those inside a file may run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "code/coding.h"
#include "files/io/image_paths.h"
#include "ui/panel.h"
#include "ui/sheets.h"

#define WIDTH  640.0f /* of the question, in points */
#define HEIGHT 380.0f
#define TEXT   250.0f /* of the texts in it */

/* The first channel of a kind in the list, which is shown as a picture; NULL: it has none. */
static const char *first_channel(const struct shw_channel_list *list, const struct shw_channel_kind *kind)
{
    for (uint32_t i = 0; list != NULL && i < list->entry_count; i++)
        if (list->entries[i].kind == kind)
            return list->channels[list->entries[i].first].name;
    return NULL;
}

static void show_text(struct view_panel_context *context, const struct view_coding *coding,
                      const struct shw_project_text *text)
{
    const char *channel = first_channel(coding->scene->own_channels, text->made.kind);
    char show[SHW_CHANNEL_NAME_SIZE + 16] = "", remove[64];
    struct view_panel_item items[2];
    uint32_t count = 0;

    view_ui_text("%s", text->name);
    view_ui_dim_text("%s, %s", text->is_feature ? "feature type" : "channel kind",
                     text->runs ? "in use" : "does not run");
    if (text->path != NULL)
        view_ui_name(text->path, text->path);
    snprintf(remove, sizeof remove, "code-remove %s", text->name);
    if (channel != NULL) {
        snprintf(show, sizeof show, "channel %s", channel);
        items[count++] = (struct view_panel_item){
            "Show", show, "show the channel as a picture, which changes whenever the text is saved", false, false};
    }
    items[count++] = (struct view_panel_item){"Remove", remove, "train without it", false, false};
    view_panel_buttons(context, items, count);
}

static void show_error(const struct view_code_error *error)
{
    static const uint8_t red[3] = {230, 90, 80};
    char line[sizeof error->text + 16];

    if (error->message[0] == '\0')
        return;
    view_ui_separator();
    view_ui_coloured_text(red, "The text that was saved is wrong:");
    view_ui_wrapped_text("%s", error->message);
    if (error->line > 0) {
        snprintf(line, sizeof line, "%u: %s", error->line, error->text);
        view_ui_marked_text(line, view_ui_width());
    }
    view_ui_dim_text("what there was before goes on");
}

void view_panel_code(struct view_panel_context *context, void *user)
{
    const struct view_coding *coding = user;
    const struct shw_project *project = coding->teaching->project.data;
    const uint32_t count = project != NULL ? shw_project_get_text_count(project) : 0;

    if (count == 0)
        view_ui_wrapped_text("A feature or a channel can be a text (.glsl). It is compiled whenever it is saved.");
    for (uint32_t i = 0; i < count; i++) {
        const struct shw_project_text text = shw_project_get_text(project, i);

        view_ui_push_id(i);
        show_text(context, coding, &text);
        view_ui_pop_id();
        view_ui_space();
    }
    view_ui_dim_text("%s", view_code_job_is_busy(&coding->job) ? "compiling ..." : " ");
    if (project != NULL && shw_project_is_held_back(project) && !view_coding_is_awaited(coding))
        view_panel_button(context, "Run it", "code-run",
                          "run the texts that the project brings; until then nothing is learned", 0.0f, true);
    view_panel_button(context, "Add from a text...", "browse code", "add a feature or channel from a text (.glsl)",
                      0.0f, false);
    show_error(&coding->error);
}

/* --- The question --- */

/* Nothing of them may be out of sight to the right. */
static void show_lines(const char *text)
{
    while (*text != '\0') {
        const int length = (int)strcspn(text, "\n");

        view_ui_wrapped_text("%.*s", length > 0 ? length : 1, length > 0 ? text : " ");
        text += length + (text[length] == '\n');
    }
}

static void show_forest(const struct view_scene *scene)
{
    for (uint32_t i = 0; i < scene->held_forest.count; i++) {
        view_ui_heading(scene->held_forest.list[i].name);
        show_lines(scene->held_forest.list[i].text);
    }
}

static void show_project(const struct shw_project *project)
{
    for (uint32_t i = 0; i < shw_project_get_text_count(project); i++) {
        const struct shw_project_text text = shw_project_get_text(project, i);

        view_ui_heading(text.name);
        show_lines(text.text);
    }
}

bool view_asks_about_code(const void *user, struct view_asked *asked)
{
    *asked = (struct view_asked){NULL, "code-refuse", false};
    return view_coding_asks(user);
}

void view_ask_about_code(struct view_panel_context *context, void *user)
{
    static const char *const buttons[][2] = {{"Do not##code", "code-refuse"}, {"Run it##code", "code-run"}};
    const struct view_coding *coding = user;
    const float scale = view_ui_scale(context->ui);
    const char *forest = coding->scene->held_forest.path;
    bool open = true;

    if (!view_ui_sheet_begin("Run code from this file?", WIDTH * scale, HEIGHT * scale, &open))
        return;
    view_ui_wrapped_text("The %s%s brings code of its own, which computes features or channels from pixels. Run it "
                         "if you know where it comes from. Without it, %s",
                         forest != NULL ? "forest " : "project", forest != NULL ? shw_path_last(forest) : "",
                         forest != NULL ? "the forest is not opened." : "nothing is learned; all else works.");
    view_ui_list_begin("##texts", TEXT);
    if (forest != NULL)
        show_forest(coding->scene);
    else
        show_project(coding->teaching->project.data);
    view_ui_list_end();
    view_sheet_buttons(context, buttons, 2);
    view_ui_sheet_end();
    if (!open)
        view_panel_run(context, "code-refuse");
}
