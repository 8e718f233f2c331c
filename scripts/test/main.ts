// Runs all checks and tests, one stage after the other except those that start first. A failed stage does not stop the
// others, and the last line has the totals.
import { stagesOf, type Stage } from "./stages.ts";
import { describeSkips, sumOutcomes, type Outcome } from "./outcome.ts";

const [set = "everything", ...names] = process.argv.slice(2);
const stages = selectStages(stagesOf(set), names);

const begun = new Map(stages.filter(({ startsFirst }) => startsFirst).map((stage) => [stage, stage.run()]));
// Awaited later, when its turn comes.
for (const outcome of begun.values()) outcome.catch(() => {});
const outcomes: Outcome[] = [];
for (const [index, stage] of stages.entries()) {
  console.log(`\n[${index + 1}/${stages.length}] ${stage.title} ...`);
  outcomes.push(await timed(stage));
}

for (const line of describeSkips(outcomes.flatMap(({ skipped }) => skipped))) console.log(line);
for (const file of outcomes.flatMap(({ flaky }) => flaky))
  console.log(`flaky: ${file} failed, and passed when it was run again`);
const { passed, failed } = sumOutcomes(outcomes);
console.log(`\n${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);

async function timed(stage: Stage): Promise<Outcome> {
  const startedMs = performance.now();
  const outcome = await (begun.get(stage) ?? stage.run());
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  for (const complaint of outcome.complaints) console.log(`      ${complaint}`);
  console.log(`      ${outcome.failed > 0 ? "FAILED" : "ok"} in ${seconds} s`);
  return outcome;
}

function selectStages(all: Stage[], requested: string[]): Stage[] {
  const unknown = requested.filter((name) => !all.some((stage) => stage.name === name));
  if (unknown.length > 0) {
    console.error(
      `No stage is called ${unknown.join(", ")}. There are: ${all.map(({ name }) => name).join(", ")}.`,
    );
    process.exit(2);
  }
  return requested.length === 0 ? all : all.filter(({ name }) => requested.includes(name));
}
