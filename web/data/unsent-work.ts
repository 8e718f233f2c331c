import type { QueryClient } from "@tanstack/react-query";
import type { Me } from "#contract/endpoints/auth.ts";
import { pause } from "../lib/backoff.ts";
import type { Call } from "./call.ts";
import { deviceStorage, tabStorage } from "./drafts/device-storage.ts";
import { createDrafts, type Drafts } from "./drafts/draft.ts";
import { createPersonalStorage } from "./drafts/personal-storage.ts";
import { createUnsentStorage } from "./drafts/temporary-storage.ts";
import { sendFile } from "./files/send-file.ts";
import { createUploadStore } from "./files/uploads/upload-store.ts";
import { createUploads, type Uploads } from "./files/uploads/uploads.ts";
import type { OutboxEntry } from "./outbox/outbox-entry.ts";
import { createOutbox, type Outbox } from "./outbox/outbox.ts";
import { createToolAnswers, type ToolAnswers } from "./outbox/tool-answers.ts";
import { readBranchAgain, refreshBranchesOfRun } from "./threads/branch-refresh.ts";
import { commitRemovals } from "./threads/removals.ts";

/** What the current user wrote or attached and the server does not have yet. */
export type UnsentWork = {
  drafts: Drafts;
  uploads: Uploads;
  outbox: Outbox;
  toolAnswers: ToolAnswers;
  /** Sends what failed while there was no connection. Call it when the connection is back. */
  onReconnect: () => void;
  /** Sends what was refused because too many runs were active. Call it when a run of the user has ended. */
  onRunEnded: () => void;
  /** Shows each user only their own work. Returns whether another user is signed in who inherited nothing. */
  switchUser: (me: Me) => boolean;
  /** Deletes all unsent work. */
  clear: () => void;
};

/** 150 ms: the page shows the message without its row, and server and page first need their time for the answer. */
const rowsDelayMs = 150;

/** `call` must wait until the server has identified the user: nothing may be sent under another user's name. */
export function createUnsentWork({
  call,
  queries,
  streamId,
  onSend,
}: {
  call: Call;
  queries: QueryClient;
  streamId: () => string | undefined;
  onSend: (entry: OutboxEntry) => void;
}): UnsentWork {
  const storage = createPersonalStorage(createUnsentStorage(deviceStorage, tabStorage));
  const drafts = createDrafts(storage, tabStorage);
  const uploads = createUploads({
    call,
    sendFile,
    store: createUploadStore(tabStorage),
    owner: storage.ownerId,
  });
  const outbox = createOutbox({
    call,
    storage,
    streamId,
    onSend,
    // Models read what the server has, and messages that the person has deleted are still there until this is done.
    beforeSend: ({ threadId }) => commitRemovals(threadId),
    async stored({ threadId }) {
      await pause(rowsDelayMs);
      await readBranchAgain({ call, queries }, threadId);
    },
  });
  const toolAnswers = createToolAnswers({
    call,
    storage,
    refused: (runId) => refreshBranchesOfRun(queries, runId),
  });

  function reload(): void {
    outbox.reload();
    toolAnswers.reload();
    drafts.reload();
  }

  return {
    drafts,
    uploads,
    outbox,
    toolAnswers,
    onReconnect() {
      outbox.onReconnect();
      toolAnswers.onReconnect();
      uploads.onReconnect();
    },
    onRunEnded: outbox.onRunEnded,
    switchUser({ user_id: userId, kind, email }) {
      const formerId = storage.ownerId();
      if (formerId !== userId) drafts.flush();
      const relation = storage.switchTo({
        userId,
        isVisitor: kind === "anonymous",
        hasAccount: email !== null,
      });
      if (relation === "same") return false;
      if (relation === "inherited") void uploads.inherit(formerId);
      else uploads.leave();
      reload();
      return relation === "another";
    },
    clear() {
      drafts.clear();
      storage.clear();
      uploads.leave();
      reload();
    },
  };
}
