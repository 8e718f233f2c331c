import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { axisOf, colourOf, followWidth } from "#web/lib/plot.ts";
import { printShortDay } from "#web/i18n/translate.ts";
import { plotKinds, type UsagePlotKind } from "./plot-kinds.ts";
import type { DaySum } from "./sums.ts";

type PlotOptions = {
  days: readonly { day: string; sum: DaySum }[];
  kind: UsagePlotKind;
  /** Called with the index of the day under the pointer. */
  onPoint(index: number | undefined): void;
};

const heightPx = 180;

/** Draws bars by day into `box`, as wide as the box is. Returns a function that removes them. */
export function drawUsagePlot(box: HTMLElement, { days, kind, onPoint }: PlotOptions): () => void {
  const axis = axisOf(box);
  const bars = uPlot.paths.bars!({ size: [0.7, 24], radius: 0.15, align: 0 });
  const bar = (fill: string): uPlot.Series => ({ fill, width: 0, paths: bars, points: { show: false } });
  const times = days.map(({ day }) => Date.parse(day) / 1000);
  const { series, axisWidth, axisMin, printOnAxis } = plotKinds[kind];
  const halfDay = 43_200;
  const plot = new uPlot(
    {
      width: box.clientWidth,
      height: heightPx,
      padding: [8, 20, 0, 0],
      legend: { show: false },
      cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC"),
      scales: {
        x: { range: () => [times[0]! - halfDay, times.at(-1)! + halfDay] },
        y: { range: (_, __, max) => [0, Math.max(max * 1.05, axisMin)] },
      },
      axes: [
        {
          ...axis,
          grid: { show: false },
          size: 32,
          space: 64,
          values: (_, splits) =>
            splits.map((seconds) => printShortDay(new Date(seconds * 1000).toISOString().slice(0, 10))),
        },
        {
          ...axis,
          size: axisWidth,
          space: 28,
          values: (_, splits) => splits.map(printOnAxis),
        },
      ],
      series: [{}, ...series.map(({ colour }) => bar(colourOf(box, colour)))],
      hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? undefined)] },
    },
    [times, ...series.map(({ valueOf, heightOf = valueOf }) => days.map(({ sum }) => heightOf(sum) ?? null))],
    box,
  );
  return followWidth(plot, box, heightPx);
}
