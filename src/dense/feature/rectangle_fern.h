/* Ferns with vector instructions; part of rectangle_patch.h. All blocks of a patch take the test of each level,
 * whatever the results before, so there is no list of blocks per node. */
#define FERN_BLOCKS ((size_t)SHW_PATCH_HEIGHT * SHW_PATCH_WIDTH / LANES)

/* Appends a level's results to the places of the pixels among the leaves. */
VECTOR void test_level(const uint64_t *list, uint32_t count, const struct place *place, const struct reading *first,
                       const struct reading *second, const uint32_t *test, int is_inside, enum shw_side_kind kind,
                       uint32_t *places)
{
    const lanes t0 = spread((int32_t)test[2]), t1 = spread((int32_t)test[3]);
    const struct shw_rect inside = second != NULL ? intersection(first->inside, second->inside) : first->inside;

    for (uint32_t b = 0; b < count; b++, places += LANES) {
        lanes response = respond(place, first, second, list[b], &inside, is_inside, kind);
        lanes right = bits_and(is_greater(t1, response), bits_xor(is_greater(t0, response), spread(-1)));
        store(places, subtract(add(load(places), load(places)), right)); /* a mask is -1 */
    }
}

VECTOR void choose_level(const uint64_t *list, uint32_t count, const struct place *place, const uint32_t *test,
                         enum shw_side_kind kind, uint32_t *places)
{
    struct reading first = reading_of(place, shw_node_channel(test[1], 0), test[4], test[5], kind);

    if ((test[1] >> SHW_NODE_SECOND_SHIFT & 1) != 0) {
        struct reading second = reading_of(place, shw_node_channel(test[1], 1), test[6], test[7], kind);
        if (first.is_inside && second.is_inside)
            test_level(list, count, place, &first, &second, test, 1, kind, places);
        else
            test_level(list, count, place, &first, &second, test, 0, kind, places);
    } else if (first.is_inside) {
        test_level(list, count, place, &first, NULL, test, 1, kind, places);
    } else {
        test_level(list, count, place, &first, NULL, test, 0, kind, places);
    }
}

VECTOR void evaluate_fern(const struct place *place, const struct shw_fern *fern, const uint64_t *list, uint32_t count,
                          uint32_t *leaves, enum shw_side_kind kind)
{
    uint32_t places[FERN_BLOCKS * LANES];

    for (uint32_t i = 0; i < count * LANES; i++)
        places[i] = 0;
    for (uint32_t level = 0; level < fern->levels; level++)
        choose_level(list, count, place, fern->tests + (size_t)NODE_WORDS * level, kind, places);
    for (uint32_t b = 0; b < count; b++)
        store(leaves + BLOCK_Y(list[b]) * (uint32_t)place->width + BLOCK_X(list[b]),
              gather(fern->leaves, load(places + (size_t)b * LANES)));
}
