"""Candidate probes from a survey: what the suite calls, one changed argument at a time, results put to use, sequences.

Pure: the same survey and seed give the same candidates in the same order.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from qualityscore.suites import probe_inputs
from qualityscore.suites.manifest import Call
from qualityscore.suites.probe_survey import EntrySurvey, Parameter, Survey, TracedCall

AS_CALLED = "as the suite calls it"
STATE_AFTER = "as the suite calls it, then the object's content"
WORKED = "a worked example"
WRITTEN = "as the suite calls it, then what its file holds"
READ = ", read as a list"
AS_READ = AS_CALLED + READ
CALLED = "its result, called"
DECORATING = "its result, used as a decorator"
THEN_USED = "made, then used"
SEQUENCE = "sequence of calls"
ODD_SEQUENCE = "sequence of calls with odd keys"

Role = Literal["ordinary", "leading", "misfit"]
Shape = tuple[tuple[str, str], ...]  # names of arguments and types of their literals

_DISPLAYS = (
    *("[", "{", "cyclic_", "nested_", "bytearray(", "OddMapping(", "generated(", "breaking(", "closed_"),
    *("text_file(", "binary_file(", "io."),
)
_INLINE = 60
_SEQUENCES = 14
_MOST_AROUND = 160  # candidates of an entry with worked examples
_MANY = 3000
_KEYS = ("'a'", "'b'", "'c'", "1", "2")
_ODD_KEYS = ("None", "('a', 1)", "float('nan')", "[1]", "EqAlways()", "HashRaises()", "'\\ud800'", "True", "1.0")


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A probe that may become one. `arguments` are expressions for what goes in, to tell echoes from results.

    Roles: `leading` changes a required argument, `misfit` gives one of a wrong kind or one that behaves badly.
    """

    entry: str
    setup: tuple[str, ...]
    call: str
    inputs: str
    arguments: tuple[str, ...]
    role: Role = "ordinary"


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """A call in pieces, so that one argument can be replaced."""

    entry: str
    callee: str
    setup: tuple[str, ...]
    positional: tuple[tuple[str, str], ...]
    rest: tuple[str, ...] = ()
    keywords: tuple[tuple[str, str], ...] = ()
    around: tuple[str, str] = ("", "")
    text: str = ""

    @property
    def is_bare(self) -> bool:
        """Whether it is the entry's call and nothing else."""
        return not self.text and self.around == ("", "")

    def read(self) -> Form:
        """The same call with its result read as a list."""
        return replace(self, around=("listed(" + self.around[0], self.around[1] + ")"))

    def shape(self) -> Shape:
        """Which arguments are given, of what type each literal among them is, and what stands around the call."""
        named = [(name, probe_inputs.literal_type(text)) for name, text in self.positional + self.keywords]
        rest = [("", probe_inputs.literal_type(text)) for text in self.rest]
        return (*sorted(named), *rest, *([] if self.is_bare else [("around", "".join(self.around) + self.text)]))

    def given(self) -> dict[str, str]:
        """The named arguments as source text."""
        return dict(self.positional + self.keywords)

    def with_argument(self, parameter: Parameter, text: str) -> Form:
        """The same call with one argument set; by position where it was, by name otherwise."""
        if text.startswith("io.") and "import io" not in self.setup:
            return replace(self, setup=("import io", *self.setup)).with_argument(parameter, text)
        name = parameter.name
        if parameter.how == "VAR_POSITIONAL":
            return replace(self, rest=(text,))
        if parameter.how == "VAR_KEYWORD":
            return replace(self, keywords=(*self.keywords, ("extra", text)))
        if any(n == name for n, _ in self.positional):
            return replace(self, positional=tuple((n, text if n == name else t) for n, t in self.positional))
        if any(n == name for n, _ in self.keywords):
            return replace(self, keywords=tuple((n, text if n == name else t) for n, t in self.keywords))
        return replace(self, keywords=(*self.keywords, (name, text)))

    def render(self) -> tuple[tuple[str, ...], str, tuple[str, ...]]:
        """(setup, call, arguments): what can be mutated or read only once is bound to a name before the call."""
        if self.text:
            return self.setup, self.text, ()
        setup, parts, arguments = list(self.setup), [], []
        pieces = [(name, "", text) for name, text in self.positional]
        pieces += [("argument", "", text) for text in self.rest]
        pieces += [(name, f"{name}=", text) for name, text in self.keywords]
        for number, (name, prefix, text) in enumerate(pieces):
            if text.startswith(_DISPLAYS) or len(text) > _INLINE:
                variable = (
                    f"{name}_{number}" if name in ("self", "argument", "subject") or not name.isidentifier() else name
                )
                variable = f"given_{variable}" if variable == self.callee.partition(".")[0] else variable
                setup.append(f"{variable} = {text}")
                arguments.append(variable)
                parts.append(prefix + variable)
            else:
                arguments.append(text)
                parts.append(prefix + text)
        before, after = self.around
        return tuple(setup), f"{before}{self.callee}({', '.join(parts)}){after}", tuple(arguments)

    def candidate(self, inputs: str) -> Candidate:
        """This call as a candidate."""
        setup, call, arguments = self.render()
        return Candidate(entry=self.entry, setup=setup, call=call, inputs=inputs, arguments=arguments)


