import { QueryClient } from "@tanstack/react-query";
import { expect, test } from "vitest";
import { memoryStorage } from "#web/testing/memory-storage.ts";
import type { Call } from "../call.ts";
import { createUnsentStorage } from "../drafts/temporary-storage.ts";
import { createOutbox } from "../outbox/outbox.ts";
import { createBranchActions } from "./branch-actions.ts";
import { threadKey } from "./thread-list.ts";

const content = { role: "user", content: [{ type: "text", text: "a secret" }] };

test("keeps all that is sent offline in a temporary thread only in its tab, until the thread is kept", () => {
  const [device, tab, queries] = [memoryStorage(), memoryStorage(), new QueryClient()];
  // No server answers.
  const call = (async () => await new Promise<never>(() => {})) as Call;
  const outbox = createOutbox({
    call,
    storage: createUnsentStorage(device, tab),
    stored: async () => {},
  });
  const { send, regenerate } = createBranchActions({ call, queries, outbox }, "thread_a");
  send({ parentId: null, content, choice: { temporary: true }, newThread: true });
  // The page has not read the thread, so that it does not know it.
  send({ parentId: outbox.all.get()[0]!.replyId, content, choice: {}, newThread: false, queue: true });
  regenerate({ parentId: "msg_a", choice: { once: true } });
  expect(device.keys("parlance.")).toEqual([]);
  expect(tab.keys("parlance.outbox.")).toHaveLength(3);

  queries.setQueryData(threadKey("thread_a"), { id: "thread_a", temporary_until: null });
  send({ parentId: "msg_a", content, choice: {}, newThread: false });
  expect(device.keys("parlance.outbox.")).toHaveLength(1);
});
