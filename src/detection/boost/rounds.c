/* Rounds of training: fixed-point arithmetic, weights of samples, what is trained on, and the thresholds of stages. */
#include "detection/boost/trainer.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/integers.h"
#include "base/log.h"
#include "dense/samples/draws.h"
#include "shared/random.h"

#define LOG2_E    UINT64_C(1549082005) /* 1 / ln 2, in units of 2^-30 */
#define HALF_LN_2 INT64_C(1488522236)  /* ln 2 / 2, in units of 2^-32 */

/* 2^-(2^-k), k from 1 on, in units of 2^-32. */
static const uint32_t powers[24] = {3037000500u, 3611622603u, 3938502376u, 4112874773u, 4202935003u, 4248701965u,
                                    4271771996u, 4283353945u, 4289156690u, 4292061010u, 4293513907u, 4294240540u,
                                    4294603903u, 4294785595u, 4294876445u, 4294921870u, 4294944583u, 4294955939u,
                                    4294961618u, 4294964457u, 4294965876u, 4294966586u, 4294966941u, 4294967119u};

uint32_t shw_boost_exp(uint32_t x)
{
    uint64_t exponent = (x * LOG2_E) >> 22; /* of two, in units of 2^-24 */
    uint32_t whole = (uint32_t)(exponent >> 24), fraction = (uint32_t)exponent & 0xffffffu;
    uint64_t value = UINT64_C(1) << 32;

    if (whole > 31)
        return 0;
    for (uint32_t k = 0; k < 24; k++)
        if ((fraction >> (23 - k) & 1u) != 0)
            value = (value * powers[k]) >> 32;
    return (uint32_t)(value >> (whole + 1));
}

/* The logarithm to base two in units of 2^-24, rounded down. */
static int64_t log2_of(uint64_t x)
{
    int whole = 63 - __builtin_clzll(x);
    uint64_t mantissa = whole > 31 ? x >> (whole - 31) : x << (31 - whole); /* 1 to 2, in units of 2^-31 */
    int64_t result = whole;

    for (int bit = 0; bit < 24; bit++) {
        mantissa = (mantissa * mantissa) >> 31;
        result = 2 * result + (int64_t)(mantissa >> 32);
        mantissa >>= mantissa >> 32;
    }
    return result;
}

int32_t shw_boost_half_log(uint64_t a, uint64_t b)
{
    int64_t scaled = (log2_of(a) - log2_of(b)) * HALF_LN_2; /* in units of 2^-56 */
    int64_t magnitude = scaled < 0 ? -scaled : scaled;

    magnitude = (magnitude + (INT64_C(1) << 39)) >> 40;
    return (int32_t)(scaled < 0 ? -magnitude : magnitude);
}

uint32_t shw_boost_root(uint64_t x)
{
    uint64_t root = 0, rest = x;

    for (uint64_t bit = UINT64_C(1) << 62; bit != 0; bit >>= 2) {
        uint64_t with = root + bit;
        root >>= 1;
        if (rest >= with) {
            rest -= with;
            root += bit;
        }
    }
    return (uint32_t)root;
}

#define CLASS_WEIGHT ((1u << 23) - 1) /* of each class, so that both together are at most SHW_BOOST_WEIGHT_MAX */

#define SMOOTHING (1u << 12) /* added to the weights of a leaf, in units of theirs */

void shw_boosting_weigh(const int32_t *scores, const bool *left_out, uint32_t count, bool objects, uint32_t *weights)
{
    int64_t hardest = INT64_MIN;
    uint64_t sum = 0;

    for (uint32_t i = 0; i < count; i++)
        if (!left_out[i] && (objects ? -(int64_t)scores[i] : scores[i]) > hardest)
            hardest = objects ? -(int64_t)scores[i] : scores[i];
    for (uint32_t i = 0; i < count; i++) {
        int64_t below = hardest - (objects ? -(int64_t)scores[i] : scores[i]);
        weights[i] = left_out[i] ? 0 : shw_boost_exp((uint32_t)shw_clamp_i64(below, 0, UINT32_MAX));
        sum += weights[i];
    }
    for (uint32_t i = 0; i < count && sum > 0; i++)
        weights[i] = (uint32_t)((uint64_t)weights[i] * CLASS_WEIGHT / sum);
}

