"""RecordModel."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any, ClassVar, Literal

import numpy as np

from seqveil.models.records.denoise import denoised
from seqveil.models.records.draw import drawn
from seqveil.models.records.expect import Ends
from seqveil.models.records.margins import on_simplex
from seqveil.models.records.stratum import candidates, deepen, fit_pairs, fit_trips
from seqveil.models.records.states import States
from seqveil.parameters import described
from seqveil.publish.records import shares
from seqveil.publish.records.shares import Shares, part
from seqveil.tables.flat import Flat
from seqveil.tables.units import Record, Unit, User
from seqveil.wall import GRAINS, Alphabet, ClosedLengths, Firsts, Labels, Lasts, LengthQuantile, Trips, Wall, Windows

CAP = 256


@dataclass(frozen=True, slots=True)
class RecordModel:
    kind: ClassVar[str] = "sequences"
    units: ClassVar[tuple[type[Unit], ...]] = (Record, User)
    version: ClassVar[str] = "1"
    paper: ClassVar[str] = ""

    l_max: int | Literal["auto"] = described(20, "Records are cut to this many items.")
    n_max: int = described(4, "Longest n-gram that is measured.")

    def run(self, wall):
        return self.release(wall)

    def release(self, wall):
        import time
        import os
        VERB = os.environ.get("VERB")
        labels = len(wall.domain)
        l_max = int(self.l_max)
        m = wall.unit.sequences
        one = Alphabet(np.zeros(labels, np.int32), 1)
        E = wall.epsilon
        def scale(q, e): return q.influence(wall.unit) * GRAINS / e
        e0 = part(E, shares.ROUGH)
        q = Firsts(one)
        rough = float(wall.ask(q, e0)[0]); b_rough = scale(q, e0)
        unit = m * GRAINS / E   # scale of a sensitivity-1 question with everything
        signal = max(rough, 1.0) / unit
        e1 = part(E, shares.size_share(signal))
        n1 = float(wall.ask(q, e1)[0]); b1 = scale(q, e1)
        e2 = part(E, shares.length_share(signal))
        ql = ClosedLengths(l_max)
        lengths = wall.ask(ql, e2).astype(float).reshape(l_max, 2); b2 = scale(ql, e2)
        lengths[0, 1] += lengths[0, 0]; lengths[0, 0] = 0
        # number: precision-weighted
        w = np.array([1 / b_rough**2, 1 / b1**2, 1 / (b2**2 * (2 * l_max - 1))])
        number = max(float((w * [rough, n1, lengths.sum()]).sum() / w.sum()), 0.0)
        flat_l = lengths.ravel()
        mask = np.ones(2 * l_max, bool); mask[0] = False
        fit = np.zeros(2 * l_max); fit[mask] = on_simplex(flat_l[mask], number)
        lengths = fit.reshape(l_max, 2)
        signal = max(number, 1.0) / unit
        bounds = shares.bounds(l_max, signal)
        walls = wall.strata(bounds, wall.remaining)
        ident = Alphabet.identity(labels)
        parts = []
        low = 0
        for w_, high in zip(walls, bounds):
            n_l = lengths[low:high]; n = float(n_l.sum())
            hist = lengths[low:high]
            depth = min(self.n_max - 1, 3 if labels <= 64 else 2)
            sh = Shares.of(signal, labels, high, depth)
            d = dict(wall=w_, low=low + 1, high=high, n=n, len=hist, shares=sh)
            eps = w_.epsilon
            if high == 1:
                qq = Firsts(ident); d["first"] = (w_.ask(qq, w_.remaining), scale(qq, eps)); d["last"] = d["label"] = d["first"]
            elif high == 2 and labels <= CAP:
                pass
            else:
                e = part(eps, sh.ends)
                qq = Firsts(ident); d["first"] = (w_.ask(qq, e), scale(qq, e))
                qq = Lasts(ident); d["last"] = (w_.ask(qq, e), scale(qq, e))
                if sh.labels:
                    e = part(eps, sh.labels)
                    qq = Labels(high, ident); d["label"] = (w_.ask(qq, e), scale(qq, e))
            d["items"] = float((hist.sum(axis=1) * np.arange(low + 1, high + 1)).sum())
            parts.append(d)
            low = high
        # label tables
        pool = {k: np.zeros(labels) for k in ("first", "last", "label")}
        for d in parts:
            for k in ("first", "last", "label"):
                if k not in d: continue
                total = d["items"] if k == "label" else d["n"]
                shape = pool[k] if pool[k].sum() > 0 else pool["first"]
                shape = shape / max(shape.sum(), 1e-9)
                pred = total * (.8 * shape + .2 / labels if shape.sum() > 0.5 else np.full(labels, 1 / labels))
                A, b = d[k]
                est, _ = denoised(A, pred, b)
                est = est * (total / max(est.sum(), 1e-9)) if labels > CAP else on_simplex(est, total)
                d[k + "_hat"] = est
                pool[k] = pool[k] + est
            if VERB: print(d["low"], d["high"], round(d["n"]), round(d["items"]))
        # alphabet
        if labels <= CAP:
            alpha = ident; strong = np.arange(labels); other = False
        else:
            passed = np.zeros(labels, bool); score = np.zeros(labels)
            for d in parts:
                for k in ("first", "last", "label"):
                    if k in d:
                        A, b = d[k]; passed |= A > b * np.log(labels / 4)
                if "label_hat" in d: score += d["label_hat"]
                else: score += d["first_hat"] + d["last_hat"]
            order = np.argsort(-np.where(passed, score, -1), kind="stable")[:CAP - 1]
            strong = np.sort(order[passed[order]])
            codes = np.full(labels, len(strong), np.int32); codes[strong] = np.arange(len(strong))
            alpha = Alphabet(codes, len(strong) + 1); other = True
        K = alpha.size
        def small(x):
            return np.bincount(alpha.codes, x, K)
        pair_pool = np.zeros((K, K)); trip_pool = np.zeros((K, K)); lab_pool = np.zeros(K)
        out = []
        models = []
        for d in parts:
            t0 = time.time()
            w_, high, low, n, hist, sh = d["wall"], d["high"], d["low"], d["n"], d["len"], d["shares"]
            eps = w_.epsilon
            steps = np.zeros((high, 2)); steps[low - 1:high] = hist
            opn, cls = steps[:, 0], steps[:, 1]
            norm = lambda v: v / v.sum() if v.sum() > 0 else np.eye(high)[high - 1]
            if high == 1:
                f = small(d["first_hat"])
                ends = Ends(np.diag(f), norm(opn), norm(cls), norm(cls) if other else None)
                models.append((States.single(K), np.full((K, K), 1 / K), ends)); 
                lab_pool += f
                d["model"] = None
                continue
            if high == 2:
                e = w_.remaining; qq = Trips(alpha)
                A = w_.ask(qq, e); b = scale(qq, e)
                if "first_hat" in d: F, L = small(d["first_hat"]), small(d["last_hat"])
                else:
                    AA = A.reshape(K, K); F, L = on_simplex(AA.sum(1).astype(float), n), on_simplex(AA.sum(0).astype(float), n)
            else:
                e = part(eps, sh.trips); qq = Trips(alpha)
                A = w_.ask(qq, e); b = scale(qq, e)
                F, L = small(d["first_hat"]), small(d["last_hat"])
            ind = np.outer(F, L) / max(n, 1e-9)
            shape = .5 * ind + .5 * trip_pool * (n / max(trip_pool.sum(), 1e-9)) if trip_pool.sum() else ind
            trips = fit_trips(A, b, F, L, float(cls.sum()), shape + 1e-9, other)
            trip_pool += trips
            if other:
                c_o = max(0.0, float(cls.sum()) - float(np.trace(trips)) + trips[-1, -1]); c_o = min(c_o, trips[-1, -1])
                mix = norm(cls) * c_o + norm(opn) * (trips[-1, -1] - c_o)
                oth = norm(mix); d["closed_other"] = c_o
            else: oth = None
            ends = Ends(trips, norm(opn), norm(cls), oth)
            F, L = trips.sum(1), trips.sum(0)
            if high == 2:
                wts = (trips + 1e-3) / (trips + 1e-3).sum(1, keepdims=True)
                models.append((States.single(K), wts, ends)); pair_pool += trips; lab_pool += F + L
                continue
            e = part(eps, sh.levels[0]) if len(sh.levels) > 1 else w_.remaining
            every = np.arange(K, dtype=np.int32)[:, None]
            qq = Windows(high, every, alpha); A = w_.ask(qq, e); b = scale(qq, e)
            AA = A.reshape(K, K).astype(float)
            c_rows, c_cols = AA.sum(1) + L, AA.sum(0) + F
            v_pair = 2 * b * b * K
            c = (c_rows + c_cols) / 2; v = v_pair / 2
            if "label" in d:
                bl = d["label"][1]
                cl = small(d["label_hat"])
                mult = np.ones(K)
                if other: mult[-1] = labels - K + 1
                vl = 2 * bl * bl * mult
                c = (c / v + cl / vl) / (1 / v + 1 / vl)
            least = F + L
            c = least + on_simplex(c - least, max(d["items"] - 2 * n, 0.0))
            ind = np.outer(c - L, c - F) / max((c - L).sum(), 1e-9)
            shape = .3 * ind + .7 * pair_pool * (ind.sum() / max(pair_pool.sum(), 1e-9)) if pair_pool.sum() else ind
            st = fit_pairs(A, b, c, ends, shape + 1e-9, low, high)
            pair_pool += st.total
            if VERB: print("pairs", high, "b", b, "err", np.abs(st.states.gathered(st.steps) - st.total).sum() / st.total.sum(), time.time() - t0)
            grams = float(st.total.sum())
            levels = len(sh.levels)
            if grams / b < 150: levels = min(levels, 1)
            elif grams / b < 1500: levels = min(levels, 2)
            for depth in range(2, len(sh.levels) + 1):
                e = part(eps, sh.levels[depth - 1]) if depth < len(sh.levels) else w_.remaining
                bn = (high - depth) * m * GRAINS / e
                P, X = candidates(st, 2 * bn, 1500)
                if not len(P) or depth > levels: break
                ctx = np.concatenate([st.states.spelled[P], X[:, None].astype(np.int32)], axis=1)
                qq = Windows(high, ctx, alpha); A = w_.ask(qq, e); b = scale(qq, e)
                assert abs(b - bn) < 1e-6
                st = deepen(st, P, X, A, b)
                if VERB: print("depth", depth, "contexts", len(P), "b", b, "err", np.abs(st.states.gathered(st.steps) - st.total).sum() / st.total.sum(), time.time() - t0)
            models.append((st.states, st.weights, st.ends))
        flats = [drawn(*mod) for mod in models]
        if other:
            rng = np.random.default_rng(5)
            flats = [resolve(f, d, strong, K, labels, rng) for f, d in zip(flats, parts)]
        return joined(flats)


def joined(flats):
    lens = np.concatenate([f.lengths for f in flats])
    return Flat(np.concatenate([f.items for f in flats]), np.concatenate([[0], np.cumsum(lens)]).astype(np.int64))


def resolve(f, d, strong, K, labels, rng):
    from seqveil.models.records.apportion import apportioned
    up = np.append(strong, -1).astype(np.int32)
    items = up[f.items]
    weak = np.ones(labels, bool); weak[strong] = False; weak = np.flatnonzero(weak)
    firsts = np.zeros(len(items), bool); lasts = firsts.copy()
    firsts[f.offsets[:-1]] = True; lasts[f.offsets[1:] - 1] = True
    def put(where, hat):
        at = np.flatnonzero(where & (items < 0))
        k = apportioned(hat[weak] + 1e-9, len(at))
        lab = np.repeat(weak, k); rng.shuffle(lab)
        items[at] = lab
    if d["high"] == 1:
        put(firsts, d["first_hat"])
    else:
        put(firsts, d["first_hat"])
        put(lasts, d["last_hat"])
        inner = d.get("label_hat", d["first_hat"] + d["last_hat"])
        put(np.ones(len(items), bool), np.maximum(inner - d["first_hat"] - d["last_hat"], 0) if "label_hat" in d else inner)
    return Flat(items, f.offsets)