def sensible_calls(survey: Survey, entry: EntrySurvey) -> list[Form]:
    """Worked examples, and calls with required arguments only that should work, the likeliest first."""
    required = [p for p in entry.parameters if p.required]
    names = {p.name for p in required}
    forms = []
    traced = [call for call in entry.calls if not call.worked]
    forms += [_form(entry, call) for call in entry.calls if call.worked]
    for call in sorted(traced, key=lambda c: (not c.setup, len(c.setup) if len(c.setup) > 1 else 9)):
        form = _form(entry, call)
        given = form.given()
        if not names <= given.keys():
            continue
        forms.append(
            replace(
                form,
                positional=tuple((n, t) for n, t in form.positional if n in names),
                rest=(),
                keywords=tuple((n, t) for n, t in form.keywords if n in names),
            )
        )
    for setup in _instances(survey, entry):
        choices = [probe_inputs.sensible(p.categories) for p in required]
        if all(choices):
            for shift in range(max((len(c) for c in choices), default=1)):
                texts = [choice[min(shift, len(choice) - 1)] for choice in choices]
                forms.append(_made(entry, setup, required, texts))
    return list(dict.fromkeys(forms))


def whole_calls(entry: EntrySurvey) -> list[Form]:
    """The suite's calls with all their arguments, one of each shape before the second of any."""
    seen: Counter[Shape] = Counter()
    ranked = []
    for call in entry.calls:
        form = _form(entry, call)
        ranked.append((seen[form.shape()], form))
        seen[form.shape()] += 1
    return list(dict.fromkeys(form for _, form in sorted(ranked, key=lambda pair: pair[0])))


def candidates(
    survey: Survey,
    entry: EntrySurvey,
    sensible: Form,
    seed: int,
    *,
    gives_function: bool,
    gives_items: bool = False,
    others: tuple[Form, ...] = (),
) -> list[Candidate]:
    """All candidates of an entry whose sensible call is known. `gives_function`: that call returns a function;
    `gives_items`: an object that can be iterated and shows nothing else.

    Arguments are changed one at a time on top of the sensible call and of the `others`.
    """
    rng = random.Random(f"{seed} {entry.entry.name}")
    found = [_form(entry, call).candidate(WORKED if call.worked else AS_CALLED) for call in entry.calls]
    found += _states(entry, sensible)
    found += _written(entry)
    forms = [form for form in (sensible, *(_form(entry, call) for call in entry.calls)) if form.is_bare]
    if gives_items:
        found += [_form(entry, call).read().candidate(AS_READ) for call in entry.calls if not call.worked]
    if gives_function:
        found += [c for form in forms[:8] for c in _put_to_use(form)]
    if entry.is_class:
        found += _sequences(survey, entry, forms, rng)
        found += _many_updates(entry, forms)
    changed = [change for base in (sensible, *others) for change in _one_at_a_time(survey, entry, base, rng)]
    if gives_items:
        changed = [(inputs + READ, form.read(), role) for inputs, form, role in changed if form.is_bare] + changed
    found += [replace(form.candidate(inputs), role=role) for inputs, form, role in changed if role != "misfit"]
    plain = [(inputs, form) for inputs, form, role in changed if role != "misfit" and form.is_bare]
    if gives_function:
        found += [c for inputs, form in plain for c in _put_to_use(form, f", {inputs}")]
    if entry.is_class:
        found += [c for inputs, form in plain for c in _then_used(entry, form, inputs)]
    found += list(_changed_calls(survey, entry, rng))
    found += _changed_texts(entry, rng)
    found += [replace(form.candidate(inputs), role=role) for inputs, form, role in changed if role == "misfit"]
    if entry.entry.kind == "method":
        found += _on_other_instances(survey, entry, sensible)
    distinct = list({(c.setup, c.call): c for c in reversed(found)}.values())[::-1]
    return _thinned(distinct) if any(call.worked for call in entry.calls) else distinct