/* Of Real AdaBoost the normalisation factor (Schapire and Singer 1999, Eq. 12), of Gentle AdaBoost the weighted squared
 * error, both as a multiple of what matters. */
uint64_t shw_boosting_loss(enum shw_boosting boosting, uint32_t object, uint32_t background)
{
    uint64_t product = (uint64_t)object * background, sum = (uint64_t)object + background;

    if (boosting == SHW_BOOSTING_REAL)
        return shw_boost_root(product << 14);
    return sum > 0 ? (product << 14) / sum : 0;
}

int32_t shw_boosting_value(enum shw_boosting boosting, uint32_t object, uint32_t background)
{
    int64_t more = (int64_t)object - background, sum = (int64_t)object + background + 2 * SMOOTHING;

    if (boosting == SHW_BOOSTING_REAL)
        return shw_boost_half_log((uint64_t)object + SMOOTHING, (uint64_t)background + SMOOTHING);
    return (int32_t)(more * (INT64_C(1) << SHW_BOOSTED_FRACTION_BITS) / sum);
}

/* The rounds of training: what is trained on, and the thresholds by which a round ends. */

#define LEAST_OBJECTS 2u   /* to train on, and to calibrate with */
#define LEAST_FOUND   100u /* a round needs this part of the backgrounds that are wanted */

/* The sources of all objects, while they become patches. */
struct cutting {
    const struct shw_cascade_trainer *trainer;
    struct shw_object_source *sources;
    uint8_t *cut;      /* whether an object has a source, with any worker */
    uint32_t *numbers; /* of the objects whose copies are made */
    struct shw_scored_patches *patches;
    atomic_int result;
};

static void fail_cutting(struct cutting *cutting, enum shw_result result)
{
    int none = SHW_OK;

    atomic_compare_exchange_strong(&cutting->result, &none, (int)result);
    shw_thread_pool_stop(cutting->trainer->pool);
}

static void cut_image(void *user, uint32_t index, uint32_t thread)
{
    struct cutting *cutting = user;
    const struct shw_cascade_trainer *trainer = cutting->trainer;
    const struct shw_grey_image *image = &trainer->images.images[index];
    const uint8_t *grey;
    enum shw_result result;

    (void)thread;
    if (image->object_count == 0 || !shw_boost_owns_image(&trainer->workers, index))
        return;
    result = shw_grey_images_get(&trainer->images, index, &grey);
    if (result == SHW_OK) {
        result = shw_object_sources_cut(&trainer->cutting, grey, image->width, image->height,
                                        trainer->dataset->objects + image->first_object, image->object_count,
                                        &trainer->params.log, cutting->sources + image->first_object);
        shw_grey_images_release(&trainer->images, index, grey);
    }
    if (result != SHW_OK)
        fail_cutting(cutting, result);
}

static void make_copies(void *user, uint32_t index, uint32_t thread)
{
    struct cutting *cutting = user;
    const struct shw_cascade_trainer *trainer = cutting->trainer;
    uint32_t copies = trainer->params.copies, object = cutting->numbers[index];

    (void)thread;
    if (!shw_boost_owns_image(&trainer->workers, trainer->dataset->objects[object].image))
        return;
    for (uint32_t c = 0; c < copies; c++)
        if (!shw_object_patch_make(&trainer->cutting, &cutting->sources[object], object, c,
                                   cutting->patches->patches + ((size_t)index * copies + c) * trainer->points))
            fail_cutting(cutting, shw_fail_memory(&trainer->params.log, "objects"));
}

/* Patches without contents, of which `count` are used. */
static enum shw_result allocate(const struct shw_cascade_trainer *trainer, uint64_t capacity, uint32_t count,
                                struct shw_scored_patches *patches)
{
    if (capacity > SHW_BOOST_SAMPLES_MAX)
        return shw_fail(&trainer->params.log, SHW_ERROR_LIMIT, SHW_LOG_TRAIN_PARAMETER,
                        "%llu samples to train on; at most %u are possible", (unsigned long long)capacity,
                        SHW_BOOST_SAMPLES_MAX);
    patches->patches = malloc(capacity * trainer->points * sizeof *patches->patches);
    patches->scores = calloc(capacity, sizeof *patches->scores);
    patches->rejected = calloc(capacity, sizeof *patches->rejected);
    patches->count = count;
    if (patches->patches == NULL || patches->scores == NULL || patches->rejected == NULL)
        return shw_fail_memory(&trainer->params.log, "the samples to train on");
    return SHW_OK;
}

