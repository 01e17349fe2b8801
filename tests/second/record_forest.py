"""Record forests as docs/record-format.md has them, and where records end in their trees."""
import numpy as np

import ktx2

MISSING = -1 << 31
ZERO = 89435438


def codes(values):
    """Of float32 numbers."""
    bits = values.astype("<f4").view("<u4").astype(np.int64)
    magnitude = bits & 0x7fffffff
    code = np.where((bits >> 31 == 1) & (magnitude > 0), -1 - magnitude, magnitude)
    return np.where(magnitude > 0x7f800000, MISSING, code)


class RecordForest:
    def __init__(self, data):
        self.metadata, texels = ktx2.read(data)
        trees, self.outputs, values, leaves = (int(word) for word in texels[0])
        self.attributes, per_leaf, nodes, set_words = (int(word) for word in texels[1])
        assert self.metadata["version"] == (2 if set_words > 0 else 1)
        self.trees = [(texels[2 + 2 * t], texels[3 + 2 * t]) for t in range(trees)]
        self.nodes = texels
        words = texels.reshape(-1)
        self.values = words[4 * values:4 * values + leaves * per_leaf].view("<i4").astype(np.int64).reshape(leaves, -1)
        first_set = 4 * (values + (leaves * per_leaf + 3) // 4)
        self.sets = words[first_set:first_set + set_words]

    def is_member(self, first_word, number):
        """Of a number that is not missing."""
        head, count = int(self.sets[first_word]), int(self.sets[first_word + 1])
        whole, from_below, begin = head >> 30 & 1, head >> 29 & 1, 32 * (head & 0x7ffff)
        if whole and number != np.trunc(number):
            return False
        if number < 0 and not (from_below and number > -1):
            return False
        if not begin <= np.trunc(number) < begin + 32 * count:
            return False
        place = int(number) - begin
        return bool(self.sets[first_word + 2 + place // 32] >> np.uint32(place % 32) & np.uint32(1))

    def goes_right(self, node, number, code):
        flags, missing_right = int(node[1]), int(node[1]) >> 25 & 1
        if flags >> 27 & 1:
            if code == MISSING:
                return bool(missing_right)
            return self.is_member(int(node[2]), number) == bool(int(self.sets[int(node[2])]) >> 31)
        if flags >> 26 & 1 and -1 - ZERO <= code <= ZERO:
            code = MISSING
        if code == MISSING:
            return bool(missing_right)
        return code > int(node[2].astype(np.int32))

    def leaves(self, record):
        """In each tree: its number there, and that which the program that trained it gives it."""
        code, found = codes(record), []
        for head, _ in self.trees:
            first = int(head[0])
            node = self.nodes[first]
            while int(node[1]) >> 24 & 1:
                attribute = int(node[1]) & 0xffffff
                right = self.goes_right(node, float(record[attribute]), int(code[attribute]))
                node = self.nodes[first + int(node[0]) + right]
            found.append((int(node[2]), int(node[3])))
        return found

    def sums(self, leaves):
        sums = np.array(self.metadata["base"], np.int64)
        for (head, more), (leaf, _) in zip(self.trees, leaves):
            values = self.values[int(head[3]) + leaf]
            if len(values) == self.outputs:
                sums += values
            else:
                sums[int(more[0])] += values[0]
        return sums
