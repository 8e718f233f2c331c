import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { limits } from "#contract/limits.ts";
import { anyUnits } from "#tests/support/data/run-events.ts";
import { collectLog } from "#tests/support/servers/collected-log.ts";
import {
  finish,
  scriptedModel,
  text,
  thought,
  type ScriptStep,
} from "#tests/support/servers/scripted-model.ts";
import { systemClock } from "#server/lib/clock.ts";
import { ModelError } from "#server/models/model.ts";
import { firstWords } from "#server/threads/first-words.ts";
import { createTitleGenerator, cleanTitle } from "./title.ts";

describe("a model's title", () => {
  test.for([
    ["Weaving with engines", "Weaving with engines"],
    ['"Weaving with engines"', "Weaving with engines"],
    ["“Weaving with engines”", "Weaving with engines"],
    ["«Weben»", "Weben"],
    ["„Weben“", "Weben"],
    ["**Weaving**", "Weaving"],
    ["`Weaving`", "Weaving"],
    ["A **bold** weave of `x_y`", "A bold weave of x_y"],
    ["A* search in ~/src", "A* search in ~/src"],
    ["2*3*4", "2*3*4"],
    ["Use __init__.py", "Use __init__.py"],
    ["# Weaving", "Weaving"],
    ["Title: Weaving", "Weaving"],
    ["title:Weaving", "Weaving"],
    ['Title: "Weaving with engines."', "Weaving with engines"],
    ["Weaving.", "Weaving"],
    ["Weaving with engines\n\nI chose this because …", "Weaving with engines"],
    ["\n\n  Weaving  \n", "Weaving"],
    ["<think>The person asks about looms.\nSo.</think>\n\nWeaving", "Weaving"],
    ["<think>The person asks", ""],
    ["Which engine?", "Which engine?"],
    ["C++ templates", "C++ templates"],
    ["织布机", "织布机"],
    ["", ""],
    ['""', ""],
    ["...", ""],
    [" \n ", ""],
  ])("%j becomes %j", ([output, title]) => {
    expect(cleanTitle(output!)).toBe(title);
  });

  test("is short, printable and on one line, whatever the model writes", () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(anyUnits, fc.constantFrom("\n", " ", '"', "<think>", "</think>", "😀".repeat(60)))),
        (chunks) => {
          const title = cleanTitle(chunks.join(""));
          expect(title.length).toBeLessThanOrEqual(80);
          expect(title.isWellFormed()).toBe(true);
          expect(title).not.toMatch(/[\n\0]/);
        },
      ),
    );
  });
});

test("the first words are at most six, from the first line, without Markdown", () => {
  expect(firstWords("How do looms weave flowers so well?")).toBe("How do looms weave flowers so");
  expect(firstWords("# Looms\nand more")).toBe("Looms");
  expect(firstWords("\n\n **Looms** and `engines` ")).toBe("Looms and engines");
  expect(firstWords("> * **Looms**, ~~old~~ and `new`")).toBe("Looms, old and new");
  expect(firstWords("17*23 + 4 * 5 > snake_case")).toBe("17*23 + 4 * 5 >");
  expect(firstWords("织布机如何织花")).toBe("织布机如何织花");
  for (const text of ["", "  ", "\n", "###", "\u200b\n".trim()])
    expect(firstWords(text).length).toBeLessThanOrEqual(1);
  expect(firstWords("x".repeat(10_000))).toHaveLength(80);
  // Takes hours if a search begins again at every mark.
  expect(firstWords(`a${"*".repeat(8_000_000)}b`).length).toBeLessThanOrEqual(80);
  expect(firstWords("😀".repeat(60)).isWellFormed()).toBe(true);
  expect(firstWords("a\0b \ud800")).toBe("a\uFFFDb \uFFFD");
});

describe("generating a title", () => {
  const never = new AbortController().signal;
  const log = collectLog();
  const generate = async (
    steps: ScriptStep[],
    texts = { user: "How do looms weave?", assistant: "With cards." },
    signal = never,
  ) => {
    const model = scriptedModel(steps);
    const chunks: string[] = [];
    const generator = createTitleGenerator({
      db: undefined as never,
      clock: systemClock,
      threads: undefined as never,
      messages: undefined as never,
      models: undefined as never,
      jobs: undefined as never,
      smallTasks: undefined as never,
      logger: log.logger,
    });
    for await (const chunk of generator.stream(model, texts, { runId: "none" }, signal)) chunks.push(chunk);
    return { title: chunks.join(""), request: model.requests[0] };
  };

  test.for<[ScriptStep[], string]>([
    [[text("Looms and ca"), finish("length")], "How do looms weave?"],
    [[text("Looms and cards\nThis title"), finish("length")], "Looms and cards"],
    [[text("I cannot help with that."), finish("content-filter")], "How do looms weave?"],
    [[text('<tool_call>{"name": "calculate"}</tool_call>'), finish()], "How do looms weave?"],
  ])("needs a title that the model ended (%#)", async ([steps, title]) => {
    expect((await generate(steps)).title).toBe(title);
  });

  test("asks for few words in the person's language and sends both messages", async () => {
    const { title, request } = await generate([
      thought("Hm."),
      text('"Looms'),
      text(' and cards"'),
      finish(),
    ]);
    expect(title).toBe("Looms and cards");
    expect(request).toMatchObject({ purpose: "title", tools: [] });
    expect(request?.system).toMatch(/at most 6 words.*language/);
    expect(JSON.stringify(request?.messages)).toContain("How do looms weave?");
    expect(JSON.stringify(request?.messages)).toContain("With cards.");
  });

  test("sends no more than the protocol's 8,000 characters", async () => {
    for (const texts of [
      { user: "u".repeat(20_000), assistant: "a".repeat(20_000) },
      { user: "short", assistant: "a".repeat(20_000) },
    ]) {
      const { request } = await generate([text("T"), finish()], texts);
      expect(JSON.stringify(request?.messages).length).toBeLessThan(limits.titlePromptCharacters + 200);
    }
  });

  test("uses the first words when the model fails, has no output or only reasoning", async () => {
    for (const steps of [
      [new ModelError("provider-refused")],
      [text("Half a ti"), new ModelError("provider-broke-off")],
      [finish()],
      [thought("Hm."), finish()],
      [text("<think>Hm"), finish()],
    ] as ScriptStep[][]) {
      expect((await generate(steps)).title).toBe("How do looms weave?");
    }
  });

  test("is empty when there is no text", async () => {
    expect((await generate([finish()], { user: "", assistant: "" })).title).toBe("");
  });

  test("stops reading endless output", async () => {
    const endless = Array.from({ length: 10_000 }, () => text("and another word "));
    expect((await generate(endless)).title.length).toBeLessThanOrEqual(80);
  });

  test("throws the signal's reason instead of using the first words", async () => {
    const stop = new AbortController();
    stop.abort(new Error("enough"));
    await expect(generate([text("T"), finish()], undefined, stop.signal)).rejects.toThrow("enough");
  });
});
