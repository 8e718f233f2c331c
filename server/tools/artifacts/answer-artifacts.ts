import { type AnswerTexts, type Artifact, artifactsOf } from "#contract/artifacts/artifacts.ts";
import type { ModelMessage } from "#server/parts/model-message.ts";

/** The artifacts that an answer can change, and the texts that its tools add to it. */
export type AnswerArtifacts = ReturnType<typeof createAnswerArtifacts>;

type Parts = readonly { type: string; text?: string }[];

/** The id of the answer that is being written. */
const ownId = "this";

/**
 * `messages` is the conversation as the model reads it, `before` the reply so far. `isCut`: there are messages above these.
 */
export function createAnswerArtifacts(
  messages: readonly ModelMessage[],
  before: Parts,
  { isCut = false }: { isCut?: boolean } = {},
) {
  const answers = answersOf(messages);
  const own = textsOf(before);
  let written: string[] = [];
  return {
    isCut,
    list: (): readonly Artifact[] => artifactsOf([...answers, { messageId: ownId, texts: own }]),
    /** Those of this answer alone. */
    listOwn: (): readonly Artifact[] => artifactsOf([{ messageId: ownId, texts: own }]),
    /** What the model wrote in a step, before its tools run. */
    addStep(parts: Parts): void {
      own.push(...textsOf(parts));
    },
    write(markdown: string): void {
      own.push(markdown);
      written.push(markdown);
    },
    /** The texts that were written since the last call. */
    takeTexts(): string[] {
      const taken = written;
      written = [];
      return taken;
    },
  };
}

/** Each step of an answer is a message of its own for the model. */
function answersOf(messages: readonly ModelMessage[]): AnswerTexts[] {
  const texts = new Map<string, string[]>();
  for (const [index, message] of messages.entries()) {
    if (message.role !== "assistant") continue;
    const id = message.messageId ?? String(index);
    texts.set(id, [...(texts.get(id) ?? []), ...textsOf(message.parts)]);
  }
  return [...texts].map(([messageId, each]) => ({ messageId, texts: each }));
}

function textsOf(parts: Parts): string[] {
  return parts.flatMap(({ type, text }) => (type === "text" && text !== undefined ? [text] : []));
}
