import { isJsonObject } from "#contract/json.ts";
import { chatSource, type ForeignMessage } from "../other-services/chat-source.ts";
import { setResult, toolCall, type ConvertedPart } from "../other-services/converted-messages.ts";
import { listOf, objectOf, textOf, timeOf } from "../other-services/fields.ts";
import { bytesFile, type ExportFiles } from "../other-services/files-of-export.ts";
import { addAnswerText, addThought } from "../other-services/text-markup.ts";
import type { Importer } from "../importer.ts";

type Fields = Record<string, unknown>;

const roles = ["user", "assistant", "system"] as const;
const roleOf = (from: unknown) => roles.find((role) => role === from);

/** Conversations of chat-ui, which is HuggingChat's program: its export, or documents of its database. */
export const huggingChat: Importer = {
  kind: "huggingchat",
  files: /^(?:.*\/)?conversations\.json$/,
  recognizes: (value): value is Fields =>
    isJsonObject(value) &&
    Array.isArray(value.messages) &&
    (value.messages.length === 0
      ? value.model !== undefined
      : value.messages.some((each) => roleOf(objectOf(each).from))),
  isBlank: ({ messages }) => listOf(messages).every((each) => objectOf(each).from === "system"),
  thread: (conversation, files) =>
    chatSource({ kind: "huggingchat", name: "HuggingChat" }, () => ({
      id: idOf(conversation._id),
      title: conversation.title,
      createdAtMs: dateOf(conversation.createdAt),
      updatedAtMs: dateOf(conversation.updatedAt),
      messages: messagesOf(conversation, files),
    })),
};

function messagesOf(conversation: Fields, files: ExportFiles): ForeignMessage[] {
  const list = listOf(conversation.messages).map(objectOf);
  // The export writes all files of the conversation into each of its messages.
  const placed = new Set<string>();
  /** An empty prompt at the top is left out. */
  const left = new Set(
    list
      .filter(({ from, content }) => from === "system" && textOf(content).trim() === "")
      .map(({ id }) => id),
  );
  return list.flatMap((message, index): ForeignMessage[] => {
    const role = roleOf(message.from);
    if (role === undefined || (left.has(message.id) && role === "system")) return [];
    const id = textOf(message.id) || `${index + 1}`;
    const parts: ConvertedPart[] = [];
    addThought(parts, textOf(message.reasoning).trim());
    if (role === "assistant") addUpdates(parts, listOf(message.updates).map(objectOf));
    if (role === "assistant") addAnswerText(parts, textOf(message.content), id);
    else if (textOf(message.content) !== "") parts.push({ type: "text", text: textOf(message.content) });
    for (const file of role === "system" ? [] : listOf(message.files))
      addFile(parts, file, { files, placed });
    const ancestors = Array.isArray(message.ancestors)
      ? message.ancestors.filter((each) => !left.has(each)).map(textOf)
      : undefined;
    const { score } = message;
    return [
      {
        id,
        parentId: ancestors === undefined ? undefined : (ancestors.at(-1) ?? null),
        role,
        parts,
        atMs: dateOf(message.createdAt) ?? dateOf(conversation.createdAt),
        model: textOf(objectOf(message.routerMetadata).model) || textOf(conversation.model),
        isCutOff: message.interrupted === true,
        rating: score === 1 ? "good" : score === -1 ? "bad" : undefined,
      },
    ];
  });
}

/** Tool calls, which only the database has. */
function addUpdates(parts: ConvertedPart[], updates: readonly Fields[]): void {
  for (const update of updates) {
    if (update.type !== "tool") continue;
    const id = textOf(update.uuid);
    const { call, result, message } = update;
    if (update.subtype === "call")
      parts.push(toolCall(id, textOf(objectOf(call).name), objectOf(call).parameters));
    else if (update.subtype === "result")
      setResult(
        parts,
        { id, name: "tool" },
        JSON.stringify(objectOf(result).outputs ?? objectOf(result).status ?? null),
      );
    else if (update.subtype === "error") setResult(parts, { id, name: "tool" }, textOf(message));
  }
}

/** A file's name in the zip, or in the database its bytes or their hash. */
function addFile(
  parts: ConvertedPart[],
  file: unknown,
  { files, placed }: { files: ExportFiles; placed: Set<string> },
): void {
  const { name, value, type, mime } = objectOf(file);
  const known = textOf(file) || textOf(value);
  if (known === "" || placed.has(known)) return;
  placed.add(known);
  const isImage = textOf(mime).startsWith("image/");
  const named = textOf(name) || undefined;
  const found =
    type === "base64"
      ? bytesFile(Buffer.from(known, "base64"), named)
      : files.find(known, textOf(file) || named);
  parts.push({ type: "file-place", file: found, name: named ?? (textOf(file) || undefined), isImage });
}

function idOf(id: unknown): string {
  return textOf(id) || textOf(objectOf(id).$oid);
}

function dateOf(value: unknown): number | undefined {
  return timeOf(objectOf(value).$date ?? value, 1);
}
