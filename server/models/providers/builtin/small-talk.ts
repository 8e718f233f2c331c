import { isArabic } from "./arabic.ts";
import { isPleasantryInArabic, smallTalkInArabic } from "./small-talk-arabic.ts";
import { lack, remedy, whatICanDo, type Situation } from "./connect.ts";

const greeting =
  "(?:hi+|hello+|hey+|hiya|yo|howdy|greetings|good (?:morning|afternoon|evening|day)|hallo|guten (?:tag|morgen|abend)|moin|servus|bonjour|salut|bonsoir|hola|buenos días|buenas(?: tardes)?|ciao|buongiorno|olá|oi|hoi|hej|cześć|привет|здравствуйте|你好|こんにちは|안녕하세요|مرحبا|नमस्ते)";
const addressed = "(?:[\\s,]+(?:there|all|everyone|assistant|parlance|bot|friend|again|you|computer))?";
const thanks =
  "(?:(?:many )?thanks?|thank you|thx|ty|cheers|danke|vielen dank|dankeschön|merci|gracias|grazie|obrigad[oa]|bedankt|спасибо|ありがとう|谢谢)(?:[\\s,]+(?:a lot|so much|very much|again|you|that (?:helps|helped)|schön|beaucoup|mille|muchas))*";

const greetingOnly = new RegExp(
  `^${greeting}${addressed}[\\s!.,?]*(?:how are you(?: doing)?(?: today)?|how's it going|what'?s up|nice to meet you)?[\\s!.,?🙂👋]*$`,
  "iu",
);
const thanksOnly = new RegExp(
  `^(?:(?:ok|okay|great|perfect|cool|nice|super|awesome|wonderful)[\\s,!.]*)?${thanks}[\\s!.,🙂🙏👍]*$`,
  "iu",
);
const praiseOnly =
  /^(?:ok(?:ay)?|great|perfect|cool|nice|super|awesome|good(?: job)?|well done|got it|i see|alright|fine|sure|yes|no|yep|nope|👍|lol|haha+)[\s!.]*$/iu;

type Talk = { pattern: RegExp; answer(situation: Situation): string };

const talks: readonly Talk[] = [
  {
    pattern: thanksOnly,
    answer: () =>
      "You are welcome. Ask away when there is something else to work out: sums, percentages, units or dates.",
  },
  {
    pattern:
      /^(?:good ?bye|bye(?:[ -]bye)?|see you(?: later| soon)?|cu|tschüss|ciao ciao|auf wiedersehen|au revoir|adiós|good ?night|gute nacht)[\s!.]*$/iu,
    answer: () => "Goodbye. This conversation stays in the list, should you want to come back to it.",
  },
  {
    pattern:
      /^(?:how are you(?: doing)?(?: today)?|how's it going|how do you do|wie geht(?:'s| es dir)|ça va|cómo estás|what'?s up)[\s!.?]*$/iu,
    answer: () =>
      "All is in order here. I am the built-in assistant and no language model, so I keep to what can be worked out. Try *days until Christmas* or *15% of 240*.",
  },
  {
    pattern:
      /^(?:(?:what|how) (?:can|could|do) you (?:do|help(?: me)?(?: with)?|offer|know)(?: (?:for me|now|here))?|how can you help(?: me)?|help(?: me)?|\/?help|what (?:are|is) (?:your )?(?:you able to do|capabilities|skills|features)|what are you able to do|what can i (?:do|ask)(?: you)?(?: here)?|commands|menu|usage|was kannst du|hilfe|que sais-tu faire|qué puedes hacer)[\s!.?]*$/iu,
    answer: (situation) =>
      `${whatICanDo(situation)}\n\nOpen questions, writing and code take a language model, and ${lack(situation)}. ${remedy(situation, true)}`,
  },
  {
    pattern:
      /^(?:who|what|which (?:model|ai|llm)|what (?:model|ai|llm)) (?:are|is) (?:you|this)(?: using| running(?: on)?)?[\s!.?]*$|^(?:are|is) (?:you|this) (?:an? )?(?:ai|chatgpt|gpt(?:-?\d\S*)?|claude|gemini|llama|bot|robot|human|real|language model|llm)[\s!.?]*$|^(?:wer|was) bist du[\s!.?]*$|^(?:introduce yourself|what'?s your name|what is your name|your name)[\s!.?]*$/iu,
    answer: (situation) =>
      `I am the built-in assistant of this server: a small program and no language model.${situation.connected === undefined ? " No language model is connected here." : ""}\n\n${whatICanDo(situation)}\n\n${remedy(situation, true)}`,
  },
  {
    pattern:
      /\b(?:connect|set ?up|configure|install|add|use|enable|change|switch(?: to)?|plug in|hook up)\b.{0,40}\b(?:(?:language |ai |chat )?models?|llms?|ollama|openai|gpt\S*|api[- ]?keys?|provider)\b|\bOPENAI_(?:BASE_URL|API_KEY|MODEL)\b|\bno (?:language )?model (?:is )?connected\b/iu,
    answer: (situation) =>
      situation.connected === undefined
        ? `No language model is connected at the moment. ${remedy(situation, false)}`
        : `A language model is connected: **${situation.connected}**. ${remedy(situation, false)}`,
  },
  {
    pattern:
      /^(?:test(?:ing)?(?: test| 1,? ?2,? ?3)*|ping|hello world|is (?:this|it) (?:on|working)|does (?:this|it) work|anybody (?:there|here)|are you (?:there|online|awake))[\s!.?]*$/iu,
    answer: () =>
      "It works: your message arrived, and this answer streams back. It is the built-in assistant that speaks, which is no language model. Try `12 * (3 + 4)` or *10 miles in km*.",
  },
  {
    pattern: praiseOnly,
    answer: () => "Good. What shall I work out next: a sum, a percentage, a unit or a date?",
  },
];

/** The answer to what is said to be friendly, to find out what this is, or to connect a model; `undefined` otherwise. */
export function smallTalk(message: string, situation: Situation): string | undefined {
  const text = message.trim().replace(/[’‘]/g, "'").replace(/\s+/g, " ");
  if (text === "" || text.length > 150) return undefined;
  if (isArabic(text)) return smallTalkInArabic(text, situation);
  if (greetingOnly.test(text)) {
    const who = "Hello! I am the built-in assistant of this server";
    const why = situation.connected === undefined ? "; no language model is connected yet" : "";
    return `${who}${why}.\n\n${whatICanDo(situation)}\n\n${remedy(situation, true)}`;
  }
  return talks.find(({ pattern }) => pattern.test(text))?.answer(situation);
}

/** Words around a question that ask nothing: "Hi!", "thanks", "please calculate:". */
export function isPleasantry(text: string): boolean {
  const words = text.trim();
  if (words.length > 200) return false;
  return (
    greetingOnly.test(words) ||
    thanksOnly.test(words) ||
    praiseOnly.test(words) ||
    requestOnly.test(words) ||
    isPleasantryInArabic(words)
  );
}

const requestOnly =
  /^(?:(?:hi|hello|hey|please|can you|could you|i (?:have|need|want)(?: to)?|help me(?: to| with)?|calculate|compute|convert|work out|answer|tell me|solve|me|the|these|this|following|a few|some|questions?|sums?|calculations?|conversions?|numbers?|dates?|what (?:is|are)|for me|thanks)[\s,:.!?]*)+$/iu;
