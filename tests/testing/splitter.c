#include "testing/splitter.h"

#include "testing/testing.h"

static void mix(struct testing_watcher *watcher, const void *bytes, size_t size)
{
    uint64_t pair[] = {watcher->hash, testing_hash(bytes, size)};

    watcher->hash = testing_hash(pair, sizeof pair);
}

static enum shw_result begin_round(void *user, const struct shw_splitter_round *round)
{
    struct testing_watcher *watcher = user;
    const uint32_t words[] = {round->tree,      round->depth,         round->node_count, round->candidate_count,
                              round->bin_count, round->undefined_bins};

    assert_true(round->node_count > 0);
    mix(watcher, words, sizeof words);
    for (uint32_t n = 0; n < round->node_count; n++) {
        const struct shw_splitter_node *node = &round->nodes[n];
        uint32_t all = 0;
        assert_true(n == 0 || node->number > node[-1].number);
        for (uint32_t c = 0; c < node->class_count; c++) {
            assert_true(c == 0 || node->classes[c] > node->classes[c - 1]);
            assert_true(node->counts[c] > 0 && node->weights[c] > 0);
            all += node->counts[c];
        }
        assert_int_equal(all, node->samples);
        mix(watcher, &node->number, sizeof node->number);
        mix(watcher, node->classes, node->class_count * sizeof *node->classes);
        mix(watcher, node->counts, node->class_count * sizeof *node->counts);
        mix(watcher, node->weights, node->class_count * sizeof *node->weights);
    }
    watcher->rounds++;
    watcher->node = watcher->candidate = 0;
    return watcher->inner.begin_round != NULL ? watcher->inner.begin_round(watcher->inner.user, round) : SHW_OK;
}

static void check_candidate(const struct shw_splitter_round *round, const struct shw_splitter_node *node, bool usable,
                            const int32_t *thresholds, const uint32_t *histogram)
{
    for (uint32_t b = 1; b + 1 < round->bin_count; b++)
        assert_true(thresholds[b - 1] <= thresholds[b]);
    for (uint32_t c = 0; c < node->class_count; c++) {
        uint32_t all = 0;
        for (uint32_t b = 0; b < round->bin_count + round->undefined_bins; b++)
            all += histogram[b * node->class_count + c];
        assert_int_equal(all, usable ? node->counts[c] : 0);
    }
    for (uint32_t b = 1; b < round->bin_count && !usable; b++)
        assert_int_equal(thresholds[b - 1], 0);
}

static enum shw_result histograms(void *user, const struct shw_splitter_round *round,
                                  const struct shw_splitter_piece *pieces, uint32_t piece_count)
{
    struct testing_watcher *watcher = user;
    size_t bytes = 0;

    assert_true(piece_count > 0);
    watcher->calls++;
    for (uint32_t p = 0; p < piece_count; p++) {
        const struct shw_splitter_piece *piece = &pieces[p];
        const struct shw_splitter_node *node = &round->nodes[piece->node];
        size_t words = (size_t)(round->bin_count + round->undefined_bins) * node->class_count,
               values = round->bin_count - 1;
        assert_int_equal(piece->node, watcher->node);
        assert_int_equal(piece->candidate_begin, watcher->candidate);
        assert_true(piece->candidate_count > 0);
        for (uint32_t c = 0; c < piece->candidate_count; c++) {
            assert_true(piece->usable[c] <= 1);
            watcher->unusable += piece->usable[c] == 0;
            for (uint32_t k = round->bin_count * node->class_count; k < words; k++)
                watcher->undefined += piece->histogram[c * words + k];
            check_candidate(round, node, piece->usable[c] == 1, piece->thresholds + c * values,
                            piece->histogram + c * words);
            mix(watcher, piece->thresholds + c * values, values * sizeof *piece->thresholds);
            mix(watcher, piece->histogram + c * words, words * sizeof *piece->histogram);
        }
        bytes += piece->candidate_count * words * sizeof *piece->histogram;
        watcher->candidate += piece->candidate_count;
        if (watcher->candidate == round->candidate_count) {
            watcher->candidate = 0;
            watcher->node++;
        }
    }
    assert_true(bytes <= (size_t)128 << 20);
    return watcher->inner.histograms(watcher->inner.user, round, pieces, piece_count);
}

static enum shw_result end_round(void *user, const struct shw_splitter_round *round,
                                 struct shw_splitter_choice *choices)
{
    struct testing_watcher *watcher = user;

    assert_int_equal(watcher->node, round->node_count);
    for (uint32_t n = 0; n < round->node_count; n++)
        assert_false(choices[n].split);
    return watcher->inner.end_round(watcher->inner.user, round, choices);
}

void testing_watch(struct testing_watcher *watcher, struct shw_splitter inner)
{
    *watcher = (struct testing_watcher){.inner = inner,
                                        .splitter = {.name = "watcher",
                                                     .user = watcher,
                                                     .begin_round = begin_round,
                                                     .histograms = histograms,
                                                     .end_round = end_round}};
}