/* Divides the objects that have patches: to train on first, to calibrate with from the end on. */
static uint32_t divide(const struct cutting *cutting, uint32_t *numbers, uint32_t *held_out)
{
    const struct shw_cascade_trainer *trainer = cutting->trainer;
    uint32_t key = shw_draw_key(trainer->params.seed, 0, SHW_DRAW_CALIBRATION), count = 0;

    for (uint32_t o = 0; o < trainer->dataset->object_count; o++)
        if (cutting->cut[o] != 0 && !trainer->dataset->objects[o].ignored)
            numbers[count++] = o;
    shw_draw_choice(key, 0, 0, numbers, count, count);
    *held_out = (uint32_t)(((uint64_t)count * trainer->params.calibration_percent + 99) / 100);
    return count;
}

/* The workers that have the images of objects; NULL: all objects. Rows of `data` are shared accordingly. */
static enum shw_result share_by_object(const struct cutting *cutting, const uint32_t *numbers, uint32_t count,
                                       size_t row_size, void *data)
{
    const struct shw_cascade_trainer *trainer = cutting->trainer;
    uint32_t *owners = malloc((count + (size_t)1) * sizeof *owners);
    enum shw_result result;

    if (owners == NULL)
        return shw_fail_memory(&trainer->params.log, "objects");
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t object = numbers != NULL ? numbers[i] : i;

        owners[i] = shw_boost_image_owner(&trainer->workers, trainer->dataset->objects[object].image);
    }
    result = shw_boost_share_rows(&trainer->workers, owners, count, row_size, data);
    free(owners);
    return result;
}

static enum shw_result make_patches(struct cutting *cutting, uint32_t *numbers, uint32_t count,
                                    struct shw_scored_patches *patches)
{
    const size_t copies_size = (size_t)cutting->trainer->params.copies * cutting->trainer->points * sizeof(uint16_t);

    cutting->numbers = numbers;
    cutting->patches = patches;
    shw_thread_pool_run(cutting->trainer->pool, count, make_copies, cutting);
    SHW_PROPAGATE((enum shw_result)atomic_load(&cutting->result));
    return share_by_object(cutting, numbers, count, copies_size, patches->patches);
}

static enum shw_result make_samples(struct shw_cascade_trainer *trainer, struct cutting *cutting, uint32_t *numbers)
{
    uint32_t copies = trainer->params.copies, held_out, count = divide(cutting, numbers, &held_out);
    uint64_t samples = (uint64_t)(count - held_out) * copies, capacity = samples + trainer->params.background_count;

    if (count < held_out + LEAST_OBJECTS || held_out < 1)
        return shw_fail(
            &trainer->params.log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
            "%u objects are too few to train on: only %u of them lie in their images and are large enough for a "
            "window of %u x %u",
            trainer->dataset->object_count, count, trainer->params.window_width, trainer->params.window_height);
    if (count < trainer->dataset->object_count)
        shw_log_message(
            &trainer->params.log, SHW_LOG_INFO, SHW_LOG_DATASET,
            "%u of %u objects are not trained on: they are marked to be ignored, much smaller than the window, or "
            "outside of their images",
            trainer->dataset->object_count - count, trainer->dataset->object_count);
    SHW_PROPAGATE(allocate(trainer, capacity, (uint32_t)samples, &trainer->samples));
    SHW_PROPAGATE(allocate(trainer, (uint64_t)held_out * copies, held_out * copies, &trainer->calibration));
    trainer->object_samples = (uint32_t)samples;
    trainer->classes = malloc(capacity * sizeof *trainer->classes);
    trainer->weights = malloc(capacity * sizeof *trainer->weights);
    trainer->leaves = malloc(capacity * sizeof *trainer->leaves);
    if (trainer->classes == NULL || trainer->weights == NULL || trainer->leaves == NULL)
        return shw_fail_memory(&trainer->params.log, "the samples to train on");
    for (uint64_t i = 0; i < capacity; i++)
        trainer->classes[i] = i < samples ? SHW_BOOST_OBJECT : SHW_BOOST_BACKGROUND;
    SHW_PROPAGATE(make_patches(cutting, numbers, count - held_out, &trainer->samples));
    return make_patches(cutting, numbers + count - held_out, held_out, &trainer->calibration);
}

