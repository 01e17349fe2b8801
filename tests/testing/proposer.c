#include "testing/testing.h"

#include <stdio.h>
#include <string.h>

#include "testing/proposer.h"

static bool is_of_rectangles(const struct shw_proposer_round *round)
{
    return round->feature == &shw_feature_mean_difference || round->feature == &shw_feature_sum_difference;
}

/* The same channel over the same rectangle twice: every response is 0. */
static struct shw_feature constant_feature(void)
{
    const struct shw_rectangle here = {0, 0, 1, 1};

    return shw_rectangle_difference_pack(&(struct shw_rectangle_difference){.rectangle = {here, here}});
}

/* Rectangle 0 of a test that the tree has chosen, one pixel to the right of where it is, if that may be. */
static struct shw_feature moved(const struct shw_proposer_round *round, uint32_t number,
                                const struct shw_feature *otherwise)
{
    const struct shw_feature *chosen = &round->splits[number % round->split_count].feature;
    struct shw_rectangle_difference difference = shw_rectangle_difference_unpack(chosen);

    if (difference.rectangle[0].x1 > 4)
        return *otherwise;
    difference.rectangle[0].x0++;
    difference.rectangle[0].x1++;
    return shw_rectangle_difference_pack(&difference);
}

static struct shw_rectangle far_rectangle(struct testing_random *random)
{
    const int32_t x = testing_random_range(random, 0, 1) * 200 - 100, y = testing_random_range(random, 0, 1) * 120 - 60;
    const int32_t dx = testing_random_range(random, -3, 3), dy = testing_random_range(random, -16380, 16300);

    if (testing_random_below(random, 3) == 0)
        return (struct shw_rectangle){(int16_t)dx, (int16_t)dy, (int16_t)(dx + 2), (int16_t)(dy + 60)};
    return (struct shw_rectangle){(int16_t)(x / 8 + dx), (int16_t)(y / 8), (int16_t)(x / 8 + dx + 4),
                                  (int16_t)(y / 8 + 3)};
}

static struct shw_feature far_feature(const struct shw_proposer_round *round, struct testing_random *random)
{
    struct shw_rectangle_difference difference = {.rectangle = {far_rectangle(random), far_rectangle(random)}};

    for (int i = 0; i < 2; i++)
        difference.channel[i] = (uint16_t)testing_random_below(random, round->channels->channel_count);
    return shw_rectangle_difference_pack(&difference);
}

static void add_interval(struct testing_random *random, struct shw_candidate *candidate)
{
    static const int32_t widths[] = {1, 2, 40, 900, 9000, 2000000000};

    candidate->low = testing_random_range(random, -3000, 2000);
    candidate->high = candidate->low + widths[testing_random_below(random, 6)];
}

static void mix(const struct shw_proposer_round *round, uint32_t set, uint32_t c, struct testing_random *random,
                struct shw_candidate *candidate)
{
    assert_true(shw_proposer_draw(round, set, c, &candidate->feature));
    if (c % 5 == 1)
        *candidate = candidate[-1];
    else if (c % 7 == 2 && is_of_rectangles(round))
        candidate->feature = constant_feature();
    else if (c % 3 == 2 && is_of_rectangles(round) && round->split_count > 0)
        candidate->feature = moved(round, c, &candidate->feature);
    if (c % 5 != 1 && c % 2 == 0)
        add_interval(random, candidate);
}

static enum shw_result propose(void *user, const struct shw_proposer_round *round, struct shw_proposal *proposal)
{
    struct testing_proposer *proposer = user;
    const uint32_t most = round->candidate_max;

    assert_true(proposal->candidate_count == 0 && proposal->why[0] == '\0' && proposal->bins >= 2);
    if (++proposer->calls == proposer->fail_at) {
        snprintf(proposal->why, sizeof proposal->why, "%s", proposer->why);
        return proposer->fail_with;
    }
    proposal->candidate_count = most;
    if (proposer->how == TESTING_PROPOSE_MIXED) {
        proposal->candidate_count = most > 8 ? most - round->depth % 4 : most;
        proposal->bins -= round->depth % 3 == 1 && proposal->bins > 2;
    }
    for (uint32_t set = 0; set < round->set_count; set++) {
        struct shw_candidate *candidates = &proposal->candidates[(size_t)set * most];
        struct testing_random random = {round->seed + 1000 * proposer->number + 100 * round->tree + 10 * round->depth +
                                        set};
        for (uint32_t c = 0; c < proposal->candidate_count; c++)
            switch (proposer->how) {
            case TESTING_PROPOSE_DRAWN: assert_true(shw_proposer_draw(round, set, c, &candidates[c].feature)); break;
            case TESTING_PROPOSE_MIXED: mix(round, set, c, &random, &candidates[c]); break;
            case TESTING_PROPOSE_FAR:
                candidates[c].feature = far_feature(round, &random);
                add_interval(&random, &candidates[c]);
            }
    }
    return SHW_OK;
}

void testing_propose(struct testing_proposer *proposer, enum testing_proposing how)
{
    *proposer =
        (struct testing_proposer){.proposer = {.name = "tester", .user = proposer, .propose = propose}, .how = how};
}