def _thinned(found: list[Candidate]) -> list[Candidate]:
    """At most so many, one of each class of input in turn: what stands around a worked example takes its time."""
    turns: Counter[str] = Counter()
    ranked = []
    for index, candidate in enumerate(found):
        ranked.append((turns[candidate.inputs], index))
        turns[candidate.inputs] += 1
    kept = {index for _, index in sorted(ranked)[:_MOST_AROUND]}
    kept |= {index for index, candidate in enumerate(found) if candidate.inputs in (WORKED, AS_CALLED)}
    return [candidate for index, candidate in enumerate(found) if index in kept]


def as_call(form: Form) -> Call:
    """The sensible call as the manifest holds it."""
    setup, call, _ = form.render()
    return Call(setup=list(setup), call=call)


def _form(entry: EntrySurvey, call: TracedCall) -> Form:
    name = entry.entry.name
    if call.worked:
        return Form(
            entry=name,
            callee=call.callee,
            setup=call.setup,
            positional=call.positional,
            rest=call.rest,
            keywords=call.keywords,
            around=call.around,
            text=call.text,
        )
    on_instance = bool(call.setup) and any(line.startswith("subject = ") for line in call.setup)
    return Form(
        entry=name,
        callee=f"subject.{name.rpartition('.')[2]}" if on_instance else name,
        setup=call.setup,
        positional=call.positional,
        rest=call.rest,
        keywords=call.keywords,
    )


def _made(entry: EntrySurvey, setup: tuple[str, ...], required: list[Parameter], texts: list[str]) -> Form:
    name = entry.entry.name
    named = [(p, text) for p, text in zip(required, texts, strict=True)]
    return Form(
        entry=name,
        callee=f"subject.{name.rpartition('.')[2]}" if setup else name,
        setup=setup,
        positional=tuple((p.name, text) for p, text in named if p.how != "KEYWORD_ONLY"),
        keywords=tuple((p.name, text) for p, text in named if p.how == "KEYWORD_ONLY"),
    )


def _instances(survey: Survey, entry: EntrySurvey) -> list[tuple[str, ...]]:
    """Statements that make an instance for a method as `subject`, by constructor calls of the suite or made up."""
    if entry.entry.kind != "method":
        return [()]
    owner_name = entry.entry.name.rpartition(".")[0]
    found: list[tuple[str, ...]] = []
    for owner in survey.entries:
        if owner.is_class and owner_name in owner.bases:
            for form in [*(_form(owner, call) for call in owner.calls), *_constructors(owner)]:
                if not form.is_bare:
                    continue
                setup, call, _ = form.render()
                made = (*setup, f"subject = {call}")
                fill = ("subject['a'] = 1", "subject['b'] = 2") if "__setitem__" in owner.protocol else ()
                found += [made + fill, made]
    return found + list(survey.preparations.get(owner_name, ()))


def _constructors(owner: EntrySurvey) -> list[Form]:
    required = [p for p in owner.parameters if p.required]
    choices = [probe_inputs.sensible(p.categories) for p in required]
    return [_made(owner, (), required, [c[0] for c in choices])] if all(choices) else []


def _states(entry: EntrySurvey, sensible: Form) -> list[Candidate]:
    """The content of the object after a method was called on it."""
    if entry.entry.kind != "method":
        return []
    found = []
    for form in [sensible, *(_form(entry, call) for call in entry.calls)]:
        if form.callee.startswith("subject."):
            setup, call, arguments = form.render()
            found.append(
                Candidate(
                    entry=form.entry, setup=(*setup, call), call="subject", inputs=STATE_AFTER, arguments=arguments
                )
            )
    return found


def _written(entry: EntrySurvey) -> Iterator[Candidate]:
    """What a file in memory holds after a call of the suite was given it."""
    for call in entry.calls:
        setup, text, arguments = _form(entry, call).render()
        files = [line.partition(" = ")[0] for line in setup if " = io." in line]
        for name in [name for name in files if name in arguments]:
            yield Candidate(
                entry=entry.entry.name,
                setup=(*setup, text),
                call=f"{name}.getvalue()",
                inputs=WRITTEN,
                arguments=arguments,
            )


def _changed_texts(entry: EntrySurvey, rng: random.Random) -> Iterator[Candidate]:
    """Worked examples in which the entry's call is not told from the rest, with one literal changed."""
    for call in entry.calls:
        if call.text:
            for inputs, text in probe_inputs.changed_within(call.text, rng):
                form = replace(_form(entry, call), text=text)
                yield form.candidate(f"{WORKED}: {inputs}")


