import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { askedAt, builtInQuestions, type BuiltInQuestion } from "#fixtures/built-in-questions.ts";
import { ensureFirstApp, owner } from "#server/apps/first-app.ts";
import { builtinInfo, createBuiltinModel } from "#server/models/providers/builtin.ts";
import { createIndexer } from "#server/search/index-texts.ts";
import { createPassages } from "#server/search/passages/passages.ts";
import { createRecentThreads } from "#server/search/recent-threads.ts";
import { createTools } from "#server/tools/tools.ts";
import { openDatabase } from "#storage/database/open.ts";
import { storeThread } from "../../bench/support/store-thread.ts";
import { readRetrievalData } from "../../bench/support/retrieval-data.ts";
import { askModel, type ModelAnswer } from "../support/clients/ask-model.ts";

/** The most questions that the built-in assistant may answer otherwise than expected. */
const missedMax = 2;

test("the built-in assistant answers its questions", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "parlance-questions-"));
  const db = await openDatabase({ dataDir });
  const logger = { warn: () => {}, error: () => {} } as never;
  const indexer = createIndexer({ db });
  const threads = {
    passages: createPassages({ db, indexer }),
    recent: createRecentThreads({ db }),
    builtinId: builtinInfo.id,
  };
  const tools = createTools({ logger, threads });
  const nowMs = Date.parse(askedAt);
  const context = { nowMs, workspaceId: owner.workspaceId, timeZone: "UTC" };
  try {
    await ensureFirstApp(db, nowMs);
    const written = readRetrievalData();
    for (const thread of written.threads) await storeThread(db, thread);
    await indexer.catchUp(Infinity);
    const missed: string[] = [];
    for (const question of builtInQuestions) {
      const answer = await askModel(createBuiltinModel(), tools, [{ type: "text", text: question.ask }], {
        context,
        managesModels: true,
      });
      if (!isExpected(question, answer, written.marked)) missed.push(`${question.ask}\n    ${answer.text}`);
    }
    expect(builtInQuestions.length).toBeGreaterThan(70);
    expect(missed.length, `\nMissed:\n${missed.join("\n")}`).toBeLessThanOrEqual(missedMax);
  } finally {
    await tools.close();
    await db.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}, 60_000);

const cannot =
  /not a language model|لا نموذج لغوي|can(?:no|')t|cannot|not able|do not know|don't know|found nothing|nothing found|(?:for|takes|needs) a language model|none is connected|لا أستطيع|لا يمكن|لا أعرف|لم أجد|تعذّر|نموذج لغوي/i;
const connect = /(?=.*(?:model|نموذج))(?=.*(?:settings|\.env|api.?key|OPENAI|الإعدادات))/is;

function isExpected(
  question: BuiltInQuestion,
  answer: ModelAnswer,
  marked: ReadonlyMap<string, { answer: string }>,
): boolean {
  const text = plain(answer.text);
  if (!isInLanguageOf(question.ask, answer.text)) return false;
  if ("passage" in question) {
    return answer.sources.length > 0 && text.includes(plain(marked.get(question.passage)!.answer));
  }
  // A quote is not a calculation.
  if (answer.sources.length > 0) return false;
  if ("cannot" in question) return cannot.test(text);
  if ("connect" in question) return connect.test(text);
  if ("number" in question)
    return !cannot.test(text) && numbersOf(text).some((given) => isOneOf(given, question.number));
  if ("date" in question) return namesDay(text, question.date);
  return question.says.some((words) => text.toLowerCase().includes(words.toLowerCase()));
}

/** Removes Markdown syntax and thousands separators, and converts digits to 0 to 9. */
function plain(text: string): string {
  return text
    .replace(/[\u0660-\u0669]/g, (digit) => String(digit.charCodeAt(0) - 0x660))
    .replace(/^> ?/gm, "")
    .replace(/[\\*`]/g, "")
    .replace(/(?<=\d)[,\u066c](?=\d{3})/g, "")
    .replaceAll("\u066b", ".")
    .replaceAll("\u2212", "-")
    .replace(/\s+/g, " ");
}

function numbersOf(text: string): number[] {
  return (text.match(/-?\d+(?:\.\d+)?/g) ?? []).map(Number);
}

function isOneOf(given: number, expected: number | number[]): boolean {
  return [expected]
    .flat()
    .some((one) => (Number.isInteger(one) ? given === one : Math.abs(given - one) <= Math.abs(one) * 0.005));
}

function namesDay(text: string, iso: string): boolean {
  const day = new Date(`${iso}T00:00:00Z`);
  const words = ["en", "ar-EG-u-nu-latn", "ar-SY-u-nu-latn"].map((language) => {
    const month = day.toLocaleDateString(language, { month: "long", timeZone: "UTC" });
    return new RegExp(String.raw`(?<!\d)${day.getUTCDate()} ${month}|${month} ${day.getUTCDate()}(?!\d)`);
  });
  return text.includes(iso) || words.some((pattern) => pattern.test(text));
}

/** Quotations, code and emphasized text may be in any language, and an answer may have no words. */
function isInLanguageOf(question: string, answer: string): boolean {
  const words = answer.replace(/^>.*$|```[\s\S]*?```|`[^`]*`|\*+[^*]*\*+/gm, "");
  const isArabic = (text: string): boolean => /\p{Script=Arabic}/u.test(text);
  return !/\p{L}/u.test(words) || isArabic(question) === isArabic(words);
}