static enum shw_result cut_objects(struct shw_cascade_trainer *trainer)
{
    uint32_t count = trainer->dataset->object_count;
    struct cutting cutting = {
        .trainer = trainer, .sources = calloc(count, sizeof *cutting.sources), .cut = calloc(count, 1)};
    uint32_t *numbers = malloc(count * sizeof *numbers);
    enum shw_result result = SHW_OK;

    if (cutting.sources == NULL || cutting.cut == NULL || numbers == NULL) {
        result = shw_fail_memory(&trainer->params.log, "objects");
        goto fail;
    }
    shw_thread_pool_run(trainer->pool, trainer->dataset->image_count, cut_image, &cutting);
    SHW_TRY((enum shw_result)atomic_load(&cutting.result));
    for (uint32_t o = 0; o < count; o++)
        cutting.cut[o] = cutting.sources[o].values != NULL;
    SHW_TRY(share_by_object(&cutting, NULL, count, 1, cutting.cut));
    SHW_TRY(make_samples(trainer, &cutting, numbers));

fail:
    for (uint32_t o = 0; cutting.sources != NULL && o < count; o++)
        shw_object_source_free(&cutting.sources[o]);
    free(cutting.sources);
    free(cutting.cut);
    free(numbers);
    return result;
}

static uint64_t hash_objects(const struct shw_cascade_trainer *trainer, uint64_t hash)
{
    const struct shw_cascade_dataset *dataset = trainer->dataset;

    for (uint32_t o = 0; o < dataset->object_count; o++) {
        const struct shw_cascade_object *object = &dataset->objects[o];
        const uint32_t words[6] = {object->image, (uint32_t)object->x, (uint32_t)object->y,
                                   object->width, object->height,      object->ignored};
        hash = XXH3_64bits_withSeed(words, sizeof words, hash);
    }
    return hash;
}

/* Of everything in the data set that the cascade depends on. */
static uint64_t hash_data(const struct shw_cascade_trainer *trainer)
{
    const struct shw_cascade_dataset *dataset = trainer->dataset;
    uint64_t hash = dataset->object_count;

    for (uint32_t i = 0; i < dataset->image_count; i++) {
        const uint64_t words[2] = {trainer->images.images[i].hash,
                                   dataset->backgrounds == NULL || dataset->backgrounds[i]};
        hash = XXH3_64bits_withSeed(words, sizeof words, hash);
    }
    return hash_objects(trainer, hash);
}

/* Copies samples to the back end. */
static enum shw_result put(struct shw_cascade_trainer *trainer, uint32_t first, uint32_t count)
{
    uint32_t *places = malloc(((size_t)count + 1) * sizeof *places);
    enum shw_result result;

    if (places == NULL)
        return shw_fail_memory(&trainer->params.log, "the samples to train on");
    for (uint32_t i = 0; i < count; i++)
        places[i] = first + i;
    result = shw_boost_put(trainer->boost, places, count, trainer->samples.patches + (size_t)first * trainer->points);
    free(places);
    return result;
}

/* What workers must have in common before they read the images. */
static enum shw_result agree(const struct shw_cascade_trainer *trainer)
{
    json_t *record;
    char *text;
    enum shw_result result;

