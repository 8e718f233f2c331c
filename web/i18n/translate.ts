import { errors, isErrorCode } from "#contract/errors.ts";
import type { en } from "./en.ts";
import { isolated } from "./direction.ts";
import type { Language, WordKey } from "./language.ts";
import type { Plural } from "./plural.ts";
import type { LanguageTag } from "./languages.ts";

export type { WordKey } from "./language.ts";

type Entry<Key extends WordKey> = (typeof en)[Key];
type Slots<Text> = Text extends `${string}{${infer Slot}}${infer Rest}` ? Slot | Slots<Rest> : never;
type SlotsOf<Key extends WordKey> = Slots<Entry<Key> extends { other: infer Text } ? Text : Entry<Key>>;
type Fill<Key extends WordKey> = [SlotsOf<Key>] extends [never]
  ? []
  : [fill: { [Slot in SlotsOf<Key>]: Slot extends "count" ? number : string | number }];

/** A language, and what writes its numbers, days and lists. */
type Spoken = Language & {
  direction: "ltr" | "rtl";
  locale: string;
  numbers: Intl.NumberFormat;
  plurals: Intl.PluralRules;
  days: Intl.DateTimeFormat;
  lists: Intl.ListFormat;
};

let spoken: Spoken | undefined;

/**
 * From now on every word is of this language. `wanted` are the browser's languages: the person's own variety decides
 * how days and numbers are written.
 */
export function speak(
  tag: LanguageTag,
  direction: "ltr" | "rtl",
  language: Language,
  wanted: readonly string[] = [],
): void {
  const locale = wanted.find((other) => other.toLowerCase().split("-")[0] === tag) ?? tag;
  spoken = {
    ...language,
    direction,
    locale,
    numbers: new Intl.NumberFormat(locale),
    plurals: new Intl.PluralRules(tag),
    days: new Intl.DateTimeFormat(locale, { day: "numeric", month: "long", year: "numeric" }),
    lists: new Intl.ListFormat(locale, { type: "unit" }),
  };
}

/** The words of `key`, with its slots filled; numbers are written as the language writes them. */
export function t<Key extends WordKey>(key: Key, ...[fill]: Fill<Key>): string {
  const { words, plurals, direction } = now();
  const entry: string | Plural = words[key];
  const values = fill as Record<string, string | number> | undefined;
  const text = typeof entry === "string" ? entry : formOf(entry, plurals, values?.["count"]);
  if (values === undefined) return text;
  return text.replace(/\{(\w+)\}/g, (slot, name: string) => {
    const value = values[name];
    if (typeof value === "number") return printNumber(value);
    return value === undefined ? slot : isolated(value, direction);
  });
}

/** The sentence of an error code; `undefined` for one that is not ours. */
export function errorSentence(code: string): string | undefined {
  return isErrorCode(code) ? (now().errors?.[code] ?? errors[code].message) : undefined;
}

export function printNumber(value: number): string {
  return now().numbers.format(value);
}

/** A day: for lists and for the times of messages. */
export function printDay(instant: Date): string {
  return now().days.format(instant);
}

/** Texts in a row, as the language strings them together. */
export function printList(texts: readonly string[]): string {
  return now().lists.format(texts);
}

/** How long something took, in the shortest honest form. `spoken` writes the unit out. */
export function printDuration(durationMs: number, spoken = false): string {
  if (durationMs < 1000 && !spoken)
    return t("duration.milliseconds", { count: Math.max(1, Math.round(durationMs)) });
  const seconds =
    durationMs < 9950 && !spoken
      ? Math.round(durationMs / 100) / 10
      : Math.max(1, Math.round(durationMs / 1000));
  if (seconds < 60)
    return spoken
      ? t("duration.seconds", { count: seconds })
      : t("duration.secondsShort", { count: seconds });
  return t("duration.minutes", { minutes: Math.floor(seconds / 60), seconds: Math.round(seconds % 60) });
}

/** An amount of bytes, in the largest unit of which there is one: 3.4 MB. */
export function printBytes(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.min(byteUnits.length - 1, Math.floor(Math.log10(bytes) / 3));
  const amount = bytes / 1000 ** step;
  const unit = byteUnits[step]!;
  return new Intl.NumberFormat(now().locale, {
    style: "unit",
    unit,
    unitDisplay: unit === "byte" ? "long" : "short",
    maximumFractionDigits: amount < 10 ? 1 : 0,
  }).format(amount);
}

const byteUnits = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"];

function now(): Spoken {
  if (spoken === undefined) throw new Error("No language has been loaded yet.");
  return spoken;
}

function formOf(entry: Plural, plurals: Intl.PluralRules, count: string | number | undefined): string {
  const forms: Partial<Record<Intl.LDMLPluralRule, string>> = entry;
  return forms[plurals.select(Number(count ?? 0))] ?? entry.other;
}
