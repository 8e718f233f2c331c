import { chatGpt } from "./chatgpt/chatgpt.ts";
import { claude } from "./claude/claude.ts";
import { claudeProjects } from "./claude/project.ts";
import type { Importer } from "./importer.ts";

/** Every kind of conversation of other services that can be imported. */
export const importers: readonly Importer[] = [chatGpt, claude, claudeProjects];