    if (trainer->workers.exchange == NULL)
        return SHW_OK;
    SHW_PROPAGATE(shw_boost_agree(&trainer->workers, trainer->dataset->image_count, "numbers of images"));
    record = shw_cascade_trainer_record(trainer);
    text = record != NULL ? json_dumps(record, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    result = text == NULL ? shw_fail_memory(&trainer->params.log, "the provenance")
                          : shw_boost_agree(&trainer->workers, XXH3_64bits(text, strlen(text)), "parameters");
    free(text);
    json_decref(record);
    return result == SHW_OK ? shw_boost_agree(&trainer->workers, hash_objects(trainer, 0), "objects") : result;
}

enum shw_result shw_cascade_trainer_prepare(struct shw_cascade_trainer *trainer)
{
    if (trainer->prepared)
        return SHW_OK;
    SHW_PROPAGATE(agree(trainer));
    SHW_PROPAGATE(shw_grey_images_read(trainer->dataset, &trainer->workers, trainer->pool, &trainer->stop,
                                       &trainer->params.log, &trainer->images));
    trainer->data_hash = hash_data(trainer);
    SHW_PROPAGATE(cut_objects(trainer));
    SHW_PROPAGATE(put(trainer, 0, trainer->object_samples));
    trainer->prepared = true;
    return SHW_OK;
}

static enum shw_result take_mined(struct shw_cascade_trainer *trainer, const struct shw_mined *mined)
{
    struct shw_scored_patches *samples = &trainer->samples;
    uint32_t first = trainer->object_samples;
    uint32_t least = shw_max_u32(trainer->params.background_count / LEAST_FOUND, 1);

    trainer->scanned = mined->scanned;
    trainer->passed = mined->passed;
    trainer->backgrounds_left = 1;
    if (mined->count < least && trainer->round_first == 0)
        return shw_fail(&trainer->params.log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                        "the images without objects have %u windows; at least %u are needed", mined->count, least);
    trainer->finished = mined->count < least;
    samples->count = first + mined->count;
    memcpy(samples->patches + (size_t)first * trainer->points, mined->patches,
           (size_t)mined->count * trainer->points * sizeof *mined->patches);
    memcpy(samples->scores + first, mined->scores, mined->count * sizeof *mined->scores);
    memset(samples->rejected + first, 0, mined->count * sizeof *samples->rejected);
    return put(trainer, first, mined->count);
}

enum shw_result shw_cascade_trainer_mine(struct shw_cascade_trainer *trainer)
{
    struct shw_mining mining = {.images = &trainer->images,
                                .turned = trainer->params.turned_backgrounds,
                                .hold_out_percent = trainer->params.hold_out_percent,
                                .count = trainer->params.background_count,
                                .seed = trainer->params.seed,
                                .round = trainer->round,
                                .pool = trainer->pool,
                                .workers = &trainer->workers,
                                .stop = &trainer->stop};
    struct shw_mined mined = {0};
    struct shw_cascade *cascade = NULL;
    enum shw_result result;

    SHW_TRY(shw_cascade_trainer_make(trainer, trainer->round_first, NULL, NULL, &cascade));
    mining.cascade = cascade;
    SHW_TRY(shw_mine(&mining, &mined));
    SHW_TRY(take_mined(trainer, &mined));

fail:
    shw_cascade_destroy(&cascade);
    shw_mined_free(&mined);
    return result;
}

void shw_cascade_trainer_score(const struct shw_cascade_trainer *trainer, uint32_t stage,
                               struct shw_scored_patches *patches, uint32_t first)
{
    const struct shw_cascade_node *nodes = trainer->nodes + trainer->trees[stage].first_node;

    for (uint32_t i = first; i < patches->count; i++) {
        if (patches->rejected[i])
            continue;
        patches->scores[i] +=
            shw_boosted_tree_value(nodes, patches->patches + (size_t)i * trainer->points, trainer->params.window_width);
        patches->rejected[i] = patches->scores[i] < trainer->stages[stage].threshold;
    }
}

/* How many copies for calibration may be rejected by all stages so far, and by how many more. */
static uint32_t cascade_trainer_losses(const struct shw_cascade_trainer *trainer)
{
    uint64_t all = (uint64_t)trainer->calibration.count * trainer->params.loss_permille / 1000;
    uint64_t share = shw_boost_root(((uint64_t)trainer->stage_count << 32) / trainer->params.stage_count);

    return (uint32_t)((all * share) >> 16);
}

static int compare_scores(const void *a, const void *b)
{
    int32_t first = *(const int32_t *)a, second = *(const int32_t *)b;

    return (first > second) - (first < second);
}

/* The score that a copy for calibration needs now, so that no more than the allowed share is lost. */
static enum shw_result find_limit(const struct shw_cascade_trainer *trainer, int32_t *limit)
{
    const struct shw_scored_patches *patches = &trainer->calibration;
    int32_t *scores = malloc(((size_t)patches->count + 1) * sizeof *scores);
    uint32_t kept = 0, may_lose = cascade_trainer_losses(trainer);

