#include "files/tables/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <shadewood/record_forest.h>

#include "base/class.h"
#include "base/log.h"
#include "base/text.h"

/* In order of precedence. The last may as well be a coordinate: a column of text precedes it. */
static const char *const truth_names[] = {"class", "label", "target", "y"};
#define TRUTH_NAME_COUNT (sizeof truth_names / sizeof *truth_names)
#define SURE_NAME_COUNT  (TRUTH_NAME_COUNT - 1)

/* The place of attributes that were not asked for yet. */
#define UNMATCHED INT32_MAX

struct chooser {
    struct shw_table_columns *columns;
    const struct shw_table_params *params;
    const char *name;
    struct shw_name_set names;
    uint32_t *first, *second; /* of each of these names, the columns that have it and are free, or SHW_COLUMN_NONE */
    bool *wanted;             /* of each column: its name is that of an attribute that is asked for */
};

bool shw_is_truth_name(const char *name)
{
    for (size_t i = 0; i < SURE_NAME_COUNT; i++)
        if (strcasecmp(name, truth_names[i]) == 0)
            return true;
    return false;
}

static uint32_t find_name(const struct chooser *chooser, const char *name)
{
    const uint32_t number = shw_name_set_find(&chooser->names, name, strlen(name));

    return number != SHW_NO_NAME ? chooser->first[number] : SHW_COLUMN_NONE;
}

/* Fails if two columns have the name. */
static enum shw_result check_single(const struct chooser *chooser, const char *name)
{
    const uint32_t number = shw_name_set_find(&chooser->names, name, strlen(name));

    if (number == SHW_NO_NAME || chooser->second[number] == SHW_COLUMN_NONE)
        return SHW_OK;
    return shw_fail(&chooser->params->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                    "%s, line %llu: columns %u and %u have the same name, %.60s: rename one, or leave it out with "
                    "--ignore %u",
                    chooser->name, (unsigned long long)chooser->columns->line, chooser->first[number] + 1,
                    chooser->second[number] + 1, name, chooser->second[number] + 1);
}

/* A column by its name or its number from 1. */
static enum shw_result find_column(const struct chooser *chooser, const char *text, uint32_t *column)
{
    const struct shw_table_columns *columns = chooser->columns;
    char *end;
    unsigned long number;

    *column = find_name(chooser, text);
    if (*column != SHW_COLUMN_NONE)
        return check_single(chooser, text);
    number = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end != '\0' || number < 1 || number > columns->count)
        return shw_fail(&chooser->params->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                        "%s has no column '%s': %s numbers from 1 to %u", chooser->name, text,
                        columns->names != NULL ? "there is none of that name, and columns have"
                                               : "its columns have no names, but",
                        columns->count);
    *column = (uint32_t)number - 1;
    return SHW_OK;
}

/* Whether the column may be taken for that of classes without being named. */
static bool is_candidate(const struct chooser *chooser, uint32_t column)
{
    return chooser->columns->places[column] != SHW_PLACE_IGNORED && !chooser->wanted[column];
}

/* By the names from `first` to before `end`. Text is no target. */
static uint32_t recognise_name(const struct chooser *chooser, size_t first, size_t end)
{
    const struct shw_table_columns *columns = chooser->columns;
    const bool numbers = chooser->params->truth == SHW_TABLE_TARGETS && columns->is_text != NULL;

    for (size_t i = first; columns->names != NULL && i < end; i++)
        for (uint32_t c = 0; c < columns->count; c++)
            if (strcasecmp(columns->names[c], truth_names[i]) == 0 && is_candidate(chooser, c) &&
                !(numbers && columns->is_text[c]))
                return c;
    return SHW_COLUMN_NONE;
}

/* The first column of text that may be that of classes. *single: it is the only one. */
static uint32_t find_text(const struct chooser *chooser, bool *single)
{
    const struct shw_table_columns *columns = chooser->columns;
    uint32_t found = SHW_COLUMN_NONE;

    *single = true;
    for (uint32_t c = 0; columns->is_text != NULL && c < columns->count; c++)
        if (columns->is_text[c] && is_candidate(chooser, c)) {
            *single = found == SHW_COLUMN_NONE;
            if (!*single)
                break;
            found = c;
        }
    return found;
}

