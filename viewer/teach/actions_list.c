/* Actions for the list of pictures. */
#include <stdio.h>
#include <string.h>

#include "action/action.h"
#include "base/log.h"
#include "teach/teaching.h"

/* With the classes on all pictures. */
static void update(struct view_teaching *teaching)
{
    view_painting_finish(&teaching->painting);
    view_picture_list_update(&teaching->list, teaching->scene->player, &teaching->project);
}

/* Shows the picture of the row before or after that of the shown picture. */
static enum shw_result go_on(struct view_teaching *teaching, bool back)
{
    struct view_player *player = teaching->scene->player;
    const struct view_picture_list *list = &teaching->list;
    const struct view_source_info info = view_player_info(player);
    uint32_t row = 0;

    update(teaching);
    while (row < list->row_count && (back ? list->rows[row] < info.index : list->rows[row] <= info.index))
        row++;
    if (back ? row == 0 : row == list->row_count) {
        snprintf(teaching->said, sizeof teaching->said, "there is no %s picture in the list",
                 back ? "previous" : "further");
        return SHW_OK;
    }
    player->settle = true;
    return view_source_go_to(player->source, list->rows[back ? row - 1 : row]);
}

static enum shw_result change_list(void *user, const char *argument)
{
    struct view_teaching *teaching = user;
    struct view_picture_list *list = &teaching->list;
    size_t length = strcspn(argument, " \t");
    const char *rest = argument + length + strspn(argument + length, " \t");
    uint32_t number;

    if (strcmp(argument, "next") == 0 || strcmp(argument, "previous") == 0)
        return go_on(teaching, argument[0] == 'p');
    if (length == 4 && strncmp(argument, "name", length) == 0) {
        snprintf(list->name, sizeof list->name, "%s", rest);
    } else if (length == 5 && strncmp(argument, "class", length) == 0) {
        if (!view_scene_find_class(teaching->scene, rest, &number) || number >= teaching->class_count)
            return view_action_refuse(&teaching->scene->log, "a class's name or number", rest);
        list->filter = VIEW_LIST_CLASS;
        list->class_number = number;
    } else if (strcmp(argument, "all") == 0) {
        list->filter = VIEW_LIST_ALL;
        list->name[0] = '\0';
    } else if (strcmp(argument, "painted") == 0) {
        list->filter = VIEW_LIST_PAINTED;
    } else if (strcmp(argument, "unpainted") == 0) {
        list->filter = VIEW_LIST_UNPAINTED;
    } else if (strcmp(argument, "kept") == 0) {
        list->filter = VIEW_LIST_KEPT;
    } else {
        return view_action_refuse(&teaching->scene->log,
                                  "all, painted, unpainted, kept, class CLASS, name PART, next or previous", argument);
    }
    list->stale = true;
    return SHW_OK;
}

static void print_row(const struct view_teaching *teaching, uint32_t entry, bool shown)
{
    const char *name = view_source_name(teaching->scene->player->source, entry), *separator = ": ";
    uint32_t strokes;
    const bool *classes = view_picture_list_marks(&teaching->list, entry, &strokes);

    printf("%s%u %s", shown ? "*" : " ", entry + 1, name != NULL ? view_picture_list_base(name) : "");
    if (strokes > 0)
        printf(", %u %s", strokes, strokes == 1 ? "stroke" : "strokes");
    for (uint32_t c = 0; strokes > 0 && c < teaching->list.class_count && c < teaching->class_count; c++)
        if (classes[c]) {
            printf("%s%s", separator, teaching->classes[c].name);
            separator = ", ";
        }
    if (view_picture_list_is_kept(&teaching->list, entry))
        printf("; kept for testing");
    if (view_ranking_value(&teaching->ranking, entry) >= 0.0)
        printf("; uncertainty %.1f %%", 100.0 * view_ranking_value(&teaching->ranking, entry));
    printf("\n");
}

static enum shw_result print_list(void *user, const char *argument)
{
    struct view_teaching *teaching = user;
    const struct view_player *player = teaching->scene->player;

    (void)argument;
    update(teaching);
    for (uint32_t row = 0; row < teaching->list.row_count; row++)
        print_row(teaching, teaching->list.rows[row], teaching->list.rows[row] == view_player_info(player).index);
    return SHW_OK;
}

static enum shw_result rank(void *user, const char *argument)
{
    struct view_teaching *teaching = user;

    (void)argument;
    update(teaching);
    return view_ranking_begin(&teaching->ranking, teaching->scene, &teaching->list, &teaching->project);
}

static const struct view_action actions[] = {
    {"list", "WHAT...",
     "choose which pictures are listed: all, painted, unpainted, kept (for testing), `class CLASS`, and `name PART` "
     "for those whose names "
     "contain it; or show the next or previous one of them",
     change_list},
    {"pictures", NULL, "print the list of pictures, with the strokes and classes on each, and its uncertainty",
     print_list},
    {"rank", NULL, "find out how uncertain the forest is on each picture; scripts wait for it", rank},
    {0}};

static const struct view_key keys[] = {{0}};

const struct view_action_group view_list_group = {"List of pictures", actions, keys};
