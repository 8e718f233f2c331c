import { expect, test } from "vitest";
import { wordsOf } from "./indexed-words.ts";

function terms(text: string): string[] {
  return [...wordsOf(text)].map(({ term }) => term);
}

test("ignores case, accents and widths", () => {
  expect(terms("Café CAFE ｃａｆé Straße İstanbul ﬁn")).toEqual([
    "cafe",
    "cafe",
    "cafe",
    "straße",
    "istanbul",
    "fin",
  ]);
});

test("ignores vowel points and harakat, and keeps the marks of other scripts", () => {
  expect(terms("עִבְרִית مُحَمَّد हिन्दी")).toEqual(["עברית", "محمد", "हिन्दी"]);
});

test("splits at everything except letters and numbers", () => {
  expect(terms("user_name v1.2.3 don't a@b.org C++ (x)")).toEqual(
    "user name v1 2 3 don t a b org c x".split(" "),
  );
});

test("gives pairs of characters in scripts without spaces", () => {
  expect(terms("日本語。")).toEqual(["日本", "本語", "語"]);
  expect(terms("스키장 ภาษา")).toEqual(["스키", "키장", "장", "ภา", "าษ", "ษา", "า"]);
  expect(terms("ｶﾞｷﾞ")).toEqual(["ガギ", "ギ"]);
});

test("separates words from adjacent characters of scripts without spaces", () => {
  expect(terms("東京2020大会")).toEqual(["東京", "京", "2020", "大会", "会"]);
});

test("treats an emoji as a word", () => {
  expect(terms("🎉 party 👍🏽!")).toEqual(["🎉", "party", "👍"]);
});

test("gives the position of each word, and the second end of pairs", () => {
  const text = "Ein 日本語 📎 Über";
  expect([...wordsOf(text)].map(({ start, end, pairEnd }) => text.slice(start, pairEnd ?? end))).toEqual([
    "Ein",
    "日本",
    "本語",
    "語",
    "📎",
    "Über",
  ]);
});

test("gives nothing that is syntax in either index", () => {
  // Only letters, digits and signs beyond ASCII remain.
  const nasty = `"a" 'b' \\c\\ d:e f* (g) -h ^i NEAR(j k) \0l <-> & | ! ; -- \u{1f3fd} ⑴ ½ \ud800`;
  for (const term of terms(nasty)) expect(term).toMatch(/^(?:[a-z0-9]|[^\p{ASCII}])+$/u);
  expect(terms(nasty)).toContain("near");
});

test("truncates long words, and skips accents alone", () => {
  expect(terms("x".repeat(1_000))).toEqual(["x".repeat(64)]);
  expect(terms("\u0301\u0301 a")).toEqual(["a"]);
});
