import { QueryClient } from "@tanstack/react-query";
import type { Me } from "#contract/endpoints/auth.ts";
import { backoffMs, pause } from "../lib/backoff.ts";
import { readBaseUrl } from "./session/base-url.ts";
import { branchQuery } from "./threads/branch-query.ts";
import { branchKey } from "./threads/branch-rows.ts";
import type { Call, Fetch } from "./call.ts";
import { createCarrier, type Carrier } from "./transfer/transfer.ts";
import { createChangeApplier } from "./sync/changes.ts";
import { deviceStorage, guardUnkeptWords, tabStorage } from "./drafts/device-storage.ts";
import { createDrafts, type Drafts } from "./drafts/draft.ts";
import { failureOf } from "./failure.ts";
import { createPersonalStorage } from "./drafts/personal-storage.ts";
import { onNextFrame } from "../lib/next-frame.ts";
import { createImporter, type Importer } from "./transfer/import-state.ts";
import { createOpenLine } from "./sync/event-stream/open-stream.ts";
import type { LineState } from "./sync/event-stream/event-stream.ts";
import { joinLine, type TabLineOptions } from "./sync/event-stream/tab.ts";
import { createAnswers, type Answers } from "./outbox/tool-answers.ts";
import { createOutbox, type Outbox } from "./outbox/outbox.ts";
import { createReplies, type Replies } from "./threads/replies.ts";
import { sendFile } from "./library/send-file.ts";
import { createBrowserSession, type BrowserSession } from "./session/session-state.ts";
import { createStore, type Store } from "#web/lib/store.ts";
import { knownBranch } from "./threads/thread-cache.ts";
import { createKeptFiles } from "./library/uploads/kept-files.ts";
import { createUploads, type Uploads } from "./library/uploads/uploads.ts";

/** Everything that this tab has to do with the service, built once. */
export type Services = {
  queries: QueryClient;
  session: BrowserSession;
  call: Call;
  line: Pick<Store<LineState>, "get" | "subscribe">;
  replies: Replies;
  outbox: Outbox;
  answers: Answers;
  drafts: Drafts;
  uploads: Uploads;
  /** How many people this page has been for: what is on the screen of one is no other's. */
  people: Pick<Store<number>, "get" | "subscribe">;
  /** Begins anew for the same person: nothing read, and nothing written that was not sent. */
  beginAnew: () => Promise<void>;
  carrier: Carrier;
  importer: Importer;
};

let services: Services | undefined;

/** The page's own, however often React renders: a second one would join the line twice. */
export function browserServices(): Services {
  return (services ??= createServices());
}

function createServices(): Services {
  const baseUrl = readBaseUrl();
  const fetch: Fetch = async (url, init) => await window.fetch(url, init);
  const storage = deviceStorage;
  const queries = createQueries();
  const lineState = createStore<LineState>("connecting");

  const session = createBrowserSession({
    baseUrl,
    fetch,
    storage,
    onAnotherPerson: () => line.personChanged(),
  });
  const { call, credentials } = session;
  const refreshBranch = async (threadId: string) =>
    await queries.invalidateQueries({ queryKey: branchKey(threadId) });

  const personal = createPersonalStorage(storage);
  const people = createStore(1);
  /** What a person wrote goes under no other name: not before the service has said whose the session is. */
  const callAsKnown: Call = async (name, wanted, signal) => {
    await session.known();
    signal?.throwIfAborted();
    return await call(name, wanted, signal);
  };
  const outbox = createOutbox({
    call: callAsKnown,
    storage: personal,
    stored: async (out) => await untilRead(out.threadId),
  });
  const uploads = createUploads({
    call: callAsKnown,
    sendFile,
    kept: createKeptFiles(),
    owner: personal.owner,
  });
  const answers = createAnswers({
    call: callAsKnown,
    storage: personal,
    refused: (runId) => refreshRun(runId),
  });
  const drafts = createDrafts(personal, tabStorage);
  const replies = createReplies({
    watch: (runs) => line.watch(runs),
    frame: onNextFrame,
    ended: (runId) => refreshRun(runId),
  });
  const applyChange = createChangeApplier({
    queries,
    userId: () => session.state.get().me?.user_id,
  });

  /** Until the branch's rows are read anew; with a line that keeps breaking, until that was tried a few times. */
  async function untilRead(threadId: string): Promise<void> {
    for (let tries = 0; tries < 5; tries++) {
      const rows = await queries
        .fetchQuery({ ...branchQuery({ call, queries }, threadId), staleTime: 0 })
        .catch(() => undefined);
      if (rows !== undefined) return;
      await pause(backoffMs(tries));
    }
  }

  /** Reads the branches anew that show this run's reply. */
  function refreshRun(runId: string): void {
    for (const [key] of queries.getQueriesData({ queryKey: ["branch"] })) {
      const threadId = String(key[1]);
      if (knownBranch(queries, threadId)?.messages.some((message) => message.run_id === runId))
        void refreshBranch(threadId);
    }
  }

  const line = joinLine({
    baseUrl,
    open: createOpenLine({ baseUrl, fetch }),
    async headers(refused) {
      const headers = await credentials.headers();
      if (refused) await credentials.renew(headers);
      return await credentials.headers();
    },
    heard: hear,
    stateIs(state) {
      lineState.set(state);
      if (state !== "online") return;
      outbox.lineIsBack();
      answers.lineIsBack();
      uploads.lineIsBack();
      void queries.refetchQueries({ predicate: (query) => query.state.status === "error" });
      if (session.state.get().state === "failed") void session.open();
    },
  });

  function hear(message: Parameters<TabLineOptions["heard"]>[0]): void {
    switch (message.type) {
      case "listening":
      case "reset":
        // The models are no rows of the feed.
        return void queries.invalidateQueries({ predicate: (query) => query.queryKey[0] !== "models" });
      case "change":
        return applyChange(message.change);
      case "run-events":
        return replies.heard(message.runId, message.events);
      case "run-reset":
        replies.forget(message.runId);
        return refreshRun(message.runId);
      case "person-changed":
        return void becomeAnotherPerson();
    }
  }

  /** Nothing of the former person stays on the screen. */
  async function becomeAnotherPerson(): Promise<void> {
    await credentials.renew(await credentials.headers().catch(() => ({}))).catch(() => {});
    await queries.resetQueries();
  }

  /** To each person their own words, and no other's. */
  function giveWordsTo({ user_id: userId, kind }: Me): void {
    const before = personal.owner();
    if (before === userId) return;
    drafts.flush();
    const bond = personal.become({ userId, isVisitor: kind === "anonymous" });
    if (bond === "heir") void uploads.inherit(before);
    else uploads.leave();
    outbox.reread();
    answers.reread();
    drafts.reread();
    if (bond === "another") people.set(people.get() + 1);
  }

  async function beginAnew(): Promise<void> {
    drafts.forget();
    personal.forget();
    uploads.leave();
    outbox.reread();
    answers.reread();
    people.set(people.get() + 1);
    await queries.resetQueries();
  }

  const carrier = createCarrier({ baseUrl, fetch, credentials });
  session.state.subscribe(() => {
    const { me } = session.state.get();
    if (me !== undefined) giveWordsTo(me);
  });
  guardUnkeptWords(drafts.flush);
  void session.open();
  const importer = createImporter(carrier);
  return {
    queries,
    session,
    call,
    line: lineState,
    replies,
    outbox,
    answers,
    drafts,
    uploads,
    people,
    beginAnew,
    carrier,
    importer,
  };
}

function createQueries(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        // The line keeps rows fresh, and says when it could not.
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
