import { Temporal } from "temporal-polyfill";

/** Days, as tools take them: from `after` on, until before `before`. */
export type Period = { after: string; before?: string; words: string; isDay: boolean };

type Way = { pattern: RegExp; days(found: RegExpExecArray, today: Temporal.PlainDate): Days | undefined };
type Days = { from: Temporal.PlainDate; to?: Temporal.PlainDate };

const weekdays = "monday|tuesday|wednesday|thursday|friday|saturday|sunday";
const months = "january|february|march|april|may|june|july|august|september|october|november|december";

/** What is a time after "in", and what was spoken of after "about". */
export const monthOrYear = `(?:${months})(?: \\d{4})?|20\\d\\d`;

const ways: readonly Way[] = [
  { pattern: /^(?:today|this morning|this afternoon|tonight|heute)$/, days: (_, today) => one(today) },
  { pattern: /^(?:yesterday|last night|gestern)$/, days: (_, today) => one(today.subtract({ days: 1 })) },
  {
    pattern: /^(?:the )?day before yesterday$|^vorgestern$/,
    days: (_, today) => one(today.subtract({ days: 2 })),
  },
  {
    pattern: /^(this|last|the previous) week$|^(diese|letzte) woche$/,
    days([, said, gesagt], today) {
      const monday = today.subtract({ days: today.dayOfWeek - 1 });
      return said === "this" || gesagt === "diese"
        ? { from: monday }
        : { from: monday.subtract({ weeks: 1 }), to: monday };
    },
  },
  {
    pattern: /^(this|last|the previous) month$/,
    days([, said], today) {
      const first = today.with({ day: 1 });
      return said === "this" ? { from: first } : { from: first.subtract({ months: 1 }), to: first };
    },
  },
  {
    pattern: /^(this|last|the previous) year$/,
    days([, said], today) {
      const first = today.with({ month: 1, day: 1 });
      return said === "this" ? { from: first } : { from: first.subtract({ years: 1 }), to: first };
    },
  },
  {
    pattern:
      /^(?:in |over |during |within |for )?(?:the )?(?:last|past|previous) (\d{1,3}|a|few|couple of|two|three|four|five|six|seven)? ?(day|week|month|year)s?$/,
    days: ([, count = "1", unit = "day"], today) => ({
      from: today.subtract({ [`${unit}s`]: countOf(count) }),
    }),
  },
  {
    pattern: /^(\d{1,3}|a|two|three|four|five|six|seven) (day|week)s? ago$/,
    days([, count = "1", unit = "day"], today) {
      const from = today.subtract({ [`${unit}s`]: countOf(count) });
      return unit === "day" ? one(from) : { from: from.subtract({ days: 3 }), to: from.add({ days: 4 }) };
    },
  },
  {
    pattern: new RegExp(`^(?:on |last |this )?(${weekdays})$`),
    days([, name = ""], today) {
      const back = (today.dayOfWeek - (weekdays.split("|").indexOf(name) + 1) + 7) % 7;
      return one(today.subtract({ days: back === 0 ? 7 : back }));
    },
  },
  {
    pattern: new RegExp(`^(?:in |last |this )?(${months})(?: (\\d{4}))?$`),
    days([, name = "", year], today) {
      const month = months.split("|").indexOf(name) + 1;
      const said = Temporal.PlainDate.from({ year: Number(year ?? today.year), month, day: 1 });
      const from =
        year === undefined && Temporal.PlainDate.compare(said, today) > 0
          ? said.subtract({ years: 1 })
          : said;
      return { from, to: from.add({ months: 1 }) };
    },
  },
  {
    pattern: /^(?:in )?(20\d\d)$/,
    days([, year]) {
      const from = Temporal.PlainDate.from({ year: Number(year), month: 1, day: 1 });
      return { from, to: from.add({ years: 1 }) };
    },
  },
  {
    pattern: /^(?:on )?(\d{4}-\d{2}-\d{2})$/,
    days([, day = ""]) {
      try {
        return one(Temporal.PlainDate.from(day));
      } catch {
        return undefined;
      }
    },
  },
  { pattern: /^since (.+)$/, days: ([, since = ""], today) => open(daysOf(since, today)) },
];

/** Which day it is where the person is. */
export function dayIn(timeZone: string, nowMs: number): Temporal.PlainDate {
  return Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO(timeZone).toPlainDate();
}

/** The time that `words` name, seen from `today`; `undefined` where they name none. */
export function readPeriod(words: string, today: Temporal.PlainDate): Period | undefined {
  const days = daysOf(words.toLowerCase().trim(), today);
  if (days === undefined) return undefined;
  return {
    after: days.from.toString(),
    ...(days.to === undefined ? {} : { before: days.to.toString() }),
    words: words.trim(),
    isDay: days.to?.equals(days.from.add({ days: 1 })) === true,
  };
}

/** Takes the time off the end of `text`, where one stands there. */
export function takePeriod(text: string, today: Temporal.PlainDate): { text: string; period?: Period } {
  const words = text.split(/\s+/);
  for (let from = Math.max(0, words.length - 6); from < words.length; from++) {
    const period = readPeriod(words.slice(from).join(" "), today);
    if (period !== undefined) return { text: words.slice(0, from).join(" "), period };
  }
  return { text };
}

function daysOf(words: string, today: Temporal.PlainDate): Days | undefined {
  for (const { pattern, days } of ways) {
    const found = pattern.exec(words);
    if (found !== null) return days(found, today);
  }
  return undefined;
}

function one(day: Temporal.PlainDate): Days {
  return { from: day, to: day.add({ days: 1 }) };
}

function open(days: Days | undefined): Days | undefined {
  return days === undefined ? undefined : { from: days.from };
}

const counts: Record<string, number> = {
  a: 1,
  "couple of": 2,
  two: 2,
  few: 3,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
};

function countOf(said: string): number {
  return counts[said] ?? Number(said);
}
