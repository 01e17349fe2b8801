#include "cli/training_text.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/report.h"

void cli_print_training(const char *record, const char *without)
{
    json_t *object = json_loads(record, 0, NULL), *value;
    const char *key;

    printf("\ntraining\n");
    json_object_foreach(object, key, value)
    {
        char *text;
        if (without != NULL && strcmp(key, without) == 0)
            continue;
        text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
        if (text != NULL)
            shw_make_printable(text);
        printf("  %-17s %s\n", cli_printable(key).text, text != NULL ? text : "");
        free(text);
    }
    json_decref(object);
}
