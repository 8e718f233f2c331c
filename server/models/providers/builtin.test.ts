import { afterAll, describe, expect, test } from "vitest";
import * as fc from "fast-check";
import { createTools } from "../../tools/tools.ts";
import type { Tool } from "../../tools/tool.ts";
import type { ModelEvent, ModelMessage, ModelUserPart } from "../model.ts";
import { createBuiltin } from "./builtin.ts";
import { recognise } from "./builtin/recognise.ts";
import { titleOf } from "./builtin/title.ts";

const tools = createTools({ logger: { warn: () => {} } });
afterAll(async () => await tools.close());

const builtin = createBuiltin({ wordMs: 0 });
/** A Friday. */
const nowMs = Date.parse("2026-11-20T14:03:00Z");
const signal = new AbortController().signal;
const context = {
  signal,
  nowMs,
  workspaceId: "wsp_0",
  threadId: "thread_0",
  asked: "",
  timeZone: "UTC",
  cite: () => 1,
};

type Answer = { text: string; calls: { tool: string; args: unknown }[]; steps: number };

/** Carries the conversation through its tool calls, as a run does. */
async function ask(
  said: string | ModelUserPart[],
  options: { before?: ModelMessage[]; tools?: Tool[] } = {},
): Promise<Answer> {
  const parts = typeof said === "string" ? [{ type: "text" as const, text: said }] : said;
  const messages: ModelMessage[] = [...(options.before ?? []), { role: "user", parts }];
  const answer: Answer = { text: "", calls: [], steps: 0 };
  for (;;) {
    answer.steps++;
    const events: ModelEvent[] = [];
    for await (const event of builtin.stream(
      { messages, tools: options.tools ?? tools.list(), purpose: "answer" },
      signal,
    ))
      events.push(event);
    answer.text += events.map((event) => (event.type === "text" ? event.text : "")).join("");
    const calls = events.filter((event) => event.type === "tool-call");
    expect(events.at(-1)).toMatchObject({ type: "finish", reason: calls.length > 0 ? "tool-calls" : "stop" });
    if (calls.length === 0) return answer;
    const called = calls.map(({ toolCallId, toolName, argsText }) => ({
      toolCallId,
      toolName,
      args: JSON.parse(argsText) as { expression: string },
    }));
    answer.calls.push(...called.map(({ toolName, args }) => ({ tool: toolName, args })));
    messages.push({
      role: "assistant",
      parts: called.map((call) => ({ type: "tool-call" as const, ...call })),
    });
    messages.push({
      role: "tool",
      results: await Promise.all(
        called.map(async ({ toolCallId, toolName, args }) => {
          try {
            return {
              toolCallId,
              toolName,
              isError: false,
              result: (await tools.get(toolName)?.run?.(args, context)) ?? null,
            };
          } catch (error) {
            return { toolCallId, toolName, isError: true, result: { error: (error as Error).message } };
          }
        }),
      ),
    });
  }
}

