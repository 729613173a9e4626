"""What Streamlit shows as Markdown holds words of ours, numbers, and text from outside only as `plain` writes it.

Text from outside is all that files, folders, the registry, workers and addresses say.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Iterable, Iterator

import pytest

from tests.pages.looking import APP

FIRST = (
    "badge button caption checkbox download_button expander form_submit_button header info markdown metric multiselect"
    " number_input page_link pills popover segmented_control selectbox spinner subheader success tabs text_area"
    " text_input title toast toggle warning"
)
"""Functions of Streamlit whose first argument is Markdown; for some it is a label."""
OPTIONS = {"pills", "radio", "segmented_control", "tabs"}
"""Those whose options are Markdown, too; menus show theirs as they are."""
KEYWORDS = {"caption", "delta", "help", "label", "text"}
"""Arguments that are Markdown wherever they occur."""
HELPERS = {
    "badge": {"sentence": 1},
    "cancel_button": {"words": 2},
    "caption": {"hint": 2},
    "chart": {"hint": 4},
    "chosen_campaign": {"title": 0, "about": 1},
    "close_button": {"words": 1},
    "criterion_menu": {"label": 0, "words": 3},
    "details": {"sentences": 0},
    "function_menu": {"label": 0, "words": 2},
    "help_of": {"label": 0, "text": 1},
    "head": {"title": 0, "about": 1},
    "link": {"label": 1, "words": 3},
    "link_to": {"label": 1},
    "metric": {"label": 0, "value": 1, "below": 2, "words": 3},
    "page_help": {"title": 1},
    "share_bar": {"doing": 1},
    "say_no_data": {"beside": 2},
    "show_work": {"words": 2},
    "stop_without": {"then": 0},
    "data_menu": {"label": 0, "words": 4, "beside": 8},
}
"""Functions of pages that hand arguments on as Markdown: their names and places."""
EVERYWHERE = """
    plain linked help_of help_text WORDS.items PAGES.items CRITERIA.items
    with_own table ticked results agreeing at_8_bits baseline_searches bool classified
    comparison counted covered_in_brief distinct done_of duration effect_of farthest feature_pairs_known fewer_seeds
    feature_words freedom grey_levels have_witness how_far in_words layer_pair legend len moment page_of
    refuted_words retry_words roughly share_words shown_effect sizes_in_words same_inputs stages_in_words sum
    state_in_words time_left why_not_adversarial why_so_few with_effect written
    EFFECTS.title EFFECTS.words EFFECT_CHOICES.words
    PARAMETERS.label VALUE_FUNCTIONS.words GENERATORS.title STATUS_LOOKS.name SHARES.title FORMATS.title METHODS.get
    method.key method.title method.words entry.title entry.words example.words row.label row.sentence state.value
    proved_things target.ordinal pair.target.ordinal pair.seed pair.found_for edge
