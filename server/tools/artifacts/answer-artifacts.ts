import { type Artifact, artifactsOf } from "#contract/artifacts/artifacts.ts";
import type { ModelMessage } from "#server/parts/model-message.ts";

/** The artifacts that an answer can change, and the texts that its tools add to it. */
export type AnswerArtifacts = ReturnType<typeof createAnswerArtifacts>;

type Parts = readonly { type: string; text?: string }[];

/** `messages` is the conversation as the model reads it, `before` the reply so far. */
export function createAnswerArtifacts(messages: readonly ModelMessage[], before: Parts) {
  const answers = messages.flatMap((message, index) =>
    message.role === "assistant" ? [{ messageId: String(index), texts: textsOf(message.parts) }] : [],
  );
  const own = textsOf(before);
  let written: string[] = [];
  return {
    list: (): readonly Artifact[] => artifactsOf([...answers, { messageId: "this", texts: own }]),
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

function textsOf(parts: Parts): string[] {
  return parts.flatMap(({ type, text }) => (type === "text" && text !== undefined ? [text] : []));
}
