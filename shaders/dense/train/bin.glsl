/* Thresholds, and the bins between them. Include after the push constants. */
layout(std430, set = 0, binding = SHW_TRAIN_THRESHOLDS) readonly buffer Thresholds {
    int thresholds[];
};

/* The thresholds of a row: where they are, the response where even ones begin, and bins per unit of response. */
struct threshold_view {
    uint values;
    int low;
    float scale;
};

bool has_thresholds(uint row)
{
    return thresholds[row * (SHW_THRESHOLD_WORDS + push.bins - 1u)] != 0;
}

threshold_view thresholds_of(uint row)
{
    uint from = row * (SHW_THRESHOLD_WORDS + push.bins - 1u);
    return threshold_view(from + SHW_THRESHOLD_WORDS, thresholds[from + 1u],
                          float(push.bins) / float(uint(thresholds[from + 2u])));
}

/* The number of thresholds that do not exceed the response. */
uint bin_of(threshold_view view, int response)
{
    uint last = push.bins - 1u;
    if (push.scheme == 0u) {
        /* The estimate may be wrong by one and is corrected. */
        uint above = uint(response) - uint(view.low);
        uint bin = response < view.low ? 0u : uint(min(float(above) * view.scale, float(last)));
        bin += uint(bin < last && response >= thresholds[view.values + min(bin, last - 1u)]);
        bin -= uint(bin > 0u && response < thresholds[view.values + max(bin, 1u) - 1u]);
        return bin;
    }
    uint low = 0u, high = last;
    while (low < high) {
        uint middle = (low + high) / 2u;
        if (thresholds[view.values + middle] <= response)
            low = middle + 1u;
        else
            high = middle;
    }
    return low;
}
