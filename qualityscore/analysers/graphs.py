"""Directed graphs over names: components, layers, orders, shortest cycles. All linear but the shortest cycle, which is
linear per component node."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping

Graph = Mapping[str, Iterable[str]]


def components(graph: Graph) -> list[tuple[str, ...]]:
    """Strongly connected components, each before those that lead to it (Tarjan 1972, without recursion).

    Nodes of a component keep the graph's order. Edges to nodes that are no keys are ignored.
    """
    position = {node: i for i, node in enumerate(graph)}
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    on_stack: set[str] = set()
    found: list[tuple[str, ...]] = []
    for root in graph:
        if root in index:
            continue
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        work = [(root, iter(graph[root]))]
        while work:
            node, edges = work[-1]
            following = next((e for e in edges if e in position and (e not in index or e in on_stack)), None)
            if following is None:
                work.pop()
                if work:
                    parent = work[-1][0]
                    low[parent] = min(low[parent], low[node])
                if low[node] == index[node]:
                    component: list[str] = []
                    while not component or component[-1] != node:
                        component.append(stack.pop())
                        on_stack.discard(component[-1])
                    found.append(tuple(sorted(component, key=position.__getitem__)))
            elif following in index:
                low[node] = min(low[node], index[following])
            else:
                index[following] = low[following] = len(index)
                stack.append(following)
                on_stack.add(following)
                work.append((following, iter(graph[following])))
    return found


def layers(graph: Graph) -> dict[str, int]:
    """For each node the length of the longest chain that starts at it, counted in components: 1 for a node that leads
    nowhere but into its own component."""
    depth: dict[str, int] = {}
    for component in components(graph):
        inside = set(component)
        below = [depth[e] for node in component for e in graph[node] if e in depth and e not in inside]
        for node in component:
            depth[node] = 1 + max(below, default=0)
    return depth


def bottom_up(graph: Graph) -> tuple[str, ...]:
    """Nodes ordered by layer, so that each comes after all that it leads to (but for cycles); ties keep the graph's
    order."""
    depth = layers(graph)
    return tuple(sorted(graph, key=depth.__getitem__))


def shortest_cycle(graph: Graph, component: tuple[str, ...]) -> tuple[str, ...]:
    """A shortest cycle inside a component, starting at its first node in the component's order; empty where there is
    none (a single node without an edge to itself)."""
    inside = set(component)
    best: tuple[str, ...] = ()
    for start in component:
        before: dict[str, str] = {}
        pending = deque([(start, 1)])
        seen = {start}
        while pending:
            node, length = pending.popleft()
            if best and length >= len(best):
                break
            hit = False
            for following in graph[node]:
                if following == start:
                    chain = [node]
                    while chain[-1] != start:
                        chain.append(before[chain[-1]])
                    best = tuple(reversed(chain))
                    hit = True
                    break
                if following in inside and following not in seen:
                    seen.add(following)
                    before[following] = node
                    pending.append((following, length + 1))
            if hit:
                break
        if len(best) == 1:
            break
    return best
