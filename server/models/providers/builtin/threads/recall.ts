import type { Temporal } from "temporal-polyfill";
import { isArabic } from "../arabic.ts";
import { readRecallInArabic } from "./recall-arabic.ts";
import { monthOrYear, readPeriod, takePeriod, type Period } from "./period.ts";

/** What a message wants of what was said before. */
export type Recall =
  | { kind: "list"; period?: Period; limit?: number }
  /** `open`: it may be about anything, and only perhaps about what was said. */
  | { kind: "search"; query: string; period?: Period; open?: true }
  | { kind: "summary"; of: "last" | "this" | { query: string } };

/** Longer than this nobody asks. */
const askedCharactersMax = 600;

const nouns =
  "(?:threads?|conversations?|chats?|discussions?|talks?|messages?|notes?|gespräche?|unterhaltung(?:en)?)";
const us = "(?:i|we|you and i|you|wir|ich)";
const asked = String.raw`(?:(?:please|hey|hi|ok|and|so)[\s,]+)*(?:(?:can|could|would|will) you (?:please )?)?`;

const summaryOf = new RegExp(
  `^${asked}(?:summari[sz]e|sum up|recap|(?:give me |make |write )?(?:a |the )?(?:short |brief )?(?:summary|recap|gist) (?:of|from)|what(?:'s| is| was) the (?:gist|summary) of|tl;?dr:?(?: of)?) (.+)$`,
  "iu",
);
const wasAbout = new RegExp(
  `^${asked}what (?:was|were) (?:my|our|the) (?:last|latest|previous|most recent) ${nouns} about$`,
  "iu",
);
const thisOne = new RegExp(
  `^(?:this|it|everything|(?:this|our|the|the current) ${nouns})(?: (?:so far|here|until now))?$`,
  "iu",
);
const lastOne = new RegExp(`^(?:my|our|the)? ?(?:last|latest|previous|most recent|recent) ${nouns}$`, "iu");
const oneAbout = new RegExp(
  `^(?:my |our |the |what (?:${us} )?(?:said|discussed|wrote|talked) )?(?:${nouns} )?(?:about|on|regarding|with|called|titled|named) (.+)$`,
  "iu",
);

const didTalk = new RegExp(
  `^${asked}(?:tell me )?what (?:(?:did|have|had|do) )?${us} (?:all )?(?:been )?(?:talk(?:ed|ing)?|speak|spoken|chat(?:ted)?|discuss(?:ed)?|ask(?:ed)?|tell|told|write|written|say|said|work(?:ed)? on|do|done)?(?: about)?(?: here| (?:with |to )?(?:you|me))?(?: (.*))?$`,
  "iu",
);
const gesprochen = /^(?:worüber|was) (?:haben|hatten) wir (.+?) (?:besprochen|geredet|gesprochen)$/iu;
const listOf = new RegExp(
  `^${asked}(?:list|show(?: me)?|give me|what (?:are|were)|which (?:are|were)|open|zeig(?:e)?(?: mir)?)?(?: all)?(?: of)? ?(?:my|our|the|meine)? ?(?:last|latest|recent|most recent|previous|letzten)? ?(\\d{1,2} )?(?:last |recent )?(?:threads|conversations|chats|discussions|gespräche)(?: (?:from|of|in|since|during)(?= ))?(?: (.+))?$`,
  "iu",
);

const searches: readonly RegExp[] = [
  new RegExp(
    `^${asked}(?:what|where|when|why|how|which|who)? ?(?:exactly )?(?:did|have|had|do|was) ${us} (?:ever )?(?:say|said|mention(?:ed)?|write|written|wrote|note|noted|noted down|tell|told|discuss(?:ed)?|decide(?:d)?|talk(?:ed)?|ask(?:ed)?|agree(?:d)?|settle(?:d)?)(?: (?:(?:to|with) )?(?:you|me|us)(?= ))?(?: (?:down|about|on|of|regarding|that|concerning|for|to))* (.+)$`,
    "iu",
  ),
  new RegExp(
    `^${asked}(?:search|look|find|dig)(?: (?:in|through|into|up))?(?: (?:my|our|all|the))? ?${nouns}? ?(?:for|about|on|mentioning|where ${us} (?:talked|spoke|wrote|said)(?: something)?(?: about)?) (.+)$`,
    "iu",
  ),
  new RegExp(
    `^${asked}(?:find|show)(?: me)? (?:my|our|the|everything|anything|all|all my) ?${nouns}? ?(?:about|on|mentioning|with|regarding) (.+)$`,
    "iu",
  ),
  new RegExp(
    `^${asked}(?:do you remember|remind me(?: again)?(?: of| about)?|what do (?:you|i|we) (?:already )?know about|is there anything about|anything about|(?:my|our) notes? (?:on|about)) (.+)$`,
    "iu",
  ),
  /^(?:durchsuche|suche) (?:meine |alle )?(?:gespräche|notizen|unterhaltungen)? ?(?:nach )?(.+)$/iu,
];