describe("what can be worked out", () => {
  test.for([
    // Sums
    ["2+2", "2+2 = **4**"],
    ["what is 12 * (3 + 4)?", "12 × (3 + 4) = **84**"],
    ["0.1 + 0.2", "0.1 + 0.2 = **0.3**"],
    ["seven times eight", "7 × 8 = **56**"],
    ["What's twenty-five plus one hundred and three?", "25 + 103 = **128**"],
    ["the square root of 144", "sqrt(144) = **12**"],
    ["what is 2 to the power of 10", "2^10 = **1024**"],
    ["what is 20 squared", "20^2 = **400**"],
    ["what is 5 factorial", "5! = **120**"],
    ["100 / 8", "100 / 8 = **12.5**"],
    ["3 x 4", "3 × 4 = **12**"],
    ["What's 17 mod 5?", "17 mod 5 = **2**"],
    ["1,234.5 * 2", "1,234.5 × 2 = **2469**"],
    ["1/3", "1/3 ≈ **0.333333** (0.33333333333333 before rounding)"],
    ["half of 90", "0.5 × 90 = **45**"],
    ["average of 3, 5 and 10", "mean(3, 5, 10) = **6**"],
    ["2^64", "2^64 = **18,446,744,073,709,551,616**"],
    ["$19.99 * 3", "$19.99 × 3 = **$59.97**"],
    ["sin(30 deg)", "sin(30 deg) = **0.5**"],
    ["5 + 5 = ؟", "5 + 5 = **10**"],
    ["مرحبا\nاحسب 5 + 7", "5 + 7 = **12**"],
    ["1,5 million * 2", "1500000 × 2 = **3,000,000**"],
    ["1,500 thousand + 1", "1500000 + 1 = **1,500,001**"],
    ["2.3 million * 1", "2300000 × 1 = **2,300,000**"],
    ["- 5 + 3", "−5 + 3 = **−2**"],
    ["- 5 + 3\n- 7 + 1", "- 5 + 3 = **8**\n- 7 + 1 = **8**"],
    // Percentages
    ["15% of 240", "15% of 240 is **36**."],
    ["200 + 10%", "200 plus 10% is **220** (20 more)."],
    ["what is 20 percent off 59.90", "With 20% off it is **47.92**; you save 11.98."],
    ["What is 20% off $59.90?", "With 20% off it is **$47.92**; you save $11.98."],
    ["30 is what percent of 120", "30 is **25%** of 120."],
    ["what percent of 80 is 20", "20 is **25%** of 80."],
    ["18% tip on 64.50", "The tip is **11.61**, which makes **76.11** in all."],
    [
      "20% tip on $80 split between 4 people",
      "The tip is **$16.00**, which makes **$96.00** in all, **$24.00** for each of 4.",
    ],
    ["add 19% VAT to 100", "With 19% tax it is **119**, of which 19 is the tax."],
    ["119 without 19% VAT", "Without the 19% tax it is **100**; the tax in it is 19."],
    ["percentage change from 80 to 100", "From 80 to 100 is a change of **+25%**."],
    ["percentage change from 100 to 80", "From 100 to 80 is a change of **−20%**."],
    ["reduce 80 by 25%", "80 less 25% is **60** (20 less)."],
    // A percentage within a longer calculation is the calculator's
    ["100 + 50 + 10%", "100 + 50 + 10% = **165**"],
    ["3 * 50 + 10%", "3 × 50 + 10% = **165**"],
    ["200 - 50 - 10%", "200 − 50 − 10% = **135**"],
    ["50% + 50%", "50% + 50% = **1**"],
    ["100 + 10% + 5", "100 + 10% + 5 = **115**"],
    // In Arabic
    ["احسب 5 + 7", "5 + 7 = **12**"],
    ["كم يساوي 12 * 3؟", "12 × 3 = **36**"],
    ["ما هو 5 + 5", "5 + 5 = **10**"],
    ["١٢ + ٣", "12 + 3 = **15**"],
    ["احسب: 1 / 3", "1 / 3 ≈ **0.333333** (قبل التقريب: 0.33333333333333)"],
    ["كم يساوي 18% من 2,450؟", "18% من 2,450 تساوي **441**."],
    ["ما هو ١٨٪ من ٢٤٥٠", "18% من 2450 تساوي **441**."],
    ["احسب 12.5 في المئة من 80", "12.5% من 80 تساوي **10**."],
    ["كم يومًا بقي حتى 1 يناير؟", "بقي **42 يومًا** حتى الجمعة، 1 يناير 2027 (2027-01-01)."],
    ["كم يوم حتى ٢٥ كانون الأول", "بقي **35 يومًا** حتى الجمعة، 25 ديسمبر 2026 (2026-12-25)."],
    ["كم يومًا بقي حتى 22 نوفمبر 2026؟", "بقي **يومان** حتى الأحد، 22 نوفمبر 2026 (2026-11-22)."],
    ["كم يومًا بقي حتى 20 نوفمبر 2026؟", "هذا هو اليوم، **الجمعة، 20 نوفمبر 2026 (2026-11-20)**."],
    ["حوّل 26.2 ميل إلى كيلومتر", "26.2 ميل ≈ **42.164813 كيلومتر**."],
    ["كم يساوي 5 أقدام بالسنتيمتر؟", "5 أقدام = **152.4 سنتيمتر**."],
    ["37 درجة مئوية إلى فهرنهايت", "37 درجة مئوية = **98.6 فهرنهايت**."],
    // Units
    ["10 miles in km", "10 miles = **16.09344 km** (1 mi = 1.609344 km)"],
    ["how many feet in a mile", "1 mile = **5280 ft**"],
    [
      "72 F to celsius",
      "72 F ≈ **22.222222 °C** (formula: (°F − 32) × 5/9; before rounding: 22.222222222222 °C)",
    ],
    ["37 C in F", "37 C = **98.6 °F** (formula: °C × 9/5 + 32)"],
    ["-40 °F in °C", "-40 °F = **−40 °C** (formula: (°F − 32) × 5/9)"],
    [`5'11" in cm`, `5'11" = **180.34 cm**`],
    ["6 ft 2 in in cm", "6 ft 2 in = **187.96 cm**"],
    [
      "how tall is 180 cm in feet",
      "180 cm ≈ **5.905512 ft** (1 cm ≈ 0.0328084 ft; about 5 ft 11 in; before rounding: 5.9055118110236 ft)",
    ],
    [
      "100 km/h in mph",
      "100 km/h ≈ **62.137119 mph** (1 km/h ≈ 0.621371 mph; before rounding: 62.137119223733 mph)",
    ],
    ["10 GB in MB", "10 GB = **10,000 MB** (1 GB = 1000 MB)"],
    ["1 GiB to MB", "1 GiB = **1073.741824 MB**"],
    ["12 hours in seconds", "12 hours = **43,200 seconds** (1 hour = 3600 seconds)"],
    ["1 hour 30 min in seconds", "1 hour 30 min = **5400 seconds**"],
    ["how many ounces in a pound", "1 pound = **16 oz**"],
    ["50 Mbps in MB/s", "50 Mbps = **6.25 MB/s** (1 Mbps = 0.125 MB/s)"],
    ["6 foot 2 in cm", "6 foot 2 = **187.96 cm**"],
    ["how many cm in 5 ft 11", "5 ft 11 = **180.34 cm**"],
    ["1 hour 30 in minutes", "1 hour 30 = **90 minutes**"],
    ["10 kb in kB", "10 kb = **10 kB**"],
    ["1 MB in KB", "1 MB = **1000 kB**"],
    ["10 Mb in MB", "10 Mb = **1.25 MB** (1 Mbit = 0.125 MB)"],
    ["10 kbit in bytes", "10 kbit = **1250 bytes** (1 kbit = 125 bytes)"],
    // Dates
    [
      "how many years since 1990",
      "From Monday, 1 January 1990 to Friday, 20 November 2026: **36 years, 10 months and 19 days** (13,472 days).",
    ],
    [
      "years until the year 2030",
      "It is **3 years, 1 month and 12 days** (1138 days) until Tuesday, 1 January 2030 (2030-01-01).",
    ],
    ["days until 2027", "It is **42 days** (6 weeks) until Friday, 1 January 2027 (2027-01-01)."],
    ["days until Christmas", "It is **35 days** (5 weeks) until Friday, 25 December 2026 (2026-12-25)."],
    [
      "how many weeks until christmas?",
      "It is **5 weeks** (35 days) until Friday, 25 December 2026 (2026-12-25).",
    ],
    [
      "what day is 3 weeks from now",
      "3 weeks after today, Friday, 20 November 2026: **Friday, 11 December 2026 (2026-12-11)**.",
    ],
    [
      "how long between 2024-02-28 and 2024-03-01",
      "From Wednesday, 28 February 2024 to Friday, 1 March 2024: **2 days**.",
    ],
    [
      "date 90 days before 1 June",
      "90 days before Tuesday, 1 June 2027: **Wednesday, 3 March 2027 (2027-03-03)**.",
    ],
    [
      "how old is someone born on 1990-05-17",
      "Born on Thursday, 17 May 1990 (1990-05-17), one is **36 years** old today: 36 years, 6 months and 3 days.",
    ],
    [
      "I was born on 17 May 1990, how old am I?",
      "Born on Thursday, 17 May 1990 (1990-05-17), one is **36 years** old today: 36 years, 6 months and 3 days.",
    ],
    [
      "how old am I if I was born in 1990",
      "Born in 1990, one is **35 or 36 years** old, before and after the birthday.",
    ],
    ["what weekday is 24 December 2026", "24 December 2026 is a **Thursday** (2026-12-24), in 34 days."],
    ["what day was 20 July 1969?", "20 July 1969 was a **Sunday** (1969-07-20), 20,942 days ago."],
    ["when is easter 2027", "Easter 2027 is on **Sunday, 28 March 2027 (2027-03-28)**, in 128 days."],
    [
      "what is the date of next friday",
      "Next friday is on **Friday, 27 November 2026 (2026-11-27)**, in 7 days.",
    ],
    [
      "how many working days until 2026-12-24",
      "It is **24 working days** (Monday to Friday, holidays not counted) until Thursday, 24 December 2026 (2026-12-24).",
    ],
    [
      "days since 1 January 2026",
      "From Thursday, 1 January 2026 to Friday, 20 November 2026: **323 days** (46 weeks and 1 day, or 10 months and 19 days).",
    ],
    [
      "2 weeks ago",
      "2 weeks before today, Friday, 20 November 2026: **Friday, 6 November 2026 (2026-11-06)**.",
    ],
    [
      "what time is it in Tokyo",
      "It is **23:03** in Tokyo, Friday, 20 November 2026 (time zone Asia/Tokyo).",
    ],
    ["is 2028 a leap year?", "Yes, 2028 is a **leap year**: February has 29 days."],
    // Other languages
    ["Wie viel ist 15 Prozent von 240?", "15% of 240 is **36**."],
    ["Combien font 12 fois 12 ?", "12 × 12 = **144**"],
    ["¿Cuánto es 25 por 4?", "25 × 4 = **100**"],
    ["Сколько будет 7 * 8?", "7 × 8 = **56**"],
    ["Wieviel macht das: 3 + 4?", "3 + 4 = **7**"],
    ["10 Meilen in km", "10 Meilen = **16.09344 km** (1 mi = 1.609344 km)"],
    // Several, and with words around them
    ["Hi! What is 15% of 240?", "15% of 240 is **36**."],
    [
      "What is 18% of 2,450, and 3 km in miles?",
      "- 18% of 2,450 is **441**.\n- 3 km ≈ **1.864114 mi** (1 km ≈ 0.621371 mi; before rounding: 1.864113576712 mi)",
    ],
    ["2 + 2 and 3 * 3", "- 2 + 2 = **4**\n- 3 × 3 = **9**"],
    [
      "Please calculate:\n- 15% of 240\n- 10 miles in km\n1. days until Christmas",
      "- 15% of 240 is **36**.\n- 10 miles = **16.09344 km** (1 mi = 1.609344 km)\n- It is **35 days** (5 weeks) until Friday, 25 December 2026 (2026-12-25).",
    ],
  ] as const)("%j", async ([question, answer]) => {
    const { text, calls, steps } = await ask(question);
    expect(text).toBe(answer);
    expect(calls.length, "worked out by a tool").toBeGreaterThan(0);
    expect(steps).toBe(2);
  });

  test("takes a real tool call, which the answer depends on", async () => {
    expect((await ask("15% of 240")).calls).toEqual([
      { tool: "calculate", args: { expression: "240 * 15%" } },
    ]);
    expect((await ask("what day is 3 weeks from now")).calls).toEqual([
      { tool: "date", args: { add: "3 weeks" } },
    ]);
  });

  test.for([
    ["9^9^9^9", "I could not work out *9^9^9^9*. The result is too large, or something was divided by zero."],
    ["1/0", "I could not work out *1/0*. The result is too large, or something was divided by zero."],
    [
      "days until my birthday",
      'I could not work out *days until my birthday*. "my birthday" is not a date that can be read. Write it as 2027-06-01, 1 June 2027 or next Friday.',
    ],
  ] as const)("says what was wrong with %j", async ([question, answer]) => {
    expect((await ask(question)).text).toBe(answer);
  });

  test("says so in Arabic where it was asked in Arabic", async () => {
    expect((await ask("احسب 1/0")).text).toBe(
      "تعذّر حساب *1/0*. الناتج أكبر من أن يُعرض، أو فيه قسمة على صفر.",
    );
    expect((await ask("احسب 5 + 7 km")).text).toContain("نموذج لغوي");
  });

  test("and what cannot, in one message, are told apart", async () => {
    const { text } = await ask("What's 15% of 240 and who wrote Hamlet?");
    expect(text).toContain("15% of 240 is **36**.");
    expect(text).toContain("The rest of your message (*who wrote Hamlet*) is for a language model");
  });

  test("is answered up to a bound, and what is left out is said", async () => {
    const { text, calls } = await ask("1+1\n".repeat(30));
    expect(calls).toHaveLength(24);
    expect(text).toMatch(/I answer 24 at a time; ask the other 6 again\.$/);
  });

  test("is not tried without the tools", async () => {
    const { text, calls } = await ask("15% of 240", { tools: [] });
    expect(calls).toEqual([]);
    expect(text).toContain("language model");
  });
});

