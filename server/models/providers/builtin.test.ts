import * as fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { askModel, type ModelAnswer } from "#tests/support/clients/ask-model.ts";
import { createTools } from "../../tools/tools.ts";
import type { Tool } from "../../tools/tool.ts";
import type { ModelUserPart } from "../model.ts";
import { createBuiltinModel } from "./builtin.ts";
import { languageFor } from "./builtin/languages.ts";
import { parseQuestion } from "./builtin/parse-question.ts";

const tools = createTools({ logger: { warn: () => {} } });
afterAll(async () => await tools.close());

const builtin = createBuiltinModel({ wordMs: 0 });
/** A Friday. */
const nowMs = Date.parse("2026-11-20T14:03:00Z");

async function ask(
  question: string | ModelUserPart[],
  options: { declared?: Tool[]; managesModels?: boolean } = {},
): Promise<ModelAnswer> {
  const parts = typeof question === "string" ? [{ type: "text" as const, text: question }] : question;
  const context = { nowMs, workspaceId: "wsp_0", timeZone: "UTC" };
  return await askModel(builtin, tools, parts, { context, ...options });
}

describe("calculations, conversions and dates", () => {
  test.for([
    // Sums
    ["2+2", "`2+2` = **4**"],
    ["what is 12 * (3 + 4)?", "`12 * (3 + 4)` = **84**"],
    ["the square root of 144", "`sqrt(144)` = **12**"],
    ["what is 20 squared", "`20 ^2` = **400**"],
    ["5!", "`5!` = **120**"],
    ["1/3", "`1/3` ≈ **0.333333**"],
    ["2^64", "`2^64` = **18,446,744,073,709,551,616**"],
    ["0.1 + 0.2", "`0.1 + 0.2` = **0.3**"],
    ["$19.99 × 3", "`19.99 * 3` = **59.97**"],
    ["15 percent of 240", "`15% * 240` = **36**"],
    ["20% off 59.90", "`59.90 - 20%` = **47.92**"],
    ["30 is what percent of 120", "`30 / 120 * 100` = **25**"],
    ["احسب: 1 / 3", "`1 / 3` ≈ **0.333333**"],
    ["كم يساوي 18% من 2,450؟", "`2450 * 18%` = **441**"],
    // Units
    ["10 miles in km", "`10 miles in km` = **16.09344 km**"],
    ["how many feet in a mile", "`1 mile to feet` = **5,280 feet**"],
    ["72 F to C", "`72 fahrenheit to celsius` ≈ **22.222222 degrees Celsius**"],
    [`5'11" in cm`, "`5 ft + 11 inch in cm` = **180.34 cm**"],
    ["Convert 26.2 miles to kilometres", "`26.2 miles to kilometres` ≈ **42.164813 kilometres**"],
    ["حوّل 26.2 ميل إلى كيلومتر", "`26.2 mile to kilometer` ≈ **42.164813 كيلومتر**"],
    ["كم يساوي 5 أقدام بالسنتيمتر؟", "`5 foot to centimeter` = **152.4 سنتيمتر**"],
    // Dates. The exact format depends on the platform.
    ["what day is it?", /^\*\*Friday,? 20 November 2026\*\* \(2026-11-20, today\)$/],
    ["what time is it", /^\*\*14:03\*\*, Friday,? 20 November 2026 \(UTC\)$/],
    ["two weeks from today", /^\*\*Friday,? 4 December 2026\*\* /],
    ["how long is it from 1 March to 1 June 2024", /^\*\*92 days\*\*: /],
    ["next week", /^\*\*Friday,? 27 November 2026\*\* \(2026-11-27, in 7 days\)$/],
    ["when is christmas", /^\*\*Friday,? 25 December 2026\*\* \(2026-12-25, in 35 days\)$/],
    ["days until Christmas", /^\*\*35 days\*\*: Friday,? 20 November\s.*25 December 2026$/],
    ["how many weeks until 1 January", /^\*\*6 weeks \(42 days\)\*\*: .*20 November 2026\s.*1 January 2027$/],
    ["how many years between 2024-02-28 and 2026-03-01", /^\*\*2 years, 1 day \(732 days\)\*\*: /],
    ["كم يومًا بقي حتى 1 يناير؟", /^\*\*42 يومًا\*\*: .*20 نوفمبر 2026.*1 يناير 2027$/],
    ["كم الساعة الآن؟", /^\*\*14:03\*\*, .*20 نوفمبر 2026 \(UTC\)$/],
  ] as const)("answers %j", async ([question, answer]) => {
    const { text, calls } = await ask(question);
    if (typeof answer === "string") expect(text).toBe(answer);
    else expect(text).toMatch(answer);
    expect(calls).toHaveLength(1);
  });

  test.for(["9^9^9^9", "1/0", "10 sentences to French", "5 kg in metres", "200 USD in EUR"])(
    "admits that it cannot answer %j",
    async (question) => {
      const { text, calls } = await ask(question);
      expect(calls).toMatchObject([{ tool: "calculate" }]);
      expect(text).toMatch(/^I cannot answer this/);
    },
  );

  test("does not calculate without the tools", async () => {
    const { text, calls } = await ask("15% of 240", { declared: [] });
    expect(calls).toEqual([]);
    expect(text).toMatch(/^I cannot answer this/);
  });
});

