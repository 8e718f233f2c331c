import type { Json } from "#contract/json.ts";
import { dateQuestion, isTrue, numberOf, textOf, type Ask } from "./ask.ts";
import { bare } from "./framing.ts";
import { zoneOf } from "./places.ts";

const length = String.raw`(?:a|an|one|two|three|four|five|six|seven|eight|nine|ten|\d+)[\s-]*(?:working days?|work days?|workdays?|business days?|weekdays?|years?|months?|fortnights?|weeks?|days?|hours?|minutes?|quarters?)`;
const lengths = `(${length}(?:(?:,? and |,? )${length})*)`;

/** Texts that are dates beyond doubt, for questions that could be about anything else. */
const months =
  "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?";
const dayNames = "(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?";
const holidays =
  "christmas(?: eve| day)?|xmas(?: eve)?|boxing day|new year(?:'?s)?(?: eve| day)?|easter(?: sunday| monday)?|good friday|ascension(?: day)?|pentecost|whit sunday|halloween|thanksgiving(?: day)?|black friday|valentine'?s(?: day)?|(?:st\\.? |saint )?patrick'?s day|april fools'?(?: day)?|independence day|(?:fourth|4th) of july|labou?r day|mother'?s day|father'?s day|may day|weihnachten|heiligabend|silvester|ostern";
const plainDate = `\\d{4}-\\d{1,2}-\\d{1,2}|\\d{1,2}[./]\\d{1,2}[./]\\d{4}|(?:the )?\\d{1,2}(?:st|nd|rd|th)?(?: of)? (?:${months})\\.?,?(?: \\d{4})?|(?:${months})\\.? (?:the )?\\d{1,2}(?:st|nd|rd|th)?,?(?: \\d{4})?`;
const relativeDate = `today|tomorrow|yesterday|(?:the )?day after tomorrow|(?:the )?day before yesterday|(?:(?:next|last|this|coming) )?${dayNames}|(?:the )?(?:end|start|beginning) of the year`;
const date = `(${plainDate}|${relativeDate}|(?:${holidays})(?:,? (?:in |of )?\\d{4})?)`;
/** A few words that stand where only a date can stand; the tool says so when they are none. */
const anyDate = "([\\w.,'/-]+(?: [\\w.,'/-]+){0,5})";

/** Longer than this nobody asks for a date. */
const phraseCharactersMax = 160;

type Way = { pattern: RegExp; ask(found: RegExpExecArray): Omit<Ask, "about"> };

const way = (pattern: string, ask: Way["ask"]): Way => ({
  pattern: new RegExp(`^(?:${pattern})$`, "iu"),
  ask,
});

const unitsAsked = "(days?|weeks?|months?|years?|working days?|business days?|work ?days|weekdays|time|long)";