/** A message that asks for what was said before; `undefined` for any other. */
export function readRecall(message: string, today: Temporal.PlainDate): Recall | undefined {
  const text = message
    .replace(/[’‘]/g, "'")
    .replace(/\s+/g, " ")
    .replace(/[\s?？؟!.]+$/u, "")
    .trim();
  if (text === "" || text.length > askedCharactersMax || /\d\s*[*/^]\s*\d/.test(text)) return undefined;
  if (isArabic(text)) return readRecallInArabic(text, today);
  return readSummary(text, today) ?? readList(text, today) ?? readSearch(text, today);
}

const interrogatives =
  /^(?:what|who|whom|whose|when|where|why|how|which|is|are|was|were|does|do|did|can|could|may|should|has|have|will|wer|was|wann|wo|wie|warum|welche[rsmn]?|wieviel|qui|que|quoi|quand|où|comment|pourquoi|combien|quel(?:le)?s?|quién|qué|cuándo|dónde|cómo|cuánto|chi|cosa|quando|dove|come|perché|quem|onde|wie|hoe|waar|wanneer|vem|vad|när|var|hur|кто|что|когда|где|как|почему|сколько|هل|ما|ماذا|متى|أين|كيف|كم|من|لماذا)(?![\p{L}'])/iu;
const asksWithin =
  /[吗呢]$|什么|怎么|多少|多久|哪|谁|几点|か。?$|何|誰|いつ|どこ|どう|뭐|언제|어디|누구|나요$|까요$/u;

/** Whether a message asks something, in any of many languages; what it asks may have been said before. */
export function isQuestion(message: string): boolean {
  const text = message.trim();
  return /[?？؟]["'”»)\s]*$/.test(text) || interrogatives.test(text) || asksWithin.test(text);
}

function readSummary(text: string, today: Temporal.PlainDate): Recall | undefined {
  if (wasAbout.test(text)) return { kind: "summary", of: "last" };
  const of = summaryOf.exec(text)?.[1];
  if (of === undefined) return undefined;
  if (thisOne.test(of)) return { kind: "summary", of: "this" };
  if (lastOne.test(of)) return { kind: "summary", of: "last" };
  const query = oneAbout.exec(of)?.[1];
  if (query !== undefined) return { kind: "summary", of: { query } };
  const { text: rest, period } = takePeriod(of, today);
  const isTalk = new RegExp(
    `^(?:(?:my|our|the|all) )*${nouns}(?: (?:of|from|in))?$|^what ${us} (?:said|discussed|talked about|did)$`,
    "iu",
  );
  return period !== undefined && isTalk.test(rest) ? { kind: "list", period } : undefined;
}

function readList(text: string, today: Temporal.PlainDate): Recall | undefined {
  const listed = listOf.exec(text);
  if (listed !== null) {
    const [, count, when] = listed;
    const period = when === undefined ? undefined : readPeriod(when, today);
    const about = when === undefined ? undefined : /^(?:about|on|with|mentioning) (.+)$/iu.exec(when)?.[1];
    if (about !== undefined) return searchFor(about, today);
    if (when === undefined || period !== undefined)
      return {
        kind: "list",
        ...(period === undefined ? {} : { period }),
        ...(count === undefined ? {} : { limit: Number(count) }),
      };
  }
  const topic = new RegExp(`\\babout (${monthOrYear})$`, "iu").exec(text)?.[1];
  if (topic !== undefined) return { kind: "search", query: topic };
  const talked = didTalk.exec(text);
  const when = gesprochen.exec(text)?.[1] ?? talked?.[1] ?? (talked === null ? undefined : "");
  if (when === undefined) return undefined;
  if (
    /^(?:recently|lately|so far|before|last|last time|zuletzt)?$/iu.test(when) &&
    /\b(?:talk|discuss|chat|speak|spoken)/iu.test(text)
  )
    return { kind: "list" };
  if (
    when === "" &&
    /\b(?:ask(?:ed)?|tell|told|say|said|write|written) (?:(?:to|with) )?(?:you|me)$/iu.test(text)
  )
    return { kind: "list" };
  const period = readPeriod(when, today);
  return period === undefined ? undefined : { kind: "list", period };
}

function readSearch(text: string, today: Temporal.PlainDate): Recall | undefined {
  for (const pattern of searches) {
    const query = pattern.exec(text)?.[1];
    if (query !== undefined) return searchFor(query, today);
  }
  return undefined;
}

function searchFor(query: string, today: Temporal.PlainDate): Recall {
  const { text, period } = takePeriod(query, today);
  if (period === undefined || text === "") return { kind: "search", query };
  return { kind: "search", query: text, period };
}