def _put_to_use(form: Form, suffix: str = "") -> Iterator[Candidate]:
    """A call that gives a function: that function called, and used as a decorator."""
    setup, call, arguments = form.render()
    made = (*setup, f"made = {call}")
    counted, raising = (*made, "wrapped = made(counting())"), (*made, "wrapped = made(raiser)")
    uses = [
        (CALLED, made, "[made(1), made('a'), made(1)]"),
        (DECORATING, counted, "[wrapped(1), wrapped('a'), wrapped(1), wrapped(2), wrapped('a')]"),
    ]
    if not suffix:
        uses += [
            (f"{DECORATING} of a raising function", raising, "wrapped(1)"),
            (f"{DECORATING}, unhashable argument", counted, "wrapped([1])"),
            (
                f"{DECORATING} of a function that gives None{_named(form)}",
                (*made, "given = Tally()", "wrapped = made(given)"),
                "[wrapped(1), wrapped(1), wrapped(2), given.calls]",
            ),
            (DECORATING, counted, "[wrapped(x=1, y=2), wrapped(y=2, x=1), wrapped(1.0), wrapped(1)]"),
        ]
    for label, lines, use in uses:
        yield Candidate(entry=form.entry, setup=lines, call=use, inputs=label + suffix, arguments=arguments)


def _named(form: Form) -> str:
    """Which optional arguments a call gives by name, as a part of a class of input."""
    return "".join(f", {name} given" for name, _ in form.keywords)


def _then_used(entry: EntrySurvey, form: Form, inputs: str) -> Iterator[Candidate]:
    """An object that is made and then filled, read and emptied."""
    if "__setitem__" not in entry.protocol:
        return
    setup, call, arguments = form.render()
    calls = "[('__setitem__', 'a', 1), ('__setitem__', 'b', 2), ('__getitem__', 'a'), ('__len__',), ('__iter__',)]"
    yield Candidate(
        entry=form.entry,
        setup=(*setup, f"subject = {call}"),
        call=f"[steps(subject, {calls}), subject]",
        inputs=f"{THEN_USED}, {inputs}",
        arguments=arguments,
    )


def _sequences(survey: Survey, entry: EntrySurvey, forms: list[Form], rng: random.Random) -> Iterator[Candidate]:
    """Random walks over the methods of one object: what each gave, and the content at the end."""
    methods = {
        other.entry.name.rpartition(".")[2]: other
        for other in survey.entries
        if other.entry.kind == "method" and other.entry.name.rpartition(".")[0] in entry.bases
    }
    protocol = [name for name in entry.protocol if name not in ("__call__", "__enter__")]
    if not methods and "__setitem__" not in protocol:
        return
    makers = list(dict.fromkeys(form.render()[:2] for form in forms))
    if not makers:
        return
    for number in range(_SEQUENCES):
        odd = number >= _SEQUENCES - 3
        setup, call = makers[number % len(makers)]
        keys = (*_KEYS, *_ODD_KEYS) if odd else _KEYS
        calls = [_step(name, methods, keys, rng) for name in _walk(protocol, sorted(methods), rng)]
        line = f"calls = [{', '.join(calls)}]"
        yield Candidate(
            entry=entry.entry.name,
            setup=(*setup, f"subject = {call}", line),
            call="[steps(subject, calls), subject]",
            inputs=ODD_SEQUENCE if odd else SEQUENCE,
            arguments=("calls",),
        )


def _many_updates(entry: EntrySurvey, forms: list[Form]) -> Iterator[Candidate]:
    """An object with room for many keys, each stored several times: work that grows with all that was ever stored."""
    if not {"__setitem__", "__len__"} <= set(entry.protocol):
        return
    required = [p for p in entry.parameters if p.required]
    for form in list(dict.fromkeys(forms))[:4]:
        roomy = form
        for parameter in required:
            if {"int", "float"} & set(parameter.categories):
                roomy = roomy.with_argument(parameter, str(10 * _MANY))
            elif "callable" in parameter.categories:
                roomy = roomy.with_argument(parameter, "lambda *args: 10**12")
        setup, call, _ = roomy.render()
        line = f"calls = [('__setitem__', n % {_MANY}, n) for n in range({3 * _MANY})]"
        yield Candidate(
            entry=entry.entry.name,
            setup=(*setup, f"subject = {call}", line),
            call="[steps(subject, calls)[-3:], len(subject)]",
            inputs="updates at scale: many keys stored three times",
            arguments=("calls",),
            role="leading",
        )


