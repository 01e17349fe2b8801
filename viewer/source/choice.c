#include "source/choice.h"

void view_choice_init(struct view_choice *choice, const struct shw_image_choice *chosen)
{
    *choice = (struct view_choice){.chosen = *chosen};
    pthread_mutex_init(&choice->lock, NULL);
}

void view_choice_destroy(struct view_choice *choice)
{
    pthread_mutex_destroy(&choice->lock);
}

struct shw_image_choice view_choice_get(struct view_choice *choice)
{
    struct shw_image_choice current;

    pthread_mutex_lock(&choice->lock);
    current = choice->chosen;
    if (!shw_intensity_range_is_set(&current.range))
        current.range = choice->found;
    pthread_mutex_unlock(&choice->lock);
    return current;
}

void view_choice_set(struct view_choice *choice, const struct shw_image_choice *chosen)
{
    pthread_mutex_lock(&choice->lock);
    choice->chosen = *chosen;
    choice->found = (struct shw_intensity_range){0};
    pthread_mutex_unlock(&choice->lock);
}

void view_choice_offer(struct view_choice *choice, const struct shw_image_choice *used)
{
    struct shw_image_choice without = *used;

    without.range = (struct shw_intensity_range){0};
    pthread_mutex_lock(&choice->lock);
    if (shw_image_choice_equal(&choice->chosen, &without) && !shw_intensity_range_is_set(&choice->found))
        choice->found = used->range;
    pthread_mutex_unlock(&choice->lock);
}