const ways: readonly Way[] = [
  way(
    `(?:the )?(?:(?:current )?time|what time is it|time is it|wie spät ist es|wie viel uhr ist es)(?: right)?(?: now)?(?: (?:in|at) ([\\p{L} .'-]+))?`,
    ([, place]) => now(place),
  ),
  way(
    `(?:what(?:'s| is) )?(?:the )?(?:time|date|day)(?: is it)?(?: now| right now)? in ([\\p{L} .'-]+)`,
    ([, place]) => now(place),
  ),
  way(
    `(?:what |which |welcher |the )?(?:day|date|day of the week|weekday|tag|datum|week(?: number)?|calendar week)(?: of the (?:year|month))?(?: is it| is| ist| do we have| haben wir)?(?: (?:today|now|heute|right now|this week))?|today|today's date|(?:the )?(?:current|today's) (?:date|day|week(?: number)?)|today's day`,
    () => ({
      calls: [dateQuestion({})],
      phrase: ([result]) =>
        `Today is **${longDate(result)}**, in week ${weekOf(result)}, the ${ordinal(numberOf(result, "day_of_year") ?? 0)} day of the year.`,
    }),
  ),
  way(
    `(?:how (?:many )?${unitsAsked}(?: are there| are left| is it| left| do we have| remain(?:ing)?| have we got)?|(days|weeks|months|years)|wie ?viele? (?:tage|wochen)(?: sind es(?: noch)?)?|tage|(?:countdown|time left)) (?:until|till|til|to|before|bis(?: zu)?) (?:the )?${anyDate}`,
    ([, unit, unit2, until]) => span(undefined, (until ?? "").trim(), unit ?? unit2 ?? "days"),
  ),
  way(
    `(?:how (?:many )?${unitsAsked}(?: is it| has it been| have passed| passed)?|(days|weeks|months|time)) (?:since|from) (?!.* (?:to|until|till) )(?:the )?${anyDate}`,
    ([, unit, unit2, since]) => span((since ?? "").trim(), "today", unit ?? unit2 ?? "days"),
  ),
  way(`how (?:many )?${unitsAsked} ago (?:is|was) ${anyDate}`, ([, unit, since]) =>
    span((since ?? "").trim(), "today", unit ?? "days"),
  ),
  way(
    `(?:(?:how (?:many )?${unitsAsked}|(?:the )?(?:number of |difference in )?(days|weeks|months|years|time|difference|duration|working days|business days|weekdays))(?: is it| are there| is there| are| is| passed| lie)?(?: in| of)? )(?:between|from) ${anyDate}(?: and| to| until| till| through) ${anyDate}`,
    ([, unit, unit2, from, to]) => span((from ?? "").trim(), (to ?? "").trim(), unit ?? unit2 ?? "days"),
  ),
  way(`(?:time )?(?:between|from) ${date} (?:and|to|until|till) ${date}`, ([, from, to]) =>
    span(from, to ?? "", "days"),
  ),
  way(
    `(?:how old (?:is|are|am|would|will|was) .*?born|how old .*?born|(?:the )?age of .*?born|(?:i was |someone |somebody )?born)(?: on| in)?(?: the)? (\\d{4})|how old .*? (?:since|from) (\\d{4})`,
    ([, year, year2]) => agesOf(year ?? year2 ?? ""),
  ),
  way(
    `(?:how old (?:is|are|am|would|will|was) .*?born|how old .*?born|(?:the )?age of .*?born|(?:i was |someone |somebody )born)(?: on| in)?(?: the)? ${anyDate}`,
    ([, born]) => ageOf((born ?? "").trim()),
  ),
  way(
    `(?:(?:what |which |the )?(?:day|date|weekday|day of the week)(?: (?:is it|is|was it|was|will it be|will be|would be|falls|comes))? )?(?:in )?${lengths}(?: from (?:now|today)| later| hence|)`,
    ([whole, add]) =>
      /from|hence|later|\bin\b|day|date|week/i.test((whole ?? "").replace(add ?? "", ""))
        ? shifted(undefined, add ?? "", 1)
        : nothingAsked,
  ),
  way(
    `(?:(?:what |which |the )?(?:day|date|weekday|day of the week)(?: (?:is it|is|was it|was|were))? )?${lengths} ago`,
    ([, add]) => shifted(undefined, add ?? "", -1),
  ),
  way(
    `(?:(?:what |which |the )?(?:day|date|weekday|day of the week)(?: (?:is|was|will be|comes|falls|would be))? )?${lengths} (?:before|prior to) (?:the )?${anyDate}`,
    ([, add, from]) => shifted((from ?? "").trim(), add ?? "", -1),
  ),
  way(
    `(?:(?:what |which |the )?(?:day|date|weekday|day of the week)(?: (?:is|was|will be|comes|falls|would be))? )?${lengths} (?:after|from|past|following) (?:the )?${anyDate}`,
    ([, add, from]) => shifted((from ?? "").trim(), add ?? "", 1),
  ),
  way(`${date} (?:plus|\\+) ${lengths}`, ([, from, add]) => shifted(from, add ?? "", 1)),
  way(`${date} (?:minus|-|−) ${lengths}`, ([, from, add]) => shifted(from, add ?? "", -1)),
  way(
    `(?:(?:what |which |on what |on which |the )?(?:day|date|weekday|day of the week|wochentag|tag)(?: of the week)?(?: (?:is|was|will be|does|did|of|falls|ist|war|are))?(?: it)?(?: on)? |when(?: is|'s| was| will be| does)? |when )(?:the )?${date}(?: on| fall| fall on| be| this year)?`,
    ([, day]) => described(day ?? ""),
  ),
  way(
    `${date} (?:is |was |falls on |is on |was on )?(?:what|which|a) (?:day|weekday)(?: of the week)?|(?:is|was) ${date} a (?:weekend|weekday|${dayNames})`,
    ([, day, day2]) => described(day ?? day2 ?? ""),
  ),
  way(
    `(?:is|was|will) (?:the year )?(\\d{4}) (?:be )?a leap year|(\\d{4}) (?:a )?leap year`,
    ([, year, year2]) => leapYear(year ?? year2 ?? ""),
  ),
];