/* The last column, if it is not a wanted attribute; without names, the number of columns decides. */
static uint32_t find_last(const struct chooser *chooser)
{
    const struct shw_table_params *params = chooser->params;
    const struct shw_table_columns *columns = chooser->columns;
    const bool by_name = columns->names != NULL && params->attribute_names != NULL;
    uint32_t free = 0;

    if (columns->count == 0 || !is_candidate(chooser, columns->count - 1))
        return SHW_COLUMN_NONE;
    for (uint32_t c = 0; c < columns->count; c++)
        free += columns->places[c] != SHW_PLACE_IGNORED;
    return by_name || params->attribute_count == 0 || free > params->attribute_count ? columns->count - 1
                                                                                     : SHW_COLUMN_NONE;
}

/* Whether the last column is the only one that is left when the attributes have theirs. */
static bool is_last_alone(const struct chooser *chooser)
{
    uint32_t free = 0;

    for (uint32_t c = 0; c < chooser->columns->count; c++)
        free += chooser->columns->places[c] != SHW_PLACE_IGNORED;
    return free == chooser->params->attribute_count + 1;
}

/* "column 3 (HUE)" */
struct named_column {
    char text[100];
};

static struct named_column name_column(const struct chooser *chooser, uint32_t column)
{
    struct named_column named;

    snprintf(named.text, sizeof named.text, "column %u%s", column + 1, shw_column_text(chooser->columns, column).text);
    return named;
}

/* Refuses to guess between the last column and another one, or to take the last if it cannot be that of classes. */
static enum shw_result refuse_guess(const struct chooser *chooser, uint32_t last, uint32_t other, const char *why)
{
    const bool fraction = chooser->columns->last_has_fraction;

    return shw_fail(&chooser->params->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                    "%s: which column has the classes? The last one, %s,%s%s%s%s: name it with --target NAME or NUMBER",
                    chooser->name, name_column(chooser, last).text, fraction ? " has numbers with fractions" : " or",
                    other != SHW_COLUMN_NONE ? (fraction ? "; " : " ") : "",
                    other != SHW_COLUMN_NONE ? name_column(chooser, other).text : "",
                    other != SHW_COLUMN_NONE ? why : "");
}

/* Chooses the last column for a new forest, and refuses if another one may be meant. */
static enum shw_result recognise_last(const struct chooser *chooser, uint32_t *column)
{
    const struct shw_table_columns *columns = chooser->columns;
    const uint32_t last = find_last(chooser), named = recognise_name(chooser, SURE_NAME_COUNT, TRUTH_NAME_COUNT);
    bool single;
    const uint32_t text = find_text(chooser, &single);

    *column = last;
    if (last == SHW_COLUMN_NONE || last == named || (columns->is_text != NULL && columns->is_text[last]))
        return SHW_OK;
    if (named != SHW_COLUMN_NONE)
        return refuse_guess(chooser, last, named, ", which has that name");
    if (text != SHW_COLUMN_NONE)
        return refuse_guess(chooser, last, text, ", which has text");
    return columns->last_has_fraction ? refuse_guess(chooser, last, SHW_COLUMN_NONE, "") : SHW_OK;
}

/* Chooses the column for a forest whose attributes and classes are known, which say more than the position. */
static uint32_t recognise_known(const struct chooser *chooser)
{
    const struct shw_table_columns *columns = chooser->columns;
    const uint32_t last = find_last(chooser);
    uint32_t column;
    bool single;

    if (last != SHW_COLUMN_NONE && columns->is_text != NULL && columns->is_text[last])
        return last;
    column = find_text(chooser, &single);
    if (column != SHW_COLUMN_NONE && single)
        return column;
    column = recognise_name(chooser, SURE_NAME_COUNT, TRUTH_NAME_COUNT);
    if (column == SHW_COLUMN_NONE && last != SHW_COLUMN_NONE &&
        (chooser->params->class_required || (columns->last_is_known && is_last_alone(chooser))))
        column = last;
    return column;
}

static enum shw_result recognise(const struct chooser *chooser)
{
    const struct shw_table_params *params = chooser->params;
    struct shw_table_columns *columns = chooser->columns;
    uint32_t column = params->usual_column != NULL ? find_name(chooser, params->usual_column) : SHW_COLUMN_NONE;

    if (column == SHW_COLUMN_NONE || !is_candidate(chooser, column))
        column = recognise_name(chooser, 0, SURE_NAME_COUNT);
    if (column == SHW_COLUMN_NONE && params->truth == SHW_TABLE_TARGETS)
        column = recognise_name(chooser, SURE_NAME_COUNT, TRUTH_NAME_COUNT);
    else if (column == SHW_COLUMN_NONE) {
        if (params->class_required && params->attribute_count == 0)
            SHW_PROPAGATE(recognise_last(chooser, &column));
        else
            column = recognise_known(chooser);
        columns->truth_is_guess = column != SHW_COLUMN_NONE;
    }
    columns->truth = column;
    if (column == SHW_COLUMN_NONE || columns->names == NULL || columns->names[column][0] == '\0')
        return SHW_OK;
    return check_single(chooser, columns->names[column]);
}

