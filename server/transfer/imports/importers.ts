import { chatGpt } from "./chatgpt/chatgpt.ts";
import { claude } from "./claude/claude.ts";
import { claudeProjects } from "./claude/project.ts";
import type { Importer } from "./importer.ts";
import { libreChat } from "./librechat/librechat.ts";
import { openWebUi } from "./open-webui/open-webui.ts";
import { deepSeek } from "./products/deepseek.ts";
import { gemini } from "./products/gemini.ts";
import { huggingChat } from "./products/huggingchat.ts";
import { leChat } from "./products/le-chat.ts";
import { lobeChat } from "./products/lobechat.ts";

/** Every kind of conversation of other services that can be imported. The first that recognizes one converts it. */
export const importers: readonly Importer[] = [
  openWebUi,
  // DeepSeek's conversations have a `mapping` too.
  deepSeek,
  chatGpt,
  claude,
  claudeProjects,
  libreChat,
  lobeChat,
  huggingChat,
  leChat,
  gemini,
];

/** Lists in exports of other services that are too long to be read at once. */
export const longLists = [
  "conversations",
  "messages",
  "data.messages",
  "data.messagePlugins",
  "data.messageTranslates",
  "data.messageChunks",
  "data.topics",
  "state.messages",
  "state.topics",
] as const;
