import { isId } from "./ids.ts";

/** A place in the web app that an answer may lead to: a thread, perhaps at one of its messages, or at a file of that. */
export type ThreadLink = { threadId: string; messageId?: string; fileId?: string };

/** The address of a place within the web app, as a source's `url` has it. */
export function threadLinkUrl({ threadId, messageId, fileId }: ThreadLink): string {
  if (messageId === undefined) return `/t/${threadId}`;
  return `/t/${threadId}?m=${messageId}${fileId === undefined ? "" : `&file=${fileId}`}`;
}

/** What the address of a place has behind its `?`. */
export function threadLinkSearch({ messageId, fileId }: Omit<ThreadLink, "threadId">): {
  m?: string;
  file?: string;
} {
  if (messageId === undefined) return {};
  return fileId === undefined ? { m: messageId } : { m: messageId, file: fileId };
}

/** The place that `url` is the address of; `undefined` for every other address. */
export function parseThreadLink(url: string): ThreadLink | undefined {
  const [, threadId, messageId, fileId] =
    /^\/t\/([a-z0-9_]+)(?:\?m=([a-z0-9_]+)(?:&file=([a-z0-9_]+))?)?$/.exec(url) ?? [];
  if (!isId("thread", threadId)) return undefined;
  if (messageId === undefined) return { threadId };
  if (!isId("message", messageId)) return undefined;
  if (fileId === undefined) return { threadId, messageId };
  return isId("file", fileId) ? { threadId, messageId, fileId } : undefined;
}
