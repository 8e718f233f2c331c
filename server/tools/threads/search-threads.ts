import { threadLinkUrl } from "#contract/thread-links.ts";
import { isoTime } from "#server/lib/clock.ts";
import type { Passage, Passages } from "#server/search/passages/passages.ts";
import type { ServerToolDefinition } from "../tool.ts";
import { ToolError } from "../tool.ts";
import {
  parseArguments,
  optionalCount,
  parsePeriod,
  periodParameters,
  quotedHint,
  quotedNote,
  authorOf,
  optionalText,
} from "./arguments.ts";

const defaultPassages = 5;
const passagesMax = 20;
const queryLengthMax = 1_000;

/** Searches the person's threads and files: `{ query }` gives `{ passages: [{ source: 1, thread, text, … }] }`, the best first. */
export function createSearchThreads(passages: Passages, builtinId: string): ServerToolDefinition {
  return {
    name: "search_threads",
    readsOtherThreads: true,
    effect: "reads",
    readsStrangers: false,
    description:
      "Searches the person's own earlier conversations and notes, and the text of the files attached to them, and returns " +
      "the passages that match a question best. Use it when they refer to something said or sent before, or ask for " +
      "something that only they can have told you. " +
      `Where you use a passage, cite it by its source number in brackets: [1]. ${quotedHint}`,
    parameters: {
      type: "object",
      properties: {
        query: { type: "string", description: "What to search for, as a question or in a few words." },
        ...periodParameters,
        thread_id: { type: "string", description: "Only in this thread." },
        min_fit: {
          type: "number",
          description: "How much of the question a passage must match, from 0 to 1; any where it is absent.",
        },
        limit: { type: "integer", description: `How many passages. Default: ${defaultPassages}.` },
      },
      required: ["query"],
      additionalProperties: false,
    },
    async run(given, { workspaceId, question: asked, timeZone, cite }) {
      const args = parseArguments(given, '{ "query": "the code of the garage" }');
      const query = optionalText(args, "query");
      if (query === undefined)
        throw new ToolError('Say what to look for: { "query": "the code of the garage" }.');
      const found = await passages.find({
        workspaceId,
        question: query.slice(0, queryLengthMax),
        limit: optionalCount(args, "limit", defaultPassages, passagesMax),
        ...parsePeriod(args, timeZone),
        threadId: optionalText(args, "thread_id"),
        minFit: typeof args.min_fit === "number" ? args.min_fit : 0,
        // The built-in assistant only calculates and quotes.
        notBy: [builtinId],
        exceptText: asked,
      });
      return {
        note: quotedNote,
        passages: found.map((passage) => ({
          source: cite({
            url: threadLinkUrl({
              ...passage,
              ...(passage.file === undefined ? {} : { fileId: passage.file.id }),
            }),
            ...titleField(passage.file?.name ?? passage.title),
          }),
          thread: passage.title,
          ...fileFields(passage.file),
          said_by: authorOf(passage.role),
          said_at: isoTime(passage.saidAtMs),
          text: passage.text,
          fit: passage.fit,
          thread_id: passage.threadId,
          message_id: passage.messageId,
          ...(passage.isArchived ? { archived: true } : {}),
        })),
      };
    },
  };
}

function titleField(title: string | null): { title?: string } {
  return title === null ? {} : { title };
}

function fileFields(file: Passage["file"]): { file?: string; page?: number } {
  if (file === undefined) return {};
  return { file: file.name, ...(file.page === null ? {} : { page: file.page }) };
}
