export type Skip = { file: string; name: string; reason: string };

/** What came of one stage. A stage without tests of its own counts as one. */
export type Outcome = {
  passed: number;
  failed: number;
  skipped: Skip[];
  /** Whole sentences, for what the stage did not print itself. */
  complaints: string[];
};

export function passedStage(): Outcome {
  return { passed: 1, failed: 0, skipped: [], complaints: [] };
}

export function failedStage(...complaints: string[]): Outcome {
  return { passed: 0, failed: 1, skipped: [], complaints };
}

export function addUp(outcomes: Outcome[]): { passed: number; failed: number } {
  const sum = (field: "passed" | "failed") => outcomes.reduce((total, outcome) => total + outcome[field], 0);
  return { passed: sum("passed"), failed: sum("failed") };
}

/** Lines that say what was left out and why, those with one reason in one file together. */
export function tellSkips(skips: Skip[]): string[] {
  const groups = Map.groupBy(skips, ({ file, reason }) => `${file} (${reason})`);
  return [...groups].map(([place, group]) => {
    // Five names can be read at a glance; more of them are better counted.
    const names =
      group.length > 5 ? `${group.length} tests` : group.map(({ name }) => `"${name}"`).join(", ");
    return `skipped: ${names} in ${place}`;
  });
}
