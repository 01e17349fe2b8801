/* Things that several threads make and one takes in order; and messages that are kept until then. */
#include "base/in_order.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/kept_log.h"
#include "base/log.h"
#include "testing/testing.h"

enum { SLOTS_MAX = 9, THREADS_MAX = 5 };

struct making {
    uint32_t count, threads, slots; /* count: how many there are */
    uint32_t refuse_at;             /* the take that wants no more; UINT32_MAX: none */
    uint32_t next;                  /* to begin */
    uint32_t of_slot[SLOTS_MAX];
    bool in_use[SLOTS_MAX], made[SLOTS_MAX];
    atomic_uint working[THREADS_MAX], beginning, at_once, most_at_once;
    uint32_t taken;
    struct testing_random random;
};

static void wait_a_little(uint32_t turns)
{
    for (volatile uint32_t i = 0; i < turns; i++) {
    }
}

static bool begin(void *user, uint32_t slot)
{
    struct making *making = user;

    assert_int_equal(atomic_fetch_add(&making->beginning, 1), 0); /* one at a time */
    assert_true(slot < making->slots);
    assert_false(making->in_use[slot]);
    atomic_fetch_sub(&making->beginning, 1);
    if (making->next == making->count)
        return false;
    making->in_use[slot] = true;
    making->made[slot] = false;
    assert_int_equal(slot, making->next % making->slots);
    making->of_slot[slot] = making->next++;
    return true;
}

static void make(void *user, uint32_t slot, uint32_t thread)
{
    struct making *making = user;
    unsigned now = atomic_fetch_add(&making->at_once, 1) + 1, most = atomic_load(&making->most_at_once);

    while (now > most && !atomic_compare_exchange_weak(&making->most_at_once, &most, now)) {
    }
    assert_true(thread < making->threads);
    assert_int_equal(atomic_fetch_add(&making->working[thread], 1), 0);
    wait_a_little(making->of_slot[slot] * 7919 % 20000);
    making->made[slot] = true;
    atomic_fetch_sub(&making->working[thread], 1);
    atomic_fetch_sub(&making->at_once, 1);
}

static bool take(void *user, uint32_t slot)
{
    struct making *making = user;

    assert_true(making->in_use[slot] && making->made[slot]);
    assert_int_equal(making->of_slot[slot], making->taken);
    making->in_use[slot] = false;
    return making->taken++ != making->refuse_at;
}

TESTING_CASE(all_are_taken_in_order)
{
    for (uint32_t turn = 0; turn < 60; turn++) {
        struct testing_random random = {turn};
        struct making making = {.count = turn % 4 == 0 ? 0 : testing_random_below(&random, 60),
                                .threads = 1 + turn % THREADS_MAX,
                                .slots = 1 + testing_random_below(&random, SLOTS_MAX),
                                .refuse_at = UINT32_MAX};
        const struct shw_in_order things = {making.threads, making.slots, &making, begin, make, take};

        assert_int_equal(shw_in_order_run(&things, NULL), SHW_OK);
        assert_int_equal(making.taken, making.count);
        assert_true(making.most_at_once <= making.threads && making.most_at_once <= making.slots);
    }
}

TESTING_CASE(nothing_is_begun_after_a_refusal_but_what_was_begun_is_taken)
{
    for (uint32_t turn = 0; turn < 30; turn++) {
        struct making making = {.count = 1000, .threads = 1 + turn % THREADS_MAX, .slots = 3, .refuse_at = turn};
        const struct shw_in_order things = {making.threads, making.slots, &making, begin, make, take};

        assert_int_equal(shw_in_order_run(&things, NULL), SHW_OK);
        assert_int_equal(making.taken, making.next);
        assert_true(making.taken > turn && making.taken <= turn + 1 + making.slots);
    }
}

TESTING_CASE(messages_are_kept_and_passed_in_order)
{
    struct testing_log memory;
    struct shw_log to = testing_log(&memory), log;
    struct shw_kept_log kept;

    to.level = SHW_LOG_WARNING;
    shw_kept_log_init(&kept);
    log = shw_kept_log_of(&kept, &to);
    for (uint32_t i = 0; i < 20; i++) {
        shw_log_message(&log, SHW_LOG_WARNING, SHW_LOG_DATASET, "message %u", i);
        shw_log_message(&log, SHW_LOG_DEBUG, SHW_LOG_DATASET, "never");
    }
    assert_int_equal(memory.count[SHW_LOG_DATASET], 0);
    shw_kept_log_pass(&kept, &to);
    assert_int_equal(memory.count[SHW_LOG_DATASET], 20);
    assert_string_equal(memory.last, "message 19");
    shw_kept_log_pass(&kept, &to);
    assert_int_equal(memory.count[SHW_LOG_DATASET], 20);
    shw_log_message(&log, SHW_LOG_ERROR, SHW_LOG_DATASET, "left");
    shw_kept_log_destroy(&kept);
}
