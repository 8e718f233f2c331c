import { chatGpt } from "./chatgpt/chatgpt.ts";
import { claude } from "./claude/claude.ts";
import { besideConversations } from "./chatgpt/beside-conversations.ts";
import { claudeDesignChats } from "./claude/design-chats.ts";
import { claudeMemories } from "./claude/memories.ts";
import { claudeProjects } from "./claude/project.ts";
import type { Importer, NotYet } from "./importer.ts";
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
  claudeDesignChats,
  libreChat,
  lobeChat,
  huggingChat,
  leChat,
  gemini,
];

/** What exports have that there is no place for yet. */
export const notYet: readonly NotYet[] = [claudeMemories, ...besideConversations];

/** Files that are about an export or an account, and have nothing of a person's chats. */
export const filesAboutExports =
  /(?:^|\/)(?:user|user_settings|export_manifest|library_files|model_comparisons|shopping|sora|users|login_history|manifest-[^/]*)\.json$|(?:^|\/)chat\.html$/;

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