def _walk(protocol: list[str], methods: list[str], rng: random.Random) -> list[str]:
    writes = ["__setitem__"] * 3 if "__setitem__" in protocol else []
    names = [*writes, *protocol, *methods, *methods]
    return writes[:2] + [rng.choice(names) for _ in range(rng.randint(4, 10))]


def _step(name: str, methods: dict[str, EntrySurvey], keys: tuple[str, ...], rng: random.Random) -> str:
    arguments: list[str] = []
    if name in ("__getitem__", "__delitem__", "__contains__"):
        arguments = [rng.choice(keys)]
    elif name == "__setitem__":
        arguments = [rng.choice(keys), str(rng.randint(2, 99))]
    elif name in methods:
        for parameter in methods[name].parameters:
            if parameter.required and parameter.how != "KEYWORD_ONLY":
                own = [t for call in methods[name].calls for n, t in call.positional if n == parameter.name]
                keyed = not own or all(text[:1] in "'\"0123456789" for text in own)
                arguments.append(rng.choice(keys) if keyed else rng.choice(own))
    return "(" + ", ".join([repr(name), *arguments]) + ",)"


def _one_at_a_time(
    survey: Survey, entry: EntrySurvey, sensible: Form, rng: random.Random
) -> Iterator[tuple[str, Form, Role]]:
    """(class, call, role): the sensible call with one argument changed; parameters of unknown kind are left out."""
    for parameter in entry.parameters:
        if not parameter.categories or sensible.text:
            continue
        role: Role = "leading" if parameter.required else "ordinary"
        traced = [t for call in entry.calls for n, t in call.positional + call.keywords if n == parameter.name]
        own = [call for call in entry.calls if not call.worked]
        suite = {t for call in own for n, t in call.positional + call.keywords if n == parameter.name}
        traced = [text for text in traced if text in suite or probe_inputs.literal_type(text)]
        for text in dict.fromkeys(traced):
            where = "as in the suite" if text in suite else "as in an example"
            yield f"{parameter.name}: {where}", sensible.with_argument(parameter, text), role
        for name, text in probe_inputs.ordinary(parameter.categories, entry.literals, survey.drawn):
            yield f"{parameter.name}: {name}", sensible.with_argument(parameter, text), role
        for text in list(dict.fromkeys(traced))[:6]:
            for name, new in probe_inputs.changed(text, rng):
                yield f"{parameter.name}: {name}", sensible.with_argument(parameter, new), role
        scaled = {name: new for text in reversed(traced) for name, new in probe_inputs.repeated(text)}
        for name, text in sorted(scaled.items()):
            yield f"{parameter.name} at scale: {name}", sensible.with_argument(parameter, text), role
        for name, text in probe_inputs.misfits(parameter.name, parameter.categories, rng):
            yield f"{parameter.name}: {name}", sensible.with_argument(parameter, text), "misfit"


def _changed_calls(survey: Survey, entry: EntrySurvey, rng: random.Random) -> Iterator[Candidate]:
    """Calls of the suite with one of several arguments changed a little, or with one more argument."""
    by_name = {p.name: p for p in entry.parameters if p.categories}
    for call in entry.calls:
        form = _form(entry, call)
        given = form.given()
        for name in sorted(given.keys() & by_name.keys()) if len(given) > 1 else ():
            changes = probe_inputs.changed(given[name], rng)
            if changes:
                inputs, new = rng.choice(changes)
                yield form.with_argument(by_name[name], new).candidate(f"{name}: {inputs}")
        more = [p for name, p in by_name.items() if name not in given and not p.how.startswith("VAR_")]
        for parameter in rng.sample(more, min(3, len(more))):
            suite = [other for other in entry.calls if not other.worked]
            traced = [t for other in suite for n, t in other.positional + other.keywords if n == parameter.name]
            choices = [("as in the suite", text) for text in traced]
            choices += probe_inputs.ordinary(parameter.categories, entry.literals, survey.drawn)
            inputs, text = rng.choice(choices)
            yield form.with_argument(parameter, text).candidate(f"{parameter.name}: {inputs}")


def _on_other_instances(survey: Survey, entry: EntrySurvey, sensible: Form) -> list[Candidate]:
    """The sensible arguments on instances that the suite or the constructor's candidates make."""
    setups = _instances(survey, entry)
    step = max(1, len(setups) // 10)
    chosen = dict.fromkeys(setups[::step])
    return [replace(sensible, setup=setup).candidate("other objects") for setup in chosen]
