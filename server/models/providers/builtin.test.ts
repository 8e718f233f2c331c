import * as fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { askModel, type ModelAnswer } from "#tests/support/clients/ask-model.ts";
import { createTools } from "../../tools/tools.ts";
import type { Tool } from "../../tools/tool.ts";
import { createBuiltinModel } from "./builtin.ts";
import { languageFor } from "./builtin/choose-language.ts";
import { parseQuestion } from "./builtin/parse-question.ts";

const tools = createTools({ logger: { warn: () => {} } });
afterAll(async () => await tools.close());

const builtin = createBuiltinModel();
/** How it answers what it cannot. */
const cannot = /^I am the built-in assistant, a small program and not a language model\. I can only:/;
/** A Friday. */
const nowMs = Date.parse("2026-11-20T14:03:00Z");

async function ask(
  question: string,
  options: { declared?: Tool[]; managesModels?: boolean } = {},
): Promise<ModelAnswer> {
  const context = { nowMs, workspaceId: "wsp_0", timeZone: "UTC" };
  return await askModel(builtin, tools, [{ type: "text", text: question }], { context, ...options });
}

describe("calculations and dates", () => {
  test.for([
    // Sums
    ["2+2", "`2+2` = **4**"],
    ["what is 12 * (3 + 4)?", "`12 * (3 + 4)` = **84**"],
    ["the square root of 144", "`sqrt(144)` = **12**"],
    ["5!", "`5!` = **120**"],
    ["1/3", "`1/3` ≈ **0.333333**"],
    ["2^64", "`2^64` = **18,446,744,073,709,551,616**"],
    ["0.1 + 0.2", "`0.1 + 0.2` = **0.3**"],
    ["$19.99 × 3", "`19.99 * 3` = **59.97**"],
    ["15 percent of 240", "`15% * 240` = **36**"],
    ["20% off 59.90", "`59.90 - 20%` = **47.92**"],
    ["احسب: 1 / 3", "`1 / 3` ≈ **0.333333**"],
    ["كم يساوي 18% من 2,450؟", "`2450 * 18%` = **441**"],
    // Dates. The exact format depends on the platform.
    ["what day is it?", /^\*\*Friday,? 20 November 2026\*\* \(2026-11-20, today\)$/],
    ["what time is it", /^\*\*14:03\*\*, Friday,? 20 November 2026 \(UTC\)$/],
    ["two weeks from today", /^\*\*Friday,? 4 December 2026\*\* /],
    ["how long is it from 1 March to 1 June 2024", /^\*\*92 days\*\*: /],
    ["next week", /^\*\*Friday,? 27 November 2026\*\* \(2026-11-27, in 7 days\)$/],
    ["when is christmas", /^\*\*Friday,? 25 December 2026\*\* \(2026-12-25, in 35 days\)$/],
    ["days until Christmas", /^\*\*35 days\*\*: Friday,? 20 November\s.*25 December 2026$/],
    ["كم يومًا بقي حتى 1 يناير؟", /^\*\*42 يومًا\*\*: .*20 نوفمبر 2026.*1 يناير 2027$/],
    ["كم الساعة الآن؟", /^\*\*14:03\*\*, .*20 نوفمبر 2026 \(UTC\)$/],
  ] as const)("answers %j", async ([question, answer]) => {
    const { text, calls } = await ask(question);
    if (typeof answer === "string") expect(text).toBe(answer);
    else expect(text).toMatch(answer);
    expect(calls).toHaveLength(1);
  });

  test.for(["9^9^9^9", "1/0"])("admits that it cannot answer %j", async (question) => {
    const { text, calls } = await ask(question);
    expect(calls).toMatchObject([{ tool: "calculate" }]);
    expect(text).toMatch(cannot);
  });

  test("does not calculate without the tools", async () => {
    const { text, calls } = await ask("15% of 240", { declared: [] });
    expect(calls).toEqual([]);
    expect(text).toMatch(cannot);
  });
});

describe("questions for a language model", () => {
  test.for([
    "hi",
    "5 miles in km",
    "write me a poem about autumn",
    "my phone is 555-1234",
    "compare 3 phones under $500",
    "call the dentist tomorrow",
    "when is the next meeting",
    "Warum ist der Himmel blau?",
  ])("calls no tool for %j", async (question) => {
    const { text, calls } = await ask(question);
    expect(calls).toEqual([]);
    expect(text).toMatch(
      /^I am the built-in assistant.*No language model is connected\. Ask the person who runs this server/s,
    );
  });

  test("tells the owner in one sentence how to connect a model", async () => {
    const { text } = await ask("write a poem", { managesModels: true });
    expect(text).toMatch(/Connect one in \[Settings > Models\]\(\/settings\/models\)\.$/);
  });
});

describe("parsing", () => {
  test("never throws", async () => {
    const list = `days until 15% of in km 1 how what is and ( ) ^ ° ' " - 2024-01-01 to x ! many between NaN __proto__ constructor كم يوم بين و`;
    const words = fc.constantFrom("\n", ...list.split(" "));
    const languages = [await languageFor("what"), await languageFor("كم")];
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ maxLength: 300 }),
          fc.array(words, { maxLength: 30 }).map((chosen) => chosen.join(" ")),
        ),
        fc.constantFrom(...languages),
        (text, language) => {
          expect(["calculate", "date", undefined]).toContain(parseQuestion(text, language)?.tool);
        },
      ),
      { numRuns: 300 },
    );
  });

  test("stays fast on hostile messages", async () => {
    for (const pattern of [
      "1 ",
      "how many ",
      "what is ",
      "9'",
      "1,",
      "days until ",
      "between 1 and ",
      "(",
      " ",
      "كم ",
    ])
      for (const length of [199, 400, 20_000])
        await ask(pattern.repeat(length).slice(0, length), { declared: [] });
  }, 5_000);
});
