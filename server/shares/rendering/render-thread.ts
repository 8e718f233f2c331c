import { setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import { zstdCompressSync } from "node:zlib";
import { fold } from "#contract/fold.ts";
import { limits } from "#contract/limits.ts";
import type { SharedMessage, ShareMessageRenderer } from "#contract/parts/share-page.ts";
import type { RunEvent } from "#contract/run-events.ts";
import { unpackContent } from "#storage/lib/packed-content.ts";
import type { StartedMessage, WorkerMessage } from "../../lib/isolated-worker.ts";
import { replyContent } from "../../messages/replies/reply-content.ts";
import type { EntryContent, SharedEntry } from "../read-branch.ts";
import type { StoredContent } from "../shared-branches.ts";
import { cutParts, isEditedByHand, sharedFiles, sharedParts } from "../shared-parts.ts";
import { placeholder } from "./page-path.ts";

/** Messages to render, or to show as plain text. `program` is the URL of the built renderer. */
export type RenderTask = {
  program: string;
  language: string;
  isPlain: boolean;
  messages: (SharedEntry & { content: EntryContent })[];
};

/** A message whose files are to be found. */
export type FilesTask = { stored: StoredContent };
export type FilesResult = { files: string[] };

/** The HTML of one message with `placeholder` for the path of its page, and the same compressed. */
export type RenderedHtml = { html: string; packed: Uint8Array };

/** What was rendered, in the order of the messages, or why nothing was. */
export type RenderResult = { rendered: RenderedHtml[]; elapsedMs: number } | { error: string };

/** Nobody can write it into a message: it is new in each process. */
const path = `/s/${crypto.randomUUID()}`;

// On Linux, the priority of this thread only: when processors are short, requests come first.
if (process.platform === "linux") setPriority(10);

parentPort?.on("message", (task: WorkerMessage<RenderTask | FilesTask>) => void execute(task));

async function execute({ id, body: task }: WorkerMessage<RenderTask | FilesTask>): Promise<void> {
  let result: RenderResult | FilesResult;
  try {
    const renderer = "program" in task ? await load(task.program) : undefined;
    parentPort?.postMessage({ id, begins: true } satisfies StartedMessage);
    result = "program" in task ? renderAll(renderer!, task) : { files: sharedFiles(storedOf(task.stored)) };
  } catch (error) {
    result = { error: error instanceof Error ? error.message.slice(0, 500) : "unknown" };
  }
  parentPort?.postMessage({ id, body: result } satisfies WorkerMessage<RenderResult | FilesResult>);
}

function renderAll(renderer: ShareMessageRenderer, task: RenderTask): RenderResult {
  const startedAt = performance.now();
  const rendered = task.messages.map((message) => render(renderer, message, task));
  return { rendered, elapsedMs: performance.now() - startedAt };
}

let loaded: Promise<ShareMessageRenderer> | undefined;

function load(program: string): Promise<ShareMessageRenderer> {
  return (loaded ??= import(program).then(
    async (module: { createMessageRenderer: () => Promise<ShareMessageRenderer> }) =>
      await module.createMessageRenderer(),
  ));
}

function render(
  renderer: ShareMessageRenderer,
  { id, role, author, isRunning, branches, files, content }: RenderTask["messages"][number],
  { language, isPlain }: RenderTask,
): RenderedHtml {
  const shared = new Set(files);
  const stored = storedOf(content);
  const parts = sharedParts(stored.format, stored.content, (file) =>
    shared.has(file) ? `${path}/files/${file}` : "",
  );
  const isEdited = isEditedByHand(stored.content);
  const message: SharedMessage = { id, role, author, isRunning, branches, isEdited, ...cutParts(parts) };
  const as = (options: { isPlain: boolean }) =>
    renderer.renderMessage(message, { language, path, ...options });
  let text = as({ isPlain });
  if (text.length > limits.shareHtmlCharacters && !isPlain) text = as({ isPlain: true });
  const html = text.replaceAll(placeholder, "\uFFFD").replaceAll(path, placeholder);
  return { html, packed: zstdCompressSync(html) };
}

function storedOf(content: EntryContent): { format: string; content: string } {
  if ("format" in content)
    return { format: content.format, content: unpackContent(content.content, content.plain_text) };
  const events = content.events.map((body) => JSON.parse(body) as RunEvent);
  // The start of the log may be deleted.
  const known = events[0]?.type === "run-start" ? events : [];
  return { format: "aui/v0", content: JSON.stringify(replyContent(fold(known))) };
}
