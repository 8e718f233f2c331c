import type { Reply } from "#contract/fold.ts";
import { limits } from "#contract/limits.ts";
import { cleanText, cutText } from "#contract/text.ts";
import type { Logger } from "#server/lib/logger.ts";
import type { Messages } from "#server/messages/messages.ts";
import type { Model } from "#server/models/model.ts";
import type { Threads } from "#server/threads/threads.ts";
import type * as rows from "../rows.ts";

/** Longer than this no one reads in a list; the protocol's own bound is 255. */
const titleShownCharacters = 80;
const titlePatienceMs = 20_000;

export type TitleMaker = {
  /**
   * Titles a thread after its first answer, unless it has a title already. Failing is acceptable, and so is being
   * aborted by `signal`: the first words stay.
   */
  titleThread(run: rows.RunRow, model: Model, reply: Reply, signal: AbortSignal): Promise<void>;
  /** A title for these texts, as it is made. Gives nothing where there are no words; falls back to the first words. */
  stream(
    model: Model,
    texts: { user: string; assistant: string },
    signal: AbortSignal,
  ): AsyncGenerator<string, string>;
};

export function createTitleMaker(options: {
  threads: Threads;
  messages: Messages;
  logger: Logger;
}): TitleMaker {
  const { threads, messages, logger } = options;

  async function* stream(
    model: Model,
    texts: { user: string; assistant: string },
    signal: AbortSignal,
  ): AsyncGenerator<string, string> {
    const fallback = firstWords(texts.user);
    let said = "";
    try {
      const patience = AbortSignal.any([signal, AbortSignal.timeout(titlePatienceMs)]);
      for await (const event of model.stream(titleRequest(texts), patience)) {
        if (event.type === "text") said += event.text;
        if (said.length > 4 * limits.titleCharacters) break;
      }
    } catch (error) {
      if (signal.aborted) throw error;
      logger.warn({ err: error }, "a title could not be made; the first words stand in");
    }
    const title = tidyTitle(said) || fallback;
    if (title !== "") yield title;
    return title;
  }

  return {
    stream,
    async titleThread(run, model, reply, signal) {
      if (run.thread_id === null) return;
      const place = { projectId: run.project_id, workspaceId: run.workspace_id };
      const thread = await threads.get(place, run.thread_id).catch(() => undefined);
      if (thread === undefined || (thread.title !== null && thread.title_source !== "fallback")) return;
      const history = await messages.history(run.thread_id, run.reply_id!);
      const user = history.find((row) => row.role === "user")?.plain_text ?? "";
      const assistant = reply.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
      let title = "";
      try {
        for await (const text of stream(model, { user, assistant }, signal)) title += text;
      } catch (error) {
        if (signal.aborted) return;
        throw error;
      }
      if (title !== "") await threads.setTitleOnce(place, run.thread_id, title, "model");
    },
  };
}

/** The first words of what a person said: a title's stand-in. */
export function firstWords(text: string): string {
  const line = cleanText(text)
    .trim()
    .split("\n", 1)[0]!
    .replace(/[#*`_>~]+/g, " ");
  return cutText(
    line.split(/\s+/).filter(Boolean).slice(0, limits.titleWords).join(" "),
    titleShownCharacters,
  );
}

function titleRequest(texts: { user: string; assistant: string }) {
  const user = cutText(texts.user, limits.titlePromptCharacters);
  const assistant = cutText(texts.assistant, limits.titlePromptCharacters - user.length);
  const words = assistant === "" ? user : `${user}\n\n---\n\n${assistant}`;
  return {
    purpose: "title" as const,
    system: `Give this conversation a title of at most ${limits.titleWords} words, in the language of the person. Answer with the title alone, without quotes.`,
    messages: [{ role: "user" as const, parts: [{ type: "text" as const, text: words }] }],
    tools: [],
  };
}

/** A model's title without what models put around it: thoughts, quotes, a label, a full stop, further lines. */
export function tidyTitle(said: string): string {
  const answer = said.replace(/<think>[\s\S]*?(<\/think>|$)/g, "").trim();
  const line = answer.split("\n", 1)[0]!.replace(/^\s*(#+|title:)\s*/i, "");
  const bare = line.replace(/^[\s"'“”„«»*`]+|[\s"'“”„«»*`.]+$/g, "");
  return cutText(cleanText(bare), titleShownCharacters);
}