static enum shw_result choose_truth(const struct chooser *chooser)
{
    const struct shw_table_params *params = chooser->params;
    struct shw_table_columns *columns = chooser->columns;
    const bool none =
        params->labels != NULL || (params->class_column != NULL && strcmp(params->class_column, "none") == 0);

    columns->truth = SHW_COLUMN_NONE;
    if (!none && params->class_column != NULL)
        SHW_PROPAGATE(find_column(chooser, params->class_column, &columns->truth));
    if (!none && params->class_column == NULL)
        SHW_PROPAGATE(recognise(chooser));
    if (columns->truth == SHW_COLUMN_NONE && params->class_required && params->labels == NULL)
        return shw_fail(&params->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                        "%s: which column has the %s? Name it with --target NAME or NUMBER", chooser->name,
                        params->truth == SHW_TABLE_TARGETS ? "targets" : "classes");
    if (columns->truth != SHW_COLUMN_NONE)
        columns->places[columns->truth] = SHW_PLACE_TRUTH;
    return SHW_OK;
}

static enum shw_result ignore_columns(const struct chooser *chooser)
{
    for (uint32_t i = 0; i < chooser->params->ignored_count; i++) {
        uint32_t column;

        SHW_PROPAGATE(find_column(chooser, chooser->params->ignored[i], &column));
        chooser->columns->places[column] = SHW_PLACE_IGNORED;
    }
    return SHW_OK;
}

/* A list of names for a message: at most a few. */
struct name_list {
    char text[400];
    uint32_t count;
};

static void list_name(struct name_list *list, const char *name)
{
    const size_t length = strlen(list->text);

    if (list->count++ < 5)
        snprintf(list->text + length, sizeof list->text - length, "%s%.60s", length > 0 ? ", " : "", name);
    else if (list->count == 6)
        snprintf(list->text + length, sizeof list->text - length, " and others");
}

static enum shw_result match_names(const struct chooser *chooser)
{
    const struct shw_table_params *params = chooser->params;
    struct shw_table_columns *columns = chooser->columns;
    const char *by_position = " (--by-position matches them by position)";
    struct name_list missing = {.count = 0};

    for (uint32_t a = 0; a < params->attribute_count; a++) {
        const char *name = params->attribute_names[a];
        const uint32_t column = find_name(chooser, name);

        if (column == SHW_COLUMN_NONE) {
            list_name(&missing, name);
            continue;
        }
        SHW_PROPAGATE(check_single(chooser, name));
        if (columns->places[column] != UNMATCHED)
            return shw_fail(&params->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                            "%s, line %llu, column %u%s: attributes %u and %u of the forest have this name%s",
                            chooser->name, (unsigned long long)columns->line, column + 1,
                            shw_column_text(columns, column).text, (uint32_t)columns->places[column] + 1, a + 1,
                            by_position);
        columns->places[column] = (int32_t)a;
    }
    if (missing.count > 0)
        return shw_fail(&params->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "%s lacks %u of the %s of the forest: %s%s",
                        chooser->name, missing.count,
                        shw_counted(params->attribute_count, "attribute", "attributes").text, missing.text,
                        by_position);
    columns->attribute_count = params->attribute_count;
    return SHW_OK;
}

/* The names that a new forest gets. */
static enum shw_result check_names(const struct chooser *chooser)
{
    const struct shw_table_columns *columns = chooser->columns;

    for (uint32_t c = 0; columns->names != NULL && c < columns->count; c++) {
        const char *fault = shw_class_name_fault(columns->names[c]);

        if (columns->places[c] < 0)
            continue;
        if (fault != NULL)
            return shw_fail(&chooser->params->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                            "%s, line %llu, column %u%s: the name %s, which a forest cannot keep: correct it, or leave "
                            "the column out with --ignore %s",
                            chooser->name, (unsigned long long)columns->line, c + 1, shw_column_text(columns, c).text,
                            fault, shw_column_key(columns, c).text);
        SHW_PROPAGATE(check_single(chooser, columns->names[c]));
    }
    return SHW_OK;
}

/* By position; all of them if no number is given. */
static enum shw_result match_places(const struct chooser *chooser)
{
    const uint32_t wanted = chooser->params->attribute_count;
    struct shw_table_columns *columns = chooser->columns;
    const bool guessed = columns->truth != SHW_COLUMN_NONE && chooser->params->class_column == NULL;
    uint32_t free = 0;

