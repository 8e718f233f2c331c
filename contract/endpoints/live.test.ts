import { expect, test } from "vitest";
import { newId } from "../ids.ts";
import { liveRunsMax, parseLiveRuns } from "./live.ts";

test("parses each run with the number of its last event", () => {
  const [one, two] = [newId("run"), newId("run")];
  expect(parseLiveRuns(`${one}:0,${two}:17`)).toEqual([
    { runId: one, after: 0 },
    { runId: two, after: 17 },
  ]);
});

test("leaves out malformed entries and entries past the limit", () => {
  const id = newId("run");
  for (const text of [
    undefined,
    "",
    ",",
    ":",
    id,
    `${id}:`,
    `${id}:-1`,
    `${id}:1.5`,
    `${id}:x`,
    `x:1`,
    `${id}\0:1`,
    `${id}:${"9".repeat(16)}`,
    "x".repeat(100_000),
  ]) {
    expect(parseLiveRuns(text)).toEqual([]);
  }
  expect(parseLiveRuns(`nonsense,${id}:1,,${id}:2`)).toHaveLength(2);
  expect(parseLiveRuns(`${id}:1,`.repeat(liveRunsMax * 2))).toHaveLength(liveRunsMax);
});
