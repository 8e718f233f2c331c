import { expect, test } from "vitest";
import { wordsOf } from "./words.ts";

function terms(text: string): string[] {
  return [...wordsOf(text)].map(({ term }) => term);
}

test("takes case, accents and widths away", () => {
  expect(terms("Café CAFE ｃａｆé Straße İstanbul ﬁn")).toEqual([
    "cafe",
    "cafe",
    "cafe",
    "straße",
    "istanbul",
    "fin",
  ]);
});

test("takes vowel points and harakat away, and leaves the marks that spell words in other scripts", () => {
  expect(terms("עִבְרִית مُحَمَّد हिन्दी")).toEqual(["עברית", "محمد", "हिन्दी"]);
});

test("cuts at everything that is neither letter nor number", () => {
  expect(terms("user_name v1.2.3 don't a@b.org C++ (x)")).toEqual(
    "user name v1 2 3 don t a b org c x".split(" "),
  );
});

test("gives pairs of characters where no spaces stand between words", () => {
  expect(terms("日本語。")).toEqual(["日本", "本語", "語"]);
  expect(terms("스키장 ภาษา")).toEqual(["스키", "키장", "장", "ภา", "าษ", "ษา", "า"]);
  expect(terms("ｶﾞｷﾞ")).toEqual(["ガギ", "ギ"]);
});

test("parts words from characters without spaces where both touch", () => {
  expect(terms("東京2020大会")).toEqual(["東京", "京", "2020", "大会", "会"]);
});

test("takes a sign such as an emoji for a word", () => {
  expect(terms("🎉 party 👍🏽!")).toEqual(["🎉", "party", "👍"]);
});

test("tells where each word stands, pairs with their second character", () => {
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

test("gives nothing that either index would take for its own syntax", () => {
  // What is left is letters, digits and signs beyond ASCII, whatever was typed.
  const nasty = `"a" 'b' \\c\\ d:e f* (g) -h ^i NEAR(j k) \0l <-> & | ! ; -- \u{1f3fd} ⑴ ½ \ud800`;
  for (const term of terms(nasty)) expect(term).toMatch(/^(?:[a-z0-9]|[^\p{ASCII}])+$/u);
  expect(terms(nasty)).toContain("near");
});

test("cuts what is too long to be a word, and skips accents that stand alone", () => {
  expect(terms("x".repeat(1_000))).toEqual(["x".repeat(64)]);
  expect(terms("\u0301\u0301 a")).toEqual(["a"]);
});