describe("questions for a language model", () => {
  test.for([
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
      /^I cannot answer this.*No language model is connected\. Ask the person who runs this server/s,
    );
  });

  test("tells the owner in one sentence how to connect a model", async () => {
    const { text } = await ask("write a poem", { managesModels: true });
    expect(text).toMatch(/Connect one in \[Settings > Models\]\(\/settings\/models\).*\.$/);
    expect(text).not.toContain("ollama pull");
  });

  test("names the attached files, with their names escaped", async () => {
    const document = { type: "document" as const, mediaType: "text/plain", sizeBytes: 2, text: "hi" };
    const { text } = await ask([
      { type: "text", text: "here" },
      { ...document, name: "plan_*v2*.md" },
      { type: "unread-file", name: "roof.png", mediaType: "image/png", reason: "model" },
    ]);
    expect(text).toContain(String.raw`Saved with your message: *plan\_\*v2\*.md*.`);
    expect(text).toContain("I cannot read *roof.png*.");
  });
});

test("quotes only the matching passages of an attached file, with their pages", async () => {
  const text =
    "The flat has three rooms and a cellar compartment, numbered eleven, below the stairs of the yard.\f\nThe deposit is [returned](https://evil.example) within thirty days of moving out, with interest, once all of the keys were handed over.\n\nDogs need the consent of the landlord, who may refuse it for a good reason alone, and cats do not.";
  const { text: answer, calls } = await ask([
    { type: "text", text: "When is the deposit returned?" },
    { type: "document", name: "Lease.pdf", mediaType: "application/pdf", sizeBytes: 300, text, pages: 2 },
  ]);
  expect(answer).toMatch(
    /^From your chats and files:\n\n> The deposit is &#91;returned.* within thirty days/,
  );
  expect(answer).not.toContain("](https");
  expect(answer).toContain("> *Lease.pdf*, page 2");
  expect(answer).not.toContain("three rooms");
  expect(answer).not.toContain("Dogs");
  expect(calls).toEqual([]);
});

describe("small talk", () => {
  test.for([
    ["hi", /^Hello! I am the built-in assistant/],
    ["Hello there, how are you?", /^Hello!/],
    ["ok, thank you so much!", /^You are welcome/],
    [
      "what can you do?",
      /\*\*calculate\*\*.*\*\*convert units\*\*.*\*\*work with dates\*\*.*No language model/s,
    ],
    ["are you ChatGPT", /not a language model/],
    ["how do I connect a model?", /^No language model is connected\. Ask the person who runs this server/],
    ["شكرًا جزيلًا لك", /^على الرحب/],
    ["السلام عليكم ورحمة الله وبركاته", /^مرحبًا/],
    ["كيف أوصل نموذجًا؟", /^لا نموذج لغويًا موصول الآن\. اطلب ممن يشغّل هذا الخادم/],
  ] as const)("answers %j", async ([message, answer]) => {
    const { text, calls } = await ask(message);
    expect(text).toMatch(answer);
    expect(text).not.toContain("/settings/models");
    expect(calls).toEqual([]);
  });

  test.for(["how do I connect a model?", "كيف أوصل نموذجًا؟"])("tells the owner how: %j", async (message) => {
    expect((await ask(message, { managesModels: true })).text).toMatch(/\/settings\/models.*ollama pull/s);
  });
});

describe("streaming", () => {
  const signal = new AbortController().signal;
  const requestFor = (text: string) => ({
    messages: [{ role: "user" as const, parts: [{ type: "text" as const, text }] }],
    tools: [],
    purpose: "answer" as const,
  });

  test("sends the first word at once and the others at reading pace", async () => {
    const slept: number[] = [];
    const clock = { now: () => 0, sleep: async (ms: number) => void slept.push(ms) };
    const texts: string[] = [];
    for await (const event of createBuiltinModel({ clock }).stream(requestFor("thanks"), signal))
      if (event.type === "text") texts.push(event.text);
    expect(texts).toEqual(["You", " are", " welcome."]);
    expect(slept).toEqual([20, 20]);
  });

  test("throws the reason of an abort", async () => {
    const controller = new AbortController();
    const reason = new Error("stop");
    const reading = (async () => {
      const slow = createBuiltinModel({ wordMs: 3_600_000 });
      for await (const event of slow.stream(requestFor("hi"), controller.signal))
        if (event.type === "text") controller.abort(reason);
    })();
    await expect(reading).rejects.toBe(reason);
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
