import { mkdirSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";

/** One measurement, with the baseline of the same run. */
export type Figure = {
  what: string;
  unit: string;
  ours: number;
  /** The baseline, and a description of it. */
  baseline?: number;
  against?: string;
  /** The target, in words, and whether this run met it. */
  aim?: string;
  met?: boolean;
};

export type Bench = { about: string; run: () => Promise<Figure[]> };

const folder = join(import.meta.dirname, "..", "results");

/** Runs a benchmark, prints its figures and writes them to `bench/results/`. */
export async function report(name: string, bench: Bench): Promise<void> {
  const [loadBefore] = loadavg();
  const figures = await bench.run();
  for (const figure of figures) console.log(`  ${sentence(figure)}`);
  mkdirSync(folder, { recursive: true });
  const result = {
    bench: name,
    about: bench.about,
    date: new Date().toISOString().slice(0, 10),
    machine: {
      processors: cpus().length,
      model: cpus()[0]?.model,
      node: process.version,
      platform: process.platform,
      // The load of the minute before. If it exceeds the number of processors, other programs influenced the times.
      load_before: rounded(loadBefore ?? 0),
    },
    figures: figures.map((figure) => ({
      ...figure,
      ...(figure.baseline === undefined || figure.baseline === 0
        ? {}
        : { ratio: rounded(figure.ours / figure.baseline) }),
    })),
  };
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(result, undefined, 2)}\n`);
}

function sentence(figure: Figure): string {
  const { what, unit, ours, baseline, against, aim, met } = figure;
  const compared =
    baseline === undefined
      ? ""
      : `, ${baseline === 0 ? "beside " : `${rounded(ours / baseline)} × `}${against} (${rounded(baseline)} ${unit})`;
  const verdict =
    aim === undefined ? "" : ` [aim: ${aim}${met === undefined ? "" : met ? ", met" : ", missed"}]`;
  return `${what}: ${rounded(ours)} ${unit}${compared}${verdict}`;
}

function rounded(value: number): number {
  return Number(value.toPrecision(4));
}

export function median(values: number[]): number {
  return percentile(values, 50);
}

/** The value that `percent` of the values do not exceed. */
export function percentile(values: number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil((percent / 100) * sorted.length) - 1)] ?? Number.NaN;
}
