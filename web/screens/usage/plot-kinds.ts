import { printDollars, printDuration, printNumber, printSeconds, printShort } from "#web/i18n/translate.ts";
import { aboutText, waitOf, type DaySum } from "./sums.ts";

export type UsagePlotKind = "tokens" | "cost" | "requests" | "wait" | "feedback";

type Series = {
  name:
    | "usage.input"
    | "usage.output"
    | "usage.requests"
    | "usage.failedRequests"
    | "usage.good"
    | "usage.bad"
    | undefined;
  /** The custom property of its colour. */
  colour: string;
  /** `undefined`: there is none on that day. */
  valueOf(sum: DaySum): number | undefined;
  /** The height of the bar, if it is not the value. */
  heightOf?(sum: DaySum): number | undefined;
};

type Plot = {
  title:
    | "usage.tokensByDay"
    | "usage.costByDay"
    | "usage.requestsByDay"
    | "usage.waitByDay"
    | "usage.feedbackByDay";
  /** Bars from the back to the front. */
  series: readonly Series[];
  /** Pixels. */
  axisWidth: number;
  /** The least height of the axis, in its unit. */
  axisMin: number;
  printOnAxis(value: number): string;
  print(value: number, day: DaySum): string;
};

export const plotKinds: Record<UsagePlotKind, Plot> = {
  tokens: {
    title: "usage.tokensByDay",
    // The output is in front of the sum, so that the input shows above it.
    series: [
      {
        name: "usage.input",
        colour: "--plot-input",
        valueOf: (sum) => sum.input_tokens,
        heightOf: (sum) => sum.input_tokens + sum.output_tokens,
      },
      { name: "usage.output", colour: "--accent", valueOf: (sum) => sum.output_tokens },
    ],
    axisWidth: 52,
    axisMin: 1,
    printOnAxis: printShort,
    print: (tokens, day) => aboutText(day, tokens),
  },
  cost: {
    title: "usage.costByDay",
    series: [{ name: undefined, colour: "--accent", valueOf: (sum) => sum.cost_usd }],
    axisWidth: 64,
    axisMin: 0.0001,
    printOnAxis: printDollars,
    print: (cost, day) => aboutText(day, cost, printDollars),
  },
  requests: {
    title: "usage.requestsByDay",
    series: [
      { name: "usage.requests", colour: "--plot-input", valueOf: (sum) => sum.requests },
      { name: "usage.failedRequests", colour: "--danger", valueOf: (sum) => sum.failed_requests },
    ],
    axisWidth: 52,
    axisMin: 1,
    printOnAxis: printShort,
    print: printNumber,
  },
  wait: {
    title: "usage.waitByDay",
    series: [{ name: undefined, colour: "--accent", valueOf: waitOf }],
    axisWidth: 52,
    axisMin: 1,
    printOnAxis: printSeconds,
    print: (seconds) => printDuration(seconds * 1000),
  },
  feedback: {
    title: "usage.feedbackByDay",
    series: [
      {
        name: "usage.good",
        colour: "--accent",
        valueOf: (sum) => sum.positive,
        heightOf: (sum) => sum.positive + sum.negative,
      },
      { name: "usage.bad", colour: "--danger", valueOf: (sum) => sum.negative },
    ],
    axisWidth: 52,
    // Whole numbers.
    axisMin: 4,
    printOnAxis: printShort,
    print: printNumber,
  },
};
