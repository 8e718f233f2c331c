import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseMarkdown } from "#web/markdown/parse.ts";
import { dayIn, readPeriod } from "./period.ts";
import { inEnglish } from "./phrases.ts";
import { plainMarkdown, quotation, verbatim } from "../quote.ts";
import { isQuestion, readRecall } from "./recall.ts";
import { pickSentences } from "./summary.ts";

/** A Friday. */
const today = dayIn("Europe/Berlin", Date.parse("2026-11-19T23:30:00Z"));

describe("a time", () => {
  test.for([
    ["today", "2026-11-20", "2026-11-21"],
    ["yesterday", "2026-11-19", "2026-11-20"],
    ["this week", "2026-11-16", undefined],
    ["last week", "2026-11-09", "2026-11-16"],
    ["last month", "2026-10-01", "2026-11-01"],
    ["this year", "2026-01-01", undefined],
    ["in the last 3 days", "2026-11-17", undefined],
    ["over the past two weeks", "2026-11-06", undefined],
    ["3 days ago", "2026-11-17", "2026-11-18"],
    ["on Monday", "2026-11-16", "2026-11-17"],
    ["last friday", "2026-11-13", "2026-11-14"],
    ["in October", "2026-10-01", "2026-11-01"],
    ["in December", "2025-12-01", "2026-01-01"],
    ["in March 2024", "2024-03-01", "2024-04-01"],
    ["2025", "2025-01-01", "2026-01-01"],
    ["on 2026-02-28", "2026-02-28", "2026-03-01"],
    ["since Monday", "2026-11-16", undefined],
    ["gestern", "2026-11-19", "2026-11-20"],
  ] as const)("%j begins on %s", ([words, after, before]) => {
    expect(readPeriod(words, today)).toMatchObject({ after, ...(before === undefined ? {} : { before }) });
    expect(readPeriod(words, today)?.before).toBe(before);
  });

  test.for(["soon", "the cabin", "2026-02-30", "", "last"])("%j is none", (words) => {
    expect(readPeriod(words, today)).toBeUndefined();
  });
});

describe("a wish to look back", () => {
  test.for([
    ["What did we talk about yesterday?", { kind: "list", period: { after: "2026-11-19" } }],
    ["what did I ask you yesterday", { kind: "list", period: { after: "2026-11-19" } }],
    ["What did I say to you?", { kind: "list" }],
    ["what did I tell you last week?", { kind: "list", period: { after: "2026-11-09" } }],
    ["what did I ask you about the roof", { kind: "search", query: "the roof" }],
    ["what did you tell me about the roof", { kind: "search", query: "the roof" }],
    ["What did I ask about December?", { kind: "search", query: "December" }],
    ["What did we talk about in December?", { kind: "list", period: { after: "2025-12-01" } }],
    ["what have we discussed last week", { kind: "list", period: { after: "2026-11-09" } }],
    ["What did we talk about lately?", { kind: "list" }],
    ["عمَّ تحدثنا مؤخرًا؟", { kind: "list" }],
    ["عن ماذا كنا نتحدث", { kind: "list" }],
    ["عمَّ تحدث الكتاب؟", undefined],
    ["عمّ تحدثنا أمس؟", { kind: "list", period: { after: "2026-11-19", before: "2026-11-20" } }],
    ["اعرض محادثاتي من الأسبوع الماضي", { kind: "list", period: { after: "2026-11-09" } }],
    ["ماذا قلت عن الكوخ؟", { kind: "search", query: "الكوخ" }],
    ["ماذا قررنا بشأن الميزانية الشهر الماضي؟", { kind: "search", period: { after: "2026-10-01" } }],
    ["ابحث في محادثاتي عن رمز المرآب", { kind: "search", query: "رمز المرآب" }],
    ["لخّص محادثتي الأخيرة", { kind: "summary", of: "last" }],
    ["من فضلك لخص هذه المحادثة", { kind: "summary", of: "this" }],
    ["لخص المحادثة عن الحديقة", { kind: "summary", of: { query: "الحديقة" } }],
    ["ما عاصمة فرنسا؟", undefined],
    ["لخص هذا النص: كان يا ما كان", undefined],
    ["خلاصه گفتگوی قبلی", undefined],
    ["show my last 5 threads", { kind: "list", limit: 5 }],
    ["list my conversations from yesterday", { kind: "list", period: { after: "2026-11-19" } }],
    ["summarise our conversations from last week", { kind: "list", period: { after: "2026-11-09" } }],
    ["Was haben wir gestern besprochen?", { kind: "list", period: { after: "2026-11-19" } }],
    ["What did I say about the cabin?", { kind: "search", query: "the cabin" }],
    [
      "what did we decide about the budget last week?",
      { kind: "search", query: "the budget", period: { after: "2026-11-09" } },
    ],
    ["What did we talk about the roof?", { kind: "search", query: "the roof" }],
    ["when did I mention the dentist", { kind: "search", query: "the dentist" }],
    ["search my notes for garage code", { kind: "search", query: "garage code" }],
    ["show my threads about bees", { kind: "search", query: "bees" }],
    ["do you remember the name of the plumber?", { kind: "search", query: "the name of the plumber" }],
    ["Summarise my last thread", { kind: "summary", of: "last" }],
    ["what was my last conversation about?", { kind: "summary", of: "last" }],
    ["please sum up this conversation so far", { kind: "summary", of: "this" }],
    ["summarize the thread about the cabin", { kind: "summary", of: { query: "the cabin" } }],
    ["give me a summary of our chat on bees", { kind: "summary", of: { query: "bees" } }],
    ["Summarise this text: Once upon a time", undefined],
    ["What is the capital of France?", undefined],
    ["Write a poem about threads", undefined],
    ["What is 12 * 4?", undefined],
  ] as const)("%j", ([message, expected]) => {
    if (expected === undefined) expect(readRecall(message, today)).toBeUndefined();
    else expect(readRecall(message, today)).toMatchObject(expected);
  });

  test.for([
    "Who has the key?",
    "wann kommt der Zug",
    "كم الساعة",
    "几点去看熊猫比较好",
    "予算はいくらですか",
  ])("%j is a question", (message) => expect(isQuestion(message)).toBe(true));

  test.for(["The key is with Sigrid.", "Wir fahren morgen.", "明天去看熊猫。"])("%j is none", (message) =>
    expect(isQuestion(message)).toBe(false),
  );
});