    for (uint32_t c = 0; c < columns->count; c++) {
        if (columns->places[c] == SHW_PLACE_TRUTH || columns->places[c] == SHW_PLACE_IGNORED)
            continue;
        if (wanted == 0 || free < wanted)
            columns->places[c] = (int32_t)free;
        free++;
    }
    if (free < wanted)
        return shw_fail(&chooser->params->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                        "%s has %s of attributes; %u %s needed%s%s%s", chooser->name,
                        shw_counted(free, "column", "columns").text, wanted, wanted == 1 ? "is" : "are",
                        guessed ? " (column" : "", guessed ? shw_column_text(columns, columns->truth).text : "",
                        guessed ? " was taken for that of classes: --target says which, or none)" : "");
    if (free > SHW_RECORD_ATTRIBUTES_MAX && wanted == 0)
        return shw_fail(&chooser->params->log, SHW_ERROR_LIMIT, SHW_LOG_DATASET, "%s has more than %u attributes",
                        chooser->name, SHW_RECORD_ATTRIBUTES_MAX);
    columns->attribute_count = wanted > 0 ? wanted : free;
    return wanted > 0 ? SHW_OK : check_names(chooser);
}

/* The columns may be in another order, which the results would not reveal. */
static enum shw_result check_names_agree(const struct chooser *chooser)
{
    const struct shw_table_params *params = chooser->params;
    const bool has_names = chooser->columns->names != NULL;

    if (params->attribute_count == 0 || params->by_position || has_names == (params->attribute_names != NULL))
        return SHW_OK;
    if (params->is_continued)
        return shw_fail(&params->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                        "%s: its columns have %s, those of the table before have %s: give all tables a header or none "
                        "(--by-position matches columns by position)",
                        chooser->name, has_names ? "names" : "no names", has_names ? "none" : "some");
    shw_log_message(&params->log, SHW_LOG_WARNING, SHW_LOG_DATASET,
                    "%s: %s, so that they are matched by position (--by-position if that is right)", chooser->name,
                    has_names ? "its columns have names, but the attributes of the forest have none"
                              : "its columns have no names, but the attributes of the forest have");
    return SHW_OK;
}

static void ignore_unmatched(const struct chooser *chooser)
{
    struct shw_table_columns *columns = chooser->columns;
    struct name_list extra = {.count = 0};

    for (uint32_t c = 0; c < columns->count; c++)
        if (columns->places[c] == UNMATCHED) {
            char number[16];

            snprintf(number, sizeof number, "%u", c + 1);
            list_name(&extra, columns->names != NULL && columns->names[c][0] != '\0' ? columns->names[c] : number);
            columns->places[c] = SHW_PLACE_IGNORED;
        }
    if (extra.count > 0)
        shw_log_message(&chooser->params->log, SHW_LOG_WARNING, SHW_LOG_DATASET,
                        "%s: %u %s not in the forest and ignored: %s", chooser->name, extra.count,
                        extra.count == 1 ? "column is" : "columns are", extra.text);
}

/* A second column of classes among the attributes would give a new forest the answer. */
static void warn_of_truth_names(const struct chooser *chooser)
{
    const struct shw_table_columns *columns = chooser->columns;

    if (columns->names == NULL || chooser->params->attribute_count > 0 ||
        (columns->truth == SHW_COLUMN_NONE && chooser->params->labels == NULL))
        return;
    for (uint32_t c = 0; c < columns->count; c++)
        if (columns->places[c] >= 0 && shw_is_truth_name(columns->names[c]))
            shw_log_message(&chooser->params->log, SHW_LOG_WARNING, SHW_LOG_DATASET,
                            "%s: the column '%s' is an attribute, though its name suggests classes; --ignore %s "
                            "leaves it out",
                            chooser->name, columns->names[c], columns->names[c]);
}

static enum shw_result list_attributes(const struct chooser *chooser)
{
    struct shw_table_columns *columns = chooser->columns;

    if (columns->names == NULL)
        return SHW_OK;
    columns->attribute_names = calloc(columns->attribute_count + (size_t)1, sizeof *columns->attribute_names);
    if (columns->attribute_names == NULL)
        return shw_fail_memory(&chooser->params->log, chooser->name);
    for (uint32_t c = 0; c < columns->count; c++)
        if (columns->places[c] >= 0)
            columns->attribute_names[columns->places[c]] = columns->names[c];
    return SHW_OK;
}

