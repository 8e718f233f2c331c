import { countInArabic } from "../arabic.ts";
import { lackInArabic, remedyInArabic } from "../connect-arabic.ts";
import type { Help, Phrases } from "./phrases.ts";
import { plainMarkdown, quotation } from "../quote.ts";
import type { FoundPassage } from "./results.ts";
import { itemOf, printed, sameWords, sureFit, titleOf } from "./telling.ts";

const day = { day: "numeric", month: "long", year: "numeric" } as const;
const hour = { hour: "2-digit", minute: "2-digit" } as const;
const untitled = "بلا عنوان";

/** What was found, told in Arabic. */
export function inArabic(timeZone: string): Phrases {
  const at = (ms: number, how: Intl.DateTimeFormatOptions): string =>
    printed(ms, how, timeZone, "ar-EG-u-ca-gregory-nu-latn");
  return {
    found: (passages) =>
      [
        headOf(passages),
        ...passages.map(
          (passage) =>
            `${quotation(passage.text)}\n>\n> **[${passage.source}]** ${whence(passage)}${inThread(passage)}، ${at(passage.saidAtMs, day)}`,
        ),
      ].join("\n\n"),

    noAnswer: (help) =>
      withHelp(
        `أبحث وأقتبس؛ أما الجواب بكلمات أخرى فيحتاج إلى نموذج لغوي، ${lackInArabic(help.situation)}.`,
        help,
      ),

    nothingFound(topic, period, help) {
      const when = period === undefined ? "" : ` ${period.words}`;
      return withHelp(
        `لم أجد شيئًا عن *${plainMarkdown(topic)}* في محادثاتك${when}. أبحث عن الكلمات نفسها وصيغها الأخرى، فقد تجده كلمات غيرها. أما البحث بالمعنى فيحتاج إلى نموذج لغوي، ${lackInArabic(help.situation)}.`,
        help,
      );
    },

    list(threads, period) {
      const when = period === undefined ? "" : ` ${period.words}`;
      if (threads.length === 0)
        return period === undefined
          ? "لا توجد محادثة أخرى بعد. ما تكتبه يبقى هنا، ويمكن البحث عنه لاحقًا."
          : `لم تكن هناك محادثة أخرى${when}.`;
      const head =
        period === undefined
          ? threads.length === 1
            ? "محادثتك الأخرى الوحيدة:"
            : "آخر محادثاتك:"
          : `${countInArabic(threads.length, ["محادثة واحدة", "محادثتان", "محادثات", "محادثة", "محادثة"])}${when}:`;
      const items = threads.map((thread) => {
        const said = at(thread.lastMessageAtMs, period?.isDay === true ? hour : day);
        return `${itemOf(thread, untitled)} (${messagesOf(thread.messages)}${said === "" ? "" : `، ${said}`})`;
      });
      return `${head}\n\n${items.join("\n")}`;
    },

    summary(of, picked, help) {
      const days = [at(of.firstAtMs, day), at(of.lastAtMs, day)];
      const when = days[0] === days[1] ? days[0]! : `من ${days[0]} إلى ${days[1]}`;
      const head = `${of.title === "" ? "هذه المحادثة" : `*${titleOf(of.title, untitled)}*`}، ${messagesOf(of.messages)}${when === "" ? "" : `، ${when}`}. الجمل التي تقول معظم ما فيها:`;
      const items = picked.map(
        ({ of: said, sentence, number }) =>
          `- ${said.byPerson ? "أنت" : "المساعد"}: ${plainMarkdown(sentence)}${number === undefined ? "" : ` **[${number}]**`}`,
      );
      const words = `أختار جملًا ولا أكتب شيئًا من عندي: أما الملخص بكلمات أخرى فيحتاج إلى نموذج لغوي، ${lackInArabic(help.situation)}.`;
      return `${head}\n\n${items.join("\n")}\n\n${withHelp(words, help)}`;
    },

    nothingToSummarise: "لم يُقل هناك بعد ما يمكن تلخيصه.",
    failed: "لم أستطع النظر في محادثاتك الآن. حاول مرة أخرى بعد قليل.",
  };
}

export function sayKeptInArabic(topic: string, { situation, told }: Help): string {
  return `أحتفظ بهذا (*${topic}*). اسألني عنه هنا أو في أي محادثة أخرى فأجده لك. أما ما هو أكثر من ذلك فيحتاج إلى نموذج لغوي، ${lackInArabic(situation)}. ${remedyInArabic(situation, told)}`;
}

function withHelp(words: string, { situation, told }: Help): string {
  return told && situation.connected === undefined ? words : `${words} ${remedyInArabic(situation, true)}`;
}

function headOf(passages: readonly FoundPassage[]): string {
  const one = passages.length === 1;
  if (Math.max(...passages.map(({ fit }) => fit)) < sureFit)
    return one
      ? "لا شيء في محادثاتك يجمع هذا كله. أقرب موضع إليه:"
      : "لا شيء في محادثاتك يجمع هذا كله. أقرب المواضع إليه:";
  return one ? "ورد هذا في محادثاتك:" : "أنسب المواضع في محادثاتك:";
}

function whence({ byPerson, file, page }: FoundPassage): string {
  if (file !== "") return `*${plainMarkdown(file)}*${page === 0 ? "" : `، الصفحة ${page}`}`;
  return byPerson ? "أنت" : "المساعد";
}

function inThread({ title, text }: FoundPassage): string {
  return sameWords(title, text) ? "" : ` في *${titleOf(title, untitled)}*`;
}

function messagesOf(count: number): string {
  return countInArabic(count, ["رسالة واحدة", "رسالتان", "رسائل", "رسالة", "رسالة"]);
}
