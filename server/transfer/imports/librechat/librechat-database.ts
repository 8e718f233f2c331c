import { limits } from "#contract/limits.ts";
import type { SkippedContent } from "#contract/endpoints/imports.ts";
import { AppError } from "#server/lib/errors.ts";
import type { Spool } from "#storage/lib/spool.ts";
import type { Candidate } from "../thread-source.ts";
import { objectOf, textOf, timeOf } from "../other-services/fields.ts";
import type { ExportFiles } from "../other-services/files-of-export.ts";
import { foreignPrompt } from "../servers/foreign-prompt.ts";
import type { ServerDatabase } from "../servers/server-export.ts";
import { libreChat } from "./librechat.ts";

type Row = Record<string, unknown>;

/** LibreChat's MongoDB, as `mongodump` writes it: a `.bson` file for each collection. */
export const libreChatDatabase: ServerDatabase = {
  kind: "librechat",
  tables: [
    "users",
    "conversations",
    "messages",
    "prompts",
    "promptgroups",
    "presets",
    "agents",
    "sharedlinks",
    "memoryentries",
    "assistants",
    "projects",
  ],
  required: ["users", "conversations", "messages"],
  placeOf(table, row) {
    const order = timeOf(row.createdAt, 1) ?? 0;
    if (table === "conversations" || table === "presets") return { key: textOf(row.user), order };
    if (table === "messages") return { key: textOf(row.conversationId), order };
    if (table === "promptgroups") return { key: textOf(row.author), order };
    return { key: textOf(row._id), order };
  },
  assemble(spool, files, tooLarge) {
    const people = [...every(spool, "users")].map((user) => ({
      key: textOf(user._id),
      name: textOf(user.name) || textOf(user.username),
      email: textOf(user.email),
      threads: spool.sizeOf("conversations", textOf(user._id)).count,
    }));
    return {
      kind: "librechat",
      people,
      groups: [],
      assistants: [...every(spool, "agents")].map((agent) => ({
        key: textOf(agent.id) || textOf(agent._id),
        name: textOf(agent.name),
        model: textOf(agent.model),
        instructions: textOf(agent.instructions),
      })),
      threadsOf: (key) => threadsOf(spool, key, files),
      promptsOf: (key) => [...promptsOf(spool, key), ...presetsOf(spool, key)],
      skipped: skippedIn(spool, new Set(people.map(({ key }) => key)), tooLarge),
    };
  },
};

function* every(spool: Spool, table: string): Generator<Row> {
  for (const key of spool.keys(table)) for (const row of spool.values(table, key)) yield objectOf(row);
}

async function* threadsOf(spool: Spool, key: string, files: ExportFiles): AsyncGenerator<Candidate> {
  for (const value of spool.values("conversations", key)) {
    const conversation = objectOf(value);
    const title = textOf(conversation.title) || null;
    const id = textOf(conversation.conversationId);
    if (spool.sizeOf("messages", id).bytes > limits.importConversationBytes) {
      yield { title, error: new AppError("too-large") };
      continue;
    }
    const source = { ...conversation, messages: [...spool.values("messages", id)] };
    if (libreChat.isBlank?.(source) === true) continue;
    yield await Promise.resolve(
      libreChat.recognizes(source, "")
        ? { title, source: libreChat.thread(source, files) }
        : { title, error: new AppError("import-unknown") },
    );
  }
}

/** The version of each prompt that is in use. */
function* promptsOf(spool: Spool, author: string) {
  for (const value of spool.values("promptgroups", author)) {
    const group = objectOf(value);
    for (const prompt of spool.values("prompts", textOf(group.productionId)))
      yield* foreignPrompt(`librechat:${textOf(group._id)}`, {
        title: textOf(group.name),
        text: textOf(objectOf(prompt).prompt),
        createdAtMs: timeOf(group.createdAt, 1),
        updatedAtMs: timeOf(group.updatedAt, 1),
      });
  }
}

/** Presets with instructions become prompts; the others are only a choice of a model. */
function* presetsOf(spool: Spool, user: string) {
  for (const value of spool.values("presets", user)) {
    const preset = objectOf(value);
    yield* foreignPrompt(`librechat:${textOf(preset.presetId) || textOf(preset._id)}`, {
      title: textOf(preset.title),
      text: textOf(preset.promptPrefix) || textOf(preset.system),
      createdAtMs: timeOf(preset.createdAt, 1),
      updatedAtMs: timeOf(preset.updatedAt, 1),
    });
  }
}

const notYet = {
  sharedlinks: "shared links",
  memoryentries: "memories",
  assistants: "assistants of OpenAI",
  projects: "projects",
};

function skippedIn(
  spool: Spool,
  known: ReadonlySet<string>,
  tooLarge: ReadonlyMap<string, number>,
): SkippedContent[] {
  const counts: SkippedContent[] = Object.entries(notYet).map(([table, name]) => ({
    reason: "not-yet",
    name,
    count: [...spool.keys(table)].length,
  }));
  let ofNobody = 0;
  for (const key of spool.keys("conversations"))
    if (!known.has(key)) ofNobody += spool.sizeOf("conversations", key).count;
  counts.push({ reason: "unknown", name: "chats of people who were deleted", count: ofNobody });
  counts.push({
    reason: "unknown",
    name: "messages that are too large",
    count: tooLarge.get("messages") ?? 0,
  });
  return counts.filter(({ count }) => count > 0);
}
