/* The best test that the invocations of a work group have found, by exact comparison; among equals the first. Include
 * after train.glsl and fraction.h. */
struct best_test {
    uint order; /* position among all tests; SHW_NO_SPLIT: none was found */
    shw_fraction score;
};

shared best_test bests[SHW_SPLIT_WORKGROUP];

bool is_better(best_test a, best_test b)
{
    if (a.order == SHW_NO_SPLIT || b.order == SHW_NO_SPLIT)
        return a.order != SHW_NO_SPLIT;
    if (shw_fraction_greater(a.score, b.score) != 0u)
        return true;
    return a.order < b.order && shw_fraction_greater(b.score, a.score) == 0u;
}

/* Returns the best test of the work group to all its invocations. */
best_test share_best(best_test mine)
{
    uint me = gl_LocalInvocationID.x;
    bests[me] = mine;
    barrier();
    for (uint step = SHW_SPLIT_WORKGROUP / 2u; step > 0u; step /= 2u) {
        if (me < step && is_better(bests[me + step], bests[me]))
            bests[me] = bests[me + step];
        barrier();
    }
    return bests[0];
}