describe("what only a language model could answer", () => {
  test.for([
    ["what is the capital of France?", "*the capital of France*"],
    ["write me a poem about autumn", "something written (*write me a poem about autumn*)"],
    ["translate 10 sentences to French", "Translating (*translate 10 sentences to French*)"],
    ["Can you fix the bug in my python function?", "This is about code"],
    ["Summarize this article for me: …", "You would like a summary"],
    ["what's your 5 year plan", "ideas or advice (*your 5 year plan*)"],
    ["explain recursion in 3 sentences", "*explain recursion in 3 sentences*"],
    ["my phone is 555-1234", "*my phone is 555-1234*"],
    ["24/7", "*24/7*"],
    ["compare 3 phones under $500", String.raw`*compare 3 phones under \$500*`],
    ["1000 + 200 with 10% discount", "*1000 + 200 with 10% discount*"],
    ["reduce 80 by 25% and 10%", "*reduce 80 by 25% and 10%*"],
    ["20% off 100 plus 8% tax", "*20% off 100 plus 8% tax*"],
    ["increase 1200 by 5% and divide by 12", "*increase 1200 by 5% and divide by 12*"],
    ["200 USD in EUR", "*200 USD in EUR*"],
    ["what will the weather be like tomorrow in 3 cities", "something current"],
    ["Warum ist der Himmel blau?", "*Warum ist der Himmel blau*"],
    ["Пожалуйста, расскажи сказку", "*Пожалуйста, расскажи сказку*"],
    ["2024-02-28", "*2024-02-28*"],
  ] as const)("%j is read and not pretended to", async ([question, said]) => {
    const { text, calls } = await ask(question);
    expect(calls).toEqual([]);
    expect(text).toContain(said);
    expect(text).toMatch(/none is connected here/);
    expect(text).toContain("OPENAI_BASE_URL");
    expect(text).toContain("Ollama");
  });

  test("is said differently of different things, and how to connect a model at length only once", async () => {
    const [poem, code] = [await ask("write a poem"), await ask("write some python code")];
    expect(poem.text.split("\n")[0]).not.toBe(code.text.split("\n")[0]);
    const before: ModelMessage[] = [
      { role: "user", parts: [{ type: "text", text: "write a poem" }] },
      { role: "assistant", parts: [{ type: "text", text: poem.text }] },
    ];
    const again = await ask("write a novel", { before });
    expect(again.text.length).toBeLessThan(poem.text.length / 2);
    expect(again.text).toContain("OPENAI_BASE_URL");
  });

  test("includes files", async () => {
    const { text } = await ask([
      { type: "text", text: "what is in here?" },
      { type: "file", data: "AAAA", mediaType: "application/pdf", filename: "plan_*v2*.pdf" },
    ]);
    expect(text).toContain("The file *plan v2 .pdf* is kept with your message, but I cannot read it.");
    expect((await ask([{ type: "file", data: "AAAA", mediaType: "image/png" }])).text).toContain(
      "cannot read it",
    );
  });
});

