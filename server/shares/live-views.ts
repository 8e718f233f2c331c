import type { LiveShareEvent } from "#contract/parts/share-page.ts";
import type { Database } from "#storage/database/database.ts";
import { userTopic } from "../sign-in/credential-watch.ts";
import { AppError } from "../lib/errors.ts";
import type { Logger } from "../lib/logger.ts";
import type { EventBatch } from "../lib/route.ts";
import { feedTopic } from "../live/live.ts";
import { runTopic } from "../runs/log/topics.ts";
import type { OpenShares } from "./open-share.ts";
import type { OpenShare } from "./rows.ts";
import type { BranchReader } from "./read-branch.ts";
import type { RenderOptions, RenderedMessage, SharePages } from "./render-share-pages.ts";
import { shareTopic } from "./shares.ts";

/** A view is read at most this often, however quickly its thread changes. */
const pauseMs = 400;
/** The pause is at least this many times as long as the read, so that a long answer does not use up the budget of its link. */
const pausePerRead = 4;
/** A reader with more events to take is disconnected. It connects again and gets the messages as they are then. */
const waitingMax = 20;
/** How often a view checks whether its link still works. */
const recheckMs = 900;
/** Shows changes whose notification was lost. */
const rereadMs = 15_000;

type View = {
  readers: Set<Reader>;
  /** Each message, in order, as its readers have it. */
  shown: Map<string, RenderedMessage>;
  /** The first event of new readers: all of it, so that it is written once for those who come together. */
  all: EventBatch | undefined;
  stop: () => void;
};
type ReadView = { messages: RenderedMessage[]; runIds: string[] };
type Reader = { push(batch: EventBatch): void; end(): void };

export type LiveViews = ReturnType<typeof createLiveViews>;

