import { errors, isErrorCode } from "#contract/errors.ts";
import type { AllStrings, Direction, English, Language, OwnerErrorCode, StringKey } from "./language.ts";
import type { LanguageTag } from "./languages.ts";
import type { Plural } from "./translation.ts";

export type { StringKey } from "./language.ts";

type SlotsIn<Text> = Text extends `${string}{${infer Slot}}${infer Rest}` ? Slot | SlotsIn<Rest> : never;
type SlotsOf<Key extends StringKey> = SlotsIn<
  English[Key] extends { other: infer Text } ? Text : English[Key]
>;
type Values<Key extends StringKey> = [SlotsOf<Key>] extends [never]
  ? []
  : [values: { [Slot in SlotsOf<Key>]: Slot extends "count" ? number : string | number }];

type CurrentLanguage = Language & {
  strings: Language["strings"] & Partial<AllStrings>;
  direction: Direction;
  locale: string;
  numbers: Intl.NumberFormat;
  percents: Intl.NumberFormat;
  plurals: Intl.PluralRules;
  days: Intl.DateTimeFormat;
  times: Intl.DateTimeFormat;
  ages: Intl.RelativeTimeFormat;
  lists: Intl.ListFormat;
};

let currentLanguage: CurrentLanguage | undefined;

/**
 * Sets the language of everything that this module returns. Days, numbers and lists follow the first locale in
 * `browserLanguages` that is a variety of the language, such as `en-GB`.
 */
export function setLanguage(
  tag: LanguageTag,
  direction: Direction,
  language: Language,
  browserLanguages: readonly string[] = [],
): void {
  const locale = browserLanguages.find((other) => other.toLowerCase().split("-")[0] === tag) ?? tag;
  currentLanguage = {
    ...language,
    direction,
    locale,
    numbers: new Intl.NumberFormat(locale),
    percents: new Intl.NumberFormat(locale, { style: "percent" }),
    plurals: new Intl.PluralRules(tag),
    days: new Intl.DateTimeFormat(locale, { day: "numeric", month: "long", year: "numeric" }),
    times: new Intl.DateTimeFormat(locale, { hour: "numeric", minute: "2-digit" }),
    ages: new Intl.RelativeTimeFormat(locale),
    lists: new Intl.ListFormat(locale, { type: "unit" }),
  };
}

/** Adds strings to those of the current language. */
export function addStrings(more: Partial<AllStrings>): void {
  const language = current();
  language.strings = { ...language.strings, ...more };
}

/** The string for `key` with its slots filled in. Numbers are formatted for the language. */
export function t<Key extends StringKey>(key: Key, ...[fill]: Values<Key>): string {
  const { strings, plurals, direction } = current();
  // A screen with other strings is not rendered before they have loaded.
  const entry: string | Plural = strings[key] ?? key;
  const values = fill as Record<string, string | number> | undefined;
  const text =
    typeof entry === "string"
      ? entry
      : (entry[plurals.select(Number(values?.["count"] ?? 0))] ?? entry.other);
  if (values === undefined) return text;
  return text.replace(/\{(\w+)\}/g, (slot, name: string) => {
    const value = values[name];
    if (typeof value === "number") return printNumber(value);
    return value === undefined ? slot : isolated(value, direction);
  });
}

/** The sentence for an error code that the page has a text for; `undefined` for any other code. */
export function errorSentence(code: string, isOwner = false): string | undefined {
  const { ownerErrors } = current();
  if (isOwner && Object.hasOwn(ownerErrors, code)) return ownerErrors[code as OwnerErrorCode];
  const sentences: Readonly<Record<string, string>> = current().errors ?? {};
  if (Object.hasOwn(sentences, code)) return sentences[code];
  return isErrorCode(code) ? errors[code].message : undefined;
}

export function printNumber(value: number): string {
  return current().numbers.format(value);
}

/** An amount of US dollars: in cents, or with two digits if it is smaller. */
export function printDollars(dollars: number): string {
  const format = new Intl.NumberFormat(current().locale, {
    style: "currency",
    currency: "USD",
    ...(dollars > 0 && dollars < 0.01 ? { maximumSignificantDigits: 2 } : {}),
  });
  return format.format(dollars);
}