describe("what is said to be friendly or to find out", () => {
  test.for([
    ["hi", /^Hello! I am the built-in assistant/],
    ["Guten Morgen!", /^Hello!/],
    ["hey there, how are you?", /^Hello!/],
    ["thanks", /^You are welcome/],
    ["ok, thank you so much!", /^You are welcome/],
    ["what can you do?", /Percentages.*Units.*Dates/s],
    ["help", /\*15% of 240\*/],
    ["who are you?", /no language model/],
    ["are you ChatGPT", /small program and no language model/],
    ["bye", /^Goodbye/],
    ["test", /^It works/],
    ["how do I connect a model?", /OPENAI_BASE_URL=.*ollama pull/s],
    ["great", /^Good\./],
    ["مع السلامة", /^إلى اللقاء/],
    ["شكرًا جزيلًا لك", /^على الرحب/],
    ["السلام عليكم ورحمة الله وبركاته", /^وعليكم السلام/],
  ] as const)("%j gets an apt answer", async ([said, answer]) => {
    const { text, calls } = await ask(said);
    expect(text).toMatch(answer);
    expect(calls).toEqual([]);
  });
});

describe("a title", () => {
  test.for([
    ["15% of 240", "15% of 240"],
    ["Hi there, what is the capital of France?", "The capital of France"],
    [
      "Can you write me a poem about autumn leaves in Vermont and Maine?",
      "Poem about autumn leaves in Vermont",
    ],
    ["explain quantum computing to my grandmother please", "Quantum computing to my grandmother"],
    ["hi", "Hi"],
    ["\n\n# Plan\nmore", "Plan"],
    ["", ""],
  ] as const)("of %j is %j", async ([said, title]) => {
    let text = "";
    const request = {
      messages: [{ role: "user" as const, parts: [{ type: "text" as const, text: said }] }],
      tools: [],
      purpose: "title" as const,
    };
    for await (const event of builtin.stream(request, signal)) if (event.type === "text") text += event.text;
    expect(text).toBe(title);
  });

  test("has at most six words", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 200 }), (said) => {
        expect(titleOf(said).split(/\s+/).length).toBeLessThanOrEqual(6);
      }),
    );
  });
});