/** Sends the changes of live views to their readers. All readers of one view in this process share its reads. */
export function createLiveViews({
  db,
  logger,
  openShares,
  branches,
  pages,
}: {
  db: Database;
  logger: Logger;
  openShares: OpenShares;
  branches: BranchReader;
  pages: SharePages;
}) {
  const views = new Map<string, View>();

  /** The link as it is now; `undefined` once its readers would have to open it again. */
  async function findSame(share: OpenShare): Promise<OpenShare | undefined> {
    const now = await openShares.findAgain(share.id);
    const isSame =
      now?.password_hash === share.password_hash &&
      now.audience === share.audience &&
      now.all_branches === share.all_branches;
    return isSame ? now : undefined;
  }

  /** What a view shows now; `undefined` once it has ended. */
  async function read(
    share: OpenShare,
    at: string | undefined,
    renderOptions: RenderOptions,
    signal: AbortSignal,
  ): Promise<ReadView | undefined> {
    const now = await findSame(share);
    if (now === undefined) return undefined;
    const branch = await branches.read(now, { at });
    const rendered = await pages.open(now, branch.messages, renderOptions, signal);
    const messages = (await Array.fromAsync(rendered)).flat();
    return { messages, runIds: branch.messages.flatMap(({ runId }) => runId ?? []) };
  }

  function startView(
    key: string,
    share: OpenShare,
    { at, renderOptions, first }: { at: string | undefined; renderOptions: RenderOptions; first: ReadView },
  ): View {
    const topics = new Map<string, () => void>();
    const view: View = { readers: new Set(), shown: shownIn(first), all: undefined, stop };
    let timer: NodeJS.Timeout | undefined;
    let isReading = false;
    let isStale = false;
    let isStopped = false;
    const ended = new AbortController();
    const recheck = setInterval(() => void check(), recheckMs).unref();
    const reread = setInterval(() => notice(), rereadMs).unref();

    function stop(): void {
      if (isStopped) return;
      isStopped = true;
      ended.abort();
      clearInterval(reread);
      clearInterval(recheck);
      clearTimeout(timer);
      for (const unsubscribe of topics.values()) unsubscribe();
      views.delete(key);
      for (const reader of view.readers) reader.end();
    }
    function follow(names: string[]): void {
      for (const name of names)
        if (!topics.has(name))
          topics.set(
            name,
            db.pubSub.subscribe(name, () => notice()),
          );
    }
    async function check(): Promise<void> {
      // While the database is unavailable, readers keep what they have.
      const found = await findSame(share).catch(() => "unknown" as const);
      if (found === undefined) stop();
    }
    function notice(): void {
      isStale = true;
      if (timer !== undefined || isReading) return;
      void update();
    }
    async function update(): Promise<void> {
      isStale = false;
      isReading = true;
      const startedAt = performance.now();
      let waitMs = pauseMs;
      // Nobody asked for it, so it counts only on the budget of the link.
      const options = { ...renderOptions, limitKey: undefined, shown: view.shown };
      // While the database is unavailable or the budget is used up, readers keep what they have.
      const found = await read(share, at, options, ended.signal).catch((error: unknown) => {
        if (error instanceof AppError && error.code === "rate-limited") {
          isStale = true;
          waitMs = (error.retryAfterSeconds ?? 0) * 1_000;
        } else if (!isStopped) logger.warn({ err: error }, "could not read a live view");
        return "unknown" as const;
      });
      isReading = false;
      waitMs = Math.max(waitMs, pausePerRead * (performance.now() - startedAt));
      if (isStopped) return;
      if (found === undefined) return stop();
      if (found !== "unknown") {
        follow(found.runIds.map(runTopic));
        send(view, found);
      }
      timer = setTimeout(() => {
        timer = undefined;
        if (isStale) void update();
      }, waitMs).unref();
    }
    views.set(key, view);
    follow([shareTopic(share.id), userTopic(share.user_id), feedTopic(share.workspace_id)]);
    notice();
    return view;
  }

  async function open(
    key: string,
    share: OpenShare,
    at: string | undefined,
    renderOptions: RenderOptions,
    signal: AbortSignal,
  ): Promise<View | undefined> {
    const first = await read(share, at, renderOptions, signal);
    // Another reader may have opened it meanwhile.
    return first && (views.get(key) ?? startView(key, share, { at, renderOptions, first }));
  }

  return {
    /**
     * Follows the view of an open link until it ends for its readers, or `signal` aborts. The first event has all messages.
     */
    async *follow(
      share: OpenShare,
      at: string | undefined,
      renderOptions: RenderOptions,
      signal: AbortSignal,
    ): AsyncGenerator<EventBatch> {
      const { id, password_hash: hash, audience, all_branches: all } = share;
      const key = JSON.stringify([id, hash, audience, all, at, renderOptions.language]);
      const view = views.get(key) ?? (await open(key, share, at, renderOptions, signal));
      if (view === undefined) return;
      const waiting: EventBatch[] = [allOf(view)];
      let wake = () => {};
      let isEnded = signal.aborted;
      const reader: Reader = {
        push(batch) {
          waiting.push(batch);
          if (waiting.length > waitingMax) isEnded = true;
          wake();
        },
        end() {
          isEnded = true;
          wake();
        },
      };
      view.readers.add(reader);
      signal.addEventListener("abort", reader.end);
      try {
        while (!signal.aborted) {
          const batch = waiting.shift();
          if (isEnded) return;
          if (batch !== undefined) yield batch;
          else await new Promise<void>((resolve) => (wake = resolve));
        }
      } finally {
        signal.removeEventListener("abort", reader.end);
        view.readers.delete(reader);
        if (view.readers.size === 0) view.stop();
      }
    },
  };
}

function send(view: View, branch: ReadView): void {
  const next = shownIn(branch);
  const changed = [...next.values()].filter(({ id, html }) => view.shown.get(id)?.html !== html);
  const isSameOrder = [...next.keys()].join() === [...view.shown.keys()].join();
  view.shown = next;
  view.all = undefined;
  if (isSameOrder && changed.length === 0) return;
  const batch = [eventOf(next, changed)];
  for (const reader of view.readers) reader.push(batch);
}

function allOf(view: View): EventBatch {
  const { shown } = view;
  return (view.all ??= [eventOf(shown, [...shown.values()])]);
}

function shownIn({ messages }: ReadView): View["shown"] {
  return new Map(messages.map((message) => [message.id, message]));
}

function eventOf(shown: View["shown"], changed: readonly RenderedMessage[]): { json: string } {
  const event: LiveShareEvent = {
    order: [...shown.keys()],
    changed: Object.fromEntries(changed.map(({ id, html }) => [id, html])),
  };
  return { json: JSON.stringify(event) };
}
