import { isJsonObject } from "#contract/json.ts";
import { chatSource, type ForeignMessage } from "../other-services/chat-source.ts";
import { listOf, objectOf, textOf, timeOf } from "../other-services/fields.ts";
import type { ExportFiles } from "../other-services/files-of-export.ts";
import type { ConvertedPart, Skipped } from "../other-services/converted-messages.ts";
import { addAnswerText, addThought } from "../other-services/text-markup.ts";
import { webSource } from "../other-services/converted-messages.ts";
import type { Importer } from "../importer.ts";

type Fields = Record<string, unknown>;

/** DeepSeek's `conversations.json`: a tree in `mapping` as ChatGPT's, with `fragments` in place of content. */
export const deepSeek: Importer = {
  kind: "deepseek",
  files: /^(?:.*\/)?conversations\.json$/,
  recognizes: (value): value is Fields =>
    isJsonObject(value) && isJsonObject(value.mapping) && value.inserted_at !== undefined,
  isBlank: ({ mapping }) => Object.values(objectOf(mapping)).every((node) => objectOf(node).message == null),
  thread: (conversation, files) =>
    chatSource({ kind: "deepseek", name: "DeepSeek" }, (skipped) => ({
      id: conversation.id,
      title: conversation.title,
      createdAtMs: timeOf(conversation.inserted_at, 1),
      updatedAtMs: timeOf(conversation.updated_at, 1),
      messages: Object.entries(objectOf(conversation.mapping)).flatMap(([id, node]) =>
        messageOf(id, objectOf(node), { files, skipped }),
      ),
    })),
};

function messageOf(
  id: string,
  node: Fields,
  { files, skipped }: { files: ExportFiles; skipped: Skipped },
): ForeignMessage[] {
  if (!isJsonObject(node.message)) return [];
  const { message } = node;
  const parts: ConvertedPart[] = [];
  const fragments = listOf(message.fragments).map(objectOf);
  for (const [index, fragment] of fragments.entries()) {
    const content = textOf(fragment.content);
    if (fragment.type === "REQUEST" && content !== "") parts.push({ type: "text", text: content });
    else if (fragment.type === "THINK") addThought(parts, content.trim());
    else if (fragment.type === "RESPONSE") addAnswerText(parts, content, `${id}-${index + 1}`);
    else if (fragment.type === "SEARCH" || Array.isArray(fragment.results))
      parts.push(
        ...listOf(fragment.results)
          .map(objectOf)
          .flatMap(({ url, title }, at) => webSource(`${id}-${index + 1}-${at + 1}`, url, title)),
      );
    else if (content !== "") skipped.add("unknown", textOf(fragment.type) || "fragment");
  }
  for (const file of listOf(message.files).map(objectOf)) {
    const name = textOf(file.file_name) || textOf(file.name) || undefined;
    parts.push({ type: "file-place", file: files.find(textOf(file.id), name), name, isImage: false });
  }
  const isQuestion = fragments.some(({ type }) => type === "REQUEST");
  const parent = textOf(node.parent);
  return [
    {
      id,
      // The root has no message.
      parentId: parent === "" || parent === "root" ? null : parent,
      role: isQuestion ? "user" : "assistant",
      parts,
      atMs: timeOf(message.inserted_at, 1),
      model: textOf(message.model),
    },
  ];
}
