#include <stdio.h>
#include <string.h>

#include <shadewood/input.h>

#include "base/log.h"
#include "dense/channels/channel_maker.h"
#include "dense/channels/channels.h"
#include "dense/channels/posterior.h"

static const struct {
    const char *name, *entries;
} named[] = {
    {SHW_CHANNELS_WINN16, "gauss:1,gauss:2,gauss:4,log:1,log:2,log:4,dx:2,dy:2,dx:4,dy:4"},
    {SHW_CHANNELS_WINN17, "gauss:1,gauss:2,gauss:4,log:1,log:2,log:4,dx:2,dy:2,dx:4,dy:4,log:8"},
    {SHW_CHANNELS_WIDE, "gauss:1,gauss:2,gauss:4,log:1,log:2,log:4,dx:2,dy:2,dx:4,dy:4,log:8,"
                        "abs-log:1,abs-log:2,abs-log:4,abs-dx:2,abs-dy:2,abs-dx:4,abs-dy:4,abs-log:8,position"},
    {SHW_CHANNELS_RGB, "rgb"},
    {SHW_CHANNELS_LAB, "lab"},
};

#define NAMED_COUNT (sizeof named / sizeof *named)

#define REFUSE(why, ...) (snprintf(why, SHW_CHANNEL_WHY_SIZE, __VA_ARGS__), false)

const char *shw_channel_list_get_name(uint32_t index)
{
    return index < NAMED_COUNT ? named[index].name : NULL;
}

static const struct shw_channel_kind *find_kind(const struct shw_channel_kinds *kinds, const char *name, size_t length)
{
    const struct shw_channel_kind *kind;

    for (uint32_t i = 0; (kind = shw_channel_kind_get(kinds, i)) != NULL; i++)
        if (strlen(kind->name) == length && memcmp(kind->name, name, length) == 0)
            return kind;
    return NULL;
}

/* The entries of a named list, or NULL. */
static const char *find_named(const char *name, size_t length)
{
    for (uint32_t n = 0; n < NAMED_COUNT; n++)
        if (strlen(named[n].name) == length && memcmp(named[n].name, name, length) == 0)
            return named[n].entries;
    return NULL;
}

/* The message lists the known kinds. */
static bool refuse_kind(const struct shw_channel_kinds *kinds, const char *name, size_t name_length, char why[])
{
    const struct shw_channel_kind *kind;
    size_t length;

    if (find_named(name, name_length) != NULL)
        return REFUSE(why, "'%.*s' is a list, which has no parameter", (int)name_length, name);
    length = (size_t)snprintf(why, SHW_CHANNEL_WHY_SIZE, "there is no channel kind '%.*s', but",
                              name_length < 40 ? (int)name_length : 40, name);

    for (uint32_t i = 0; (kind = shw_channel_kind_get(kinds, i)) != NULL && length < SHW_CHANNEL_WHY_SIZE; i++)
        length += (size_t)snprintf(why + length, SHW_CHANNEL_WHY_SIZE - length, "%s %s", i > 0 ? "," : "", kind->name);
    for (uint32_t n = 0; n < NAMED_COUNT && length < SHW_CHANNEL_WHY_SIZE; n++)
        length += (size_t)snprintf(why + length, SHW_CHANNEL_WHY_SIZE - length, "%s %s",
                                   n > 0 ? "," : "; and the lists", named[n].name);
    return false;
}

/* Parses a number in its shortest form; false for anything else. */
static bool read_parameter(const char *text, size_t length, uint32_t *parameter)
{
    uint64_t value = 0;

    if (length < 1 || length > 10 || (length > 1 && text[0] == '0'))
        return false;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        value = 10 * value + (uint64_t)(text[i] - '0');
    }
    *parameter = (uint32_t)value;
    return value <= UINT32_MAX;
}

static bool read_entry(const char *text, size_t length, const struct shw_channel_kinds *kinds,
                       struct shw_channel_entry *entry, char why[])
{
    const char *colon = memchr(text, ':', length);
    size_t name_length = colon != NULL ? (size_t)(colon - text) : length;
    int shown = length < 40 ? (int)length : 40;
    const struct shw_channel_kind *kind = find_kind(kinds, text, name_length);
    bool has_parameter;

