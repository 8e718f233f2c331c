import { isJsonObject, type Json } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import { AppError } from "#server/lib/errors.ts";
import { chatSource, type ForeignChat, type ForeignMessage } from "../other-services/chat-source.ts";
import { setResult, toolCall, webSource, type ConvertedPart } from "../other-services/converted-messages.ts";
import { listOf, objectOf, textOf, timeOf } from "../other-services/fields.ts";
import type { ExportFiles } from "../other-services/files-of-export.ts";
import { words } from "../other-services/import-words.ts";
import { addAnswerText, addThought } from "../other-services/text-markup.ts";
import { wholeFile, type Importer, type JsonFile } from "../importer.ts";

type Fields = Record<string, unknown>;

/** Tables of LobeChat's export that are needed, as the paths of their lists. Settings and providers have keys and are not read. */
const tables = [
  "messages",
  "topics",
  "messagePlugins",
  "threads",
  "sessions",
  "agents",
  "agentsToSessions",
] as const;
const lists = [...tables.map((table) => `data.${table}`), "state.messages", "state.topics", "state.sessions"];

/** LobeChat's exports: all tables of a person, the older one of the browser's database, and one topic. */
export const lobeChat: Importer = {
  kind: "lobechat",
  files: /\.json$/,
  recognizes: (value, list): value is Fields =>
    isJsonObject(value) &&
    (lists.includes(list) ||
      ("schemaHash" in value && "mode" in value) ||
      "exportType" in value ||
      (value.version === "2.0" && "exportedAt" in value) ||
      Array.isArray(value.lobeMessages)),
  gather: topicsOf,
  isBlank: ({ lobeMessages }) => listOf(lobeMessages).length === 0,
  thread: (topic, files) => chatSource({ kind: "lobechat", name: "LobeChat" }, () => chatOf(topic, files)),
};

/** A topic with what belongs to it, sorted by time. */
async function* topicsOf(file: JsonFile): AsyncGenerator<Fields> {
  const spool = await file.openSpool();
  let isOneTopic = true;
  for await (const item of file.items([...lists, "messages"])) {
    if (!("element" in item) || item.list === "messages") continue;
    isOneTopic = false;
    const row = objectOf(item.element);
    const table = item.list.slice(item.list.indexOf(".") + 1);
    if (table === "messages") spool.put(table, topicKeyOf(row), timeIn(row.createdAt) ?? 0, row);
    else spool.put(table, textOf(table === "agentsToSessions" ? row.sessionId : row.id) || "-", 0, row);
  }
  if (isOneTopic) {
    for await (const topic of wholeFile(file))
      if (Array.isArray(topic.messages)) yield { ...topic, lobeMessages: topic.messages };
    return;
  }
  const find = (table: string, id: unknown): Fields => {
    for (const row of spool.values(table, textOf(id) || "?")) return objectOf(row);
    return {};
  };
  for (const key of spool.keys("messages")) {
    if (spool.sizeOf("messages", key).bytes > limits.importConversationBytes) throw new AppError("too-large");
    const messages = [...spool.values("messages", key)].map(objectOf);
    const topic = find("topics", key);
    const sessionId = topic.sessionId ?? messages[0]?.sessionId;
    const session = find("sessions", sessionId);
    const agent = find("agents", find("agentsToSessions", sessionId).agentId ?? messages[0]?.agentId);
    const folder = textOf(agent.title) || textOf(session.title) || textOf(objectOf(session.meta).title);
    yield {
      ...topic,
      id: key,
      title: textOf(topic.title) || folder,
      folder,
      lobeMessages: messages.map((message) => ({ ...find("messagePlugins", message.id), ...message })),
      threads: messages.flatMap(({ threadId }) => (threadId == null ? [] : [find("threads", threadId)])),
    };
  }
}

/** Messages without a topic are the default topic of their session. */
function topicKeyOf({ topicId, sessionId, agentId }: Fields): string {
  return textOf(topicId) || `session-${textOf(sessionId) || textOf(agentId) || "inbox"}`;
}

/** Times with a zone, or milliseconds. */
const timeIn = (value: unknown): number | undefined => timeOf(value, 1);

