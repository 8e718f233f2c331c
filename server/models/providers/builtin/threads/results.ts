import { isJsonObject, type Json, type JsonObject } from "#contract/json.ts";
import { placeUrl } from "#contract/places.ts";

/** What the tools answered, as far as it has the shape that we know; another tool of the same name may say anything. */

export type FoundPassage = {
  source: number;
  title: string;
  byPerson: boolean;
  saidAtMs: number;
  /** The name of the file that it stands in, and its page there; "" and 0 for what was said. */
  file: string;
  page: number;
  text: string;
  fit: number;
  threadId: string;
  messageId: string;
};

export type ListedThread = {
  threadId: string;
  title: string;
  lastMessageAtMs: number;
  messages: number;
  beginsWith: string;
};

export type ReadMessage = {
  messageId: string;
  byPerson: boolean;
  model: string;
  saidAtMs: number;
  text: string;
};
export type ReadThread = { threadId: string; title: string; messages: ReadMessage[] };

export function passagesIn(result: Json): FoundPassage[] {
  return listOf(result, "passages").map((one) => ({
    source: number(one, "source"),
    title: text(one, "thread"),
    byPerson: one.said_by === "person",
    saidAtMs: Date.parse(text(one, "said_at")),
    file: text(one, "file"),
    page: number(one, "page"),
    text: text(one, "text"),
    fit: number(one, "fit"),
    threadId: text(one, "thread_id"),
    messageId: text(one, "message_id"),
  }));
}

export function threadsIn(result: Json): ListedThread[] {
  return listOf(result, "threads").map((one) => ({
    threadId: text(one, "thread_id"),
    title: text(one, "title"),
    lastMessageAtMs: Date.parse(text(one, "last_message_at")),
    messages: number(one, "messages"),
    beginsWith: text(one, "begins_with"),
  }));
}

export function threadIn(result: Json): ReadThread | undefined {
  if (!isJsonObject(result)) return undefined;
  return {
    threadId: text(result, "thread_id"),
    title: text(result, "title"),
    messages: listOf(result, "messages").map((one) => ({
      messageId: text(one, "message_id"),
      byPerson: one.said_by === "person",
      model: text(one, "model"),
      saidAtMs: Date.parse(text(one, "said_at")),
      text: text(one, "text"),
    })),
  };
}

/** Numbers the places that an answer names, from `after` on, each once. */
export function numbering(after: number) {
  const sources = new Map<string, { number: number; title: string }>();
  return {
    number(place: { threadId: string; messageId?: string }, title: string): number {
      const url = placeUrl(place);
      const known = sources.get(url);
      if (known !== undefined) return known.number;
      const next = after + sources.size + 1;
      sources.set(url, { number: next, title });
      return next;
    },
    sources: () => [...sources].map(([url, { title }]) => ({ url, title })),
  };
}

function listOf(result: Json, name: string): JsonObject[] {
  const list = isJsonObject(result) ? result[name] : undefined;
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}

function text(from: JsonObject, name: string): string {
  const value = from[name];
  return typeof value === "string" ? value : "";
}

function number(from: JsonObject, name: string): number {
  const value = from[name];
  return typeof value === "number" ? value : 0;
}
