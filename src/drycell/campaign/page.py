"""The report of a campaign: one HTML page with intervals, distributions, paired differences, convergence, and the runs
to look at. It executes nothing: pictures come from recordings that the campaign has kept.
"""

from collections.abc import Sequence
from typing import Final

from drycell.campaign.results import Odd, Results
from drycell.campaign.statistics import MeanEstimate, mean_of
from drycell.pictures import Camera, draw_result
from drycell.recording import Recording
from drycell.report import charts, html_document, html_picture, html_section, html_table

_MOST_VARIANTS: Final = 40  # lines of a chart, rows of a table
_MOST_FIGURES: Final = 4
_MOST_GROUPS: Final = 6  # lines of a chart of distributions
_MOST_DOTS: Final = 200
_MOST_POINTS: Final = 60  # of a curve
_MOST_ODD: Final = 8


def html_page(results: Results) -> str:
    """Return the report of a campaign as one HTML page.

    Args:
        results: The results; they may be incomplete.
    """
    name = results.plan.name
    figures = _figures(results)
    body = [
        _head(results),
        _variants(results, figures),
        *(_figure(results, each) for each in figures),
        _differences(results, figures),
        _sensitivity(results, figures),
        _failures(results),
        _odd(results),
        _identity(results),
    ]
    foot = (
        "<footer><p>Written by drycell. Intervals have a confidence of 95 %: Student's t for means, Wilson for "
        "fractions, order statistics for quantiles. The same campaign gives the same page.</p></footer>"
    )
    return html_document(f"{name} · campaign", filter(None, body), foot)


def _figures(results: Results) -> list[str]:
    """Return the figures that the page shows: those of the summary, or any that differ."""
    return results.shown[:_MOST_FIGURES] or results.figures[:_MOST_FIGURES]


def _head(results: Results) -> str:
    plan, runs = results.plan, results.runs
    failed = sum(len(each.runs) for each in results.failures)
    facts = [
        ("Cell", plan.name),
        ("Runs", f"{len(runs):,} of {results.planned:,}"),
        ("Variants", f"{len(plan.variants):,}"),
        ("Seeds", f"{len(plan.seeds):,}"),
        ("Cell time of a run", "until the cell ends" if plan.until is None else f"{plan.until:g} s"),
        ("Warm-up", f"{plan.after:g} s" if plan.after else "none"),
    ]
    if plan.precise:
        reached = "not reached" if results.enough is None else f"reached after {results.enough} seeds"
        facts.append(
            ("Precision", f"{', '.join(f'{name} ± {text}' for name, text in plan.precise.items())}: {reached}")
        )
    pills = [("good", "All runs clean") if not failed else ("bad", f"{failed:,} of {len(runs):,} runs not clean")]
    if not results.complete:
        pills.append(("warn", f"{results.planned - len(runs):,} runs missing"))
    if results.alike:
        pills.append(("warn", "All seeds gave the same run"))
    shown = "".join(f'<span class="pill {kind}">{charts.escaped(text)}</span>' for kind, text in pills)
    rows = "".join(f"<div><dt>{charts.escaped(key)}</dt><dd>{charts.escaped(text)}</dd></div>" for key, text in facts)
    return (
        f'<header><p class="kicker">Campaign report</p><h1>{charts.escaped(plan.name)}</h1>'
        f'<p class="verdict">{shown}</p><dl class="facts">{rows}</dl></header>'
    )


def _labels(results: Results) -> list[str]:
    return [label for label, runs in results.by_variant.items() if runs]


def _variants(results: Results, figures: Sequence[str]) -> str:
    rows = []
    labels = _labels(results)
    for label in labels[:_MOST_VARIANTS]:
        clean = results.clean(label)
        row = [label, f"{clean.n:,}", f"{clean.share:.1%}", f"{clean.low:.1%} to {clean.high:.1%}"]
        rows.append([*row, *(_mean(results.mean(name, label)) for name in figures)])
    head = ["Variant", "#Runs", "#Clean", "#95 % interval", *(f"#{name}" for name in figures)]
    more = f'<p class="note">And {len(labels) - _MOST_VARIANTS:,} more variants.</p>' * (len(labels) > _MOST_VARIANTS)
    return html_section("Variants", html_table(head, rows) + more)


def _mean(estimate: MeanEstimate) -> str:
    return f"{estimate.mean:.4g} ± {estimate.half_width:.2g}" if estimate.n > 1 else f"{estimate.mean:.4g}"


