import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { createKeyedMutex } from "../lib/concurrency/keyed-mutex.ts";
import type { BranchReader, SharedEntry } from "./read-branch.ts";
import type { HtmlCache, HtmlKey } from "./rendering/html-cache.ts";
import { withPath } from "./rendering/page-path.ts";
import type { RenderBudgets } from "./rendering/render-budgets.ts";
import type { RenderWorker } from "./rendering/render-worker.ts";
import type { OpenShare } from "./rows.ts";

/** `version`: that of the entry; `undefined` if it is only plain text because a budget was used up. */
export type RenderedMessage = { id: string; version: string | undefined; html: string };

/** How a branch is rendered for a reader. */
export type RenderOptions = {
  /** The address of the page, without a query. */
  path: string;
  language: string;
  /** The budget that the rendering counts on, besides that of the link. */
  limitKey: string | undefined;
  /** What the reader has already, by id. */
  shown?: ReadonlyMap<string, RenderedMessage>;
};

type Place = "shown" | "memory" | "database" | "nowhere";

/** Characters of messages that are rendered together. Other links are rendered in between. */
const batchCharacters = 16_000;
/** The same for messages that are read. */
const readCharacters = 200_000;

export type SharePages = ReturnType<typeof createSharePages>;

/** Gives the messages of shared branches as HTML. Each one is rendered once, in a worker thread. */
export function createSharePages({
  branches,
  worker,
  cache,
  budgets,
}: {
  branches: BranchReader;
  worker: RenderWorker;
  cache: HtmlCache;
  budgets: RenderBudgets;
}) {
  const lock = createKeyedMutex();
  /** Aborting a task would end the thread, and its next start would delay other links. */
  const never = new AbortController().signal;

  /** Renders messages of one link. Another reader may have rendered some of them meanwhile. */
  async function renderBatch(
    share: OpenShare,
    key: HtmlKey,
    batch: readonly SharedEntry[],
    limitKey: string | undefined,
  ): Promise<RenderedMessage[]> {
    const rendered = new Map<string, RenderedMessage>();
    const missing = batch.filter(({ id, version }) => {
      const html = cache.recall(key, { id, version });
      if (html !== undefined) rendered.set(id, { id, version, html });
      return html === undefined;
    });
    const isPlain = !budgets.spend({ shareId: share.id, limitKey }, 0);
    const contents = await branches.listContents(share, missing);
    const messages = missing.flatMap((entry) => {
      const content = contents.get(entry.id);
      return content === undefined ? [] : { ...entry, content };
    });
    const done = await worker.render(messages, { language: key.language, isPlain }, never);
    budgets.spend({ shareId: share.id, limitKey }, done.elapsedMs);
    const lasting = messages.flatMap(({ id, version, updatedAt, isRunning }, i) => {
      const result = done.messages[i];
      const html = result?.html ?? `<article id="${id}"></article>`;
      const isComplete = result !== undefined && !isPlain;
      rendered.set(id, { id, version: isComplete ? version : undefined, html });
      if (!isComplete) return [];
      cache.remember(key, { id, version }, html);
      const { packed } = result;
      return isRunning || packed === undefined ? [] : { id, version, updatedAt, html, packed };
    });
    if (lasting.length > 0) cache.store(key, lasting);
    return batch.flatMap(({ id }) => rendered.get(id) ?? []);
  }

  return {
    /**
     * The messages as HTML, in order, as they are ready. A message that takes too long is plain text, and so are those after
     * the budget was used up. Throws `rate-limited` at once if it already is and not all of them are rendered.
     */
    async open(
      share: OpenShare,
      messages: readonly SharedEntry[],
      { path, language, limitKey, shown }: RenderOptions,
      signal: AbortSignal,
    ): Promise<AsyncGenerator<RenderedMessage[]>> {
      const key = { shareId: share.id, language, build: await worker.build() };
      const isShown = ({ id, version }: SharedEntry) => shown?.get(id)?.version === version;
      const unknown = messages.filter((entry) => !isShown(entry) && cache.recall(key, entry) === undefined);
      const stored = await cache.listStored(key, unknown);
      if (unknown.some(({ id }) => !stored.has(id))) budgets.assertLeft({ shareId: share.id, limitKey });

      function placeOf(entry: SharedEntry): Place {
        if (isShown(entry)) return "shown";
        if (cache.recall(key, entry) !== undefined) return "memory";
        return stored.has(entry.id) ? "database" : "nowhere";
      }
      async function htmlOf(group: readonly SharedEntry[], place: Place): Promise<RenderedMessage[]> {
        if (place === "shown") return group.flatMap(({ id }) => shown?.get(id) ?? []);
        const found =
          place === "database"
            ? await cache.read(key, group)
            : new Map(group.map((entry) => [entry.id, cache.recall(key, entry)]));
        const missing = group.filter(({ id }) => found.get(id) === undefined);
        const rendered =
          missing.length === 0
            ? []
            : await lock(share.id, async () => await renderBatch(share, key, missing, limitKey), signal);
        const others = new Map(rendered.map((message) => [message.id, message]));
        return group.flatMap(({ id, version }) => {
          const html = found.get(id);
          const message = html === undefined ? others.get(id) : { id, version, html };
          return message === undefined ? [] : { ...message, html: withPath(message.html, path) };
        });
      }
      async function* render(): AsyncGenerator<RenderedMessage[]> {
        for (let at = 0; at < messages.length;) {
          const { group, place } = nextGroup(messages.slice(at), placeOf);
          yield await htmlOf(group, place);
          at += group.length;
          await yieldToEventLoop();
        }
      }
      return render();
    },
  };
}

/** The first messages that are in the same place, as many as are read or rendered together. */
function nextGroup(
  messages: readonly SharedEntry[],
  placeOf: (entry: SharedEntry) => Place,
): { group: SharedEntry[]; place: Place } {
  const [first, ...rest] = messages as [SharedEntry, ...SharedEntry[]];
  const place = placeOf(first);
  let left = (place === "nowhere" ? batchCharacters : readCharacters) - first.characters;
  const end = rest.findIndex((entry) => (left -= entry.characters) < 0 || placeOf(entry) !== place);
  return { group: [first, ...(end === -1 ? rest : rest.slice(0, end))], place };
}
