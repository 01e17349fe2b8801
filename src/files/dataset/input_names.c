#include "files/dataset/input_names.h"

#include <pthread.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
    return strcmp(a, b);
}

const char *shw_input_name_keep(const char *name)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static void *names; /* a tree of texts */
    char *copy, **found;

    pthread_mutex_lock(&lock);
    found = tfind(name, &names, compare);
    if (found == NULL && (copy = strdup(name)) != NULL) {
        found = tsearch(copy, &names, compare);
        if (found == NULL)
            free(copy);
    }
    pthread_mutex_unlock(&lock);
    return found != NULL ? *found : NULL;
}