const isHoliday = new RegExp(`^(?:the )?(?:${holidays})`, "i");

const nothingAsked: Omit<Ask, "about"> = { calls: [], phrase: () => "" };

/** "days until Christmas", "what day is 3 weeks from now", "how old is someone born on 1990-05-17", "what time is it". */
export function readDates(question: string): Ask | undefined {
  const phrase = bare(question)
    .replace(/^(?:it|there) (?:is|are) /i, "")
    .replace(/^(i was born .{4,60}?),? (?:so |and )?how old am i.*$/i, "$1");
  if (phrase.length > phraseCharactersMax) return undefined;
  for (const { pattern, ask } of ways) {
    const found = pattern.exec(phrase);
    if (found === null) continue;
    const read = ask(found);
    if (read.calls.length > 0) return { ...read, about: phrase };
  }
  return undefined;
}

function now(place: string | undefined): Omit<Ask, "about"> {
  const zone = place === undefined ? undefined : zoneOf(place);
  if (place !== undefined && zone === undefined) return nothingAsked;
  return {
    calls: [dateQuestion(zone === undefined ? {} : { time_zone: zone })],
    phrase: ([result]) =>
      `It is **${textOf(result, "time")}**${place === undefined ? "" : ` in ${titleCase(place)}`}, ${shortDate(result)} (time zone ${textOf(result, "time_zone")}).`,
  };
}

function described(day: string): Omit<Ask, "about"> {
  return {
    calls: [dateQuestion({ date: day })],
    phrase([result]) {
      const days = numberOf(result, "days_from_today") ?? 0;
      // A date that was given in figures asks for its weekday; a name, for its date.
      const main =
        /\d{4}|\d.*\p{L}|\p{L}.*\d/u.test(day) && !isHoliday.test(day)
          ? `a **${textOf(result, "weekday")}** (${textOf(result, "date")})`
          : `on **${longDate(result)}**`;
      return `${sentenceCase(day)} ${days < 0 ? "was" : "is"} ${main}, ${distance(days)}.`;
    },
  };
}

function leapYear(year: string): Omit<Ask, "about"> {
  return {
    calls: [dateQuestion({ date: `${year}-01-01` })],
    phrase: ([result]) =>
      isTrue(result, "leap_year")
        ? `Yes, ${year} is a **leap year**: February has 29 days.`
        : `No, ${year} is **no leap year**: February has 28 days.`,
  };
}

function shifted(from: string | undefined, add: string, sign: 1 | -1): Omit<Ask, "about"> {
  const written = add.replace(/-/g, " ").replace(/\s+/g, " ");
  return {
    calls: [
      dateQuestion({
        ...(from === undefined ? {} : { date: from }),
        add: sign === 1 ? written : `-${written}`,
      }),
    ],
    phrase([result]) {
      const words = `${written} ${sign === 1 ? "after" : "before"} ${from === undefined ? "today, " : ""}${shortDate(result, "from")}`;
      const time = textOf(result, "time");
      return `${sentenceCase(words)}: **${longDate(result)}**${time === "" ? "" : ` at ${time}`}.`;
    },
  };
}

function span(from: string | undefined, to: string, unit: string): Omit<Ask, "about"> {
  return {
    calls: [dateQuestion({ ...(from === undefined ? {} : { date: dayOf(from) }), to: dayOf(to) })],
    phrase: ([result]) => spanSentence(result, unit.toLowerCase(), from === undefined),
  };
}