function chatOf(topic: Fields, files: ExportFiles): ForeignChat {
  const rows = flattened(listOf(topic.lobeMessages).map(objectOf)).toSorted(
    (a, b) => (timeIn(a.createdAt) ?? 0) - (timeIn(b.createdAt) ?? 0),
  );
  const starts = new Map(
    listOf(topic.threads).map((each) => [objectOf(each).id, textOf(objectOf(each).sourceMessageId)]),
  );
  const results = rows.filter(({ role }) => role === "tool");
  const messages: ForeignMessage[] = [];
  /** The last message of the topic ("") and of each of its side threads. */
  const last = new Map<string, string>();
  for (const [index, row] of rows.entries()) {
    const { role } = row;
    if (role !== "user" && role !== "assistant" && role !== "system") continue;
    const id = textOf(row.id) || `${index + 1}`;
    const thread = textOf(row.threadId);
    const before = last.get(thread) ?? (thread === "" ? null : starts.get(thread) || (last.get("") ?? null));
    last.set(thread, id);
    messages.push(messageOf(row, { id, parentId: before, role, results, files }));
  }
  return {
    id: topic.id ?? messages[0]?.id,
    title: topic.title,
    pinned: topic.favorite,
    folder: topic.folder,
    createdAtMs: timeIn(topic.createdAt) ?? messages[0]?.atMs,
    updatedAtMs: timeIn(topic.updatedAt) ?? messages.at(-1)?.atMs,
    messages: inOneTurn(messages),
  };
}

/** Groups of answers, which newer exports of one topic have, as a list. */
function flattened(rows: readonly Fields[]): Fields[] {
  return rows.flatMap((row) => {
    const children = listOf(row.children).map(objectOf);
    return [row, ...children.map((child) => ({ role: "assistant", createdAt: row.createdAt, ...child }))];
  });
}

/** Answers that follow each other, between which tools were called, are one message. */
function inOneTurn(messages: readonly ForeignMessage[]): ForeignMessage[] {
  const kept = new Map<string, ForeignMessage>();
  /** Where the children of a message that became part of another one hang. */
  const joined = new Map<string, string>();
  for (const message of messages) {
    const parentId =
      typeof message.parentId === "string" ? (joined.get(message.parentId) ?? message.parentId) : null;
    const parent = kept.get(parentId ?? "");
    const endsWithCall = parent?.parts.at(-1)?.type === "tool-call";
    if (message.role === "assistant" && parent?.role === "assistant" && endsWithCall) {
      parent.parts.push(...message.parts);
      joined.set(message.id, parent.id);
    } else kept.set(message.id, { ...message, parentId });
  }
  return [...kept.values()];
}

function messageOf(
  row: Fields,
  given: {
    id: string;
    parentId: string | null;
    role: ForeignMessage["role"];
    results: readonly Fields[];
    files: ExportFiles;
  },
): ForeignMessage {
  const { id, parentId, role, results, files } = given;
  const parts: ConvertedPart[] = [];
  const { content: thought, duration } = objectOf(row.reasoning);
  addThought(parts, textOf(thought).trim(), Number(duration) / 1_000);
  if (role === "assistant") addAnswerText(parts, textOf(row.content), id);
  else if (textOf(row.content) !== "") parts.push({ type: "text", text: textOf(row.content) });
  for (const [index, tool] of listOf(row.tools).map(objectOf).entries()) {
    const callId = textOf(tool.id) || `${id}-${index + 1}`;
    const name = [tool.identifier, tool.apiName]
      .map(textOf)
      .filter((each) => each !== "")
      .join("_");
    parts.push(toolCall(callId, name, tool.arguments));
    const result = results.find(
      (each) =>
        each.toolCallId === callId ||
        each.tool_call_id === callId ||
        (tool.result_msg_id != null && each.id === tool.result_msg_id),
    );
    const said = textOf(result?.content) || tool.result;
    if (said != null && said !== "") setResult(parts, { id: callId, name }, said as Json);
  }
  for (const [index, { url, title }] of listOf(objectOf(row.search).citations).map(objectOf).entries())
    parts.push(...webSource(`${id}-${index + 1}`, url, title));
  for (const file of [...listOf(row.imageList), ...listOf(row.fileList), ...listOf(row.files)]) {
    const name = textOf(objectOf(file).name) || textOf(objectOf(file).alt) || undefined;
    const isImage = objectOf(file).alt !== undefined || textOf(objectOf(file).fileType).startsWith("image/");
    parts.push({
      type: "file-place",
      file: files.find(textOf(objectOf(file).id) || textOf(file), name),
      name,
      isImage,
    });
  }
  const error = textOf(objectOf(row.error).message);
  if (error !== "") parts.push({ type: "text", text: words.error(error) });
  return {
    id,
    parentId,
    role,
    parts,
    atMs: timeIn(row.createdAt),
    model: textOf(row.model) || textOf(objectOf(row.extra).fromModel),
    isCutOff: error !== "",
  };
}