/** A number in few characters, such as 1.2M. */
export function printShort(value: number): string {
  return new Intl.NumberFormat(current().locale, { notation: "compact", maximumFractionDigits: 1 }).format(
    value,
  );
}

/** A day of this or another year in few characters, such as 24 Nov. `day` is written as 2026-11-24. */
export function printShortDay(day: string): string {
  return new Intl.DateTimeFormat(current().locale, {
    day: "numeric",
    month: "short",
    timeZone: "UTC",
  }).format(new Date(day));
}

/** A time in seconds, with one decimal. */
export function printSeconds(seconds: number): string {
  return new Intl.NumberFormat(current().locale, {
    style: "unit",
    unit: "second",
    unitDisplay: "narrow",
    maximumFractionDigits: 1,
  }).format(seconds);
}

/** A part of a whole, without decimals. */
export function printPercent(part: number): string {
  return current().percents.format(part);
}

export function printDay(instant: Date): string {
  return current().days.format(instant);
}

/** A day and the time. */
export function printMoment(instant: Date): string {
  return `${printDay(instant)}, ${current().times.format(instant)}`;
}

/** How long ago it was if it was today, with the time if it was yesterday, else the day. */
export function printRecent(instant: Date, now: Date): string {
  const { ages, times } = current();
  const yesterday = new Date(now);
  yesterday.setDate(now.getDate() - 1);
  if (instant.toDateString() === yesterday.toDateString())
    return t("time.yesterday", { time: times.format(instant) });
  if (instant.toDateString() !== now.toDateString()) return printDay(instant);
  const minutes = Math.max(1, Math.floor((now.getTime() - instant.getTime()) / 60_000));
  return minutes < 60 ? ages.format(-minutes, "minute") : ages.format(-Math.floor(minutes / 60), "hour");
}

export function printList(texts: readonly string[]): string {
  return current().lists.format(texts);
}

/** A rounded duration. With `isSpoken`, for screen readers, seconds are the smallest unit and are spelled out. */
export function printDuration(durationMs: number, isSpoken = false): string {
  if (durationMs < 1000 && !isSpoken)
    return t("duration.milliseconds", { count: Math.max(1, Math.round(durationMs)) });
  const seconds =
    durationMs < 9950 && !isSpoken
      ? Math.round(durationMs / 100) / 10
      : Math.max(1, Math.round(durationMs / 1000));
  if (seconds < 60)
    return isSpoken
      ? t("duration.seconds", { count: seconds })
      : t("duration.secondsShort", { count: seconds });
  return t("duration.minutes", { minutes: Math.floor(seconds / 60), seconds: Math.round(seconds % 60) });
}

/** A size in the largest unit that gives at least 1, such as 3.4 MB. */
export function printBytes(sizeBytes: number): string {
  const step = sizeBytes < 1 ? 0 : Math.min(byteUnits.length - 1, Math.floor(Math.log2(sizeBytes) / 10));
  const amount = sizeBytes / 1024 ** step;
  const unit = byteUnits[step]!;
  return new Intl.NumberFormat(current().locale, {
    style: "unit",
    unit,
    unitDisplay: unit === "byte" ? "long" : "short",
    maximumFractionDigits: amount < 10 ? 1 : 0,
  }).format(amount);
}

const byteUnits = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"];

function current(): CurrentLanguage {
  if (currentLanguage === undefined) throw new Error("No language has been loaded yet.");
  return currentLanguage;
}

/** Letters that are written from right to left: Hebrew, Arabic, Syriac and their presentation forms. */
const rightToLeft = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/**
 * Wraps `text` in a Unicode isolate (FSI … PDI) if it may run in the other direction than the sentence around it.
 * Without it, the quotes and commas around the text would be displayed in the wrong order.
 */
function isolated(text: string, direction: Direction): string {
  const needsIsolate = direction === "ltr" ? rightToLeft.test(text) : text !== "";
  return needsIsolate ? `\u2068${text}\u2069` : text;
}