/* Finds the columns of the names among those still free. */
static void find_free(struct chooser *chooser)
{
    const struct shw_table_columns *columns = chooser->columns;

    for (uint32_t i = 0; i < chooser->names.count; i++)
        chooser->first[i] = chooser->second[i] = SHW_COLUMN_NONE;
    for (uint32_t c = 0; columns->names != NULL && c < columns->count; c++) {
        const uint32_t number = shw_name_set_find(&chooser->names, columns->names[c], strlen(columns->names[c]));

        if (columns->places[c] != UNMATCHED)
            continue;
        if (chooser->first[number] == SHW_COLUMN_NONE)
            chooser->first[number] = c;
        else if (chooser->second[number] == SHW_COLUMN_NONE)
            chooser->second[number] = c;
    }
}

/* Indexes the columns by name, and the wanted names. False if memory is exhausted. */
static bool index_names(struct chooser *chooser)
{
    const struct shw_table_params *params = chooser->params;
    const struct shw_table_columns *columns = chooser->columns;

    chooser->first = calloc(columns->count + (size_t)1, sizeof *chooser->first);
    chooser->second = calloc(columns->count + (size_t)1, sizeof *chooser->second);
    chooser->wanted = calloc(columns->count + (size_t)1, sizeof *chooser->wanted);
    if (chooser->first == NULL || chooser->second == NULL || chooser->wanted == NULL)
        return false;
    for (uint32_t c = 0; columns->names != NULL && c < columns->count; c++) {
        const size_t length = strlen(columns->names[c]);

        if (shw_name_set_find(&chooser->names, columns->names[c], length) == SHW_NO_NAME &&
            !shw_name_set_add(&chooser->names, columns->names[c], length))
            return false;
    }
    find_free(chooser);
    for (uint32_t a = 0; params->attribute_names != NULL && a < params->attribute_count; a++) {
        const uint32_t column = find_name(chooser, params->attribute_names[a]);
        if (column != SHW_COLUMN_NONE)
            chooser->wanted[column] = true;
    }
    return true;
}

static enum shw_result choose(struct chooser *chooser)
{
    struct shw_table_columns *columns = chooser->columns;

    columns->places = malloc((columns->count + (size_t)1) * sizeof *columns->places);
    for (uint32_t c = 0; columns->places != NULL && c < columns->count; c++)
        columns->places[c] = UNMATCHED;
    if (columns->places == NULL || !index_names(chooser))
        return shw_fail_memory(&chooser->params->log, chooser->name);
    SHW_PROPAGATE(ignore_columns(chooser));
    SHW_PROPAGATE(choose_truth(chooser));
    find_free(chooser);
    SHW_PROPAGATE(check_names_agree(chooser));
    SHW_PROPAGATE(columns->names != NULL && chooser->params->attribute_names != NULL ? match_names(chooser)
                                                                                     : match_places(chooser));
    ignore_unmatched(chooser);
    warn_of_truth_names(chooser);
    return list_attributes(chooser);
}

enum shw_result shw_table_columns_choose(struct shw_table_columns *columns, const char *name,
                                         const struct shw_table_params *params)
{
    struct chooser chooser = {.columns = columns, .params = params, .name = name};
    const enum shw_result result = choose(&chooser);

    shw_name_set_free(&chooser.names);
    free(chooser.first);
    free(chooser.second);
    free(chooser.wanted);
    return result;
}

struct shw_column_text shw_column_text(const struct shw_table_columns *columns, uint32_t column)
{
    struct shw_column_text text = {""};

    if (columns->names != NULL && column < columns->count && columns->names[column][0] != '\0')
        snprintf(text.text, sizeof text.text, " (%.60s)", columns->names[column]);
    return text;
}

struct shw_column_text shw_column_key(const struct shw_table_columns *columns, uint32_t column)
{
    struct shw_column_text key;

    snprintf(key.text, sizeof key.text, "%u", column + 1);
    for (uint32_t c = 0; columns->names != NULL && c < columns->count; c++)
        if (strcmp(columns->names[c], key.text) == 0) {
            snprintf(key.text, sizeof key.text, "'%.60s'", columns->names[column]);
            break;
        }
    return key;
}

void shw_table_columns_free(struct shw_table_columns *columns)
{
    for (uint32_t c = 0; columns->names != NULL && c < columns->count; c++)
        free(columns->names[c]);
    free(columns->names);
    free(columns->is_text);
    free(columns->places);
    free(columns->attribute_names);
    *columns = (struct shw_table_columns){0};
}