test("nothing that is quoted comes to life", () => {
  const signs = [
    "![x](https://e.example/a)",
    "[a](b)",
    "<b>",
    "`",
    "``",
    "*",
    "_",
    "~~",
    "# ",
    "- ",
    "1. ",
    "| a |",
    "https://e.example",
    "www.e.example",
    "a@e.example",
    "&amp;",
    "\\",
    "word",
    " ",
    "\n",
    "[^1]",
    "> ",
    "$",
    "$$",
    "x",
    "(y)",
  ];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...signs), { maxLength: 12 }), (parts) => {
      const text = parts.join("");
      const kinds = new Set<string>();
      const walk = (node: { type: string; children?: unknown[] }): void => {
        kinds.add(node.type);
        for (const child of node.children ?? []) walk(child as never);
      };
      walk(parseMarkdown(`Before ${plainMarkdown(text)}\n\n${quotation(text)}\n\nand\n\n${verbatim(text)}`));
      for (const kind of kinds)
        expect(
          ["root", "paragraph", "text", "blockquote", "inlineCode", "break"],
          JSON.stringify(text),
        ).toContain(kind);
    }),
    { numRuns: 1_000 },
  );
});

test("a file's text is quoted with every sign of it", () => {
  const text =
    "# note\n\n  def __init__(self):\n\tx ** 2\n- 5.00 [a](b) $x$ <i>\n1. one\n> two\n```\n\n\nend\\\nlast";
  const shown = (node: { type: string; value?: string; children?: never[] }): string =>
    node.type === "break"
      ? "\n"
      : (node.value ?? (node.children ?? []).map(shown).join(node.type === "blockquote" ? "\n\n" : ""));
  expect(shown(parseMarkdown(verbatim(text)) as never).replaceAll("\u00a0", " ")).toBe(
    text.replaceAll("\t", "    ").replace("\n\n\n", "\n\n"),
  );
});

test("the sentences that are picked share most with the others, and stand in their order", async () => {
  const said = [
    { id: "1", byPerson: true, text: "We plan the garden along the south wall. Lunch was good." },
    {
      id: "2",
      byPerson: false,
      text: "In the garden, tomatoes like the south wall. I am glad. The wall keeps tomatoes warm at night.",
    },
    { id: "3", byPerson: true, text: "Then tomatoes go to the south wall of the garden on 15 May." },
  ];
  const picked = await pickSentences(said, 3);
  expect(picked[0]?.sentence).toBe("We plan the garden along the south wall.");
  expect(picked.map(({ of }) => of.id)).toEqual(picked.map(({ of }) => of.id).toSorted());
  expect(picked.map(({ sentence }) => sentence)).not.toContain("Lunch was good.");
  expect(await pickSentences([], 3)).toEqual([]);
});

test("what has only some of a question is not told as its answer", () => {
  const passage = {
    source: 1,
    title: "Teeth",
    byPerson: true,
    saidAtMs: 0,
    file: "",
    page: 0,
    text: "The dentist is in Mill Street.",
    threadId: "thread_0",
    messageId: "msg_0",
  };
  expect(inEnglish("UTC").found([{ ...passage, fit: 0.45 }])).toMatch(
    /^Nothing in your threads has all of this/,
  );
  expect(inEnglish("UTC").found([{ ...passage, fit: 0.9 }])).toMatch(/^This stands in your threads:/);
  const inFile = { ...passage, fit: 0.9, file: "*[map](https://evil.example).pdf", page: 3 };
  expect(inEnglish("UTC").found([inFile])).toContain(", page 3 in *Teeth*, ");
  expect(inEnglish("UTC").found([inFile])).not.toContain("](https");
});
