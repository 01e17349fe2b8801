/* How many pixels of each class are drawn. */
#include <stdlib.h>
#include <string.h>

#include "base/integers.h"
#include "dense/samples/draws.h"
#include "dense/samples/images.h"
#include "dense/samples/sampling.h"
#include "shared/random.h"

static uint32_t list_able(const struct shw_class_shares *shares)
{
    uint32_t count = 0;

    for (uint32_t c = 0; c < shares->classes; c++)
        if (shares->quotas[c] < shares->sizes[c])
            shares->able[count++] = c;
    return count;
}

void shw_class_share(const struct shw_class_shares *shares, uint32_t wanted, uint32_t key, uint32_t stream)
{
    uint32_t left = wanted, count;

    memset(shares->quotas, 0, shares->classes * sizeof *shares->quotas);
    for (count = list_able(shares); left >= count && count > 0; count = list_able(shares)) {
        uint32_t each = left / count;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t class = shares->able[i];
            uint32_t more = (uint32_t)shw_min_u64(each, shares->sizes[class] - shares->quotas[class]);
            shares->quotas[class] += more;
            left -= more;
        }
    }
    shw_draw_choice(key, stream, 0, shares->able, count, left);
    for (uint32_t i = 0; i < left; i++)
        shares->quotas[shares->able[i]]++;
}

/* A class while its pixels are shared among the images. */
struct spread {
    uint64_t size;    /* its pixels in all images */
    uint64_t before;  /* those of the images so far */
    uint32_t quota;   /* to be drawn of them */
    uint32_t phase;   /* where the first draw begins, in units of 2^-32 draws */
    uint32_t reached; /* draws so far */
};

/* The draws that fall on the first `pixels` pixels of a class: floor(pixels quota / size + phase). So all pixels are
 * equally likely, and no image gives more pixels than it has. */
static uint32_t draws_before(const struct spread *spread, uint64_t pixels)
{
    unsigned __int128 size = spread->size, at = (unsigned __int128)pixels * spread->quota << 32;

    return (uint32_t)((at + size * spread->phase) / (size << 32));
}

/* Adds the class lists of a picture's parts to `counts`. */
static void add_picture(const struct shw_class_task *task, uint32_t index, uint32_t *counts)
{
    const struct shw_train_picture *picture = &task->images->pictures[task->drawn[index]];

    for (uint32_t i = picture->first; i < picture->end; i++) {
        const struct shw_class_list *list = &task->images->class_lists[i];
        for (uint32_t e = 0; e < list->count; e++)
            counts[list->entries[e].class] += list->entries[e].count;
    }
}

/* The draws of the classes that the parts of a picture have, whose pixels are in `counts`; sets these to zero. */
static size_t spread_over(const struct shw_class_task *task, uint32_t index, uint32_t *counts, struct spread *spreads,
                          struct shw_class_count *entries)
{
    const struct shw_train_picture *picture = &task->images->pictures[task->drawn[index]];
    size_t made = 0;

    for (uint32_t i = picture->first; i < picture->end; i++) {
        const struct shw_class_list *list = &task->images->class_lists[i];
        for (uint32_t e = 0; e < list->count; e++) {
            uint32_t class = list->entries[e].class, reached;
            struct spread *spread = &spreads[class];
            if (counts[class] == 0) /* of an earlier part, too */
                continue;
            spread->before += counts[class];
            counts[class] = 0;
            reached = draws_before(spread, spread->before);
            if (reached > spread->reached)
                entries[made++] = (struct shw_class_count){class, reached - spread->reached};
            spread->reached = reached;
        }
    }
    return made;
}

/* Goes through the images in the order in which they are drawn. `counts` are zero. */
static void spread_all(const struct shw_class_task *task, uint32_t *counts, struct spread *spreads,
                       const struct shw_class_plan *plan)
{
    size_t end = 0;

    for (uint32_t place = 0; place < task->drawn_count * task->mirrors; place++) {
        add_picture(task, place / task->mirrors, counts);
        end += spread_over(task, place / task->mirrors, counts, spreads, plan->entries + end);
        plan->ends[place] = end;
    }
}

