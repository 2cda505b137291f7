"""Go's `sort.Slice`: a pattern-defeating quicksort, whose order of equal elements shows in results.

Up to twelve elements it is a stable insertion sort. Source: Go 1.26 `sort/zsortfunc.go`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

_INSERTION: Final = 12
_NINTHER: Final = 50
_MOST_SWAPS: Final = 12
_STEPS: Final = 5
_UINT64: Final = (1 << 64) - 1


def unstable_order(size: int, less: Callable[[int, int], bool]) -> list[int]:
    """Return the indices 0 to size - 1 in Go's order; `less` compares two of them."""
    sorter = _Sorter(list(range(size)), less)
    sorter.sort(0, size, size.bit_length())
    return sorter.order


class _Sorter:
    def __init__(self, order: list[int], less: Callable[[int, int], bool]) -> None:
        self.order = order
        self._compare = less

    def _less(self, i: int, j: int) -> bool:
        return self._compare(self.order[i], self.order[j])

    def _swap(self, i: int, j: int) -> None:
        self.order[i], self.order[j] = self.order[j], self.order[i]

    def sort(self, a: int, b: int, limit: int) -> None:
        """Sort a range; `limit` bad pivots are allowed before it turns to a heap."""
        is_balanced = was_partitioned = True
        while b - a > _INSERTION:
            length = b - a
            if limit == 0:
                self._heap(a, b)
                return
            if not is_balanced:
                self._break_patterns(a, b)
                limit -= 1
            pivot, swaps = self._pivot(a, b)
            if swaps == _MOST_SWAPS:
                self.order[a:b] = self.order[a:b][::-1]
                pivot, swaps = (b - 1) - (pivot - a), 0
            if is_balanced and was_partitioned and swaps == 0 and self._nearly_sorted(a, b):
                return
            if a > 0 and not self._less(a - 1, pivot):
                a = self._partition_equal(a, b, pivot)
                continue
            middle, was_partitioned = self._partition(a, b, pivot)
            left, right = middle - a, b - middle
            if left < right:
                is_balanced = left >= length // 8
                self.sort(a, middle, limit)
                a = middle + 1
            else:
                is_balanced = right >= length // 8
                self.sort(middle + 1, b, limit)
                b = middle
        for i in range(a + 1, b):
            self._shift_down(i, a)

    def _shift_down(self, j: int, stop: int) -> None:
        while j > stop and self._less(j, j - 1):
            self._swap(j, j - 1)
            j -= 1

    def _partition(self, a: int, b: int, pivot: int) -> tuple[int, bool]:
        self._swap(a, pivot)
        i, j = a + 1, b - 1
        is_first = True
        while True:
            while i <= j and self._less(i, a):
                i += 1
            while i <= j and not self._less(j, a):
                j -= 1
            if i > j:
                self._swap(j, a)
                return j, is_first
            self._swap(i, j)
            i, j, is_first = i + 1, j - 1, False

    def _partition_equal(self, a: int, b: int, pivot: int) -> int:
        self._swap(a, pivot)
        i, j = a + 1, b - 1
        while True:
            while i <= j and not self._less(a, i):
                i += 1
            while i <= j and self._less(a, j):
                j -= 1
            if i > j:
                return i
            self._swap(i, j)
            i, j = i + 1, j - 1

    def _nearly_sorted(self, a: int, b: int) -> bool:
        """Mend a few elements that are out of order; tell whether that was all."""
        i = a + 1
        for _ in range(_STEPS):
            while i < b and not self._less(i, i - 1):
                i += 1
            if i == b:
                return True
            if b - a < _NINTHER:
                return False
            self._swap(i, i - 1)
            if i - a >= 2:
                self._shift_down(i - 1, 0)
            if b - i >= 2:
                self._shift_up(i + 1, b)
        return False

    def _shift_up(self, j: int, b: int) -> None:
        while j < b and self._less(j, j - 1):
            self._swap(j, j - 1)
            j += 1

    def _break_patterns(self, a: int, b: int) -> None:
        length = b - a
        random, mask = length, (1 << length.bit_length()) - 1
        place = a + length // 4 * 2 - 1
        for i in range(3):
            random ^= random << 13 & _UINT64
            random ^= random >> 7
            random ^= random << 17 & _UINT64
            other = random & mask
            self._swap(place - 1 + i, a + (other - length if other >= length else other))

    def _pivot(self, a: int, b: int) -> tuple[int, int]:
        quarter = (b - a) // 4
        places = [a + quarter, a + quarter * 2, a + quarter * 3]
        swaps = 0
        if b - a >= _NINTHER:
            for index, place in enumerate(places):
                places[index], more = self._median(place - 1, place, place + 1)
                swaps += more
        middle, more = self._median(*places)
        return middle, swaps + more

    def _median(self, a: int, b: int, c: int) -> tuple[int, int]:
        swaps = 0
        if self._less(b, a):
            a, b, swaps = b, a, swaps + 1
        if self._less(c, b):
            b, c, swaps = c, b, swaps + 1
        if self._less(b, a):
            a, b, swaps = b, a, swaps + 1
        return b, swaps

    def _heap(self, a: int, b: int) -> None:
        size = b - a
        for i in range((size - 1) // 2, -1, -1):
            self._sift(i, size, a)
        for i in range(size - 1, -1, -1):
            self._swap(a, a + i)
            self._sift(0, i, a)

    def _sift(self, root: int, size: int, first: int) -> None:
        while (child := 2 * root + 1) < size:
            if child + 1 < size and self._less(first + child, first + child + 1):
                child += 1
            if not self._less(first + root, first + child):
                return
            self._swap(first + root, first + child)
            root = child
