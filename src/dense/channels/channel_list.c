#include <stdio.h>
#include <string.h>

#include <shadewood/input.h>

#include "base/log.h"
#include "base/text.h"
#include "dense/channels/channel_maker.h"
#include "dense/channels/channels.h"
#include "dense/channels/pixels.h"
#include "dense/channels/plane_range.h"
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

#define RANGE "range:"

#define NAMED_COUNT (sizeof named / sizeof *named)

#define REFUSE(why, ...) (snprintf(why, SHW_CHANNEL_WHY_SIZE, __VA_ARGS__), false)

const char *shw_channel_list_get_name(uint32_t index)
{
    return index < NAMED_COUNT ? named[index].name : NULL;
}

/* Of that name; `is_at`: the one that an entry with '@' and a plane means. */
static const struct shw_channel_kind *find_kind(const struct shw_channel_kinds *kinds, const char *name, size_t length,
                                                bool is_at)
{
    const struct shw_channel_kind *kind;

    for (uint32_t i = 0; (kind = shw_channel_kind_get(kinds, i)) != NULL; i++)
        if ((kind->naming == SHW_NAMES_AT) == is_at && strlen(kind->name) == length &&
            memcmp(kind->name, name, length) == 0)
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
        if (kind->naming != SHW_NAMES_AT || find_kind(kinds, kind->name, strlen(kind->name), false) == NULL)
            length +=
                (size_t)snprintf(why + length, SHW_CHANNEL_WHY_SIZE - length, "%s %s", i > 0 ? "," : "", kind->name);
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

/* An entry of a text, and the planes that it names. */
struct parsed {
    struct shw_channel_entry entry;
    char planes[2][SHW_INPUT_NAME_SIZE];
};

static uint32_t plane_count(const struct shw_channel_kind *kind)
{
    return kind->naming == SHW_NAMES_NONE ? 0 : kind->naming == SHW_NAMES_TWO ? 2 : 1;
}

static bool refuse_plane(const char *text, size_t length, char why[])
{
    return REFUSE(why,
                  "'%.*s' is no name of a plane: 1 to %u letters, digits and '-', and none of the other "
                  "inputs",
                  length < 40 ? (int)length : 40, text, SHW_INPUT_NAME_SIZE - 1);
}

bool shw_plane_name_is_valid(const char *name)
{
    return shw_name_is_valid(name, SHW_INPUT_NAME_SIZE - 1) && shw_source_is_plane(name) &&
           strcmp(name, SHW_DEPTH) != 0 && strcmp(name, SHW_HEIGHT) != 0;
}

void shw_plane_name_lower(char *name)
{
    for (; *name != '\0'; name++)
        *name = (char)(*name >= 'A' && *name <= 'Z' ? *name - 'A' + 'a' : *name);
}

static bool read_plane(const char *text, size_t length, char name[SHW_INPUT_NAME_SIZE], char why[])
{
    if (length >= SHW_INPUT_NAME_SIZE)
        return refuse_plane(text, length, why);
    memcpy(name, text, length);
    name[length] = '\0';
    shw_plane_name_lower(name);
    return shw_plane_name_is_valid(name) || refuse_plane(text, length, why);
}

/* The planes after the colon, of kinds that have nothing else there. */
static bool read_planes(const char *text, size_t length, const char *rest, struct parsed *parsed, char why[])
{
    const struct shw_channel_kind *kind = parsed->entry.kind;
    const char *end = text + length, *comma = rest != NULL ? memchr(rest, ',', (size_t)(end - rest)) : NULL;
    int shown = length < 40 ? (int)length : 40;

    if (rest == NULL || (kind->naming == SHW_NAMES_TWO && comma == NULL))
        return REFUSE(why, "'%.*s' needs %s", shown, text,
                      kind->naming == SHW_NAMES_TWO ? "two planes, as in ndiff:nir,red" : "a plane, as in plane:nir");
    if (kind->naming == SHW_NAMES_ONE)
        return read_plane(rest, (size_t)(end - rest), parsed->planes[0], why);
    if (!read_plane(rest, (size_t)(comma - rest), parsed->planes[0], why) ||
        !read_plane(comma + 1, (size_t)(end - comma - 1), parsed->planes[1], why))
        return false;
    if (strcmp(parsed->planes[0], parsed->planes[1]) == 0)
        return REFUSE(why, "'%.*s' names the same plane twice", shown, text);
    return true;
}

static bool read_entry(const char *text, size_t length, const struct shw_channel_kinds *kinds, struct parsed *parsed,
                       char why[])
{
    const char *at = memchr(text, '@', length);
    size_t before = at != NULL ? (size_t)(at - text) : length;
    const char *colon = memchr(text, ':', before);
    size_t name_length = colon != NULL ? (size_t)(colon - text) : before;
    int shown = length < 40 ? (int)length : 40;
    const struct shw_channel_kind *kind = find_kind(kinds, text, name_length, at != NULL);
    struct shw_channel_entry *entry = &parsed->entry;
    bool has_parameter;

    if (kind == NULL && find_kind(kinds, text, name_length, at == NULL) != NULL)
        return REFUSE(why, "'%.*s': %.*s %s", shown, text, (int)name_length, text,
                      at != NULL ? "does not read planes" : "needs a plane, as in KIND@PLANE");
    if (kind == NULL)
        return refuse_kind(kinds, text, name_length, why);
    *parsed = (struct parsed){{.kind = kind}, {"", ""}};
    if (kind->naming == SHW_NAMES_ONE || kind->naming == SHW_NAMES_TWO)
        return read_planes(text, length, colon != NULL ? colon + 1 : NULL, parsed, why);
    if (at != NULL && !read_plane(at + 1, length - before - 1, parsed->planes[0], why))
        return false;
    has_parameter = kind->parameter_max > 0;
    if (!has_parameter && colon != NULL)
        return REFUSE(why, "'%.*s': %s has no parameter", shown, text, kind->name);
    if (has_parameter && colon == NULL)
        return REFUSE(why, "'%.*s' needs a parameter, as in %s:%u", shown, text, kind->name, kind->parameter_min);
    if (!has_parameter)
        return true;
    if (!read_parameter(colon + 1, before - name_length - 1, &entry->parameter))
        return REFUSE(why, "'%.*s': the parameter is not a number", shown, text);
    if (entry->parameter < kind->parameter_min || entry->parameter > kind->parameter_max ||
        (kind->accepts != NULL && !kind->accepts(entry->parameter)))
        return REFUSE(why, "'%.*s': %s does not take the parameter %u", shown, text, kind->name, entry->parameter);
    return true;
}

extern const struct shw_channel_code shw_channel_code_posterior;

/* The index of an input of that name, which is added if there is none. */
static bool need_input(struct shw_channel_list *list, const char *name, uint32_t *index, char why[])
{
    for (*index = 1; *index < list->input_count; ++*index)
        if (strcmp(list->inputs[*index], name) == 0)
            return true;
    if (list->input_count == SHW_INPUTS_MAX)
        return REFUSE(why, "they read more than %u inputs", SHW_INPUTS_MAX);
    snprintf(list->inputs[*index], SHW_INPUT_NAME_SIZE, "%s", name);
    list->is_plane[*index] = shw_plane_name_is_valid(name);
    list->input_count++;
    return true;
}

/* Adds the inputs, if any, that the entry reads besides or instead of the colour image. */
static bool add_inputs(struct shw_channel_list *list, struct parsed *parsed, char why[])
{
    struct shw_channel_entry *entry = &parsed->entry;
    const struct shw_channel_code *code = entry->kind->code;
    const char *name = code != NULL && code->reads_previous ? SHW_PREVIOUS : entry->kind->input;
    uint32_t planes = plane_count(entry->kind);

    if (code == &shw_channel_code_posterior)
        name = shw_posterior_name(entry->parameter);
    if (planes > 0 && !need_input(list, parsed->planes[0], &entry->source, why))
        return false;
    if (planes > 1 && !need_input(list, parsed->planes[1], &entry->input, why))
        return false;
    return name == NULL || need_input(list, name, &entry->input, why);
}

uint32_t shw_channel_reading_total(const struct shw_channel_reading *reading, const uint32_t *totals)
{
    uint32_t total = reading->inputs ? reading->reach : 0;

    for (uint32_t p = 0; reading->planes >> p != 0; p++)
        if ((reading->planes >> p & 1) != 0 && reading->reach + totals[p] > total)
            total = reading->reach + totals[p];
    return total;
}

struct shw_channel_reading shw_channel_reading_of(const struct shw_channel_code *code, uint32_t pass)
{
    const struct shw_channel_reading header = {.inputs = true, .reach = code->radius};

    if (code->pass_count == 0)
        return header;
    return pass < code->pass_count ? code->passes[pass].reading : code->reading;
}

uint32_t shw_channel_code_total(const struct shw_channel_code *code)
{
    uint32_t totals[SHW_CHANNEL_PASSES_MAX + 1];

    for (uint32_t p = 0; p <= code->pass_count; p++) {
        const struct shw_channel_reading reading = shw_channel_reading_of(code, p);
        totals[p] = shw_channel_reading_total(&reading, totals);
    }
    return totals[code->pass_count];
}

uint32_t shw_channel_entry_radius(const struct shw_channel_entry *entry)
{
    const struct shw_channel_kind *kind = entry->kind;

    return kind->get_radius != NULL ? kind->get_radius(entry->parameter) : shw_channel_code_total(kind->code);
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

/* Channels are named after what the kind says, and the planes. */
static void add_planes_to_name(const struct parsed *parsed, struct shw_channel_info *info)
{
    size_t length = strlen(info->name);
    enum shw_channel_naming naming = parsed->entry.kind->naming;

    if (naming != SHW_NAMES_NONE)
        snprintf(info->name + length, sizeof info->name - length, "%c%s%s%s", naming == SHW_NAMES_AT ? '@' : '-',
                 parsed->planes[0], naming == SHW_NAMES_TWO ? "-" : "", parsed->planes[1]);
}

static bool are_same(const struct shw_channel_entry *a, const struct shw_channel_entry *b)
{
    return a->kind == b->kind && a->parameter == b->parameter && a->source == b->source && a->input == b->input;
}

static bool add_channels(struct shw_channel_list *list, struct parsed *parsed, char why[])
{
    struct shw_channel_entry entry;
    uint32_t radius = shw_channel_entry_radius(&parsed->entry);

    if (!add_inputs(list, parsed, why))
        return false;
    entry = parsed->entry;
    for (uint32_t i = 0; i < list->entry_count; i++)
        if (are_same(&list->entries[i], &entry))
            return REFUSE(why, "entry %u is the same as entry %u, %s", list->entry_count + 1, i + 1, entry.kind->name);
    if (entry.kind->maker == NULL && radius > shw_channel_code_total(entry.kind->code))
        return REFUSE(why, "entry %u, %s, has a radius of %u, but that of its header is %u", list->entry_count + 1,
                      entry.kind->name, radius, shw_channel_code_total(entry.kind->code));
    if (entry.kind->channel_count > SHW_CHANNELS_MAX - list->channel_count)
        return REFUSE(why, "with entry %u, %s, there are more than %u", list->entry_count + 1, entry.kind->name,
                      SHW_CHANNELS_MAX);
    entry.first = list->channel_count;
    for (uint32_t c = 0; c < entry.kind->channel_count; c++) {
        struct shw_channel_info info =
            entry.kind->get_info != NULL ? entry.kind->get_info(entry.parameter, c) : entry.kind->channels[c];
        add_planes_to_name(parsed, &info);
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

/* Writes an entry as text; returns its length. */
static size_t write_entry(const struct shw_channel_list *list, const struct shw_channel_entry *entry, char *text,
                          size_t room)
{
    const char *name = entry->kind->name, *source = list->inputs[entry->source];
    char number[16] = "";

    if (entry->kind->parameter_max > 0)
        snprintf(number, sizeof number, ":%u", entry->parameter);
    switch (entry->kind->naming) {
    case SHW_NAMES_NONE: break;
    case SHW_NAMES_AT: return (size_t)snprintf(text, room, "%s%s@%s", name, number, source);
    case SHW_NAMES_ONE: return (size_t)snprintf(text, room, "%s:%s", name, source);
    case SHW_NAMES_TWO: return (size_t)snprintf(text, room, "%s:%s,%s", name, source, list->inputs[entry->input]);
    }
    return (size_t)snprintf(text, room, "%s%s", name, number);
}

/* Writes the text from the entries and ranges, so that equal lists have equal text. */
static bool set_name(struct shw_channel_list *list, char why[])
{
    char text[sizeof list->name];
    size_t length = 0, size = sizeof text;

    for (uint32_t i = 0; i < list->entry_count && length < size; i++) {
        if (i > 0)
            length += (size_t)snprintf(text + length, size - length, ",");
        if (length < size)
            length += write_entry(list, &list->entries[i], text + length, size - length);
    }
    for (uint32_t i = 1; i < list->input_count && length < size; i++) {
        char range[SHW_RANGE_TEXT_SIZE];
        if (!shw_plane_range_is_stated(&list->ranges[i]))
            continue;
        shw_plane_range_write(&list->ranges[i], range);
        length += (size_t)snprintf(text + length, size - length, "," RANGE "%s=%s", list->inputs[i], range);
    }
    if (length >= size)
        return REFUSE(why, "their text is longer than %zu bytes: give planes shorter names", size - 1);
    memcpy(list->name, text, length + 1);
    for (uint32_t n = 0; n < NAMED_COUNT; n++)
        if (strcmp(text, named[n].entries) == 0)
            snprintf(list->name, sizeof list->name, "%s", named[n].name);
    return true;
}

size_t shw_channel_entry_length(const char *text, const struct shw_channel_kinds *kinds)
{
    size_t length = strcspn(text, ","), name = strcspn(text, ",:@");
    const struct shw_channel_kind *kind = text[name] == ':' ? find_kind(kinds, text, name, false) : NULL;

    if (kind != NULL && kind->naming == SHW_NAMES_TWO && text[length] == ',')
        length += 1 + strcspn(text + length + 1, ",");
    return length;
}

static bool add_entry(const char *text, size_t length, const struct shw_channel_kinds *kinds,
                      struct shw_channel_list *list, char why[])
{
    struct parsed parsed;

    return read_entry(text, length, kinds, &parsed, why) && add_channels(list, &parsed, why);
}

/* Adds the entries of a named list, `at` them what may follow its name: '@' and a plane. */
static bool add_named(const char *entries, const char *at, size_t length, const struct shw_channel_kinds *kinds,
                      struct shw_channel_list *list, char why[])
{
    char entry[96];

    if (length >= SHW_INPUT_NAME_SIZE + 1)
        return refuse_plane(at, length, why);
    for (size_t size; *entries != '\0'; entries += size + (entries[size] == ',')) {
        size = strcspn(entries, ",");
        snprintf(entry, sizeof entry, "%.*s%.*s", (int)size, entries, (int)length, at);
        if (!add_entry(entry, strlen(entry), kinds, list, why))
            return false;
    }
    return true;
}

static bool is_range(const char *text)
{
    return strncmp(text, RANGE, strlen(RANGE)) == 0;
}

/* Takes the range of a plane that some entry names: "NAME=LOW..HIGH". */
static bool set_range(const char *text, size_t length, struct shw_channel_list *list, char why[])
{
    const char *sign = memchr(text, '=', length);
    size_t name = sign != NULL ? (size_t)(sign - text) : length;
    int shown = length < 80 ? (int)length : 80;
    char plane[SHW_INPUT_NAME_SIZE];
    uint32_t i = 1;

    snprintf(plane, sizeof plane, "%.*s", (int)name, text);
    shw_plane_name_lower(plane);
    while (i < list->input_count && (!list->is_plane[i] || name >= sizeof plane || strcmp(list->inputs[i], plane) != 0))
        i++;
    if (i == list->input_count)
        return REFUSE(why, "'" RANGE "%.*s' is of a plane that no channel reads", shown, text);
    if (shw_plane_range_is_stated(&list->ranges[i]))
        return REFUSE(why, "there are two ranges of %s", list->inputs[i]);
    if (sign == NULL || !shw_plane_range_read(sign + 1, length - name - 1, &list->ranges[i]))
        return REFUSE(why, "'" RANGE "%.*s' has no range such as 0..10000: two decimal numbers, the lower one first",
                      shown, text);
    return true;
}

/* Adds the entries of a text, or takes its ranges. */
static bool read_text(const char *text, const struct shw_channel_kinds *kinds, bool takes_ranges,
                      struct shw_channel_list *list, char why[])
{
    for (;;) {
        size_t length = shw_channel_entry_length(text, kinds), name = strcspn(text, ",@");
        const char *entries = find_named(text, name);
        bool fine = true;
        if (is_range(text))
            fine = !takes_ranges || set_range(text + strlen(RANGE), length - strlen(RANGE), list, why);
        else if (!takes_ranges)
            fine = entries != NULL ? add_named(entries, text + name, length - name, kinds, list, why)
                                   : add_entry(text, length, kinds, list, why);
        if (!fine || text[length] == '\0')
            return fine;
        text += length + 1;
    }
}

bool shw_channel_list_read(const char *text, const struct shw_channel_kinds *kinds, struct shw_channel_list *out,
                           char why[SHW_CHANNEL_WHY_SIZE])
{
    struct shw_channel_list list = {.input_count = 1, .inputs = {SHW_COLOUR}};

    if (!shw_channel_kinds_check(kinds, why))
        return false;
    text = text != NULL ? text : SHW_CHANNELS_WINN16;
    if (!read_text(text, kinds, false, &list, why) || !read_text(text, kinds, true, &list, why))
        return false;
    if (list.entry_count == 0)
        return REFUSE(why, "there is none, only ranges");
    if (!set_name(&list, why))
        return false;
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

bool shw_channel_list_names(const struct shw_channel_list *list, uint32_t input)
{
    bool any = false;

    for (uint32_t i = 0; i < list->entry_count; i++) {
        const struct shw_channel_entry *entry = &list->entries[i];
        const uint32_t planes = plane_count(entry->kind);

        any = any || (planes > 0 && entry->source == input) || (planes > 1 && entry->input == input);
    }
    return any;
}

bool shw_channel_lists_equal(const struct shw_channel_list *a, const struct shw_channel_list *b)
{
    bool equal = a->entry_count == b->entry_count;

    for (uint32_t i = 0; equal && i < a->entry_count; i++)
        equal = a->entries[i].kind == b->entries[i].kind;
    return equal && strcmp(a->name, b->name) == 0;
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
