import { readFile } from "node:fs/promises";
import { expect } from "vitest";
import { newId } from "#contract/ids.ts";
import { userMessage } from "#fixtures/people.ts";
import type { Visitor } from "../support/clients/visitor.ts";

/** The owner's objects: a thread with a message, its answer, the run and a file. */
export type OwnedObjects = {
  thread_id: string;
  message_id: string;
  reply_id: string;
  run_id: string;
  /** A held message, if there is one. */
  queued_id: string;
  /** The lease of a message, if there is one. */
  lease_id: string;
  /** A file and the secret of its URL. */
  file_id: string;
  file_secret: string;
  file_key: string;
  /** A well-formed but invalid id of a PDF page. */
  page_id: string;
  /** The query of a signed upload URL. */
  upload: Record<string, string>;
};

export async function ownedObjectsOf(
  owner: Visitor,
  question = "What is mine stays mine. tokens=3",
): Promise<OwnedObjects> {
  const threadId = newId("thread");
  const started = await owner.call("runs.start", {
    params: { thread_id: threadId },
    body: { message: { parent_id: null, content: userMessage(question) } },
  });
  // Wait until the run ends or waits for a person.
  await (await owner.events(started.run_id)).until(({ data }) => /^run-(end|wait)$/.test(data.type));
  const none = { queued_id: newId("message"), lease_id: newId("lease") };
  return { thread_id: threadId, ...started, ...none, ...(await fileOf(owner)) };
}

/** Like `ownedObjectsOf`, with an answer that a client stores with a lease. */
export async function ownedObjectsWithLease(owner: Visitor): Promise<OwnedObjects> {
  const mine = await ownedObjectsOf(owner);
  const content = { role: "assistant", content: [] };
  const { lease_id: leaseId } = await owner.call("messages.add", {
    params: { thread_id: mine.thread_id },
    body: { parent_id: mine.message_id, format: "aui/v0", content, open_run: true },
  });
  return { ...mine, lease_id: leaseId! };
}

/** Uploads a file. */
async function fileOf(owner: Visitor): Promise<OwnedFile> {
  const { signedUrl, publicUrl, key, file_id } = await owner.call("files.upload", {
    body: { filename: "garden.png" },
  });
  const stored = await fetch(signedUrl, { method: "PUT", body: await readFile("fixtures/files/garden.png") });
  expect(stored.status, await stored.text()).toBe(200);
  return {
    page_id: `${"0".repeat(40)}.1.${Date.now() + 3_600_000}.${"A".repeat(43)}.png`,
    file_id,
    file_secret: new URL(publicUrl).pathname.split("/").at(-1)!,
    file_key: key,
    upload: Object.fromEntries(new URL(signedUrl).searchParams),
  };
}

type OwnedFile = Pick<OwnedObjects, "file_id" | "file_secret" | "file_key" | "page_id" | "upload">;

/** Like `ownedObjectsOf`, with a held message: its answer was stopped while the thread was in the trash. */
export async function ownedObjectsWithQueued(owner: Visitor): Promise<OwnedObjects> {
  const params = { thread_id: newId("thread") };
  const started = await owner.call("runs.start", {
    params,
    body: { message: { parent_id: null, content: userMessage("What is mine goes on\nendless gap=10") } },
  });
  const queuedId = newId("message");
  await owner.call("runs.start", {
    params,
    body: { message: { id: queuedId, parent_id: started.reply_id, content: userMessage("tokens=2") } },
  });
  await owner.call("threads.remove", { params });
  await owner.call("runs.stop", { params: { run_id: started.run_id } });
  await owner.call("threads.restore", { params });
  const leaseId = newId("lease");
  return { ...params, ...started, queued_id: queuedId, lease_id: leaseId, ...(await fileOf(owner)) };
}

/** Like `ownedObjectsOf`, with three answered messages. */
export async function ownedObjectsToSummarize(owner: Visitor): Promise<OwnedObjects> {
  const mine = await ownedObjectsOf(owner);
  let parentId = mine.reply_id;
  for (const question of ["And then? tokens=3", "And at last? tokens=3"]) {
    const started = await owner.call("runs.start", {
      params: { thread_id: mine.thread_id },
      body: { message: { parent_id: parentId, content: userMessage(question) } },
    });
    await (await owner.events(started.run_id)).until(({ data }) => data.type === "run-end");
    parentId = started.reply_id;
  }
  return mine;
}

/** Like `ownedObjectsToSummarize`, with a summary, whose message is `message_id`. */
export async function ownedObjectsWithSummary(owner: Visitor): Promise<OwnedObjects> {
  const mine = await ownedObjectsToSummarize(owner);
  const params = { thread_id: mine.thread_id };
  const { summary } = await owner.call("summaries.create", { params, body: {} });
  return { ...mine, message_id: summary.message_id };
}

/** All visible state, to compare before and after a stranger's request. */
export async function stateOf(owner: Visitor, mine: OwnedObjects): Promise<unknown> {
  const params = { thread_id: mine.thread_id };
  const { thread } = await owner.call("threads.get", { params });
  // The title changes shortly after the answer.
  return {
    thread: { ...thread, title: "", title_source: "", updated_at: "" },
    branch: await owner.call("messages.branch", { params }),
    messages: await owner.call("messages.list", { params }),
    run: await owner.call("runs.get", { params: { run_id: mine.run_id } }),
    threads: (await owner.call("threads.list")).threads.map(({ id }) => id),
  };
}
