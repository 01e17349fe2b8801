#include "dense/metrics/reliability.h"

#include <math.h>

#include <shadewood/dataset.h>

#define ONE 65535u

static uint64_t square_of(uint32_t value, uint32_t wanted)
{
    uint64_t difference = value > wanted ? value - wanted : wanted - value;

    return difference * difference;
}

void shw_reliability_add(struct shw_reliability *reliability, const uint16_t *labels, const uint16_t *predictions,
                         const uint16_t *distribution, uint32_t class_count, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t confidence;
        struct shw_reliability_bin *bin;

        if (labels[i] == SHW_LABEL_VOID || predictions[i] == SHW_LABEL_VOID)
            continue;
        confidence = distribution[predictions[i] * count + i];
        bin = &reliability->bins[confidence * SHW_RELIABILITY_BINS >> 16];
        bin->pixels++;
        bin->correct += predictions[i] == labels[i];
        bin->confidence += confidence;
        for (uint32_t c = 0; c < class_count; c++)
            reliability->squares += square_of(distribution[c * count + i], c == labels[i] ? ONE : 0);
    }
}

struct shw_reliability_summary shw_reliability_summarise(const struct shw_reliability *reliability)
{
    struct shw_reliability_summary summary = {.pixels = 0};
    uint64_t correct = 0, confidence = 0, error = 0;
    double pixels;

    for (uint32_t b = 0; b < SHW_RELIABILITY_BINS; b++) {
        const struct shw_reliability_bin *bin = &reliability->bins[b];
        uint64_t right = ONE * bin->correct;

        summary.pixels += bin->pixels;
        correct += bin->correct;
        confidence += bin->confidence;
        error += bin->confidence > right ? bin->confidence - right : right - bin->confidence;
    }
    pixels = summary.pixels > 0 ? (double)summary.pixels : (double)NAN;
    summary.accuracy = (double)correct / pixels;
    summary.confidence = (double)confidence / ONE / pixels;
    summary.calibration_error = (double)error / ONE / pixels;
    summary.brier = (double)reliability->squares / ((double)ONE * ONE) / pixels;
    return summary;
}
