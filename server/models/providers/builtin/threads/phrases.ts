import { lack, remedy, type Situation } from "../connect.ts";
import { monthOrYear, type Period } from "./period.ts";
import { plainMarkdown, quotation } from "../quote.ts";
import type { FoundPassage, ListedThread } from "./results.ts";
import type { Picked } from "./summary.ts";
import { itemOf, printed, sameWords, sureFit, titleOf } from "./telling.ts";

/** The words in which the built-in assistant tells what it found. Markdown; nothing that is quoted in it comes to life. */
export type Phrases = {
  found(passages: readonly FoundPassage[]): string;
  /** Behind what was found for a question that a language model would have answered. */
  noAnswer(help: Help): string;
  nothingFound(topic: string, period: Period | undefined, help: Help): string;
  list(threads: readonly (ListedThread & { number: number })[], period: Period | undefined): string;
  summary(of: Summarised, picked: readonly (Picked & { number?: number })[], help: Help): string;
  nothingToSummarise: string;
  /** The tools failed. */
  failed: string;
};

/** What a language model would do better, said with the way to one; `told`: this conversation knows it already. */
export type Help = { situation: Situation; told: boolean };

/** An empty `title` is that of this conversation. */
export type Summarised = { title: string; messages: number; firstAtMs: number; lastAtMs: number };

const day = { day: "numeric", month: "long", year: "numeric" } as const;
const shortDay = { day: "numeric", month: "short", year: "numeric" } as const;
const hour = { hour: "2-digit", minute: "2-digit" } as const;
const untitled = "Untitled";

export function inEnglish(timeZone: string): Phrases {
  const at = (ms: number, how: Intl.DateTimeFormatOptions): string => printed(ms, how, timeZone, "en-GB");
  return {
    found: (passages) =>
      [
        headOf(passages),
        ...passages.map(
          (passage) =>
            `${quotation(passage.text)}\n>\n> **[${passage.source}]** ${whence(passage)}${inThread(passage)}, ${at(passage.saidAtMs, day)}`,
        ),
      ].join("\n\n"),

    noAnswer: (help) =>
      withHelp(
        `I look up and quote; an answer in words of its own takes a language model, and ${lack(help.situation)}.`,
        help,
      ),

    nothingFound(topic, period, help) {
      const when = whenOf(period);
      return withHelp(
        `I found nothing about *${plainMarkdown(topic)}* in your threads${when}. I go by the words themselves and their other forms, so other words may find it. To go by what is meant takes a language model, and ${lack(help.situation)}.`,
        help,
      );
    },

    list(threads, period) {
      const when = whenOf(period);
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
      // Of a single day the hour, else the day.
      const how = period?.isDay === true ? hour : shortDay;
      const items = threads.map(
        (thread) =>
          `${itemOf(thread, untitled)} (${messagesOf(thread.messages)}, ${at(thread.lastMessageAtMs, how)})`,
      );
      return `${head}\n\n${items.join("\n")}`;
    },

    summary(of, picked, help) {
      const days = [at(of.firstAtMs, day), at(of.lastAtMs, day)];
      const when = days[0] === days[1] ? days[0]! : `${days[0]} to ${days[1]}`;
      const head = `${of.title === "" ? "This conversation" : `*${titleOf(of.title, untitled)}*`}, ${messagesOf(of.messages)}${when === "" ? "" : `, ${when}`}. The sentences that say most of it:`;
      const items = picked.map(
        ({ of: said, sentence, number }) =>
          `- ${said.byPerson ? "You" : "Assistant"}: ${plainMarkdown(sentence)}${number === undefined ? "" : ` **[${number}]**`}`,
      );
      const words = `I pick sentences and write none: a summary in other words takes a language model, and ${lack(help.situation)}.`;
      return `${head}\n\n${items.join("\n")}\n\n${withHelp(words, help)}`;
    },

    nothingToSummarise: "Nothing was said there yet that could be summarised.",
    failed: "I could not look into your threads just now. Try again in a moment.",
  };
}

/** Answers what is no question: it is kept, and that is something. */
export function sayKept(topic: string, { situation, told }: Help): string {
  return `I keep this (*${topic}*). Ask me about it here or in any other thread, and I find it again. To do more with it takes a language model, and ${lack(situation)}. ${remedy(situation, told)}`;
}

function withHelp(words: string, { situation, told }: Help): string {
  return told && situation.connected === undefined ? words : `${words} ${remedy(situation, true)}`;
}

function headOf(passages: readonly FoundPassage[]): string {
  const one = passages.length === 1;
  if (Math.max(...passages.map(({ fit }) => fit)) < sureFit)
    return one
      ? "Nothing in your threads has all of this. The place that comes closest:"
      : "Nothing in your threads has all of this. The places that come closest:";
  return one ? "This stands in your threads:" : "These places in your threads fit best:";
}

function whence({ byPerson, file, page }: FoundPassage): string {
  if (file !== "") return `*${plainMarkdown(file)}*${page === 0 ? "" : `, page ${page}`}`;
  return byPerson ? "you" : "the assistant";
}

/** A thread that is still called by its first words is not named beside them. */
function inThread({ title, text }: FoundPassage): string {
  return sameWords(title, text) ? "" : ` in *${titleOf(title, untitled)}*`;
}

function messagesOf(count: number): string {
  return count === 1 ? "1 message" : `${count} messages`;
}

const bareTime = new RegExp(`^(?:${monthOrYear})$`, "iu");

/** As it stands in a sentence: "yesterday", "in October". */
function whenOf(period: Period | undefined): string {
  if (period === undefined) return "";
  return bareTime.test(period.words) ? ` in ${period.words}` : ` ${period.words}`;
}
