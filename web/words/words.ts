import { en, type Plural } from "./en.ts";

export type WordKey = keyof typeof en;

/** A language: the catalogue's keys with its own words. */
export type Words = { readonly [Key in WordKey]: (typeof en)[Key] extends string ? string : Plural };

type Entry<Key extends WordKey> = (typeof en)[Key];
type Slots<Text> = Text extends `${string}{${infer Slot}}${infer Rest}` ? Slot | Slots<Rest> : never;
type SlotsOf<Key extends WordKey> = Slots<Entry<Key> extends Plural ? Entry<Key>["other"] : Entry<Key>>;
type Fill<Key extends WordKey> = [SlotsOf<Key>] extends [never]
  ? []
  : [fill: { [Slot in SlotsOf<Key>]: Slot extends "count" ? number : string | number }];

const language = "en";
const words: Words = en;
/** The person's own variety of the language: it decides how days and numbers are written. */
const locale = globalThis.navigator?.languages?.find((tag) => tag.startsWith(language)) ?? language;
const numbers = new Intl.NumberFormat(locale);
const plurals = new Intl.PluralRules(language);

/** The words of `key`, with its slots filled; numbers are written as the language writes them. */
export function t<Key extends WordKey>(key: Key, ...[fill]: Fill<Key>): string {
  const entry: string | Plural = words[key];
  const values = fill as Record<string, string | number> | undefined;
  const text = typeof entry === "string" ? entry : entry[pluralOf(values?.["count"])];
  if (values === undefined) return text;
  return text.replace(/\{(\w+)\}/g, (slot, name: string) => {
    const value = values[name];
    return typeof value === "number" ? numbers.format(value) : (value ?? slot);
  });
}

/** A day and, where it is near, its time: for lists and for the times of messages. */
export function printDay(instant: Date): string {
  return days.format(instant);
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

const days = new Intl.DateTimeFormat(locale, { day: "numeric", month: "long", year: "numeric" });

function pluralOf(count: string | number | undefined): keyof Plural {
  return plurals.select(Number(count ?? 0)) === "one" ? "one" : "other";
}