describe("its words", () => {
  test("come one by one at a reader's pace, the first at once", async () => {
    const slept: number[] = [];
    const clock = { now: () => 0, sleep: async (ms: number) => void slept.push(ms) };
    const texts: string[] = [];
    for await (const event of createBuiltin({ clock }).stream(
      {
        messages: [{ role: "user", parts: [{ type: "text", text: "thanks" }] }],
        tools: [],
        purpose: "answer",
      },
      signal,
    )) {
      if (event.type === "text") texts.push(event.text);
    }
    expect(texts.slice(0, 3)).toEqual(["You", " are", " welcome."]);
    expect(slept).toEqual(texts.slice(1).map(() => 20));
  });

  test("end within milliseconds of an abort, with its reason", async () => {
    const controller = new AbortController();
    const reason = new Error("stop");
    const slow = createBuiltin({ wordMs: 10_000 });
    const listening = (async () => {
      for await (const event of slow.stream(
        { messages: [{ role: "user", parts: [{ type: "text", text: "hi" }] }], tools: [], purpose: "answer" },
        controller.signal,
      )) {
        if (event.type === "text") setTimeout(() => controller.abort(reason), 10);
      }
    })();
    const startMs = performance.now();
    await expect(listening).rejects.toBe(reason);
    expect(performance.now() - startMs).toBeLessThan(500);
  });
});

