import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { limits } from "#contract/limits.ts";
import { anyUnits } from "#tests/support/run-events.ts";
import { collectLog } from "#tests/support/collected-log.ts";
import { finish, scriptedModel, text, thought, type ScriptStep } from "#tests/support/scripted-model.ts";
import { ModelError } from "#server/models/model.ts";
import { createTitleMaker, firstWords, tidyTitle } from "./title.ts";

describe("a model's title", () => {
  test.for([
    ["Weaving with engines", "Weaving with engines"],
    ['"Weaving with engines"', "Weaving with engines"],
    ["“Weaving with engines”", "Weaving with engines"],
    ["«Weben»", "Weben"],
    ["„Weben“", "Weben"],
    ["**Weaving**", "Weaving"],
    ["`Weaving`", "Weaving"],
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
  ])("%j is tidied to %j", ([said, title]) => {
    expect(tidyTitle(said!)).toBe(title);
  });

  test("is short, printable and of one line, whatever it says", () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(anyUnits, fc.constantFrom("\n", " ", '"', "<think>", "</think>", "😀".repeat(60)))),
        (pieces) => {
          const title = tidyTitle(pieces.join(""));
          expect(title.length).toBeLessThanOrEqual(80);
          expect(title.isWellFormed()).toBe(true);
          expect(title).not.toMatch(/[\n\0]/);
        },
      ),
    );
  });
});

test("the first words stand in for a title: six at most, of the first line, without Markdown", () => {
  expect(firstWords("How do looms weave flowers so well?")).toBe("How do looms weave flowers so");
  expect(firstWords("# Looms\nand more")).toBe("Looms");
  expect(firstWords("\n\n **Looms** and `engines` ")).toBe("Looms and engines");
  expect(firstWords("织布机如何织花")).toBe("织布机如何织花");
  for (const text of ["", "  ", "\n", "###", "\u200b\n".trim()])
    expect(firstWords(text).length).toBeLessThanOrEqual(1);
  expect(firstWords("x".repeat(10_000))).toHaveLength(80);
  expect(firstWords("😀".repeat(60)).isWellFormed()).toBe(true);
  expect(firstWords("a\0b \ud800")).toBe("a\uFFFDb \uFFFD");
});

describe("making a title", () => {
  const never = new AbortController().signal;
  const log = collectLog();
  const made = async (
    steps: ScriptStep[],
    texts = { user: "How do looms weave?", assistant: "With cards." },
    signal = never,
  ) => {
    const model = scriptedModel(steps);
    const pieces: string[] = [];
    const maker = createTitleMaker({
      threads: undefined as never,
      messages: undefined as never,
      logger: log.logger,
    });
    for await (const piece of maker.stream(model, texts, signal)) pieces.push(piece);
    return { title: pieces.join(""), request: model.requests[0] };
  };

  test("asks for few words, in the person's language, and shows the model what was said", async () => {
    const { title, request } = await made([thought("Hm."), text('"Looms'), text(' and cards"'), finish()]);
    expect(title).toBe("Looms and cards");
    expect(request).toMatchObject({ purpose: "title", tools: [] });
    expect(request?.system).toMatch(/at most 6 words.*language/);
    expect(JSON.stringify(request?.messages)).toContain("How do looms weave?");
    expect(JSON.stringify(request?.messages)).toContain("With cards.");
  });

  test("shows no more than the protocol's 8,000 characters", async () => {
    for (const texts of [
      { user: "u".repeat(20_000), assistant: "a".repeat(20_000) },
      { user: "short", assistant: "a".repeat(20_000) },
    ]) {
      const { request } = await made([text("T"), finish()], texts);
      expect(JSON.stringify(request?.messages).length).toBeLessThan(limits.titlePromptCharacters + 200);
    }
  });

  test("takes the first words where the model fails, says nothing or only thinks", async () => {
    for (const steps of [
      [new ModelError("provider-refused")],
      [text("Half a ti"), new ModelError("provider-broke-off")].slice(1),
      [finish()],
      [thought("Hm."), finish()],
      [text("<think>Hm"), finish()],
    ] as ScriptStep[][]) {
      expect((await made(steps)).title).toBe("How do looms weave?");
    }
  });

  test("gives nothing where there is nothing to name", async () => {
    expect((await made([finish()], { user: "", assistant: "" })).title).toBe("");
  });

  test("does not listen for ever", async () => {
    const endless = Array.from({ length: 10_000 }, () => text("and another word "));
    expect((await made(endless)).title.length).toBeLessThanOrEqual(80);
  });

  test("ends with the signal's reason, and makes nothing up then", async () => {
    const stop = new AbortController();
    stop.abort(new Error("enough"));
    await expect(made([text("T"), finish()], undefined, stop.signal)).rejects.toThrow("enough");
  });
});
