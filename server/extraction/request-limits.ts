import type { ModelInput } from "#contract/models.ts";
import { FilesRefusedError, ModelError, type ModelMessage } from "../models/model.ts";

/** What a request is asked without, after its provider refused it as it was; of one request, and not of the next. */
export type Without = {
  /** Files of these kinds: those of the last message, or all. */
  inputs: ReadonlyMap<ModelInput, "last" | "all">;
  /** Pictures that stand elsewhere. */
  addresses: boolean;
  /** More pictures than this, and more characters of text. */
  pictures: number;
  characters: number;
  /** How often the room for files was halved. */
  halved: number;
};

/** A conversation that is too long by itself is not asked for ever with less of its files. */
const halvedMax = 3;

export const withoutNothing: Without = {
  inputs: new Map(),
  addresses: false,
  pictures: Infinity,
  characters: Infinity,
  halved: 0,
};

/**
 * With how much less a request is to be asked that failed like this: `messages` is what was sent. `undefined` where its
 * files are not the reason, or nothing more can be left out of them.
 */
export function withLess(
  without: Without,
  error: unknown,
  messages: readonly ModelMessage[],
): Without | undefined {
  if (error instanceof FilesRefusedError) return withoutRefused(without, error, messages);
  if (!(error instanceof ModelError) || error.code !== "context-too-long") return undefined;
  if (without.halved === halvedMax) return undefined;
  const files = filesIn(messages);
  const characters = files.reduce((sum, part) => sum + (part.type === "document" ? part.text.length : 0), 0);
  const pictures = files.filter((part) => part.type === "file" && part.mediaType.startsWith("image/")).length;
  if (characters === 0 && pictures === 0) return undefined;
  return {
    ...without,
    characters: Math.floor(characters / 2),
    pictures: Math.floor(pictures / 2),
    halved: without.halved + 1,
  };
}

function withoutRefused(
  without: Without,
  { refusal }: FilesRefusedError,
  messages: readonly ModelMessage[],
): Without | undefined {
  switch (refusal.of) {
    case "addresses":
      return without.addresses ? undefined : { ...without, addresses: true };
    case "pictures":
      return refusal.most < without.pictures ? { ...without, pictures: refusal.most } : undefined;
    case "one":
    case "kind": {
      const { input } = refusal;
      const before = without.inputs.get(input);
      if (before === "all") return undefined;
      // Which one is meant is not said: those before were taken when they came.
      const isLast = refusal.of === "one" && before === undefined && lastHas(input, messages);
      return { ...without, inputs: new Map([...without.inputs, [input, isLast ? "last" : "all"]]) };
    }
  }
}

function lastHas(input: ModelInput, messages: readonly ModelMessage[]): boolean {
  const last = messages.findLast(({ role }) => role === "user");
  const type = input === "pdf" ? "application/pdf" : `${input}/`;
  return filesIn(last === undefined ? [] : [last]).some(
    (part) => part.type === "file" && part.mediaType.startsWith(type),
  );
}

function filesIn(messages: readonly ModelMessage[]) {
  return messages.flatMap((message) =>
    message.role === "user" ? message.parts.filter(({ type }) => type === "file" || type === "document") : [],
  );
}
