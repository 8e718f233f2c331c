import type { Extraction } from "#server/extraction/extraction.ts";
import { noLimits } from "#server/extraction/request-limits.ts";
import type { SummarizedBranch } from "#server/messages/history.ts";
import type { HistoryRow } from "#server/messages/tree-rows.ts";
import type { ModelFacts, ModelMessage } from "#server/models/model.ts";
import { withoutOtherThreads } from "#server/parts/other-threads.ts";
import { toModelMessages } from "#server/parts/to-model.ts";
import { tokensOf } from "./measure.ts";

/** A stored message and its messages in a request, with what the model reads of its files. */
export type ReadMessage = { row: HistoryRow; messages: readonly ModelMessage[] };

/**
 * Reads the messages of a branch as a request has them, one by one. `onlyFiles`: the files that may be read, if not all.
 */
export async function readBranch(
  { messages: rows }: Pick<SummarizedBranch, "messages">,
  extraction: Pick<Extraction, "resolveFiles">,
  {
    hidesOtherThreads,
    ...request
  }: {
    workspaceId: string;
    facts: ModelFacts;
    signal: AbortSignal;
    hidesOtherThreads: boolean;
    onlyFiles?: Set<string>;
  },
): Promise<ReadMessage[]> {
  const read = rows.map((row) => ({
    row,
    messages: toModelMessages([
      {
        role: row.role,
        format: row.format,
        content: hidesOtherThreads
          ? withoutOtherThreads(JSON.parse(row.content))
          : (JSON.parse(row.content) as unknown),
      },
    ]),
  }));
  const { messages: resolved } = await extraction.resolveFiles(
    read.flatMap(({ messages }) => messages),
    { ...request, requestLimits: noLimits },
  );
  let at = 0;
  return read.map(({ row, messages }) => ({
    row,
    messages: resolved.slice(at, (at += messages.length)),
  }));
}

/** The messages in turns: each begins with a message of the person. What is above the first one belongs to it. */
export function turnsOf(branch: readonly ReadMessage[]): { read: ReadMessage[]; tokens: number }[] {
  const turns: { read: ReadMessage[]; tokens: number }[] = [];
  let hasQuestion = false;
  for (const message of branch) {
    const isQuestion = message.row.role === "user";
    if (turns.length === 0 || (isQuestion && hasQuestion)) turns.push({ read: [], tokens: 0 });
    hasQuestion ||= isQuestion;
    const turn = turns.at(-1)!;
    turn.read.push(message);
    turn.tokens += tokensOf(message.messages);
  }
  return turns;
}
