#include "bench/page.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "bench/chart.h"
#include "bench/markup.h"

/* The number of a key, assigned at its first appearance. SIZE_MAX: out of memory. */
static size_t number_of(json_t *numbers, const char *key)
{
    const json_t *known = json_object_get(numbers, key);
    size_t next = json_object_size(numbers);

    if (known != NULL)
        return (size_t)json_integer_value(known);
    return json_object_set_new(numbers, key, json_integer((json_int_t)next)) == 0 ? next : SIZE_MAX;
}

/* Skips `word` and a slash if the text starts with them. */
static const char *skip(const char *text, const char *word)
{
    size_t length = strlen(word);

    return length > 0 && strncmp(text, word, length) == 0 && text[length] == '/' ? text + length + 1 : text;
}

/* The setting in the id, with sizes and numbers as "640×480" and "trees 8". */
static char *setting_text(const json_t *row)
{
    const char *id = shw_text_member(row, "id"), *technique = shw_text_member(row, "technique");
    const char *series = shw_text_member(row, "series"), *end;
    size_t length = strlen(technique), written = 0;
    char *text;

    id = skip(skip(id, shw_text_member(row, "suite")), shw_text_member(row, "stage"));
    if (strncmp(id, "by-", 3) == 0)
        id = skip(id + 3, series) != id + 3 ? skip(id + 3, series) : id;
    end = id + strlen(id);
    if ((size_t)(end - id) > length && strcmp(end - length, technique) == 0 && end[-(ptrdiff_t)length - 1] == '/')
        end -= length + 1;
    else if ((size_t)(end - id) == length && strcmp(id, technique) == 0)
        end = id;
    text = malloc(2 * (size_t)(end - id) + 1);
    if (text == NULL)
        return NULL;
    for (const char *at = id; at < end; at++) {
        bool digits = at > id && isdigit((unsigned char)at[-1]) && isdigit((unsigned char)at[1]) && at + 1 < end;
        if (*at == 'x' && digits)
            written += (size_t)sprintf(text + written, "\xc3\x97");
        else
            text[written++] = *at == '-' && at + 1 < end && isdigit((unsigned char)at[1]) ? ' ' : *at;
    }
    text[written] = '\0';
    return text;
}

/* Whether the series varies the part: "trees 8" in "trees", a size in "pixels", the value itself. */
static bool is_of_series(const char *part, const json_t *row, const char *series)
{
    const json_t *value = json_object_get(json_object_get(row, "setting"), series);
    size_t length = strlen(series);

    if (length == 0)
        return false;
    if (strncmp(part, series, length) == 0 && part[length] == ' ')
        return true;
    if (strcmp(series, "pixels") == 0 && isdigit((unsigned char)*part) && strstr(part, "\xc3\x97") != NULL)
        return true;
    return json_is_string(value) && strcmp(part, json_string_value(value)) == 0;
}

/* Splits the text at slashes. */
static void cut(struct shw_page_row *made)
{
    const char *series = shw_text_member(made->row, "series");
    char *at = made->text;

    made->series_part = SHW_PAGE_PARTS_MAX;
    while (at != NULL && *at != '\0') {
        char *slash = made->part_count + 1 < SHW_PAGE_PARTS_MAX ? strchr(at, '/') : NULL;
        if (slash != NULL)
            *slash = '\0';
        if (made->series_part == SHW_PAGE_PARTS_MAX && is_of_series(at, made->row, series))
            made->series_part = made->part_count;
        made->parts[made->part_count++] = at;
        at = slash != NULL ? slash + 1 : NULL;
    }
    if (made->series_part > made->part_count)
        made->series_part = made->part_count;
}

/* Built-in techniques have fixed styles, others the remaining ones in order of appearance. */
static unsigned style_of(struct shw_page *page, const char *technique)
{
    static const char *const ours[] = {"cpu", "compute", "fragment", "blend"};
    unsigned style = 0;

    while (style < 4 && strcmp(ours[style], technique) != 0)
        style++;
    while (style >= 4 && style < SHW_CHART_STYLES - 1 && page->techniques[style] != NULL &&
           strcmp(page->techniques[style], technique) != 0)
        style++;
    if (page->techniques[style] == NULL)
        page->techniques[style] = technique;
    return style;
}

