import { parseJson } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import type { SkippedContent } from "#contract/endpoints/imports.ts";
import { AppError } from "#server/lib/errors.ts";
import type { Spool } from "#storage/lib/spool.ts";
import type { Candidate } from "../thread-source.ts";
import { listOf, objectOf, textOf } from "../other-services/fields.ts";
import type { ExportFiles } from "../other-services/files-of-export.ts";
import { foreignPrompt } from "../servers/foreign-prompt.ts";
import type { ServerDatabase, ServerExport } from "../servers/server-export.ts";
import { isLeftOut, openWebUi, secondsOf } from "./open-webui.ts";

type Row = Record<string, unknown>;

/** Open WebUI's `webui.db`. Its files are in the folder `uploads` beside it. */
export const openWebUiDatabase: ServerDatabase = {
  kind: "open-webui",
  tables: [
    "user",
    "chat",
    "chat_message",
    "folder",
    "tag",
    "prompt",
    "model",
    "group",
    "group_member",
    "memory",
    "knowledge",
    "note",
    "channel",
    "tool",
    "function",
  ],
  required: ["user", "chat"],
  placeOf(table, row) {
    if (table === "chat") {
      const isHidden = isLeftOut({ user_id: row.user_id, meta: parseJson(textOf(row.meta)) });
      return { key: isHidden ? "" : textOf(row.user_id), order: Number(row.created_at) || 0 };
    }
    if (table === "chat_message") return { key: textOf(row.chat_id), order: Number(row.created_at) || 0 };
    if (table === "prompt") return { key: textOf(row.user_id) };
    if (table === "group_member") return { key: textOf(row.group_id) };
    if (table === "tag") return { key: `${textOf(row.user_id)}/${textOf(row.id)}` };
    return { key: textOf(row.id) };
  },
  assemble: (spool, files, tooLarge) => assembled(createReader(spool), files, tooLarge),
};

/** Columns that have JSON, also texts as JSON. */
const jsonColumns = new Set(
  "chat meta content output files sources embeds status_history error usage data user_ids params access_control".split(
    " ",
  ),
);

function createReader(spool: Spool) {
  const parsed = (row: unknown): Row =>
    Object.fromEntries(
      Object.entries(objectOf(row)).map(([name, value]) => [
        name,
        typeof value === "string" && jsonColumns.has(name) ? (parseJson(value) ?? value) : value,
      ]),
    );
  function* all(table: string, key: string): Generator<Row> {
    for (const row of spool.values(table, key)) yield parsed(row);
  }
  return {
    keys: spool.keys,
    all,
    sizeOf: spool.sizeOf,
    find(table: string, key: string): Row {
      for (const row of all(table, key)) return row;
      return {};
    },
    *every(table: string): Generator<Row> {
      for (const key of spool.keys(table)) yield* all(table, key);
    },
  };
}
type Reader = ReturnType<typeof createReader>;

