import { limits } from "#contract/limits.ts";
import { cleanText, cutText } from "#contract/text.ts";
import { cutAtWord } from "#server/lib/cut-at-word.ts";
import type { Database } from "#storage/database/database.ts";
import type { Jobs } from "#server/jobs/jobs.ts";
import type { Payloads } from "#server/jobs/kinds.ts";
import type { Clock } from "#server/lib/clock.ts";
import type { Logger } from "#server/lib/logger.ts";
import type { Messages } from "#server/messages/messages.ts";
import type { Model } from "#server/models/model.ts";
import type { Models } from "#server/models/models.ts";
import type { Threads } from "#server/threads/threads.ts";
import { firstWords, titleCharactersMax } from "#server/threads/first-words.ts";
import { modelOrDefault } from "../prepare/choose.ts";
import { askForText, isAnswer, withoutReasoning, type AskedText } from "./ask-for-text.ts";
import type { SmallTasks } from "./small-tasks.ts";
import { createTaskRecorder } from "../requests/recorder.ts";
import type { RequestOwner } from "../requests/rows.ts";
import * as rows from "../rows.ts";

const titleTimeoutMs = 20_000;

export type TitleGenerator = ReturnType<typeof createTitleGenerator>;

export function createTitleGenerator(dependencies: {
  db: Database;
  clock: Clock;
  threads: Threads;
  messages: Messages;
  models: Models;
  smallTasks: SmallTasks;
  jobs: Pick<Jobs, "add">;
  logger: Logger;
}) {
  const { db, threads, messages, models, smallTasks, jobs, logger } = dependencies;

  async function* stream(
    model: Model | undefined,
    texts: { user: string; assistant: string },
    owner: RequestOwner,
    signal: AbortSignal,
  ): AsyncGenerator<string, string> {
    const words = firstWords(texts.user);
    const title = model === undefined ? words : (await ask(model, texts, owner, signal)) || words;
    if (title !== "") yield title;
    return title;
  }

  /** The title that the model writes. Empty if it fails. */
  async function ask(
    model: Model,
    texts: { user: string; assistant: string },
    owner: RequestOwner,
    signal: AbortSignal,
  ): Promise<string> {
    const recorder = createTaskRecorder({ ...dependencies, owner, purpose: "title" });
    const charactersMax = 4 * limits.titleCharacters;
    const options = { timeoutMs: titleTimeoutMs, charactersMax, observer: recorder.observer(), signal };
    try {
      const asked = await askForText(model, titleRequest(texts), options);
      return isTitle(asked) ? cleanTitle(asked.text) : "";
    } catch (error) {
      if (signal.aborted) throw error;
      logger.warn({ err: error }, "could not generate a title; using the first words");
      return "";
    } finally {
      await recorder.save();
    }
  }

  /** Whether the thread of the run is there and may get a title from a model. */
  async function mayTitle(run: rows.RunRow): Promise<boolean> {
    if (run.thread_id === null || !(await smallTasks.isOn("title"))) return false;
    const thread = await threads.get(scopeOf(run), run.thread_id).catch(() => undefined);
    if (thread === undefined || thread.temporary_until !== null) return false;
    return thread.title === null || thread.title_source === "fallback";
  }

  return {
    /**
     * Streams and returns a title for these texts: the first words if there is no model or it fails, nothing if there are no
     * words. Throws the signal's reason.
     */
    stream,
    /** Lets a thread be titled after its first answer, unless it has a title or is being titled. */
    async afterAnswer(run: rows.RunRow): Promise<void> {
      if (await mayTitle(run))
        await jobs.add("title", run.thread_id!, { runId: run.id }, { threadId: run.thread_id! });
    },
    /** Titles the thread of a run. If the model fails, the thread keeps the first words as its title. */
    async titleThread({ runId }: Payloads["title"], _: unknown, signal: AbortSignal): Promise<void> {
      const run = await rows.readRun(db, runId);
      if (run === undefined || !(await mayTitle(run))) return;
      // The fallback model, if that one answered.
      const answering = await modelOrDefault(models, run);
      const model = await smallTasks.model("title", answering, rows.modelUseOf(run));
      if (model === undefined) return;
      const history = await messages.history(run.thread_id!, run.reply_id!);
      const user = history.find((row) => row.role === "user")?.plain_text ?? "";
      const texts = { user, assistant: history.at(-1)?.plain_text ?? "" };
      let title = "";
      for await (const text of stream(model, texts, { runId: run.id }, signal)) title += text;
      if (title !== "") await threads.setTitleOnce(scopeOf(run), run.thread_id!, title, "model");
    },
  };
}

function scopeOf(run: rows.RunRow) {
  return { appId: run.app_id, workspaceId: run.workspace_id };
}

function titleRequest(texts: { user: string; assistant: string }) {
  const user = cutText(texts.user, limits.titlePromptCharacters);
  const assistant = cutText(texts.assistant, limits.titlePromptCharacters - user.length);
  const text = assistant === "" ? user : `${user}\n\n---\n\n${assistant}`;
  return {
    purpose: "title" as const,
    system: `Give this conversation a title of at most ${limits.titleWords} words, in the language of the conversation. Answer with the title alone, without quotes.`,
    messages: [{ role: "user" as const, parts: [{ type: "text" as const, text }] }],
    tools: [],
  };
}

/** Bold, italic and code in Markdown. Not `2*3*4`, `A*` or `__init__.py`. */
const emphasis = /(?<=^|[\s(])(\*\*|[*`])(?=\S)(.+?)(?<=\S)\1(?=$|[\s).,:;!?])/g;

/** Whether the first line of the text is a title: not a refusal, a call of a tool or a line that the model did not end. */
function isTitle(asked: AskedText): boolean {
  return isAnswer(asked) && (asked.ended !== "length" || withoutReasoning(asked.text).includes("\n"));
}

/** A model's title without reasoning, Markdown, quotes, a label, the full stop and further lines. */
export function cleanTitle(output: string): string {
  const line = withoutReasoning(output)
    .split("\n", 1)[0]!
    .replace(/^\s*(#+|title:)\s*/i, "");
  const plain = line.replace(emphasis, "$2");
  const bare = plain.replace(/^[\s"'“”„«»*`]+|[\s"'“”„«»*`.]+$/g, "");
  return cutAtWord(cleanText(bare), titleCharactersMax);
}
