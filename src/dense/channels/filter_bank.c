#include "dense/channels/filter_bank.h"

#include <string.h>

#include "dense/channels/channel_maker.h"

/* sigma = 2^scale */
static uint32_t scale_of(uint32_t sigma)
{
    return sigma == 1 ? 0 : 1 + scale_of(sigma / 2);
}

static uint8_t kernel_of(enum shw_kernel family, uint32_t sigma)
{
    return (uint8_t)((uint32_t)family + scale_of(sigma));
}

/* Sorts rows by scale, and within a scale Gaussians first, so that filters of one pass are adjacent. */
static bool comes_before(struct shw_row_filter a, struct shw_row_filter b)
{
    uint32_t scale_a = a.kernel % SHW_KERNEL_SCALES, scale_b = b.kernel % SHW_KERNEL_SCALES;

    if (scale_a != scale_b)
        return scale_a < scale_b;
    return a.kernel != b.kernel ? a.kernel < b.kernel : a.base < b.base;
}

static void add_row(struct shw_filter_bank *bank, struct shw_row_filter row)
{
    uint32_t at = 0;

    while (at < bank->row_count && comes_before(bank->rows[at], row))
        at++;
    if (at < bank->row_count && !comes_before(row, bank->rows[at]))
        return;
    memmove(&bank->rows[at + 1], &bank->rows[at], (bank->row_count - at) * sizeof row);
    bank->rows[at] = row;
    bank->row_count++;
}

static uint8_t find_row(const struct shw_filter_bank *bank, struct shw_row_filter row)
{
    uint8_t i = 0;

    while (comes_before(bank->rows[i], row))
        i++;
    return i;
}

/* The column filter with these terms; adds it if there is none. */
static struct shw_column_filter *find_column(struct shw_filter_bank *bank, const struct shw_column_filter *column)
{
    struct shw_column_filter *found = bank->columns;

    while (found < bank->columns + bank->column_count &&
           (found->term_count != column->term_count || memcmp(found->terms, column->terms, sizeof column->terms) != 0))
        found++;
    if (found == bank->columns + bank->column_count)
        bank->columns[bank->column_count++] = *column;
    return found;
}

static void add_channel(struct shw_filter_bank *bank, const struct shw_filter *filter, uint32_t sigma, uint32_t base,
                        uint32_t output)
{
    struct shw_column_filter column = {
        .term_count = (uint8_t)filter->term_count, .output = SHW_NO_OUTPUT, .magnitude = SHW_NO_OUTPUT};

    for (uint32_t t = 0; t < filter->term_count; t++) {
        const struct shw_row_filter row = {(uint8_t)base, kernel_of(filter->terms[t].row, sigma)};
        column.terms[t].row = find_row(bank, row);
        column.terms[t].kernel = kernel_of(filter->terms[t].column, sigma);
    }
    *(filter->is_magnitude ? &find_column(bank, &column)->magnitude : &find_column(bank, &column)->output) = output;
}

static const struct shw_filter *filter_of(const struct shw_channel_entry *entry)
{
    return shw_channel_maker_of(entry->kind) == &shw_filter_bank_maker ? entry->kind->user : NULL;
}

void shw_filter_bank_make(const struct shw_channel_list *list, uint32_t first, uint32_t count,
                          struct shw_filter_bank *bank)
{
    *bank = (struct shw_filter_bank){.row_count = 0};
    for (uint32_t pass = 0; pass < 2; pass++) /* row indices must be final before columns refer to them */
        for (uint32_t c = first; c < first + count; c++) {
            const struct shw_channel_entry *entry = shw_channel_entry_of(list, c);
            const struct shw_filter *filter = filter_of(entry);
            if (filter == NULL)
                continue;
            enum shw_base_plane base = filter->planes[c - entry->first];
            for (uint32_t t = 0; t < filter->term_count && pass == 0; t++)
                add_row(bank,
                        (struct shw_row_filter){(uint8_t)base, kernel_of(filter->terms[t].row, entry->parameter)});
            if (pass == 1)
                add_channel(bank, filter, entry->parameter, base, c - first);
        }
}
