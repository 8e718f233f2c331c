import { isoTime } from "#server/lib/clock.ts";
import type { RecentThreads } from "#server/search/recent-threads.ts";
import type { ServerToolDefinition } from "../tool.ts";
import {
  parseArguments,
  optionalCount,
  parsePeriod,
  periodParameters,
  quotedHint,
  quotedNote,
} from "./arguments.ts";

const defaultThreads = 10;
const threadsMax = 50;

/** The person's threads of a period, the latest first: `{ threads: [{ thread_id, title, last_message_at, messages, begins_with }] }`. */
export function createListThreads(recent: RecentThreads): ServerToolDefinition {
  return {
    name: "list_threads",
    readsOtherThreads: true,
    effect: "reads",
    readsStrangers: false,
    description:
      "Lists the person's own conversations, the latest first, without this one. Use it for what was talked about " +
      `recently or in a period. read_thread returns the messages. ${quotedHint}`,
    parameters: {
      type: "object",
      properties: {
        ...periodParameters,
        archived: {
          type: "boolean",
          description: "Only archived ones, or only others. Default: both.",
        },
        limit: { type: "integer", description: `How many. Default: ${defaultThreads}.` },
      },
      additionalProperties: false,
    },
    async run(given, { workspaceId, threadId, timeZone }) {
      const args = parseArguments(given, '{ "after": "2027-06-01" }');
      const threads = await recent.list({
        workspaceId,
        ...parsePeriod(args, timeZone),
        archived: typeof args.archived === "boolean" ? args.archived : undefined,
        exceptThreadId: threadId === "" ? undefined : threadId,
        limit: optionalCount(args, "limit", defaultThreads, threadsMax),
      });
      return {
        note: quotedNote,
        threads: threads.map((thread) => ({
          thread_id: thread.threadId,
          title: thread.title,
          last_message_at: isoTime(thread.lastMessageAtMs),
          messages: thread.messages,
          begins_with: thread.begins,
          ...(thread.isArchived ? { archived: true } : {}),
        })),
      };
    },
  };
}
