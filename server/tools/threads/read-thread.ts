import { isoTime } from "#server/lib/clock.ts";
import type { RecentThreads } from "#server/search/recent-threads.ts";
import { ToolError, type ServerToolDefinition } from "../tool.ts";
import {
  parseArguments,
  optionalCount,
  quotedHint,
  quotedNote,
  authorOf,
  optionalText,
} from "./arguments.ts";

const defaultMessages = 40;
const messagesMax = 200;
/** About 10,000 tokens. */
const charactersMax = 40_000;

/** The messages of one of the person's threads: `{ title, messages: [{ said_by, said_at, text, message_id }], earlier_messages }`. */
export function createReadThread(recent: RecentThreads): ServerToolDefinition {
  return {
    name: "read_thread",
    readsOtherThreads: true,
    effect: "reads",
    readsStrangers: false,
    description:
      "Reads the end of one of the person's own conversations, on the branch that they saw last. Default: this " +
      "conversation. Other ids come from " +
      `list_threads and search_threads. ${quotedHint}`,
    parameters: {
      type: "object",
      properties: {
        thread_id: { type: "string" },
        messages: { type: "integer", description: `How many messages. Default: ${defaultMessages}.` },
        until_message_id: {
          type: "string",
          description:
            "The last message to read, such as that of a passage, or the first one read before. Default: the end.",
        },
      },
      additionalProperties: false,
    },
    async run(given, { workspaceId, threadId: currentThreadId }) {
      const args = parseArguments(given, '{ "thread_id": "thread_0…" }');
      const threadId = optionalText(args, "thread_id") ?? currentThreadId;
      const reading = await recent.read({
        workspaceId,
        threadId,
        untilMessageId: optionalText(args, "until_message_id"),
        messages: optionalCount(args, "messages", defaultMessages, messagesMax),
        characters: charactersMax,
      });
      if (reading === undefined) throw new ToolError("There is no such thread.");
      return {
        note: quotedNote,
        thread_id: reading.threadId,
        title: reading.title,
        messages: reading.messages.map(({ messageId, role, model, saidAtMs, text }) => ({
          message_id: messageId,
          said_by: authorOf(role),
          ...(model === null ? {} : { model }),
          said_at: isoTime(saidAtMs),
          text,
        })),
        earlier_messages: Math.max(0, reading.earlier),
      };
    },
  };
}
