import type { JsonObject } from "#contract/json.ts";
import { attach } from "../support/data/files.ts";
import type { Visitor } from "../support/clients/visitor.ts";

export type StoredFile = { threadId: string; messageId: string; fileId: string; publicUrl: string };

/** Stores a message with an attached file as a protocol client does. */
export async function storeFile(
  who: Visitor,
  name: string,
  bytes: string | Uint8Array,
  more: { type?: string; words?: string; title?: string; threadId?: string } = {},
): Promise<StoredFile> {
  const { type = "", words = "Here it is.", title } = more;
  const { file_id: fileId, publicUrl } = await attach(who, name, bytes, type);
  const thread = { last_message_at: new Date(0).toISOString(), ...(title === undefined ? {} : { title }) };
  const threadId = more.threadId ?? (await who.call("threads.create", { body: thread })).thread_id;
  const messageId = await mentionFile(who, threadId, publicUrl, { name, words });
  return { threadId, messageId, fileId, publicUrl };
}

/** Stores another message with the file. */
export async function mentionFile(
  who: Visitor,
  threadId: string,
  publicUrl: string,
  { name, words }: { name: string; words: string },
): Promise<string> {
  const content: JsonObject[] = [
    { type: "text", text: words },
    { type: "file", data: publicUrl, mimeType: "text/plain", filename: name },
  ];
  const { message_id: id } = await who.call("messages.add", {
    params: { thread_id: threadId },
    body: { parent_id: null, format: "aui/v0", content: { role: "user", content } },
  });
  return id;
}