describe("reading", () => {
  test("never throws, whatever is written", () => {
    const list = `days until 15% of in km 1 how what is and ( ) ^ ° ' " - 2024-01-01 to x ! half between NaN __proto__ constructor`;
    const words = fc.constantFrom("\n", ...list.split(" "));
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ maxLength: 300 }),
          fc.array(words, { maxLength: 30 }).map((list) => list.join(" ")),
        ),
        (said) => {
          expect(recognise(said).asks.length).toBeLessThanOrEqual(24);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test.for([
    "days until ".repeat(500),
    `between ${"a".repeat(5_000)}`,
    `${"1 ".repeat(5_000)}km in`,
    "(".repeat(5_000),
    "9'".repeat(3_000),
    `sum of ${"1, ".repeat(3_000)}`,
    `${" ".repeat(10_000)}?`,
    `what is ${"please ".repeat(2_000)}`,
    "1,".repeat(5_000),
    "twenty-".repeat(2_000),
    `how many ${"x ".repeat(90)} is ${"y ".repeat(90)}`,
    `${"1 hour ".repeat(28)} in`,
    "!".repeat(10_000),
    `how old is ${"born ".repeat(30)}`,
  ])("is quick with a hostile message (case %#)", (said) => {
    const startMs = performance.now();
    recognise(said);
    titleOf(said);
    expect(performance.now() - startMs).toBeLessThan(250);
  });
});
