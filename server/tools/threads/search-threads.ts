import { threadLinkUrl } from "#contract/thread-links.ts";
import type { Passage, Passages } from "#server/search/passages/passages.ts";
import type { CarriedOutTool } from "../tool.ts";
import { ToolError } from "../tool.ts";
import {
  argumentsOf,
  countOf,
  periodOf,
  periodParameters,
  printed,
  quotedHint,
  quotedNote,
  saidBy,
  textOf,
} from "./quoted.ts";

const usualPassages = 5;
const passagesMax = 20;
const questionCharacters = 1_000;

/** Passages of the person's own threads and files: `{ query }` gives `{ passages: [{ source: 1, thread, text, … }] }`, the best first. */
export function createSearchThreads(passages: Passages, builtinId: string): CarriedOutTool {
  return {
    name: "search_threads",
    description:
      "Searches the person's own earlier conversations and notes, and the text of the files attached to them, and returns " +
      "the passages that fit a question best. Use it when they refer to something said or sent before, or ask for " +
      "something that only they can have told you. " +
      `Where you use a passage, cite it by its source number in brackets: [1]. ${quotedHint}`,
    parameters: {
      type: "object",
      properties: {
        query: { type: "string", description: "What is looked for, as a question or in a few words." },
        ...periodParameters,
        thread_id: { type: "string", description: "Only in this thread." },
        min_fit: {
          type: "number",
          description: "How much of the question a passage must have, from 0 to 1; any where it is absent.",
        },
        limit: { type: "integer", description: `How many passages, ${usualPassages} where it is absent.` },
      },
      required: ["query"],
      additionalProperties: false,
    },
    async run(given, { workspaceId, asked, timeZone, cite }) {
      const args = argumentsOf(given, '{ "query": "the code of the garage" }');
      const query = textOf(args, "query");
      if (query === undefined)
        throw new ToolError('Say what to look for: { "query": "the code of the garage" }.');
      const found = await passages.find({
        workspaceId,
        question: query.slice(0, questionCharacters),
        limit: countOf(args, "limit", usualPassages, passagesMax),
        ...periodOf(args, timeZone),
        threadId: textOf(args, "thread_id"),
        minFit: typeof args.min_fit === "number" ? args.min_fit : 0,
        // It says nothing of its own: it works things out, and quotes.
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
            ...titled(passage.file?.name ?? passage.title),
          }),
          thread: passage.title,
          ...inFile(passage.file),
          said_by: saidBy(passage.role),
          said_at: printed(passage.saidAtMs),
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

function titled(title: string | null): { title?: string } {
  return title === null ? {} : { title };
}

function inFile(file: Passage["file"]): { file?: string; page?: number } {
  if (file === undefined) return {};
  return { file: file.name, ...(file.page === null ? {} : { page: file.page }) };
}
