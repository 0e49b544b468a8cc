"""The pictures of docs/performance.md, as SVG."""
import math

STYLE = """
.etude-bench .paper{fill:#ffffff}
.etude-bench text{font-family:system-ui,-apple-system,"Segoe UI","DejaVu Sans",sans-serif;font-size:13px;fill:#1f2328}
.etude-bench .tick{font-size:12px;fill:#57606a}
.etude-bench .end{text-anchor:end}
.etude-bench .middle{text-anchor:middle}
.etude-bench .grid{stroke:#d0d7de}
.etude-bench .aim{stroke:#1f2328;stroke-width:2}
.etude-bench .reached{fill:#15803d}
.etude-bench .faster{fill:#0b62c4}
.etude-bench .slower{fill:#c2410c}
.etude-bench .curve{fill:none;stroke-width:2}
.etude-bench .s0,.etude-bench .s1{stroke:#0b62c4}
.etude-bench .s2,.etude-bench .s3{stroke:#c2410c}
.etude-bench .s1,.etude-bench .s3{stroke-dasharray:5 4}
@media (prefers-color-scheme:dark){
.etude-bench .paper{fill:#14181f}
.etude-bench text{fill:#e6edf3}
.etude-bench .tick{fill:#9da7b3}
.etude-bench .grid{stroke:#3d444d}
.etude-bench .aim{stroke:#e6edf3}
.etude-bench .reached{fill:#4ade80}
.etude-bench .faster{fill:#5aa9ff}
.etude-bench .slower{fill:#fb923c}
.etude-bench .s0,.etude-bench .s1{stroke:#5aa9ff}
.etude-bench .s2,.etude-bench .s3{stroke:#fb923c}
}
"""


def text(x, y, words, names=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{names}">{words}</text>'


def line(x1, y1, x2, y2, names):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{names}"/>'


def svg(height, parts):
    return "\n".join(['<svg xmlns="http://www.w3.org/2000/svg" class="etude-bench" '
                      f'viewBox="0 0 680 {height}" width="680" height="{height}">', f"<style>{STYLE}</style>",
                      '<rect class="paper" width="100%" height="100%"/>', *parts, "</svg>", ""])


def bars(rows):
    """Of (name, ratio, target), on a logarithmic scale from 1/2 to 32, with a mark where each should reach."""
    left, width, height = 312, 310, 20
    at = lambda ratio: left + width * math.log2(min(max(ratio, 0.5), 32) / 0.5) / 6
    bottom = 8 + height * len(rows)
    parts = []
    for ratio in (0.5, 1, 2, 4, 8, 16, 32):
        parts += [line(at(ratio), 6, at(ratio), bottom, "grid"), text(at(ratio), bottom + 16, f"{ratio:g}", "middle tick")]
    for i, (name, ratio, target) in enumerate(rows):
        y, ends = 8 + height * i, sorted((at(1), at(ratio)))
        how = "reached" if ratio >= target else "faster" if ratio >= 1 else "slower"
        parts += [text(left - 8, y + 14, name, "end"),
                  f'<rect class="{how}" x="{ends[0]:.1f}" y="{y + 4}" width="{max(1, ends[1] - ends[0]):.1f}" height="12"/>',
                  line(at(target), y + 2, at(target), y + 18, "aim"), text(left + width + 6, y + 14, f"{ratio:.2f}")]
    return svg(bottom + 26, parts)


def short(number):
    if number >= 1024 and number % 1024 == 0:
        return f"{number // 1024}Ki"
    return f"{number / 1000:.3g}k" if number >= 1000 else f"{number:g}"


def panel(left, top, heading, series):
    """Curves of (x, y) on logarithmic scales, in a box of 268 by 150 whose corner is (left, top). A tick at every x."""
    width, height = 268, 150
    places = sorted({x for points in series for x, _ in points})
    values = [y for points in series for _, y in points]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    x_at = lambda x: left + 10 + (width - 20) * math.log(x / places[0]) / math.log(places[-1] / places[0])
    y_at = lambda y: top + height - height * (math.log10(y) - low) / (high - low)
    parts = [text(left, top - 10, heading)]
    for power in range(low, high + 1):
        parts += [line(left, y_at(10**power), left + width, y_at(10**power), "grid"),
                  text(left - 5, y_at(10**power) + 4, short(10.0**power), "end tick")]
    parts += [text(x_at(x), top + height + 16, short(x), "middle tick") for x in places]
    for number, points in enumerate(series):
        if not points:
            continue
        corners = " ".join(f"{x_at(x):.1f},{y_at(y):.1f}" for x, y in sorted(points))
        parts += [f'<polyline class="curve s{number}" points="{corners}"/>']
    return parts


def curves(names, panels):
    """Two panels to a row, each of (heading, a list of points for each name). A style whose name is None is not used."""
    parts = []
    for number, name in enumerate(names):
        if name is None:
            continue
        x = 12 + 170 * number
        parts += [line(x, 16, x + 28, 16, f"curve s{number}"), text(x + 34, 20, name)]
    for number, (heading, series) in enumerate(panels):
        parts += panel(45 + 345 * (number % 2), 66 + 215 * (number // 2), heading, series)
    return svg(40 + 215 * math.ceil(len(panels) / 2), parts)
