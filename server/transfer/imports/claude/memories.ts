import { isJsonObject } from "#contract/json.ts";
import { listOf, objectOf, textOf } from "../other-services/fields.ts";
import type { NotYet } from "../importer.ts";

/** What Claude remembers of a person: of all conversations, of each project, and in files. There is no place for it. */
export const claudeMemories: NotYet = {
  kind: "claude",
  // One file with a list, or a folder with a file for each account.
  files: /^(?:.*\/)?(?:memories|memories\/[^/]+)\.json$/,
  recognizes: (value) =>
    isJsonObject(value) &&
    ["conversations_memory", "project_memories", "memory_files"].some((key) => key in value),
  countOf({ conversations_memory: text, project_memories: ofProjects, memory_files: files }) {
    const texts = [text, ...Object.values(objectOf(ofProjects))].map(textOf);
    return { memories: texts.filter((each) => each.trim() !== "").length + listOf(files).length };
  },
};
