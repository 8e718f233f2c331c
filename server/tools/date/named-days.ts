import { Temporal } from "temporal-polyfill";

/** Days that have names, by year. English names, as people ask for them. */
const namedDays: readonly (readonly [RegExp, (year: number) => Temporal.PlainDate])[] = [
  [/^(?:christmas eve|xmas eve|heiligabend)$/, on(12, 24)],
  [/^(?:christmas|xmas|christmas day|weihnachten)$/, on(12, 25)],
  [/^boxing day$/, on(12, 26)],
  [/^(?:new year'?s eve|silvester)$/, on(12, 31)],
  [/^(?:new year|new years|new year'?s|new year'?s day)$/, on(1, 1)],
  [/^(?:valentine'?s|valentine'?s day|valentines day)$/, on(2, 14)],
  [/^(?:st\.? patrick'?s day|saint patrick'?s day)$/, on(3, 17)],
  [/^(?:april fools'?|april fool'?s|april fools'? day|april fool'?s day)$/, on(4, 1)],
  [/^(?:may day|labou?r day in europe)$/, on(5, 1)],
  [/^(?:independence day|fourth of july|4th of july|july 4th)$/, on(7, 4)],
  [/^(?:halloween|hallowe'en)$/, on(10, 31)],
  [/^(?:thanksgiving|thanksgiving day)$/, (year) => nthWeekday(year, 11, 4, 4)],
  [/^black friday$/, (year) => nthWeekday(year, 11, 4, 4).add({ days: 1 })],
  [/^(?:labou?r day)$/, (year) => nthWeekday(year, 9, 1, 1)],
  [/^mother'?s day$/, (year) => nthWeekday(year, 5, 7, 2)],
  [/^father'?s day$/, (year) => nthWeekday(year, 6, 7, 3)],
  [/^(?:easter|easter sunday|ostern)$/, easterSunday],
  [/^easter monday$/, (year) => easterSunday(year).add({ days: 1 })],
  [/^good friday$/, (year) => easterSunday(year).subtract({ days: 2 })],
  [/^(?:ascension day|ascension)$/, (year) => easterSunday(year).add({ days: 39 })],
  [/^(?:pentecost|whit sunday)$/, (year) => easterSunday(year).add({ days: 49 })],
  [/^(?:(?:the )?(?:start|beginning) of the year)$/, on(1, 1)],
  [/^(?:(?:the )?end of the year|year'?s? end)$/, on(12, 31)],
];

/**
 * The day that `text` names, in the year that stands beside the name or else the next (or the last) time it comes
 * around, `today` included; `undefined` for any other text.
 */
export function namedDay(
  text: string,
  today: Temporal.PlainDate,
  toward: "future" | "past",
): Temporal.PlainDate | undefined {
  const [, name = text, yearText] = /^(.*?)(?:,? (?:in |of )?(\d{4}))?$/.exec(text) ?? [];
  const dayIn = namedDays.find(([pattern]) => pattern.test(name.trim()))?.[1];
  if (dayIn === undefined) return undefined;
  if (yearText !== undefined) return dayIn(Number(yearText));
  const here = dayIn(today.year);
  const order = Temporal.PlainDate.compare(here, today);
  if (toward === "future" && order < 0) return dayIn(today.year + 1);
  if (toward === "past" && order > 0) return dayIn(today.year - 1);
  return here;
}

function on(month: number, day: number): (year: number) => Temporal.PlainDate {
  return (year) => Temporal.PlainDate.from({ year, month, day });
}

/** `weekday` 1 is Monday; the `nth` of it in the month. */
function nthWeekday(year: number, month: number, weekday: number, nth: number): Temporal.PlainDate {
  const first = Temporal.PlainDate.from({ year, month, day: 1 });
  return first.add({ days: ((weekday - first.dayOfWeek + 7) % 7) + 7 * (nth - 1) });
}

/** The Gregorian computus, as Meeus, Jones and Butcher give it. */
function easterSunday(year: number): Temporal.PlainDate {
  const a = year % 19;
  const b = Math.floor(year / 100);
  const c = year % 100;
  const e = b % 4;
  const g = Math.floor((8 * b + 13) / 25);
  const h = (19 * a + b - Math.floor(b / 4) - g + 15) % 30;
  const l = (32 + 2 * e + 2 * Math.floor(c / 4) - h - (c % 4)) % 7;
  const m = Math.floor((a + 11 * h + 22 * l) / 451);
  const n = h + l - 7 * m + 114;
  return Temporal.PlainDate.from({ year, month: Math.floor(n / 31), day: (n % 31) + 1 });
}
