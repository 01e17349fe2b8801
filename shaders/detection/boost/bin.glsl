/* The number of a candidate's thresholds that are less than the response. THRESHOLD(index) reads the word `index`. */
uint bin_of(uint row, int response)
{
    uint bin = 0u;
    for (uint size = SHW_BOOST_CANDIDATE_WORDS / 2u; size > 0u; size >>= 1u)
        bin += response > THRESHOLD(row + bin + size - 1u) ? size : 0u;
    return bin;
}