"""
"""What holds numbers and words of ours alone, whatever a file says: functions, registries, and columns of numbers."""
IN_A_FILE = {
    "bring/findings.py": "DOING.get _accuracy _label _of_data _right _size _ways equal_readings helpless right_answers",
    "bring/library.py": "each.kind size_words",
    "bring/parts.py": "install lacking",
    "bring/start.py": "_words",
    "bring/told.py": "field.label",
    "compare/figures.py": "machines",
    "examples/pair.py": "generator.margin generator.title place.next place.previous",
    "examples/signs.py": "change.layer side",
    "examples/verdicts.py": "spec.covering_method.key",
    "measure/page.py": "facts",
    "gaps/matrix.py": "condition.target.edge",
    "gaps/feature_menu.py": "layer.index name",
    "gaps/menus.py": "feature_menu",
    "gaps/condition.py": "condition.refuted_by",
    "gaps/justification.py": "_of condition.target.ordinal each.target.ordinal st.session_state.pop",
    "gaps/numbers.py": "label more words counts.covered.percent counts.feasible.counts counts.feasible.percent"
    " each.target.ordinal total.with_effect.counts total.with_effect.percent",
    "gaps/proof.py": "_last",
    "gaps/retry.py": "_nothing fields.items",
    "measure/campaign_form.py": "GRIDS.title time_of {}.__getitem__",
    "measure/criteria.py": "SPECIAL_CASES.get VALUE_FUNCTIONS.items key label name number_of st.selectbox words",
    "measure/features.py": "MODE_WORDS.__getitem__ each.title each.words",
    "measure/plan.py": "dict.fromkeys",
    "measure/further_inputs.py": "DOING.get",
    "measure/progress.py": "DOING.get",
    "measure/result.py": "no_pairs",
    "overview/entries.py": "_when coverages label",
    "overview/finished_example.py": "label",
    "overview/first_visit.py": "ready.kind",
    "overview/menu.py": "entry.kind row.kind size_words",
    "playground/coverage.py": "_at_zero _sign _with_effect inputs.labels map names.neuron names.neurons names.pair"
    " partial st.segmented_control setting.method setting.method.key",
    "playground/criterion.py": "str.upper symbol",
    "playground/inputs.py": "EXAMPLES.items example.chosen example.effect SHOWN.__getitem__ range",
    "replay/page.py": "out_of",
    "replay/result.py": "COUNTS HEADS any_pair.counts any_pair.percent own.counts own.percent",
    "run/form.py": "_explained label words {}.__getitem__",
    "run/page.py": "effect_explained",
    "run/plan.py": "_in_words",
    "run/progress.py": "adversarial.counts adversarial.percent total.covered.percent total.holds_8bit.counts"
    " total.holds_8bit.percent total.with_effect.counts total.with_effect.percent",
    "shared/campaigns.py": "kind",
    "shared/cards.py": "_label",
    "shared/charts.py": "{}.__getitem__",
    "shared/evidence.py": "kind",
    "shared/fields.py": "row.none",
    "shared/downloads.py": "exhibit.kind.title form.title label name",
    "shared/gallery.py": "key words",
    "shared/jobs.py": "about percentage",
    "shared/layer_tables.py": "value",
    "shared/links.py": "by.value pairs.target.ordinal",
    "shared/lists.py": "kind none_yet row.kind",
    "shared/network.py": "beside label words",
    "shared/page_registry.py": "icon",
    "shared/words.py": "heads text.format_map",
}
"""Likewise, in one file of ``pages/`` alone."""


def named(expression: ast.expr) -> str:
    """What an expression names, without arguments and places: a function, an attribute, a registry or a variable."""
    match expression:
        case ast.Call(func=inner) | ast.Subscript(value=inner):
            return named(inner)
        case ast.Attribute(value=inner, attr=name):
            return f"{named(inner)}.{name}"
        case ast.Dict():
            return "{}"
    return ast.unparse(expression)


def assigned(nodes: Iterable[ast.AST]) -> dict[str, list[ast.expr]]:
    """What each variable may hold; of a loop's variables, what is looped over."""
    found: dict[str, list[ast.expr]] = {}
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
                for each, value in zip(targets, values, strict=True):
                    found.setdefault(ast.unparse(each), []).append(value)
                continue
            case ast.Assign(targets=[target], value=value) | ast.NamedExpr(target=target, value=value):
                pass
            case ast.AnnAssign(target=target, value=ast.expr() as value) | ast.AugAssign(target=target, value=value):
                pass
            case ast.For(target=target, iter=value) | ast.comprehension(target=target, iter=value):
                pass
            case _:
                continue
        for name in ast.walk(target):
            if isinstance(name, ast.Name):
                found.setdefault(name.id, []).append(value)
    return found


def parts(expression: ast.expr, local: dict[str, list[ast.expr]]) -> Iterator[ast.expr]:
    """What an expression is put together from, without literal text, and without what is formatted as a number."""
    match expression:
        case ast.Constant() | ast.Compare() | ast.UnaryOp():
            return
        case ast.FormattedValue(format_spec=ast.JoinedStr(values=[ast.Constant(value=str(form))])) if (
            form[-1] in ",bdefg%"
        ):
            return
        case ast.FormattedValue(value=value) | ast.Starred(value=value) | ast.NamedExpr(value=value):
            inner = [value]
        case ast.JoinedStr(values=inner) | ast.BoolOp(values=inner) | ast.List(elts=inner) | ast.Tuple(elts=inner):
            pass
        case ast.IfExp(body=one, orelse=two) | ast.BinOp(left=one, right=two):
            inner = [one, two]
        case ast.GeneratorExp(elt=each) | ast.ListComp(elt=each) | ast.SetComp(elt=each) | ast.Lambda(body=each):
            inner = [each]
        case ast.Call(func=ast.Attribute(value=ast.Constant(), attr="join"), args=[joined]):
            inner = [joined]
        case ast.Call(func=ast.Name(id="filter" | "sorted" | "zip"), args=[*_, joined]):
            inner = [joined]
        case ast.Call(func=ast.Attribute(value=text, attr="capitalize" | "lower" | "upper" | "format")):
            inner = [text]
        case ast.Name(id=name) | ast.Subscript(value=ast.Name(id=name)) if name in local:
            inner, local = local[name], {other: values for other, values in local.items() if other != name}
        case _:
            yield expression
            return
    for each in inner:
        yield from parts(each, local)


