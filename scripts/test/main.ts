// Every check and every test, one stage after the other. A stage that fails stops none of the others, and
// the last line is the sum of them all.
import { stagesOf, type Stage } from "./stages.ts";
import { addUp, tellSkips, type Outcome } from "./outcome.ts";

const [set = "everything", ...names] = process.argv.slice(2);
const stages = chosen(stagesOf(set), names);

const outcomes: Outcome[] = [];
for (const [index, stage] of stages.entries()) {
  console.log(`\n[${index + 1}/${stages.length}] ${stage.title} ...`);
  outcomes.push(await timed(stage));
}

for (const line of tellSkips(outcomes.flatMap(({ skipped }) => skipped))) console.log(line);
const { passed, failed } = addUp(outcomes);
console.log(`\n${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);

async function timed(stage: Stage): Promise<Outcome> {
  const began = performance.now();
  const outcome = await stage.run();
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  for (const complaint of outcome.complaints) console.log(`      ${complaint}`);
  console.log(`      ${outcome.failed > 0 ? "FAILED" : "ok"} in ${seconds} s`);
  return outcome;
}

function chosen(all: Stage[], wanted: string[]): Stage[] {
  const unknown = wanted.filter((name) => !all.some((stage) => stage.name === name));
  if (unknown.length > 0) {
    console.error(
      `No stage is called ${unknown.join(", ")}. There are: ${all.map(({ name }) => name).join(", ")}.`,
    );
    process.exit(2);
  }
  return wanted.length === 0 ? all : all.filter(({ name }) => wanted.includes(name));
}
