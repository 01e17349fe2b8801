"""Forest files: docs/forest-format.md."""
import struct

import numpy as np

import ktx2
from depth_features import UNDEFINED

SPLIT = 1 << 24
NO_LEAF, NO_CLASS = 0xffffffff, 0xffff  # of void pixels


def goes_right(t0, t1, responses):
    return (t0 <= responses) & (responses < t1) | (responses == UNDEFINED)


class Tree:
    """Nodes as rows: left child, five words of the feature, t0, t1, whether it is a split. Distributions by leaf."""

    def __init__(self, nodes, distributions, leaf_numbers=None):
        self.given_numbers = leaf_numbers
        self.nodes = np.array(nodes, np.int64)
        self.distributions = np.array(distributions, np.int64)

    @property
    def leaf_numbers(self):
        if self.given_numbers is not None:
            return self.given_numbers
        return np.where(self.nodes[:, 8] == 0, np.cumsum(self.nodes[:, 8] == 0) - 1, -1)

    @property
    def depth(self):
        depths = np.zeros(len(self.nodes), np.int64)
        for node in self.nodes[self.nodes[:, 8] == 1]:
            depths[[node[0], node[0] + 1]] = depths[np.flatnonzero(self.nodes[:, 0] == node[0])[0]] + 1
        return depths.max()


class Forest:
    def __init__(self, data):
        """Of a file's bytes."""
        self.metadata, self.words = ktx2.read(data)
        below = ktx2.entries(data).get("shadewood.below")
        self.below = Forest(below) if below is not None else None
        self.width, = struct.unpack_from("<I", data, 20)
        count, self.classes, distributions, _ = (int(word) for word in self.words[0])
        stored = self.words[distributions:].reshape(-1).view("<u2")
        step = 8 * ((self.classes + 7) // 8)
        self.trees = []
        for first, nodes, _, leaf in self.words[1:1 + count].tolist():
            texels = self.words[first:first + 2 * nodes].reshape(nodes, 8)
            split = (texels[:, 1] >> 24) & 1
            rows = np.column_stack([texels[:, 0], texels[:, 1] & ~np.uint32(SPLIT), texels[:, 4:],
                                    np.where(split, texels[:, 2].view("<i4"), 0), texels[:, 3].view("<i4"), split])
            numbers = np.where(split, -1, texels[:, 2].astype(np.int64))
            leaves = numbers.max() + 1
            self.trees.append(Tree(rows, stored[leaf * step:(leaf + leaves) * step].reshape(leaves, step)[:, :
                                                                                                      self.classes],
                                   numbers))


def texels(trees, classes):
    """The texture's words of these trees."""
    def layout(width):
        def row(texel):
            return -(-texel // width) * width

        first, firsts = row(1 + len(trees)), []
        for tree in trees:
            firsts.append(first)
            first = row(first + 2 * len(tree.nodes))
        return firsts, first, row(first + (classes + 7) // 8 * sum(len(tree.distributions) for tree in trees))

    width = 16
    while width < 4096 and layout(width)[2] // width > width:
        width *= 2
    firsts, distributions, end = layout(width)
    words = np.zeros((end, 4), np.int64)
    words[0] = len(trees), classes, distributions, sum(len(tree.distributions) for tree in trees)
    leaf, per_leaf = 0, (classes + 7) // 8
    for t, (tree, first) in enumerate(zip(trees, firsts)):
        nodes, split = tree.nodes, tree.nodes[:, 8]
        words[1 + t] = first, len(nodes), tree.depth, leaf
        words[first:first + 2 * len(nodes)] = np.column_stack(
            [nodes[:, 0], nodes[:, 1] | split * SPLIT, np.where(split, nodes[:, 6], tree.leaf_numbers), nodes[:, 7],
             nodes[:, 2:6]]).reshape(-1, 4)
        padded = np.zeros((len(tree.distributions), 8 * per_leaf), np.int64)
        padded[:, :classes] = tree.distributions
        at = distributions + leaf * per_leaf
        words[at:at + len(padded) * per_leaf] = (padded[:, 0::2] | padded[:, 1::2] << 16).reshape(-1, 4)
        leaf += len(padded)
    return words & 0xffffffff


def votes(distributions):
    """What leaves with these distributions add by vote."""
    return 65535 * (np.arange(distributions.shape[1]) == distributions.argmax(1)[:, None])


def label(trees, planes, image, width, height, by_vote=False):
    """The leaves that all pixels of an image reach in each tree, their distribution and their class."""
    py, px = (axis.ravel() for axis in np.mgrid[:height, :width])
    is_void = planes.is_void(image, px, py)
    leaves = []
    sums = 0
    for tree in trees:
        at = np.zeros(len(px), np.int64)
        while True:
            inside = np.flatnonzero(tree.nodes[at, 8] * ~is_void)
            if len(inside) == 0:
                break
            nodes = tree.nodes[at[inside]]
            responses = planes.respond(nodes[:, 1:6], image, px[inside], py[inside])
            at[inside] = nodes[:, 0] + goes_right(nodes[:, 6], nodes[:, 7], responses)
        reached = tree.leaf_numbers[at].reshape(height, width)
        values = np.asarray(tree.distributions)
        sums = sums + (votes(values) if by_vote else values)[reached]
        leaves.append(np.where(is_void.reshape(height, width), NO_LEAF, reached))
    sums = np.moveaxis(sums, 2, 0)
    count = len(trees)
    void = is_void.reshape(height, width)
    return (np.stack(leaves), np.where(void, 0, (2 * sums + count) // (2 * count)),
            np.where(void, NO_CLASS, sums.argmax(0)))
