import { countInArabic } from "../arabic.ts";
import { lack, remedy, type Situation } from "../connect.ts";
import type { Period } from "./period.ts";
import { plainMarkdown, quotation } from "./quote.ts";
import type { FoundPassage, ListedThread } from "./results.ts";
import type { Picked } from "./summary.ts";

/** The words in which the built-in assistant tells what it found. Markdown; nothing that is quoted in it comes to life. */

const day = { day: "numeric", month: "long", year: "numeric" } as const;
const shortDay = { day: "numeric", month: "short", year: "numeric" } as const;
const hour = { hour: "2-digit", minute: "2-digit" } as const;

/** A moment as it is told where the person is; nothing for one that nobody knows. */
function printed(ms: number, how: Intl.DateTimeFormatOptions, timeZone: string, language = "en-GB"): string {
  return Number.isFinite(ms) ? new Intl.DateTimeFormat(language, { ...how, timeZone }).format(ms) : "";
}

export function sayFound(passages: readonly FoundPassage[], timeZone: string): string {
  return [
    headOf(passages),
    ...passages.map(
      (passage) =>
        `${quotation(passage.text)}\n>\n> **[${passage.source}]** ${whence(passage)}${inThread(passage)}, ${printed(passage.saidAtMs, day, timeZone)}`,
    ),
  ].join("\n\n");
}

/** Less than this of what was asked about, and it may be about something else. */
const sureFit = 0.6;

function headOf(passages: readonly FoundPassage[]): string {
  const one = passages.length === 1;
  if (Math.max(...passages.map(({ fit }) => fit)) < sureFit)
    return one
      ? "Nothing in your threads has all of this. The place that comes closest:"
      : "Nothing in your threads has all of this. The places that come closest:";
  return one ? "This stands in your threads:" : "These places in your threads fit best:";
}

/** Behind what was found for a question that a language model would have answered. */
export function sayNoAnswer(situation: Situation, told: boolean): string {
  const words = `I look up and quote; an answer in words of its own takes a language model, and ${lack(situation)}.`;
  return told && situation.connected === undefined ? words : `${words} ${remedy(situation, true)}`;
}

export function sayNothingFound(topic: string, period: Period | undefined): string {
  const when = period === undefined ? "" : ` ${period.words}`;
  return `I found nothing about *${plainMarkdown(topic)}* in your threads${when}. I go by the words themselves and their other forms, so other words may find it.`;
}

export function sayList(
  threads: readonly (ListedThread & { number: number })[],
  period: Period | undefined,
  timeZone: string,
): string {
  const when = period === undefined ? "" : ` ${period.words}`;
  if (threads.length === 0)
    return period === undefined
      ? "There is no other thread yet. What you write stays here, and can be looked up later."
      : `There was no other thread${when}.`;
  const head =
    period === undefined
      ? threads.length === 1
        ? "Your only other thread:"
        : "Your last threads:"
      : `${threads.length === 1 ? "One thread" : `${threads.length} threads`}${when}:`;
  const items = threads.map((thread) => {
    const { messages, lastMessageAtMs } = thread;
    return `${itemOf(thread)} (${messages === 1 ? "1 message" : `${messages} messages`}, ${printed(lastMessageAtMs, period?.isDay === true ? hour : shortDay, timeZone)})`;
  });
  return `${head}\n\n${items.join("\n")}`;
}

/** The same of the last ones, for who asks in Arabic. */
export function sayListInArabic(
  threads: readonly (ListedThread & { number: number })[],
  timeZone: string,
): string {
  if (threads.length === 0) return "لا توجد محادثة أخرى بعد. ما تكتبه يبقى هنا، ويمكن البحث عنه لاحقًا.";
  const head = threads.length === 1 ? "محادثتك الأخرى الوحيدة:" : "آخر محادثاتك:";
  const items = threads.map((thread) => {
    const { messages, lastMessageAtMs } = thread;
    const count = countInArabic(messages, ["رسالة واحدة", "رسالتان", "رسائل", "رسالة", "رسالة"]);
    const when = printed(lastMessageAtMs, day, timeZone, "ar-EG-u-ca-gregory-nu-latn");
    return `${itemOf(thread)} (${count}${when === "" ? "" : `، ${when}`})`;
  });
  return `${head}\n\n${items.join("\n")}`;
}

function itemOf({ number, title, beginsWith }: ListedThread & { number: number }): string {
  const begins = shortened(beginsWith, 120);
  const words = sameWords(title, begins) || begins === "" ? "" : `: ${plainMarkdown(begins)}`;
  return `- **[${number}] ${titleOf(title)}**${words}`;
}

export function saySummary(
  of: { title: string; messages: number; firstAtMs: number; lastAtMs: number },
  picked: readonly (Picked & { number?: number })[],
  timeZone: string,
  situation: Situation,
  told: boolean,
): string {
  const days = [printed(of.firstAtMs, day, timeZone), printed(of.lastAtMs, day, timeZone)];
  const when = days[0] === days[1] ? days[0]! : `${days[0]} to ${days[1]}`;
  const head = `${of.title === "" ? "This conversation" : `*${titleOf(of.title)}*`}, ${of.messages === 1 ? "1 message" : `${of.messages} messages`}${when === "" ? "" : `, ${when}`}. The sentences that say most of it:`;
  const items = picked.map(
    ({ of: said, sentence, number }) =>
      `- ${said.byPerson ? "You" : "Assistant"}: ${plainMarkdown(sentence)}${number === undefined ? "" : ` **[${number}]**`}`,
  );
  const words = `I pick sentences and write none: a summary in other words takes a language model, and ${lack(situation)}.`;
  const help = told && situation.connected === undefined ? words : `${words} ${remedy(situation, true)}`;
  return `${head}\n\n${items.join("\n")}\n\n${help}`;
}

/** Answers what is no question: it is kept, and that is something. */
export function sayKept(topic: string, situation: Situation, told: boolean): string {
  return `I keep this (*${topic}*). Ask me about it here or in any other thread, and I find it again. To do more with it takes a language model, and ${lack(situation)}. ${remedy(situation, told)}`;
}

function whence({ byPerson, file, page }: FoundPassage): string {
  if (file !== "") return `*${plainMarkdown(file)}*${page === 0 ? "" : `, page ${page}`}`;
  return byPerson ? "you" : "the assistant";
}

/** A thread that is still called by its first words is not named beside them. */
function inThread({ title, text }: FoundPassage): string {
  return sameWords(title, text) ? "" : ` in *${titleOf(title)}*`;
}

function titleOf(title: string): string {
  return title === "" ? "Untitled" : plainMarkdown(shortened(title, 80));
}

function shortened(text: string, characters: number): string {
  const flat = text.replace(/\s+/g, " ").trim();
  if (flat.length <= characters) return flat;
  return `${flat.slice(0, characters).replace(/\s\S*$|[\uD800-\uDBFF]$/, "")} …`;
}

/** Until a better one comes, a thread's title is how it begins. */
function sameWords(title: string, begins: string): boolean {
  const bare = (text: string): string => text.replace(/[^\p{L}\p{N}]+/gu, "").toLowerCase();
  return bare(title) !== "" && bare(begins).startsWith(bare(title));
}