static bool describe(struct shw_page *page, struct shw_page_row *made, json_t *settings)
{
    const json_t *row = made->row;
    const char *id = shw_text_member(row, "id"), *technique = shw_text_member(row, "technique");
    size_t length = strlen(id), tail = strlen(technique);
    char *key = strdup(id);

    made->text = setting_text(row);
    if (key == NULL || made->text == NULL) {
        free(key);
        return false;
    }
    if (length > tail && strcmp(id + length - tail, technique) == 0 && id[length - tail - 1] == '/')
        key[length - tail] = '\0';
    made->setting = number_of(settings, key);
    free(key);
    cut(made);
    made->x = shw_number_member(json_object_get(row, "setting"), shw_text_member(row, "series"));
    made->style = style_of(page, technique);
    made->ms = shw_row_ms(row);
    return made->setting != SIZE_MAX;
}

static void find_varying(struct shw_page_group *group)
{
    group->aligned = true;
    for (size_t i = 1; i < group->count; i++) {
        const struct shw_page_row *first = &group->rows[0], *row = &group->rows[i];
        group->aligned &= row->part_count == first->part_count;
        for (size_t part = 0; part < row->part_count && part < first->part_count; part++)
            group->varies[part] |= strcmp(row->parts[part], first->parts[part]) != 0;
    }
}

/* Numbers the families by the parts that the series does not vary. */
static bool find_families(struct shw_page_group *group)
{
    json_t *numbers = json_object();
    bool good = numbers != NULL;

    for (size_t i = 0; i < group->count && good; i++) {
        struct shw_page_row *row = &group->rows[i];
        char *key = calloc(1, strlen(shw_text_member(row->row, "id")) * 2 + SHW_PAGE_PARTS_MAX + 1), *end = key;
        good = key != NULL;
        for (size_t part = 0; part < row->part_count && good; part++)
            end += sprintf(end, "%s/", part != row->series_part ? row->parts[part] : "");
        if (good)
            row->family = number_of(numbers, key);
        good = good && row->family != SIZE_MAX;
        free(key);
    }
    group->family_count = json_object_size(numbers);
    json_decref(numbers);
    return good;
}

/* The group of each row by suite, stage and series, and how many rows each has. */
static bool count_groups(struct shw_page *page, const json_t *rows, size_t *numbers)
{
    static const char *const keys[] = {"suite", "stage", "series"};
    json_t *names = json_object(), *row;
    bool good = names != NULL;
    size_t i;

    json_array_foreach(rows, i, row)
    {
        json_t *name = good ? json_sprintf("%s\n%s\n%s", shw_text_member(row, keys[0]), shw_text_member(row, keys[1]),
                                           shw_text_member(row, keys[2]))
                            : NULL;
        if (name == NULL) {
            good = false;
            break;
        }
        numbers[i] = number_of(names, json_string_value(name));
        json_decref(name);
        good = numbers[i] != SIZE_MAX;
        if (good && numbers[i] == page->group_count)
            page->groups[page->group_count++] = (struct shw_page_group){.suite = shw_text_member(row, keys[0]),
                                                                        .stage = shw_text_member(row, keys[1]),
                                                                        .series = shw_text_member(row, keys[2])};
        if (good)
            page->groups[numbers[i]].count++;
    }
    json_decref(names);
    return good;
}

static int by_stage(const void *a, const void *b)
{
    const struct shw_page_group *left = a, *right = b;

    if (left->suite_number != right->suite_number)
        return left->suite_number < right->suite_number ? -1 : 1;
    if (left->stage_number != right->stage_number)
        return left->stage_number < right->stage_number ? -1 : 1;
    return (left->rows > right->rows) - (left->rows < right->rows);
}