    if (scores == NULL)
        return shw_fail_memory(&trainer->params.log, "thresholds of stages");
    for (uint32_t i = 0; i < patches->count; i++)
        if (!patches->rejected[i])
            scores[kept++] = patches->scores[i];
    qsort(scores, kept, sizeof *scores, compare_scores);
    may_lose -= shw_min_u32(patches->count - kept, may_lose);
    *limit = scores[may_lose]; /* fewer than all may be lost */
    free(scores);
    return SHW_OK;
}

/* The running scores in the round's stages of a copy that is kept, least first. */
static void lower(const struct shw_cascade_trainer *trainer, uint32_t copy, int32_t *thresholds)
{
    uint32_t count = trainer->stage_count - trainer->round_first;
    const uint16_t *patch = trainer->calibration.patches + (size_t)copy * trainer->points;
    int32_t score = trainer->calibration.scores[copy];

    for (uint32_t s = count; s-- > 0;) {
        const struct shw_cascade_tree *tree = &trainer->trees[trainer->round_first + s];
        thresholds[s] = shw_min_i32(thresholds[s], score);
        score -= shw_boosted_tree_value(trainer->nodes + tree->first_node, patch, trainer->params.window_width);
    }
}

enum shw_result shw_cascade_trainer_thresholds(const struct shw_cascade_trainer *trainer, int32_t *thresholds)
{
    const struct shw_scored_patches *patches = &trainer->calibration;
    int32_t limit;

    SHW_PROPAGATE(find_limit(trainer, &limit));
    for (uint32_t s = 0; s < trainer->stage_count - trainer->round_first; s++)
        thresholds[s] = INT32_MAX;
    for (uint32_t i = 0; i < patches->count; i++)
        if (!patches->rejected[i] && patches->scores[i] >= limit)
            lower(trainer, i, thresholds);
    return SHW_OK;
}

/* Rejects by the thresholds that the round's stages have now. */
static void reject(const struct shw_cascade_trainer *trainer, struct shw_scored_patches *patches, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint16_t *patch = patches->patches + (size_t)i * trainer->points;
        int32_t score = patches->scores[i];
        for (uint32_t s = trainer->stage_count; s-- > trainer->round_first && !patches->rejected[i];) {
            patches->rejected[i] = score < trainer->stages[s].threshold;
            score -= shw_boosted_tree_value(trainer->nodes + trainer->trees[s].first_node, patch,
                                            trainer->params.window_width);
        }
    }
}

enum shw_result shw_cascade_trainer_end_round(struct shw_cascade_trainer *trainer, bool last)
{
    const struct shw_scored_patches *samples = &trainer->samples;
    uint32_t backgrounds = samples->count - trainer->object_samples, left = 0;
    uint32_t count = trainer->stage_count - trainer->round_first;
    int32_t limit, *thresholds;
    enum shw_result result;

    SHW_PROPAGATE(find_limit(trainer, &limit));
    for (uint32_t i = trainer->object_samples; i < samples->count; i++)
        left += samples->scores[i] >= limit;
    trainer->backgrounds_left = (double)left / backgrounds;
    if (!last && count < trainer->params.round_stages &&
        (uint64_t)left * 100 > (uint64_t)backgrounds * trainer->params.pass_percent)
        return SHW_OK;
    thresholds = malloc(count * sizeof *thresholds);
    result = thresholds != NULL ? shw_cascade_trainer_thresholds(trainer, thresholds)
                                : shw_fail_memory(&trainer->params.log, "thresholds of stages");
    for (uint32_t s = 0; s < count && result == SHW_OK; s++)
        trainer->stages[trainer->round_first + s].threshold = thresholds[s];
    free(thresholds);
    if (result != SHW_OK)
        return result;
    reject(trainer, &trainer->samples, trainer->object_samples);
    reject(trainer, &trainer->calibration, trainer->calibration.count);
    trainer->round_open = false;
    return SHW_OK;
}
