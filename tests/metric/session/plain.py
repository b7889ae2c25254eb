"""The metrics of sessions as plain loops, word for word from their definitions; nothing of metameter is used.

A topic's truth is a list of (subtopic, document, nugget, rating), a session a list of lists of documents, where None
fills a place. ``official`` keeps the quirks of the scorer of TREC Dynamic Domain.
"""

import math


def counts(rating, official):
    """What a rating counts: -1 and 0 are marginal, too, but the scorer takes -1 as it stands."""
    low = rating == 0 if official else rating <= 0
    return 1 if low else rating


def ratings(truth, official, passages="sum"):
    """Of each document, what it says on each subtopic."""
    said = {}
    for subtopic, doc, _, rating in truth:
        said.setdefault(doc, {}).setdefault(subtopic, []).append(counts(rating, official))
    return {
        doc: {subtopic: _together(values, passages) for subtopic, values in subtopics.items()}
        for doc, subtopics in said.items()
    }


def _together(values, passages):
    if passages == "sum":
        return sum(values)
    return sum(value / math.log2(place + 1) for place, value in enumerate(sorted(values, reverse=True), start=1))


def cube(truth, subtopics, lists, K, gamma=0.5, H=5, official=True, passages="sum"):
    """CT and ACT after K iterations."""
    rating = ratings(truth, official, passages)
    h, c = dict.fromkeys(subtopics, 0.0), dict.fromkeys(subtopics, 0)
    G = acc = 0.0
    nd = time = 0
    for docs in lists[:K]:
        time += 1
        for doc in docs:
            for s, worth in rating.get(doc, {}).items():
                if h[s] < H:
                    x = min(gamma ** (c[s] + 1 if official else c[s]) * worth, H - h[s])
                    h[s] += x
                    c[s] += 1
                    G += x / len(subtopics)
            acc += G / H / time
            nd += 1
    return (G / H / time, acc / nd) if nd else (0.0, 0.0)


def cube_bound(truth, subtopics, K, page, gamma=0.5, H=5, passages="sum"):
    """The scorer's bound of CT."""
    rating = ratings(truth, True, passages)
    total = 0.0
    for s in subtopics:
        best = sorted((said[s] for said in rating.values() if s in said), reverse=True)[: page * K + 1]
        total += min(H, sum(worth * gamma**i for i, worth in enumerate(best))) / len(subtopics)
    return total / H / K


def cube_ideal(truth, subtopics, documents, gamma=0.5, H=5):
    """How full the cube is after so many documents, each time the one that fills most of what is left."""
    rating = ratings(truth, False)
    # Of equals the last by name.
    left = sorted(rating, reverse=True)
    h, c = dict.fromkeys(subtopics, 0.0), dict.fromkeys(subtopics, 0)
    chosen = []
    while left and len(chosen) < documents:

        def fills(doc):
            return sum(min(gamma ** c[s] * worth, H - h[s]) for s, worth in rating[doc].items())

        best = max(left, key=fills)
        for s, worth in rating[best].items():
            h[s] += min(gamma ** c[s] * worth, H - h[s])
            c[s] += 1
        chosen.append(best)
        left.remove(best)
    return sum(h.values()) / len(subtopics) / H, chosen


def nct(truth, subtopics, lists, K, page, gamma=0.5, H=5, official=True):
    """CT over its bound."""
    ct = cube(truth, subtopics, lists, K, gamma, H, official)[0]
    if official:
        bound = cube_bound(truth, subtopics, K, page, gamma, H)
    else:
        time = min(K, len(lists))
        bound = cube_ideal(truth, subtopics, page * time, gamma, H)[0] / time if time else 0.0
    return ct / bound if bound else 0.0


def gains(truth, official):
    """The sum of all ratings of each document."""
    total = {}
    for _, doc, _, rating in truth:
        total[doc] = total.get(doc, 0) + counts(rating, official)
    return total


