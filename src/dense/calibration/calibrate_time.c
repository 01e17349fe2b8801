/* Timing of jobs, and the time left. */
#include "base/log.h"
#include "dense/calibration/calibrate.h"

#define RUNS         4
#define RUNS_MS      16.0 /* a job is not repeated after this time */
#define LARGE_MAX_MS 40.0 /* the large frame is skipped if it would take longer */

bool shw_calibrate_goes_on(const struct shw_calibrator *calibrator, enum shw_technique technique)
{
    bool usual = technique == SHW_TECHNIQUE_CPU || (technique == SHW_TECHNIQUE_COMPUTE && !calibrator->is_cpu);

    return usual || shw_clock() + calibrator->longest < calibrator->end;
}

void shw_calibrate_step(struct shw_calibrator *calibrator, double begin)
{
    double seconds = shw_clock() - begin;

    calibrator->longest = seconds > calibrator->longest ? seconds : calibrator->longest;
}

bool shw_calibrate_is_missing(enum shw_result result)
{
    return result == SHW_ERROR_UNSUPPORTED || result == SHW_ERROR_LIMIT;
}

enum shw_result shw_calibrate_time(enum shw_result (*job)(void *user), void *user, double *ms)
{
    double begin = shw_clock(), last = begin;

    for (int i = 0; i < RUNS && (i == 0 || 1e3 * (last - begin) < RUNS_MS); i++) {
        double now;
        SHW_PROPAGATE(job(user));
        now = shw_clock();
        if (i == 0 || 1e3 * (now - last) < *ms)
            *ms = 1e3 * (now - last);
        last = now;
    }
    return SHW_OK;
}

enum shw_result shw_calibrate_cost(const struct shw_calibrate_job *job, struct shw_cost *cost)
{
    double small, large, rate;

    *job->frame = 0;
    if (job->ready != NULL)
        SHW_PROPAGATE(job->ready(job->user));
    SHW_PROPAGATE(shw_calibrate_time(job->run, job->user, &small));
    small = small > job->before ? small - job->before : 0;
    rate = small / job->units[0];
    if (job->large || rate * job->units[1] < LARGE_MAX_MS) {
        *job->frame = 1;
        if (job->ready != NULL)
            SHW_PROPAGATE(job->ready(job->user));
        SHW_PROPAGATE(shw_calibrate_time(job->run, job->user, &large));
        large = large > job->before ? large - job->before : 0;
        rate = large > small ? (large - small) / (job->units[1] - job->units[0]) : large / job->units[1];
    }
    *cost = (struct shw_cost){.measured = true, .unit_ns = 1e6 * rate};
    cost->fixed_ms = small > rate * job->units[0] ? small - rate * job->units[0] : 0;
    return SHW_OK;
}