static size_t count_entries(const struct shw_train_images *images, uint32_t picture)
{
    size_t count = 0;

    for (uint32_t i = images->pictures[picture].first; i < images->pictures[picture].end; i++)
        count += images->class_lists[i].count;
    return count;
}

/* The pixels of each class in all images drawn. */
static void add_sizes(const struct shw_class_task *task, uint64_t *sizes)
{
    for (uint32_t d = 0; d < task->drawn_count; d++) {
        const struct shw_train_picture *picture = &task->images->pictures[task->drawn[d]];
        for (uint32_t i = picture->first; i < picture->end; i++) {
            const struct shw_class_list *list = &task->images->class_lists[i];
            for (uint32_t e = 0; e < list->count; e++)
                sizes[list->entries[e].class] += (uint64_t)task->mirrors * list->entries[e].count;
        }
    }
}

static bool allocate(const struct shw_class_task *task, struct shw_class_plan *plan)
{
    size_t entries = 0, places = (size_t)task->drawn_count * task->mirrors;

    for (uint32_t d = 0; d < task->drawn_count; d++)
        entries += task->mirrors * count_entries(task->images, task->drawn[d]);
    plan->entries = malloc((entries + 1) * sizeof *plan->entries);
    plan->ends = malloc(places * sizeof *plan->ends);
    return plan->entries != NULL && plan->ends != NULL;
}

bool shw_class_plan_make(const struct shw_class_task *task, uint32_t wanted, struct shw_class_plan *plan)
{
    uint32_t class_key = shw_draw_key(task->params->seed, task->tree, SHW_DRAW_CLASSES);
    uint32_t phase_key = shw_draw_key(task->params->seed, task->tree, SHW_DRAW_PHASES);
    uint64_t *sizes = calloc(task->classes, sizeof *sizes);
    uint32_t *quotas = calloc(task->classes, sizeof *quotas), *scratch = calloc(task->classes, sizeof *scratch);
    struct spread *spreads = calloc(task->classes, sizeof *spreads);
    const struct shw_class_shares shares = {sizes, quotas, scratch, task->classes};
    bool good = sizes != NULL && quotas != NULL && scratch != NULL && spreads != NULL;

    *plan = (struct shw_class_plan){0};
    good = good && allocate(task, plan);
    if (good) {
        add_sizes(task, sizes);
        shw_class_share(&shares, wanted, class_key, 0);
        for (uint32_t c = 0; c < task->classes; c++)
            spreads[c] = (struct spread){.size = sizes[c], .quota = quotas[c], .phase = shw_random(phase_key, c, 0)};
        memset(scratch, 0, task->classes * sizeof *scratch);
        spread_all(task, scratch, spreads, plan);
    } else {
        shw_class_plan_free(plan);
    }
    free(sizes);
    free(quotas);
    free(scratch);
    free(spreads);
    return good;
}

void shw_class_plan_free(struct shw_class_plan *plan)
{
    free(plan->entries);
    free(plan->ends);
    *plan = (struct shw_class_plan){0};
}

uint64_t shw_class_lists_bytes(const struct shw_train_images *images)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; images->class_lists != NULL && i < images->base_count; i++)
        bytes += sizeof *images->class_lists + (images->class_lists[i].count + 4) * sizeof(struct shw_class_count);
    return bytes;
}

uint64_t shw_class_plan_bytes(const struct shw_trainer_params *params, const struct shw_train_images *images)
{
    uint64_t all = 0, most = 0, mirrors = shw_train_images_copies(images);

    for (uint32_t i = 0; images->class_lists != NULL && i < images->picture_count; i++) {
        uint64_t bytes = mirrors * (count_entries(images, i) * sizeof(struct shw_class_count) + sizeof(size_t));
        all += bytes;
        most = shw_max_u64(most, bytes);
    }
    return params->replacement ? images->picture_count * most : all; /* the largest may be drawn every time */
}
