import { readFile } from "node:fs/promises";
import type { BodyInputOf } from "#contract/api.ts";
import type { LiveShareEvent } from "#contract/parts/share-page.ts";
import { newId } from "#contract/ids.ts";
import { userMessage } from "#fixtures/people.ts";
import { readEventStream, type EventStream } from "../support/clients/event-stream.ts";
import { newAddress, type Answer, type Visitor } from "../support/clients/visitor.ts";

/** Asks in a new thread, or in `threadId` below `parentId`, and waits for the answer. */
export async function ask(
  who: Visitor,
  text: string,
  {
    threadId = newId("thread"),
    parentId = null as string | null,
    file = undefined as string | undefined,
  } = {},
): Promise<{ threadId: string; messageId: string; replyId: string; runId: string }> {
  const content = userMessage(text);
  if (file !== undefined) content.content.push({ type: "image", image: file } as never);
  const started = await who.call("runs.start", {
    params: { thread_id: threadId },
    body: { message: { parent_id: parentId, content } },
  });
  await (await who.events(started.run_id)).until(({ data }) => data.type === "run-end");
  return { threadId, messageId: started.message_id, replyId: started.reply_id, runId: started.run_id };
}

/** Uploads a picture. Returns its id and its address in messages. */
export async function uploadPicture(who: Visitor): Promise<{ id: string; url: string; bytes: Buffer }> {
  const bytes = await readFile("fixtures/files/garden.png");
  const upload = await who.call("files.upload", { body: { filename: "garden.png" } });
  await fetch(upload.signedUrl, { method: "PUT", body: bytes });
  return { id: upload.file_id, url: upload.publicUrl, bytes };
}

/** Shares a thread. Returns the link's id and path. */
export async function share(
  who: Visitor,
  threadId: string,
  options: Omit<BodyInputOf<"shares.create">, "thread_id"> = {},
): Promise<{ id: string; path: string; token: string }> {
  const { id, url } = await who.call("shares.create", { body: { thread_id: threadId, ...options } });
  const path = new URL(url!).pathname;
  return { id, path, token: path.slice("/s/".length) };
}

/** The first page loads the renderer from its sources, which takes 20 s on a busy machine. */
export const loadMs = 120_000;

export async function loadPages(url: string): Promise<void> {
  await fetch(`${url}/s/none`, { headers: newAddress() });
}

/** Somebody with the link and a browser without scripts. It keeps the cookie of the link's password. */
export function createReader(url: string, session: Record<string, string> = {}) {
  const headers: Record<string, string> = { ...newAddress(), ...session };
  const request = async (path: string, init: RequestInit): Promise<Answer> => {
    const response = await fetch(url + path, {
      redirect: "manual",
      ...init,
      headers: { ...headers, ...(init.headers as Record<string, string>) },
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: undefined };
  };
  return {
    open: async (path: string, more: Record<string, string> = {}) => await request(path, { headers: more }),
    /** Sends the form with the password. */
    async enter(path: string, password: string): Promise<Answer> {
      const answer = await request(path, { method: "POST", body: new URLSearchParams({ password }) });
      const set = answer.headers.get("set-cookie")?.split(";")[0];
      if (set !== undefined) headers["Cookie"] = [headers["Cookie"], set].filter(Boolean).join("; ");
      return answer;
    },
    /** The bytes of a file, if it is served. */
    async file(path: string): Promise<Buffer | undefined> {
      const response = await fetch(url + path, { headers });
      const bytes = Buffer.from(await response.arrayBuffer());
      return response.ok ? bytes : undefined;
    },
    headers,
  };
}

/** Follows a live view. */
export async function followLive(
  url: string,
  path: string,
  headers: Record<string, string> = newAddress(),
): Promise<EventStream<LiveShareEvent>> {
  const disconnect = new AbortController();
  const response = await fetch(`${url}${path.replace(/(?=\?|$)/, "/live")}`, {
    headers,
    signal: disconnect.signal,
  });
  if (!response.ok) throw new Error(`${path}/live: ${response.status}`);
  return readEventStream<LiveShareEvent>(response, () => disconnect.abort());
}

export const idOf = async (who: Visitor): Promise<string> => (await who.call("auth.me")).user_id;

/** Shares a thread with a person, or with the group of this id. */
export async function shareWith(
  owner: Visitor,
  thread_id: string,
  who: Visitor | string,
  access: "read" | "write" = "write",
): Promise<void> {
  const member_id = typeof who === "string" ? who : await idOf(who);
  await owner.call("threadMembers.put", { params: { thread_id, member_id }, body: { access } });
}

export async function unshare(owner: Visitor, thread_id: string, who: Visitor | string): Promise<void> {
  const member_id = typeof who === "string" ? who : await idOf(who);
  await owner.call("threadMembers.remove", { params: { thread_id, member_id } });
}

/** A new group with this person. */
export async function groupOf(owner: Visitor, name: string, who: Visitor): Promise<string> {
  const { id: group_id } = await owner.call("groups.create", { body: { name } });
  await owner.call("groups.addMember", { params: { group_id, person_id: await idOf(who) } });
  return group_id;
}

/** Starts an answer without waiting for it. */
export async function askIn(who: Visitor, threadId: string, parentId: string | null, text: string) {
  return await who.call("runs.start", {
    params: { thread_id: threadId },
    body: { message: { parent_id: parentId, content: userMessage(text) } },
  });
}

/** The threads that others share with this person. */
export const idsOfShared = async (who: Visitor): Promise<string[]> =>
  (await who.call("threadMembers.threads")).threads.map(({ id }) => id);
