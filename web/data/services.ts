import { QueryClient } from "@tanstack/react-query";
import { isRunEnded } from "#contract/run-events.ts";
import { backoffMs } from "../lib/backoff.ts";
import { isMotionReduced } from "../lib/motion.ts";
import { onNextFrame } from "../lib/next-frame.ts";
import { importOrRetry } from "#web/lib/import-or-retry.ts";
import { createStore, type Store } from "../lib/store.ts";
import { networkError } from "./call-error.ts";
import { pageFetch, type Call } from "./call.ts";
import { deviceStorage, warnBeforeLosingText } from "./drafts/device-storage.ts";
import { failureOf } from "./failure.ts";
import { readBaseUrl } from "./session/base-url.ts";
import { managesServer } from "./session/manages-server.ts";
import { createBrowserSession, type BrowserSession } from "./session/session-state.ts";
import { createChangeApplier } from "./sync/changes.ts";
import type { ConnectionState } from "./sync/event-stream/event-stream.ts";
import { createOpenStream } from "./sync/event-stream/open-stream.ts";
import { joinEventStream, type TabMessage } from "./sync/event-stream/tab.ts";
import { refreshBranchesOfRun } from "./threads/branch-refresh.ts";
import { createReplies, type Replies } from "./threads/replies.ts";
import type { Transfers } from "./transfer/transfers.ts";
import { createUnsentWork, type UnsentWork } from "./unsent-work.ts";

/** The data layer of this tab, created once. */
export type Services = Pick<UnsentWork, "drafts" | "uploads" | "outbox" | "toolAnswers"> & {
  queries: QueryClient;
  session: BrowserSession;
  call: Call;
  connection: Pick<Store<ConnectionState>, "get" | "subscribe">;
  replies: Replies;
  /** Increases when another user is signed in: a React key, so that no screen keeps the former user's state. */
  userEpoch: Pick<Store<number>, "get" | "subscribe">;
  /** Deletes the user's unsent work and reads everything again, after the server has deleted the user's data. */
  resetUserData: () => Promise<void>;
  /** Exports and imports, loaded on first use. */
  loadTransfers: () => Promise<Transfers>;
};

/** Whose data was deleted, and when. */
const erasedKey = "parlance.erased";

let services: Services | undefined;

/** The services of the page. React may render twice, but the page must join the event stream only once. */
export function browserServices(): Services {
  return (services ??= createServices());
}

function createServices(): Services {
  const baseUrl = readBaseUrl();
  const queries = createQueryClient();
  const session = createBrowserSession({
    baseUrl,
    fetch: pageFetch,
    storage: deviceStorage,
    onUserChange: () => stream.personChanged(),
  });
  const { call, credentials } = session;
  // Declared first, because the outbox sends what it has kept while it is created.
  let streamId: string | undefined;
  const { onReconnect, onRunEnded, switchUser, clear, ...unsent } = createUnsentWork({
    call: whenIdentified(session),
    queries,
    streamId: () => streamId,
    // Followed before the request is sent, because its first events can arrive before React renders its message.
    onSend({ runId, queue }) {
      if (queue !== true) replies.follow(runId, true)();
    },
  });
  const replies = createReplies({
    watch: (runs) => stream.watch(runs),
    frame: onNextFrame,
    isPaced: () => !document.hidden && !isMotionReduced(),
    ended: (runId) => refreshBranchesOfRun(queries, runId),
  });
  const connection = createStore<ConnectionState>("connecting");
  const stream = joinEventStream({
    baseUrl,
    open: createOpenStream({ baseUrl, fetch: pageFetch }),
    headers: async (refused) => await headersAfter(session, refused),
    onMessage: createMessageHandler({
      queries,
      session,
      replies,
      onRunEnded,
      onListening: (id) => (streamId = id),
      isSending: (threadId) =>
        unsent.outbox.all.get().some((entry) => entry.threadId === threadId && entry.state !== "failed"),
    }),
    onState(state) {
      connection.set(state);
      if (state !== "online") return;
      onReconnect();
      retryFailedReads({ queries, session });
    },
  });

  // A short loss of the network may not break the stream, so that it does not connect again.
  onNetworkBack(onReconnect);

  const userEpoch = createStore(1);
  const nextUserEpoch = () => userEpoch.set(userEpoch.get() + 1);
  session.state.subscribe(() => {
    const { me } = session.state.get();
    managesServer.set(me?.permissions.includes("models.manage") === true);
    if (me !== undefined && switchUser(me)) nextUserEpoch();
  });
  async function forget(): Promise<void> {
    clear();
    nextUserEpoch();
    await queries.resetQueries();
  }
  deviceStorage.subscribeToOtherTabs(erasedKey, (_, text) => {
    if (text?.split(" ")[0] === session.state.get().me?.user_id) void forget();
  });
  async function resetUserData(): Promise<void> {
    // Another tab has texts of its own.
    deviceStorage.set(erasedKey, `${session.state.get().me?.user_id} ${Date.now()}`);
    await forget();
  }

  warnBeforeLosingText(unsent.drafts.flush);
  void session.open();
  return {
    ...unsent,
    queries,
    session,
    call,
    connection,
    replies,
    userEpoch,
    resetUserData,
    async loadTransfers() {
      const { createTransfers } = await importOrRetry(
        async () => await import("./transfer/transfers.ts"),
      ).catch((error: unknown) => {
        throw networkError(error);
      });
      return createTransfers({ baseUrl, fetch: pageFetch, credentials });
    },
  };
}

