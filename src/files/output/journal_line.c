#include "files/output/journal_line.h"

#include <inttypes.h>
#include <string.h>

#include "base/file_bytes.h"
#include "base/hash.h"

/* Lines end with a digest of the rest: `{...,"sum":"..."}`. Those of earlier versions have none. */
#define SUM_BEFORE ",\"sum\":\""
#define SUM_AFTER  "\"}"
enum { SUM_DIGITS = sizeof(struct shw_digest) - 1 };

static struct shw_digest sum_of(const char *text, size_t length)
{
    const XXH128_hash_t hash = XXH3_128bits(text, length);
    struct shw_digest sum;

    snprintf(sum.text, sizeof sum.text, "%016" PRIx64 "%016" PRIx64, (uint64_t)hash.high64, (uint64_t)hash.low64);
    return sum;
}

/* Whether a line has a sum, at text[*rest], and whether that is the sum of what is before. */
static bool has_sum(const char *text, size_t length, size_t *rest, bool *fits)
{
    const size_t before = strlen(SUM_BEFORE), after = strlen(SUM_AFTER), size = before + SUM_DIGITS + after;

    if (length > 0 && text[length - 1] == '\n')
        length--;
    if (length < size || memcmp(text + length - after, SUM_AFTER, after) != 0 ||
        memcmp(text + length - size, SUM_BEFORE, before) != 0)
        return false;
    *rest = length - size;
    *fits = memcmp(text + *rest + before, sum_of(text, *rest).text, SUM_DIGITS) == 0;
    return true;
}

/* The position after a text that begins there. */
static size_t skip_text(const char *text, size_t length, size_t at)
{
    for (at++; at < length && text[at] != '"'; at++)
        at += text[at] == '\\';
    return at + 1;
}

/* The position after an array that begins there. */
static size_t skip_array(const char *text, size_t length, size_t at)
{
    unsigned depth = 0;

    while (at < length) {
        depth += text[at] == '[';
        depth -= text[at] == ']';
        at = text[at] == '"' ? skip_text(text, length, at) : at + 1;
        if (depth == 0)
            break;
    }
    return at < length ? at : length;
}

/* Empties the arrays among the members of an object in JSON, which are rows of tables: they are read when the tables
 * are made. Returns the length that is left. */
static size_t leave_out_rows(char *text, size_t length)
{
    size_t used = 0;
    unsigned depth = 0;

    for (size_t at = 0, end; at < length; at = end) {
        if (depth == 1 && text[at] == '[') {
            end = skip_array(text, length, at);
            text[used++] = '[';
            text[used++] = ']';
            continue;
        }
        depth += text[at] == '{' || text[at] == '[';
        depth -= text[at] == '}' || text[at] == ']';
        end = text[at] == '"' ? skip_text(text, length, at) : at + 1;
        end = end < length ? end : length;
        memmove(text + used, text + at, end - at);
        used += end - at;
    }
    return used;
}

json_t *shw_journal_line_parse(char *text, size_t length, bool rows, bool *damaged, bool *is_summed)
{
    size_t rest;
    bool fits = false;

    *is_summed = has_sum(text, length, &rest, &fits);
    *damaged = *is_summed && !fits;
    if (fits && !rows)
        length = leave_out_rows(text, length);
    return json_loadb(text, length, 0, NULL);
}

int shw_journal_line_print(FILE *stream, const char *text)
{
    size_t rest = strlen(text) - 1; /* without the brace */

    return fprintf(stream, "%.*s" SUM_BEFORE "%s" SUM_AFTER "\n", (int)rest, text, sum_of(text, rest).text);
}
