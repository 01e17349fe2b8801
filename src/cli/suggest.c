#include "cli/suggest.h"

#include <string.h>

#include "base/integers.h"

#define LENGTH_MAX 40u

/* Optimal string alignment distance (edits and exchanges of neighbours) of words of at most `LENGTH_MAX` letters. */
static uint32_t edit_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    uint32_t rows[3][LENGTH_MAX + 1];

    for (size_t j = 0; j <= b_length; j++)
        rows[0][j] = (uint32_t)j;
    for (size_t i = 1; i <= a_length; i++) {
        uint32_t *row = rows[i % 3], *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        row[0] = (uint32_t)i;
        for (size_t j = 1; j <= b_length; j++) {
            row[j] = shw_min_u32(shw_min_u32(row[j - 1], last[j]) + 1, last[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = shw_min_u32(row[j], before[j - 2] + 1);
        }
    }
    return rows[a_length % 3][b_length];
}

void cli_suggest(struct cli_suggestion *suggestion, const char *name)
{
    size_t wanted_length = strcspn(suggestion->wanted, "="), length = strlen(name);
    uint32_t distance;

    if (wanted_length == 0 || wanted_length > LENGTH_MAX || length > LENGTH_MAX)
        return;
    distance = edit_distance(suggestion->wanted, wanted_length, name, length);
    if (distance > 2 + wanted_length / 8 || distance >= shw_min_u32((uint32_t)wanted_length, (uint32_t)length))
        return;
    if (suggestion->nearest != NULL && distance >= suggestion->distance)
        return;
    suggestion->nearest = name;
    suggestion->distance = distance;
}