    if (kind == NULL)
        return refuse_kind(kinds, text, name_length, why);
    has_parameter = kind->parameter_max > 0;
    if (!has_parameter && colon != NULL)
        return REFUSE(why, "'%.*s': %s has no parameter", shown, text, kind->name);
    if (has_parameter && colon == NULL)
        return REFUSE(why, "'%.*s' needs a parameter, as in %s:%u", shown, text, kind->name, kind->parameter_min);
    *entry = (struct shw_channel_entry){.kind = kind};
    if (!has_parameter)
        return true;
    if (!read_parameter(colon + 1, length - name_length - 1, &entry->parameter))
        return REFUSE(why, "'%.*s': the parameter is not a number", shown, text);
    if (entry->parameter < kind->parameter_min || entry->parameter > kind->parameter_max ||
        (kind->accepts != NULL && !kind->accepts(entry->parameter)))
        return REFUSE(why, "'%.*s': %s does not take the parameter %u", shown, text, kind->name, entry->parameter);
    return true;
}

extern const struct shw_channel_code shw_channel_code_posterior;

/* Adds the input, if any, that the entry reads in addition to the colour image. */
static bool add_input(struct shw_channel_list *list, struct shw_channel_entry *entry, char why[])
{
    const struct shw_channel_code *code = entry->kind->code;
    const char *name = code != NULL && code->reads_previous ? SHW_PREVIOUS : entry->kind->input;

    if (code == &shw_channel_code_posterior)
        name = shw_posterior_name(entry->parameter);

    if (name == NULL)
        return true;
    for (entry->input = 1; entry->input < list->input_count; entry->input++)
        if (strcmp(list->inputs[entry->input], name) == 0)
            return true;
    if (list->input_count == SHW_INPUTS_MAX)
        return REFUSE(why, "they read more than %u inputs", SHW_INPUTS_MAX);
    list->inputs[list->input_count++] = name;
    return true;
}

uint32_t shw_channel_entry_radius(const struct shw_channel_entry *entry)
{
    const struct shw_channel_kind *kind = entry->kind;

    return kind->get_radius != NULL ? kind->get_radius(entry->parameter) : kind->code->radius;
}

/* Whether the channels of an entry with missing values are followed by their count, which feature types read with
 * them. */
static bool have_counts(const struct shw_channel_info *channels, uint32_t count)
{
    for (uint32_t c = 0; c < count; c++) {
        enum shw_channel_content content = channels[c].content;
        bool needs_one =
            content == SHW_CONTENT_DEPTH || content == SHW_CONTENT_HEIGHT || content == SHW_CONTENT_DISTANCE;
        bool is_before_one = c + 1 < count && channels[c + 1].content == SHW_CONTENT_COUNT;
        if (needs_one != is_before_one)
            return false;
    }
    return channels[0].content != SHW_CONTENT_COUNT;
}

/* Whether channels that a mirror image exchanges name each other, and are alike. */
static bool are_partners(const struct shw_channel_kind *kind, const struct shw_channel_info *channels)
{
    for (uint32_t c = 0; c < kind->channel_count; c++) {
        const uint32_t partner = kind->get_partner(c);

        if (partner >= kind->channel_count || kind->get_partner(partner) != c ||
            channels[partner].max_abs != channels[c].max_abs || channels[partner].mirrored != channels[c].mirrored ||
            channels[partner].content != channels[c].content)
            return false;
    }
    return true;
}

static bool add_channels(struct shw_channel_list *list, struct shw_channel_entry entry, char why[])
{
    uint32_t radius = shw_channel_entry_radius(&entry);

    for (uint32_t i = 0; i < list->entry_count; i++)
        if (list->entries[i].kind == entry.kind && list->entries[i].parameter == entry.parameter)
            return REFUSE(why, "entry %u is the same as entry %u, %s", list->entry_count + 1, i + 1, entry.kind->name);
    if (entry.kind->maker == NULL && radius > entry.kind->code->radius)
        return REFUSE(why, "entry %u, %s, has a radius of %u, but that of its header is %u", list->entry_count + 1,
                      entry.kind->name, radius, entry.kind->code->radius);
    if (entry.kind->channel_count > SHW_CHANNELS_MAX - list->channel_count)
        return REFUSE(why, "with entry %u, %s, there are more than %u", list->entry_count + 1, entry.kind->name,
                      SHW_CHANNELS_MAX);
    if (!add_input(list, &entry, why))
        return false;
    entry.first = list->channel_count;
    for (uint32_t c = 0; c < entry.kind->channel_count; c++) {
        struct shw_channel_info info =
            entry.kind->get_info != NULL ? entry.kind->get_info(entry.parameter, c) : entry.kind->channels[c];
        if (info.max_abs < 1 || info.max_abs > INT16_MAX)
            return REFUSE(why, "the kind %s gives no bound of 1 to %d", entry.kind->name, INT16_MAX);
        list->channels[list->channel_count++] = info;
    }
    if (entry.kind->get_partner != NULL && !are_partners(entry.kind, list->channels + entry.first))
        return REFUSE(why, "the kind %s has channels whose partners in mirror images do not name them, or are unlike",
                      entry.kind->name);
    if (!have_counts(list->channels + entry.first, entry.kind->channel_count))
        return REFUSE(
            why,
            "the kind %s has depths, heights or distances without the count that must follow them, or a count "
            "without them",
            entry.kind->name);
    list->radius = radius > list->radius ? radius : list->radius;
    list->entries[list->entry_count++] = entry;
    return true;
}