function assembled(read: Reader, files: ExportFiles, tooLarge: ReadonlyMap<string, number>): ServerExport {
  const people = [...read.every("user")].map((user) => ({
    key: textOf(user.id),
    name: textOf(user.name),
    email: textOf(user.email),
    threads: read.sizeOf("chat", textOf(user.id)).count,
  }));
  const known = new Set(people.map(({ key }) => key));
  return {
    kind: "open-webui",
    people,
    groups: [...read.every("group")].map((group) => ({
      name: textOf(group.name),
      members: [
        ...listOf(group.user_ids).map(textOf),
        ...[...read.all("group_member", textOf(group.id))].map((member) => textOf(member.user_id)),
      ],
    })),
    // A row without a base model is a setting of a model of the provider.
    assistants: [...read.every("model")].flatMap((model) => {
      const base = textOf(model.base_model_id);
      const instructions = textOf(objectOf(model.params).system);
      return base === ""
        ? []
        : [{ key: textOf(model.id), name: textOf(model.name), model: base, instructions }];
    }),
    threadsOf: (key) => threadsOf(read, key, files),
    promptsOf: (key) =>
      [...read.all("prompt", key)].flatMap((prompt) =>
        foreignPrompt(`open-webui:${textOf(prompt.id) || textOf(prompt.command)}`, {
          title: textOf(prompt.title) || textOf(prompt.name) || textOf(prompt.command).replace(/^\//, ""),
          text: textOf(prompt.content),
          createdAtMs: secondsOf(prompt.created_at ?? prompt.timestamp),
          updatedAtMs: secondsOf(prompt.updated_at ?? prompt.timestamp),
        }),
      ),
    skipped: skippedIn(read, known, tooLarge),
  };
}

/** Tables of which nothing is imported yet, and the names of their rows. */
const notYet = {
  memory: "memories",
  knowledge: "knowledge",
  note: "notes",
  channel: "channels",
  tool: "tools",
  function: "functions",
};

function skippedIn(
  read: Reader,
  known: ReadonlySet<string>,
  tooLarge: ReadonlyMap<string, number>,
): SkippedContent[] {
  const skipped: SkippedContent[] = [];
  const add = (reason: SkippedContent["reason"], name: string, count: number) => {
    if (count > 0) skipped.push({ reason, name, count });
  };
  for (const [table, name] of Object.entries(notYet)) add("not-yet", name, [...read.keys(table)].length);
  let ofNobody = 0;
  for (const userId of read.keys("chat"))
    if (!known.has(userId)) ofNobody += read.sizeOf("chat", userId).count;
  add("unknown", "chats of people who were deleted", ofNobody);
  add("unknown", "chats that are too large", tooLarge.get("chat") ?? 0);
  return skipped;
}

async function* threadsOf(read: Reader, userId: string, files: ExportFiles): AsyncGenerator<Candidate> {
  for (const row of read.all("chat", userId)) {
    const title = textOf(row.title) || null;
    const chat = withMessages(read, withNames(read, row));
    if (chat === undefined) yield { title, error: new AppError("too-large") };
    else if (!openWebUi.recognizes(chat, "")) yield { title, error: new AppError("import-unknown") };
    else if (openWebUi.isBlank?.(chat) !== true)
      yield await Promise.resolve({
        title,
        folder: textOf(chat["folder_name"]),
        source: openWebUi.thread(chat, files),
      });
  }
}

/** The row with the names of its folder and its tags. */
function withNames(read: Reader, row: Row): Row {
  const folder = read.find("folder", textOf(row.folder_id));
  const tags = listOf(objectOf(row.meta).tags).map(textOf);
  return {
    ...row,
    folder_name: folder.name,
    tag_names: tags.map((tag) => textOf(read.find("tag", `${textOf(row.user_id)}/${tag}`).name) || tag),
  };
}

/** Newer versions keep each message in a row of its own. `undefined`: they are too large together. */
function withMessages(read: Reader, row: Row): Row | undefined {
  const chatId = textOf(row.id);
  if (read.sizeOf("chat_message", chatId).bytes > limits.importConversationBytes) return undefined;
  const messages: Row = {};
  for (const message of read.all("chat_message", chatId)) {
    const {
      id,
      parent_id: parentId,
      model_id: model,
      status_history: statusHistory,
      created_at: timestamp,
      done,
      ...rest
    } = message;
    const own = textOf(id).startsWith(`${chatId}-`) ? textOf(id).slice(chatId.length + 1) : textOf(id);
    messages[own] = { ...rest, id: own, parentId, model, statusHistory, timestamp, done: done === 1 };
  }
  if (Object.keys(messages).length === 0) return row;
  const chat = objectOf(row.chat);
  const currentId = row.current_message_id ?? objectOf(chat.history).currentId;
  return { ...row, chat: { ...chat, history: { currentId, messages } } };
}
