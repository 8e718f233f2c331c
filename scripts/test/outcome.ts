export type Skip = { file: string; name: string; reason: string };

/** The result of one stage. A stage without tests counts as one. */
export type Outcome = {
  passed: number;
  failed: number;
  skipped: Skip[];
  /** Sentences about failures that the stage did not print itself. */
  complaints: string[];
  /** Files with failed tests that passed when they were run again. */
  flaky: string[];
};

export function passedStage(): Outcome {
  return { passed: 1, failed: 0, skipped: [], complaints: [], flaky: [] };
}

export function failedStage(...complaints: string[]): Outcome {
  return { passed: 0, failed: 1, skipped: [], complaints, flaky: [] };
}

export function sumOutcomes(outcomes: Outcome[]): { passed: number; failed: number } {
  const sum = (field: "passed" | "failed") => outcomes.reduce((total, outcome) => total + outcome[field], 0);
  return { passed: sum("passed"), failed: sum("failed") };
}

/** Lines about skipped tests, grouped by file and reason. */
export function describeSkips(skips: Skip[]): string[] {
  const groups = Map.groupBy(skips, ({ file, reason }) => `${file} (${reason})`);
  return [...groups].map(([place, group]) => {
    // More than five names are counted instead of listed.
    const names =
      group.length > 5 ? `${group.length} tests` : group.map(({ name }) => `"${name}"`).join(", ");
    return `skipped: ${names} in ${place}`;
  });
}
