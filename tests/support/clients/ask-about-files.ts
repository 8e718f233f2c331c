import { fold } from "#contract/fold.ts";
import { newId } from "#contract/ids.ts";
import type { JsonObject } from "#contract/json.ts";
import { attach } from "../data/files.ts";
import type { TestServer } from "../servers/server.ts";
import { readWholeLog } from "./conversation.ts";
import { modelInputOf } from "../data/model-input.ts";
import type { Visitor } from "./visitor.ts";

type TestFile = { name: string; bytes: string | Uint8Array; type?: string };

type QuestionOptions = { thread_id?: string; parent_id?: string | null; words?: string };

/** A number in each question distinguishes it from the others. */
let count = 0;

/** Attaches these files and asks about them. Returns the model's input and the reply. */
export async function askWithFiles(
  server: TestServer,
  who: Visitor,
  files: TestFile[],
  more: QuestionOptions = {},
) {
  const parts = [];
  for (const { name, bytes, type = "" } of files) {
    const { publicUrl } = await attach(who, name, bytes, type);
    parts.push(partOf(publicUrl, name, type));
  }
  return await askWithParts(server, who, parts, more);
}

/** A file part of a message, as the web app sends it. */
export function partOf(url: string, filename: string, type: string): JsonObject {
  return type.startsWith("image/")
    ? { type: "image", image: url, filename }
    : { type: "file", data: url, mimeType: type, filename };
}

/** Sends a message with these parts. Returns the requests to the model, the input of the last one, and the reply. */
export async function askWithParts(
  server: TestServer,
  who: Visitor,
  parts: JsonObject[],
  {
    thread_id: threadId = newId("thread"),
    parent_id: parentId = null,
    words: more = "",
  }: QuestionOptions = {},
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
  const requests = await server.requestsWith(asked);
  return { ...started, thread_id: threadId, asked, reply, requests, told: modelInputOf(requests.at(-1)!) };
}
