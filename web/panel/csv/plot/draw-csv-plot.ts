import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { axisOf, colourOf, followWidth } from "#web/lib/plot.ts";
import { printNumber } from "#web/i18n/translate.ts";
import type { PlotKind, Points } from "./points.ts";

const heightPx = 240;

/** Draws the points into `box`, as wide as the box is. Returns a function that removes them. */
export function drawPlot(box: HTMLElement, { x, y, names }: Points, kind: PlotKind): () => void {
  const accent = colourOf(box, "--accent");
  const axis = axisOf(box);
  const series: Record<PlotKind, uPlot.Series> = {
    line: { stroke: accent, width: 1.5, points: { show: false } },
    bars: { fill: accent, width: 0, paths: uPlot.paths.bars!({ size: [0.7, 48] }), points: { show: false } },
    scatter: { stroke: accent, paths: () => null, points: { show: true, size: 5, fill: accent } },
  };
  // Room for the outer halves of bars and points.
  const pad = x.length < 2 ? 1 : ((x.at(-1)! - x[0]!) / (x.length - 1)) * 0.6 || 1;
  const plot = new uPlot(
    {
      width: box.clientWidth,
      height: heightPx,
      padding: [12, 20, 0, 0],
      legend: { show: false },
      cursor: { show: false },
      scales: {
        x: { time: false, range: () => [(x[0] ?? 0) - pad, (x.at(-1) ?? 0) + pad] },
        // Bars stand on zero.
        y:
          kind === "bars"
            ? { range: (_, min, max) => [Math.min(0, min * 1.05), Math.max(0, max * 1.05) || 1] }
            : {},
      },
      axes: [
        {
          ...axis,
          size: 32,
          space: 80,
          ...(names === undefined
            ? {}
            : { incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000] }),
          values: (_, splits) =>
            splits.map((split) => (names === undefined ? printNumber(split) : shortName(names[split]))),
        },
        { ...axis, size: 64, space: 32, values: (_, splits) => splits.map((split) => printNumber(split)) },
      ],
      series: [{}, series[kind]],
    },
    [x, y],
    box,
  );
  return followWidth(plot, box, heightPx);
}

function shortName(name = ""): string {
  return name.length > 12 ? `${name.slice(0, 11)}…` : name;
}