/** A year alone is its first day. */
function dayOf(written: string): string {
  const year = /^(?:the )?(?:year )?([12]\d{3})$/i.exec(written)?.[1];
  return year === undefined ? written : `${year}-01-01`;
}

function spanSentence(result: Json | undefined, unit: string, untilOnly: boolean): string {
  const days = numberOf(result, "days") ?? 0;
  const count = Math.abs(days);
  const [start, end] = [shortDate(result, "from"), shortDate(result, "to")];
  const main = /^(?:work|business|weekday)/.test(unit)
    ? `**${Math.abs(numberOf(result, "weekdays") ?? 0)} working days** (Monday to Friday, holidays not counted)`
    : unit.startsWith("week")
      ? `**${textOf(result, "weeks")}** (${plural(count, "day")})`
      : /^(?:month|year)/.test(unit)
        ? `**${textOf(result, "calendar")}** (${plural(count, "day")})`
        : `**${plural(count, "day")}**${count > 13 ? ` (${textOf(result, "weeks")}${count > 45 ? `, or ${textOf(result, "calendar")}` : ""})` : ""}`;
  if (untilOnly && days === 0) return `That is today, **${end}**.`;
  if (untilOnly && days < 0) return `That day, ${end}, was ${main} ago.`;
  return untilOnly
    ? `It is ${main} until ${longDate(result, "to")}.`
    : `From ${start} to ${end}: ${main}${days < 0 ? " back" : ""}.`;
}

function ageOf(born: string): Omit<Ask, "about"> {
  return {
    calls: [dateQuestion({ date: born, to: "today" })],
    phrase([result]) {
      const years = numberOf(result, "years") ?? 0;
      if (years < 0 || (numberOf(result, "days") ?? 0) < 0)
        return `${longDate(result, "from")} is still to come.`;
      return `Born on ${longDate(result, "from")}, one is **${plural(years, "year")}** old today: ${textOf(result, "calendar")}.`;
    },
  };
}

function agesOf(year: string): Omit<Ask, "about"> {
  return {
    calls: [
      dateQuestion({ date: `${year}-01-01`, to: "today" }),
      dateQuestion({ date: `${year}-12-31`, to: "today" }),
    ],
    phrase([oldest, youngest]) {
      const [most, least] = [numberOf(oldest, "years") ?? 0, numberOf(youngest, "years") ?? 0];
      if (most < 0) return `${year} is still to come.`;
      return most === least
        ? `Born in ${year}, one is **${plural(most, "year")}** old.`
        : `Born in ${year}, one is **${least} or ${most} years** old, before and after the birthday.`;
    },
  };
}

function shortDate(result: Json | undefined, ...path: string[]): string {
  return longDate(result, ...path).replace(/ \([\d-]+\)$/, "");
}

/** "Friday, 25 December 2026 (2026-12-25)", so that no order of day and month can be misread. */
function longDate(result: Json | undefined, ...path: string[]): string {
  const iso = textOf(result, ...path, "date");
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(iso) ?? [];
  if (year === undefined || month === undefined || day === undefined) return iso;
  return `${textOf(result, ...path, "weekday")}, ${Number(day)} ${monthNames[Number(month) - 1]} ${year} (${iso})`;
}

const monthNames = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];

function weekOf(result: Json | undefined): string {
  return String(Number(textOf(result, "iso_week").split("-W")[1] ?? ""));
}

function distance(days: number): string {
  if (days === 0) return "which is today";
  if (Math.abs(days) === 1) return days === 1 ? "which is tomorrow" : "which was yesterday";
  return days > 0 ? `in ${plural(days, "day")}` : `${plural(-days, "day")} ago`;
}

function plural(count: number, noun: string): string {
  return `${String(count).replace(/\B(?=(?:\d{3})+$)/g, count > 9999 ? "," : "")} ${noun}${count === 1 ? "" : "s"}`;
}

function ordinal(count: number): string {
  const suffix =
    count % 100 >= 11 && count % 100 <= 13 ? "th" : (["th", "st", "nd", "rd"][count % 10] ?? "th");
  return `${count}${suffix}`;
}

function sentenceCase(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function titleCase(text: string): string {
  return text.trim().replace(/(?<!\p{L})\p{L}/gu, (letter) => letter.toUpperCase());
}
