"""Layers, orders and cycles against brute force on small graphs."""

from __future__ import annotations

from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from qualityscore.analysers.graphs import bottom_up, components, layers, shortest_cycle

_NODES = ("a", "b", "c", "d", "e")
graphs = st.fixed_dictionaries({n: st.lists(st.sampled_from(_NODES), unique=True, max_size=3) for n in _NODES})


def reaches(graph: dict[str, list[str]], start: str) -> set[str]:
    seen: set[str] = set()
    pending = [start]
    while pending:
        for following in graph[pending.pop()]:
            if following not in seen:
                seen.add(following)
                pending.append(following)
    return seen


@given(graphs)
def test_components_are_the_classes_of_mutual_reachability(graph: dict[str, list[str]]) -> None:
    mutual = {frozenset({n, *(m for m in reaches(graph, n) if n in reaches(graph, m))}) for n in graph}
    assert {frozenset(c) for c in components(graph)} == mutual


@given(graphs)
def test_layers_are_the_longest_chain_of_components(graph: dict[str, list[str]]) -> None:
    group = {n: frozenset({n, *(m for m in reaches(graph, n) if n in reaches(graph, m))}) for n in graph}

    def longest(start: frozenset[str]) -> int:
        below = {group[m] for n in start for m in graph[n]} - {start}
        return 1 + max((longest(b) for b in below), default=0)

    assert layers(graph) == {n: longest(group[n]) for n in graph}


@given(graphs)
def test_bottom_up_puts_what_is_called_first_except_inside_cycles(graph: dict[str, list[str]]) -> None:
    order = bottom_up(graph)
    assert sorted(order) == sorted(graph)
    for node, targets in graph.items():
        for target in targets:
            if node not in reaches(graph, target) and node != target:
                assert order.index(target) < order.index(node)


@given(graphs)
def test_the_cycle_shown_is_a_shortest_one(graph: dict[str, list[str]]) -> None:
    for component in components(graph):
        lengths = [
            size
            for size in range(1, len(component) + 1)
            for path in permutations(component, size)
            if all(path[(i + 1) % size] in graph[path[i]] for i in range(size))
        ]
        cycle = shortest_cycle(graph, component)
        assert len(cycle) == min(lengths, default=0)
        assert all(cycle[(i + 1) % len(cycle)] in graph[cycle[i]] for i in range(len(cycle)))
