import { fold } from "#contract/fold.ts";
import { newId } from "#contract/ids.ts";
import type { JsonObject } from "#contract/json.ts";
import { attach } from "./files.ts";
import type { TestServer } from "./server.ts";
import { readWholeLog } from "./conversation.ts";
import { modelInputOf } from "./model-input.ts";
import type { Visitor } from "./visitor.ts";

type Sent = { name: string; bytes: string | Uint8Array; type?: string };

type Place = { thread_id?: string; parent_id?: string | null; words?: string };

/** Each question is told from the others by its number. */
let count = 0;

/** Attaches these and asks about them. Answers what the model was told, and the reply. */
export async function askWith(server: TestServer, who: Visitor, files: Sent[], more: Place = {}) {
  const parts = [];
  for (const { name, bytes, type = "" } of files) {
    const { publicUrl } = await attach(who, name, bytes, type);
    parts.push(partOf(publicUrl, name, type));
  }
  return await askAbout(server, who, parts, more);
}

/** A file of a message, as our own page stores it. */
export function partOf(url: string, filename: string, type: string): JsonObject {
  return type.startsWith("image/")
    ? { type: "image", image: url, filename }
    : { type: "file", data: url, mimeType: type, filename };
}

/** Asks with these parts of a message. Answers what the model was told in each request and in the last, and the reply. */
export async function askAbout(
  server: TestServer,
  who: Visitor,
  parts: JsonObject[],
  { thread_id: threadId = newId("thread"), parent_id: parentId = null, words: more = "" }: Place = {},
) {
  const asked = `question ${++count}`;
  const words = `${asked} ${more}`.trim();
  const started = await who.call("runs.start", {
    params: { thread_id: threadId },
    body: {
      message: {
        parent_id: parentId,
        content: { role: "user", content: [{ type: "text", text: words }, ...parts] },
      },
    },
  });
  const reply = fold(await readWholeLog(who, started.run_id));
  const requests = await server.asked(asked);
  return { ...started, thread_id: threadId, asked, reply, requests, told: modelInputOf(requests.at(-1)!) };
}
