#include "files/dataset/cascade_pace.h"

/* Seconds of a stage by itself; 0 if none is known. */
static double stage_seconds(const struct shw_cascade_pace *pace)
{
    return pace->stage_count > 0 ? pace->stages / pace->stage_count : 0;
}

/* Rounds that will begin: each has as many stages as those that have ended, or as it may have. */
static double rounds_left(const struct shw_cascade_pace *pace, const struct shw_cascade_progress *progress,
                          uint32_t round_stages)
{
    const double usual = pace->rounds > 0 ? (double)pace->ended_stages / pace->rounds : round_stages;
    const double open = usual - (progress->stages - pace->round_begin);
    const double rest = progress->stage_count - progress->stages - (open > 0 ? open : 0);
    double rounds = 0;

    while (rest > rounds * usual)
        rounds++;
    return rounds;
}

double shw_cascade_pace_take(struct shw_cascade_pace *pace, const struct shw_cascade_progress *progress,
                             uint32_t round_stages)
{
    const double seconds = progress->seconds - pace->last.seconds;
    double before = pace->mined, times;

    if (progress->round != pace->last.round) {
        pace->mined = seconds > stage_seconds(pace) ? seconds - stage_seconds(pace) : 0;
        pace->longer = pace->last.round > 0 && pace->mined > before ? pace->mined - before : 0;
        if (pace->last.round > 0) {
            pace->rounds++;
            pace->ended_stages += pace->last.stages - pace->round_begin;
        }
        pace->round_begin = progress->stages > 0 ? progress->stages - 1 : 0;
    } else {
        pace->stages += seconds;
        pace->stage_count++;
    }
    pace->last = *progress;
    if (progress->stages >= progress->stage_count)
        return 0;
    times = rounds_left(pace, progress, round_stages) + 1;
    return (progress->stage_count - progress->stages) * stage_seconds(pace) + times * pace->mined +
           times * (times + 1) / 2 * pace->longer;
}