def handed_on(call: ast.Call) -> Iterator[ast.expr]:
    """The arguments of a call that are shown as Markdown."""
    name = named(call.func).rpartition(".")[2]
    if ast.unparse(call.func).endswith(".kind.caption"):
        return  # of an exhibit, which makes the caption of a file
    places = HELPERS.get(name, {}) if isinstance(call.func, ast.Name) else {}
    yield from (call.args[at] for at in places.values() if at < len(call.args))
    if name in FIRST.split() and isinstance(call.func, ast.Attribute):
        yield from call.args[: 3 if name == "metric" else 1]
    keywords = KEYWORDS | places.keys() | ({"format_func"} if name in OPTIONS else set())
    yield from (keyword.value for keyword in call.keywords if keyword.arg in keywords)


def unknown(tree: ast.Module, ours: Container[str]) -> Iterator[str]:
    """The lines and names of what is shown as Markdown and is neither `plain` nor known as ours."""
    functions = [each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)]
    inside = {id(each) for function in functions for each in ast.walk(function)}
    alone = [each for each in ast.walk(tree) if id(each) not in inside]
    places: list[tuple[str, list[ast.AST]]] = [(each.name, list(ast.walk(each))) for each in functions]
    for function, nodes in (*places, ("", alone)):
        local, callers = assigned(nodes), HELPERS.get(function, {}).keys()
        for call in (each for each in nodes if isinstance(each, ast.Call)):
            for part in (part for argument in handed_on(call) for part in parts(argument, local)):
                name = named(part)
                if not (name in ours or name in callers or name.isupper()):
                    yield f"{call.lineno}: {name}"


def test_markdown_is_ours_or_plain() -> None:
    """What is found here goes through `plain`; only if it can hold no text from outside, it belongs to the lists."""
    rooms = APP.parent / "pages"
    found = [
        f"{name}, line {each}"
        for path in sorted(rooms.rglob("*.py"))
        for name in [path.relative_to(rooms).as_posix()]
        for each in unknown(ast.parse(path.read_text()), [*EVERYWHERE.split(), *IN_A_FILE.get(name, "").split()])
    ]
    assert not found


def texts(source: str) -> Iterator[tuple[int, str]]:
    """The texts of a page's Python, each with its line; commands that are shown as such, "dnncov ...", are left out."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and not node.value.startswith("dnncov "):
            yield node.lineno, node.value


def test_options_of_the_command_are_code() -> None:
    """In a sentence Streamlit makes one dash of their two."""
    rooms = APP.parent / "pages"
    every = [(path, *each) for path in rooms.rglob("*.py") for each in texts(path.read_text())]
    every += [(path, 1, path.read_text()) for path in rooms.rglob("*.md")]
    code, option = re.compile(r"```.*?```|`[^`]*`", re.DOTALL), re.compile(r"(^|[\s(])--[a-z]")
    assert len(every) > 1000
    assert not [
        f"{path.relative_to(rooms)}, line {line}" for path, line, text in every if option.search(code.sub("", text))
    ]


@pytest.mark.parametrize(
    "line",
    [
        "st.caption(card.description)",
        "st.button('x', help=f'{n:,} of {spec.network}')",
        "st.markdown(' '.join(['a', *names]))",
        "place.metric('A', '1', delta=error)",
        "link('run', title)",
        "st.pills('A', names, format_func=lambda name: name)",
        "words = card.name; st.info(words)",
    ],
)
def test_text_from_outside_is_found(line: str) -> None:
    assert list(unknown(ast.parse(line), EVERYWHERE.split()))


def test_numbers_and_words_of_ours_may_be_markdown() -> None:
    line = "words = 'a' if x else 'b'; st.info(f'{words} {n:,} {counted(n, noun)} {plain(card.name)}')"
    assert not list(unknown(ast.parse(line), EVERYWHERE.split()))
