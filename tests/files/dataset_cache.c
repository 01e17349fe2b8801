/* The cache of decoded examples: what it keeps, and what it evicts first. */
#include "testing/testing.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "files/dataset/dataset.h"

static struct shw_cache_entry *insert(struct shw_cache *cache, uint32_t index, uint32_t width)
{
    struct shw_decoded_example example = {0};

    example.image.pixels = malloc(width);
    example.image.image = (struct shw_image){example.image.pixels, width, 1, 0, SHW_PIXEL_GREY8};
    return shw_cache_insert(cache, index, &example);
}

static bool holds(struct shw_cache *cache, uint32_t index)
{
    struct shw_cache_entry *entry = shw_cache_find(cache, index);

    if (entry != NULL)
        shw_cache_release(cache, entry);
    else
        shw_cache_give_up(cache, index);
    return entry != NULL;
}

TESTING_CASE(test_cache_order)
{
    struct shw_cache *cache = NULL;
    struct shw_cache_entry *entries[4], *again;

    assert_int_equal(shw_cache_create(4, 100, NULL, &cache), SHW_OK);
    for (uint32_t i = 0; i < 4; i++)
        entries[i] = insert(cache, i, 40);
    for (uint32_t i = 0; i < 4; i++)
        assert_true(holds(cache, i)); /* all in use */
    again = shw_cache_find(cache, 2);
    assert_ptr_equal(again, entries[2]);
    shw_cache_release(cache, again);
    shw_cache_release(cache, entries[2]);
    assert_false(holds(cache, 2));
    shw_cache_release(cache, entries[0]);
    assert_false(holds(cache, 0));
    shw_cache_release(cache, entries[3]);
    shw_cache_release(cache, entries[1]);
    assert_true(holds(cache, 3)); /* which makes 1 the oldest */
    shw_cache_release(cache, insert(cache, 0, 40));
    assert_false(holds(cache, 1));
    assert_true(holds(cache, 3));
    assert_true(holds(cache, 0));
    again = insert(cache, 3, 40); /* a second one is dropped for the first */
    shw_cache_release(cache, again);
    assert_true(holds(cache, 0)); /* as it would not, were the second one counted */
    shw_cache_destroy(&cache);
    assert_null(cache);
    shw_cache_destroy(&cache);
}

struct finding {
    struct shw_cache *cache;
    atomic_uint decoded, given_up;
};

/* Of each example, the first attempt fails. */
static void *find_all(void *user)
{
    struct finding *finding = user;

    for (uint32_t i = 0; i < 40; i++) {
        struct shw_cache_entry *entry = shw_cache_find(finding->cache, i);

        if (entry == NULL && atomic_load(&finding->given_up) <= i) {
            atomic_fetch_add(&finding->given_up, 1);
            shw_cache_give_up(finding->cache, i);
            entry = shw_cache_find(finding->cache, i);
        }
        if (entry == NULL) {
            atomic_fetch_add(&finding->decoded, 1);
            entry = insert(finding->cache, i, 40);
        }
        shw_cache_release(finding->cache, entry);
    }
    return NULL;
}

TESTING_CASE(each_example_is_decoded_once)
{
    struct finding finding = {.cache = NULL};
    pthread_t threads[4];

    assert_int_equal(shw_cache_create(40, 100000, NULL, &finding.cache), SHW_OK);
    for (uint32_t t = 0; t < 4; t++)
        assert_int_equal(pthread_create(&threads[t], NULL, find_all, &finding), 0);
    for (uint32_t t = 0; t < 4; t++)
        pthread_join(threads[t], NULL);
    assert_int_equal(finding.decoded, 40);
    shw_cache_destroy(&finding.cache);
}
