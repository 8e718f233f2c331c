import type { RecentThreads } from "#server/search/recent.ts";
import { ToolError, type CarriedOutTool } from "../tool.ts";
import { argumentsOf, countOf, printed, quotedHint, quotedNote, saidBy, textOf } from "./quoted.ts";

const usualMessages = 40;
const messagesMax = 200;
/** About 10,000 tokens. */
const charactersMax = 40_000;

/** What was said in one of the person's threads: `{ title, messages: [{ said_by, said_at, text, message_id }], earlier_messages }`. */
export function createReadThread(recent: RecentThreads): CarriedOutTool {
  return {
    name: "read_thread",
    description:
      "Reads the end of one of the person's own conversations, on the branch that they saw last: this one where " +
      "thread_id is absent. Other ids come from " +
      `list_threads and search_threads. ${quotedHint}`,
    parameters: {
      type: "object",
      properties: {
        thread_id: { type: "string" },
        messages: { type: "integer", description: `How many messages, ${usualMessages} where it is absent.` },
        until_message_id: {
          type: "string",
          description:
            "The last message to read, where it is not the end: that of a passage, or the first one read before.",
        },
      },
      additionalProperties: false,
    },
    async run(given, { workspaceId, threadId: here }) {
      const args = argumentsOf(given, '{ "thread_id": "thread_0…" }');
      const threadId = textOf(args, "thread_id") ?? here;
      const reading = await recent.read({
        workspaceId,
        threadId,
        untilMessageId: textOf(args, "until_message_id"),
        messages: countOf(args, "messages", usualMessages, messagesMax),
        characters: charactersMax,
      });
      if (reading === undefined) throw new ToolError("There is no such thread.");
      return {
        note: quotedNote,
        thread_id: reading.threadId,
        title: reading.title,
        messages: reading.messages.map(({ messageId, role, model, saidAtMs, text }) => ({
          message_id: messageId,
          said_by: saidBy(role),
          ...(model === null ? {} : { model }),
          said_at: printed(saidAtMs),
          text,
        })),
        earlier_messages: Math.max(0, reading.earlier),
      };
    },
  };
}
