import type { Message } from "#contract/endpoints/messages.ts";
import type { JsonObject } from "#contract/json.ts";
import { plainText } from "#contract/parts/stored.ts";
import { cleanText } from "#contract/text.ts";
import type { Apps } from "#server/apps/apps.ts";
import { createKeyedMutex } from "#server/lib/concurrency/keyed-mutex.ts";
import type { Jobs } from "#server/jobs/jobs.ts";
import type { Payloads } from "#server/jobs/kinds.ts";
import type { Logger } from "#server/lib/logger.ts";
import type { Visitor } from "#server/lib/route.ts";
import type { Messages } from "#server/messages/messages.ts";
import type { Models } from "#server/models/models.ts";
import type { SmallTasks } from "#server/runs/small-tasks/small-tasks.ts";
import type { ModelRules } from "#server/runs/model-rules.ts";
import { modelOrDefault } from "#server/runs/prepare/choose.ts";
import type { TitleGenerator } from "#server/runs/small-tasks/title.ts";
import type { Threads } from "#server/threads/threads.ts";

/** Titles of threads whose messages a protocol client stores. A thread that has a title keeps it. */
export type ThreadTitles = {
  /**
   * Streams the thread's title: a new one for these messages, or for the stored ones if there are none, and saves it.
   */
  stream(
    visitor: Visitor,
    threadId: string,
    messages: JsonObject[],
    signal: AbortSignal,
  ): AsyncGenerator<string>;
  /** Titles a thread in the background, after the client stored its first answer. */
  titleInBackground(visitor: Visitor, threadId: string): void;
  /** Titles the thread unless it has a title, or titles are off. */
  titleThread(given: Payloads["client-title"], about: unknown, signal: AbortSignal): Promise<void>;
};

export function createThreadTitles(options: {
  threads: Threads;
  messages: Messages;
  models: Models;
  titles: TitleGenerator;
  smallTasks: SmallTasks;
  modelRules: ModelRules;
  apps: Apps;
  /** Names or ids of apps whose threads are titled only on request. */
  appsWithout: string[];
  jobs: Pick<Jobs, "add" | "track">;
  logger: Logger;
}): ThreadTitles {
  const { threads, messages, models, titles, smallTasks, modelRules, apps, appsWithout, jobs, logger } =
    options;
  // Many clients ask for a title at the moment when they store the answer. The model is asked once.
  const mutex = createKeyedMutex();

  /** The thread's title. Generates and saves one if it has none; "" if there are no words. */
  async function titleOf(
    visitor: Visitor,
    threadId: string,
    given: JsonObject[],
    signal: AbortSignal,
  ): Promise<string> {
    const { title, assistant_id: assistantId } = await threads.get(visitor, threadId);
    if (title !== null) return title;
    const texts = given.length > 0 ? textsOf(given) : await storedTexts(visitor, threadId);
    if (texts === undefined) return "";
    let generated = "";
    const { appId, workspaceId, userId } = visitor;
    const use = { appId, workspaceId, userId, threadId, assistantId };
    const model = (await smallTasks.isOn("title"))
      ? await smallTasks.model(
          "title",
          await modelOrDefault(models, { model: null }, (await modelRules.accessOf(visitor)).model),
          use,
        )
      : undefined;
    for await (const text of titles.stream(model, texts, { ...visitor, threadId }, signal)) generated += text;
    if (generated !== "") await threads.setTitleOnce(visitor, threadId, cleanText(generated), "model");
    return generated;
  }

  /** Undefined if no person has asked anything: an assistant's greeting says nothing about the thread. */
  async function storedTexts(visitor: Visitor, threadId: string) {
    const stored = await messages.list(visitor, threadId, {});
    const asked = stored.findLastIndex(({ content }) => content.role === "user");
    if (asked === -1) return undefined;
    // The newest message is the first.
    const answer = stored.slice(0, asked).findLast(({ content }) => content.role === "assistant");
    return { user: textOf(stored[asked]!), assistant: answer === undefined ? "" : textOf(answer) };
  }

  async function isToBeTitled(visitor: Visitor, threadId: string): Promise<boolean> {
    const { title } = await threads.get(visitor, threadId);
    return title === null && (await smallTasks.isOn("title")) && !(await isOff(visitor.appId));
  }

  async function isOff(appId: string): Promise<boolean> {
    if (appsWithout.length === 0) return false;
    const app = (await apps.list()).find(({ id }) => id === appId);
    return app !== undefined && [app.id, app.name].some((name) => appsWithout.includes(name));
  }

  return {
    async *stream(visitor, threadId, given, signal) {
      const title = await mutex(
        threadId,
        async () => await titleOf(visitor, threadId, given, signal),
        signal,
      );
      if (title !== "") yield title;
    },
    titleInBackground(visitor, threadId) {
      const add = async () => {
        const { workspaceId, userId } = visitor;
        if (await isToBeTitled(visitor, threadId))
          await jobs.add("client-title", threadId, { visitor, threadId }, { threadId, workspaceId, userId });
      };
      // The client does not wait for it.
      void jobs.track(
        async () =>
          await add().catch((error: unknown) =>
            logger.warn({ threadId, err: error }, "could not title a thread"),
          ),
      );
    },
    async titleThread({ visitor, threadId }, _, signal) {
      await mutex(
        threadId,
        async () => {
          if (await isToBeTitled(visitor, threadId)) await titleOf(visitor, threadId, [], signal);
        },
        signal,
      );
    },
  };
}

function textOf({ format, content }: Pick<Message, "format" | "content">): string {
  return plainText(format, content);
}

function textsOf(messages: JsonObject[]) {
  const text = (role: string) => {
    const first = messages.find((message) => message.role === role);
    return first === undefined ? "" : plainText("aui/v0", first);
  };
  return { user: text("user"), assistant: text("assistant") };
}
