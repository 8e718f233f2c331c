import type { RecentThreads } from "#server/search/recent.ts";
import type { CarriedOutTool } from "../tool.ts";
import {
  argumentsOf,
  countOf,
  periodOf,
  periodParameters,
  printed,
  quotedHint,
  quotedNote,
} from "./quoted.ts";

const usualThreads = 10;
const threadsMax = 50;

/** The person's threads of a time, the last first: `{ threads: [{ thread_id, title, last_message_at, messages, begins_with }] }`. */
export function createListThreads(recent: RecentThreads): CarriedOutTool {
  return {
    name: "list_threads",
    description:
      "Lists the person's own conversations, the last one first, this one left out. Use it for what was talked about " +
      `recently or at some time; read_thread gives what was said. ${quotedHint}`,
    parameters: {
      type: "object",
      properties: {
        ...periodParameters,
        archived: {
          type: "boolean",
          description: "Only archived ones, or only others; both where it is absent.",
        },
        limit: { type: "integer", description: `How many, ${usualThreads} where it is absent.` },
      },
      additionalProperties: false,
    },
    async run(given, { workspaceId, threadId, timeZone }) {
      const args = argumentsOf(given, '{ "after": "2027-06-01" }');
      const threads = await recent.list({
        workspaceId,
        ...periodOf(args, timeZone),
        archived: typeof args.archived === "boolean" ? args.archived : undefined,
        exceptThreadId: threadId === "" ? undefined : threadId,
        limit: countOf(args, "limit", usualThreads, threadsMax),
      });
      return {
        note: quotedNote,
        threads: threads.map((thread) => ({
          thread_id: thread.threadId,
          title: thread.title,
          last_message_at: printed(thread.lastMessageAtMs),
          messages: thread.messages,
          begins_with: thread.begins,
          ...(thread.isArchived ? { archived: true } : {}),
        })),
      };
    },
  };
}
