import { isId } from "./ids.ts";

/** A link into the web app: to a thread, one of its messages, or a file of a message. Sources of answers can be such links. */
export type ThreadLink = { threadId: string; messageId?: string; fileId?: string };

/** The URL within the web app, for the `url` of a source. */
export function threadLinkUrl({ threadId, messageId, fileId }: ThreadLink): string {
  if (messageId === undefined) return `/t/${threadId}`;
  return `/t/${threadId}?m=${messageId}${fileId === undefined ? "" : `&file=${fileId}`}`;
}

/** The query parameters of the URL. */
export function threadLinkSearch({ messageId, fileId }: Omit<ThreadLink, "threadId">): {
  m?: string;
  file?: string;
} {
  if (messageId === undefined) return {};
  return fileId === undefined ? { m: messageId } : { m: messageId, file: fileId };
}

/** Parses a URL of `threadLinkUrl`. `undefined` for all other URLs. */
export function parseThreadLink(url: string): ThreadLink | undefined {
  const [, threadId, messageId, fileId] =
    /^\/t\/([a-z0-9_]+)(?:\?m=([a-z0-9_]+)(?:&file=([a-z0-9_]+))?)?$/.exec(url) ?? [];
  if (!isId("thread", threadId)) return undefined;
  if (messageId === undefined) return { threadId };
  if (!isId("message", messageId)) return undefined;
  if (fileId === undefined) return { threadId, messageId };
  return isId("file", fileId) ? { threadId, messageId, fileId } : undefined;
}
