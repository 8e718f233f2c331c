import { isJsonObject } from "#contract/json.ts";
import type { ExportFiles } from "../other-services/files-of-export.ts";
import { listOf, objectOf, textOf, timeOf } from "../other-services/fields.ts";
import {
  toExportedThread,
  type ConvertedMessage,
  type ConvertedPart,
} from "../other-services/converted-messages.ts";
import { conversationSource } from "../other-services/conversation-source.ts";
import type { Importer } from "../importer.ts";
import type { ThreadSource } from "../thread-source.ts";
import { attachment } from "../other-services/attachment.ts";

type Fields = Record<string, unknown>;

/** Projects of Claude's export: a prompt and documents that all chats of the project share. */
export const claudeProjects: Importer = {
  kind: "claude",
  // One file with all projects, or a folder with a file for each.
  files: /^(?:.*\/)?(?:projects|projects\/[^/]+)\.json$/,
  recognizes: (value): value is Fields =>
    isJsonObject(value) && Array.isArray(value.docs) && typeof value.prompt_template === "string",
  isBlank,
  thread: threadOf,
};

/** Whether the project is empty, or is the example that every Claude account has. */
function isBlank({ docs, prompt_template: prompt, description, ...project }: Fields): boolean {
  const isEmpty = listOf(docs).length === 0 && textOf(prompt) === "" && textOf(description) === "";
  return isEmpty || project.is_starter_project === true;
}

/**
 * A folder with the name of the project, and in it a thread with one message: the description and the prompt as text, the
 * documents as files. A person who continues the thread has them in the context, as in a chat of the project.
 */
function threadOf(project: Fields, files: ExportFiles): ThreadSource {
  return conversationSource(() => {
    const id = `project-${textOf(project.uuid)}`;
    const texts = [textOf(project.description), textOf(project.prompt_template)];
    const parts: ConvertedPart[] = texts.flatMap((text) => (text === "" ? [] : [{ type: "text", text }]));
    for (const [index, doc] of listOf(project.docs).map(objectOf).entries()) {
      const file = { id: doc.uuid, file_name: doc.filename, extracted_content: doc.content };
      parts.push(attachment(file, `${id}/${index + 1}`, files));
    }
    const createdAtMs = timeOf(project.created_at, 1);
    const message: ConvertedMessage = { id, parentId: null, role: "user", parts, atMs: createdAtMs };
    const thread = toExportedThread("claude", {
      id,
      title: project.name,
      archived: false,
      pinned: false,
      folder: project.name,
      createdAtMs,
      updatedAtMs: timeOf(project.updated_at, 1),
      shown: id,
    });
    return { messages: [message], thread, skipped: [] };
  });
}
