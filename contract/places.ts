import { isId } from "./ids.ts";

/** A place in the web app that an answer may lead to: a thread, perhaps at one of its messages. */
export type Place = { threadId: string; messageId?: string };

/** The address of a place within the web app, as a source's `url` has it. */
export function placeUrl({ threadId, messageId }: Place): string {
  return messageId === undefined ? `/t/${threadId}` : `/t/${threadId}?m=${messageId}`;
}

/** The place that `url` is the address of; `undefined` for every other address. */
export function readPlaceUrl(url: string): Place | undefined {
  const [, threadId, messageId] = /^\/t\/([a-z0-9_]+)(?:\?m=([a-z0-9_]+))?$/.exec(url) ?? [];
  if (!isId("thread", threadId)) return undefined;
  if (messageId === undefined) return { threadId };
  return isId("message", messageId) ? { threadId, messageId } : undefined;
}