/* Sorts groups by suite and stage, otherwise in the order of their first rows. */
static bool sort_groups(struct shw_page *page)
{
    json_t *suites = json_object(), *stages = json_object();
    bool good = suites != NULL && stages != NULL;

    for (size_t g = 0; g < page->group_count && good; g++) {
        struct shw_page_group *group = &page->groups[g];
        group->suite_number = number_of(suites, group->suite);
        group->stage_number = number_of(stages, group->stage);
        good = group->suite_number != SIZE_MAX && group->stage_number != SIZE_MAX;
    }
    json_decref(suites);
    json_decref(stages);
    if (good && page->group_count > 0)
        qsort(page->groups, page->group_count, sizeof *page->groups, by_stage);
    return good;
}

static bool find_best(struct shw_page *page)
{
    page->best = calloc(page->setting_count + 1, sizeof *page->best);
    for (size_t i = 0; page->best != NULL && i < page->row_count; i++) {
        double *best = &page->best[page->rows[i].setting], ms = page->rows[i].ms;
        *best = ms > 0 && (*best <= 0 || ms < *best) ? ms : *best;
    }
    return page->best != NULL;
}

static bool fill_groups(struct shw_page *page, const json_t *rows, const size_t *numbers)
{
    json_t *settings = json_object(), *row;
    struct shw_page_row *next = page->rows;
    bool good = settings != NULL;
    size_t i;

    for (size_t g = 0; g < page->group_count; g++) {
        page->groups[g].rows = next;
        next += page->groups[g].count;
        page->groups[g].count = 0;
    }
    json_array_foreach(rows, i, row)
    {
        struct shw_page_group *group = &page->groups[numbers[i]];
        struct shw_page_row *made = &group->rows[group->count++];
        *made = (struct shw_page_row){.row = row};
        good = good && describe(page, made, settings);
    }
    page->setting_count = json_object_size(settings);
    json_decref(settings);
    for (size_t g = 0; g < page->group_count && good; g++) {
        find_varying(&page->groups[g]);
        good = find_families(&page->groups[g]);
    }
    return good && sort_groups(page) && find_best(page);
}

enum shw_result shw_page_create(const json_t *document, const struct shw_log *log, struct shw_page *page)
{
    const json_t *rows = json_object_get(document, "rows");
    size_t count = json_array_size(rows), *numbers = calloc(count + 1, sizeof *numbers);
    bool good;

    *page = (struct shw_page){.document = document, .row_count = count};
    page->rows = calloc(count + 1, sizeof *page->rows);
    page->groups = calloc(count + 1, sizeof *page->groups);
    good = numbers != NULL && page->rows != NULL && page->groups != NULL && count_groups(page, rows, numbers) &&
           fill_groups(page, rows, numbers);
    free(numbers);
    if (good)
        return SHW_OK;
    shw_page_free(page);
    return shw_fail_memory(log, "a page");
}

void shw_page_free(struct shw_page *page)
{
    for (size_t i = 0; page->rows != NULL && i < page->row_count; i++)
        free(page->rows[i].text);
    free(page->rows);
    free(page->groups);
    free(page->best);
    *page = (struct shw_page){0};
}

const char *shw_page_parts(char label[SHW_PAGE_LABEL_SIZE], const struct shw_page_group *group,
                           const struct shw_page_row *row, bool varying, bool series)
{
    size_t length = 0;

    label[0] = '\0';
    for (size_t part = 0; part < row->part_count && length + 1 < SHW_PAGE_LABEL_SIZE - 4; part++) {
        bool varies = !group->aligned || group->varies[part];
        if (varies != varying || (part == row->series_part && !series))
            continue;
        shw_text_format(label + length, SHW_PAGE_LABEL_SIZE - length, "%s%s", length > 0 ? " \xc2\xb7 " : "",
                        row->parts[part]);
        length = strlen(label);
    }
    return label;
}

const char *shw_page_series_label(char label[SHW_PAGE_LABEL_SIZE], const struct shw_page_group *group,
                                  const struct shw_page_row *row)
{
    const char *part = row->series_part < row->part_count ? row->parts[row->series_part] : NULL;
    size_t length = strlen(group->series);

    if (part == NULL)
        return shw_text_format(label, SHW_PAGE_LABEL_SIZE, "%.6g", row->x);
    if (strncmp(part, group->series, length) == 0 && part[length] == ' ')
        part += length + 1;
    return shw_text_format(label, SHW_PAGE_LABEL_SIZE, "%s", part);
}
