/* Predicts from rows of numbers on the CPU: loads a record forest, evaluates the rows of standard input, and prints a
 * line for each: of a forest for classes the class and the probability of each, of one for values the values.
 *
 *     shadewood import model.json -o model.ktx2      (or shadewood train-records table.csv -o model.ktx2)
 *     echo 5.1,3.5,1.4,0.2 | example_predict model.ktx2
 *
 * Numbers are separated by commas; an empty field is a missing one. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/shadewood.h>

/* The library prints nothing: its messages arrive here. */
static void print_message(void *user, enum shw_log_level level, enum shw_log_item item, const char *text)
{
    (void)user;
    (void)level;
    (void)item;
    fprintf(stderr, "%s\n", text);
}

/* False if the line has another number of fields. */
static bool read_row(const char *line, uint32_t count, float *row)
{
    for (uint32_t a = 0; a < count; a++) {
        char *end;
        row[a] = strtof(line, &end);
        if (end == line)
            row[a] = NAN; /* missing */
        if (*end != (a + 1 < count ? ',' : '\0'))
            return false;
        line = end + 1;
    }
    return true;
}

static void print_prediction(const struct shw_record_forest_info *info, uint32_t class, const float *predictions,
                             uint32_t count)
{
    if (info->task == SHW_RECORD_CLASSES && info->class_names != NULL)
        printf("%s", info->class_names[class]);
    else if (info->task == SHW_RECORD_CLASSES)
        printf("%u", class);
    for (uint32_t p = 0; p < count; p++)
        printf("%s%g", p > 0 || info->task == SHW_RECORD_CLASSES ? "," : "", (double)predictions[p]);
    putchar('\n');
}

/* A program with many rows at hand passes them in one call, which then uses all processors. */
static enum shw_result predict(struct shw_record_evaluator *evaluator, const struct shw_record_forest *forest)
{
    const struct shw_record_forest_info *info = shw_record_forest_get_info(forest);
    const uint32_t predictions_of_row = shw_record_forest_get_prediction_count(forest);
    float *row = calloc(info->attribute_count, sizeof *row);
    float *predictions = calloc(predictions_of_row, sizeof *predictions);
    uint32_t class = 0;
    const struct shw_records records = {.values = row, .count = 1, .attribute_count = info->attribute_count};
    const struct shw_record_results results = {.classes = info->task == SHW_RECORD_CLASSES ? &class : NULL,
                                               .predictions = predictions};
    enum shw_result result = row != NULL && predictions != NULL ? SHW_OK : SHW_ERROR_MEMORY;
    char line[65536];

    while (result == SHW_OK && fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\r\n")] = '\0';
        if (!read_row(line, info->attribute_count, row)) {
            fprintf(stderr, "a row must have %u numbers: %s\n", info->attribute_count, line);
            result = SHW_ERROR_FORMAT;
            break;
        }
        result = shw_record_evaluator_run(evaluator, &records, &results);
        if (result == SHW_OK)
            print_prediction(info, class, predictions, predictions_of_row);
    }
    free(row);
    free(predictions);
    return result;
}

int main(int argc, char **argv)
{
    const struct shw_log log = {.function = print_message};
    struct shw_record_evaluator_params params = {.technique = SHW_RECORD_CPU, .log = log};
    struct shw_record_forest *forest = NULL;
    struct shw_record_evaluator *evaluator = NULL;
    enum shw_result result;

    if (argc != 2) {
        fprintf(stderr, "usage: %s MODEL.ktx2 <ROWS\n", argv[0]);
        return 2;
    }
    result = shw_record_forest_load(argv[1], &log, &forest);
    params.forest = forest;
    if (result == SHW_OK)
        result = shw_record_evaluator_create(&params, &evaluator);
    if (result == SHW_OK)
        result = predict(evaluator, forest);
    if (result != SHW_OK)
        fprintf(stderr, "%s: %s\n", argv[1], shw_result_string(result));
    shw_record_evaluator_destroy(&evaluator);
    shw_record_forest_destroy(&forest);
    return result == SHW_OK ? 0 : 1;
}
