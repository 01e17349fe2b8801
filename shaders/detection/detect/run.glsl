/* What successive trees of a cascade do to a window, whatever its score is before them. Runs that follow each other can
 * be joined, so that lanes can evaluate them at the same time. Exact for all cascades: no score leaves 32 bits
 * (shadewood/cascade.h), and where a difference of two numbers does, it is as good as the limit of that range. */

#define INT_LEAST (-2147483647 - 1)
#define INT_MOST  2147483647

struct Run {
    int sum;       /* of the values; after a restart, since then */
    int least;     /* the window passes if its score before and this are not negative together */
    bool restarts; /* of the score, in between */
};

int saturated_sum(int a, int b)
{
    int sum = a + b;

    if (((a ^ sum) & (b ^ sum)) >= 0)
        return sum;
    return a < 0 ? INT_LEAST : INT_MOST;
}

Run run_begin()
{
    return Run(0, INT_MOST, false);
}

/* A condition on the sum: whether it is at least -least. After a restart it is fulfilled or not, whatever is before. */
int run_least(Run run, int least)
{
    int both = saturated_sum(run.sum, least);

    if (run.restarts)
        both = both < 0 ? INT_LEAST : INT_MOST;
    return min(run.least, both);
}

/* Adds the value of a tree. */
void run_follow(inout Run run, uint tree, int value, int limit)
{
    run.sum += value;
    if (limit == NO_LIMIT)
        return;
    run.least = run_least(run, -limit);
    if (RESTARTS && tree + 1u < push.tree_count) {
        run.sum = 0;
        run.restarts = true;
    }
}

Run run_join(Run run, Run next)
{
    return Run(next.restarts ? next.sum : run.sum + next.sum, run_least(run, next.least),
               run.restarts || next.restarts);
}

/* Whether a window passes; its score becomes the one after the run. */
bool run_end(Run run, int before, out int score)
{
    score = run.restarts ? run.sum : before + run.sum;
    return saturated_sum(before, run.least) >= 0;
}
