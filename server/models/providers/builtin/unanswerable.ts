import { cutText } from "#contract/text.ts";
import { isArabic, plainArabic } from "./arabic.ts";
import { lackInArabic, remedyInArabic } from "./connect-arabic.ts";
import { lack, remedy, type Situation } from "./connect.ts";
import { bare } from "./framing.ts";

export type Unanswerable = {
  message: string;
  /** Names of files that came with it. */
  files: readonly string[];
  /** Whether this conversation was told already how to connect a model. */
  told: boolean;
  situation: Situation;
};

type Kind = { pattern: RegExp; task?: true; says(topic: string, lack: string): string };

const anythingElse: Kind = {
  pattern: /[\s\S]/,
  says: (topic, lack) => `I read this (${topic}), but it takes a language model to answer, and ${lack}.`,
};

/** Whether something is to be made or fetched that was never said: a text, code, a picture, a translation, news. */
export function isTask(message: string): boolean {
  const kind = kindOf(message);
  return kind?.task === true;
}

const orders =
  /^(?:please |pls |bitte |can you |could you |would you |will you |hey |ok |so |now )*(?:write|draft|compose|make|create|generate|give|tell|explain|describe|translate|summari[sz]e|list|show|fix|debug|help|plan|suggest|recommend|brainstorm|find|search|look|draw|paint|design|rewrite|rephrase|proofread|correct|implement|refactor|review|compare|define|convert|calculate|compute|solve|answer|think|imagine|act|pretend|play|let's|read|open|send|book|buy|order|call|teach|rate|analy[sz]e|check|schreibe?|erkläre?|übersetze?|zeige?|mache?|gib|hilf|écris|explique|traduis|donne|escribe|explica|traduce|haz|dame|i (?:need|want|would like)|i'd like)(?![\p{L}'])/iu;
/** Of texts as `plainArabic` writes them. */
const ordersInArabic =
  /^(?:من فضلك |رجاء |لو سمحت )?(?:اكتب|ترجم|اشرح|لخص|انشئ|ارسم|صمم|اقترح|اعطني|ساعدني|اخبرني|قل|حل|احسب|حول|اذكر|قارن|صحح|راجع|عدد|اعرض|ابحث|ولد|اريد|احتاج)(?![\p{L}])/u;
/** What a sentence that says something has, where words stand apart; other scripts are taken at their word. */
const says =
  /\d|:|(?<![\p{L}])(?:is|are|was|were|am|has|have|had|will|can|must|should|does|did|says?|said|lives?|costs?|works?|goes|went|comes?|came|needs?|wants?|likes?|loves?|got|gets?|takes?|took|moved|remember|note|ist|sind|war|hat|haben|wird|kommt|heißt|wohnt|est|sont|était|a|es|son|era|tiene)(?![\p{L}])/iu;

/** Whether it tells something, as far as its words show, and neither asks nor orders. */
export function isStatement(message: string): boolean {
  const text = message.trim();
  if (orders.test(text) || ordersInArabic.test(plainArabic(text)) || text.includes("```")) return false;
  const isSpaced = /^[\p{Script=Latin}\P{L}]*$/u.test(text);
  return isSpaced ? text.split(/\s+/).length >= 3 && says.test(text) : text.length >= 8;
}

/** What a question asks for decides what is said of it, so that it is plain that it was read. */
const kinds: readonly Kind[] = [
  {
    pattern:
      /^(?:translate|übersetze|traduis|traduce)\b|\b(?:translate|translation)\b.*\b(?:to|into|in)\b|\bhow do (?:you|i) say\b/i,
    task: true,
    says: (topic, lack) => `Translating (${topic}) takes a language model, and ${lack}.`,
  },
  {
    pattern: /\b(?:summari[sz]e|summary|tl;?dr|key points|shorten this|zusammenfass\w*|résume)\b/i,
    says: (topic, lack) =>
      `You would like a summary (${topic}). Reading and condensing text takes a language model, and ${lack}.`,
  },
  {
    pattern:
      /```|\b(?:code|function|python|javascript|typescript|java|rust|sql|regex|html|css|bash|script|program|bug|debug|stack ?trace|compile|api|class|algorithm|unit tests?)\b/i,
    says: (topic, lack) =>
      `This is about code (${topic}). Writing or reading code takes a language model, and ${lack}; a guess from me would be worse than none.`,
  },
  {
    pattern:
      /^(?:please )?(?:draw|paint|generate (?:an? )?(?:image|picture|photo|logo)|create (?:an? )?(?:image|picture|photo|logo)|make (?:an? )?(?:image|picture|logo))\b/i,
    task: true,
    says: (topic, lack) =>
      `You would like a picture (${topic}). That takes a model that makes images, and ${lack}.`,
  },
  {
    pattern:
      /\b(?:write|draft|compose|rewrite|rephrase|proofread|story|poem|essay|email|e-mail|letter|blog post|haiku|song|lyrics|speech|slogan|joke|schreibe?|écris|escribe)\b/i,
    says: (topic, lack) =>
      `You would like something written (${topic}). That takes a language model, and ${lack}.`,
  },
  {
    pattern: /\b(?:weather|news|stock|price of|exchange rate|score|latest|currently|right now|bitcoin)\b/i,
    says: (topic, lack) =>
      `You ask about something current (${topic}). I know nothing of the world outside this server. A language model may know more of it, and ${lack}.`,
  },
  {
    pattern:
      /\b(?:plan|ideas?|suggest\w*|recommend\w*|advice|should i|brainstorm|itinerary|recipe|gift|what to)\b/i,
    says: (topic, lack) =>
      `You would like ideas or advice (${topic}). That is for a language model, and ${lack}.`,
  },
  {
    pattern:
      /^(?:what|who|when|where|why|how|which|is|are|does|do|did|can|could|explain|describe|define|compare|tell|was|wer|wie|warum|wo|qui|que|qué|cómo|pourquoi|comment)\b|[?？]\s*$/i,
    says: (topic, lack) =>
      `I understand this as a question for a language model (${topic}). I do not guess, and ${lack}.`,
  },
  anythingElse,
];

function kindOf(message: string): Kind | undefined {
  return kinds.find(({ pattern }) => pattern.test(message));
}

/** What is said of a message that only a language model could answer. Never pretends to an answer. */
export function unanswerable({ message, files, told, situation }: Unanswerable): string {
  const topic = topicOf(message);
  if (isArabic(message)) return unanswerableInArabic({ message, files, told, situation });
  const kind = kindOf(message);
  const sentences = [
    message.trim() === ""
      ? `Looking at this takes a language model, and ${lack(situation)}.`
      : (kind?.says(`*${topic}*`, lack(situation)) ?? ""),
    files.length === 0
      ? ""
      : `${files.length === 1 ? `The file ${named(files)} is` : `The files ${named(files)} are`} kept with your message, but I cannot read ${files.length === 1 ? "it" : "them"}.`,
  ];
  return `${sentences.filter((sentence) => sentence !== "").join(" ")}\n\n${remedy(situation, told)}`;
}

function unanswerableInArabic({ message, files, told, situation }: Unanswerable): string {
  const names = named(files, "، ", (count) => ` و${count} غيرها`);
  const kept =
    files.length === 0
      ? ""
      : files.length === 1
        ? ` الملف ${names} محفوظ مع رسالتك، لكني لا أستطيع قراءته.`
        : ` الملفات ${names} محفوظة مع رسالتك، لكني لا أستطيع قراءتها.`;
  return `قرأت هذا (*${topicOf(message)}*)، لكن الإجابة عنه تحتاج إلى نموذج لغوي، ${lackInArabic(situation)}.${kept}\n\n${remedyInArabic(situation, told)}`;
}

/** A few of the message's own words, safe within Markdown's emphasis. */
export function topicOf(message: string, wordsMax = 8): string {
  return withoutMathematics(topicWords(message, wordsMax));
}

/** The same where no Markdown is read. */
export function topicWords(message: string, wordsMax: number): string {
  const first = message.split("\n").find((line) => bare(line) !== "") ?? message;
  const words = plain(bare(first) || first)
    .split(/\s+/)
    .filter((word) => word !== "");
  const short = words.slice(0, wordsMax).join(" ");
  const cut = cutText(short, 80);
  return cut.length < short.length || words.length > wordsMax
    ? `${cut.replace(/[,;:.\s]+$/, "")} …`
    : cut.replace(/[?؟!.,;:\s]+$/, "");
}

function named(
  files: readonly string[],
  comma = ", ",
  more = (count: number): string => ` and ${count} more`,
): string {
  return (
    files
      .slice(0, 3)
      .map((name) => `*${withoutMathematics(plain(name))}*`)
      .join(comma) + (files.length > 3 ? more(files.length - 3) : "")
  );
}

function plain(text: string): string {
  return text
    .replace(/[*_`~#>[\]<|\\]+/g, " ")
    .replace(/\s+/g, " ")
    .trim();
}

/** What stands between two such signs would be read as a formula. */
function withoutMathematics(text: string): string {
  return text.replaceAll("$", String.raw`\$`);
}
