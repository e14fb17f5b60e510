"""[Chen thesis, Alg. 5.3]: suppress the pair of the highest PrivGain / (UtilityLoss + 1), locally or globally, until V is empty.

A move is a number: below len(mvs) it is a slot (suppress this pair in T(m)), above it is a pair (suppress it everywhere). Moves
wait in a heap with the score they had; only the one on top is scored anew, and only it is tested for validity.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from seqveil.fenced.suppression.validity import is_valid, settle, weigh

RETRIES = 4
"""How often the local moves through a pair are tried again before it is suppressed everywhere."""


@njit(cache=True)
def _gain(s, m, pair):  # type: ignore[no-untyped-def]
    """How many MVS vanish with the pair in T(m): those through it that no other record holds."""
    gain = 0
    for sign in (1, -1):  # count up, then back to zero
        for h in range(s.holder_from[m], s.holder_from[m + 1]):
            if not s.holds[h]:
                continue
            r = s.holder[h]
            for i in range(s.of_record_from[r], s.of_record_from[r + 1]):
                other = s.of_record[i]
                if s.holds[other] and _contains(s, s.mvs_of[other], pair):
                    s.seen[s.mvs_of[other]] += sign
                    if sign == 1 and s.seen[s.mvs_of[other]] == s.size[s.mvs_of[other]]:
                        gain += 1
    return gain


@njit(cache=True)
def _contains(s, m, pair):  # type: ignore[no-untyped-def]
    contained = False
    for i in range(s.mvs_from[m], s.mvs_from[m + 1]):
        contained |= s.mvs[i] == pair
    return contained


@njit(cache=True)
def _count_hits(s, m, pair):  # type: ignore[no-untyped-def]
    """Counts in `hit` how many records of T(m) hold each MFS through the pair; returns how many MFS would be lost."""
    lost = 0
    for h in range(s.holder_from[m], s.holder_from[m + 1]):
        if not s.holds[h]:
            continue
        r = s.holder[h]
        for i in range(s.offsets[r], s.offsets[r + 1]):
            if s.alive[i]:
                s.stamp[s.items[i]] = r
        for i in range(s.link_from[pair], s.link_from[pair + 1]):
            f = s.link[i]
            whole = s.mfs_support[f] >= s.least
            for j in range(s.mfs_from[f], s.mfs_from[f + 1]):
                whole = whole and s.stamp[s.mfs[j]] == r
            if whole:
                s.hit[f] += 1
                if s.mfs_support[f] - s.hit[f] == s.least - 1:
                    lost += 1
        for i in range(s.offsets[r], s.offsets[r + 1]):
            s.stamp[s.items[i]] = -1
    return lost


@njit(cache=True)
def _clear_hits(s, pair, suppressed):  # type: ignore[no-untyped-def]
    for i in range(s.link_from[pair], s.link_from[pair + 1]):
        f = s.link[i]
        if suppressed:
            s.mfs_support[f] -= s.hit[f]
        s.hit[f] = 0


@njit(cache=True)
def _score(s, move, by_mfs):  # type: ignore[no-untyped-def]
    """The score of a move as things stand; -1 when it has nothing left to do."""
    if move >= len(s.mvs):
        pair = move - len(s.mvs)
        loss = s.left[pair]
        if by_mfs:
            loss = 0
            for i in range(s.link_from[pair], s.link_from[pair + 1]):
                loss += s.mfs_support[s.link[i]] >= s.least
        return s.violations[pair] / (loss + 1) if s.violations[pair] else -1.0
    m, pair = s.slot_owner[move], s.mvs[move]
    if s.size[m] == 0:
        return -1.0
    loss = s.size[m]
    if by_mfs:
        loss = 0
        if s.link_from[pair] < s.link_from[pair + 1]:
            loss = _count_hits(s, m, pair)
            _clear_hits(s, pair, False)
    return _gain(s, m, pair) / (loss + 1)


@njit(cache=True)
def _release(s, h):  # type: ignore[no-untyped-def]
    """A record no longer holds an m; the last one to do so takes m out of V."""
    m = s.mvs_of[h]
    s.holds[h] = False
    s.size[m] -= 1
    if s.size[m] == 0:
        for i in range(s.mvs_from[m], s.mvs_from[m + 1]):
            s.violations[s.mvs[i]] -= 1


@njit(cache=True)
def _suppress_locally(s, m, pair):  # type: ignore[no-untyped-def]
    for h in range(s.holder_from[m], s.holder_from[m + 1]):
        if not s.holds[h]:
            continue
        r = s.holder[h]
        for i in range(s.offsets[r], s.offsets[r + 1]):
            if s.items[i] == pair:
                s.alive[i] = False
        s.left[pair] -= 1
        for i in range(s.of_record_from[r], s.of_record_from[r + 1]):
            other = s.of_record[i]
            if s.holds[other] and _contains(s, s.mvs_of[other], pair):
                _release(s, other)


@njit(cache=True)
def _suppress_globally(s, pair):  # type: ignore[no-untyped-def]
    """Nodes through the pair keep their supports: no record will ever lead to them again."""
    for i in range(s.places_from[pair], s.places_from[pair + 1]):
        s.alive[s.places[i]] = False
    s.left[pair] = 0
    for i in range(s.through_from[pair], s.through_from[pair + 1]):
        m = s.through[i]
        for h in range(s.holder_from[m], s.holder_from[m + 1]):
            if s.holds[h]:
                _release(s, h)
    for i in range(s.link_from[pair], s.link_from[pair + 1]):
        s.mfs_support[s.link[i]] = 0


@njit(cache=True)
def _before(a_score, a_move, b_score, b_move):  # type: ignore[no-untyped-def]
    return a_score > b_score or (a_score == b_score and a_move < b_move)


@njit(cache=True)
def _sink(scores, moves, n, at):  # type: ignore[no-untyped-def]
    """Restores the heap below `at`."""
    score, move = scores[at], moves[at]
    while 2 * at + 1 < n:
        child = 2 * at + 1
        if child + 1 < n and _before(scores[child + 1], moves[child + 1], scores[child], moves[child]):
            child += 1
        if not _before(scores[child], moves[child], score, move):
            break
        scores[at], moves[at] = scores[child], moves[child]
        at = child
    scores[at], moves[at] = score, move


@njit(cache=True)
def _moves(s, locally, by_mfs):  # type: ignore[no-untyped-def]
    """All moves with their scores, as a heap. A pair that violates alone can only go globally."""
    scores, moves = np.empty(len(s.mvs) + s.pairs), np.empty(len(s.mvs) + s.pairs, np.int64)
    n = 0
    for move in range(0 if locally else len(s.mvs), len(s.mvs) + s.pairs):
        if move < len(s.mvs) and s.mvs_from[s.slot_owner[move] + 1] - s.mvs_from[s.slot_owner[move]] == 1:
            continue
        score = _score(s, move, by_mfs)
        if score > 0:
            scores[n], moves[n] = score, move
            n += 1
    for at in range(n // 2 - 1, -1, -1):
        _sink(scores, moves, n, at)
    return scores, moves, n


@njit(cache=True)
def _try_locally(s, move, by_mfs):  # type: ignore[no-untyped-def]
    """Suppresses a pair in T(m) if that is valid; says whether it was."""
    m, pair = s.slot_owner[move], s.mvs[move]
    touched = weigh(s, m, pair)
    valid = is_valid(s, touched)
    settle(s, touched, valid)
    if valid:
        if by_mfs:
            _count_hits(s, m, pair)
            _clear_hits(s, pair, True)
        _suppress_locally(s, m, pair)
    return valid


@njit(cache=True)
def _try_again(s, pair, score, by_mfs):  # type: ignore[no-untyped-def]
    """Local moves that were not valid once may be now: tries those of V(p) that score at least as much as losing p everywhere."""
    done = 0
    for i in range(s.through_from[pair], s.through_from[pair + 1]):
        m = s.through[i]
        if s.mvs_from[m + 1] - s.mvs_from[m] == 1:
            continue
        for move in range(s.mvs_from[m], s.mvs_from[m + 1]):
            if s.size[m] and _score(s, move, by_mfs) >= score and _try_locally(s, move, by_mfs):
                done += 1
    return done


@njit(cache=True)
def suppress_greedily(s, locally, by_mfs):  # type: ignore[no-untyped-def]
    """Empties V; returns how many local and global suppressions that took. `s.alive` says what is left."""
    scores, moves, n = _moves(s, locally, by_mfs)
    retries = np.full(s.pairs, RETRIES if locally else 0, np.int64)
    local, global_ = 0, 0
    while n:
        move, pair = moves[0], moves[0] - len(s.mvs)
        score = _score(s, move, by_mfs)
        done = score < 0
        if not done and score < scores[0]:  # it waited too long and may no longer be the best
            scores[0] = score
            _sink(scores, moves, n, 0)
            if moves[0] != move:
                continue
        if not done and pair < 0:
            local += _try_locally(s, move, by_mfs)
        elif not done and retries[pair]:
            retries[pair] -= 1
            again = _try_again(s, pair, score, by_mfs)
            local += again
            if again:
                continue
        if not done and pair >= 0:
            _suppress_globally(s, pair)
            global_ += 1
        # Done, or not valid: the move is forgotten. Suppressing the pair globally stays possible until V(p) is empty.
        n -= 1
        scores[0], moves[0] = scores[n], moves[n]
        _sink(scores, moves, n, 0)
    return local, global_
