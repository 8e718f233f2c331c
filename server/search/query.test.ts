import { expect, test } from "vitest";
import { newId } from "#contract/ids.ts";
import { hasCriteria, parseQuery } from "./query.ts";

const parse = (typed: string) => parseQuery(typed, "UTC");

test("requires every word, and treats the last as a prefix until a space follows", () => {
  expect(parse("green tea").all).toEqual([
    { words: ["green"], prefix: false },
    { words: ["tea"], prefix: true },
  ]);
  expect(parse("green tea ").all.at(-1)).toEqual({ words: ["tea"], prefix: false });
  // A single letter is the prefix of too many words.
  expect(parse("t").all).toEqual([{ words: ["t"], prefix: false }]);
});

test("parses quoted and joined words as phrases", () => {
  expect(parse('"green tea" pot ').all).toEqual([
    { words: ["green", "tea"], prefix: false },
    { words: ["pot"], prefix: false },
  ]);
  for (const typed of ["“green tea” pot ", "„green tea“ pot ", "«green tea» pot "])
    expect(parse(typed)).toEqual(parse('"green tea" pot '));
  expect(parse('"green te').all).toEqual([{ words: ["green", "te"], prefix: true }]);
  expect(parse("don't v1.2 ").all.map(({ words }) => words)).toEqual([
    ["don", "t"],
    ["v1", "2"],
  ]);
});

test("parses text without spaces as adjacent characters", () => {
  expect(parse("日本語").all).toEqual([{ words: ["日本", "本語"] }]);
  expect(parse("語").all).toEqual([{ words: ["語"], prefix: true }]);
});

test("excludes what follows a minus", () => {
  expect(parse('tea -green -"hot water" ').none.map(({ words }) => words)).toEqual([
    ["green"],
    ["hot", "water"],
  ]);
});

test("treats command options and negative numbers as words", () => {
  for (const [typed, words] of [
    ["git commit --amend ", ["git", "commit", "amend"]],
    ["--force ", ["force"]],
    ["-5 ", ["5"]],
  ] as const) {
    const query = parse(typed);
    expect(query.none).toEqual([]);
    expect(query.all.flatMap(({ words }) => words)).toEqual(words);
  }
});

test("parses the filters", () => {
  const thread = newId("thread");
  const query = parse(`tea in:"Trip to Rome" in:${thread} before:2026-02 after:2026-01-31 archived:yes`);
  expect(query.all.map(({ words }) => words)).toEqual([["tea"]]);
  expect(query.inTitle.map(({ words }) => words)).toEqual([["trip", "to", "rome"]]);
  expect(query).toMatchObject({
    inThread: thread,
    before: Date.UTC(2026, 1, 1),
    after: Date.UTC(2026, 0, 31),
    archived: true,
    ignored: [],
  });
});

test("takes a folder whose name has no words", () => {
  for (const typed of ["in:!!", 'in:"—"', "in:&"]) {
    const query = parse(typed);
    expect([query.inTitle, query.inFolders.size, query.ignored, hasCriteria(query)]).toEqual([
      [],
      1,
      [],
      true,
    ]);
  }
});

test("begins days in the person's time zone", () => {
  expect(parseQuery("tea after:2026-07-01", "Europe/Berlin").after).toBe(Date.UTC(2026, 5, 30, 22));
});

test("reports and ignores invalid filters", () => {
  const query = parse('tea before:yesterday after:2026-02-30 archived:perhaps in:"" archived:constructor');
  expect(query.ignored).toEqual([
    "before:yesterday",
    "after:2026-02-30",
    "archived:perhaps",
    "in:",
    "archived:constructor",
  ]);
  expect(query.archived).toBeUndefined();
  expect(query.all.map(({ words }) => words)).toEqual([["tea"]]);
});

test("treats other colons as part of the word", () => {
  expect(parse("https://example.org/tea ").all.map(({ words }) => words)).toEqual([
    ["https", "example", "org", "tea"],
  ]);
});

test("accepts any input", () => {
  for (const typed of [
    "",
    " ",
    '"',
    "-",
    '-"',
    "in:",
    '""',
    ":::",
    "NEAR(a b)",
    "a AND OR NOT",
    "\0",
    "\ud800",
  ])
    expect(() => parse(typed)).not.toThrow();
  const many = parse("a ".repeat(100));
  expect(many.all).toHaveLength(32);
  expect(many.ignored).toHaveLength(68);
});