/** The browser reports the network, or the page is visible again: a hidden page's timers run once a minute. */
function onNetworkBack(listener: () => void): void {
  window.addEventListener("online", listener);
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") listener();
  });
}

function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        // The event stream keeps the rows fresh, and reports when it missed changes.
        staleTime: Number.POSITIVE_INFINITY,
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
        networkMode: "always",
        retry: (tries, error) => failureOf(error).retry && tries < 3,
        retryDelay: (tries) => backoffMs(tries),
      },
      mutations: { networkMode: "always" },
    },
  });
}

/** Calls that wait until the server has identified the user. If it has, the request is sent synchronously. */
function whenIdentified(session: BrowserSession): Call {
  return async (name, input, signal) => {
    if (session.state.get().me === undefined) await session.identified();
    signal?.throwIfAborted();
    return await session.call(name, input, signal);
  };
}

/** The auth headers; renewed first if the server refused the current ones. */
async function headersAfter(
  { credentials }: BrowserSession,
  refused: boolean,
): Promise<Record<string, string>> {
  const headers = await credentials.headers();
  if (!refused) return headers;
  await credentials.renew(headers);
  return await credentials.headers();
}

/** Handles the messages of the event stream. */
function createMessageHandler(services: {
  queries: QueryClient;
  session: BrowserSession;
  replies: Replies;
  onRunEnded: () => void;
  onListening: (streamId: string) => void;
  isSending: (threadId: string) => boolean;
}): (message: TabMessage) => void {
  const { queries, session, replies, onRunEnded, onListening, isSending } = services;
  const userId = () => session.state.get().me?.user_id;
  const applyChange = createChangeApplier({ queries, userId, isSending });
  return (message) => {
    switch (message.type) {
      case "listening":
      case "reset":
        if (message.type === "listening") onListening(message.streamId);
        // The feed has no changes of models.
        return void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== "models" });
      case "access":
        return void readWithAccess(message.access, { queries, session }).catch(() => {});
      case "change":
        if (message.change.type === "run-put" && isRunEnded(message.change.state)) onRunEnded();
        return applyChange(message.change);
      case "run-events":
        return replies.receive(message.runId, message.events);
      case "run-reset":
        replies.forget(message.runId);
        return refreshBranchesOfRun(queries, message.runId);
      case "person-changed":
        return void readAsAnotherUser({ queries, session });
    }
  };
}

/** Reads everything again if the person may use other things than when the server identified them. */
async function readWithAccess(
  access: string,
  { queries, session }: { queries: QueryClient; session: BrowserSession },
): Promise<void> {
  await session.identified();
  if (session.state.get().me?.access === access) return;
  await Promise.all([queries.invalidateQueries(), session.call("auth.me", {}).then(session.changed)]);
}

/** Removes the former user's rows and reads everything with the new user's credentials. */
async function readAsAnotherUser(services: { queries: QueryClient; session: BrowserSession }): Promise<void> {
  const { credentials } = services.session;
  await credentials.renew(await credentials.headers().catch(() => ({}))).catch(() => {});
  await services.queries.resetQueries();
}

function retryFailedReads({ queries, session }: { queries: QueryClient; session: BrowserSession }): void {
  void queries.refetchQueries({ predicate: (query) => query.state.status === "error" });
  if (session.state.get().state === "failed") void session.open();
}