def sdcg(truth, lists, K, b=2, bq=4, official=True):
    """Gain discounted by rank and iteration."""
    gain = gains(truth, official)
    return sum(
        gain.get(doc, 0) / (1 + math.log(j, b)) / (1 + math.log(q, bq))
        for q, docs in enumerate(lists[:K], start=1)
        for j, doc in enumerate(docs, start=1)
    )


def sdcg_bound(truth, K, page, b=2, bq=4, official=True):
    """The best gains in the best places."""
    places = [1 / (1 + math.log(j, b)) / (1 + math.log(q, bq)) for q in range(1, K + 1) for j in range(1, page + 1)]
    best = sorted(gains(truth, official).values(), reverse=True)
    return sum(x * y for x, y in zip(sorted(places, reverse=True), best, strict=False))


def eu(truth, lists, K, lengths, a=0.001, gamma=0.5, p=0.5, official=True):
    """What is learnt less what reading costs."""
    passages = {}
    for _, doc, nugget, rating in truth:
        passages.setdefault(doc, []).append((nugget, counts(rating, official)))
    m, worth, cost = {}, {}, 0.0
    for docs in lists[:K]:
        words = 0.0
        for i, doc in enumerate(docs, start=1):
            for nugget, rating in passages.get(doc, ()):
                m[nugget] = m.get(nugget, 0.0) + (1 - p) ** (i - 1)
                worth[nugget] = rating
            stop = (1 - p) ** (i - 1) * (p if i < len(docs) else 1)
            words += lengths.get(doc, 0.0)
            if doc in lengths or not official:
                cost += stop * words
    return sum(worth[n] * (1 - gamma ** m[n]) / (1 - gamma) for n in m) - a * cost


def eu_bounds(truth, K, page, lengths, a=0.001, gamma=0.5, p=0.5, official=True):
    """The lowest and the highest utility."""
    q = 1 - p
    documents, worth = {}, {}
    for _, doc, nugget, rating in truth:
        documents.setdefault(nugget, set()).add(doc)
        worth[nugget] = counts(rating, official)
    gain = 0.0
    for nugget, docs in documents.items():
        shown = min(page * K, len(docs))
        m = (shown // page) * sum(q**i for i in range(page)) + sum(q**i for i in range(shown % page))
        gain += worth[nugget] * (1 - gamma**m) / (1 - gamma)
    last = min(len(lengths), page * K) % page
    places = [r for r in range(page) for _ in range(K if not official or r <= last else K - 1)]
    rising = sorted(lengths.values())
    least = sum(q**r * words for r, words in zip(places, rising, strict=False))
    most = sum(q**r * words for r, words in zip(places, reversed(rising), strict=False))
    return -a * most, gain - a * least


def neu(truth, lists, K, page, lengths, official=True, **parameters):
    """EU between its bounds."""
    low, high = eu_bounds(truth, K, page, lengths, official=official, **parameters)
    value = eu(truth, lists, K, lengths, official=official, **parameters)
    return (value - low) / (high - low) if high != low else 0.0


def prec(truth, lists, K):
    """Relevant documents of all that were shown."""
    relevant = {doc for _, doc, _, _ in truth}
    shown = [doc for docs in lists[:K] for doc in docs]
    return sum(doc in relevant for doc in shown) / len(shown) if shown else 0.0


def st_rec(truth, lists, K, page, official=True):
    """Subtopics covered by the first page * K documents, or by those of the first K iterations."""
    shown = [doc for docs in lists for doc in docs][: page * K] if official else [d for docs in lists[:K] for d in docs]
    wanted = {subtopic for subtopic, _, _, _ in truth}
    found = {subtopic for subtopic, doc, _, _ in truth if doc in shown}
    return len(found) / len(wanted) if wanted else 0.0


def tot_time(truth, lists, K, lengths):
    """Minus the seconds that reading takes."""
    relevant = {doc for _, doc, _, _ in truth}
    return -sum(
        4.4 + (0.64 if doc in relevant else 0.39) * (0.018 * lengths.get(doc, 0) + 7.8)
        for docs in lists[:K]
        for doc in docs
    )