def _figure(results: Results, name: str) -> str:
    labels = [each for each in _labels(results) if results.values(name, each)]
    if not labels:
        return ""
    lines = []
    for label in labels[:_MOST_VARIANTS]:
        values = list(results.values(name, label).values())
        estimate = mean_of(values)
        step = -(-len(values) // _MOST_DOTS)
        low, high = (estimate.low, estimate.high) if estimate.n > 1 else (estimate.mean, estimate.mean)
        lines.append(charts.Interval(label, low, estimate.mean, high, tuple(values[::step])))
    body = f"<figure>{charts.intervals(lines, name, f'{name}: mean and interval of each variant')}"
    body += "<figcaption>Each run as a dot, the mean, and its 95 % interval</figcaption></figure>"
    groups = [(label, list(results.values(name, label).values())) for label in labels[:_MOST_GROUPS]]
    spread = charts.distributions(groups, name, f"{name}: fraction of runs up to each value")
    body += f'<div class="pair"><figure>{spread}<figcaption>Fraction of runs up to each value</figcaption></figure>'
    points = _convergence(list(results.values(name, labels[0]).values()))
    if len(points) > 1:
        over = charts.convergence(points, name, f"{name}: mean and interval over the number of seeds")
        text = charts.escaped(f"Convergence of the mean: {labels[0]}")
        body += f"<figure>{over}<figcaption>{text}</figcaption></figure>"
    body += "</div>"
    rows = []
    for label in labels[:_MOST_VARIANTS]:
        row = [label]
        for q in (0.5, 0.95):
            middle, low, high = results.quantile(name, label, q)
            row += [f"{middle:.4g}", f"{_limit(low)} to {_limit(high)}"]
        values = list(results.values(name, label).values())
        rows.append([*row, f"{min(values):.4g}", f"{max(values):.4g}"])
    head = ["Variant", "#Median", "#95 % interval", "#95th percentile", "#95 % interval", "#Least", "#Greatest"]
    return html_section(name, body + html_table(head, rows))


def _limit(value: float) -> str:
    return "unknown" if abs(value) == float("inf") else f"{value:.4g}"


def _convergence(values: Sequence[float]) -> list[tuple[int, float, float, float]]:
    """Return the mean of the first runs with its interval, from three runs on: with two, it says almost nothing."""
    counts = range(3, len(values) + 1, max(len(values) // _MOST_POINTS, 1))
    found = [(count, mean_of(values[:count])) for count in counts]
    return [(count, each.mean, each.low, each.high) for count, each in found]


def _differences(results: Results, figures: Sequence[str]) -> str:
    rows = []
    for factor, first, level, found in results.differences(figures):
        for name, each in found.items():
            verdict = "equal in all runs" if not each.half_width and not each.mean else "no difference found"
            if each.sure:
                verdict = "greater" if each.mean > 0 else "smaller"
            text = f"{each.mean:+.4g} ± {each.half_width:.2g}"
            rows.append([factor, level, first, name, text, str(each.n), verdict])
    if not rows:
        return ""
    note = '<p class="note">Runs are paired: same seed, same levels of all other factors.</p>'
    head = ["Factor", "FactorLevel", "Compared with", "Figure", "#Difference", "#Seeds", "Verdict"]
    return html_section("Paired differences", html_table(head, rows[: 4 * _MOST_VARIANTS]) + note)


def _sensitivity(results: Results, figures: Sequence[str]) -> str:
    if not results.plan.factors:
        return ""
    rows = []
    for name in figures:
        for each in results.sensitivity(name):
            correlation = "–" if each.correlation is None else f"{each.correlation:+.2f}"
            lowest, highest = (f"{mean:.4g} ({level})" for level, mean in (each.low, each.high))
            share = charts.bar(each.share, f"{each.factor}: {each.share:.0%}")
            rows.append([name, each.factor, share, f"{each.share:.0%}", correlation, lowest, highest])
    head = ["Figure", "Factor", "~Explains", "#", "#Rank correlation", "Lowest mean", "Highest mean"]
    note = '<p class="note">The fraction of the variance of the runs that the means of the levels explain.</p>'
    return html_section("What matters", html_table(head, rows) + note) if rows else ""


def _failures(results: Results) -> str:
    if not results.failures:
        return ""
    rows = []
    for each in results.failures[:_MOST_VARIANTS]:
        first = each.runs[0]
        rows.append([str(len(each.runs)), each.problem, first.variant.label, str(first.seed), results.command(first)])
    head = ["#Runs", "Problem", "First in variant", "#Seed", "Command that repeats the first"]
    return html_section("Runs that are not clean", html_table(head, rows))


def _odd(results: Results) -> str:
    odd = results.worst(_MOST_ODD)
    if not odd:
        return ""
    body = "<p>The first run of each problem, and runs whose main figure is far from the median of their variant.</p>"
    return html_section("Runs to look at", body + "".join(_one(results, each) for each in odd))


def _one(results: Results, odd: Odd) -> str:
    run = odd.run
    title = charts.escaped(f"{run.variant.label}, seed {run.seed}")
    body = f"<h3>{title}</h3><p>{charts.escaped(odd.why)}</p>"
    recording = results.recording_of(run)
    if recording.is_file():
        with Recording.open(recording) as opened:
            drawn, caption = draw_result(opened.result, opened.bodies, Camera("iso"))
        body += html_picture(drawn, caption)
        body += f"<p><code>{charts.escaped(f'drycell studio {recording}')}</code></p>"
    return body + f"<p><code>{charts.escaped(results.command(run))}</code></p>"


def _identity(results: Results) -> str:
    rows = [[name, version] for name, version in results.plan.identity.items()]
    rows.append(["bundle of the cell", results.plan.digest])
    return html_section("What was run", html_table(["Software", "Version"], rows))