/* Writes the text from the entries, so that equal lists have equal text. */
static void set_name(struct shw_channel_list *list)
{
    size_t length = 0;

    for (uint32_t i = 0; i < list->entry_count; i++) {
        const struct shw_channel_entry *entry = &list->entries[i];
        char *end = list->name + length;
        size_t room = sizeof list->name - length;
        const char *comma = i > 0 ? "," : "";
        length += (size_t)(entry->kind->parameter_max > 0
                               ? snprintf(end, room, "%s%s:%u", comma, entry->kind->name, entry->parameter)
                               : snprintf(end, room, "%s%s", comma, entry->kind->name));
    }
    for (uint32_t n = 0; n < NAMED_COUNT; n++)
        if (strcmp(list->name, named[n].entries) == 0)
            snprintf(list->name, sizeof list->name, "%s", named[n].name);
}

/* Adds entries of kinds, separated by commas: `length` bytes of text, from 0 on. */
static bool add_entries(const char *text, size_t length, const struct shw_channel_kinds *kinds,
                        struct shw_channel_list *list, char why[])
{
    const char *end = text + length;

    for (;;) {
        const char *comma = memchr(text, ',', (size_t)(end - text));
        struct shw_channel_entry entry;
        if (!read_entry(text, (size_t)((comma != NULL ? comma : end) - text), kinds, &entry, why) ||
            !add_channels(list, entry, why))
            return false;
        if (comma == NULL)
            return true;
        text = comma + 1;
    }
}

bool shw_channel_list_read(const char *text, const struct shw_channel_kinds *kinds, struct shw_channel_list *out,
                           char why[SHW_CHANNEL_WHY_SIZE])
{
    struct shw_channel_list list = {.input_count = 1, .inputs = {SHW_COLOUR}};

    if (!shw_channel_kinds_check(kinds, why))
        return false;
    text = text != NULL ? text : SHW_CHANNELS_WINN16;
    for (;;) {
        size_t length = strcspn(text, ",");
        const char *entries = find_named(text, length);
        if (entries != NULL ? !add_entries(entries, strlen(entries), kinds, &list, why)
                            : !add_entries(text, length, kinds, &list, why))
            return false;
        if (text[length] == '\0')
            break;
        text += length + 1;
    }
    set_name(&list);
    *out = list;
    return true;
}

enum shw_result shw_channel_list_parse_abi(uint32_t abi, const char *text, const struct shw_channel_kinds *kinds,
                                           const struct shw_log *log, struct shw_channel_list *list)
{
    SHW_REFUSE_ABI(abi);
    SHW_REFUSE_NULL(log, list);

    char why[SHW_CHANNEL_WHY_SIZE];

    if (shw_channel_list_read(text, kinds, list, why))
        return SHW_OK;
    return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_CHANNELS, "channels: %s", why);
}

bool shw_channel_lists_equal(const struct shw_channel_list *a, const struct shw_channel_list *b)
{
    bool equal = a->entry_count == b->entry_count;

    for (uint32_t i = 0; equal && i < a->entry_count; i++)
        equal = a->entries[i].kind == b->entries[i].kind && a->entries[i].parameter == b->entries[i].parameter;
    return equal;
}

const struct shw_channel_entry *shw_channel_entry_of(const struct shw_channel_list *list, uint32_t channel)
{
    uint32_t i = list->entry_count - 1;

    while (list->entries[i].first > channel)
        i--;
    return &list->entries[i];
}

uint32_t shw_channel_makers(const struct shw_channel_list *list, uint32_t first, uint32_t count,
                            const struct shw_channel_maker *makers[SHW_CHANNELS_MAX])
{
    uint32_t found = 0;

    for (uint32_t i = 0; i < list->entry_count; i++) {
        const struct shw_channel_entry *entry = &list->entries[i];
        const struct shw_channel_maker *maker = shw_channel_maker_of(entry->kind);
        uint32_t m = 0;
        if (entry->first >= first + count || entry->first + entry->kind->channel_count <= first)
            continue;
        while (m < found && makers[m] != maker)
            m++;
        makers[m] = maker;
        found += m == found;
    }
    return found;
}
